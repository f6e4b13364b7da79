#!/bin/sh
# Protects GPGPU-Sim's text format (--stats-format gpgpusim) for scraping scripts. Every field that Accel-Sim's
# collectors look for is found once per kernel, with the number in the same run's JSON. The kernels have local,
# constant, texture and instruction traffic in addition to global traffic.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

cat >program.cu <<'CU'
#include <cstdio>
__constant__ float scale[64];
texture<float, 1> image;
__global__ void reads(const float *in, float *out, int n)
{
	volatile float kept[24]; // local memory
	float sum = 0;
	for (int i = 0; i < 24; i++)
		kept[i * threadIdx.x % 24] = i;
	for (int i = 0; i < n; i++)
		sum += in[(blockIdx.x * n + i) % 64 * blockDim.x + threadIdx.x] * scale[i % 64] + tex1Dfetch(image, i + threadIdx.x);
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum + kept[threadIdx.x % 24];
}
__global__ void counts(const float *in, unsigned *count, float *out)
{
	int here = (int)in[threadIdx.x]; // 0: what follows finds the line
	out[threadIdx.x * 32] = in[threadIdx.x + here];
	atomicAdd(count + threadIdx.x % 64, 1);
}
int main()
{
	float *in, *out;
	unsigned *count;
	cudaMalloc(&in, 1 << 20), cudaMalloc(&out, 1 << 20), cudaMalloc(&count, 256);
	cudaMemset(in, 0, 1 << 20), cudaMemset(count, 0, 256);
	cudaBindTexture(nullptr, image, in, 1 << 20);
	reads<<<30, 128>>>(in, out, 40);
	counts<<<8, 256>>>(in, count, out);
	reads<<<9, 64>>>(in, out, 20);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc program.cu -o program

cat >check.py <<'PY'
import json, re, sys

run, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
NUMBER = r"([-+.\dena]+)"
whole = {  # sums since the program's start: the spelling, and the value of one kernel
    "gpu_tot_sim_insn": lambda k, c: k["thread_instructions"],
    "gpu_tot_sim_cycle": lambda k, c: k["cycles"],
    "gpu_tot_issued_cta": lambda k, c: c["sm.blocks"],
    "gpgpu_n_tot_thrd_icount": lambda k, c: k["thread_instructions"],
    "gpgpu_n_tot_w_icount": lambda k, c: k["warp_instructions"],
    "gpgpu_n_load_insn": lambda k, c: c["sm.load_lanes"],
    "gpgpu_n_store_insn": lambda k, c: c["sm.store_lanes"],
    "gpgpu_n_shmem_insn": lambda k, c: c["sm.shared_lanes"],
    "total dram reads": lambda k, c: c["dram.reads"],
    "total dram writes": lambda k, c: c["dram.writes"],
    "L2_total_cache_accesses": lambda k, c: c["l2.accesses"],
}
for name, group in (("Total_core", "l1d"), ("L2", "l2")):
    for letter, kind in (("R", "read"), ("W", "write")):
        line = rf"\s+{name}_cache_stats_breakdown\[GLOBAL_ACC_{letter}\]"
        whole[line + r"\[HIT\]"] = lambda k, c, at=f"{group}.global_{kind}_hits": c[at]
        whole[line + r"\[TOTAL_ACCESS\]"] = lambda k, c, at=f"{group}.global_{kind}s": c[at]
for cache in ("L1I", "L1D", "L1C", "L1T"):
    whole[rf"\s{cache}_total_cache_accesses"] = lambda k, c, at=cache.lower() + ".accesses": c[at]
clock = run["configuration"]["clock.core"]
alone = {  # of one kernel
    r"kernel_launch_uid\s*=\s*(.*)": lambda k, c: k["launch"],
    r"gpu_sim_cycle\s*=\s*(.*)": lambda k, c: k["cycles"],
    r"gpu_sim_insn\s*=\s*(.*)": lambda k, c: k["thread_instructions"],
    r"gpu_ipc\s*=\s*(.*)": lambda k, c: k["ipc"],
    r"gpu_occupancy\s*=\s*(.*)%": lambda k, c: 100 * c["sm.resident_warp_cycles"] / c["sm.active_cycles"]
                                               / run["configuration"]["sm.warps"],
    r"L2_BW\s*=\s*(.*)GB/Sec": lambda k, c: 32e-3 * c["reply_network.packets"] / (k["cycles"] / clock),
}


def found(pattern):
    """What a collector reads, line by line; a number for each kernel."""
    matches = (re.search(pattern, line) for line in text.splitlines())
    return [float(match.group(1)) for match in matches if match]


def check(pattern, wanted):
    got = found(pattern)
    same = len(got) == len(wanted) and all(abs(a - b) < 5.1e-5 + 1e-9 * abs(b) for a, b in zip(got, wanted))
    assert same, f"{pattern} finds {got}, not {wanted}"


kernels = run["kernels"]
assert len(kernels) == 3
for pattern, value in alone.items():
    check(pattern, [value(kernel, kernel["counters"]) for kernel in kernels])
for spelling, value in whole.items():
    each = [value(kernel, kernel["counters"]) for kernel in kernels]
    check(spelling + r"\s*=\s*(.*)", [sum(each[:i + 1]) for i in range(len(each))])
cycles = [sum(k["cycles"] for k in kernels[:i + 1]) for i in range(3)]
check(r"gpu_tot_ipc\s*=\s*(.*)", [sum(k["thread_instructions"] for k in kernels[:i + 1]) / cycles[i] for i in range(3)])
assert re.findall(r"(?m)^kernel_name\s+=\s+(.*)", text) == [kernel["name"] for kernel in kernels]
for pattern in (r"gpgpu_simulation_time\s*=.*\(([0-9]+) sec\).*", r"gpgpu_simulation_rate\s+=\s+(.*)\s+\(inst/sec\)"):
    assert len(found(pattern)) == 3 and min(found(pattern)) >= 0, pattern
assert text.endswith("GPGPU-Sim: *** exit detected ***\n")

# Global accesses are neither all nor none: local memory uses L1D too, and code, constants and textures use L2 too.
sums = {name: sum(kernel["counters"][name] for kernel in kernels) for name in kernels[0]["counters"]}
assert 0 < sums["l2.global_reads"] < sums["l2.read_accesses"]
assert 0 < sums["l1d.global_reads"] < sums["l1d.read_accesses"] and 0 < sums["l1d.global_writes"] < sums["l1d.write_accesses"]
assert 0 < sums["l1d.global_read_hits"] <= sums["l1d.hits"]
assert sums["l1c.global_reads"] == sums["l1t.global_reads"] == 0
# All atomics execute at L2: for each warp, two sectors of 32 threads' counters.
assert kernels[1]["counters"]["sm.atomics"] == 64 <= kernels[1]["counters"]["l2.global_reads"]
PY
for machine in gtx480 gtx480-v4; do
	try_program 0 run -m "$machine" --stats "$machine.json" -- ./program
	try_program 0 run -m "$machine" --stats-format gpgpusim --stats "$machine.txt" -- ./program
	python3 check.py "$machine.json" "$machine.txt" >out 2>err || fail "the text of $machine is not what its JSON says"
done
# A cut run says so in GPGPU-Sim's words, and does not claim to have finished.
try_program 124 run --max-instructions 100000 --stats-format gpgpusim --stats cut.txt -- ./program
grep -qx 'GPGPU-Sim: \*\* break due to reaching the maximum cycles (or instructions) \*\*' cut.txt || fail "expected the line of a break"
! grep -q 'exit detected' cut.txt || fail "expected no line of an end"

# A run on a GPGPU-Sim configuration names the options that it ignores and that can change cycles, once.
sed '$a-dram_seperate_write_queue_enable 1' "$source_dir/tests/data/gpgpusim/sub_cores.config" >queue.config
try_program 0 run -m queue.config --stats queue.txt -- ./program
[ "$(grep -c "queue.config: ignored options that can change cycles: -dram_seperate_write_queue_enable 1$" err)" = 1 ] ||
	fail "expected the ignored option once"
try_program 0 run -m "$source_dir/tests/data/gpgpusim/sub_cores.config" --stats queue.txt -- ./program
! grep -q "ignored options" err || fail "expected no ignored option"
finish
