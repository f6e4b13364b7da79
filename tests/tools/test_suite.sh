#!/bin/sh
# test_suite.sh SLUICE SOURCE_DIR: protects tools/suite.py. The project's suite is built by its own Makefiles and
# correct. Programs with every other verdict get that verdict.
set -u
. "$2/tests/cli/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
if [ -n "$preload" ]; then
	LD_PRELOAD=$preload
	# the system's tools run with it too, and awk's memcmp() reads past a difference
	ASAN_OPTIONS=$ASAN_OPTIONS:strict_memcmp=0
	export LD_PRELOAD ASAN_OPTIONS
fi
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_MAX_INSTRUCTIONS

# suite STATUS ARGUMENT...
suite() {
	wanted=$1
	shift
	tried="suite.py $*"
	got=0
	python3 "$source_dir/tools/suite.py" --sluice "$sluice" "$@" >"$work/out" 2>"$work/err" || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
}

# row PROGRAM BUILT VERDICT
row() {
	awk -v name="$1" '$1 == name { $3 = $4 = ""; print }' "$work/out" | tr -s ' ' | grep -q "^$1 $2 $3" || fail "expected $1: $2, $3"
}

find "$source_dir/tests/suite" >"$work/before"
# One program sorts with thrust, which is a Debian package.
programs="blur codec heat histogram orbits paths ranks solver spectrum"
kernels="blur 1 codec 11 heat 7 histogram 2 orbits 1 paths 8 ranks 99 solver 348 spectrum 5"
if [ -e /usr/include/thrust/sort.h ]; then
	programs="$programs md"
	kernels="$kernels md 21"
fi
# shellcheck disable=SC2086 # words
suite 0 "$source_dir/tests/suite" --json "$work/table.json" $(printf -- '--only %s ' $programs)
count=0
for program in $programs; do
	row "$program" yes correct
	count=$((count + 1))
done
says out "$count programs: $count built, $count ran to a successful end, $count known to be correct"
python3 - "$work/table.json" "$kernels" <<'PY' || fail "wrong table"
import json, sys
words = sys.argv[2].split()
rows = {row["program"]: row["kernels"] for row in json.load(open(sys.argv[1]))}
assert rows == dict(zip(words[::2], map(int, words[1::2]))), rows
PY
find "$source_dir/tests/suite" | cmp -s - "$work/before" || fail "the build changed the suite itself"
suite 0 "$source_dir/tests/suite" --only hist --machine gtx480
row histogram yes correct
says out "1 programs: 1 built"
suite 0 "$source_dir/tests/suite" --only heat --make CFLAGS=-I.
row heat yes correct

# One program for each verdict; its C++ source produces the verdict.
verdict() {
	mkdir -p "$work/suite/$1"
	printf 'all:\n\t$(CUDA_PATH)/bin/nvcc a.cu -o a\n' >"$work/suite/$1/Makefile"
	{
		echo '#include <cstdio>'
		echo '#include <unistd.h>'
		echo '__global__ void k() {}'
		echo "int main() { $2 }"
	} >"$work/suite/$1/a.cu"
}
verdict fails 'k<<<1, 1>>>(); puts("Test FAILED");'
verdict passes 'k<<<1, 1>>>(); puts("all tests passed, 0 failed");'
verdict silent 'k<<<1, 1>>>();'
verdict dies 'k<<<1, 1>>>(); return 3;'
verdict hangs 'k<<<1, 1>>>(); sleep(100);'
verdict idle 'puts("PASSED");'
verdict broken 'return nothing;'
verdict other 'k<<<1, 1>>>(); puts("PASSED 1");'
echo "PASSED 2" >"$work/suite/other/expected"
suite 1 "$work/suite" --timeout 8
row fails yes wrong
row passes yes correct
row silent yes ran
row dies yes "status 3"
row hangs yes timeout
row idle yes "no kernel"
row broken no "not built"
row other yes wrong
says out "use of undeclared identifier 'nothing'"
says out "8 programs: 7 built, 2 ran to a successful end, 1 known to be correct"

# A Makefile that expects CUDA in a folder on its author's machine, and a kernel with an out-of-bounds read, which GPUs
# allow.
mkdir -p "$work/elsewhere/beside"
printf 'all:\n\t$(CUDA_PATH)/bin/nvcc -c a.cu\n\tcc -c b.c\n\tc++ a.o b.o -L/nowhere/lib64 -lcudart -o a\n' >"$work/elsewhere/beside/Makefile"
printf '#include <cuda_runtime.h>\nint devices(void) { int n = 0; cudaGetDeviceCount(&n); return n; }\n' >"$work/elsewhere/beside/b.c"
cat >"$work/elsewhere/beside/a.cu" <<'CU'
#include <cstdio>
extern "C" int devices(void);
__global__ void k(const int *p, int *sum) { *sum = blockIdx.x ? p[0] : p[-64]; }
int main()
{
	int *p;
	cudaMalloc(&p, 8);
	k<<<devices(), 1>>>(p, p + 1);
	puts(cudaDeviceSynchronize() == cudaSuccess ? "PASSED" : "FAILED");
}
CU
suite 1 "$work/elsewhere"
row beside yes "status 1"
suite 0 "$work/elsewhere" --run=--stray-reads=warn
row beside yes correct
mkdir "$work/empty"
suite 1 "$work/empty"
says err "no folder with a Makefile and CUDA sources"
finish
