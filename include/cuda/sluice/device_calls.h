/* device_calls: the system calls of device code (printf, malloc, free, assert), and conversions of the builtin
 * variables. */
#ifndef SLUICE_CUDA_DEVICE_CALLS_H
#define SLUICE_CUDA_DEVICE_CALLS_H

extern "C" {
/* clang turns printf into vprintf with the arguments laid out in local memory. */
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t size) __attribute__((nothrow)) __attribute__((malloc));
__device__ void free(void *pointer) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned int line, const char *function,
                             size_t character_size);
/* Called by <assert.h>. */
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned int line,
                                            const char *function)
{
	__assertfail(message, file, line, function, sizeof(char));
}

/* The entry for pure virtual functions in virtual function tables; emitted only with such a table. */
__device__ inline void __cxa_pure_virtual()
{
	__trap();
}
__device__ inline void __cxa_deleted_virtual()
{
	__trap();
}
}

namespace std
{
__device__ static inline void *malloc(size_t size)
{
	return ::malloc(size);
}
__device__ static inline void free(void *pointer)
{
	::free(pointer);
}
} // namespace std

#define SLUICE_BUILTIN_CONVERSIONS(name)                                                                               \
	__device__ inline __cuda_builtin_##name##_t::operator dim3() const                                             \
	{                                                                                                              \
		return dim3(x, y, z);                                                                                  \
	}                                                                                                              \
	__device__ inline __cuda_builtin_##name##_t::operator uint3() const                                            \
	{                                                                                                              \
		uint3 value = {x, y, z};                                                                               \
		return value;                                                                                          \
	}
SLUICE_BUILTIN_CONVERSIONS(threadIdx)
SLUICE_BUILTIN_CONVERSIONS(blockIdx)
SLUICE_BUILTIN_CONVERSIONS(blockDim)
SLUICE_BUILTIN_CONVERSIONS(gridDim)
#undef SLUICE_BUILTIN_CONVERSIONS

#endif
