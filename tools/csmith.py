#!/usr/bin/env python3
"""Runs random C programs on the simulator and natively. csmith (a Debian package) generates them; clang and `sluice cc`
compile the same text. All variables must have equal values at the end.

A program becomes a struct whose members are its variables and functions. So each thread of a block has its own copy and
starts with different values. With --global the variables are device variables, and one thread runs the program.

    tools/csmith.py --build build --count 50             # seeds 1 to 50, functional
    tools/csmith.py --build build --count 2000 --cycle   # with timing
    tools/csmith.py --build build --seed 17 --keep out   # a single program, keeps its source in `out`
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import sanitized

LANES = 64
BATCH = 5  # programs per source file: compiling the headers takes as long as these
# No packed structs: pointers to their members may be misaligned, which faults on a GPU.
SIZES = ["--no-packed-struct", "--max-funcs", "4", "--max-block-size", "3", "--max-expr-complexity", "6", "--max-array-dim", "2"]
NATIVE_SECONDS, SIMULATED_SECONDS = 2, 300

# Keeps endless loops: C++ allows a compiler to remove them, and then the native program would end differently.
FLAGS = ["-std=gnu++17", "-w", "-Wno-c++11-narrowing", "-fno-finite-loops"]

HEAD = r"""
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifdef __CUDACC__
#pragma clang force_cuda_host_device begin
#define ON_DEVICE __device__
#else
#define ON_DEVICE
#endif
#define STATIC static inline
#define FUNC_NAME(name) safe_##name
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#include <csmith/safe_math.h>
struct Hash {
	uint64_t hash = 1469598103934665603u;
	int crc32_context = 0;
	void add(uint64_t value) { hash = (hash ^ value) * 1099511628211u; }
	void transparent_crc(uint64_t value, const char *, int) { add(value); }
	void transparent_crc_bytes(const void *at, int bytes, const char *, int)
	{
		for (int i = 0; i < bytes; i++)
			add(((const unsigned char *)at)[i]);
	}
	void platform_main_begin() {}
	void crc32_gentab() {}
	void platform_main_end(uint64_t, int) {}
};
#ifdef __CUDACC__
#pragma clang force_cuda_host_device end
#endif
"""

# A program whose variables are members: one copy per thread.
MEMBERS = """
#ifdef __CUDACC__
#pragma clang force_cuda_host_device begin
#endif
struct Program_{seed} : Hash {{
{body}
	void vary(uint32_t thread)
	{{
{vary}
	}}
}};
#ifdef __CUDACC__
#pragma clang force_cuda_host_device end
__global__ void run_{seed}(uint64_t *result)
{{
	Program_{seed} program;
	program.vary(threadIdx.x);
	program.run();
	result[threadIdx.x] = program.hash;
}}
#else
static void run_{seed}(uint64_t *result)
{{
	for (int thread = 0; thread < LANES; thread++) {{
		Program_{seed} program;
		program.vary(thread);
		program.run();
		result[thread] = program.hash;
	}}
}}
#endif
"""

# A program with device variables: run by one thread.
GLOBAL = """
#ifdef __CUDACC__
#pragma clang force_cuda_host_device begin
#endif
namespace program_{seed} {{
static ON_DEVICE Hash all;
#define transparent_crc all.transparent_crc
#define transparent_crc_bytes all.transparent_crc_bytes
#define platform_main_begin()
#define crc32_gentab()
#define platform_main_end(value, flag)
{body}
#undef transparent_crc
#undef transparent_crc_bytes
#undef platform_main_begin
#undef crc32_gentab
#undef platform_main_end
}}
#ifdef __CUDACC__
#pragma clang force_cuda_host_device end
__global__ void run_{seed}(uint64_t *result)
{{
	program_{seed}::run();
	result[0] = program_{seed}::all.hash;
}}
#else
static void run_{seed}(uint64_t *result)
{{
	program_{seed}::run();
	result[0] = program_{seed}::all.hash;
}}
#endif
"""

TAIL = """
#ifdef __CUDACC__
#define RUN(seed)                                                                                  \\
	run_##seed<<<1, LANES>>>(device);                                                              \\
	if (cudaMemcpy(result, device, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)          \\
		return 1;
#else
#define RUN(seed) run_##seed(result);
#endif
int main()
{
	static uint64_t result[LANES];
#ifdef __CUDACC__
	uint64_t *device;
	if (cudaMalloc(&device, sizeof result) != cudaSuccess)
		return 1;
#endif
%s
	return 0;
}
"""
ONE = """	RUN({seed})
	printf("{seed}");
	for (int i = 0; i < LANES; i++)
		printf(" %llx", (unsigned long long)result[i]);
	printf("\\n");
"""

SCALAR = re.compile(r"^static u?int(?:8|16|32|64)_t (g_\d+) = ", re.M)


def generate(seed, folder):
    command = ["csmith", "--lang-cpp", "--cpp11", "--no-argc", "--concise", "--seed", str(seed), *SIZES]
    text = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout
    text = text.replace('#include "csmith.h"', "").replace("int main (void)", "static int run(void)")
    text = re.sub(r"^\s*if \(print_hash_value\) printf\(.*?\);$", "", text, flags=re.M)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def as_members(seed, text):
    """Turns variables into members with their initial values. Drops function declarations, which would declare members
    twice."""
    text_of_members = re.sub(r"^static [^={]*\bfunc_\d+\([^{]*?\);$", "", text, flags=re.M)
    vary = "\n".join(f"\t\t{name} ^= thread;" for name in SCALAR.findall(text)[:3])
    body = re.sub(r"^static ", "", text_of_members, flags=re.M)
    return MEMBERS.format(seed=seed, body=body, vary=vary)


def as_globals(seed, text):
    body = re.sub(r"^static (?=[^(]*=)", "static ON_DEVICE ", text, flags=re.M)
    return GLOBAL.format(seed=seed, body=body)


def write(folder, seeds, is_global):
    form = as_globals if is_global else as_members
    parts = [f"#define LANES {1 if is_global else LANES}\n", HEAD]
    parts += [form(seed, generate(seed, folder)) for seed in seeds]
    parts.append(TAIL % "".join(ONE.format(seed=seed) for seed in seeds))
    source = Path(folder) / f"csmith_{seeds[0]}.cu"
    source.write_text("".join(parts))
    return source


def run(command, seconds):
    """Returns the output, or None after a timeout."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else f"status {done.returncode}: {done.stderr[-2000:]}"


class CompilerFailed(Exception):
    """True when clang itself fails: it does not support all initial values of device variables."""


class Batch:
    """Runs several programs from one source file, natively and simulated."""

    def __init__(self, options, seeds):
        self.options, self.seeds = options, seeds

    def compile(self, source):
        sluice = Path(self.options.build) / "bin/sluice"
        native, simulated = source.with_suffix(".native"), source.with_suffix("")
        for command in (["clang++-14", *FLAGS, "-O1", "-x", "c++", source, "-o", native],
                        [sluice, "cc", *FLAGS, "-O2", source, "-o", simulated]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if "error in backend" in done.stderr or "failed due to signal" in done.stderr:
                raise CompilerFailed
            if done.returncode:
                raise RuntimeError(f"{command[0]}: {done.stderr[-3000:]}")
        mode = [] if self.options.cycle else ["--functional"]
        return [native], [sluice, "run", "--no-progress", "--stats", os.devnull, *mode, "--",
                          *sanitized.preload(sluice), simulated]

    def outcome(self, folder):
        try:
            native, simulated = self.compile(write(folder, self.seeds, self.options.is_global))
        except CompilerFailed:
            return "crashed", ""
        expected = run(native, NATIVE_SECONDS)
        if expected is None:
            return "endless", ""
        found = run(simulated, SIMULATED_SECONDS)
        return ("same", "") if found == expected else ("different", self.explain(expected, found))

    def explain(self, expected, found):
        if found is None:
            return f"seeds {self.seeds}: more than {SIMULATED_SECONDS} s"
        for where, text in (("natively", expected), ("simulated", found)):
            if text.startswith("status"):
                return f"seeds {self.seeds}, {where}: {text}"
        return f"seeds {[line.split()[0] for line in expected.splitlines() if line not in found.splitlines()]}"


def check(options, seeds):
    """Runs a batch; if part of it cannot be compared, runs its programs one by one."""
    with tempfile.TemporaryDirectory() as folder:
        outcome, why = Batch(options, seeds).outcome(options.keep or folder)
    if outcome not in ("endless", "crashed") or len(seeds) == 1:
        return [(outcome, len(seeds), why)]
    return [row for seed in seeds for row in check(options, [seed])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycle", action="store_true", help="simulate in cycles")
    parser.add_argument("--global", dest="is_global", action="store_true", help="use device variables and one thread")
    parser.add_argument("--keep", help="folder for the sources")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.count)
    batches = [list(seeds[i:i + BATCH]) for i in range(0, len(seeds), BATCH)]
    count = {"same": 0, "different": 0, "endless": 0, "crashed": 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for rows in pool.map(lambda batch: check(options, batch), batches):
            for outcome, programs, why in rows:
                count[outcome] += programs
                if why:
                    print(why)
    print(f"{len(seeds)} programs: {count['same']} the same, {count['different']} in batches that differ, "
          f"{count['endless']} that do not end natively, {count['crashed']} that crash the compiler")
    return 1 if count["different"] or not count["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
