#!/bin/sh
# Protects `sluice ptx`: the facts of a kernel, the round trip, and messages with a position.
set -u
. "$(dirname "$0")/lib.sh"

try 0 ptx "$kernels/matmul_tiled.ptx"
says out "PTX 3.2, sm_20, 1 kernel, 0 functions"
says out "  shared        2048 bytes per block"
says out "  parameters    4, 28 bytes"
says out "gtx480"
says out "  memory        global 3, param 4, shared 34"
says out "fma 16"
silent err
try 0 ptx --threads 1024 "$kernels/pchase.ptx"
says out "1 blocks of 1024 threads per SM, 32 warps; limited by threads"

# CUDA source is compiled. A binary file gives a one-line message and is not printed.
printf '__global__ void twice(float *a) { a[threadIdx.x] *= 2; }\n' >"$work/twice.cu"
try 0 ptx "$work/twice.cu"
says out "_Z5twicePf"
try 2 ptx "$sluice"
says_only err "sluice ptx: $sluice is not text: expected PTX or CUDA source"

# The output parses and prints the same text again.
for file in "$kernels"/*.ptx; do
	try 0 ptx --print "$file"
	cp "$work/out" "$work/once.ptx"
	try 0 ptx --print "$work/once.ptx"
	cmp -s "$work/out" "$work/once.ptx" || fail "not the same when printed twice"
done
try 0 ptx --cfg "$kernels/saxpy.ptx"
says out 'digraph "saxpy" {'

# Fewer registers: values moved to local memory are reported, and the output stays within the limit.
try 0 ptx --registers 12 "$kernels/matmul_tiled.ptx"
grep -qE '^  registers     (9|1[0-2]) per thread$' "$work/out" || fail "expected at most 12 registers"
grep -qE '^  spills        [0-9]+ bytes per thread, [0-9]+ loads, [0-9]+ stores$' "$work/out" || fail "expected spills"
try 0 ptx --registers 12 --print "$kernels/matmul_tiled.ptx"
grep -q 'st.local.b32 \[__spill' "$work/out" || fail "expected stores of spilled registers"
cp "$work/out" "$work/spilled.ptx"
try 0 ptx --registers 12 "$work/spilled.ptx"
grep -qE '^  registers     12 per thread$' "$work/out" || fail "expected 12 registers once printed"
grep -q 'spills' "$work/out" && fail "it was already spilled"
# A limit below an assembler's estimate but above the actual need leaves the code unchanged.
try 0 ptx --registers 20 "$kernels/matmul_tiled.ptx"
grep -qE '^  registers     20 per thread$' "$work/out" || fail "expected 20 registers"
grep -q 'spills' "$work/out" && fail "20 registers are enough"
try 0 ptx --print "$kernels/matmul_tiled.ptx"
cp "$work/out" "$work/whole.ptx"
try 0 ptx --registers 20 --print "$kernels/matmul_tiled.ptx"
cmp -s "$work/out" "$work/whole.ptx" || fail "20 registers are enough for the code as it is"
try 0 ptx --threads 1024 --registers 99 "$kernels/matmul_tiled.ptx"
grep -q 'spills' "$work/out" && fail "spilled without need"
try 1 ptx --registers 2 "$kernels/matmul_tiled.ptx"
says err "a thread may have 2 registers but needs"
try 1 ptx --registers 2 --print "$kernels/matmul_tiled.ptx"
says err "registers, even with all others in local memory"
silent out
try 2 ptx --registers 2000 "$kernels/matmul_tiled.ptx"
says err "expected at most 1024"

sed 's/fma.rn.f32/fmaa.rn.f32/' "$kernels/saxpy.ptx" >"$work/bad.ptx"
try 1 ptx "$work/bad.ptx"
grep -qE "bad.ptx:[0-9]+:[0-9]+: error: .*fmaa" "$work/err" || fail "expected file, line and column"
silent out
# A kernel that the compiler emptied is reported; one without parameters is assumed to be empty on purpose.
head='.version 6.0
.target sm_60
.address_size 64
.file 1 "scale.cu"'
printf '%s\n' "$head" '.visible .entry emptied(.param .u64 data)' '{' '.loc 1 7 1' 'ret;' '}' \
	'.visible .entry warmup()' '{' 'ret;' '}' '.visible .entry used(.param .u64 data)' '{' 'membar.gl;' 'ret;' '}' >"$work/empty.ptx"
try 0 ptx "$work/empty.ptx"
says_only err "sluice: warning: scale.cu:7: kernel 'emptied' has parameters but only returns; if its source does more, the compiler found undefined behavior in it"

try 2 ptx "$work/none.ptx"
says_only err "sluice ptx: cannot read $work/none.ptx: No such file or directory"
try 2 ptx -m no-such-machine "$kernels/saxpy.ptx"
says err "no-such-machine"

finish
