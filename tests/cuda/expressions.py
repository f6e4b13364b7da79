#!/usr/bin/env python3
"""Compares random expressions over CUDA's integer functions, computed by a kernel and by Python.

expressions.py SLUICE [--programs N] [--seed S]

Each program has 80 expressions. Their leaves are loaded values or constants that the compiler sees; every value is an
unsigned 32-bit number. Protects the combination of the compiler, our headers and the device library. The suite runs one
program; use --programs for a longer run.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import sanitized  # noqa: E402

MASK = 0xffffffff
EXPRESSIONS, LEAVES = 80, 8


def signed(x, bits=32):
    return x - (1 << bits) if x >> (bits - 1) & 1 else x


def parts(x, bits, with_sign):
    cut = [x >> i & ((1 << bits) - 1) for i in range(0, 32, bits)]
    return [signed(v, bits) for v in cut] if with_sign else cut


def each(bits, with_sign, function):
    def apply(x, y):
        pairs = zip(parts(x, bits, with_sign), parts(y, bits, with_sign))
        return sum((function(a, b) & ((1 << bits) - 1)) << (i * bits) for i, (a, b) in enumerate(pairs))
    return apply


def clamp(x, bits, with_sign):
    most = (1 << (bits - with_sign)) - 1
    return max(-most - 1 if with_sign else 0, min(most, x))


def byte_perm(x, y, selector):
    data = y << 32 | x
    result = 0
    for i in range(4):
        nibble = selector >> 4 * i & 15
        byte = data >> 8 * (nibble & 7) & 255
        result |= (255 * (byte >> 7) if nibble & 8 else byte) << 8 * i
    return result


def reversed_bits(x):
    return int(f"{x:032b}"[::-1], 2)


def lowest_one(x):
    return (x & -x).bit_length()


# CUDA's expression, with {} for each operand, and its value.
FUNCTIONS = [
    ("({} + {})", lambda x, y: x + y),
    ("({} - {})", lambda x, y: x - y),
    ("({} * {})", lambda x, y: x * y),
    ("({} ^ {})", lambda x, y: x ^ y),
    ("({} & {})", lambda x, y: x & y),
    ("({} | {})", lambda x, y: x | y),
    ("({} << ({} & 31))", lambda x, y: x << (y & 31)),
    ("({} >> ({} & 31))", lambda x, y: x >> (y & 31)),
    ("(unsigned)((int){} >> ({} & 31))", lambda x, y: signed(x) >> (y & 31)),
    ("({} / ({} | 1))", lambda x, y: x // (y | 1)),
    ("({} % ({} | 1))", lambda x, y: x % (y | 1)),
    ("({} < {} ? {} : {})", lambda a, b, c, d: c if a < b else d),
    ("(unsigned)__popc({})", lambda x: bin(x).count("1")),
    ("(unsigned)__clz((int){})", lambda x: 32 - x.bit_length()),
    ("(unsigned)__ffs((int){})", lowest_one),
    ("__brev({})", reversed_bits),
    ("(unsigned)__popcll((long long){} << 32 | {})", lambda x, y: bin(x).count("1") + bin(y).count("1")),
    ("(unsigned)__clzll((long long)((unsigned long long){} << 32 | {}))", lambda x, y: 64 - (x << 32 | y).bit_length()),
    ("(unsigned)__ffsll((long long)((unsigned long long){} << 32 | {}))", lambda x, y: lowest_one(x << 32 | y)),
    ("(unsigned)__brevll((unsigned long long){} << 32 | {})", lambda x, y: reversed_bits(x)),
    ("__byte_perm({}, {}, {})", byte_perm),
    ("__umulhi({}, {})", lambda x, y: x * y >> 32),
    ("(unsigned)__mulhi((int){}, (int){})", lambda x, y: signed(x) * signed(y) >> 32),
    ("(unsigned)(__umul64hi((unsigned long long){} << 32 | {}, {}) >> 3)", lambda x, y, z: ((x << 32 | y) * z >> 64) >> 3),
    ("__umul24({}, {})", lambda x, y: (x & 0xffffff) * (y & 0xffffff)),
    ("(unsigned)__mul24((int){}, (int){})", lambda x, y: signed(x & 0xffffff, 24) * signed(y & 0xffffff, 24)),
    ("__sad((int){}, (int){}, {})", lambda x, y, z: abs(signed(x) - signed(y)) + z),
    ("__usad({}, {}, {})", lambda x, y, z: abs(x - y) + z),
    ("__uhadd({}, {})", lambda x, y: x + y >> 1),
    ("__urhadd({}, {})", lambda x, y: x + y + 1 >> 1),
    ("(unsigned)__hadd((int){}, (int){})", lambda x, y: signed(x) + signed(y) >> 1),
    ("(unsigned)__rhadd((int){}, (int){})", lambda x, y: signed(x) + signed(y) + 1 >> 1),
    ("__funnelshift_l({}, {}, {})", lambda x, y, z: ((y << 32 | x) << (z & 31)) >> 32),
    ("__funnelshift_r({}, {}, {})", lambda x, y, z: (y << 32 | x) >> (z & 31)),
    ("__funnelshift_lc({}, {}, {} & 63)", lambda x, y, z: ((y << 32 | x) << min(z & 63, 32)) >> 32),
    ("__funnelshift_rc({}, {}, {} & 63)", lambda x, y, z: (y << 32 | x) >> min(z & 63, 32)),
    ("min({}, {})", min),
    ("max({}, {})", max),
    ("(unsigned)min((int){}, (int){})", lambda x, y: min(signed(x), signed(y))),
    ("(unsigned)max((int){}, (int){})", lambda x, y: max(signed(x), signed(y))),
    ("(unsigned)abs((int){})", lambda x: abs(signed(x))),
    ("__fns({}, {} & 31, 1 + (int)({} & 7))", lambda m, b, n: ([i for i in range(b & 31, 32) if m >> i & 1][n & 7:] + [MASK])[0]),
    ("(unsigned)__double2loint(__hiloint2double((int){}, (int){}))", lambda x, y: y),
    ("(unsigned)__float_as_int(__int_as_float((int)({} & 0xff7fffff)))", lambda x: x & 0xff7fffff),
]
for count, bits in ((2, 16), (4, 8)):
    for name, with_sign, function in [
            ("vadd", False, lambda a, b: a + b), ("vsub", False, lambda a, b: a - b),
            ("vmaxs", True, max), ("vmaxu", False, max), ("vmins", True, min), ("vminu", False, min),
            ("vabsdiffs", True, lambda a, b: abs(a - b)), ("vabsdiffu", False, lambda a, b: abs(a - b)),
            ("vavgu", False, lambda a, b: a + b + 1 >> 1), ("vhaddu", False, lambda a, b: a + b >> 1),
            ("vcmpeq", False, lambda a, b: -(a == b)), ("vcmpgts", True, lambda a, b: -(a > b)),
            ("vcmpleu", False, lambda a, b: -(a <= b)), ("vsetlts", True, lambda a, b: int(a < b)),
            ("vaddss", True, lambda a, b, bits=bits: clamp(a + b, bits, 1)),
            ("vaddus", False, lambda a, b, bits=bits: clamp(a + b, bits, 0)),
            ("vsubss", True, lambda a, b, bits=bits: clamp(a - b, bits, 1)),
            ("vsubus", False, lambda a, b, bits=bits: clamp(a - b, bits, 0))]:
        FUNCTIONS.append((f"__{name}{count}({{}}, {{}})", each(bits, with_sign, function)))


def leaf(rng):
    return rng.choice([0, 1, 31, 32, MASK, 0x80000000, 0x7fffffff, 0x80ff7f01, rng.getrandbits(32), rng.getrandbits(8)])


def expression(rng, leaves, depth):
    """Returns CUDA's text and the value."""
    if depth == 0:
        if rng.random() < 0.3:
            value = leaf(rng)
            return f"{value:#x}u", value
        i = rng.randrange(LEAVES)
        return f"in[{i}]", leaves[i]
    text, function = rng.choice(FUNCTIONS)
    operands = [expression(rng, leaves, rng.randrange(depth)) for _ in range(text.count("{}"))]
    return text.format(*[o[0] for o in operands]), function(*[o[1] for o in operands]) & MASK


def program(rng):
    leaves = [leaf(rng) for _ in range(LEAVES)]
    made = [expression(rng, leaves, rng.randrange(1, 5)) for _ in range(EXPRESSIONS)]
    body = "\n".join(f"\tout[{i}] = {text};" for i, (text, _) in enumerate(made))
    return f"""#include <cstdio>
__global__ void compute(const unsigned *in, unsigned *out)
{{
{body}
}}
int main()
{{
	const unsigned leaves[] = {{{", ".join(f"{v:#x}u" for v in leaves)}}};
	const unsigned want[] = {{{", ".join(f"{v:#x}u" for _, v in made)}}};
	unsigned got[{EXPRESSIONS}], *in, *out;
	cudaMalloc(&in, sizeof leaves);
	cudaMalloc(&out, sizeof got);
	cudaMemcpy(in, leaves, sizeof leaves, cudaMemcpyHostToDevice);
	compute<<<1, 1>>>(in, out);
	if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	int wrong = 0;
	for (int i = 0; i < {EXPRESSIONS}; i++)
		if (got[i] != want[i])
			wrong += fprintf(stderr, "out[%d]: %08x, expected %08x\\n", i, got[i], want[i]) > 0;
	return wrong != 0;
}}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for seed in range(arguments.seed, arguments.seed + arguments.programs):
        with tempfile.TemporaryDirectory() as folder:
            source, binary = os.path.join(folder, "a.cu"), os.path.join(folder, "a")
            text = program(random.Random(seed))
            with open(source, "w", encoding="ascii") as file:
                file.write(text)
            settings = {"SLUICE_FUNCTIONAL": "1", "SLUICE_STATS": os.path.join(folder, "stats.json")}
            for command, more in (([arguments.sluice, "cc", source, "-o", binary], {}),
                                  ([*sanitized.preload(arguments.sluice), binary], settings)):
                if subprocess.run(command, env={**os.environ, **more}, check=False).returncode != 0:
                    sys.stderr.write(f"{text}seed {seed}: {' '.join(command)} failed\n")
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
