#!/bin/sh
# Protects commands against signals. `sluice cc` ends at any time without leaving an output or a folder. A program that
# a signal ends still prints and stores the statistics of finished kernels.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_STATS
# The spinning kernels must not end as stalled.
SLUICE_OPTIONS=launch.livelock=0
export SLUICE_OPTIONS
mkdir "$work/tmp"
cd "$work" || exit 1

# The scan of a file that begins with such a declaration once never ended.
echo 'static __device__ int x; __global__ void k() { x = 1; } int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }' >first.cu
TMPDIR=$work/tmp timeout -k 1 60 "$sluice" cc -c first.cu -o first.o || fail "first.cu does not compile"

# A long scan, a long compilation, and a compiler that is about to start.
python3 - "$sluice" "$work" <<'PY' || failures=$((failures + 1))
import os, signal, subprocess, sys, time
sluice, work = sys.argv[1:]
compiler = work + "/compiler"
with open(compiler, "w") as file:
    file.write("#!/bin/sh\nexec sleep 30\n")
os.chmod(compiler, 0o755)
with open(work + "/slow.cu", "w") as file: # for each launch the scanner searches the end of its statement
    file.write("__device__ void f() {\n" + "k<<<1, 1>>>(1)\n" * 60000 + "}\n")
environment = dict(os.environ, TMPDIR=work + "/tmp", SLUICE_CLANG=compiler)
failed = 0
for source in "first.cu", "slow.cu":
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
        for after in 0, 0.01, 0.2:
            process = subprocess.Popen([sluice, "cc", "-c", source, "-o", "out.o"], cwd=work, env=environment)
            time.sleep(after)
            process.send_signal(number)
            try:
                status = process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                status = "none: it goes on"
            left = os.listdir(work + "/tmp")
            if status not in (128 + number, -number) or left or os.path.exists(work + "/out.o"):
                print(f"FAILED: cc {source}, signal {number} after {after} s: status {status}, left {left}")
                failed = 1
sys.exit(failed)
PY
# A linker started by a compiler ends too, and its partial output is removed.
cat >compiler <<'SH'
#!/bin/sh
while [ $# -gt 0 ]; do
	[ "$1" != -o ] || output=$2
	[ "$1" != -c ] || compiles=yes
	shift
done
[ -z "${compiles-}" ] || exit 0
sh -c "echo half >'$output'; sleep 7.5; echo whole >>'$output'" &
wait
SH
tried="cc, SIGTERM while it links"
TMPDIR=$work/tmp SLUICE_CLANG=$work/compiler "$sluice" cc first.cu -o linked &
process=$!
for _ in $(seq 100); do
	[ ! -s linked ] || break
	sleep 0.05
done
kill $process
got=0
wait $process || got=$?
[ "$got" = 143 ] || fail "exit status $got"
[ ! -e linked ] || fail "an incomplete program remains"
[ -z "$(ls tmp)" ] || fail "left: $(ls tmp)"

# If the parent ignores SIGCHLD, the end of the compiler was once never noticed.
python3 - "$sluice" "$work" <<'PY' || failures=$((failures + 1))
import signal, subprocess, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
sluice, work = sys.argv[1:]
process = subprocess.Popen([sluice, "cc", "-c", "first.cu", "-o", "ignored.o"], cwd=work, restore_signals=False)
try:
    process.wait(60)
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("FAILED: cc with SIGCHLD ignored goes on")
PY
[ -s ignored.o ] || fail "nothing was compiled with SIGCHLD ignored"

cat >program.cu <<'CU'
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
__device__ volatile int flag;
__global__ void first(int *o) { o[threadIdx.x] = 1; }
__global__ void spin() { while (!flag) { } }
static void own(int) { _exit(9); }
// Prints the number of the signal that ends a forked child.
static void end_child()
{
	int status = 0;
	pid_t child = fork();
	for (; !child; pause()) { }
	kill(child, SIGTERM);
	for (int i = 0; i < 100 && !waitpid(child, &status, WNOHANG); i++)
		usleep(50000);
	if (!status)
		kill(child, SIGKILL);
	printf("child: signal %d\n", status);
}
int main(int argc, char **argv)
{
	int *o;
	if (*argv[1] == 'o')
		signal(SIGTERM, own);
	cudaMalloc(&o, 512);
	first<<<1, 32>>>(o);
	cudaDeviceSynchronize();
	if (*argv[1] == 'f')
		end_child();
	puts("ready");
	fflush(stdout);
	if (*argv[1] == 'h')
		for (;;)
			pause();
	spin<<<1, 32>>>();
	cudaDeviceSynchronize();
}
CU
try 0 cc program.cu -o program

# ended WAY SIGNAL STATUS: sends the signal after the first kernel. Statistics are written to stats.json if SLUICE_STATS
# says so.
ended() {
	tried="signal $2, $1"
	rm -f stats.json
	: >out
	LD_PRELOAD=$preload ./program "$1" >out 2>err &
	process=$!
	for _ in $(seq 200); do
		! grep -q ready out || break
		sleep 0.1
	done
	sleep 0.3
	kill -s "$2" $process
	got=0
	wait $process 2>/dev/null || got=$?
	[ "$got" = "$3" ] || fail "exit status $got, expected $3"
}

for pair in "TERM terminate 15" "HUP hangup 1" "XCPU limit 24" "ALRM alarm 14"; do
	set -- $pair
	unset SLUICE_STATS
	ended kernel "$1" $((128 + $3))
	says err "first(int*), launch 1"
	says err "spin(), launch 2, stopped before its end ($2"
	export SLUICE_STATS="$work/stats.json"
	ended kernel "$1" $((128 + $3))
	grep -q "\"ended\": \"stopped, signal $3\"" stats.json || fail "the run does not say how it ended"
	grep -q "\"ended\": \"stopped\", \"stopped_by\": \"$2" stats.json || fail "the kernel does not say how it ended"
	grep -q '"totals"' stats.json || fail "expected totals"
	unset SLUICE_STATS
	ended host "$1" $((128 + $3))
	says err "first(int*), launch 1"
done
export SLUICE_STATS="$work/stats.json"
ended host USR1 138
grep -q '"ended": "signal 10"' stats.json || fail "the run does not say how it ended"
unset SLUICE_STATS
SLUICE_FUNCTIONAL=1 && export SLUICE_FUNCTIONAL
ended kernel TERM 143
says err "spin(), launch 2, stopped before its end (terminate)"
unset SLUICE_FUNCTIONAL
# A signal also ends a forked child, which has no thread that stores statistics.
ended fork TERM 143
says out "child: signal 15"
ended own TERM 9
! grep -q "launch 2" err || fail "the program's own handler is not called"

# Two signals within half a second are one request: timeout(1) sends two. A later one ends the process immediately.
python3 - "$preload" "$work" <<'PY' || failures=$((failures + 1))
import os, signal, subprocess, sys, time
preload, work = sys.argv[1:]
os.mkfifo(work + "/nobody_reads")
def ended(apart, statistics):
    environment = dict(os.environ, LD_PRELOAD=preload, SLUICE_STATS=work + statistics)
    process = subprocess.Popen(["./program", "kernel"], cwd=work, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    time.sleep(0.3)
    for number in signal.SIGTERM, signal.SIGTERM:
        process.send_signal(number)
        time.sleep(apart)
    process.communicate(timeout=60)
    return process.returncode
for apart in 0.0001, 0.001, 0.003:
    for _ in range(5):
        got = ended(apart, "/twice.json")
        with open(work + "/twice.json") as file:
            if got != -signal.SIGTERM or '"totals"' not in file.read():
                sys.exit(f"FAILED: SIGTERM twice, {apart} s apart: status {got}, or statistics are lost")
        os.remove(work + "/twice.json")
if ended(1, "/nobody_reads") != -signal.SIGTERM:
    sys.exit("FAILED: the second SIGTERM does not end a program that waits for a reader of its statistics")
PY

# The command forwards the signal. An interrupt reaches both from the terminal.
tried="sluice run, interrupt"
LD_PRELOAD=$preload timeout -s INT -k 5 3 "$sluice" run --stats run.json -- ./program kernel >out 2>err
grep -q '"stopped_by": "interrupt"' run.json || fail "the record does not say how it ended"
LD_PRELOAD=$preload "$sluice" run --timeout 2 --stats run.json -- ./program kernel >out 2>err
grep -q '"stopped_by": "timeout"' run.json || fail "the record does not say how it ended"
LD_PRELOAD=$preload "$sluice" run --max-instructions 5000 --stats run.json -- ./program kernel >out 2>err
grep -q '"stopped_by": "limit of instructions"' run.json || fail "the record does not say how it ended"

finish
