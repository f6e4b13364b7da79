/* atomics: CUDA's atomic functions with device scope and, from sm_60 on, with block and system scope. */
#ifndef SLUICE_CUDA_ATOMICS_H
#define SLUICE_CUDA_ATOMICS_H

#define SLUICE_ATOMIC(type, name, call)                                                                                \
	static __device__ __forceinline__ type name(type *address, type value)                                         \
	{                                                                                                              \
		return (type)call;                                                                                     \
	}
#define SLUICE_CAS(type, name, call)                                                                                   \
	static __device__ __forceinline__ type name(type *address, type compare, type value)                           \
	{                                                                                                              \
		return (type)call;                                                                                     \
	}

/* `suffix`: of CUDA's name; `scope`: of clang's builtin. */
#define SLUICE_ATOMICS(suffix, scope)                                                                                  \
	SLUICE_ATOMIC(int, atomicAdd##suffix, __nvvm_atom_##scope##add_gen_i(address, value))                          \
	SLUICE_ATOMIC(unsigned int, atomicAdd##suffix, __nvvm_atom_##scope##add_gen_i((int *)address, (int)value))     \
	SLUICE_ATOMIC(unsigned long long, atomicAdd##suffix,                                                           \
	              __nvvm_atom_##scope##add_gen_ll((long long *)address, (long long)value))                         \
	SLUICE_ATOMIC(float, atomicAdd##suffix, __nvvm_atom_##scope##add_gen_f(address, value))                        \
	SLUICE_ATOMIC(int, atomicSub##suffix, __nvvm_atom_##scope##add_gen_i(address, -value))                         \
	SLUICE_ATOMIC(unsigned int, atomicSub##suffix, __nvvm_atom_##scope##add_gen_i((int *)address, -(int)value))    \
	SLUICE_ATOMIC(int, atomicExch##suffix, __nvvm_atom_##scope##xchg_gen_i(address, value))                        \
	SLUICE_ATOMIC(unsigned int, atomicExch##suffix, __nvvm_atom_##scope##xchg_gen_i((int *)address, (int)value))   \
	SLUICE_ATOMIC(unsigned long long, atomicExch##suffix,                                                          \
	              __nvvm_atom_##scope##xchg_gen_ll((long long *)address, (long long)value))                        \
	static __device__ __forceinline__ float atomicExch##suffix(float *address, float value)                        \
	{                                                                                                              \
		return __int_as_float(__nvvm_atom_##scope##xchg_gen_i((int *)address, __float_as_int(value)));         \
	}                                                                                                              \
	SLUICE_ATOMIC(int, atomicMin##suffix, __nvvm_atom_##scope##min_gen_i(address, value))                          \
	SLUICE_ATOMIC(long long, atomicMin##suffix, __nvvm_atom_##scope##min_gen_ll(address, value))                   \
	SLUICE_ATOMIC(int, atomicMax##suffix, __nvvm_atom_##scope##max_gen_i(address, value))                          \
	SLUICE_ATOMIC(long long, atomicMax##suffix, __nvvm_atom_##scope##max_gen_ll(address, value))                   \
	SLUICE_ATOMIC(unsigned int, atomicInc##suffix, __nvvm_atom_##scope##inc_gen_ui(address, value))                \
	SLUICE_ATOMIC(unsigned int, atomicDec##suffix, __nvvm_atom_##scope##dec_gen_ui(address, value))                \
	SLUICE_ATOMIC_LOGIC(suffix, scope, And, and)                                                                   \
	SLUICE_ATOMIC_LOGIC(suffix, scope, Or, or)                                                                     \
	SLUICE_ATOMIC_LOGIC(suffix, scope, Xor, xor)                                                                   \
	SLUICE_CAS(int, atomicCAS##suffix, __nvvm_atom_##scope##cas_gen_i(address, compare, value))                    \
	SLUICE_CAS(unsigned int, atomicCAS##suffix,                                                                    \
	           __nvvm_atom_##scope##cas_gen_i((int *)address, (int)compare, (int)value))                           \
	SLUICE_CAS(unsigned long long, atomicCAS##suffix,                                                              \
	           __nvvm_atom_##scope##cas_gen_ll((long long *)address, (long long)compare, (long long)value))

#define SLUICE_ATOMIC_LOGIC(suffix, scope, Name, name)                                                                 \
	SLUICE_ATOMIC(int, atomic##Name##suffix, __nvvm_atom_##scope##name##_gen_i(address, value))                    \
	SLUICE_ATOMIC(unsigned int, atomic##Name##suffix,                                                              \
	              __nvvm_atom_##scope##name##_gen_i((int *)address, (int)value))                                   \
	SLUICE_ATOMIC(long long, atomic##Name##suffix, __nvvm_atom_##scope##name##_gen_ll(address, value))             \
	SLUICE_ATOMIC(unsigned long long, atomic##Name##suffix,                                                        \
	              __nvvm_atom_##scope##name##_gen_ll((long long *)address, (long long)value))

SLUICE_ATOMICS(, )
SLUICE_ATOMIC(unsigned int, atomicMin, __nvvm_atom_min_gen_ui(address, value))
SLUICE_ATOMIC(unsigned int, atomicMax, __nvvm_atom_max_gen_ui(address, value))
SLUICE_ATOMIC(unsigned long long, atomicMin, __nvvm_atom_min_gen_ull(address, value))
SLUICE_ATOMIC(unsigned long long, atomicMax, __nvvm_atom_max_gen_ull(address, value))

/* For older architectures programs define their own atomicAdd(double *, double). */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
SLUICE_ATOMIC(double, atomicAdd, __nvvm_atom_add_gen_d(address, value))
/* clang 14's builtins with a scope emit signed instructions for unsigned types. */
#define SLUICE_UNSIGNED(type, name, instruction, constraint)                                                           \
	static __device__ __forceinline__ type name(type *address, type value)                                         \
	{                                                                                                              \
		type old;                                                                                              \
		asm volatile("atom." instruction " %0, [%1], %2;"                                                      \
		             : "=" constraint(old)                                                                     \
		             : "l"(address), constraint(value)                                                         \
		             : "memory");                                                                              \
		return old;                                                                                            \
	}
#define SLUICE_UNSIGNED_ORDER(suffix, scope)                                                                           \
	SLUICE_UNSIGNED(unsigned int, atomicMin##suffix, scope ".min.u32", "r")                                        \
	SLUICE_UNSIGNED(unsigned int, atomicMax##suffix, scope ".max.u32", "r")                                        \
	SLUICE_UNSIGNED(unsigned long long, atomicMin##suffix, scope ".min.u64", "l")                                  \
	SLUICE_UNSIGNED(unsigned long long, atomicMax##suffix, scope ".max.u64", "l")
SLUICE_UNSIGNED_ORDER(_block, "cta")
SLUICE_UNSIGNED_ORDER(_system, "sys")
#undef SLUICE_UNSIGNED_ORDER
#undef SLUICE_UNSIGNED
SLUICE_ATOMICS(_block, cta_)
SLUICE_ATOMICS(_system, sys_)
SLUICE_ATOMIC(double, atomicAdd_block, __nvvm_atom_cta_add_gen_d(address, value))
SLUICE_ATOMIC(double, atomicAdd_system, __nvvm_atom_sys_add_gen_d(address, value))
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define SLUICE_CAS_SHORT(name, scope)                                                                                  \
	static __device__ __forceinline__ unsigned short name(unsigned short *address, unsigned short compare,         \
	                                                      unsigned short value)                                    \
	{                                                                                                              \
		unsigned short old;                                                                                    \
		asm volatile("atom." scope "cas.b16 %0, [%1], %2, %3;"                                                 \
		             : "=h"(old)                                                                               \
		             : "l"(address), "h"(compare), "h"(value)                                                  \
		             : "memory");                                                                              \
		return old;                                                                                            \
	}
SLUICE_CAS_SHORT(atomicCAS, "")
SLUICE_CAS_SHORT(atomicCAS_block, "cta.")
SLUICE_CAS_SHORT(atomicCAS_system, "sys.")
#undef SLUICE_CAS_SHORT
#endif

#undef SLUICE_ATOMICS
#undef SLUICE_ATOMIC_LOGIC
#undef SLUICE_ATOMIC
#undef SLUICE_CAS

#endif
