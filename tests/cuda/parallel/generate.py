#!/usr/bin/env python3
"""Compares random data-parallel kernels with a sequential program.

They have divergence, calls, loops, 64-bit integers, double, local arrays, barriers, shared memory and atomics. They
also have votes and shuffles under masks that split a warp.

    generate.py SLUICE --count 40             # seeds 1 to 40, functional and with timing
    generate.py SLUICE --seed 17 --keep out   # one seed; its sources stay in the folder
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

HERE = Path(__file__).resolve().parent
BATCH = 5  # kernels per source file
FLAGS = ["-std=gnu++17", "-w", "-ffp-contract=off", f"-I{HERE}"]

TYPES = {"i": "int32_t", "u": "uint32_t", "l": "int64_t", "q": "uint64_t", "f": "float", "d": "double"}
WHOLE, REAL = "iulq", "fd"
CALLS = 3  # functions per kernel


class Expressions:
    """Generates expressions of a thread's variables, by type; `extra` names further variables in scope."""

    def __init__(self, rng):
        self.rng, self.extra, self.calls = rng, {kind: [] for kind in TYPES}, []

    def constant(self, kind):
        if kind in REAL:
            return f"{self.rng.choice([0.5, -3.25, 1e-3, 7.0, 1e6])}{'f' if kind == 'f' else ''}"
        bits = 64 if kind in "lq" else 32
        value = self.rng.choice([0, 1, 2, 31, 0xFF, 1 << (bits - 1), (1 << bits) - 1, self.rng.getrandbits(bits)])
        return f"({TYPES[kind]}){value}ull"

    def leaf(self, kind):
        variables = [f"t.{kind}[{n}]" for n in (0, 1)] + self.extra[kind]
        return self.rng.choice(variables) if self.rng.random() < 0.75 else self.constant(kind)

    def read(self, kind):
        at = f"[{self.of('u', 1)} % TABLE]"
        table = {"d": "doubles", "f": "doubles"}.get(kind) or self.rng.choice(["bytes", "shorts", "words"])
        return f"({TYPES[kind]})in.{table}{at}"

    def converted(self, kind, depth):
        other = self.rng.choice([k for k in TYPES if k != kind])
        inner = self.of(other, depth - 1)
        if kind in WHOLE and other in REAL:
            return f"whole<{TYPES[kind]}>({inner})"
        return f"({TYPES[kind]})({inner})"

    def operation(self, kind, depth):
        a, b = self.of(kind, depth - 1), self.of(kind, depth - 1)
        if kind in REAL:
            return f"({a} {self.rng.choice('+-*/')} {b})"
        form = self.rng.choice(["add", "subtract", "multiply", "divide", "remainder_of", "&", "|", "^", "left", "right"])
        if form in ("left", "right"):
            return f"shift_{form}<{TYPES[kind]}>({a}, {self.of('u', depth - 1)})"
        return f"({a} {form} {b})" if form in "&|^" else f"{form}<{TYPES[kind]}>({a}, {b})"

    def call(self, kind, depth):
        fitting = [c for c in self.calls if c[0] == kind]
        if not fitting:
            return self.operation(kind, depth)
        _, name, parameters = self.rng.choice(fitting)
        return f"{name}({', '.join(self.of(p, depth - 1) for p in parameters)})"

    def of(self, kind, depth):
        if depth <= 0:
            return self.leaf(kind)
        form = self.rng.choices(["operation", "leaf", "convert", "read", "choose", "call"], [6, 2, 2, 1, 1, 1])[0]
        if form == "choose":
            return f"({self.condition(depth - 1)} ? {self.of(kind, depth - 1)} : {self.of(kind, depth - 1)})"
        make = {"operation": self.operation, "convert": self.converted, "call": self.call}
        return make[form](kind, depth) if form in make else self.read(kind) if form == "read" else self.leaf(kind)

    def condition(self, depth):
        kind = self.rng.choice("iulqfd")
        return f"{self.of(kind, depth)} {self.rng.choice(['<', '>', '<=', '!=', '=='])} {self.of(kind, depth)}"


class Statements:
    """A thread's own work: structured code with early exits."""

    def __init__(self, rng, expressions):
        self.rng, self.e, self.loops, self.names = rng, expressions, 0, 0

    def name(self):
        self.names += 1
        return f"n{self.names}"

    def assign(self, pad):
        kind = self.rng.choice(list(TYPES))
        return [f"{pad}t.{kind}[{self.rng.randrange(2)}] = {self.e.of(kind, 2)};"]

    def branch(self, pad, depth):
        text = [f"{pad}if ({self.e.condition(1)}) {{", *self.block(pad + "\t", depth - 1)]
        if self.rng.random() < 0.6:
            text += [f"{pad}}} else {{", *self.block(pad + "\t", depth - 1)]
        return text + [f"{pad}}}"]

    def loop(self, pad, depth):
        name = self.name()
        self.loops += 1
        self.e.extra["u"].append(name)
        body = self.block(pad + "\t", depth - 1)
        self.e.extra["u"].remove(name)
        self.loops -= 1
        rounds = self.e.of("u", 1)
        return [f"{pad}for (uint32_t {name} = 0, {name}_end = {rounds} % 6; {name} < {name}_end; {name}++) {{", *body,
                f"{pad}}}"]

    def choice(self, pad, depth):
        text = [f"{pad}switch ({self.e.of('u', 1)} % 4) {{"]
        for value in range(self.rng.randrange(2, 5)):
            text += [f"{pad}case {value}: {{", *self.block(pad + "\t", depth - 1), f"{pad}}}"]
            text += [f"{pad}\tbreak;"] if self.rng.random() < 0.6 and not self.loops else []
        return text + [f"{pad}}}"]

    def local_array(self, pad):
        name, kind = self.name(), self.rng.choice(list(TYPES))
        index = self.name()
        return [f"{pad}{TYPES[kind]} {name}[8];",
                f"{pad}for (uint32_t {index} = 0; {index} < 8; {index}++)",
                f"{pad}\t{name}[{index}] = {self.e.of(kind, 1)};",
                f"{pad}{name}[{self.e.of('u', 1)} % 8] = {self.e.of(kind, 1)};",
                f"{pad}t.{kind}[{self.rng.randrange(2)}] = {name}[{self.e.of('u', 1)} % 8];"]

    def leave(self, pad):
        word = self.rng.choice(["return", "break", "continue"] if self.loops else ["return"])
        return [f"{pad}if ({self.e.condition(0)})", f"{pad}\t{word};"]

    def one(self, pad, depth):
        form = self.rng.choices(["assign", "branch", "loop", "choice", "array", "leave"], [5, 3, 2, 1, 1, 1])[0]
        if depth <= 0 or form == "assign":
            return self.assign(pad)
        if form in ("array", "leave"):
            return self.local_array(pad) if form == "array" else self.leave(pad)
        return {"branch": self.branch, "loop": self.loop, "choice": self.choice}[form](pad, depth)

    def block(self, pad, depth):
        return [line for _ in range(self.rng.randrange(1, 4)) for line in self.one(pad, depth)]


class Kernel:
    """The steps of a kernel. Each has device code for a thread, and host code for `all` threads of the block."""

    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random(seed)
        self.threads = self.rng.choice([32, 64, 96, 128])
        self.functions, self.device, self.host = [], [], []
        self.callees = [self.function(n) for n in range(CALLS)]
        for _ in range(self.rng.randrange(4, 9)):
            self.rng.choice([self.local, self.local, self.exchange, self.shuffle, self.shuffle_in_branch, self.segments,
                             self.vote, self.match, self.atomics, self.count, self.tree])()
        self.local()

    def expressions(self, calls=()):
        e = Expressions(self.rng)
        e.calls = list(calls)
        return e

    def name(self, what):
        return f"{what}_{self.seed}_{len(self.functions)}"

    def function(self, n):
        """A function; functions generated earlier may be called by it."""
        e = self.expressions(getattr(self, "callees", []))
        kind, parameters = self.rng.choice(list(TYPES)), self.rng.choices(list(TYPES), k=self.rng.randrange(1, 5))
        name = self.name("call")
        text = [f"OUTLINED {TYPES[kind]} {name}({', '.join(f'{TYPES[p]} p{i}' for i, p in enumerate(parameters))})", "{",
                "\tThread t = {};"]
        text += [f"\tt.{p}[{self.rng.randrange(2)}] = p{i};" for i, p in enumerate(parameters)]
        if self.rng.random() < 0.5:
            text += [f"\tif ({e.leaf(kind)} == {e.constant(kind)})", f"\t\treturn {e.leaf(kind)};"]
        e.read = lambda wanted: e.leaf(wanted)  # it has no input
        self.functions.append("\n".join([*text, f"\treturn {e.of(kind, 2)};", "}"]))
        return kind, name, parameters

    def local(self):
        name = self.name("local")
        body = Statements(self.rng, self.expressions(self.callees)).block("\t", 3)
        self.functions.append("\n".join([f"BOTH void {name}(Thread &t, uint32_t tid, const Input &in)", "{", *body, "}"]))
        self.device.append(f"{name}(t, tid, in);")
        self.host.append(f"for (uint32_t tid = 0; tid < THREADS; tid++)\n\t{name}(all[tid], tid, in);")

    def member(self):
        kind = self.rng.choice(list(TYPES))
        return kind, f"{kind}[{self.rng.randrange(2)}]"

    def combined(self, kind, old, new):
        return f"{old} = {new}" if kind in REAL else f"{old} = add({old}, {new})"

    def barriers(self, kind, member, source):
        """`source`: the thread whose value is taken."""
        self.device.append(f"""{{
	__shared__ {TYPES[kind]} shared[THREADS];
	shared[tid] = t.{member};
	__syncthreads();
	{TYPES[kind]} value = shared[{source}];
	__syncthreads();
	{self.combined(kind, f"t.{member}", "value")};
}}""")
        self.host.append(f"""{{
	Thread before[THREADS];
	memcpy(before, all, sizeof before);
	for (uint32_t tid = 0; tid < THREADS; tid++) {{
		Thread &t = all[tid];
		{TYPES[kind]} value = before[{source}].{member};
		{self.combined(kind, f"t.{member}", "value")};
	}}
}}""")

    def exchange(self):
        kind, member = self.member()
        factor, offset = self.rng.randrange(1, 200), self.rng.randrange(200)
        chosen = "t.u[1] % THREADS" if member != "u[1]" else "t.u[0] % THREADS"
        self.barriers(kind, member, self.rng.choice([f"(tid * {factor} + {offset}) % THREADS", chosen]))

    def lanes(self, device, host):
        """A step of a warp: `lane`, and `mask`, the lanes that take part with it, chosen by some bits of their number."""
        by = self.rng.choice([0, 1, 2, 4, 5, 8, 16, 17, 24, 31])
        self.device.append(f"""{{
	uint32_t lane = tid % WARP, mask = members(lane, {by});
{device}
}}""")
        self.host.append(f"""{{
	Thread before[THREADS];
	memcpy(before, all, sizeof before);
	for (uint32_t tid = 0; tid < THREADS; tid++) {{
		uint32_t lane = tid % WARP, mask = members(lane, {by});
		Thread &t = all[tid], *warp = before + tid - lane;
{host}
	}}
}}""")

    def shuffle(self):
        kind, member = self.member()
        which = self.rng.choice(["t.u[0]", "t.u[1]", str(self.rng.randrange(32))])
        self.lanes(f"\t{TYPES[kind]} value = __shfl_sync(mask, t.{member}, chosen(mask, {which}));\n"
                   f"\t{self.combined(kind, f't.{member}', 'value')};",
                   f"\t\t{TYPES[kind]} value = warp[chosen(mask, {which.replace('t.', 'warp[lane].')})].{member};\n"
                   f"\t\t{self.combined(kind, f't.{member}', 'value')};")

    def shuffle_in_branch(self):
        """Lanes of the mask for which a condition holds shuffle among themselves; the other lanes do so before or after
        them.
        """
        kind, member = self.member()
        self.lanes(f"""	bool holds = t.u[0] & 1;
	uint32_t ballot = __ballot_sync(mask, holds);
	if (holds) {{
		{TYPES[kind]} value = __shfl_sync(ballot, t.{member}, chosen(ballot, t.u[1]));
		{self.combined(kind, f"t.{member}", "value")};
	}} else {{
		t.i[0] = (int32_t)__ballot_sync(mask & ~ballot, t.u[1] & 1);
	}}""", f"""		bool holds = warp[lane].u[0] & 1;
		uint32_t ballot = 0, odd = 0;
		for (uint32_t other = 0; other < WARP; other++) {{
			ballot |= (mask >> other & 1 & warp[other].u[0]) << other;
			odd |= (warp[other].u[1] & 1) << other;
		}}
		if (holds) {{
			{TYPES[kind]} value = warp[chosen(ballot, warp[lane].u[1])].{member};
			{self.combined(kind, f"t.{member}", "value")};
		}} else {{
			t.i[0] = (int32_t)(odd & mask & ~ballot);
		}}""")

    def segments(self):
        """Up, down and xor within segments of a warp."""
        kind, member = self.member()
        width = self.rng.choice([2, 4, 8, 16, 32])
        form, by = self.rng.choice(["up", "down", "xor"]), self.rng.randrange(width)
        segment = f"lane / {width} * {width}"
        source = {"up": f"lane - {segment} >= {by} ? lane - {by} : lane",
                  "down": f"lane + {by} < {segment} + {width} ? lane + {by} : lane", "xor": f"lane ^ {by}"}[form]
        self.lanes(f"""	mask = members(lane, WARP - {width});
	{TYPES[kind]} value = __shfl_{form}_sync(mask, t.{member}, {by}, {width});
	{self.combined(kind, f"t.{member}", "value")};""", f"""		{TYPES[kind]} value = warp[{source}].{member};
		{self.combined(kind, f"t.{member}", "value")};""")

    def vote(self):
        how = self.rng.randrange(3)
        self.lanes(f"\tt.u[1] += vote(mask, t.u[0], {how});", f"""		uint32_t value[WARP];
		for (uint32_t other = 0; other < WARP; other++)
			value[other] = warp[other].u[0] & 1;
		t.u[1] += vote_of(value, 0, mask, {how});""")

    def match(self):
        modulus = self.rng.randrange(1, 6)
        self.lanes(f"\tt.u[1] ^= __match_any_sync(mask, t.u[0] % {modulus});", f"""		uint32_t same = 0;
		for (uint32_t other = 0; other < WARP; other++)
			same |= (mask >> other & 1 & (warp[other].u[0] % {modulus} == warp[lane].u[0] % {modulus})) << other;
		t.u[1] ^= same;""")

    def atomics(self):
        """Some threads update some of the block's counters; all threads read the results."""
        how, bit = self.rng.randrange(6), self.rng.randrange(8)
        self.device.append(f"""{{
	__shared__ uint32_t counter[COUNTERS];
	if (tid < COUNTERS)
		counter[tid] = tid * 77;
	__syncthreads();
	if (t.u[1] >> {bit} & 1)
		atomic(&counter[t.u[0] % COUNTERS], (uint32_t)t.i[1], {how});
	__syncthreads();
	t.q[0] ^= counter[tid % COUNTERS];
	__syncthreads();
}}""")
        self.host.append(f"""{{
	uint32_t counter[COUNTERS];
	for (uint32_t n = 0; n < COUNTERS; n++)
		counter[n] = n * 77;
	for (uint32_t tid = 0; tid < THREADS; tid++)
		if (all[tid].u[1] >> {bit} & 1)
			counter[all[tid].u[0] % COUNTERS] = reduce(counter[all[tid].u[0] % COUNTERS], (uint32_t)all[tid].i[1], {how});
	for (uint32_t tid = 0; tid < THREADS; tid++)
		all[tid].q[0] ^= counter[tid % COUNTERS];
}}""")

    def count(self):
        form = self.rng.choice(["count", "and", "or"])
        self.device.append(f"t.l[1] = add(t.l[1], (int64_t)__syncthreads_{form}(t.u[0] & 1));")
        result = {"count": "odd", "and": "odd == THREADS", "or": "odd != 0"}[form]
        self.host.append(f"""{{
	uint32_t odd = 0;
	for (uint32_t tid = 0; tid < THREADS; tid++)
		odd += all[tid].u[0] & 1;
	for (uint32_t tid = 0; tid < THREADS; tid++)
		all[tid].l[1] = add(all[tid].l[1], (int64_t)({result}));
}}""")

    def tree(self):
        """A reduction by halves, with a barrier in each round."""
        how = self.rng.randrange(6)
        rounds = "for (uint32_t half = 64; half; half /= 2)"
        self.device.append(f"""{{
	__shared__ uint32_t part[THREADS];
	part[tid] = t.u[0];
	__syncthreads();
	{rounds} {{
		if (tid < half && tid + half < THREADS)
			part[tid] = reduce(part[tid], part[tid + half], {how});
		__syncthreads();
	}}
	t.u[0] += part[0];
	__syncthreads();
}}""")
        self.host.append(f"""{{
	uint32_t part[THREADS];
	for (uint32_t tid = 0; tid < THREADS; tid++)
		part[tid] = all[tid].u[0];
	{rounds}
		for (uint32_t tid = 0; tid < half && tid + half < THREADS; tid++)
			part[tid] = reduce(part[tid], part[tid + half], {how});
	for (uint32_t tid = 0; tid < THREADS; tid++)
		all[tid].u[0] += part[0];
}}""")

    def text(self):
        device = "\n".join(self.device).replace("\n", "\n\t")
        host = "\n".join(self.host).replace("\n", "\n\t")
        functions = "\n\n".join(self.functions)
        return f"""
namespace kernel_{self.seed} {{
enum {{ THREADS = {self.threads} }};

{functions}

#ifdef __CUDACC__
__global__ void run(const Input *input, Thread *state)
{{
	const Input &in = *input;
	uint32_t tid = threadIdx.x;
	Thread t = state[blockIdx.x * THREADS + tid];
	{device}
	state[blockIdx.x * THREADS + tid] = t;
}}
#else
void run(const Input &in, Thread *all)
{{
	{host}
}}
#endif
}}
"""


MAIN = """
static void fill(Input &in, Thread *state, uint32_t threads, uint64_t seed)
{
	for (size_t i = 0; i < sizeof in; i++)
		((uint8_t *)&in)[i] = (seed = seed * 6364136223846793005ull + 1442695040888963407ull) >> 56;
	for (uint32_t i = 0; i < TABLE; i++)
		in.doubles[i] = (double)in.shorts[i] / 16;
	for (uint32_t i = 0; i < threads; i++)
		state[i] = Thread{{(int32_t)(i * 2654435761u), -(int32_t)i}, {i, i * 40503u}, {-(int64_t)i * 1234567890123, 5},
		                  {i * 0x9e3779b97f4a7c15u, i}, {i / 7.0f, -1.5f}, {i * 1e-3, 3.25 - i}};
}

// Of NaNs only that they are such: their bits are the machine's.
template <typename T> static void write(const T *values)
{
	for (int i = 0; i < 2; i++) {
		uint64_t bits = 0;
		memcpy(&bits, &values[i], sizeof values[i]);
		printf(" %llx", values[i] == values[i] ? (unsigned long long)bits : 0x7ffull);
	}
}

enum { BLOCKS = 2, MOST = 128 * BLOCKS };

int main()
{
	static Input in;
	static Thread state[MOST];
"""
ONE = """	fill(in, state, BLOCKS * kernel_{seed}::THREADS, {seed});
#ifdef __CUDACC__
	{{
		Input *input;
		Thread *states;
		cudaMalloc(&input, sizeof in);
		cudaMalloc(&states, sizeof state);
		cudaMemcpy(input, &in, sizeof in, cudaMemcpyHostToDevice);
		cudaMemcpy(states, state, sizeof state, cudaMemcpyHostToDevice);
		kernel_{seed}::run<<<BLOCKS, kernel_{seed}::THREADS>>>(input, states);
		if (cudaMemcpy(state, states, sizeof state, cudaMemcpyDeviceToHost) != cudaSuccess)
			return 1;
	}}
#else
	for (int block = 0; block < BLOCKS; block++)
		kernel_{seed}::run(in, state + block * kernel_{seed}::THREADS);
#endif
	for (int i = 0; i < BLOCKS * kernel_{seed}::THREADS; i++) {{
		printf("{seed} %d:", i);
		write(state[i].i), write(state[i].u), write(state[i].l), write(state[i].q), write(state[i].f), write(state[i].d);
		printf("\\n");
	}}
"""


def write(folder, seeds):
    source = Path(folder) / f"parallel_{seeds[0]}.cu"
    parts = ['#include "parallel.h"\n', *(Kernel(seed).text() for seed in seeds), MAIN,
             *(ONE.format(seed=seed) for seed in seeds), "\treturn 0;\n}\n"]
    source.write_text("".join(parts))
    return source


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: status {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout


def check(sluice, seeds, folder):
    """Returns the difference as text."""
    source = write(folder, seeds)
    native, simulated = source.with_suffix(".native"), source.with_suffix("")
    output_of(["clang++-14", *FLAGS, "-O1", "-x", "c++", source, "-o", native])
    output_of([sluice, "cc", *FLAGS, "-O2", source, "-o", simulated])
    expected = output_of([native])
    wrong = []
    for mode in (["--functional"], []):
        found = output_of([sluice, "run", "--no-progress", "--stats", os.devnull, *mode, "--",
                           *sanitized.preload(sluice), simulated])
        lines = [f"expected {a}\n   found {b}" for a, b in zip(expected.splitlines(), found.splitlines()) if a != b]
        if found != expected:
            wrong.append(f"{source.name} {mode}: {len(lines)} threads differ\n" + "\n".join(lines[:3]))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sluice")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for the sources")
    options = parser.parse_args()
    wrong, seeds = [], range(options.seed, options.seed + options.count)
    for first in range(0, len(seeds), BATCH):
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(options.sluice, list(seeds[first:first + BATCH]), options.keep or folder)
    print("\n".join(wrong) or f"{len(seeds)} kernels agree with the model")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
