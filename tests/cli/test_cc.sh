#!/bin/sh
# Protects `sluice cc`: the inputs it compiles, the flags it accepts, the errors it passes on, and that no temporary
# file remains.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_CLANG SLUICE_TOOLKIT SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS_FORMAT SLUICE_MAX_INSTRUCTIONS
mkdir "$work/tmp"
TMPDIR=$work/tmp
SLUICE_FUNCTIONAL=1
SLUICE_STATS=$work/stats.json
export TMPDIR SLUICE_FUNCTIONAL SLUICE_STATS
cd "$work" || exit 1

# runs PROGRAM TEXT: the program succeeds and prints the text.
runs() {
	tried=$1
	LD_PRELOAD=$preload "$1" >"$work/out" 2>"$work/err" || fail "exit status $?"
	says out "$2"
}

cat >main.cu <<'CU'
#include <cstdio>
#ifndef STEP
#define STEP 1
#endif
__global__ void add(int *p) { *p += STEP; }
void other(int *p);
int main()
{
	int *p, h = 0;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	add<<<1, 1>>>(p);
	other(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("sum %d\n", h);
}
CU
cat >other.cu <<'CU'
static __global__ void add(int *p) { *p += 10; }
void other(int *p) { add<<<1, 1>>>(p); }
CU

try 0 cc --help
says out "--device-ptx"
try 2 cc
says err "no input files"

# Two files in one command, and each compiled separately and then linked. Two kernels with the same name stay distinct.
try 0 cc main.cu other.cu -o both
[ -n "$preload" ] || silent err # libasan makes the linker warn
runs ./both "sum 11"
try 0 cc -c main.cu -o main.o
try 0 cc -c -DSTEP=5 main.cu -o five.o
try 0 cc -c other.cu -O0
try 0 cc main.o other.o -o linked
runs ./linked "sum 11"
try 0 cc five.o other.o -o linked
runs ./linked "sum 15"

# nvcc's spellings of options.
try 0 cc -arch=sm_35 -lineinfo -use_fast_math -std=c++14 -Xcompiler -Wall,-O1 -maxrregcount=32 --ptxas-options=-v \
	-gencode arch=compute_30,code=sm_30 -rdc=false -lcudart main.cu other.cu -o flags
[ -n "$preload" ] || silent err # libasan makes the linker warn
runs ./flags "sum 11"
try 0 cc --ptx -arch compute_30 main.cu
grep -q '^\.target sm_30' main.ptx || fail "expected PTX for sm_30"
try 0 cc -ptx -gencode=arch=compute_50,code=sm_50 -gencode arch=compute_90,code=sm_90 main.cu -o newest.ptx
grep -q '^\.target sm_86' newest.ptx || fail "expected PTX for the newest architecture known"
try 0 cc --ptx main.cu
grep -q '^\.target sm_70' main.ptx || fail "expected PTX for sm_70"
try 2 cc -arch=fermi main.cu
says err "expected sm_NN"

# -maxrregcount applies to kernels without launch bounds, in the PTX and in the program.
cat >bounds.cu <<'CU'
__global__ void __launch_bounds__(64, 2) bounded(int *p) { *p += 1; }
__global__ void unbounded(int *p) { *p += 2; }
__global__ void without_parameters() {}
CU
for flag in -maxrregcount=8 "--maxrregcount 8"; do
	# shellcheck disable=SC2086 # a flag and its value
	try 0 cc --ptx $flag bounds.cu
	[ "$(sed -n '/\.entry/s/(.*//p; /^\.maxnreg 8$/p' bounds.ptx | tr '\n' ' ')" = \
		".visible .entry _Z7boundedPi .visible .entry _Z9unboundedPi .maxnreg 8 .visible .entry _Z18without_parametersv .maxnreg 8 " ] ||
		fail "expected .maxnreg 8 for the two kernels without launch bounds"
done
try 0 cc --ptx bounds.cu -o -
says out ".entry _Z9unboundedPi"
! grep -q maxnreg out || fail "expected no .maxnreg without a flag"
try 0 cc --ptx -maxrregcount=0 bounds.cu -o -
! grep -q maxnreg out || fail "expected no .maxnreg for 0"
try 2 cc -maxrregcount=many bounds.cu
says err "expected a number of registers"
try 2 cc -maxrregcount=256 bounds.cu
says err "0 (no limit) to 255, not '256'"
try 2 cc -maxrregcount=8 --device-ptx main.ptx main.cu
says err "write .maxnreg into that file"

# -O sets the level of the host code, as in nvcc, and the last one holds. Device code is the same at each level.
cat >level.cu <<'CU'
__global__ void sum(float *p, int n)
{
	float s = 0;
	for (int i = 0; i < n; i++)
		s += p[i] * p[i];
	p[threadIdx.x] = s;
}
#ifdef __OPTIMIZE__
const char *level = "host code is optimized";
#else
const char *level = "host code is as written";
#endif
CU
try 0 cc --ptx level.cu -o level.ptx
for level in -O1 -O3 "-O3 -O0" "-Xptxas -O0"; do
	# shellcheck disable=SC2086 # a flag and its value
	try 0 cc --ptx $level level.cu -o other.ptx
	cmp -s level.ptx other.ptx || fail "device code differs with $level"
	# shellcheck disable=SC2086
	try 0 cc $level -c level.cu -o level.o
	optimized=true
	case $level in *-O0) [ "$level" = "-Xptxas -O0" ] || optimized=false ;; esac
	found=false
	grep -q 'host code is optimized' level.o && found=true
	[ "$found" = "$optimized" ] || fail "$level: expected optimized host code: $optimized, not $found"
done

# The same limit through ptxas's own options; the other options here have no effect.
for flag in "-Xptxas -maxrregcount=8" "-Xptxas=-v,-maxrregcount=8" "-Xptxas -maxrregcount -Xptxas 8" \
	"--ptxas-options=-maxrregcount,8,-O3" "--ptxas-options -v,--maxrregcount=8"; do
	# shellcheck disable=SC2086 # a flag and its value
	try 0 cc --ptx $flag bounds.cu -o -
	[ "$(grep -c '^\.maxnreg 8$' out)" = 2 ] || fail "expected .maxnreg 8 for two kernels"
done
# ptxas's cache options set the cache operators of plain loads and stores to global memory.
cat >caches.cu <<'CU'
__global__ void copy(float4 *p, const float *q, volatile int *v, int *n)
{
	__shared__ int s[32];
	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	p[1] = make_float4(p[0].x + 1, p[0].y, p[0].z, p[0].w);
	*n += *v + s[31 - threadIdx.x] + (int)__ldg(q);
	asm("ld.global.ca.u32 %0, [%1];" : "=r"(n[1]) : "l"(n));
}
int main() { float4 *p; cudaMalloc(&p, 256); copy<<<1, 32>>>(p, (float *)p, (int *)p, (int *)p); }
CU
try 0 cc --ptx caches.cu -o plain.ptx
try 0 cc --ptx -Xptxas -v,-dlcm=cg -Xptxas --def-store-cache=wt caches.cu -o cached.ptx
sed 's/ld\.global\.cg\./ld.global./; s/st\.global\.wt\./st.global./' cached.ptx | cmp -s - plain.ptx || fail "expected a difference only in the operators"
accesses=$(sed -n 's/.*[^a-z]\(\(ld\|st\)\.[a-z0-9.]*\).*/\1/p' cached.ptx | grep -v param | sort | tr '\n' ' ')
[ "$accesses" = "ld.global.ca.u32 ld.global.cg.u32 ld.global.cg.v4.f32 ld.global.nc.f32 ld.shared.u32 ld.volatile.global.u32 \
st.global.wt.u32 st.global.wt.u32 st.global.wt.v4.f32 st.shared.u32 " ] || fail "wrong accesses: $accesses"
try 2 cc -Xptxas -dlcm=l2 caches.cu
says err "sluice cc: -dlcm: expected one of ca|cg|cs|cv, not 'l2'"
try 2 cc -Xptxas -maxrregcount=many bounds.cu
says err "expected a number of registers"

# clang's own option for PTX output gives the same as --ptx, with the corrections of our ptxas: a shift by 31 keeps its
# sign.
echo '__global__ void shift(unsigned long long *p, int x) { *p = (unsigned long long)(long long)(x + 1) << 31; }' >shift.cu
try 0 cc --ptx shift.cu -o shift.ptx
grep -q 'neg\.s64' shift.ptx || fail "expected the shift to be put right"
try 0 cc -S --cuda-device-only shift.cu -o clang.ptx
cmp -s shift.ptx clang.ptx || fail "expected what --ptx writes"
try 0 cc -S -emit-llvm --cuda-device-only shift.cu -o shift.ll
grep -q '^define' shift.ll || fail "expected LLVM's assembly"
try 0 cc -S --cuda-host-only shift.cu -o shift.s
grep -q 'main\|shift' shift.s || fail "expected the host's assembly"

# Our runtime is linked and loaded even if another toolkit's folder is named, and after -x.
mkdir -p "$work/vendor"
echo 'int cudaMalloc(void) { return 9; }' | cc -xc - -shared -o "$work/vendor/libcudart.so"
cp "$work/vendor/libcudart.so" "$work/vendor/libcudart.so.11.0"
for flags in "-lcudart" "-l cudart" "-x cu"; do
	# shellcheck disable=SC2086 # a flag and its value
	try 0 cc "-L$work/vendor" "-Wl,-rpath,$work/vendor" -o other_toolkit $flags main.cu other.cu
	runs ./other_toolkit "sum 11"
done
for flag in -o -L -I -Xclang; do
	try 2 cc main.cu other.cu $flag
	says_only err "sluice cc: $flag: expected a value"
done

# With device code from a file, the program runs that file's code.
sed 's/, 1;/, 100;/' main.ptx >hundred.ptx
try 0 cc --device-ptx hundred.ptx -c main.cu -o main.o
try 0 cc main.o other.o -o device
runs ./device "sum 110"
try 0 cc "$kernels/fma.cu" --device-ptx "$kernels/fma.ptx" -o fma
try 2 cc --device-ptx missing.ptx main.cu
says err "cannot read missing.ptx"
try 2 cc --device-ptx main.ptx main.cu other.cu
says err "one .cu file"
try 2 cc main.ptx -o program
says_only err "sluice cc: main.ptx is PTX; with --device-ptx it is the device code of a .cu file, whose host code runs it"
TMPDIR=$work/nowhere
try 1 cc main.cu
says err "No such file or directory (TMPDIR names its parent folder)"
TMPDIR=$work/tmp
try 2 cc --device-ptx main.cu main.cu
says err "expected a PTX file"
sed 's/add\.s32/adddd.s32/' main.ptx >broken.ptx
try 1 cc --device-ptx broken.ptx -c main.cu -o broken.o
says err "unknown opcode 'adddd'"
says err "broken.ptx:"
[ ! -e broken.o ] || fail "expected no object of device code that does not parse"

# Headers for cooperative groups and 16-bit types compile for every architecture that has shuffles.
cat >groups.cu <<'END'
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(int *p, half2 *h)
{
	auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
	p[threadIdx.x] = cooperative_groups::inclusive_scan(tile, p[threadIdx.x]);
	h[threadIdx.x] = __hfma2(h[threadIdx.x], h[threadIdx.x], h[threadIdx.x]);
}
END
for architecture in sm_30 sm_60 sm_80; do
	try 0 cc -arch=$architecture --ptx groups.cu -o groups.ptx
done

# Errors.
echo 'int main() { return wrong; }' >wrong.cu
try 1 cc wrong.cu -o wrong
says err "wrong.cu:1:21: error: use of undeclared identifier 'wrong'"
try 1 cc no-such-file.cu
echo 'extern "C" __device__ float __nv_far(float); __global__ void k(float *p) { *p = __nv_far(*p); } int main() {}' >wrong.cu
try 1 cc wrong.cu
says err "device function 'far' is not in Sluice's device library"
echo '#include <cusolverDn.h>' >wrong.cu
try 1 cc -c wrong.cu -o wrong.o
says err "sluice: <cusolverDn.h>: this library comes as machine code for GPUs"
# A missing header that a Debian package provides: the message names the package.
echo '#include <thrust/device_vector.h>' >wrong.cu
if ! [ -e /usr/include/thrust/device_vector.h ]; then
	try 1 cc -c wrong.cu -o wrong.o
	says err "Debian's package libthrust-dev"
fi
mkdir -p own/thrust
: >own/thrust/device_vector.h
try 0 cc -I own -c wrong.cu -o own.o
echo '__device__ int far(int); __global__ void k(int *p) { *p = far(3); } int main() {}' >wrong.cu
try 1 cc wrong.cu
says err "far"
echo '__managed__ int shared_by_both; __global__ void k() { shared_by_both = 3; } int main() {}' >managed.cu
try 0 cc managed.cu
SLUICE_TOOLKIT=/no/such/folder
export SLUICE_TOOLKIT
try 1 cc main.cu
says err "SLUICE_TOOLKIT=/no/such/folder"
unset SLUICE_TOOLKIT
# An interrupted build leaves an incomplete toolkit.
mkdir -p half/nvvm/libdevice
: >half/version.json
SLUICE_TOOLKIT=$work/half
export SLUICE_TOOLKIT
try 1 cc main.cu -o half/a
says_only err "sluice cc: cannot read $work/half/nvvm/libdevice/libdevice.10.bc: No such file or directory; 'make' builds what is missing"
: >half/nvvm/libdevice/libdevice.10.bc
try 1 cc main.cu -o half/a
says err "half/lib64/libcudart.so: No such file or directory; 'make' builds"
unset SLUICE_TOOLKIT
SLUICE_CLANG=no-such-compiler
export SLUICE_CLANG
try 127 cc main.cu
says err "cannot start no-such-compiler"
unset SLUICE_CLANG

try 0 cc -v -c main.cu -o main.o
says err "clang++"
says err "--cuda-path="
[ -z "$(ls "$work/tmp")" ] || fail "temporary files remain: $(ls "$work/tmp")"

# The reference programs compile with the current compiler.
for source in "$kernels"/*.cu; do
	try 0 cc -c "$source" -o reference.o
done
finish
