#!/bin/sh
# Protects `sluice run --journal` and `--resume` (test_journal.py).
python3 "$(dirname "$0")/test_journal.py" "$1" "$2"
