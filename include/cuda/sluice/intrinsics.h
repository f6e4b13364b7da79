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

SLUICE_DEVICE_INLINE size_t __cvta_generic_to_constant(const void *pointer)
{
	return __nv_cvta_generic_to_constant_impl(pointer);
}
SLUICE_DEVICE_INLINE size_t __cvta_generic_to_local(const void *pointer)
{
	return __nv_cvta_generic_to_local_impl(pointer);
}
SLUICE_DEVICE_INLINE void *__cvta_shared_to_generic(size_t pointer)
{
	return __nv_cvta_shared_to_generic_impl(pointer);
}
SLUICE_DEVICE_INLINE void *__cvta_global_to_generic(size_t pointer)
{
	return __nv_cvta_global_to_generic_impl(pointer);
}
SLUICE_DEVICE_INLINE void *__cvta_constant_to_generic(size_t pointer)
{
	return __nv_cvta_constant_to_generic_impl(pointer);
}
SLUICE_DEVICE_INLINE void *__cvta_local_to_generic(size_t pointer)
{
	return __nv_cvta_local_to_generic_impl(pointer);
}

/* Returns the position of the offset-th set bit of `mask`, counted from bit `base` upwards, or downwards for a negative
 * offset. With an offset of 0 only bit `base` itself qualifies. Returns all ones when there is no such bit. */
SLUICE_DEVICE_INLINE unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
	int step = offset < 0 ? -1 : 1, wanted = offset == 0 ? 1 : offset * step;
	for (int bit = (int)base; bit >= 0 && bit < 32; bit += step) {
		if ((mask >> bit & 1) && --wanted == 0)
			return (unsigned int)bit;
		if (offset == 0)
			break;
	}
	return ~0u;
}

/* Defines __ldcg(p), __stcs(p, v), ...: `part` is the register's type, `letter` its asm constraint, `kind` PTX's
 * type. */
#define SLUICE_LOAD_1(cache, type, part, kind, letter)                                                                 \
	SLUICE_DEVICE_INLINE type __ld##cache(const type *pointer)                                                     \
	{                                                                                                              \
		part x;                                                                                                \
		asm volatile("ld.global." #cache "." kind " %0, [%1];" : "=" letter(x) : "l"(pointer) : "memory");     \
		return (type)x;                                                                                        \
	}
#define SLUICE_LOAD_2(cache, type, part, kind, letter)                                                                 \
	SLUICE_DEVICE_INLINE type __ld##cache(const type *pointer)                                                     \
	{                                                                                                              \
		part x, y;                                                                                             \
		asm volatile("ld.global." #cache ".v2." kind " {%0, %1}, [%2];"                                        \
		             : "=" letter(x), "=" letter(y)                                                            \
		             : "l"(pointer)                                                                            \
		             : "memory");                                                                              \
		return make_##type(x, y);                                                                              \
	}
#define SLUICE_LOAD_4(cache, type, part, kind, letter)                                                                 \
	SLUICE_DEVICE_INLINE type __ld##cache(const type *pointer)                                                     \
	{                                                                                                              \
		part x, y, z, w;                                                                                       \
		asm volatile("ld.global." #cache ".v4." kind " {%0, %1, %2, %3}, [%4];"                                \
		             : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)                              \
		             : "l"(pointer)                                                                            \
		             : "memory");                                                                              \
		return make_##type(x, y, z, w);                                                                        \
	}
#define SLUICE_STORE_1(cache, type, part, kind, letter)                                                                \
	SLUICE_DEVICE_INLINE void __st##cache(type *pointer, type value)                                               \
	{                                                                                                              \
		asm volatile("st.global." #cache "." kind " [%0], %1;" ::"l"(pointer), letter((part)value)             \
		             : "memory");                                                                              \
	}
#define SLUICE_STORE_2(cache, type, part, kind, letter)                                                                \
	SLUICE_DEVICE_INLINE void __st##cache(type *pointer, type value)                                               \
	{                                                                                                              \
		asm volatile("st.global." #cache ".v2." kind " [%0], {%1, %2};" ::"l"(pointer),                        \
		             letter((part)value.x), letter((part)value.y)                                              \
		             : "memory");                                                                              \
	}
#define SLUICE_STORE_4(cache, type, part, kind, letter)                                                                \
	SLUICE_DEVICE_INLINE void __st##cache(type *pointer, type value)                                               \
	{                                                                                                              \
		asm volatile("st.global." #cache ".v4." kind " [%0], {%1, %2, %3, %4};" ::"l"(pointer),                \
		             letter((part)value.x), letter((part)value.y), letter((part)value.z),                      \
		             letter((part)value.w)                                                                     \
		             : "memory");                                                                              \
	}
#define SLUICE_TYPES(ACCESS, cache)                                                                                    \
	ACCESS##_1(cache, char, int, "s8", "r")                                                                        \
	ACCESS##_1(cache, signed char, int, "s8", "r")                                                                 \
	ACCESS##_1(cache, unsigned char, unsigned int, "u8", "r")                                                      \
	ACCESS##_1(cache, short, short, "s16", "h")                                                                    \
	ACCESS##_1(cache, unsigned short, unsigned short, "u16", "h")                                                  \
	ACCESS##_1(cache, int, int, "s32", "r")                                                                        \
	ACCESS##_1(cache, unsigned int, unsigned int, "u32", "r")                                                      \
	ACCESS##_1(cache, long, long, "s64", "l")                                                                      \
	ACCESS##_1(cache, unsigned long, unsigned long, "u64", "l")                                                    \
	ACCESS##_1(cache, long long, long long, "s64", "l")                                                            \
	ACCESS##_1(cache, unsigned long long, unsigned long long, "u64", "l")                                          \
	ACCESS##_1(cache, float, float, "f32", "f")                                                                    \
	ACCESS##_1(cache, double, double, "f64", "d")                                                                  \
	ACCESS##_2(cache, char2, int, "s8", "r")                                                                       \
	ACCESS##_2(cache, uchar2, unsigned int, "u8", "r")                                                             \
	ACCESS##_2(cache, short2, short, "s16", "h")                                                                   \
	ACCESS##_2(cache, ushort2, unsigned short, "u16", "h")                                                         \
	ACCESS##_2(cache, int2, int, "s32", "r")                                                                       \
	ACCESS##_2(cache, uint2, unsigned int, "u32", "r")                                                             \
	ACCESS##_2(cache, longlong2, long long, "s64", "l")                                                            \
	ACCESS##_2(cache, ulonglong2, unsigned long long, "u64", "l")                                                  \
	ACCESS##_2(cache, float2, float, "f32", "f")                                                                   \
	ACCESS##_2(cache, double2, double, "f64", "d")                                                                 \
	ACCESS##_4(cache, char4, int, "s8", "r")                                                                       \
	ACCESS##_4(cache, uchar4, unsigned int, "u8", "r")                                                             \
	ACCESS##_4(cache, short4, short, "s16", "h")                                                                   \
	ACCESS##_4(cache, ushort4, unsigned short, "u16", "h")                                                         \
	ACCESS##_4(cache, int4, int, "s32", "r")                                                                       \
	ACCESS##_4(cache, uint4, unsigned int, "u32", "r")                                                             \
	ACCESS##_4(cache, float4, float, "f32", "f")
SLUICE_TYPES(SLUICE_LOAD, ca)
SLUICE_TYPES(SLUICE_LOAD, cg)
SLUICE_TYPES(SLUICE_LOAD, cs)
SLUICE_TYPES(SLUICE_LOAD, lu)
SLUICE_TYPES(SLUICE_LOAD, cv)
SLUICE_TYPES(SLUICE_STORE, wb)
SLUICE_TYPES(SLUICE_STORE, cg)
SLUICE_TYPES(SLUICE_STORE, cs)
SLUICE_TYPES(SLUICE_STORE, wt)
#undef SLUICE_TYPES
#undef SLUICE_LOAD_1
#undef SLUICE_LOAD_2
#undef SLUICE_LOAD_4
#undef SLUICE_STORE_1
#undef SLUICE_STORE_2
#undef SLUICE_STORE_4

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
/* Dot products of packed integers, passed as words or as vectors of types vector_a and vector_b. */
#define SLUICE_DOT(name, opcode, type, ptx_type, vector_a, vector_b)                                                   \
	SLUICE_DEVICE_INLINE type name(type a, type b, type c)                                                         \
	{                                                                                                              \
		type d;                                                                                                \
		asm(opcode ptx_type ptx_type " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                   \
		return d;                                                                                              \
	}                                                                                                              \
	SLUICE_DEVICE_INLINE type name(vector_a a, vector_b b, type c)                                                 \
	{                                                                                                              \
		type a_word, b_word;                                                                                   \
		__builtin_memcpy(&a_word, &a, sizeof a_word);                                                          \
		__builtin_memcpy(&b_word, &b, sizeof b_word);                                                          \
		return name(a_word, b_word, c);                                                                        \
	}
SLUICE_DOT(__dp4a, "dp4a", int, ".s32", char4, char4)
SLUICE_DOT(__dp4a, "dp4a", unsigned int, ".u32", uchar4, uchar4)
SLUICE_DOT(__dp2a_lo, "dp2a.lo", int, ".s32", short2, char4)
SLUICE_DOT(__dp2a_lo, "dp2a.lo", unsigned int, ".u32", ushort2, uchar4)
SLUICE_DOT(__dp2a_hi, "dp2a.hi", int, ".s32", short2, char4)
SLUICE_DOT(__dp2a_hi, "dp2a.hi", unsigned int, ".u32", ushort2, uchar4)
#undef SLUICE_DOT
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
