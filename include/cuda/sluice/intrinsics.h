/* intrinsics: device functions that clang's headers lack: loads and stores with a cache operator, address-space
 * predicates, dot products, warp reductions. */
#ifndef SLUICE_CUDA_INTRINSICS_H
#define SLUICE_CUDA_INTRINSICS_H

#define SLUICE_DEVICE_INLINE static __device__ __forceinline__

SLUICE_DEVICE_INLINE unsigned int __isGlobal(const void *pointer)
{
	return __nvvm_isspacep_global(pointer);
}
SLUICE_DEVICE_INLINE unsigned int __isShared(const void *pointer)
{
	return __nvvm_isspacep_shared(pointer);
}
SLUICE_DEVICE_INLINE unsigned int __isConstant(const void *pointer)
{
	return __nvvm_isspacep_const(pointer);
}
SLUICE_DEVICE_INLINE unsigned int __isLocal(const void *pointer)
{
	return __nvvm_isspacep_local(pointer);
}
SLUICE_DEVICE_INLINE size_t __cvta_generic_to_shared(const void *pointer)
{
	return __nv_cvta_generic_to_shared_impl(pointer);
}
SLUICE_DEVICE_INLINE size_t __cvta_generic_to_global(const void *pointer)
{
	return __nv_cvta_generic_to_global_impl(pointer);
}

/* __ldcg(p), __stcs(p, v), ...: `letter` is the asm constraint, `kind` PTX's type. */
#define SLUICE_LOAD(cache, type, kind, letter)                                                                         \
	SLUICE_DEVICE_INLINE type __ld##cache(const type *pointer)                                                     \
	{                                                                                                              \
		type value;                                                                                            \
		asm volatile("ld.global." #cache "." kind " %0, [%1];" : "=" letter(value) : "l"(pointer) : "memory"); \
		return value;                                                                                          \
	}
#define SLUICE_STORE(cache, type, kind, letter)                                                                        \
	SLUICE_DEVICE_INLINE void __st##cache(type *pointer, type value)                                               \
	{                                                                                                              \
		asm volatile("st.global." #cache "." kind " [%0], %1;" ::"l"(pointer), letter(value) : "memory");      \
	}
#define SLUICE_TYPES(ACCESS, cache)                                                                                    \
	ACCESS(cache, int, "s32", "r")                                                                                 \
	ACCESS(cache, unsigned int, "u32", "r")                                                                        \
	ACCESS(cache, long, "s64", "l")                                                                                \
	ACCESS(cache, unsigned long, "u64", "l")                                                                       \
	ACCESS(cache, long long, "s64", "l")                                                                           \
	ACCESS(cache, unsigned long long, "u64", "l")                                                                  \
	ACCESS(cache, float, "f32", "f")                                                                               \
	ACCESS(cache, double, "f64", "d")
SLUICE_TYPES(SLUICE_LOAD, ca)
SLUICE_TYPES(SLUICE_LOAD, cg)
SLUICE_TYPES(SLUICE_LOAD, cs)
SLUICE_TYPES(SLUICE_LOAD, cv)
SLUICE_TYPES(SLUICE_STORE, wb)
SLUICE_TYPES(SLUICE_STORE, cg)
SLUICE_TYPES(SLUICE_STORE, cs)
SLUICE_TYPES(SLUICE_STORE, wt)
#undef SLUICE_TYPES
#undef SLUICE_LOAD
#undef SLUICE_STORE

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
SLUICE_DEVICE_INLINE int __dp4a(int a, int b, int c)
{
	int d;
	asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
SLUICE_DEVICE_INLINE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int d;
	asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define SLUICE_REDUCE(type, name, operation)                                                                           \
	SLUICE_DEVICE_INLINE type __reduce_##name##_sync(unsigned int mask, type value)                                \
	{                                                                                                              \
		type result;                                                                                           \
		asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));           \
		return result;                                                                                         \
	}
SLUICE_REDUCE(int, add, "add.s32")
SLUICE_REDUCE(unsigned int, add, "add.u32")
SLUICE_REDUCE(int, min, "min.s32")
SLUICE_REDUCE(unsigned int, min, "min.u32")
SLUICE_REDUCE(int, max, "max.s32")
SLUICE_REDUCE(unsigned int, max, "max.u32")
SLUICE_REDUCE(unsigned int, and, "and.b32")
SLUICE_REDUCE(unsigned int, or, "or.b32")
SLUICE_REDUCE(unsigned int, xor, "xor.b32")
#undef SLUICE_REDUCE
#endif

#undef SLUICE_DEVICE_INLINE

#endif
