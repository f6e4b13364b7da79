/* surfaces: surface references and surface objects in device code. x is in bytes, the other coordinates in texels. */
#ifndef SLUICE_CUDA_SURFACES_H
#define SLUICE_CUDA_SURFACES_H

#include "../cuda_runtime_api.h"

#define cudaSurfaceType1D             0x01
#define cudaSurfaceType2D             0x02
#define cudaSurfaceType3D             0x03
#define cudaSurfaceTypeCubemap        0x0c
#define cudaSurfaceType1DLayered      0xf1
#define cudaSurfaceType2DLayered      0xf2
#define cudaSurfaceTypeCubemapLayered 0xfc

template <class T, int dimensions = cudaSurfaceType1D>
struct __device_builtin_surface_type__ surface : public surfaceReference {
};
template <int dimensions>
struct __device_builtin_surface_type__ surface<void, dimensions> : public surfaceReference {
#if !defined(__CUDA_ARCH__)
	__host__ surface() : surfaceReference()
	{
	}
#endif
};

/* Binding by the reference itself. */
template <class T, int dimensions>
static inline __host__ cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &reference,
                                                          cudaArray_const_t array, const cudaChannelFormatDesc &format)
{
	return ::cudaBindSurfaceToArray((const surfaceReference *)&reference, array, &format);
}
template <class T, int dimensions>
static inline __host__ cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &reference,
                                                          cudaArray_const_t array)
{
	cudaChannelFormatDesc format;
	cudaError_t error = cudaGetChannelDesc(&format, array);
	return error == cudaSuccess ? cudaBindSurfaceToArray(reference, array, format) : error;
}

#if defined(__CUDA__) && defined(__clang__)

namespace sluice
{
/* Returns the handle that represents a surface reference on the device. */
template <class T, int dimensions>
static __device__ __forceinline__ cudaSurfaceObject_t surface_handle(surface<T, dimensions> reference)
{
	cudaSurfaceObject_t handle;
	asm("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
	return handle;
}

/* The registers that hold a value of `bytes` bytes. */
template <unsigned bytes> struct surface_value;
template <> struct surface_value<1> {
	unsigned short x;
};
template <> struct surface_value<2> {
	unsigned short x;
};
template <> struct surface_value<4> {
	unsigned x;
};
template <> struct surface_value<8> {
	unsigned x, y;
};
template <> struct surface_value<16> {
	unsigned x, y, z, w;
};

/* One access, for a geometry and a type. `outside`: behavior outside the surface; `place`: the coordinates. */
#define SLUICE_LIST(...) __VA_ARGS__
#define SLUICE_LOAD(geometry, outside, bytes, type, results, at, values, place)                                        \
	static __device__ __forceinline__ void load(surface_value<bytes> &v, cudaSurfaceObject_t s, int x, int y,      \
	                                            int z)                                                             \
	{                                                                                                              \
		asm volatile("suld.b." geometry "." type "." outside " " results ", [%" #at ", " place                 \
		             : SLUICE_LIST values                                                                      \
		             : "l"(s), "r"(x), "r"(y), "r"(z)                                                          \
		             : "memory");                                                                              \
	}
#define SLUICE_STORE(geometry, outside, bytes, type, sources, at, values, place)                                       \
	static __device__ __forceinline__ void store(const surface_value<bytes> &v, cudaSurfaceObject_t s, int x,      \
	                                             int y, int z)                                                     \
	{                                                                                                              \
		asm volatile("sust.b." geometry "." type "." outside " [%0, " place ", " sources ";"       \
		             :                                                                                         \
		             : "l"(s), "r"(x), "r"(y), "r"(z), SLUICE_LIST values                                      \
		             : "memory");                                                                              \
	}
/* The positions of x, y and z among an instruction's operands, which follow the results and the surface. */
#define SLUICE_AT_X(x, y, z)   "{%" #x "}]"
#define SLUICE_AT_XY(x, y, z)  "{%" #x ", %" #y "}]"
#define SLUICE_AT_XYZ(x, y, z) "{%" #x ", %" #y ", %" #z ", %" #z "}]"
#define SLUICE_AT_YX(x, y, z)  "{%" #y ", %" #x "}]" /* the layer comes first */
#define SLUICE_AT_ZXY(x, y, z) "{%" #z ", %" #x ", %" #y ", %" #y "}]"

#define SLUICE_ACCESSES(name, geometry, outside, AT)                                                                   \
	struct name##_##outside {                                                                                      \
		SLUICE_LOAD(geometry, #outside, 1, "b8", "%0", 1, ("=h"(v.x)), AT(2, 3, 4) ";")                        \
		SLUICE_LOAD(geometry, #outside, 2, "b16", "%0", 1, ("=h"(v.x)), AT(2, 3, 4) ";")                       \
		SLUICE_LOAD(geometry, #outside, 4, "b32", "%0", 1, ("=r"(v.x)), AT(2, 3, 4) ";")                       \
		SLUICE_LOAD(geometry, #outside, 8, "v2.b32", "{%0, %1}", 2, ("=r"(v.x), "=r"(v.y)), AT(3, 4, 5) ";")   \
		SLUICE_LOAD(geometry, #outside, 16, "v4.b32", "{%0, %1, %2, %3}", 4,                                   \
		            ("=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)), AT(5, 6, 7) ";")                             \
		SLUICE_STORE(geometry, #outside, 1, "b8", "%4", 0, ("h"(v.x)), AT(1, 2, 3))                            \
		SLUICE_STORE(geometry, #outside, 2, "b16", "%4", 0, ("h"(v.x)), AT(1, 2, 3))                           \
		SLUICE_STORE(geometry, #outside, 4, "b32", "%4", 0, ("r"(v.x)), AT(1, 2, 3))                           \
		SLUICE_STORE(geometry, #outside, 8, "v2.b32", "{%4, %5}", 0, ("r"(v.x), "r"(v.y)), AT(1, 2, 3))        \
		SLUICE_STORE(geometry, #outside, 16, "v4.b32", "{%4, %5, %6, %7}", 0,                                  \
		             ("r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)), AT(1, 2, 3))                                    \
	};
#define SLUICE_SURFACE(name, geometry, AT)                                                                             \
	SLUICE_ACCESSES(name, geometry, trap, AT)                                                                      \
	SLUICE_ACCESSES(name, geometry, clamp, AT)                                                                     \
	SLUICE_ACCESSES(name, geometry, zero, AT)                                                                      \
	struct name {                                                                                                  \
		typedef name##_trap trap;                                                                              \
		typedef name##_clamp clamp;                                                                            \
		typedef name##_zero zero;                                                                              \
	};
SLUICE_SURFACE(surface_1d, "1d", SLUICE_AT_X)
SLUICE_SURFACE(surface_2d, "2d", SLUICE_AT_XY)
SLUICE_SURFACE(surface_3d, "3d", SLUICE_AT_XYZ)
SLUICE_SURFACE(surface_a1d, "a1d", SLUICE_AT_YX)
SLUICE_SURFACE(surface_a2d, "a2d", SLUICE_AT_ZXY)

template <class geometry, class T>
static __device__ __forceinline__ T surface_read(cudaSurfaceObject_t s, int x, int y, int z,
                                                 cudaSurfaceBoundaryMode mode)
{
	surface_value<sizeof(T)> raw;
	if (mode == cudaBoundaryModeZero)
		geometry::zero::load(raw, s, x, y, z);
	else if (mode == cudaBoundaryModeClamp)
		geometry::clamp::load(raw, s, x, y, z);
	else
		geometry::trap::load(raw, s, x, y, z);
	T value;
	__builtin_memcpy(&value, &raw, sizeof value);
	return value;
}

template <class geometry, class T>
static __device__ __forceinline__ void surface_write(T value, cudaSurfaceObject_t s, int x, int y, int z,
                                                     cudaSurfaceBoundaryMode mode)
{
	surface_value<sizeof(T)> raw = {};
	__builtin_memcpy(&raw, &value, sizeof value);
	if (mode == cudaBoundaryModeZero)
		geometry::zero::store(raw, s, x, y, z);
	else if (mode == cudaBoundaryModeClamp)
		geometry::clamp::store(raw, s, x, y, z);
	else
		geometry::trap::store(raw, s, x, y, z);
}
} // namespace sluice

/* CUDA's names for the accesses of a geometry, by object and by reference. */
#define SLUICE_READ_WRITE(name, geometry, type, parameters, x, y, z)                                                   \
	template <class T>                                                                                             \
	static __device__ __forceinline__ T name##read(cudaSurfaceObject_t s, SLUICE_LIST parameters,                  \
	                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
	{                                                                                                              \
		return sluice::surface_read<sluice::geometry, T>(s, x, y, z, mode);                                    \
	}                                                                                                              \
	template <class T>                                                                                             \
	static __device__ __forceinline__ void name##read(T *value, cudaSurfaceObject_t s, SLUICE_LIST parameters,     \
	                                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
	{                                                                                                              \
		*value = sluice::surface_read<sluice::geometry, T>(s, x, y, z, mode);                                  \
	}                                                                                                              \
	template <class T>                                                                                             \
	static __device__ __forceinline__ T name##read(surface<void, type> s, SLUICE_LIST parameters,                  \
	                                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
	{                                                                                                              \
		return sluice::surface_read<sluice::geometry, T>(sluice::surface_handle(s), x, y, z, mode);            \
	}                                                                                                              \
	template <class T>                                                                                             \
	static __device__ __forceinline__ void name##read(T *value, surface<void, type> s, SLUICE_LIST parameters,     \
	                                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
	{                                                                                                              \
		*value = sluice::surface_read<sluice::geometry, T>(sluice::surface_handle(s), x, y, z, mode);          \
	}                                                                                                              \
	template <class T>                                                                                             \
	static __device__ __forceinline__ void name##write(T value, cudaSurfaceObject_t s, SLUICE_LIST parameters,     \
	                                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)        \
	{                                                                                                              \
		sluice::surface_write<sluice::geometry>(value, s, x, y, z, mode);                                      \
	}                                                                                                              \
	template <class T>                                                                                             \
	static __device__ __forceinline__ void name##write(T value, surface<void, type> s, SLUICE_LIST parameters,     \
	                                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)        \
	{                                                                                                              \
		sluice::surface_write<sluice::geometry>(value, sluice::surface_handle(s), x, y, z, mode);              \
	}
SLUICE_READ_WRITE(surf1D, surface_1d, cudaSurfaceType1D, (int x), x, 0, 0)
SLUICE_READ_WRITE(surf2D, surface_2d, cudaSurfaceType2D, (int x, int y), x, y, 0)
SLUICE_READ_WRITE(surf3D, surface_3d, cudaSurfaceType3D, (int x, int y, int z), x, y, z)
SLUICE_READ_WRITE(surf1DLayered, surface_a1d, cudaSurfaceType1DLayered, (int x, int layer), x, layer, 0)
SLUICE_READ_WRITE(surf2DLayered, surface_a2d, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, layer)
SLUICE_READ_WRITE(surfCubemap, surface_a2d, cudaSurfaceTypeCubemap, (int x, int y, int face), x, y, face)
SLUICE_READ_WRITE(surfCubemapLayered, surface_a2d, cudaSurfaceTypeCubemapLayered, (int x, int y, int face), x, y, face)

#undef SLUICE_READ_WRITE
#undef SLUICE_SURFACE
#undef SLUICE_ACCESSES
#undef SLUICE_AT_X
#undef SLUICE_AT_XY
#undef SLUICE_AT_XYZ
#undef SLUICE_AT_YX
#undef SLUICE_AT_ZXY
#undef SLUICE_STORE
#undef SLUICE_LOAD
#undef SLUICE_LIST

#endif

#endif
