#!/usr/bin/env python3
"""Tests random forms of launches in device code: in functions, templates, classes, lambdas and namespaces, with blanks,
comments, line ends and nested brackets.

Each launch adds its own number to a sum, which is compared. Protects how `sluice cc` finds such launches and the names
of their kernels.

launch_forms.py SLUICE [--count N] [--seed N]
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

HEAD = """
#include <cstdio>
__device__ unsigned total;
__global__ void plain(unsigned value) { atomicAdd(&total, value); }
namespace outer {
namespace inner { __global__ void deep(unsigned value, int more) { atomicAdd(&total, value + more); } }
template <class T> struct kind { static const int size = sizeof(T); };
template <class T, int N> __global__ void made(T value) { atomicAdd(&total, (unsigned)value + N); }
}
template <int A, int B> __global__ void shifted(unsigned value) { atomicAdd(&total, value + A + B); }
"""


def blank(source):
    return source.choice(["", "", " ", "\n", "  ", " /* <<<1, 1>>> */ ", "\n\t", " // k<<<1, 1>>>(1)\n"])


def between(source):
    """Between a name and its brackets: blanks without comments."""
    return source.choice(["", "", " ", "\n\t", "  "])


def kernel(source):
    """Returns a kernel's name, the arguments for a value, and the number that it adds to the value."""
    number = source.randrange(1, 50)
    return source.choice([
        ("plain", "{}", 0),
        ("::plain", "{}", 0),
        ("outer::inner::deep", "{}, " + str(number), number),
        (f"outer::made<unsigned, {number}>", "{}", number),
        (f"::outer::made<float, ({number} > 3) ? {number} : 1>", "(float){}", number if number > 3 else 1),
        (f"outer::made<unsigned long, outer::kind<double>::size>", "{}", 8),
        (f"shifted<{number}, (1 << 2)>", "{}", number + 4),
        (f"shifted< {number} , ({number} >> 1) >", "{}", number + (number >> 1)),
    ])


def launch(source, value):
    """Returns the text of a launch that adds `value` to the sum when a thread reaches it."""
    name, arguments, more = kernel(source)
    opening, closing = source.choice([("<<<", ">>>"), ("<<<", ">>>"), ("<< <", ">> >"), ("<<\n<", ">>\t>")])
    grid = source.choice(["1", "dim3(1)", "(4 >> 2)", "dim3(1, 1)", "one()", "sizeof(char)"])
    block = source.choice(["1", "dim3(1, 1, 1)", "(2 > 1 ? 1 : 2)", "1u"])
    rest = source.choice(["", ", 0", ", 0, 0", ", sizeof(int) * 4, (cudaStream_t)0"])
    written = arguments.format(f"({value - more}u)") if value >= more else None
    if written is None:
        return launch(source, value)
    return (f"{name}{between(source)}{opening}{blank(source)}{grid},{blank(source)}{block}{rest}{closing}"
            f"{blank(source)}({written})")


def statement(source, value):
    text = launch(source, value)
    return source.choice([
        f"{text};",
        f"if (yes) {text};",
        f"if (!yes) ; else\n{text};",
        f"for (int i = 0; i < 1; i++) {{ {text}; }}",
        f"{{ int a = 1, b = 2; if (a < b && b > a) {text}; }}",
        f'const char *t{value} = "<<<1, 1>>>("; if (t{value}) {{ {text}; }}',
        f"auto l{value} = [&] {{ {text}; }}; l{value}();",
        f"do {text}; while (!yes);",
        f"yes ? {text} : (void)0;",
        f"{text}, (void)yes;",
    ])


def body(source, values):
    return "\n\t".join(statement(source, value) for value in values)


def function(source, number, values):
    """Returns a device function and a call of it."""
    text = body(source, values)
    name = f"f{number}"
    return source.choice([
        (f"__device__ void {name}(bool yes)\n{{\n\t{text}\n}}\n", f"{name}(yes);"),
        (f"static __device__ __noinline__ void\n{name}(bool yes = true) {{ {text} }}\n", f"{name}();"),
        (f"template <class T> __device__ void {name}(T yes) {{\n{text}\n}}\n", f"{name}(yes);"),
        (f"#define Q{number} static __device__ \\\n\tinline\nQ{number} void {name}(bool yes) {{ {text} }}\n", f"{name}(yes);"),
        (f"#ifdef __CUDACC__\n#define B{number} __host__ __device__\n#else\n#define B{number}\n#endif\n"
         f"B{number} void {name}(bool yes) {{ {text} }}\n", f"{name}(yes);"),
        (f"__host__ __device__ void {name}(bool yes)\n{{\n\t{text}\n}}\n"
         f"#define G{number}(n) __device__ void n() {{}}\nG{number}(g{number})\nvoid h{number}() {{ plain<<<1, 1>>>(1); }}\n", f"{name}(yes);"),
        (f"struct {name} {{\n\tbool yes;\n\t__device__ {name}(bool y) : yes(y) {{}}\n"
         f"\t__device__ void operator()() const {{ {text} }}\n}};\n", f"{name} o{number}(yes); o{number}();"),
        (f"namespace n{number} {{ __device__ const int table[] = {{1, 2}};\n__device__ void {name}(bool yes) {{ {text} }} }}\n",
         f"n{number}::{name}(yes);"),
        (f"#define M{number} __device__ // {{\n__global__ void {name}(bool yes) {{ {text} }}\n", f"{name}<<<1, 1>>>(yes);"),
        (f"__device__ void {name}(bool yes)\n{{\n#define M{number}(x) \\\n\tplain<<<1, 1>>>(x)\n#define E{number} }}\n\tM{number}(7); plain<<<1, 1>>>(0u - 7);\n"
         f"\t{text}\n}}\n", f"{name}(yes);"),
    ])


def program(source):
    values = [source.randrange(100, 10000) for _ in range(source.randrange(4, 16))]
    parts, calls, at, number = [], [], 0, 0
    while at < len(values):
        count = source.randrange(1, 4)
        text, call = function(source, number, values[at:at + count])
        # a host function in between, whose launches are unchanged
        of_both = "__host__ __device__ inline " if source.randrange(2) else ""
        parts.append(text + f"#define N{number} __device__\n{of_both}void host{number}()\n{{\n#ifndef __CUDA_ARCH__\n\tplain<<<1, 1>>>(1);\n#endif\n}}\n")
        calls.append(call)
        at, number = at + count, number + 1
    host = "".join(f"\thost{i}();\n" for i in range(number))
    return (HEAD + "__device__ __host__ inline unsigned one() { return 1; }\n" + "".join(parts) +
            "__global__ void all(bool yes)\n{\n\t" + "\n\t".join(calls) + "\n}\n"
            "int main()\n{\n\tunsigned sum;\n\tall<<<1, 1>>>(true);\n" + host +
            "\tcudaMemcpyFromSymbol(&sum, total, sizeof sum);\n\tprintf(\"%u\\n\", sum);\n}\n",
            sum(values) + number)


def check(sluice, folder, seed):
    text, expected = program(random.Random(seed))
    path = os.path.join(folder, f"p{seed}")
    with open(path + ".cu", "w", encoding="utf-8") as file:
        file.write(text)
    made = subprocess.run([sluice, "cc", "-std=c++17", path + ".cu", "-o", path], capture_output=True, text=True, check=False)
    environment = dict(os.environ, SLUICE_FUNCTIONAL="1", SLUICE_STATS=path + ".json")
    ran = made.returncode == 0 and subprocess.run([path], capture_output=True, text=True, env=environment, check=False)
    if ran and ran.stdout == f"{expected}\n":
        return True
    print(f"seed {seed}: expected {expected}\n{made.stderr[:2000]}{ran.stdout + ran.stderr if ran else ''}\n{text}")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sluice")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    preload = subprocess.run(["ldd", os.path.join(os.path.dirname(arguments.sluice), "../lib/libcudart.so")],
                             capture_output=True, text=True, check=False).stdout
    if "libasan" in preload:
        os.environ["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0"
    with tempfile.TemporaryDirectory() as folder:
        seeds = range(arguments.seed, arguments.seed + arguments.count)
        wrong = [seed for seed in seeds if not check(arguments.sluice, folder, seed)]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
