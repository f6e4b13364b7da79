#!/bin/sh
# Compiles a CUDA test and runs it: run.sh SLUICE SOURCE.cu. It passes when it ends with status 0 and, where there is a
# file SOURCE.expected, prints just that.
set -eu
sluice=$1
source=$2
. "$(dirname "$0")/preload.sh"
# what a program that names memory which is not there asks of AddressSanitizer
ASAN_OPTIONS=${ASAN_OPTIONS:-}:$(sed -n 's/^\/\/ ASAN_OPTIONS: //p' "$source")
export ASAN_OPTIONS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# what it is compiled with besides, for this test and for all of this program
flags="${TEST_FLAGS:-} $(sed -n 's/^\/\/ Flags: //p' "$source")"
# shellcheck disable=SC2086
"$sluice" cc -O1 "$source" -o "$work/program" $flags
LD_PRELOAD=$preload SLUICE_STATS=$work/stats.json "$work/program" >"$work/output" || {
	cat "$work/output"
	exit 1
}
expected=${source%.cu}.expected
if [ -e "$expected" ]; then
	diff -u "$expected" "$work/output"
fi
