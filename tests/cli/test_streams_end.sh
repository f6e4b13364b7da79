#!/bin/sh
# Protects the ends of programs with queued work in streams. A time limit or a signal stops kernels that run together.
# Their records have the work so far. Work that has not begun is dropped. At a normal end all work runs.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_STATS
cd "$work" || exit 1

# The first kernel is short, the others take minutes, except with "exits".
cat >many.cu <<'CU'
#include <cstdio>
#include <cstring>
__global__ void loop(float *o, int n) { float x = 1; for (int i = 0; i < n; i++) x = x * 1.0001f + 1; *o = x; }
static void note(cudaStream_t, cudaError_t error, void *) { fprintf(stderr, "callback %d\n", error); }
int main(int, char **argv)
{
	float *o;
	cudaStream_t stream[3];
	bool exits = !strcmp(argv[1], "exits");
	cudaMalloc(&o, 4096);
	for (cudaStream_t &s : stream)
		cudaStreamCreate(&s);
	for (int i = 0; i < 3; i++)
		loop<<<1, 32, 0, stream[i]>>>(o + 256 * i, i && !exits ? 1000000000 : 20);
	cudaStreamAddCallback(stream[1], note, NULL, 0);
	if (!strcmp(argv[1], "waits"))
		cudaStreamSynchronize(stream[0]);
	if (!strcmp(argv[1], "runs"))
		cudaDeviceSynchronize();
	if (exits)
		return 0;
	fprintf(stderr, "ready\n");
	for (volatile int i = 0;; i = 0) // a host that is busy, so that queued work stays queued for ten seconds
		;
}
CU
"$sluice" cc many.cu -o many || fail "many.cu does not compile"

# check FILE ENDED KERNELS CAUSE: the statistics say how the process ended, and list these kernels.
check() {
	python3 - "$@" <<'PY' || fail "the statistics are wrong: $(head -c 300 "$1")"
import json, sys
file, ended, kernels, cause = sys.argv[1:]
run = json.load(open(file))
found = " ".join(kernel["ended"] for kernel in run["kernels"])
causes = {kernel["stopped_by"] for kernel in run["kernels"] if kernel["ended"] == "stopped"}
good = run["ended"] == ended and found == kernels and causes <= {cause} and "totals" in run
good &= all(kernel["warp_instructions"] > 0 for kernel in run["kernels"])
if run["kernels"]: # totals are those of the session
    good &= run["totals"]["cycles"] == run["sessions"][0]["cycles"]
    sum_ = sum(kernel["warp_instructions"] for kernel in run["kernels"])
    good &= run["totals"]["warp_instructions"] == sum_
sys.exit(not good)
PY
}

no_callback() {
	if grep -q callback err; then fail "a callback was called"; fi
}

try_program 124 run --timeout=3 --stats idle.json -- ./many idle
check idle.json "exit 124" "" ""
no_callback
try_program 124 run --timeout=3 --stats waits.json -- ./many waits
check waits.json "stopped, exit 124" "done stopped stopped" timeout
no_callback
try_program 124 run --timeout=3 --stats runs.json -- ./many runs
check runs.json "stopped, exit 124" "done stopped stopped" timeout
# A signal while the program has suspended kernels.
tried="SIGTERM of ./many waits"
"$sluice" run --stats signal.json -- ./many waits >out 2>err &
process=$!
for _ in $(seq 300); do
	grep -q ready err && break
	sleep 0.1
done
kill -TERM "$process"
wait "$process"
[ $? = 143 ] || fail "the status is not that of SIGTERM"
check signal.json "stopped, signal 15" "done stopped stopped" terminate
no_callback
try_program 0 run --stats exits.json -- ./many exits
check exits.json "exit 0" "done done done" ""
says err "callback 0"

# A kernel that polls for a kernel, or for a copy, of a later stream. Where these run in turn it never ends, and the
# reason precedes the message about it.
cat >polls.cu <<'CU'
#include <cstdio>
#include <cstring>
__global__ void takes(volatile int *flag) { while (*flag == 0); }
__global__ void gives(volatile int *flag) { *flag = 1; }
int main(int argc, char **argv)
{
	int *flag, one = 1;
	cudaStream_t first, second;
	cudaMalloc(&flag, 4), cudaMemset(flag, 0, 4);
	cudaStreamCreate(&first), cudaStreamCreate(&second);
	takes<<<1, 1, 0, first>>>(flag);
	if (!strcmp(argv[1], "kernel"))
		gives<<<1, 1, 0, second>>>(flag);
	else
		cudaMemcpyAsync(flag, &one, 4, cudaMemcpyHostToDevice, second);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	cudaFree(flag);
}
CU
"$sluice" cc polls.cu -o polls || fail "polls.cu does not compile"
turns='kernels of different streams run in turn'
for what in kernel copy; do
	try_program 0 run -m rtx3070 --stats polls.json -- ./polls $what
	says_only out "cudaSuccess"
	grep -q "$turns" err && fail "nothing runs in turn"
	for how in "--check all" "--timeline t.json" "--functional --check init --timeout=2"; do
		case $how in *timeout*) status=124 ;; *) status=1 ;; esac
		try_program $status run -m rtx3070 -o launch.livelock=50000 $how --stats polls.json -- ./polls $what
		grep "$turns\|kernel _Z5takes" err | head -n 1 | grep -q "never ends" || fail "the reason is not before the message"
		[ "$(grep -c "$turns" err)" = 1 ] || fail "the reason is given more than once"
		says err "reads address 0x"
		grep -q '"in_turn"' polls.json || fail "the statistics lack the reason"
	done
done

# Launches by kernels run in turn with the same parts: one message tells it, and why a parent that polls never ends.
cat > parent.cu <<'CU'
#include <cstdio>
__global__ void child(volatile int *x)
{
	x[0] = 1;
}
__global__ void parent(volatile int *x, bool polls)
{
	child<<<1, 1>>>(x);
	while (polls && !x[0])
		;
}
int main(int count, char **)
{
	int *x;
	cudaMalloc(&x, 4);
	cudaMemset(x, 0, 4);
	for (int i = 0; i < 2; i++)
		parent<<<1, 1>>>(x, count > 1);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	cudaFree(x);
}
CU
"$sluice" cc parent.cu -o parent || fail "parent.cu does not compile"
turns='launches by kernels run after the kernel that launched them'
try_program 0 run -m rtx3070 --stats parent.json -- ./parent polls
says_only out "cudaSuccess"
grep -q "$turns" err && fail "nothing runs in turn"
grep -q '"in_turn"' parent.json && fail "the statistics have a reason"
for how in "--check race" "--sample 100" "--journal parent.journal" "--mech sharing" "-o launch.concurrent=1"; do
	try_program 0 run -m rtx3070 $how --stats parent.json -- ./parent
	[ "$(grep -c "$turns: .*one [a-z]* .*at a time" err)" = 1 ] || fail "$how: the reason is not given once"
	grep -q '"in_turn":.*at a time' parent.json || fail "$how: the statistics lack the reason"
done
try_program 1 run -m rtx3070 -o launch.livelock=50000 --check race -- ./parent polls
grep "$turns\|kernel _Z6parent" err | head -n 1 | grep -q "never ends" || fail "the reason is not before the message"

# A grid that cannot run ends the kernel that launched it, with the reason. Impossible shapes are the device's errors.
cat > unable.cu <<'CU'
#include <cstdio>
__global__ void child(int *x)
{
	*x = 1;
}
__global__ void parent(int *x, int grid_y, int block_z, int shared)
{
	child<<<dim3(1, grid_y), dim3(1, 1, block_z), shared>>>(x);
	printf("error %d\n", (int)cudaGetLastError());
}
int main(int count, char **)
{
	int *x;
	cudaMalloc(&x, 4);
	parent<<<1, 1>>>(x, 65536, 1, 0);
	parent<<<1, 1>>>(x, 1, 65, 0);
	parent<<<1, 1>>>(x, 1, 1, 300000);
	cudaError_t launch = cudaGetLastError();
	printf("%s\n", cudaGetErrorName(launch));
}
CU
"$sluice" cc unable.cu -o unable || fail "unable.cu does not compile"
for how in "" "-o launch.concurrent=1" "--functional"; do
	try_program 0 run -m rtx3070 $how -- ./unable
	[ "$(grep -c "error 9" out)" = 2 ] || fail "$how: the shapes are no errors of the device"
	[ "$(grep -c "the shape of the grid or block is not possible" err)" = 2 ] || fail "$how: no message about the shapes"
	says err "_Z5childPi: a block needs 300000 bytes of shared memory"
	says out "cudaErrorInvalidConfiguration"
done
finish
