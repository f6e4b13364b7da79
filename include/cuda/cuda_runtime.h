/* cuda_runtime: what a CUDA C++ program finds in scope without including anything.
 *
 * `sluice cc` puts it before every source file. The device's builtin variables, intrinsics and C mathematics come from
 * clang's own headers (__clang_cuda_*), which need this order: their forward declarations before <cmath>, standard
 * headers before CUDA's words become macros, our types before clang's wrappers, our atomics and overloads last.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "sluice/macros_off.h"

#define SLUICE_CUDA 1 /* these headers and no others */

#if defined(__CUDA__) && defined(__clang__)

#include <__clang_cuda_math_forward_declares.h>

/* libstdc++ asks for __CUDACC__ to leave out __float128. */
#ifndef __CUDACC__
#define __CUDACC__
#endif
#define __NVCC__             1 /* programs and CMake ask for it */
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 0
/* libcu++ has its atomics in PTX for nvcc alone, and asks for that compiler by name. */
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

/* The line of an intrinsic is that of its call. */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
/* As for CUDA 9.1, with which clang takes the functions on the parts of a word from the device library: for later ones it writes
 * PTX that devices have no instructions for. */
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
/* clang's take a zero or NaN with a large exponent for infinity; ours are in sluice/math.h. */
#define scalbln  sluice_clang_scalbln
#define scalblnf sluice_clang_scalblnf
#include <__clang_cuda_math.h>
#undef scalbln
#undef scalblnf
#include <__clang_cuda_cmath.h>

#include "sluice/device_calls.h"
#include "sluice/device_runtime.h"
#include "sluice/math.h"

/* clang's shuffles and __fns are out of the way under other names: ours are in sluice/shuffles.h and sluice/intrinsics.h. */
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
#pragma clang attribute pop

/* clang's wrapper defines operator new and delete for the device. */
#include <new>

#else /* a host compiler */

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
