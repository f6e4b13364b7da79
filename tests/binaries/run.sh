#!/bin/sh
# Protects binaries in the form that nvcc emits, built by hand: host code for three CUDA versions and fat binaries of
# all kinds. A program that cannot be simulated must not look as if it had passed.
# Usage: run.sh SLUICE SOURCE_DIR
set -u
. "$2/tests/cli/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_CLANG SLUICE_TOOLKIT SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS_FORMAT SLUICE_MAX_INSTRUCTIONS
here=$source_dir/tests/binaries
cd "$work" || exit 1
cc -O1 -w "$here/container.c" -lzstd -llz4 -o container || exit 1

cat >add.cu <<'CU'
__device__ int counter;
__global__ void add(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] += i;
	if (!i)
		counter++;
}
CU
"$sluice" cc --ptx add.cu -o add.ptx
sed 's/add\.s32/never.s32/' add.ptx >wrong.ptx
head -c 100 /dev/urandom >code
./container >empty.bin
./container code:90:code >code.bin
./container code:75:code zstd:75:add.ptx >zstd.bin
./container lz4:52:add.ptx code:52:code >lz4.bin
./container plain:35:add.ptx >plain.bin
# Chosen: the newest that is not newer than the machine (2.0), else the oldest.
./container plain:90:wrong.ptx zstd:30:add.ptx lz4:75:wrong.ptx >several.bin
head -c 200 zstd.bin >cut.bin
./container plain:35:add.ptx beyond:75:code >beyond.bin
cp add.ptx text.bin

# A library with the soname and symbol versions that a program is linked for; it is never executed.
stub() {
	grep -ohE '\b(__)?cuda[A-Z][A-Za-z0-9_]*\(' "$here/host.c" | sort -u | tr -d '(' | sed 's/.*/int &(void) { _exit(99); }/' >stub.c
	echo 'int cudaGetDeviceProperties_v2(void) { _exit(99); }' >>stub.c
	echo "libcudart.so.$1 { global: cuda*; __cuda*; local: *; };" >stub.map
	mkdir -p "vendor$1"
	cc -w -shared -fPIC -include unistd.h stub.c -Wl,-soname,"libcudart.so.$1" -Wl,--version-script=stub.map \
		-o "vendor$1/libcudart.so.$1" || exit 1
}

# program NAME VERSION CONTAINER FLAG...: builds for CUDA VERSION (11.0, 12, 13) with the code in CONTAINER.
program() {
	name=$1 version=$2 code=$3
	shift 3
	cc -w -DVERSION="${version%.*}" -DCONTAINER="\"$code\"" "$@" "$here/host.c" -L"vendor$version" -l:"libcudart.so.$version" -o "$name" || exit 1
}

for version in 11.0 12 13; do
	stub $version
	cp empty.bin first.bin
	for code in zstd lz4 plain several text; do
		program host $version $code.bin
		try_program 0 run --functional -- ./host
		says out "sum 9900 count 2"
	done
	cp code.bin first.bin
	program host $version zstd.bin
	try_program 0 run -- ./host
	says out "sum 9900 count 2"
	# The program's RPATH names the folder of another runtime: searched before LD_LIBRARY_PATH (RPATH) or after it
	# (RUNPATH).
	program host $version plain.bin -Wl,--disable-new-dtags,-rpath,"$work/vendor$version"
	try_program 0 run --functional -- ./host
	says out "sum 9900 count 2"
	says err "names another CUDA runtime"
	program host $version plain.bin -Wl,--enable-new-dtags,-rpath,"$work/vendor$version"
	try_program 0 run --functional -- ./host
	says out "sum 9900 count 2"
done

# PTX text in memory that the program allocated.
for code in zstd plain text; do
	program host 13 $code.bin -DCOPY_CODE
	try_program 0 run --functional -- ./host
	says out "sum 9900 count 2"
done

# No PTX, no code, truncated code: the run must fail, whatever the program does with the error.
for version in 11.0 13; do
	program host $version code.bin
	try_program 1 run --functional -- ./host careful
	says err "it has only machine code for sm_90, but Sluice runs PTX"
	try_program 1 run --functional -- ./host careless
	program host $version empty.bin
	try_program 1 run --functional -- ./host careless
	says err "it has no code"
	program host $version cut.bin
	try_program 1 run --functional -- ./host careless
	says err "it is truncated, or of a kind that Sluice does not know"
	# Usable code in a container that claims to end beyond the file's segment.
	program host $version beyond.bin
	try_program 1 run --functional -- ./host careless
	says err "it is truncated, or of a kind that Sluice does not know"
done

# A program with a static runtime, with an unsupported CUDA version, and without CUDA.
sed 's/{ _exit(99); }/{ return 0; }/' stub.c | sed '/__cudaGetKernel\|InitModule/d' >static.c
cc -w -DVERSION=12 -DCONTAINER='"plain.bin"' "$here/host.c" -include unistd.h static.c -o static || exit 1
try 126 run -- ./static
says err "cannot be simulated: it has CUDA's own runtime inside (static cudart)"
stub 9.0
cc -w -DVERSION=12 -DCONTAINER='"plain.bin"' "$here/host.c" -Lvendor9.0 -l:libcudart.so.9.0 -o old || exit 1
try 126 run -- ./old
says err "a CUDA version other than 11, 12 and 13"
echo 'int main(void) { return 0; }' | cc -xc - -o none
try 0 run -- ./none
says err "note: ./none does not load libcudart.so"

# A refused launch and a failed assertion: the run succeeds only if the program asked for the error.
cat >refused.cu <<'CU'
#include <cassert>
#include <cstring>
__global__ void k(int n) { assert(n > 0); }
int main(int argc, char **argv)
{
	if (strstr(argv[1], "launch"))
		k<<<1, 5000>>>(1);
	else
		k<<<1, 1>>>(0);
	if (strstr(argv[1], "asks"))
		return cudaGetLastError() == cudaSuccess;
	if (strstr(argv[1], "waits"))
		return cudaDeviceSynchronize() != cudaErrorAssert;
	return 0;
}
CU
"$sluice" cc refused.cu -o refused || exit 1
try_program 0 run --functional -- ./refused launch-asks
try_program 1 run --functional -- ./refused launch
says err "a kernel did not finish, and the program did not ask for the error"
try_program 1 run --functional -- ./refused assert-asks # too early: the kernel is asynchronous, as with CUDA
CUDA_LAUNCH_BLOCKING=1 try_program 0 run --functional -- ./refused assert-asks
try_program 0 run --functional -- ./refused assert-waits
try_program 1 run --functional -- ./refused assert
finish
