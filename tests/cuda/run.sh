#!/bin/sh
# Runs a CUDA test: run.sh SLUICE PROGRAM SOURCE.cu, where PROGRAM was compiled from SOURCE.cu (programs.cmake). It
# passes when the program ends with status 0. If there is a file SOURCE.expected, the output must equal it.
set -eu
sluice=$1
program=$2
source=$3
. "$(dirname "$0")/preload.sh"
# Another build may have compiled the program: it runs with this build's runtime.
[ -z "$preload" ] || preload="$preload $(dirname "$sluice")/../lib/libcudart.so"
# AddressSanitizer options for a program that accesses unmapped memory.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:$(sed -n 's/^\/\/ ASAN_OPTIONS: //p' "$source")
export ASAN_OPTIONS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LD_PRELOAD="$preload" SLUICE_STATS=$work/stats.json "$program" >"$work/output" || {
	cat "$work/output"
	exit 1
}
expected=${source%.cu}.expected
if [ -e "$expected" ]; then
	diff -u "$expected" "$work/output"
fi
