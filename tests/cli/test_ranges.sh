#!/bin/sh
# Protects NVTX ranges and `sluice run --range` (test_ranges.py).
python3 "$(dirname "$0")/test_ranges.py" "$1" "$2"
