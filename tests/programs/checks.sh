#!/bin/sh
# Protects against false positives: no program of the papers gets a message under --check all, except bfs and the forms
# of samples whose warps need no barrier. Their races are intended by their authors.
# Usage: checks.sh SLUICE SOURCE_DIR
set -u
sluice=$1
. "$2/tests/cuda/preload.sh"
told=$(mktemp)
trap 'rm -f "$told"' EXIT
LD_PRELOAD=$preload "$sluice" programs run --all --size tiny --functional --check all >"$told" 2>&1
wrong=$(grep 'sluice: ' "$told" | grep -v "kernel '_Z6KernelPK4Node.*: race on global memory: two " |
	grep -v "kernel '[^']*\(CUDAkernel2I*DCT_sample\|histogram256Kernel_tags\).*: race on shared memory: two threads of a warp ")
[ -z "$wrong" ] || {
	echo "messages for correct programs:"
	echo "$wrong"
	exit 1
}
grep -q "race on global memory: two warps" "$told" || {
	echo "no message for bfs"
	exit 1
}
grep -q "race on shared memory: two threads of a warp" "$told" || {
	echo "no message for the forms of samples"
	exit 1
}
# The runs of all other programs passed.
failed=$(tail -n 1 "$told" | sed 's/.* passed, \([0-9]*\) failed.*/\1/')
if [ "$(grep -c ' PASS$' "$told")" -le 100 ] || [ "$failed" != 4 ]; then
	tail -n 3 "$told"
	exit 1
fi
