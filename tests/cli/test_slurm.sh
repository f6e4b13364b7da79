#!/bin/sh
# Protects `sluice sweep --slurm` on a cluster on this computer (tools/slurm-here.sh). During 200 runs of a simulated
# program, a node and the submitting command are killed. In the end every result is present once and equals that of a
# local sweep. Also tests a program's own failure, a task that Slurm ends, and canceling. Runs with journals are cut by
# warnings of a time limit, a requeue, a failed node and a task's end. Label slurm; status 77: Slurm is not installed.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MACHINES
sluice=$(realpath "$sluice")
here=$source_dir/tools/slurm-here.sh
cd "$work" || exit 1
export SLURM_HERE_ARRAY=33 # small, so that several arrays are needed
timeout 100 "$here" start cluster 2 2 >started 2>&1
got=$?
[ "$got" = 77 ] && {
	cat started
	exit 77
}
trap '"$here" stop cluster; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
[ "$got" = 0 ] || {
	cat started cluster/*.log
	exit 1
}
eval "$("$here" env cluster)"
# for sanitizers: tasks inherit our environment
. "$source_dir/tests/cuda/preload.sh"
LD_PRELOAD=$preload
export LD_PRELOAD

cat >add.cu <<'CUDA'
#include <cstdlib>
__global__ void add(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] += 1;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	float *x;
	cudaMalloc(&x, 4 * n);
	add<<<(n + 63) / 64, 64>>>(x, n);
	return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
try 0 cc add.cu -o add
cat >plan.yaml <<YAML
title: Two hundred
axes:
  n: [$(seq -s, 20 20 1000)]
  mechanisms: [none, lrr]
  l1d.sets: [32, 64]
  command: ./add {n}
YAML

# until_it COMMAND...: the command succeeds within a minute.
until_it() {
	for _ in $(seq 600); do
		"$@" && return 0
		sleep 0.2
	done
	tried="waiting for $*"
	fail "it does not arrive"
	return 1
}
some_results() {
	[ "$("$sluice" results --csv 2>/dev/null | wc -l)" -gt "$1" ]
}

# Killed in the middle: the tasks continue without the command, and Slurm reassigns the node's tasks.
"$sluice" sweep plan.yaml --slurm --per-task 4 -q >first.out 2>first.err </dev/null &
until_it some_results 20
kill -9 $!
wait $! 2>/dev/null
"$here" kill cluster n2
try 0 sweep status plan.yaml
says out "no process works on it; the same command continues it"
says out "Slurm: "
some_results 200 && fail "the kill came too late"
"$here" revive cluster n2
try 0 sweep plan.yaml --slurm --per-task 4 -q
cp figures/plan.runs.csv slurm.csv
"$sluice" results --csv --verdict PASS >all.csv
[ "$(wc -l <all.csv)" = 201 ] || fail "expected 200 runs and a heading, not $(wc -l <all.csv) lines"
[ "$(cut -d, -f5,7,8 all.csv | sort -u | wc -l)" = 201 ] || fail "expected each once"
left=$(find sweeps/plan/records sweeps/plan/progress sweeps/plan/done -type f)
[ -z "$left" ] || fail "expected nothing of the runs to be left but $left"
try 0 sweep status plan.yaml
says out "200 runs: 200 passed, 0 failed, 0 running, 0 waiting"
try 0 sweep plan.yaml -q --results local.db
cmp -s figures/plan.runs.csv slurm.csv || fail "a local sweep has other results"
try 0 results merge local.db
says out "local.db: 0 added, 200 present already"

# A failed program runs once. A task that Slurm ends is started again, and has failed if that does not help.
cat >ends <<SCRIPT
#!/bin/sh
echo \$\$ >>'$work/begun.'\$1
case \$1 in
fails) echo this is why >&2; exit 3 ;;
hangs) exec sleep 1000 ;;
once) [ "\$(wc -l <'$work/begun.once')" -gt 1 ] || kill -9 \$\$ ;;
esac
echo '{"kernels": [], "totals": {}}' >"\$SLUICE_STATS"
SCRIPT
chmod +x ends
echo 5 >input
cat >ends.yaml <<'YAML'
title: Ends
metric: 1
files: [input]
axes: {how: [fails, hangs, once], command: "./ends {how} input"}
YAML
"$sluice" sweep ends.yaml --slurm --tries 2 --per-task 1 >ends.out 2>ends.err </dev/null &
command=$!
for time in 1 2; do
	until_it sh -c '[ "$(cat begun.hangs 2>/dev/null | wc -l)" -ge '$time' ]'
	kill -9 "$(tail -n 1 begun.hangs)"
done
got=0
wait $command || got=$?
cp ends.out out
cp ends.err err
tried="sluice sweep ends.yaml"
[ "$got" = 1 ] || fail "exit status $got, expected 1"
says err "starting try 2 of 2"
says err "2 runs failed"
[ "$(wc -l <begun.fails)" = 1 ] || fail "a program that failed was run again"
[ "$(wc -l <begun.once)" = 2 ] || fail "expected the killed one to be run again"
try 0 sweep failed ends.yaml
says out "FAIL: exit status 3"
says out "    this is why"
says out "FAIL: Slurm: "
says out "started 2 times"

# The program that runs must be the one that was planned.
try 0 sweep --name later --slurm --detach --sbatch=--hold --axis n=30,31 -- ./add {n}
echo >>add
scontrol release "$(squeue -h -t PENDING -o %F | sort -u)"
until_it sh -c '[ "$(ls sweeps/later/records | wc -l)" = 2 ]'
grep -q "the program has changed since the sweep began" sweeps/later/records/* || fail "expected a report of the change"
try 0 cc add.cu -o add

# Canceling ends the tasks and the commands that wait for them. Options reach sbatch, and its errors are reported.
: >begun.hangs
"$sluice" sweep --name stays --slurm --time 10 --axis how=hangs -- ./ends {how} >stays.out 2>stays.err </dev/null &
command=$!
until_it sh -c '[ -s begun.hangs ]'
squeue -h -o %l | grep -qx 10:00 || fail "expected the time that was asked for"
try 0 sweep status stays
says out "1 runs: 0 passed, 0 failed, 1 running, 0 waiting"
try 0 sweep cancel stays
got=0
wait $command || got=$?
[ "$got" = 143 ] || fail "exit status $got of the command that waited, expected 143"
until_it sh -c '[ -z "$(squeue -h)" ]'
kill -0 "$(cat begun.hangs)" 2>/dev/null && fail "the program still runs"
try 1 sweep --name none --slurm --partition nowhere --axis how=fine -- ./ends {how}
says err "invalid partition"

# With --journal, a run that is cut several times goes on, and has the statistics of one that is not. Slurm warns late;
# here scancel sends the signal.
cat >steps.cu <<'CUDA'
#include <cstdlib>
__global__ void step(float *x, int n)
{
	float value = x[blockIdx.x * blockDim.x + threadIdx.x];
	for (int i = 0; i < n; i++)
		value = value * 1.0001f + 1;
	x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
int main(int argc, char **argv)
{
	float *x;
	cudaMalloc(&x, 4 * 15 * 256);
	cudaMemset(x, 0, 4 * 15 * 256);
	for (int i = 0; i < 40; i++)
		step<<<15, 256>>>(x, atoi(argv[1]) + i);
	return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
try 0 cc steps.cu -o steps
# launches COUNT: both runs' journals have more launches than that.
launches() {
	for journal in sweeps/cut/journals/*/; do
		[ "$(ls "$journal" | grep -c launch)" -gt "$1" ] || return 1
	done
}
"$sluice" sweep --name cut --slurm --journal --time 1:00:00 --per-task 1 --results cut.db --axis n=5000,5001 \
	-- ./steps {n} >cut.out 2>cut.err </dev/null &
command=$!
until_it sh -c '[ "$(ls sweeps/cut/journals 2>/dev/null | wc -l)" = 2 ]'
until_it launches 3
job=$(squeue -h -o %F | sort -u)
for more in 8 13; do
	scancel --batch --signal=USR1 "$job"
	until_it launches $more
done
scontrol requeue "${job}_0"
until_it launches 18
"$here" kill cluster n2
until_it launches 22
"$here" revive cluster n2
kill -9 "$(pgrep -f "sweep task .*sweeps/cut 0" | head -n 1)" # one of the tasks
got=0
wait $command || got=$?
cp cut.out out
cp cut.err err
tried="sluice sweep --journal"
[ "$got" = 0 ] || fail "exit status $got, expected 0"
says err "it goes on from its journal, after launch"
grep -q "the time limit is near" sweeps/cut/out/* || fail "expected the task's message"
left=$(find sweeps/cut/journals -mindepth 1)
[ -z "$left" ] || fail "expected no journals to be left but $left"
try 0 sweep --name plain --results plain.db --axis n=5000,5001 -- ./steps {n}
python3 - <<'PYTHON' >out 2>err || fail "the runs that were cut have other statistics"
import json, sqlite3, sys
def without_host(value):
    if isinstance(value, dict):
        return {name: without_host(inner) for name, inner in value.items()
                if not name.startswith(("host_", "warp_instructions_per_host")) and name not in ("program", "started_at")}
    return [without_host(inner) for inner in value] if isinstance(value, list) else value
def runs(path):
    rows = sqlite3.connect(path).execute("select arguments, verdict, stats from runs").fetchall()
    return {arguments: (verdict, without_host(json.loads(stats))) for arguments, verdict, stats in rows}
sys.exit(len(runs("plain.db")) != 2 or runs("cut.db") != runs("plain.db"))
PYTHON

# Where the limit ends each start before another launch, the run ends with a message and keeps its journal.
"$sluice" sweep --name stuck --slurm --journal --tries 2 --results cut.db --axis n=9000000 -- ./steps {n} \
	>stuck.out 2>stuck.err </dev/null &
command=$!
for start in 1 2; do
	until_it sh -c '[ "$(cat sweeps/stuck/progress/* 2>/dev/null | wc -l)" -gt 0 ]'
	scancel --batch --signal=USR1 "$(squeue -h -o %F | sort -u)"
	until_it sh -c '[ "$(cat sweeps/stuck/progress/* 2>/dev/null | wc -l)" = 0 ]'
done
got=0
wait $command || got=$?
cp stuck.out out
cp stuck.err err
tried="sluice sweep --journal, without progress"
[ "$got" = 1 ] || fail "exit status $got, expected 1"
says err "FAIL: the time limit ended it 2 times in a row before launch 1 was in its journal; give a longer --time and --retry"
[ "$(ls sweeps/stuck/journals | wc -l)" = 2 ] || fail "expected the journal to be left"

finish
