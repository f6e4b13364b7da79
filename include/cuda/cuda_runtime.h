/* cuda_runtime: everything that is in scope in a CUDA C++ program without an include.
 *
 * `sluice cc` includes it before every source file. clang's own headers (__clang_cuda_*) provide the device's builtin
 * variables, intrinsics and C mathematics. They require this order: their forward declarations before <cmath>; standard
 * headers before CUDA's keywords become macros; our types before clang's wrappers; our atomics and overloads last.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "sluice/macros_off.h"

#define SLUICE_CUDA 1 /* identifies these headers */

#if defined(__CUDA__) && defined(__clang__)

#include <__clang_cuda_math_forward_declares.h>

/* libstdc++ tests __CUDACC__ to omit __float128. */
#ifndef __CUDACC__
#define __CUDACC__
#endif
#define __NVCC__             1 /* programs and CMake test it */
#define __CUDACC_VER_MAJOR__ __SLUICE_CUDA__
#define __CUDACC_VER_MINOR__ __SLUICE_MINOR__
#define __CUDACC_VER_BUILD__ 0
/* libcu++ has its PTX atomics only for nvcc, whose macros it tests. */
#define _LIBCUDACXX_HAS_CUDA_ATOMIC_IMPL

#include <assert.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits.h>
#include <limits>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sluice/release.h"

#include <__clang_cuda_builtin_vars.h>

#include "cuda_runtime_api.h"
#include "vector_functions.h"

/* clang treats CUDA up to 9.1 by taking SIMD-in-a-word functions from the device library. For later versions it emits
 * PTX without hardware instructions. */
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
/* clang's versions turn a zero or NaN with a large exponent into infinity; ours are in sluice/math.h. */
#define scalbln  sluice_clang_scalbln
#define scalblnf sluice_clang_scalblnf
#include <__clang_cuda_math.h>
#undef scalbln
#undef scalblnf
#include <__clang_cuda_cmath.h>

#include "sluice/device_calls.h"
#include "sluice/device_runtime.h"
#include "sluice/math.h"

/* Renames clang's shuffles and __fns; ours are in sluice/shuffles.h and sluice/intrinsics.h. */
#define __shfl           sluice_clang_shfl
#define __shfl_up        sluice_clang_shfl_up
#define __shfl_down      sluice_clang_shfl_down
#define __shfl_xor       sluice_clang_shfl_xor
#define __shfl_sync      sluice_clang_shfl_sync
#define __shfl_up_sync   sluice_clang_shfl_up_sync
#define __shfl_down_sync sluice_clang_shfl_down_sync
#define __shfl_xor_sync  sluice_clang_shfl_xor_sync
#define __fns            sluice_clang_fns
#include <__clang_cuda_intrinsics.h>
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_down_sync
#undef __shfl_xor_sync
#undef __fns

#include "sluice/atomics.h"
#include "sluice/barriers.h"
#include "sluice/intrinsics.h"
#include "sluice/managed.h"
#include "sluice/shuffles.h"

/* clang's wrapper defines operator new and delete for the device. */
#include <new>

#else /* for a host compiler */

#include "sluice/release.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"

#endif

#if defined(__cplusplus)
#include "channel_descriptor.h"
#include "sluice/graph_templates.h"
#include "sluice/runtime_templates.h"
#include "sluice/surfaces.h"
#include "sluice/textures.h"
#endif

#include "driver_functions.h"

#include "sluice/macros_on.h"

#endif
