/* host_defines: the keywords that CUDA adds to C++. Outside a CUDA compilation they have no effect. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI

#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __no_return__        __attribute__((noreturn))
#define __forceinline__      __inline__ __attribute__((always_inline))

#if defined(__CUDA__)
#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
/* The host variable of that name is the memory. Its section distinguishes it from the host shadows of device variables
 * (sluice/managed.h). */
#define __managed__ __attribute__((device, section("sluice_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* Standard headers write __attribute__((__noinline__)); our bits/shared_ptr_base.h keeps that working. */
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __cluster_dims__(...) _Pragma("GCC error \"sluice: clusters are not supported: __cluster_dims__\"")
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))
#define __nv_pure__
#else
#define __host__
#define __device__
#define __launch_bounds__(...)
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#endif

#endif
