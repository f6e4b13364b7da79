#!/bin/sh
# What becomes of a process that uses the runtime: exit status, messages, statistics.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS
cd "$work" || exit 1

# run STATUS COMMAND...: runs it and checks its exit status.
run() {
	wanted=$1
	shift
	tried=$*
	got=0
	LD_PRELOAD=$preload "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
}

cat >program.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void fine(int *p) { p[threadIdx.x] = 1; }
__global__ void bad(int *p) { p[1 << 26] = 1; }
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int *p;
	if (!strcmp(what, "nothing"))
		return 0;
	cudaMalloc(&p, 256);
	fine<<<2, 64>>>(p);
	if (!strcmp(what, "bad"))
		bad<<<1, 1>>>(p);
	if (!strcmp(what, "missing")) {
		cudaTextureObject_t texture;
		printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&texture, NULL, NULL, NULL)));
	}
	cudaError_t error = cudaDeviceSynchronize(), again = cudaMemset(p, 0, 4);
	printf("%s %s\n", cudaGetErrorName(error), cudaGetErrorName(again));
	if (!strcmp(what, "abort"))
		abort();
	return argc > 2 ? atoi(argv[2]) : 0;
}
CU
try 0 cc program.cu -o program

# A table on standard error unless a file is named; the program's own status comes back.
run 0 ./program
says out "cudaSuccess cudaSuccess"
says err "_Z4finePi"
run 5 ./program "" 5
run 0 ./program nothing
silent err

# A kernel that goes wrong: one message, every later call fails, the process does not end well.
run 1 ./program bad
says out "cudaErrorIllegalAddress cudaErrorIllegalAddress"
says err "_Z3badPi"
[ "$(grep -c 'outside every allocation' "$work/err")" = 1 ] || fail "expected one message"
run 9 ./program bad 9

run 0 ./program missing
says out "cudaErrorNotSupported"
says err "cudaCreateTextureObject is not implemented"

# Statistics in a file: all or nothing, and nothing beside it.
SLUICE_STATS=$work/stats.json
export SLUICE_STATS
run 0 ./program
silent err
grep -q '"machine"' stats.json || fail "expected statistics"
run 134 ./program abort
echo old >stats.json
run 134 ./program abort
[ "$(cat stats.json)" = old ] || fail "expected the old file"
run 0 ./program nothing
grep -q '"kernels"' stats.json || fail "expected statistics of no kernel"
SLUICE_STATS=$work/no/such/folder.json run 1 ./program
says err "cannot write $work/no/such/folder.json"
[ ! -c /dev/full ] || {
	SLUICE_STATS=/dev/full run 1 ./program
	says err "cannot write /dev/full"
	[ -c /dev/full ] || fail "the device was replaced"
}
[ "$(ls stats.json*)" = stats.json ] || fail "temporary files stayed: $(ls stats.json*)"

# The limit ends the run, with its statistics.
SLUICE_MAX_INSTRUCTIONS=100 run 0 ./program
silent out
grep -q '"kernels"' stats.json || fail "expected statistics"

SLUICE_MACHINE=no-such-machine run 1 ./program
says err "no machine 'no-such-machine'"
says out "cudaErrorInitializationError"

# Device code that does not parse is named by line; it gets past cc as a compiler's flags.
echo '.version 6.0
.target sm_70
.address_size 64
.visible .entry _Z4finePi(.param .u64 p) { adddd.s32 %r1, %r2, %r3; }' >wrong.ptx
try 0 cc --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang wrong.ptx program.cu -o wrong
run 1 ./wrong
says err ":4:"
finish
