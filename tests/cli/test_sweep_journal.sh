#!/bin/sh
# Protects `--journal` of sweeps and figures (test_sweep_journal.py).
python3 "$(dirname "$0")/test_sweep_journal.py" "$1" "$2"
