#!/bin/sh
# Protects the toolkit's nvcc: options that Makefiles use, files of several languages, launches with blanks, and device
# code in several files. Also covers a second toolkit in the search paths.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_CLANG SLUICE_TOOLKIT SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS_FORMAT SLUICE_MAX_INSTRUCTIONS
SLUICE_FUNCTIONAL=1
SLUICE_STATS=$work/stats.json
export SLUICE_FUNCTIONAL SLUICE_STATS
cd "$work" || exit 1
toolkit=$("$sluice" toolkit) || fail "no toolkit"
nvcc=$toolkit/bin/nvcc

# makes STATUS ARGUMENT...: runs nvcc.
makes() {
	wanted=$1
	shift
	tried="nvcc $*"
	got=0
	"$nvcc" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
}

# runs PROGRAM TEXT: the program succeeds and prints the text.
runs() {
	tried=$1
	LD_PRELOAD=$preload "$1" >"$work/out" 2>"$work/err" || fail "exit status $?"
	says out "$2"
}

# The toolkit's folder, and the queries that scripts make.
try 0 toolkit
says_only out "$toolkit"
try 0 toolkit --help
says out CUDA_HOME
try 2 toolkit word
try 2 toolkit --cuda 14
says err "expected 11, 12 or 13, not '14'"
for cuda in 11 12 13; do
	try 0 toolkit --cuda $cuda
	face=$(cat out)
	case $cuda in 12) [ "$face" = "$toolkit" ] ;; *) [ "$face" = "$toolkit/cuda-$cuda" ] ;; esac || fail "CUDA $cuda is $face"
	for file in bin/nvcc bin/ptxas include/cuda_runtime.h include/bits include/nvtx3/nvToolsExt.h lib64/libcudart.so version.json nvvm/libdevice; do
		[ -e "$face/$file" ] || fail "no $file in $face"
	done
done
for file in bin/nvcc bin/ptxas bin/fatbinary include/cuda_runtime.h include/cuda.h lib64/libcudart.so lib/libcudart_static.a lib64/libcuda.so \
	lib64/stubs/libcuda.so lib/libcudadevrt.a version.txt version.json nvvm/libdevice; do
	[ -e "$toolkit/$file" ] || fail "no $file in the toolkit"
done
makes 0 --version
says out "release 12.4, V12.4.0"
says out "nvcc: NVIDIA (R) Cuda compiler driver"
says out Sluice
for release in 11.5 12.4 13.0; do
	makes 0 --cuda-version ${release%.*} --version
	says out "release $release, V$release.0"
done
makes 2 --cuda-version 10 --version
says err "expected 11, 12 or 13"
makes 2
says err "no input files"
ln -s "$nvcc" my-nvcc
./my-nvcc -V >out || fail "a link to nvcc does not start"

# Signed overflow in host code wraps at any level, in CUDA and C++ files: random generators written for g++ need it. A
# user's -fno-wrapv is respected.
cat >overflow.cu <<'CU'
#include <climits>
#include <cstdio>
long bound = INT_MAX;
int factor = 1103515245, addend = 12345;
__attribute__((noinline)) int next(int *state)
{
	int sum = factor * *state + addend;
	return *state = sum % bound;
}
int main()
{
	int state = 1700000000, wrong = 0;
	for (int i = 0; i < 1000; i++) {
		int wanted = (int)((unsigned)factor * (unsigned)state + (unsigned)addend) % INT_MAX;
		wrong += next(&state) != wanted;
	}
	printf("%d wrong\n", wrong);
}
CU
cp overflow.cu overflow.cpp
for source in overflow.cu overflow.cpp; do
	for level in -O0 "-Xcompiler -O3"; do
		makes 0 $level $source -o overflow
		runs ./overflow "0 wrong"
	done
	makes 0 --dryrun -fno-wrapv $source -o overflow
	grep -q -e "-fwrapv.*-fno-wrapv" err || fail "the user's -fno-wrapv does not follow our -fwrapv"
done

# Programs that include OpenGL's header without using it compile; its calls are refused with the reason.
cat >draws.cu <<'CU'
#include <cuda_gl_interop.h>
#ifdef DRAWS
int main() { return cudaGLSetGLDevice(0); }
#else
int main() { return 0; }
#endif
CU
makes 0 draws.cu -o draws
makes 1 -DDRAWS draws.cu -o draws
says err "'cudaGLSetGLDevice' is unavailable: there is no OpenGL in the simulated machine"

cat >main.cu <<'CU'
#include <cstdio>
extern "C" int from_c(int);
int from_cxx(int);
#ifndef STEP
#define STEP 1
#endif
__global__ void add(int *p) { *p += STEP; }
int main()
{
	int *p, h = 0;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	add<<<1, 1>>>(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("sum %d\n", from_cxx(from_c(h)));
}
CU
# `class` and `threadIdx` are ordinary names in files that are not CUDA.
echo 'int from_c(int class) { int threadIdx = 10; return class + threadIdx; }' >part.c
echo 'int from_cxx(int n) { struct { int x = 100; } threadIdx; return n + threadIdx.x; }' >part.cpp
all="main.cu part.c part.cpp"

# Files of several languages in one command, and each separately.
makes 0 $all -o program
runs ./program "sum 111"
makes 0 -c $all
makes 1 main.o part.o -o wrong # part.c and part.cpp have the same object name
mkdir objects
makes 0 -c main.cu part.cpp -odir objects
makes 0 -c part.c -o part-c.o -std=c++14
makes 0 objects/main.o objects/part.o part-c.o -o program
runs ./program "sum 111"
makes 0 -lib objects/part.o part-c.o -o libparts.a
makes 0 main.cu -L. -lparts -o program
runs ./program "sum 111"
makes 2 -c $all -o one.o
says err "expected one source file, not 3"

# Each option builds a correct program.
while read -r options; do
	# shellcheck disable=SC2086 # words
	makes 0 $options $all -o program
	runs ./program "sum 111"
done <<'OPTIONS'
-arch=sm_20 -lcuda -lcudart -lcudadevrt
-arch sm_13 -l cudart_static -lrt -lpthread -ldl
-arch sm_10 --gpu-name sm_13 -Xptxas -v,-O3 -Xptxas=-dlcm=ca
-arch=native -maxrregcount 16 -lineinfo -res-usage
-arch=all -Xcompiler -Wall,-O3,-march=native -Xcompiler -fno-strict-aliasing
--gpu-architecture=compute_86 --gpu-code=sm_86 --compiler-options -fPIC,-fno-inline --threads 4
-gencode arch=compute_20,code=sm_20 -gencode=arch=compute_35,code=sm_35 -Xcompiler=-fPIE -Xcompiler -pthread
--generate-code=arch=compute_52,code=[compute_52,sm_52] -Xcompiler -m64 --compiler-options -m64,-mtune=generic
-Xcompiler ,"-Wall","-O3","-DOTHER" -t 0 -t=2 --split-compile=2
-Xlinker -rpath,/nowhere,--as-needed -Xlinker=--no-undefined --default-stream per-thread
-use_fast_math -prec-div=false -ftz=true -fmad=false -default-stream=legacy
-diag-suppress 177,20012 --diag-suppress=550 -diag-error 1 -Xcudafe --diag_suppress=set_but_not_used
-Werror all-warnings -Xcudafe --display_error_number
-Werror=reorder -Werror cross-execution-space-call -forward-unknown-to-host-compiler -fno-common
-g -G -O0 -w -m64 --machine 64 -std=c++11
--std=c++14 --expt-relaxed-constexpr --extended-lambda -rdc=true
-rdc=false -cudart shared -keep --keep-dir=objects --source-in-ptx
--cudart=static -ccbin g++ -MMD -MF program.d
-DSTEP=1 -D OTHER -D=THIRD -I. -I objects -I=objects -isystem=objects
--define-macro OTHER=2 --include-path objects --library-path . --library m
OPTIONS
makes 0 -x cu -dc part.cpp -o cuda.o
# Quotes in a list are removed, as in a shell, unless a backslash precedes them.
echo 'const char *name() { return NAME; }' >name.cpp
makes 0 -Xcompiler '-Wall,-DNAME=\"a\,b\","-DSECOND=x, y"' -E name.cpp
says out 'return "a,b";'
printf '%s\n' '-DSTEP=5 "-DNAME=a b"' '  -o from-file' >options
makes 0 --options-file options $all
runs ./from-file "sum 115"
cp main.cu main.code
makes 0 -x cu main.code objects/part.o part-c.o -o program
runs ./program "sum 111"
makes 2 --optix-ir main.cu
says err "nvcc: -optix-ir: "
# Lists for the host compiler that an empty Makefile variable leaves empty.
makes 0 -Xcompiler "" -Xcompiler "-m64" -c main.cu
# Host code as C++: any host compiler can build the program from it, with exceptions, static variables and strings that
# need quoting.
cat >host.cu <<'CU'
#include <cstdio>
#include <vector>
__device__ int offset = 3;
template <typename T> __global__ void fill(T *p) { *p = T(7) + offset; }
inline int count() { static int calls; return ++calls; }
int main()
{
	int *p, h = 0;
	cudaMalloc(&p, 4);
	try {
		fill<<<1, 1>>>(p);
		cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
		throw std::vector<int>(count() + count(), h);
	} catch (const std::vector<int> &v) {
		printf("%zu of %d \\ \"%%\"\n", v.size(), v[0]);
	}
}
CU
makes 0 -cuda host.cu
c++ -O2 -g host.cu.cpp.ii -L"$toolkit/lib64" -Wl,-rpath,"$toolkit/lib64" -lcudart -o host 2>err || fail "c++ does not compile the text of -cuda"
runs ./host '3 of 10 \ "%"'
makes 0 -g -cuda host.cu -o objects/host.ii
makes 0 objects/host.ii -o host
runs ./host '3 of 10 \ "%"'
makes 0 -cuda -odir objects main.cu host.cu
[ -s objects/main.cu.cpp.ii ] && [ -s objects/host.cu.cpp.ii ] || fail "-cuda -odir has not created one file per source"
makes 0 -cuda --dryrun main.cu
[ ! -e main.cu.cpp.ii ] || fail "--dryrun has created a file"
makes 2 -cuda $all -o one.ii
makes 2 main.cubin -o program
says err "cannot be linked"
# Fat binaries: a container in nvcc's format with the PTX of one source and its architecture.
makes 0 -fatbin -gencode arch=compute_52,code=sm_52 -gencode arch=compute_60,code=sm_60 main.cu -o kernels.bin
[ "$(od -An -tx4 -N4 kernels.bin)" = " ba55ed50" ] || fail "no container"
[ "$(od -An -td4 -j44 -N4 kernels.bin | tr -d ' ')" = 60 ] || fail "expected the newest architecture in the entry"
makes 0 --cubin main.cu
[ "$(od -An -td4 -j44 -N4 main.cubin | tr -d ' ')" = 70 ] || fail "expected the default architecture in the entry"
makes 2 -fatbin main.cu main.cu
says err "-fatbin: expected one .cu file"
cat >load.cpp <<'LOAD'
#include <cuda.h>
#include <fstream>
#include <iostream>
#include <sstream>
int main(int, char **files)
{
	std::ostringstream image;
	image << std::ifstream(files[1], std::ios::binary).rdbuf();
	CUmodule from_data, from_file;
	CUfunction kernel;
	CUcontext context;
	cuInit(0);
	cuCtxCreate(&context, 0, 0);
	int data = cuModuleLoadData(&from_data, image.str().c_str()), file = cuModuleLoad(&from_file, files[1]);
	std::cout << data << file << cuModuleGetFunction(&kernel, from_data, "loaded")
		  << cuModuleGetFunction(&kernel, from_file, "loaded") << cuModuleGetFunction(&kernel, from_file, "other");
}
LOAD
echo 'extern "C" __global__ void loaded(int *p) { *p = 1; }' >loaded.cu
makes 0 -fatbin loaded.cu
makes 0 load.cpp -lcuda -o load
tried="load loaded.fatbin"
LD_PRELOAD=$preload ./load loaded.fatbin >out 2>err || fail "exit status $?"
says_only out "0000500"
makes 0 -ptx -arch=sm_13 main.cu -o main.ptx
grep -q '^\.target sm_30' main.ptx || fail "expected sm_30 below sm_30"
says err "note: sm_13 is compiled as sm_30"
makes 0 -ptx --offload-arch=sm_20 main.cu -o main.ptx
grep -q '^\.target sm_30' main.ptx || fail "expected sm_30 for clang's spelling"
says err "note: sm_20 is compiled as sm_30"
makes 0 -ptx -gencode arch=compute_20,code=sm_20 -arch=sm_35 main.cu -o main.ptx
! grep -q note err || fail "a note about an architecture that is not the newest"
makes 0 -M main.cu
says out "main.cu"
# Options of other nvcc versions that have no effect here, and their headers whose contents are in cuda_runtime.h.
cat >old.cu <<'CU'
#include <device_double_functions.h>
#include <driver_functions.h>
#include <sm_11_atomic_functions.h>
#include <sm_12_atomic_functions.h>
#include <sm_13_double_functions.h>
#include <sm_20_atomic_functions.h>
#include <sm_32_atomic_functions.h>
#include <sm_35_atomic_functions.h>
__global__ void count(int *p) { atomicAdd(p, 1); }
CU
makes 0 --host-compilation 'C++' --opencc-options -O3 -src-in-ptx -nohdinitlist -brief-diags=true -jtd 1 -c old.cu -o old.o
printf '#include <driver_functions.h>\nint main(void) { return (int)make_cudaExtent(1, 2, 3).depth - 3; }\n' >extent.c
cc -std=c99 -Wall -Werror -I"$toolkit/include" extent.c -o extent && ./extent || fail "driver_functions.h does not compile in C"
makes 0 -dopt on -m 64 --dopt=on --no-compress --compress-mode=size --target-directory x -po maxrregcount=16 -c old.cu -o old.o
printf '#include <cutil_inline.h>\nint main() { cutilSafeCall(cudaDeviceSynchronize()); }\n' >library.cu
makes 0 library.cu -Lnowhere -lcutil_x86_64 -o library
makes 0 --list-gpu-code
says out sm_70
makes 0 --list-gpu-arch
says out compute_70
makes 0 --help
says out 'compute_70'

# The standard as a separate word. For CUDA, standards before C++11 count as C++11; a C++ file keeps its standard.
cat >standard.cu <<'CU'
#if __cplusplus != WANTED
#error another standard
#endif
int main() { return 0; }
CU
makes 0 --std c++14 -DWANTED=201402L -c standard.cu -o standard.o
makes 0 -std=c++03 -DWANTED=201103L -c standard.cu -o standard.o
makes 0 -Xcompiler -ansi -DWANTED=201103L -c standard.cu -o standard.o
printf '#include <cuda_runtime.h>\n' | cat - standard.cu >standard.cpp
makes 0 -std=c++98 -DWANTED=199711L -c standard.cpp -o standard.o
makes 0 -DWANTED=201402L -MM standard.cpp
cp out expected
makes 0 -DWANTED=201402L --generate-nonsystem-dependencies standard.cpp
cmp -s out expected || fail "--generate-nonsystem-dependencies is not -MM"

makes 0 --dryrun main.cu -o never
says err '#$ '
[ ! -e never ] || fail "--dryrun has created a file"
# The last line links. Files are quoted, and a shell can run it.
mkdir -p 'a $folder'
echo '__global__ void k() {} int main() { k<<<1, 1>>>(); }' >'a $folder/main.cu'
makes 0 -c 'a $folder/main.cu' -o 'a $folder/main.o'
makes 0 --dryrun 'a $folder/main.o' -o linked_by_hand
line=$(sed -n '$s/^#\$ //p' err)
case $line in
*' "a \$folder/main.o" '*' -o "linked_by_hand"') ;;
*) fail "the last line of --dryrun is $line" ;;
esac
eval "$line" || fail "the last line of --dryrun does not link"
[ -x linked_by_hand ] || fail "the last line of --dryrun links nothing"
# The device's compute capability is that of -arch=native.
makes 0 --dryrun -arch=native -c main.cu
says err "gpu-arch=sm_$("$toolkit/bin/__nvcc_device_query")"
makes 0 -v -c main.cu -o verbose.o
says err "TOP=$toolkit/bin/.."

# Launches with blanks, in the source and in included files. Operators, templates and line numbers are unchanged.
mkdir -p include
cat >include/other.cuh <<'CU'
template <typename T> struct box { T value; };
__global__ void second(int *p) { *p += 20; }
static void launch_second(int *p) { second<< <1,
	1>> >(p); }
CU
cat >blanks.cu <<'CU'
#include <cstdio>
#include <vector>
#include "other.cuh"
struct stream { int sum; };
template <typename T> stream &operator<< (stream &s, T t) { s.sum += (int)t; return s; }
__global__ void first(int *p, int n) { *p += n; }
int main()
{
	int *p, h = 0;
	std::vector<box<box<int> > > boxes(3);
	std::vector<box<box<int>> > more(1);
	const char *text = "first<< <1, 1>> >(p)"; // first<< <1, 1>> >(p)
	stream s = {0};
	operator<< <int>(s, 8 >> 2);
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	first<< < dim3(boxes.size() >> 1), (1 << 4) >> 4 >> >(p, s.sum);
	launch_second(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("%s: %d at %d of %s\n", text, h, __LINE__, __FILE__);
}
CU
makes 0 -Iinclude blanks.cu -o blanks
runs ./blanks "first<< <1, 1>> >(p): 22 at 20 of blanks.cu"
# In angle brackets a name is not searched in the folder of the source.
echo '#error "not this file"' >other.cuh
sed 's/"other.cuh"/<other.cuh>/' blanks.cu >brackets.cu
makes 0 -Iinclude brackets.cu -o blanks
runs ./blanks "first<< <1, 1>> >(p): 22 at 20 of brackets.cu"
printf '__global__ void k() {}\nint main() { k<< <1, 1>> >(); int x = ; }\n' >error.cu
makes 1 error.cu
says err "error.cu:2:39: error: expected expression"

# __device__ next to __shared__, in either order, in a header, in a macro and with words between them: only __shared__
# takes effect.
cat >include/tile.cuh <<'CU'
#define TILE __device__ __shared__
__device__ static __shared__ int outer[32];
CU
cat >tile.cu <<'CU'
#include <cstdio>
#include "tile.cuh"
__device__ int base = 1000;
__global__ void reverse(int *p)
{
	__device__ __shared__ int one[32];
	__shared__ volatile
	__device__ int two[32]; /* __device__ __shared__ */
	TILE int three[32];
	int i = threadIdx.x;
	one[i] = i, two[i] = 2 * i, three[i] = 3 * i, outer[i] = 4 * i;
	__syncthreads();
	p[i] = one[31 - i] + two[31 - i] + three[31 - i] + outer[31 - i] + base;
}
int main()
{
	int *p, h[32];
	cudaMalloc(&p, sizeof h);
	reverse<<<1, 32>>>(p);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d %d %s at %d\n", h[0], h[31], "__device__ __shared__", __LINE__);
}
CU
makes 0 -Iinclude tile.cu -o tile
runs ./tile "1310 1000 __device__ __shared__ at 21"

# Device code in two files.
cat >one.cu <<'CU'
#include <cstdio>
extern __device__ int twice(int);
extern __device__ int counter;
extern __constant__ int table[4];
static __device__ __noinline__ int own(int x) { return x + 1; }
template <typename T> __device__ __noinline__ T shared_by_both(T x) { return x + 3; }
__global__ void k(int *p) { p[0] = twice(own(p[0])) + table[1] + shared_by_both(0); counter++; }
void set_table();
int main()
{
	int *p, h = 5, c;
	cudaMalloc(&p, 4);
	cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice);
	set_table();
	k<<<1, 1>>>(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	cudaMemcpyFromSymbol(&c, counter, 4);
	printf("value %d counter %d\n", h, c);
}
CU
cat >two.cu <<'CU'
__device__ int counter = 7;
__constant__ int table[4];
template <typename T> __device__ __noinline__ T shared_by_both(T x) { return x + 3; }
static __device__ __noinline__ int own(int x) { return x * 2; }
__device__ int twice(int x) { return own(x) + shared_by_both(0); }
void set_table()
{
	int values[4] = {1, 20, 3, 4};
	cudaMemcpyToSymbol(table, values, sizeof values);
}
CU
result="value 38 counter 8"
makes 0 -rdc=true one.cu two.cu -o linked
runs ./linked "$result"
makes 0 -dc one.cu two.cu
makes 0 one.o two.o -o linked
runs ./linked "$result"
makes 0 -dlink -c one.o two.o -o device.o
[ -s device.o ] || fail "-dlink -c writes no object"
rm device.o
echo 'int none;' >none.c
makes 0 -c none.c -o none.o
makes 0 -dlink none.o -o device.o
[ -s device.o ] || fail "-dlink writes no object where nothing is to be linked"
makes 0 -dlink one.o two.o -o device.o
cc one.o two.o device.o -L"$toolkit/lib64" -lcudart_static -lcudadevrt -lrt -lpthread -ldl -lstdc++ -o linked 2>err || fail "cc does not link"
LD_LIBRARY_PATH=$toolkit/lib64
export LD_LIBRARY_PATH
runs ./linked "$result"
unset LD_LIBRARY_PATH
# Libraries between -Bstatic and -Bdynamic, as CMake passes them if LIBRARY_PATH names the toolkit. The program's own
# functions take precedence.
cat >own.c <<'C'
#include <stdio.h>
int cudaPeekAtLastError(void) { return 38; }
int cudaGetLastError(void);
__attribute__((constructor)) static void early(void) { printf("own %d theirs %d\n", cudaPeekAtLastError(), cudaGetLastError()); }
C
cc own.c one.o two.o device.o -L"$toolkit/lib64" -Wl,-Bstatic -lcudart_static -lcudadevrt -Wl,-Bdynamic -lstdc++ -o linked 2>err || fail "cc does not link statically"
runs ./linked "$result"
says out "own 38 theirs 0"
LD_PRELOAD=$preload "$sluice" run --functional ./linked >out 2>err || fail "a static link is not simulated"
says out "$result"
ar rcs libtwo.a two.o
makes 0 -rdc=true one.cu -L. -ltwo libtwo.a -ltwo -o linked # named several times
runs ./linked "$result"
makes 1 one.o -o linked
says err "nvcc: one.o: device function '_Z5twicei' is not defined in any of the linked files"
says err "device variable 'counter'"
makes 0 -dc two.cu -o again.o
makes 1 one.o two.o again.o -o linked
says err "is defined in two.o and in again.o"
# A static variable that host code uses after the kernel, and one of the same name in another file.
cat >static_one.cu <<'CU'
#include <cstdio>
static __device__ int value = 1;
__global__ void one(int *p) { *p += value; }
void use_two(int *p);
int main()
{
	int *p, h = 20;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	cudaMemcpyToSymbol(value, &h, 4);
	one<<<1, 1>>>(p);
	use_two(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("value %d\n", h);
}
CU
cat >static_two.cu <<'CU'
static __device__ int value;
__global__ void two(int *p) { *p += value; }
void use_two(int *p)
{
	int h = 3;
	cudaMemcpyToSymbol(value, &h, 4);
	two<<<1, 1>>>(p);
}
CU
makes 0 -rdc=true static_one.cu static_two.cu -o linked
runs ./linked "value 23"

# A library of two objects whose sources have one name, in two folders. The program needs one of them.
for folder in left right; do
	mkdir $folder
	echo "__global__ void $folder(int *p) { *p += 1; } void use_$folder(int *p) { $folder<<<1, 1>>>(p); }" >$folder/part.cu
	(cd $folder && "$nvcc" -dc part.cu -o ../$folder.o) || fail "$folder/part.cu does not compile"
done
ar rcs libboth.a left.o right.o
cat >uses.cu <<'CU'
#include <cstdio>
void use_left(int *p);
int main()
{
	int *p, h = 3;
	cudaMalloc(&p, 4);
	cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice);
	use_left(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("value %d\n", h);
}
CU
makes 0 -rdc=true uses.cu -L. -lboth -o linked
runs ./linked "value 4"

# A kernel that launches a kernel of another file.
cat >parent.cu <<'CU'
#include <cstdio>
__global__ void child(int *p, int x);
__global__ void parent(int *p) { child<<<1, 2>>>(p, 5); }
int main()
{
	int *p, h = 1;
	cudaMalloc(&p, 4);
	cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice);
	parent<<<1, 1>>>(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("value %d\n", h);
}
CU
cat >child.cu <<'CU'
__global__ void child(int *p, int x) { atomicAdd(p, x); }
CU
makes 0 -rdc=true parent.cu child.cu -lcudadevrt -o linked
runs ./linked "value 11"
makes 0 -dc parent.cu
makes 1 parent.o -o linked
says err "function '_Z5childPii' is not defined in any of the linked files"
# A managed variable is initialized once, before main() begins, whichever file's host code uses it.
cat >managed_one.cu <<'CU'
#include <cstdio>
extern __managed__ int both;
int seen_by_other();
__global__ void raise() { both += 5; }
int main()
{
	int first = both;
	both = 3;
	int written = seen_by_other();
	raise<<<1, 1>>>();
	cudaDeviceSynchronize();
	printf("managed %d %d %d\n", first, written, seen_by_other());
}
CU
cat >managed_two.cu <<'CU'
__managed__ int both = 9;
int seen_by_other() { return both; }
CU
makes 0 -rdc=true managed_one.cu managed_two.cu -o managed
runs ./managed "managed 9 3 8"

# OpenMP in host code.
cat >threads.cu <<'CU'
#include <cstdio>
#include <omp.h>
__global__ void k(int *p) { atomicAdd(p, 1); }
int main()
{
	int *p, h = 0, sum = 0;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
#pragma omp parallel for num_threads(3) reduction(+ : sum)
	for (int i = 0; i < 9; i++)
		sum += omp_get_num_threads();
	k<<<1, 8>>>(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("sum %d count %d\n", sum, h);
}
CU
makes 0 -Xcompiler -fopenmp threads.cu -o threads
runs ./threads "sum 27 count 8"
makes 0 -Xcompiler -Wall,-fopenmp -c threads.cu
makes 0 threads.o -lgomp -o threads
runs ./threads "sum 27 count 8"

# Random numbers of kernels in a host source: the types, and functions with the same results as in CUDA sources.
cat >random.cpp <<'C'
#include <curand_kernel.h>
#include <stdio.h>
int main()
{
	curandState x;
	curandStatePhilox4_32_10_t y;
	curand_init(1, 2, 3, &x);
	curand_init(1, 2, 3, &y);
	float pair = curand_normal(&x) + curand_normal(&x);
	printf("%g %g %u\n", pair, curand_normal_double(&y), curand_poisson(&x, 30));
}
C
cp random.cpp random.cu
makes 0 random.cu -o random_of_cuda
makes 0 -Werror all-warnings random.cpp -o random
runs ./random "$(./random_of_cuda)"

# cuBLAS includes cuComplex.h, which includes math.h.
for header in cublas.h cublas_v2.h; do
	printf '#include <stdio.h>\n#include <%s>\nint main() { printf("root %%g\\n", fabs(sqrt(cuCabs(make_cuDoubleComplex(0, 4))))); }\n' $header >complex.cpp
	makes 0 complex.cpp -o complex
	runs ./complex "root 2"
done

# The driver's stub, which Makefiles look for and link without naming another folder.
cat >stub.c <<'C'
#include <cuda.h>
#include <stdio.h>
int main(void)
{
	int count = 0;
	CUresult result = cuInit(0);
	result = result ? result : cuDeviceGetCount(&count);
	printf("status %d devices %d\n", result, count);
	exit(result); /* programs rely on cuda.h for its declaration */
}
C
makes 0 stub.c -L"$(find -L "$toolkit/lib64/stubs" -name libcuda.so -printf %h)" -lcuda -o stub
runs ./stub "status 0 devices 1"
cc -I"$toolkit/include" stub.c -L"$toolkit/lib64/stubs" -lcuda -o stub_of_cc || fail "cc does not link the stub"
try_program 0 run --functional -- ./stub_of_cc
says out "status 0 devices 1"

# Another toolkit, named in each way that Makefiles and environments name one.
mkdir -p outer/bin outer/include outer/lib64/stubs
printf '#!/bin/sh\nexit 9\n' | tee outer/bin/ptxas outer/bin/fatbinary outer/bin/nvlink >outer/bin/nvcc
chmod +x outer/bin/*
for header in cuda_runtime.h cuda_runtime_api.h cuda.h cusolverDn.h; do
	echo '#error "a header of another toolkit"' >outer/include/$header
done
echo 'int cudaMalloc(void) { return 9; } int cusolverDnCreate(void) { return 0; }' |
	cc -xc - -shared -o outer/lib64/libcudart.so.11.0 -Wl,-soname,libcudart.so.11.0
for name in libcudart.so libcuda.so libcusolver.so stubs/libcuda.so; do
	cp outer/lib64/libcudart.so.11.0 outer/lib64/$name
done
echo '{"cuda": {"version": "99.0.0"}}' >outer/version.json
(
	CUDA_HOME=$work/outer
	PATH=$CUDA_HOME/bin:$PATH
	CPATH=$CUDA_HOME/include
	CPLUS_INCLUDE_PATH=$CUDA_HOME/include
	C_INCLUDE_PATH=$CUDA_HOME/include
	LIBRARY_PATH=$CUDA_HOME/lib64/stubs:$CUDA_HOME/lib64
	export CUDA_HOME PATH CPATH CPLUS_INCLUDE_PATH C_INCLUDE_PATH LIBRARY_PATH
	export CUDA_PATH="$CUDA_HOME" CUDA_ROOT="$CUDA_HOME" CUDAToolkit_ROOT="$CUDA_HOME"
	makes 0 -I"$CUDA_HOME/include" -I "$CUDA_HOME/include" -isystem "$CUDA_HOME/include" -L"$CUDA_HOME/lib64" -Xlinker -rpath,"$CUDA_HOME/lib64" \
		$all -lcudart -lcuda -o program
	LD_LIBRARY_PATH=$CUDA_HOME/lib64
	export LD_LIBRARY_PATH
	runs ./program "sum 111"
	echo '#include <cusolverDn.h>' >library.cu
	makes 1 -I"$CUDA_HOME/include" -c library.cu
	says err "sluice: <cusolverDn.h>"
	makes 1 -L"$CUDA_HOME/lib64" $all -lcusolver -o program
	says err "lcusolver"
	exit "$failures"
) || failures=$((failures + 1))
# nvcc takes pragmas in macros, a return without the result, and `register` in C++17, where clang does not. Strings and
# operators with the same characters stay.
cat >dialect.cu <<'CU'
#include <cstdio>
#define UNROLL #pragma unroll 4
#define LATER \
	# pragma nounroll
#define NAME(x) #x
__global__ void sum(int *p)
{
	UNROLL
	for (int i = 0; i < 8; i++)
		p[0] += i;
	LATER
	for (int i = 0; i < 8; i++)
		p[0] += i;
}
int main(int count, char **)
{
	register int *q = nullptr;
	int *p = q, value;
	if (count > 5)
		return;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	sum<<<1, 1>>>(p);
	cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
	printf("%s %s %d\n", NAME(pragma), "#pragma unroll", value);
	return 0;
}
CU
makes 0 -std=c++17 dialect.cu -o dialect
says err "should return a value"
[ "$(./dialect 2>/dev/null)" = "pragma #pragma unroll 56" ] || fail "dialect.cu prints something else"
# libcu++ is rewritten also in folders that the environment or -isystem names.
mkdir -p searched/cuda
cat >searched/cuda/lane.h <<'CU'
__device__ int lane()
{
	int lane;
	asm("mov.u32 %0, %laneid;" : "=r"(lane));
	return lane;
}
CU
printf '#include <cuda/lane.h>\n__global__ void write(int *p) { p[lane()] = 1; }\n' >lane.cu
makes 0 -isystem searched -c lane.cu
export CPATH="$work/searched"
makes 0 -c lane.cu
unset CPATH
export CPLUS_INCLUDE_PATH="$work/searched"
makes 0 -c lane.cu
unset CPLUS_INCLUDE_PATH

# nvcc takes calls of member templates without the word "template", in any number, also in headers. Other errors of such
# a source stay, and are shown once.
cat >words.h <<'CU'
template <typename A, typename B> struct convert {
	template <int N> static __host__ __device__ int cast(A a, const B *b)
	{
		int sum = 0;
		for (int i = 0; i < N; i++)
			sum += a + b[i];
		return sum;
	}
	template <typename C> __host__ __device__ C as(int value) { return C(value); }
};
template <typename A, typename B> __host__ __device__ int from_header(convert<A, B> *c, const B *b)
{
	return convert<A, B>::cast<2>(1, b) + convert<A, B>::template cast<1>(1, b) + c->as<int>(3) + convert<A,
		B>::cast<3>(2, b); // convert<A, B>::cast<2>
}
CU
{
	printf '#include <cstdio>\n#include "words.h"\ntemplate <typename T> __global__ void all(T *b)\n{\n\tint cast = 3, sum = 0;\n'
	i=0
	while [ $i -lt 50 ]; do
		printf '\tsum += convert<T, T>::cast<%d>(1, b) + (cast < 4);\n' $((i % 3))
		i=$((i + 1))
	done
	cat <<'CU'
	convert<T, T> own, *other = &own;
	printf("%d %d %d\n", sum, own.as<int>(7) + other->as<int>(1), from_header(&own, b));
}
int main(int argc, char **)
{
	int *b;
	cudaMallocManaged(&b, 3 * sizeof *b);
	for (int i = 0; i < 3; i++)
		b[i] = i;
	all<<<1, 1>>>(b);
	cudaDeviceSynchronize();
	return argc - 1;
}
CU
} >words.cu
makes 0 words.cu -o words
[ ! -s err ] || fail "messages about words.cu"
[ "$(./words 2>/dev/null)" = "115 8 16" ] || fail "words.cu prints $(./words 2>/dev/null)"
makes 0 -dc words.cu -o words.o
sed 's/return argc - 1/return argc - wrong/' words.cu >wrong_words.cu
makes 1 wrong_words.cu
says err "undeclared identifier 'wrong'"
if grep -q "'template'" err; then fail "an error that was mended"; fi
echo '#include <CL/cl.h>' >opencl.cu
makes 1 -c opencl.cu
says err "has no OpenCL"

finish
