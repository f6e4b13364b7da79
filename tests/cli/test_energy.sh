#!/bin/sh
# Protects `sluice energy` and `run --energy`. A run's energies equal those computed later from its stored statistics,
# and no other figure depends on the option. Other tables price past runs without rerunning them. Mechanisms are priced
# by their declared costs, and errors name their position.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_ENERGY SLUICE_STATS SLUICE_MACHINE SLUICE_OPTIONS SLUICE_MECHANISMS
sluice=$(realpath "$sluice")
cd "$work" || exit 1

cat "$source_dir/tests/cli/stream_kernel.cu" - >program.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void set(float *a) { a[threadIdx.x] = 1; }
int main(int argc, char **argv)
{
	float *in, *out;
	cudaMalloc(&in, 1 << 20), cudaMalloc(&out, 1 << 20);
	cudaMemset(in, 0, 1 << 20);
	stream<<<30, 64>>>(in, out, 20);
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++)
		set<<<1, 32>>>(out);
	return cudaDeviceSynchronize() != cudaSuccess;
}
CU
try 0 cc program.cu -o program

# Runs Python over the statistics and the output of `sluice energy`.
check() {
	python3 - "$@" >out 2>err <<'PY' || { cat err; fail "not so: $1"; }
import json, math, sys
near = lambda a, b: math.isclose(a, b, rel_tol=1e-9)
files = {name.rsplit(".", 1)[0]: json.load(open(name)) for name in sys.argv[2:]}
assert eval(sys.argv[1], {"near": near, "set": set, "sum": sum, "all": all, "zip": zip} | files)
PY
}

# equal figures with and without the option, except for energies
try_program 0 run --stats without.json -- ./program 2
try_program 0 run --energy --stats with.json -- ./program 2
mv with.json priced.json
check 'without["totals"]["counters"] == priced["totals"]["counters"] and without["totals"]["cycles"] == priced["totals"]["cycles"]' \
	without.json priced.json
check 'all("energy" not in kernel for kernel in without["kernels"] + [without["totals"]])' without.json

# stored statistics give the same energies as the run itself
try 0 energy --json --kernels --prices without.json
cp out later.json
check 'later["energy"] == priced["totals"]["energy"]' later.json priced.json
check '[k["energy"] for k in later["kernels"]] == [k["energy"] for k in priced["kernels"]]' later.json priced.json
check 'near(sum(k["energy"]["total"] for k in later["kernels"]), later["energy"]["total"])' later.json
check 'near(sum(p["joules"] for p in later["prices"]), later["energy"]["total"])' later.json
check 'near(sum(v for k, v in later["energy"].items() if k in {p["component"] for p in later["prices"]}), later["energy"]["total"])' later.json
check 'near(later["energy"]["watts"] * later["energy"]["seconds"], later["energy"]["total"])' later.json
check 'near(later["idle_watts"], sum(p["watts"] for p in later["prices"] if p["what"] in ("sm leakage", "slice leakage",
	"network leakage", "dram standby", "card")))' later.json

# the readable tables
try 0 energy without.json
says out "3 launches together on gtx480, exit 0"
says out "while no kernel runs; that time is not simulated"
grep -q '^    dram .* W .* % .*of it constant$' "$work/out" || fail "expected a line of dram"
try 0 energy --kernels --prices without.json
says out "stream(float const*, float*, int), launch 1"
says out "per event of sm.fetches"
try_program 0 run --energy -- ./program
grep -q '^  energy  .* W, energy-delay .* per thread instruction$' "$work/err" || fail "expected the energy"
# enough launches that their kernels are summed
try_program 0 run --energy -- ./program 20
[ "$(grep -c '^  energy ' "$work/err")" = 1 ] || fail "expected one account"
try_program 0 run -- ./program
! grep -q energy "$work/err" || fail "energies without the option"

# the texture cache: its rows follow its counters; without textures there are none
cat >texels.cu <<'CU'
texture<float> texels;
__global__ void read(float *out) { out[threadIdx.x] = tex1Dfetch(texels, threadIdx.x % 64) + tex1Dfetch(texels, 5); }
int main()
{
	float *in, *out;
	cudaMalloc(&in, 256), cudaMalloc(&out, 1024);
	cudaMemset(in, 0, 256);
	cudaBindTexture(nullptr, texels, in, 256);
	read<<<1, 256>>>(out);
	return cudaDeviceSynchronize() != cudaSuccess;
}
CU
try 0 cc texels.cu -o texels
try_program 0 run --stats texels.json -- ./texels
try 0 energy --json --prices texels.json
cp out textures.json
check 'texels["totals"]["counters"]["l1t.fills"] == 2 and texels["totals"]["counters"]["l1t.accesses"] == 16' texels.json
check 'near(textures["energy"]["textures"], 1e-12 * (380 * texels["totals"]["counters"]["l1t.accesses"] + 200 * 2 + 40 * 16 * 32))' \
	textures.json texels.json
check 'later["energy"]["textures"] == 0' later.json
python3 - "$source_dir/energies/gtx480-40nm.yaml" >bare.yaml <<'PY'
import re, sys
text = open(sys.argv[1]).read()
print(re.sub(r"  textures: .*\n|  texture \w+:\n(    .*\n)+", "", text))
PY
try 0 energy --json --table bare.yaml without.json
cp out bare.json
check '"textures" not in bare["energy"] and all(later["energy"][k] == v for k, v in bare["energy"].items() if k != "table")' \
	bare.json later.json

# a user's table: joules are counts times prices
cat >mine.yaml <<'YAML'
title: Mine
node: 40
components: {all: {meaning: everything}}
events:
  instruction: {component: all, events: sm.warp_instructions, picojoules: 1000, source: ours}
YAML
try 0 energy --json --table mine.yaml without.json
cp out mine.json
check 'near(mine["energy"]["total"], 1e-9 * without["totals"]["warp_instructions"]) and mine["idle_watts"] == 0' mine.json without.json
try_program 0 run --energy=mine.yaml --stats own.json -- ./program 2
check 'own["totals"]["energy"]["table"].endswith("/mine.yaml") and near(own["totals"]["energy"]["all"], mine["energy"]["all"])' \
	own.json mine.json

# past runs, priced by another table without another run
cat >figure.yaml <<'YAML'
title: Energies
metric: energy.total
columns:
  J:     {machine: gtx480}
  W:     {machine: gtx480, metric: energy.watts}
  delay: {machine: gtx480, metric: energy.delay}
  least: {machine: gtx480, metric: energy.total / energy.seconds - energy.watts}
rows:
  all:  {program: ./program, arguments: [2]}
  one:  {program: ./program, arguments: [2], kernel: stream}
YAML
export SLUICE_EXPERIMENTS="$work"
try_program 0 figure ./figure.yaml -q
grep -q '^all,J,.*' figures/figure.csv || fail "expected a row"
total=$(awk -F, '$1 == "all" && $2 == "J"' figures/figure.csv)
sed 's/^metric: .*/&\nenergy: mine.yaml/; /W:\|delay:\|least:/d' figure.yaml >other.yaml
try 0 figure ./other.yaml -q --no-run
[ "$total" != "$(awk -F, '$1 == "all" && $2 == "J"' figures/other.csv)" ] || fail "expected another energy"
try 0 results --counter energy.watts --counter 'largest(energy.watts)' --counter energy.all
says out "PASS"
try 0 energy --program ./program
says out "pJ/instr."
try 0 energy --json --table mine.yaml
cp out runs.json
check 'near(runs[0]["energy"]["total"], mine["energy"]["total"]) and runs[0]["program"] == "./program"' runs.json mine.json
echo '{"program":"one","variant":"","size":"","seed":7,"arguments":"","machine":"m","options":"","mechanisms":"","library":"l",' \
	'"binary":"b","description":"d","inputs":"","verdict":"FAIL","output":"","revision":"r","finished":"2020-01-02 03:04:05","seconds":1.5,' \
	'"peak":0,"host":"","stats":null}' | tr -d '\n' >failed.jsonl
try 0 results merge failed.jsonl --results failed.db
try 1 energy --results failed.db
says_only err "sluice energy: 1 run has no energy; the reason is printed with each"
sed 's/metric: energy.watts/metric: energy.wats/' figure.yaml >slip.yaml
try 2 figure ./slip.yaml
says err "in column W: no component 'energy.wats'; neither the table of energies nor a mechanism of the column has it"

# mechanisms in this build: built in, and from a shared object that exists or was removed
try_program 0 run --mech teleport:buffer_kb=16 --stats t.json -- ./program
try 0 energy --json --prices t.json
cp out teleport.json
check 'teleport["energy"]["teleport"] > 0' teleport.json
check 'all(near(p["joules"], p["joules_an_event"] * sum(k["counters"]["teleport.demand"] for k in t["kernels"]))
	for p in teleport["prices"] if p["what"] == "lookup of the buffer'"'"'s tags")' teleport.json t.json
try_program 0 run --mech d2ma --stats d.json -- ./program
try 0 energy --json d.json
cp out d2ma.json
check 'near(d2ma["energy"]["d2ma"], 15 * 3.72e-3 * 0.79 * d2ma["energy"]["seconds"])' d2ma.json # Table 3, at 45 nm
cat >own.c <<'C'
#include "seam/mech.h"
struct stats { uint64_t loads; };
static const struct base_counter counters[] = {{"loads", "instructions", BASE_SCOPE_SM, 0, "loads", BASE_COMBINE_SUM}};
static void memory(struct mech_sm *sm, const struct mech_memory *event)
{
	(void)event;
	((struct stats *)sm->stats)->loads++;
}
static uint32_t energies(const void *config, const struct mech_machine *machine, struct mech_energy *energy)
{
	(void)config, (void)machine;
	energy[0] = (struct mech_energy){
		.what = "table", .source = "ours", .node = 40, .events = "loads", .picojoules = 5000};
	energy[1] = (struct mech_energy){.what = "leakage", .source = "ours", .node = 45, .watts = 0.01};
	return 2;
}
static const struct mech own = {.version = MECH_VERSION, .name = "own", .summary = "x", .citation = "x", .counters = counters,
	.counter_count = 1, .stats_size = sizeof(struct stats), .energies = energies, .memory = memory};
MECHANISM(own);
C
${CC:-cc} -shared -fPIC -I"$source_dir/src" own.c -o own.so || fail "own.c does not compile"
try_program 0 run --energy --mech ./own.so --stats o.json -- ./program
try 0 energy --json --mech ./own.so o.json
cp out object.json
check 'object["energy"] == o["totals"]["energy"]' object.json o.json
check 'near(object["energy"]["own"], 5e-9 * o["totals"]["counters"]["own.loads"] + 15 * 0.01 * 0.79 * object["energy"]["seconds"])' \
	object.json o.json
try 1 energy o.json
says_only err "sluice energy: o.json: the mechanism 'own' is not built in: name its shared object"
sed 's/{machine: gtx480}/{machine: gtx480, mechanisms: [.\/own.so], metric: energy.own}/' figure.yaml >with_own.yaml
try_program 0 figure ./with_own.yaml -q
mv own.so gone.so
try 1 energy
says out "cannot load mechanism ./own.so"
mv gone.so own.so
try 0 energy

# errors are reported
try 2 energy --table gtx480-40mm without.json
says err "no table of energies 'gtx480-40mm'; did you mean 'gtx480-40nm'?"
try 2 energy --table none.yaml without.json
says err "cannot read none.yaml"
try 2 energy none.json
says err "cannot read none.json"
try 2 energy mine.yaml
says err "mine.yaml:1:"
try 2 energy --program x without.json
says err "a file of statistics is one run"
try 2 energy --kernels
says err "need a file of statistics"
sed 's/sm.warp_i/sm.warp_ii/' mine.yaml >wrong.yaml
try 2 energy --table wrong.yaml without.json
says err "wrong.yaml:5:"
says err "did you mean 'sm.warp_instructions'?"
try_program 2 run --energy=wrong.yaml -- ./program
says err "did you mean 'sm.warp_instructions'?"
try 126 run --energy ./mine.yaml -- ./program
says err "; write a table of energies after '=': --energy=FILE"
try_program 2 run --energy --functional -- ./program
says err "a functional run has no cycles, and therefore no energy"
try_program 0 run --functional --stats f.json -- ./program
try 1 energy f.json
says err "a functional run has no cycles, and therefore no energy"
sed 's/"compute.major": 2/"compute.major": 7/' without.json >seven.json
try 1 energy seven.json
says err "no table of energies for machines of compute capability 7: name one"
try 0 energy --table gtx480-40nm seven.json

finish
