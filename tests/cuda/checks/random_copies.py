#!/usr/bin/env python3
"""Random kernels under --check: warps pass words to each other by barriers, cp.async, bulk copies and atomics.

A correct kernel must compute the same words as a model, without a finding. A second form of each kernel lacks one wait
or barrier, and must have a finding of a race.

    random_copies.py SLUICE --count 3             # seeds 1 to 3, a file of kernels each
    random_copies.py SLUICE --seed 17 --keep out  # seed 17; leaves its source in the folder out
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import sanitized  # noqa: E402

KERNELS = 4  # per file, each in a correct and a wrong form
WORDS = 1 << 32
WAYS = [["--functional"], [], ["--mech", "tma"], ["-m", "hopper-like"]]
CHECKS = "race,global-race,init,shared-init"

HEAD = r"""
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
typedef uint32_t u32;
#define D static __device__ __forceinline__
D u32 mix(u32 x) { x ^= x >> 15; x *= 0x2c1b3c6du; return x ^ x >> 12; }
D u32 at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
D void expect(uint64_t *bar, u32 bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory"); }
D void wait(uint64_t *bar, u32 parity)
{
	u32 over;
	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(at(bar)), "r"(parity) : "memory");
	while (!over);
}
D void bulk_in(u32 *to, const u32 *from, u32 bytes, uint64_t *bar)
{
	expect(bar, bytes);
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar)) : "memory");
}
D void bulk_within(u32 *to, const u32 *from, u32 bytes, uint64_t *bar)
{
	expect(bar, bytes);
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "r"(at(from)), "r"(bytes), "r"(at(bar)) : "memory");
}
D void group_over() { asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); }
D void bulk_out(u32 *to, const u32 *from, u32 bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
	group_over();
}
D void bulk_add(u32 *to, const u32 *from, u32 bytes)
{
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
	group_over();
}
D void copy(u32 *to, const u32 *from) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory"); }
D void copies_over() { asm volatile("cp.async.wait_all;" ::: "memory"); }
"""
MAIN = r"""
static void run(const char *wanted, const char *name, void (*kernel)(const u32 *, u32 *, u32 *, u32 *), int threads, const u32 *want)
{
	enum { BLOCKS = 2, MOST = 256 };
	static u32 in[MOST], out[BLOCKS * MOST];
	u32 *d_in, *d_room, *d_sum, *d_out;
	if (strcmp(wanted, name) != 0)
		return;
	for (u32 i = 0; i < MOST; i++)
		in[i] = i * 2654435761u;
	cudaMalloc(&d_in, sizeof in);
	cudaMalloc(&d_room, sizeof out);
	cudaMalloc(&d_sum, sizeof in);
	cudaMalloc(&d_out, sizeof out);
	cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
	cudaMemset(d_sum, 0, sizeof in);
	kernel<<<BLOCKS, threads>>>(d_in, d_room, d_sum, d_out);
	cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
	bool same = true;
	for (int i = 0; i < BLOCKS * threads; i++)
		same &= out[i] == want[i];
	puts(same ? "right" : "wrong");
}
"""


def mix(x):
    x ^= x >> 15
    x = x * 0x2C1B3C6D % WORDS
    return x ^ x >> 12


class Kernel:
    """Phases of T threads over two buffers of T words. `r` is a thread's word; the model keeps it by block."""

    def __init__(self, rng):
        self.rng, self.threads = rng, rng.choice([64, 128, 256])
        self.lines, self.cut, self.phase = [], [], 0
        self.r = [[mix(block * 1000 + t) for t in range(self.threads)] for block in range(2)]
        self.source = [i * 2654435761 % WORDS for i in range(256)]
        phases = rng.choices([self.exchange, self.ordered, self.copied, self.brought, self.moved, self.sent, self.added, self.counted],
                             k=rng.randint(3, 6))
        for phase in phases:
            self.buffer = rng.choice("ab")
            phase()

    def say(self, text):
        self.lines.append(text)

    def needed(self, text, without=""):
        """A line without which warps race."""
        self.cut.append((len(self.lines), without))
        self.say(text)

    def read(self, words):
        """All threads read another warp's word. `words`: the buffer, by block. The buffer is free afterwards."""
        step, t = self.rng.choice([32, 33, 37, self.threads // 2]), self.threads
        self.say(f"r = mix(r + {self.buffer}[(tid + {step}) % {t}]);")
        self.say("__syncthreads();")
        self.r = [[mix((self.r[b][i] + words[b][(i + step) % t]) % WORDS) for i in range(t)] for b in range(2)]

    def own(self):
        return [list(block) for block in self.r]

    def piece(self):
        first = 4 * self.rng.randint(0, (256 - self.threads) // 4)
        return first, [self.source[first:first + self.threads]] * 2

    def one(self, text):
        self.say(f"if (tid == {self.rng.choice([0, 5, self.threads - 1])}) {text}")

    def wait_for_copy(self):
        self.needed(f"wait(&bar, {self.phase % 2});", f"if (tid < 32) wait(&bar, {self.phase % 2});")
        self.phase += 1

    def exchange(self):
        self.say(f"{self.buffer}[tid] = r;")
        self.needed("__syncthreads();")
        self.read(self.own())

    def ordered(self):
        """As exchange(), by a named barrier."""
        self.say(f"{self.buffer}[tid] = r;")
        self.needed('asm volatile("bar.sync 1;" ::: "memory");')
        self.read(self.own())

    def copied(self):
        first, words = self.piece()
        self.say(f"copy(&{self.buffer}[tid], &in[{first} + tid]);")
        self.say("copies_over();")
        self.needed("__syncthreads();")
        self.read(words)

    def brought(self):
        first, words = self.piece()
        self.say(f"if (tid == 0) bulk_in({self.buffer}, in + {first}, {4 * self.threads}, &bar);")
        self.wait_for_copy()
        self.read(words)

    def moved(self):
        source = "b" if self.buffer == "a" else "a"
        self.say(f"{source}[tid] = r;")
        self.needed("__syncthreads();")
        self.say(f"if (tid == 0) bulk_within({self.buffer}, {source}, {4 * self.threads}, &bar);")
        self.say(f"wait(&bar, {self.phase % 2});")
        self.phase += 1
        self.read(self.own())

    def sent(self):
        words, t = self.own(), self.threads
        self.say(f"{self.buffer}[tid] = r;")
        self.needed("__syncthreads();")
        self.one(f"bulk_out(room, {self.buffer}, {4 * t});")
        self.needed("__syncthreads();")
        self.say(f"r = mix(r ^ room[(tid + 32) % {t}]);")
        self.say("__syncthreads();")
        self.r = [[mix(self.r[b][i] ^ words[b][(i + 32) % t]) for i in range(t)] for b in range(2)]

    def added(self):
        """Both blocks add; nobody reads the sums."""
        self.say(f"{self.buffer}[tid] = r;")
        self.needed("__syncthreads();")
        self.one(f"bulk_add(sum, {self.buffer}, {4 * self.threads});")
        self.say("__syncthreads();")

    def counted(self):
        slots = self.rng.choice([1, 3, 31])
        self.say(f"{self.buffer}[tid] = 0;")
        self.needed("__syncthreads();")
        self.say(f"atomicAdd(&{self.buffer}[r % {slots}], r);")
        self.say("__syncthreads();")
        counts = [[0] * self.threads for _ in range(2)]
        for b in range(2):
            for r in self.r[b]:
                counts[b][r % slots] = (counts[b][r % slots] + r) % WORDS
        self.say(f"r = mix(r + {self.buffer}[tid % {slots}]);")
        self.say("__syncthreads();")
        self.r = [[mix((self.r[b][i] + counts[b][i % slots]) % WORDS) for i in range(self.threads)] for b in range(2)]

    def text(self, name, wrong):
        lines = list(self.lines)
        if wrong:
            place, instead = self.rng.choice(self.cut)
            lines[place] = instead
        body = "\n\t".join(lines)
        return f"""
__global__ void {name}(const u32 *in, u32 *all, u32 *sum, u32 *out)
{{
	__shared__ alignas(16) u32 a[{self.threads}], b[{self.threads}];
	__shared__ uint64_t bar;
	u32 tid = threadIdx.x, r = mix(blockIdx.x * 1000 + tid), *room = all + blockIdx.x * 256;
	if (tid == 0)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&bar)) : "memory");
	__syncthreads();
	{body}
	out[blockIdx.x * {self.threads} + tid] = r;
}}
"""


def source_of(seed):
    rng = random.Random(seed)
    text, calls = HEAD, ""
    for k in range(KERNELS):
        kernel = Kernel(rng)
        words = ", ".join(f"{word}u" for block in kernel.r for word in block)
        text += f"static const u32 want{k}[] = {{{words}}};\n"
        for name, wrong in (f"right{k}", False), (f"wrong{k}", True):
            text += kernel.text(name, wrong)
            calls += f'\trun(argv[1], "{name}", {name}, {kernel.threads}, want{k});\n'
    return text + MAIN + f"\nint main(int, char **argv)\n{{\n{calls}\treturn 0;\n}}\n"


def problem(command, name):
    done = subprocess.run([*command, name], capture_output=True, text=True, timeout=300)
    said = [line for line in done.stderr.splitlines() if line.startswith("sluice: kernel ")]
    if name.startswith("right"):
        return None if done.stdout == "right\n" and done.returncode == 0 and not said else "told, or wrong words"
    return None if done.returncode == 1 and any("race on " in line for line in said) else "no race is told"


def run_seed(sluice, seed, folder):
    path, program = Path(folder) / f"copies{seed}.cu", Path(folder) / f"copies{seed}"
    path.write_text(source_of(seed))
    subprocess.run([sluice, "cc", "-O1", "-w", "-arch=sm_90", path, "-o", program], check=True)
    fine = True
    for way in WAYS:
        command = [sluice, "run", *way, "--stats", os.devnull, "--check", CHECKS, "--", *sanitized.preload(sluice), program]
        for name in [f"{kind}{k}" for k in range(KERNELS) for kind in ("right", "wrong")]:
            found = problem(command, name)
            if found:
                print(f"seed {seed}, {name} {' '.join(way)}: {found}")
                fine = False
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sluice")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--keep", help="a folder for the sources")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.keep:
            os.makedirs(given.keep, exist_ok=True)
        fine = [run_seed(given.sluice, seed, given.keep or folder) for seed in range(given.seed, given.seed + given.count)]
    sys.exit(not all(fine))


if __name__ == "__main__":
    main()
