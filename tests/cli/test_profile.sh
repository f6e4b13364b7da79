#!/bin/sh
# Protects profiles (--profile). Each figure, summed over all instructions, equals the kernel's statistics: for the
# machine, with mechanisms, and in a cut run. Conflicts, transactions, divergence, latency and dependencies are
# attributed to the instructions that cause them. Nothing depends on threads or sleep, and profiling changes no figure.
# Also tests the output of `sluice profile` and `sluice annotate --profile`.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1

cat >program.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__constant__ int offset[64];
texture<float, 1> image;
__device__ __noinline__ float twice(float x) { return x * offset[threadIdx.x % 8] + 1; }
__global__ void mixed(const float *in, float *out, unsigned *count, int n)
{
	__shared__ float tile[32 * 64];
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += in[(blockIdx.x * n + i) * blockDim.x + threadIdx.x]; // loads
	tile[threadIdx.x * 2] = sum; // two-way
	__syncthreads();
	sum += tile[(threadIdx.x * 32 + 1) % 2048]; // many-way
	if (threadIdx.x & 1) // parts
		sum += twice(sum);
	sum += tex1Dfetch(image, threadIdx.x);
	atomicAdd(count + (threadIdx.x & 3), 1); // adds
	out[(blockIdx.x * blockDim.x + threadIdx.x) * 32] = sum; // apart
}
template <typename A, typename B> __global__ void named(A *a, B b) { a[threadIdx.x] = b; }
int main(int argc, char **argv)
{
	float *in, *out;
	unsigned *count;
	int ones[64];
	for (int &one : ones)
		one = 1;
	cudaMalloc(&in, 4 << 20), cudaMalloc(&out, 1 << 20), cudaMalloc(&count, 64);
	cudaMemset(in, 0, 4 << 20), cudaMemset(count, 0, 64);
	cudaMemcpyToSymbol(offset, ones, sizeof ones);
	cudaBindTexture(NULL, image, in, 4096);
	for (int i = 0; i < atoi(argv[1]); i++) {
		mixed<<<30, 64>>>(in, out, count, 10);
		named<float, int><<<1, 32>>>(out, 1);
	}
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
try 0 cc -Wno-deprecated-declarations program.cu -o program

# check PROFILE STATS: the profile adds up to the statistics.
check() {
	python3 "$source_dir/tests/cli/adds_up.py" "$@" >out 2>err || fail "$1 differs from $2"
}

try_program 0 run --stats without.json -- ./program 2
try_program 0 run --stats with.json --profile with.profile -- ./program 2
check with.profile with.json
for file in without with; do
	sed 's/"host_seconds": [^,]*,//' $file.json >$file.figures
done
cmp without.figures with.figures || fail "a profile changes figures"

# Costs are at the expected lines: 30 blocks of 2 warps, launched twice.
python3 - >out 2>err <<'PY' || fail "costs are not at the expected lines"
import json
kernel = json.load(open("with.profile"))["kernels"][0]
lines = open("program.cu").read().split("\n")
def at(comment, text):
    line = next(i for i, one in enumerate(lines, 1) if one.endswith("// " + comment))
    return [inst for inst in kernel["instructions"] if inst.get("line") == line and inst["text"].find(text) >= 0]
WARPS = 120
def only(comment, text):
    found = at(comment, text)
    assert len(found) == 1 and found[0]["file"].endswith("program.cu"), (comment, text, found)
    return found[0]
assert only("two-way", "st.shared")["bank_cycles"] == 2 * WARPS
assert only("many-way", "ld.shared")["bank_cycles"] == 32 * WARPS
assert only("apart", "st.global")["transactions"] == 32 * WARPS
loads = at("loads", "ld.global")
assert sum(inst["issues"] for inst in loads) == 10 * WARPS == sum(inst["transactions"] for inst in loads)
assert sum(inst["answers"] for inst in loads) == 10 * WARPS
for inst in loads:
    assert inst["latency_mean"] > 100 and inst["latency_p95"] >= 0.9 * inst["latency_mean"], inst
    assert inst["l2_accesses"] >= inst["issues"] and inst["dram_bytes"] > 0, inst
add = [inst for inst in at("loads", "add") if inst["text"].find(".f32") > 0]
waiters = {waiter["index"]: waiter["slots"] for inst in loads for waiter in inst["waited_for_by"]}
assert set(waiters) <= {inst["index"] for inst in kernel["instructions"]} and set(waiters) & {inst["index"] for inst in add}, waiters
waits = sum(sum(inst["waits"].get(level, 0) for level in ("l1", "l2", "dram")) for inst in add)
assert 0 < sum(waiters[inst["index"]] for inst in add if inst["index"] in waiters) <= waits
parted = [inst for inst in kernel["instructions"] if inst.get("diverged")]
assert [inst["diverged"] for inst in parted] == [WARPS], parted
inside = [inst for inst in kernel["instructions"] if "twice" in inst.get("function", "")]
assert inside and all(inst["lanes"] == 16 * inst["issues"] for inst in inside if "issues" in inst)
constant = [inst for inst in inside if inst["text"].startswith("ld.const")]
assert len(constant) == 1 and constant[0]["transactions"] == constant[0]["issues"], constant
assert any(inst["text"].startswith("tex") and inst["answers"] == WARPS for inst in kernel["instructions"])
assert sum(inst["answers"] for inst in at("adds", "atom") + at("adds", "red")) == WARPS
PY

for setting in "-o launch.sleep=false" "--threads 2" "--threads 4"; do
	# shellcheck disable=SC2086 # words
	try_program 0 run --profile other.profile $setting -- ./program 2
	sed 's/"options":\[[^]]*\]//' other.profile >other.figures
	sed 's/"options":\[[^]]*\]//' with.profile | cmp - other.figures || fail "profiles depend on $setting"
done

for how in "-m gtx480-v4" "-m gtx480-v4 --mech mthwp" "--mech caps" "--mech d2ma --mech teleport"; do
	# shellcheck disable=SC2086 # words
	try_program 0 run --stats some.json --profile some.profile $how -- ./program 2
	check some.profile some.json -
done

# A run that is cut; a killed run leaves only complete records; host threads do no harm.
try_program 124 run --max-instructions 50000 --stats cut.json --profile cut.profile -- ./program 1
check cut.profile cut.json
mkdir elsewhere
(cd elsewhere && LD_PRELOAD=$preload exec "$sluice" run --profile killed.profile -- ../program 100000 >../out 2>../err) &
child=$!
for _ in $(seq 300); do
	grep -q '"launches"' elsewhere/killed.profile 2>/dev/null && break
	sleep 0.1
done
kill -9 $child
wait $child 2>/dev/null
python3 -c 'import json; assert json.load(open("elsewhere/killed.profile"))["kernels"]' || fail "the files of a killed run are incomplete"

# Output forms: by line, by instruction, next to the source, as a page, for KCachegrind, and the differences of two
# profiles.
try 0 profile show with.profile
says out "program.cu:11"
try 0 profile show with.profile --by instruction --kernel named --top 3
says out "st.global"
[ "$(wc -l <out)" -le 5 ] || fail "more than the three requested"
try 0 annotate --profile with.profile program.cu
grep -q '%.*| *11 .*sum += in' out || fail "the line of the loads has no costs"
[ "$(grep -c '|' out)" = $(($(wc -l <program.cu) + 1)) ] || fail "expected each line of the source once"
try 0 annotate --profile with.profile --html program.cu
grep -q 'tex1Dfetch(image' out && grep -q '__constant__' out && ! grep -q 'a, B b' out || grep -q '&lt;typename A' out || fail "the page's source is not escaped"
try 0 profile callgrind with.profile -o callgrind.out
if command -v callgrind_annotate >/dev/null; then
	callgrind_annotate --show=Slots --sort=Slots callgrind.out >annotated 2>err || fail "callgrind_annotate rejects the file"
	slots=$(python3 -c '
import json
print(sum(i.get("issues", 0) + sum(i.get("waits", {}).values()) for k in json.load(open("with.profile"))["kernels"] for i in k["instructions"]))')
	tr -d , <annotated | grep -q "^ *$slots .*PROGRAM TOTALS" || fail "the total is not $slots"
fi
try_program 0 run -o l1d.sets=1 --profile small.profile -- ./program 2
try 0 profile diff with.profile small.profile
says out "more cycles than with.profile"
says out "program.cu:"
try 0 profile diff with.profile with.profile
says out "Both take"
[ "$(wc -l <out)" -le 4 ] || fail "a profile differs from itself"
# A copied source has another name. If one source has become two, neither is the old one.
sed 's/program\.cu/copy.cu/g' with.profile >copy.profile
try 0 profile diff with.profile copy.profile
[ "$(wc -l <out)" -le 4 ] || fail "a profile differs from that of a copied source"
python3 - <<'PY'
import json
profile = json.load(open("copy.profile"))
files = [i for kernel in profile["kernels"] for i in kernel["instructions"] if i.get("file")]
files[0]["file"] = "part.cu"
json.dump(profile, open("parts.profile", "w"))
PY
try 0 profile diff with.profile parts.profile
for file in program.cu copy.cu part.cu; do
	says out "$file:"
done

# A full disk leaves the last whole profile: the one without kernels, which the run's begin wrote.
cp small.profile old.profile
try_full_disk 1 1 run --profile old.profile -- ./program 1
says err "old.profile: File too large"
python3 -c 'import json; assert json.load(open("old.profile"))["kernels"] == []' || fail "expected a whole profile"
[ "$(ls old.profile*)" = old.profile ] || fail "a temporary file remains"

try 2 run --functional --profile p -- ./program 1
says_only err "sluice run: profile: a functional run has no cycles"
try 2 run --profile /nowhere/p -- ./program 1
says_only err "sluice run: cannot write /nowhere/p: No such file or directory"
try 2 run --profile /dev/null -- ./program 1
says_only err "sluice run: profile: /dev/null is not an ordinary file"
try 1 profile show nowhere
says_only err "sluice profile: cannot read nowhere: No such file or directory"
try 1 profile show with.json
says_only err "sluice profile: with.json is not a profile; 'sluice run --profile FILE -- PROGRAM' makes one"
head -c 3000 with.profile >half
try 1 profile diff with.profile half
says err "half:1:"
try 1 profile show --kernel other with.profile
says err "with.profile has no kernel 'other'; its first is 'mixed(float const*, float*, unsigned int*, int)'"
try 1 annotate --profile with.profile other.cu
says err "with.profile has no line of other.cu"
try 2 profile show
says err "show takes one file"
try 2 profile shw with.profile
says err "did you mean 'show'"
try 1 profile callgrind with.profile -o /nowhere/x
says_only err "sluice profile: cannot write /nowhere/x: No such file or directory"

finish
