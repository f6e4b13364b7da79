#!/bin/sh
# Runs clang-format with the arguments given on all C files. Headers are left out: their tables and comments are laid out
# in columns by hand.
set -eu
cd "$(dirname "$0")/.."
find src tests -name '*.c' -not -path 'tests/data/*' -print0 | sort -z | xargs -0 clang-format-14 "$@"
