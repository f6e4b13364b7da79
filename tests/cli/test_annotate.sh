#!/bin/sh
# Protects `sluice annotate`, `effort` and `mix`: what they print for a source, and their error messages.
set -u
. "$(dirname "$0")/lib.sh"

cat >"$work/add.cu" <<'CU'
#include "width.h"
__global__ void add(const float *a, const float *b, float *c)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	c[i] = a[i] + b[i];
}

__global__ void add_shared(const float *a, const float *b, float *c)
{
	// first fetch
	__shared__ float tile[WIDTH];
	int i = blockIdx.x * WIDTH + threadIdx.x;
	tile[threadIdx.x] = a[i];
	__syncthreads();
	c[i] = tile[threadIdx.x] + b[i];
}
CU
mkdir "$work/include"
echo '#define WIDTH 64' >"$work/include/width.h"

try 1 annotate "$work/add.cu"
says err "add.cu:1:10: error: 'width.h' file not found"
try 0 annotate -I "$work/include" "$work/add.cu"
silent err
says out "a[i]: quasi-static; element 64*blockIdx.x + threadIdx.x; stride in bytes: blockIdx.x 256 threadIdx.x 4"
try 0 annotate -I "$work/include" --html "$work/add.cu"
says out "<!DOCTYPE html>"
says out "#include &quot;width.h&quot;"
try 0 annotate -I "$work/include" --table "$work/add.cu"
says out "2 kernels, 6 arrays, 4 indexes"

cp "$work/include/width.h" "$work"
try 0 effort "$work/add.cu:add" "$work/add.cu:add_shared"
says out "2 code lines"
says out "5 code lines"
says out "2.50 improvement"
try 1 effort "$work/add.cu:add" "$work/add.cu:sub"
says err "add.cu has no kernel 'sub'; it has:"
try 2 effort "$work/add.cu:add"
says err "expected two kernels"
try 2 effort "$work/add.cu" "$work/add.cu:add"
says err "expected FILE.cu:KERNEL"
# The instruction mix of two kernels, of source and of PTX.
try 0 mix "$work/add.cu:add" "$work/add.cu:add_shared"
grep -qE '^bar +0 +1  ' "$work/out" || fail "expected only the second kernel's barrier"
ld=$(awk '$1 == "ld" { print $3 - $2 }' "$work/out")
[ "$ld" = 1 ] || fail "expected one more load, from the tile"
total=$(awk '$1 == "total" { print $2, $3 }' "$work/out")
sum=$(awk 'NR > 4 && $1 != "total" { a += $2; b += $3 } END { print a, b }' "$work/out")
[ "$total" = "$sum" ] || fail "expected that the kinds add up to $total, not $sum"
try 0 mix "$kernels/saxpy.ptx:saxpy" "$work/add.cu:add"
try 1 mix "$kernels/saxpy.ptx:saxpy" "$work/add.cu:sub"
says err "add.cu has no kernel 'sub'; it has:"
try 2 mix "$work/add.cu:add"
says err "expected two kernels"

try 1 annotate "$work/none.cu"
says err "cannot read $work/none.cu: No such file or directory"
try 2 annotate
says err "no file given"

finish
