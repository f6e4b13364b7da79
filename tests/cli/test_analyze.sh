#!/bin/sh
# Protects `sluice analyze`: statuses, rows of a launch, and JSON, for PTX and for CUDA source, and its error messages.
set -u
. "$(dirname "$0")/lib.sh"

cat >"$work/add.cu" <<'CU'
__global__ void gather(const float *a, const int *index, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[k];
	c[i] = sum + a[index[i]];
}
CU
try 0 analyze "$work/add.cu"
says out "quasi-static"
says out "induction"
says out "indirect"
try 0 cc --ptx "$work/add.cu" -o "$work/add.ptx"
try 0 analyze --json --kernel gather --launch 4,64 --arg 3=8 "$work/add.ptx"
python3 - "$work/out" <<'PY' || fail "the JSON does not match the kernel's reads"
import json, sys
(kernel,) = json.load(open(sys.argv[1]))["kernels"]
statuses = sorted((index["status"], index["relaxed"]) for index in kernel["indexes"])
assert kernel["arrays"] == 3, kernel
assert ("quasi-static", "quasi-static") in statuses and ("induction", "quasi-static") in statuses, statuses
assert any(strict == "indirect" for strict, relaxed in statuses), statuses
PY
# PTX and source of the same kernels: the counts of TELEPORT's Fig. 3 and 4 and the ranges of its Table 1. Reads that
# the compiler changed are no disagreement.
cat >"$work/forms.cu" <<'CU'
struct Node { int first, count; };
template <int TILE> __device__ int corner(const int *tile, int width)
{
	return tile[(threadIdx.y + blockIdx.y * TILE) * width + blockIdx.x * TILE + threadIdx.x]; // line 4
}
__global__ void both(const int *tile, const Node *nodes, int *out, int width, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, sum = corner<16>(tile, width);
	sum += nodes[i].first; // line 9
	sum += nodes[i].count * nodes[i].first;
#pragma unroll
	for (int k = 0; k < 4; k++)
		sum += tile[k * 32 + threadIdx.x]; // line 13
	if (i < n)
		sum += out[i]; // line 15
	out[i + 1] = sum;
}
__global__ void differ(const int *a, int *out)
{
	int place[2];
	for (int k = 0; k < 2; k++)
		place[k] = threadIdx.x + k;
	out[threadIdx.x] = a[place[1]]; // line 23
}
CU
cd "$work" || exit 1
try 0 analyze --launch 4,2,1,16,16,1 --arg width=100 --arg n=40 --kernel both forms.cu
says out "both (forms.cu:6), source form: 3 arrays, 6 indexes"
says out "  strict  0 static, 5 quasi-static, 1 induction, 0 indirect, 0 control, 0 operator"
says out "  relaxed 0 static, 6 quasi-static, 0 induction, 0 indirect, 0 control, 0 operator"
says out "quasi-static a1 x:16 y:1600  a0 0/1515  16 rows "
says out "nodes           10  quasi-static quasi-static a1 x:16  a0 0/15 "
says out "_Z4bothPKiPK4NodePiii, PTX form: 3 arrays, 8 indexes"
says out "comparison with _Z4bothPKiPK4NodePiii: both forms agree"
says out "the compiler unrolled the loop"
try 0 analyze --form ptx --launch 4,2,1,16,16,1 --arg width=100 --arg n=40 --kernel both forms.cu
grep -q "source form" out && fail "--form ptx shows the source form"
try 0 analyze --form source forms.cu
grep -q "PTX form" out && fail "--form source shows the PTX form"
try 0 analyze forms.cu
says out "comparison with _Z6differPKiPi: the forms disagree"
says out "source form: indirect, relaxed indirect; PTX form: quasi-static, relaxed quasi-static"
try 0 analyze --json --launch 4,2,1,16,16,1 --arg width=100 --arg n=3 forms.cu
python3 - out <<'PY' || fail "the JSON does not match the forms"
import json, sys
both, differ = json.load(open(sys.argv[1]))["kernels"]
assert (both["name"], both["form"], both["arrays"]) == ("both", "source", 3), both
tile = next(index for index in both["indexes"] if index["line"] == 4)
assert tile["rows"][1] == {"ctaid": [64, 6400, 0], "low": 400, "high": 464}, tile
assert len(tile["rows"]) == 16 and tile["array"] == "tile" and tile["file"] == "forms.cu", tile
assert both["strict"]["induction"] == 1 and both["relaxed"]["quasi-static"] == 6, both
(ptx,) = both["ptx"]
(same,) = (index for index in ptx["indexes"] if index["line"] == 4)
assert same["rows"] == tile["rows"] and same["array"] == "tile", same
# Threads past n do not read: the PTX form knows this, the source form includes them.
assert both["disagreements"] == [], both["disagreements"]
assert any("branches" in d["what"] and d["line"] == 15 for d in both["explained"]), both["explained"]
(wrong,) = differ["disagreements"]
assert (wrong["array"], wrong["line"]) == ("a", 23), wrong
PY
try 0 analyze --launch 4,64 --kernel both forms.cu
says out "no --arg width="
try 2 analyze --launch 4,64 --arg height=3 forms.cu
says err "--arg height=3: no kernel shown has such a parameter"
try 2 analyze --form source add.ptx
says err "PTX has no source form"
try 2 analyze --form all forms.cu
says err "expected one of source, ptx, both"
# A kernel is matched by its own name, whatever its parameter types. Members of a structure are given by name. Where an
# index wraps around, neither form has rows.
cat >grid.cu <<'CU'
namespace inner {
struct Grid { const float *cells; int width; };
__global__ void scaled(Grid grid, float *out) { out[0] = grid.cells[threadIdx.x * grid.width]; }
}
struct Grid { const float *cells; int width; };
__global__ void first(Grid grid, float *out) { out[0] = grid.cells[threadIdx.x + grid.width]; }
__global__ void wraps(const float *a, float *out) { out[0] = a[threadIdx.x - 5u]; }
__global__ void guards(const float *a, float *out) { if (threadIdx.x >= 5) out[0] = a[threadIdx.x - 5u]; }
CU
try 0 analyze --launch 2,32 --arg grid.width=3 grid.cu
says out "comparison with _Z5first4GridPf"
says out "comparison with _ZN5inner6scaledENS_4GridEPf"
says out "quasi-static a1 0  a0 3/34 "
says out "quasi-static an index may wrap around its type "
says out "comparison with _Z5wrapsPKfPf: both forms agree"
says out "comparison with _Z6guardsPKfPf: both forms agree"
grep -q "the PTX form has no such kernel" out && fail "a kernel whose parameter is a structure is not found"
try 2 analyze --launch 2,32 --arg grid.width=3 --kernel wraps grid.cu
says err "--arg grid.width=3: no kernel shown has such a parameter"
printf '#include "part.h"\n__global__ void k(int *a) { a[0] = a[PLACE]; }\n' >flags.cu
mkdir -p inner && touch inner/part.h
try 0 analyze -I inner -D PLACE=threadIdx.x flags.cu
says out "both forms agree"

# A launch in device code is a call with unknown effects. The code around it is analyzed, also in headers, under the
# files' own names.
printf '__device__ void start(int *p) { child<<<1, 32>>>(p); }\n' >inner/starts.h
cat >launching.cu <<'CU'
__global__ void child(int *p) { p[threadIdx.x] += 1; }
#include "starts.h"
__global__ void parent(int *p, const int *q, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, v = q[i];
	if (threadIdx.x == 0)
		child<<<1, n>>>(p + 32);
	start(p);
	p[i] = v;
}
CU
try 0 analyze -I inner --kernel parent launching.cu
says out "parent (launching.cu:3), source form"
says out "q                5  quasi-static"
says out "both forms agree"
try 0 annotate -I inner launching.cu
says out "child<<<1, n>>>(p + 32);"

try 2 analyze
try 2 analyze "$work/missing.ptx"
says err "missing.ptx"
try 2 analyze --kernel nothing "$work/add.ptx"
says err "nothing"
finish
