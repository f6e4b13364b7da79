#!/usr/bin/env python3
"""Generates random kernels whose reads the source form of the static analyzer must cover.

source_ranges.py SLUICE [--programs N] [--seed S] [--only]

Each program is a kernel with random statements about its index variables: aliases, references, narrow and unsigned
types, loops, calls, lambdas, structures, branches, pointer arithmetic. Each array is read at one position in the code.
The same text is compiled for the host, where a class replaces the arrays and records the elements that each block
reads. It is also analyzed with the launch's size and arguments.

Protects the output of `sluice analyze` for CUDA source. A read that is missing from the table, or outside its array's
rows, is an error. If no branch decides about a read, the ends of its rows must be read. The suite runs some tens of
programs; use --programs for a longer run. A failure prints its seed; --seed S --programs 1 runs only that program.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

BATCH = 40
ARGUMENTS = {"n": 9, "m": -3, "u": 6, "c": 7, "q": 4, "box.size": 5, "box.step": 3}
GRID, BLOCK = (2, 2, 1), (5, 3, 1)

PRELUDE = r"""
#ifdef HOST
#include <cstdio>
#include <map>
#include <set>
#include <utility>
#define __global__
#define __device__
#define __shared__ static
#define __constant__
struct uint3 { unsigned x, y, z; };
static uint3 threadIdx, blockIdx, blockDim, gridDim;
static std::map<std::pair<int, int>, std::set<long long>> seen; // by array and block
static int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
static void read_at(int array, long long at)
{
	seen[{array, (int)(blockIdx.y * gridDim.x + blockIdx.x)}].insert(at);
}
struct Array;
struct Item {
	int number;
	long long at;
	operator int() const { read_at(number, at); return (int)(at * 7 + number) & 7; }
	inline Array operator&() const;
};
struct Array {
	int number;
	long long at;
	Item operator[](long long i) const { return Item{number, at + i}; }
	Item operator*() const { return Item{number, at}; }
	Array operator+(long long i) const { return Array{number, at + i}; }
	Array operator-(long long i) const { return Array{number, at - i}; }
	Array &operator+=(long long i) { at += i; return *this; }
	Array &operator-=(long long i) { at -= i; return *this; }
	Array &operator++() { at++; return *this; }
	Array operator++(int) { Array old = *this; at++; return old; }
	bool operator<(const Array &other) const { return at < other.at; }
	bool operator!=(const Array &other) const { return at != other.at; }
};
Array Item::operator&() const { return Array{number, at}; }
static int fuel;
#define FUEL if (++fuel > 2000) return;
#else
#define FUEL
typedef const int *Array;
typedef const int &Item;
#endif
struct Box { Array cells; int size; unsigned step; };
struct Pair { int x; unsigned y; short z; unsigned bits : 3; };
struct Outer { Pair first, second; };
struct Wrapped { int v; __device__ Wrapped(int a) : v(a + 2) {} __device__ void add(int by) { v += by; } };
union Both { int whole; unsigned short half[2]; };
__device__ int pick(Array from, int i) { return from[i + 1]; }
__device__ int picku(Array from, unsigned i, int by = 2) { return from[i + by]; }
__device__ void move(int &i, int by) { i += by; }
__device__ void moveu(unsigned &i, unsigned by) { i -= by; }
__device__ void set(int *at, int value) { *at = value; }
__device__ void either(int c, int *a, int *b) { int *p = c > 2 ? a : b; *p += 3; }
__device__ int twice(int i) { return i * 2; }
__device__ unsigned char narrow(int i) { return i; }
__device__ unsigned wide(int i) { return i; }
__device__ int &same(int &i) { return i; }
__device__ int &choose(int c, int &a, int &b) { if (c > 2) return a; return b; }
__device__ int early(int i) { if (i > 3) return i; return 0; }
template <class T> __device__ T plus(T a, T b) { return a + b; }
template <int N> __device__ int times(int a) { return a * N; }
__device__ void advance(Array &p, int by) { p += by; }
__device__ Array moved(Array p, int by) { return p + by; }
template <class T> __device__ void exchange(T &a, T &b) { T c = a; a = b; b = c; }
__device__ int search(int from, int most) { for (int i = from; i < most; i++) if (i % 3 == 1) return i; return 0; }
__device__ int total(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
__device__ Wrapped operator+(Wrapped a, int b) { a.v += b; return a; }
enum Small : unsigned char { LOW = 250, HIGH = 255 };
__device__ int recurse(int i) { return i > 6 || i < -99 ? i : recurse(i + 3); }
"""


class Kernel:
    """Statements over ints i0.., unsigneds w0.., longs l0.., narrow types c0.. and s0..; all values are small, so that
    no int overflows.
    """

    def __init__(self, rng, number):
        self.rng, self.number = rng, number
        self.names = {"int": ["i0", "i1"], "unsigned": ["w0"], "long long": ["l0"], "unsigned char": ["c0"],
                      "signed char": ["s0"], "unsigned short": ["h0"]}
        self.lines, self.reads, self.always, self.fresh = [], 0, set(), 0
        self.branches = False

    def new(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def variable(self, kind=None):
        kind = kind or self.rng.choice(["int"] * 5 + ["unsigned"] * 2 + ["long long", "unsigned char", "signed char",
                                                                        "unsigned short"])
        return self.rng.choice(self.names[kind])

    def leaf(self):
        r = self.rng.random()
        if r < 0.45:
            return self.variable()
        if r < 0.65:
            return self.rng.choice(["threadIdx.x", "blockIdx.x", "threadIdx.y", "blockIdx.y", "(int)threadIdx.x"])
        if r < 0.8:
            return self.rng.choice(["n", "m", "u", "box.size", "box.step", "blockDim.x", "pair.x", "pair.y", "pair.z", "LIMIT"])
        return self.rng.choice(["1", "2", "3", "5u", "4", "-2", "'a'", "7ll", "0x10", "3u", "true", "THREE"])

    def expression(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.leaf()
        a, b = self.expression(depth - 1), self.expression(depth - 2)
        form = rng.choice(["({a} + {b})"] * 4 + ["({a} - {b})"] * 4 + ["({a} * {c})"] * 2 + [
            "(- {a})", "({a} / 3)", "({a} % 5)", "(({a} & 7) << 1)", "({a} >> 1)", "({a} & 7)", "((unsigned char){a})",
            "((short){a})", "((unsigned){a})", "((int){a})", "((long long){a})", "({a} > {b} ? {a} : {b})",
            "({a}, {b})", "twice({a})", "narrow({a})", "wide({a})", "early({a})", "plus<int>({a}, {b})",
            "times<3>({a})", "__mul24({a}, 3)", "(~{a})", "(int)(unsigned)({a})", "static_cast<signed char>({a})",
            "plus<unsigned>({a}, 2)", "((int)({a} * 0.5f))", "(!{a})", "(bool)({a})", "((long long)({a} - 3u))",
            "recurse({a})"])
        return form.format(a=a, b=b, c=rng.choice(["2", "3", "n", "blockDim.x"]))

    def simple(self):
        rng = self.rng
        return rng.choice([
            "{v}", "{v} + {k}", "{v} - {k}", "threadIdx.x + {k}", "{v} + (int)threadIdx.x", "{k}", "threadIdx.x - {k}u",
            "blockIdx.x * {k} + {v}", "{v} - threadIdx.y", "{v} + n", "m + {v}", "u - {k}", "-{v}", "(unsigned){v} + {k}",
            "(int)({v} - 3u)", "{v} * 2"]).format(v=self.variable(), k=rng.randrange(8))

    def condition(self):
        return self.rng.choice(["{v} > {k}", "threadIdx.x < {k}", "n > {k}", "{v} & 1", "{v} > 1 && {w} < 9", "u != {k}",
                                "{v} < 5 or {w}++ > 2", "{v} > 4 and ++{w} > 0"]).format(
            v=self.variable("int"), w=self.variable("int"), k=self.rng.randrange(8))

    def read(self, depth):
        array = f"a{self.reads}"
        if self.reads >= 6:
            return ""
        self.reads += 1
        if not depth:
            self.always.add(array)
        e = self.expression(self.rng.randrange(3)) if self.rng.random() < 0.6 else self.variable()
        p = self.new("p")
        i = self.variable("int")
        return self.rng.choice([f"sum += {array}[{e}];"] * 6 + [
            f"sum += *({array} + {e});", f"{{ Array {p} = {array}; {p} += {e}; sum += {p}[{i}]; }}",
            f"{{ Array {p} = {array} + {i}; {p}++; sum += *{p}; }}", f"sum += pick({array}, {e});",
            f"sum += picku({array}, {e});", f"sum += picku({array}, {e}, 3);", f"sum += {array}[{i}++];",
            f"sum += {array}[{i} += 2];", f"sum += {array}[--{i}];", f"{array} += 4; sum += {array}[{e}];",
            f"sum += *(&{array}[{e}] - 1);", f"advance({array}, 3); sum += {array}[{e}];",
            f"sum += moved({array}, {i})[{e}];",
            f"{{ Array {p} = {array}; Array {p}b = {p} + 9; exchange({p}, {p}b); sum += {p}[{i}]; }}",
            f"{{ Array {p} = {array}; for (int q = 0; q < 3; q++, {p} += 2) sum += {p}[{e}]; }}",
            f"for (int q = 0; q < 4; q++) {{ if (q == {i}) continue; sum += {array}[q + {i}]; }}",
            f"for (int q = 4; q >= 0; q -= 2) sum += {array}[{e} + q];", f"for (int q = 1; q < 20; q += q) sum += {array}[q];",
            f"for (Array {p} = {array}; {p} != {array} + 4; {p} += 2) sum += *{p};",
            f"for (size_t q = u; q-- > 0;) {{ FUEL sum += {array}[q + threadIdx.x]; }}",
            f"for (unsigned q = threadIdx.x; q < u; q++) {{ FUEL sum += {array}[q]; }}",
            f"for (int q = 0; q < 3; q++) for (int r = q; r < 4; r++) sum += {array}[q * 8 + r];",
            f"for (unsigned q = 0; q <= threadIdx.x; q++) {{ FUEL sum += {array}[threadIdx.x - q]; }}",
            f"{{ int q = 0; do {{ sum += {array}[q + {i}]; if (q == 2) continue; }} while (q++ < n - 6); }}",
            f"for (int q = 0; q < 4; q++) switch (q & 1) {{ case 0: continue; default: sum += {array}[q]; break; }}",
            f"sum += {array}[box.size * threadIdx.y + threadIdx.x];",
            f"sum += {array}[(blockIdx.y * blockDim.y + threadIdx.y) * u + {i}];",
            f"sum += {array}[c];", f"sum += {array}[q + threadIdx.x];", f"sum += {array}[threadIdx.x - u + n];",
            f"{{ Item {p} = {array}[{e}]; {i}++; sum += {p}; }}",
            f"{{ Array {p}[2] = {{{array}, {array} + 1}}; sum += ({array} - 1)[{e}]; }}",
            f"for (Array {p} = {array}; {p} < {array} + {self.rng.randrange(1, 5)}; {p}++) sum += *{p};",
            f"{{ Array {p} = {array} + 5; for (int q = 0; q < 3; q++) sum += *{p}++; }}",
            f"{{ Array *{p} = &{array}; *{p} += 2; sum += {array}[{e}]; }}",
            f"{{ auto {p} = [=](int z) {{ return {array}[z + {i}]; }}; sum += {p}({e}); }}",
            f"{{ auto {p} = [&]() {{ {i} += 2; return {array}[{i}]; }}; sum += {p}(); }}",
        ])

    def alias(self):
        q, i, j = self.new("q"), self.variable("int"), self.variable("int")
        w, c, s = self.variable("unsigned"), self.variable("unsigned char"), self.simple()
        cond = self.condition()
        return self.rng.choice([
            f"{{ int *{q} = &{i}; *{q} = {s}; }}", f"{{ int *{q} = {cond} ? &{i} : &{j}; *{q} = {s}; }}",
            f"{{ int &{q} = {i}; {q} += 2; }}", f"{{ int &{q} = {cond} ? {i} : {j}; {q} = {s}; }}",
            f"{{ const int &{q} = {i}; {i} += 3; {j} = {q}; }}", f"{{ const long long &{q} = {i}; {i}++; {j} = {q}; }}",
            f"move({i}, 3);", f"moveu({w}, 2);", f"set(&{i}, {s});", f"either(n, &{i}, &{j});", f"same({i}) = {s};",
            f"choose(n, {i}, {j}) += 2;", f"({cond} ? {i} : {j}) = {s};", f"({i}, {j}) = {s};", f"++({i} = {s});",
            f"{{ int *{q}[2] = {{&{i}, &{j}}}; *{q}[n & 1] = {s}; }}",
            f"{{ int **{q}, *{q}b = &{i}; {q} = &{q}b; **{q} = {s}; }}",
            f"{{ auto {q} = [&] {{ {i} += 2; }}; {q}(); }}",
            f"{{ auto {q} = [=]() mutable {{ {i} += 5; return {i}; }}; {q}(); {j} = {q}(); }}",
            f"{{ auto {q} = [&{i}](int z) {{ {i} = z; }}; {q}({s}); }}",
            f"{{ auto {q} = [{i}] {{ return {i} + 1; }}; {i} += 4; {j} = {q}(); }}",
            f"*(short *)&{i} = 1;", f"*((char *)&{i} + 1) = 0;", f"reinterpret_cast<unsigned &>({i}) += 3;",
            f"(unsigned &){i} = {s};", f"{{ struct {{ int &r; }} {q} = {{{i}}}; {q}.r = {s}; }}",
            f"{{ struct {{ int *r; }} {q} = {{&{i}}}; *{q}.r = {s}; }}", f"{{ int (*{q})(int) = twice; {i} = {q}({j}); }}",
            f"{{ Both {q}; {q}.whole = {s}; {q}.half[1] = 0; {i} = {q}.whole; }}", f"{c} = {s};",
            f"{{ unsigned char *{q} = &{c}; *{q} += 200; }}", f"{{ Wrapped {q}({i}); {q}.add(3); {j} = {q}.v; }}",
            f"{{ Pair *{q} = &pair; {q}->x = {s}; }}", f"{{ int *{q} = &pair.x; *{q} = {s}; }}",
            f"{{ Pair {q} = pair; {q}.x += 2; Pair {q}c = {q}; pair = {q}c; }}",
            f"{{ auto &[{q}, {q}b, {q}c, {q}d] = pair; {q} = {s}; }}",
            f"{{ auto [{q}, {q}b, {q}c, {q}d] = pair; {i} = {q}; }}",
            f"{{ Outer {q}; {q}.first = pair; {q}.second.x = {i}; {q}.first.x++; {j} = {q}.first.x + {q}.second.x; }}",
            f"{{ Box {q} = box; {q}.size = {s}; Box {q}b = {q}; {j} = {q}b.size; }}",
            f"{{ Box {q} = box; box.size += 1; {j} = {q}.size; }}",
            f"{{ __shared__ int {q}; {q} = {s}; {i} = {q}; }}", f"{{ int {q}[3] = {{1, 2, 3}}; {q}[1] = {s}; {i} = {q}[1]; }}",
            f"{{ volatile int {q} = {s}; {i} = {q}; }}", f"{{ uint3 threadIdx = {{1, 2, 3}}; {i} = threadIdx.x; }}",
            f"{{ struct Dims {{ int x; }} blockDim; blockDim.x = {s}; {i} = blockDim.x; }}",
            f"{{ __shared__ uint3 blockIdx; blockIdx.x = 1; {i} = blockIdx.x; }}",
            f"{i} = ({j} = {s}, {j} + 1);", f"if (({i} = {s}) > 3) {j} += {i};", f"{{ int {i} = {s}; {j} = {i}; }} {i}++;",
            f"for (int {i} = 0; {i} < 3; {i}++) sum++;", f"{{ auto &{q} = {i}; auto *{q}p = &{q}; ++*{q}p; }}",
            f"exchange({i}, {j});", f"exchange<unsigned>({w}, w0);", f"{i} = search({j} & 3, 7);", f"{i} = total(n & 3);",
            f"{{ Wrapped {q} = Wrapped({i}) + 3; {j} = {q}.v; }}",
            f"{{ Small {q} = LOW; {i} = {q} + 10; {c} = {q}; {c} += 10; }}",
            f"{{ bool {q} = {s}; {i} = {q}; }}", f"{{ const int {q} = {s}; {i} += {q}; }}",
            f"{{ char {q} = {i}; {q} *= 3; {j} = {q}; }}",
            f"{{ int {q}[2][2] = {{}}; {q}[1][0] = {i}; {j} = *{q}[1]; }}",
            f"{{ int *{q}; {{ int *{q}i = &{i}; {q} = {q}i; }} {j} = *{q} + 1; (*{q})++; }}",
            f"if constexpr (sizeof(int) == 4) {i} += 1; else {i} += 2;", f"{i} += {i}++ & 1;", f"{j} = {i}++ + ++{w};",
            f"{{ long long {q} = {w} - 3u; {i} = {q}; l0 = {q} + 3; }}", f"{{ long long {q} = {i}; {q} -= 3u; l0 = {q}; }}",
            f"l0 += {w} - 4u;", f"l0 = (unsigned)({i} - 2);", f"{i} = {w} - 9u;", f"h0 = {s}; {i} = h0 + 1;",
            f"{{ auto {q} = [&](auto {q}z) {{ return {q}z + {i}++; }}; {j} = {q}(2); {j} += {q}(3u); }}",
            f"{{ auto {q} = [{q}k = {i} + 1] {{ return {q}k; }}; {j} = {q}(); }}",
            f"{{ Pair {q}[2] = {{pair, pair}}; {q}[1].x = 4; {j} = {q}[0].x; }}",
            f"{{ Pair &{q} = pair; {q}.x = {i}; }}", f"{{ const Pair &{q} = pair; pair.x++; {j} = {q}.x; }}",
            f"c = {s}; {i} = c + 1;",
            f"{{ int {q} = {i}; auto {q}f = [=, &{q}] {{ {q} = {j}; }}; {q}f(); {i} = {q}; }}",
            f"{{ int {q} = 0; auto {q}f = [&{q}, {i}]() mutable {{ {q} += {i}++; }}; {q}f(); {q}f(); {j} = {q}; }}",
            f"{i} = {cond} ? {j} = 3 : 4;", f"q -= 2; l0 = q;", f"{i} = (char)(c * 2);", f"(*(&{i})) += 2;",
            f"pair.bits = {s}; {i} = pair.bits;", f"{i} = ({c} += 9);", f"{i} = {c}++;",
        ])

    def assign(self):
        rng = self.rng
        kind = rng.choice(list(self.names) + ["int"] * 4 + ["unsigned"] * 2)
        v = self.variable(kind)
        op = rng.choice(["="] * 4 + ["+="] * 3 + ["-="] * 2 + ["*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "and_eq"])
        if op in ("*=", "/=", "%=", "<<=", ">>="):
            return f"{v} = ({v} & 31) << 1;" if op == "<<=" else f"{v} {op} {rng.choice(['2', '3u', '2ll'])};"
        return rng.choice([f"{v} {op} {self.simple()};"] * 5 + [f"{v}++;", f"--{v};", f"{v} -= 1u;", f"pair.x = {self.simple()};",
                          f"pair.y = {self.simple()};", f"pair.z = {self.simple()};", f"n += 1;", f"u -= 2;", f"box.size += 2;"])

    def loop(self, depth):
        rng, self.branches = self.rng, True
        q, k, v = self.new("k"), rng.randrange(1, 5), self.variable("int")
        head = rng.choice([
            f"for (int {q} = 0; {q} < {k}; {q}++)", f"for (int {q} = {v} & 7; {q} < 9; {q} += 2)",
            f"for (unsigned {q} = 0; {q} < u; {q}++)", f"for (int {q} = n; {q}-- > 0;)",
            f"for (unsigned {q} = 5; {q} > 0; {q}--)",
            f"for (unsigned char {q} = 250; {q} != 4; {q} += 2)", f"for (int {q} = 0; {q} != 6; {q} += 2)",
            f"for (int {q} = threadIdx.x; {q} < n; {q} += blockDim.x)", f"for (short {q} = 0; {q} < {k}; ++{q})",
            f"for (unsigned {q} = 0; {q} < u - 9 && {q} < 7; {q}++)", f"for (long long {q} = 0; {q} <= n; {q} += 3)",
            f"for (int {q} = 0; (unsigned){q} < threadIdx.x - 1u && {q} < 6; {q}++)",
            f"for (int {q} = 0, z{q} = 7; {q} < z{q}; {q}++, z{q}--)",
            f"for (char {q} = '('; {q} < '.'; {q}++)", f"for (unsigned {q} = 3; {q} != 1 && {q} < 20; {q}++)",
            f"for (int {q} = 0; {q} < (int)threadIdx.x; {q}++)"])
        kind = head.split("(", 1)[1].split(" " + q)[0].strip()
        body = self.inside(depth, {("signed char" if kind in ("short", "char") else kind): q})
        w = self.new("w")
        return rng.choice([f"{head} {{\n{body}\n}}"] * 4 + [
            f"{{ int {w} = {k}; while ({w}-- > 0) {{\n{self.inside(depth, {})}\n}} }}",
            f"{{ int {w} = 0; do {{\n{self.inside(depth, {'int': w})}\n}} while (++{w} < {k}); }}",
            f"{{ int {w} = 0; while (int {w}b = {k} - {w}) {{ {v} = {w}b; {w}++;\n{self.inside(depth, {})}\n}} }}",
            f"{{ int {w} = 0; while (++{w} < {k} + 3) {{\n{self.inside(depth, {'int': w})}\n if ({w} > 4) break; "
            f"if ({v} & 1) continue; {v}++; }} {v} = {w}; }}"])

    def inside(self, depth, more):
        saved = {kind: list(names) for kind, names in self.names.items()}
        for kind, name in more.items():
            if kind in self.names:
                self.names[kind] += [name] * 2
        lines = [self.statement(depth + 1) for _ in range(self.rng.randrange(1, 4))]
        self.names = saved
        return "\n".join(["FUEL"] + lines)

    def branch(self, depth):
        rng, v = self.rng, self.variable("int")
        q = self.new("b")
        self.branches = True
        a, b = self.inside(depth, {}), self.inside(depth, {})
        return rng.choice([
            f"if ({self.condition()}) {{\n{a}\n}}", f"if ({self.condition()}) {{\n{a}\n}} else {{\n{b}\n}}",
            f"if (int {q} = {v} & 3) {{ {v} = {q};\n{a}\n}}", f"if (int {q} = {v}; {q} > 2) {{ {v} += 2;\n{a}\n}}",
            f"if ({v}++; {v} > 3) {{\n{a}\n}}",
            f"switch ({v} & 3) {{ case 0: {v} = 2;\n{a}\n case 1: {v}++; break; default:\n{b}\n;}}",
            f"switch (n) {{ case 2: {{\n{a}\n}} break; case 9: {v} += 3; }}", f"n ?: ({v} = 7);",
            f"sum += ({v} > 2 ? {v}++ : 3);", f"u > 40 && ({v} = 6);",
            f"switch (n & 1) {{ do {{ case 0: {v}++;\n{a}\n case 1: {v} += 2; }} while ({v} < 0); }}",
            f"if ({v} > 90) return;"])

    def statement(self, depth=0):
        r = self.rng.random()
        if r < 0.3:
            return self.read(depth)
        if r < 0.55:
            return self.assign()
        if r < 0.75 or depth > 1:
            return self.alias()
        if r < 0.88:
            return self.loop(depth)
        return self.branch(depth)

    def text(self):
        statements = [self.statement() for _ in range(self.rng.randrange(3, 10))]
        while self.reads < 1:
            statements.append(self.read(0))
        if self.rng.random() < 0.05:
            statements.insert(len(statements) // 2, "goto on; on:;")
        body = "\n".join(statements)
        arrays = ", ".join(f"Array a{i}" for i in range(6))
        return f"""__global__ void kernel{self.number}(Box box, {arrays}, int *out, int n, int m, unsigned u,
                           unsigned char c, long long q)
{{
enum {{ THREE = 3 }};
const int LIMIT = 4;
int i0 = {self.rng.choice(["threadIdx.x", "blockIdx.x * blockDim.x + threadIdx.x", "3", "-2"])};
int i1 = {self.rng.choice(["n", "m", "0", "threadIdx.y"])}, sum = 0;
unsigned w0 = {self.rng.choice(["threadIdx.x", "u", "4", "blockIdx.x"])};
long long l0 = {self.rng.choice(["threadIdx.x", "n - 3", "2", "w0 - 3u"])};
unsigned char c0 = {self.rng.choice(["250", "n", "threadIdx.x", "3"])};
signed char s0 = {self.rng.choice(["-5", "m", "100", "threadIdx.x"])};
unsigned short h0 = {self.rng.choice(["65530", "n", "3"])};
Pair pair = {{1, 2, 3, 4}};
pair.x = i0;
{body}
out[0] = sum;
}}
"""


def host_main(kernels):
    lines = []
    for k in kernels:
        arrays = ", ".join(f"Array{{{k.number * 8 + i}, 0}}" for i in range(6))
        box = f"Box{{Array{{{k.number * 8 + 7}, 0}}, {ARGUMENTS['box.size']}, {ARGUMENTS['box.step']}}}"
        lines.append(f"RUN(kernel{k.number}({box}, "
                     f"{arrays}, out, {ARGUMENTS['n']}, {ARGUMENTS['m']}, {ARGUMENTS['u']}, {ARGUMENTS['c']}, {ARGUMENTS['q']}))")
    return f"""
#ifdef HOST
#define RUN(call) for (unsigned b = 0; b < {GRID[0] * GRID[1]}; b++) for (unsigned t = 0; t < {BLOCK[0] * BLOCK[1]}; t++) {{ \\
	blockIdx = uint3{{b % {GRID[0]}, b / {GRID[0]}, 0}}; threadIdx = uint3{{t % {BLOCK[0]}, t / {BLOCK[0]}, 0}}; fuel = 0; call; }}
int main()
{{
	int out[1];
	gridDim = uint3{{{GRID[0]}, {GRID[1]}, 1}};
	blockDim = uint3{{{BLOCK[0]}, {BLOCK[1]}, 1}};
{chr(10).join(lines)}
	for (auto &one : seen) {{
		printf("%d %d", one.first.first, one.first.second);
		for (long long at : one.second)
			printf(" %lld", at);
		puts("");
	}}
}}
#endif
"""


def run(command, **more):
    done = subprocess.run(command, check=False, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return done.stdout


def rows_at(rows, block):
    x, y = block % GRID[0], block // GRID[0]
    return [(r["low"] + r["ctaid"][0] * x + r["ctaid"][1] * y, r["high"] + r["ctaid"][0] * x + r["ctaid"][1] * y) for r in rows]


def judge(kernel, indexes, seen):
    """Errors, and the number of array reads with rows."""
    wrong, judged = [], 0
    for i in range(kernel.reads):
        array = f"a{i}"
        mine = [index for index in indexes if index["array"] == array]
        reads = {block: at for (number, block), at in seen.items() if number == kernel.number * 8 + i}
        if reads and not mine:
            wrong.append(f"{array} is read, and not in the table")
        if not mine or any(index["rows"] == [] and index["why"] for index in mine):
            continue
        judged += 1
        for block, at in reads.items():
            rows = [row for index in mine for row in rows_at(index["rows"], block)]
            outside = [a for a in at if not any(low <= 4 * a and 4 * a + 4 <= high for low, high in rows)]
            if outside:
                wrong.append(f"{array} is read at {outside[:4]} by block {block}, outside of bytes {rows[:4]}")
                break
            certain = all(index["status"] in ("static", "quasi-static") for index in mine)
            exact = array in kernel.always and not kernel.branches and certain
            if exact and (min(at) * 4 != min(low for low, _ in rows) or max(at) * 4 + 4 != max(high for _, high in rows)):
                wrong.append(f"{array} is read from {min(at)} to {max(at)} by block {block}, said to be bytes {rows[:4]}")
                break
    return wrong, judged


def check(sluice, seeds):
    """Runs the programs of some seeds. Returns (failed programs, reads with rows, reads)."""
    kernels = [Kernel(random.Random(seed), seed) for seed in seeds]
    texts = [kernel.text() for kernel in kernels]
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "a.cu"), os.path.join(folder, "a")
        with open(source, "w", encoding="ascii") as file:
            file.write(PRELUDE + "\n".join(texts) + host_main(kernels))
        flags = ["-std=c++17", "-w"]
        run(["clang++-14", "-x", "c++", *flags, "-DHOST", "-fwrapv", source, "-o", binary])
        launch = ",".join(str(v) for v in GRID + BLOCK)
        arguments = [word for name, value in ARGUMENTS.items() for word in ("--arg", f"{name}={value}")]
        command = [sluice, "analyze", "--form", "source", "--json", "--gap", "0", "--launch", launch]
        table = json.loads(run(command + arguments + [source]))
        seen = {}
        for line in run([binary], timeout=60).splitlines():
            number, block, *at = (int(word) for word in line.split())
            seen[number, block] = at
    indexes = {kernel["name"]: kernel["indexes"] for kernel in table["kernels"]}
    failures = judged = 0
    for kernel, text in zip(kernels, texts):
        wrong, more = judge(kernel, indexes[f"kernel{kernel.number}"], seen)
        judged += more
        if wrong:
            failures += 1
            sys.stderr.write(text + "".join(f"seed {kernel.number}: {line}\n" for line in wrong))
    return failures, judged, sum(kernel.reads for kernel in kernels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("--programs", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    end = arguments.seed + arguments.programs
    failures = judged = reads = 0
    for first in range(arguments.seed, end, BATCH):
        more = check(arguments.sluice, range(first, min(first + BATCH, end)))
        failures, judged, reads = failures + more[0], judged + more[1], reads + more[2]
    print(f"{arguments.programs} programs, {reads} reads, {judged} with rows, {failures} programs wrong")
    return failures != 0 or (arguments.programs > 20 and judged * 10 < reads)


if __name__ == "__main__":
    sys.exit(main())
