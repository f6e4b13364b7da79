#!/bin/sh
# Runs clang-format with the given arguments on all .c files. Headers are excluded, because their tables and comments
# are aligned in columns by hand.
set -eu
cd "$(dirname "$0")/.."
find src tests -name '*.c' -not -path 'tests/data/*' -print0 | sort -z | xargs -0 clang-format-14 "$@"
