#!/bin/sh
# Protects CMake with the toolkit. enable_language(CUDA) accepts its nvcc, find_package(CUDAToolkit) finds its
# libraries, and the built programs run.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_CLANG SLUICE_TOOLKIT SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS_FORMAT SLUICE_MAX_INSTRUCTIONS
unset CUDAFLAGS CUDACXX CUDAARCHS CUDAHOSTCXX CUDAToolkit_ROOT CUDA_PATH
cd "$work" || exit 1
toolkit=$("$sluice" toolkit)

cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(programs LANGUAGES C)
if(WITH_LANGUAGE)
  enable_language(CUDA)
  add_executable(mixed mixed.cu part.c)
  add_executable(separate mixed.cu part.c far.cu)
  target_compile_definitions(separate PRIVATE FAR)
  set_target_properties(separate PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES "52;70")
  message(STATUS "compiler ${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
find_package(CUDAToolkit 11 REQUIRED)
add_executable(host host.c)
target_link_libraries(host PRIVATE CUDA::cudart CUDA::cuda_driver)
message(STATUS "toolkit ${CUDAToolkit_VERSION} ${CUDAToolkit_BIN_DIR}")
CMAKE
cat >mixed.cu <<'CU'
#include <cstdio>
extern "C" int from_c(int);
#ifdef FAR
extern __device__ int change(int);
#else
__device__ int change(int x) { return x + 1; }
#endif
__global__ void k(int *p) { *p = change(*p); }
int main()
{
	int *p, h = 0;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	k<<<1, 1>>>(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("value %d\n", from_c(h));
}
CU
echo '__device__ int change(int x) { return x + 2; }' >far.cu
echo 'int from_c(int class) { return class + 40; }' >part.c
cat >host.c <<'C'
#include <cuda_runtime.h>
#include <stdio.h>
int main(void)
{
	int count = 0;
	cudaGetDeviceCount(&count);
	printf("%d device\n", count);
	return 0;
}
C

# builds FOLDER ARGUMENT...: configures and builds with the arguments. CMake's output is written to $work/out.
builds() {
	folder=$1
	tried="cmake -B $*"
	shift
	cmake -B "$folder" "$@" >out 2>err || fail "CMake does not configure"
	cmake --build "$folder" >build.log 2>err || fail "nothing is built"
}

# runs PROGRAM TEXT
runs() {
	try_program 0 run --functional --stats "$work/stats.json" -- "$1"
	says out "$2"
}

builds language -DWITH_LANGUAGE=1 -DCMAKE_CUDA_COMPILER="$toolkit/bin/nvcc"
says out "compiler NVIDIA 12.4.0"
says out "toolkit 12.4.0 $toolkit/bin"
runs ./language/mixed "value 41"
runs ./language/separate "value 42"
runs ./language/host "1 device"
builds toolkit -DCUDAToolkit_ROOT="$toolkit"
says out "toolkit 12.4.0 $toolkit/bin"
runs ./toolkit/host "1 device"
finish
