#!/bin/sh
# Protects the end of a process that uses the runtime: exit status, messages, statistics.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS
cd "$work" || exit 1

# run STATUS COMMAND...: runs the command and checks its exit status.
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
__global__ void wait(volatile int *p) { while (p[0]) ; }
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int *p;
	if (!strcmp(what, "nothing"))
		return 0;
	cudaMalloc(&p, 256);
	fine<<<2, 64>>>(p);
	if (!strcmp(what, "wait"))
		wait<<<1, 32>>>(p);
	if (!strcmp(what, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(what, "bad"))
		bad<<<1, 1>>>(p);
	if (!strcmp(what, "missing")) {
		printf("%s\n", cudaGetErrorName(cudaDeviceGetNvSciSyncAttributes(p, 0, 1)));
	}
	cudaError_t error = cudaDeviceSynchronize(), again = cudaMemset(p, 0, 4);
	printf("%s %s\n", cudaGetErrorName(error), cudaGetErrorName(again));
	if (!strcmp(what, "abort"))
		abort();
	return argc > 2 ? atoi(argv[2]) : 0;
}
CU
try 0 cc program.cu -o program

# A table on standard error unless a file is named. The program's own status is returned.
run 0 ./program
says out "cudaSuccess cudaSuccess"
says err "fine(int*), launch 1"
run 5 ./program "" 5
says err "  ended         exit 5"
run 0 ./program nothing
says_only err "sluice: the program launched no kernel"

# A faulting kernel: one message, every later call fails, and the process fails.
run 1 ./program bad
says out "cudaErrorIllegalAddress cudaErrorIllegalAddress"
says err "_Z3badPi"
[ "$(grep -c 'outside every allocation' "$work/err")" = 1 ] || fail "expected one message"
run 9 ./program bad 9

run 0 ./program missing
says out "cudaErrorNotSupported"
says err "cudaDeviceGetNvSciSyncAttributes: there is no NvSciSync"

# Statistics in a file: valid JSON with the finished kernels, however the process ends, and the kind of end. No other
# file remains.
SLUICE_STATS=$work/stats.json
export SLUICE_STATS
# kept ENDED KERNELS TOTALS: what the file must contain.
kept() {
	python3 - "$@" <<'PY' || fail "expected statistics: $* (ended, kernels, totals)"
import json, sys
run = json.load(open("stats.json"))
found = [run["ended"], " ".join(kernel["demangled"] + " " + kernel["ended"] for kernel in run["kernels"])]
found.append("totals" if "totals" in run else "")
sys.exit(found != sys.argv[1:] and f"found {found}")
PY
}
run 0 ./program
silent err
kept "exit 0" "fine(int*) done" totals
run 5 ./program "" 5
kept "exit 5" "fine(int*) done" totals
run 1 ./program bad
kept "fault, exit 1" "fine(int*) done bad(int*) fault" totals
run 0 ./program nothing
kept "exit 0" "" totals
run 134 ./program abort
kept "signal 6" "fine(int*) done" ""
# otherwise AddressSanitizer ends the program
ASAN_OPTIONS=${ASAN_OPTIONS-}:handle_segv=0
run 139 ./program segv
kept "signal 11" "fine(int*) done" ""
# In the middle of a kernel: Ctrl-C, SIGTERM, and SIGKILL, which leaves no time.
for signal in 2 15 9; do
	rm stats.json
	tried="./program wait, then signal $signal"
	LD_PRELOAD=$preload python3 - $signal 2>"$work/err" <<'PY' || fail "expected death by the signal"
import pathlib, subprocess, sys, time
program = subprocess.Popen(["./program", "wait"])
file = pathlib.Path("stats.json")
for _ in range(600):
    if file.exists() and "finePi" in file.read_text():
        break
    time.sleep(0.05)
program.send_signal(int(sys.argv[1]))
sys.exit(program.wait() != -int(sys.argv[1]))
PY
	if [ $signal = 9 ]; then
		kept running "fine(int*) done" ""
	else
		kept "stopped, signal $signal" "fine(int*) done wait(int volatile*) stopped" totals
	fi
done
SLUICE_STATS=$work/no/such/folder.json run 1 ./program
says err "cannot write $work/no/such/folder.json"
[ ! -c /dev/full ] || {
	SLUICE_STATS=/dev/full run 1 ./program
	says err "cannot write /dev/full"
	[ -c /dev/full ] || fail "the device was replaced"
}
[ "$(ls stats.json*)" = stats.json ] || fail "temporary files remain: $(ls stats.json*)"

# The limit ends the run and its statistics are written.
SLUICE_MAX_INSTRUCTIONS=100 run 124 ./program
silent out
kept "stopped, exit 124" "fine(int*) stopped" totals

# The run's settings are in its record.
printf 'base: gtx480\nname: mine\nsm.warps: 32\n' >mine.yaml
tried="sluice run, all options"
LD_PRELOAD=$preload "$sluice" run -m ./mine.yaml -o sm.count=3 -o l1d.ways=2 --mech two_level:ready=4 --check race \
	--max-instructions 100000 --threads 1 --stats made.json -- ./program "" 6 >"$work/out" 2>"$work/err"
[ $? = 6 ] || fail "expected the program's status"
python3 - <<'PY' || fail "expected all settings of the run"
import json
run = json.load(open("made.json"))
assert run["program"] == ["./program", "", "6"] and run["machine"] == "mine", run["program"]
assert run["options"] == ["sm.count=3", "l1d.ways=2"] and "two_level:ready=4" in run["mechanisms"][0], run["options"]
assert (run["checks"], run["max_instructions"], run["threads"], run["functional"]) == ("race", 100000, 1, False)
keys = run["configuration"]
assert (keys["sm.count"], keys["sm.warps"], keys["l1d.ways"], keys["sm.flush_l1"]) == (3, 32, 2, False)
assert run["kernels"][0]["name"] == "_Z4finePi"
PY
SLUICE_STATS= LD_PRELOAD=$preload "$sluice" run -o sm.count=3 -o l1d.ways=2 --mech two_level ./program >"$work/out" 2>"$work/err"
says err "  options       sm.count=3"
says err "                l1d.ways=2"
says err "  mechanisms    two_level:ready="
# A program that does not use the runtime leaves a record that says so.
"$sluice" run --stats made.json -- true
grep -q '"ended": "not begun"' made.json || fail "expected that nothing has begun"

SLUICE_MACHINE=no-such-machine run 1 ./program
says err "no machine 'no-such-machine'"
says out "cudaErrorInitializationError"

for setting in SLUICE_THREADS=many SLUICE_THREADS=-1 SLUICE_THREADS=4294967296 SLUICE_MAX_INSTRUCTIONS=1e9 \
	SLUICE_MAX_INSTRUCTIONS=99999999999999999999; do
	export "${setting?}"
	run 1 ./program
	most=
	[ "${setting%=*}" != SLUICE_THREADS ] || most=" of at most 4294967295"
	says err "sluice: ${setting%=*}: expected a whole number$most, not '${setting#*=}'"
	says out "cudaErrorInitializationError"
	unset "${setting%=*}"
done

# Device code that does not parse: the message has its line. It passes through cc unread, as a compiler option.
echo '.version 6.0
.target sm_70
.address_size 64
.visible .entry _Z4finePi(.param .u64 p) { adddd.s32 %r1, %r2, %r3; }' >wrong.ptx
try 0 cc --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang wrong.ptx program.cu -o wrong
run 1 ./wrong
says err ":4:"
finish
