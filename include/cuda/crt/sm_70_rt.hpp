/* sm_70_rt: match intrinsics. clang's __clang_cuda_intrinsics.h defines the __match32 and __match64 functions and then
 * includes this file. */
#ifndef SLUICE_CUDA_SM_70_RT_HPP
#define SLUICE_CUDA_SM_70_RT_HPP

#define SLUICE_MATCH(type, bits, as)                                                                                   \
	static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value)                 \
	{                                                                                                              \
		return (unsigned int)__match##bits##_any_sync(mask, as(value));                                        \
	}                                                                                                              \
	static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value, int *all)       \
	{                                                                                                              \
		return (unsigned int)__match##bits##_all_sync(mask, as(value), all);                                   \
	}
SLUICE_MATCH(int, 32, (unsigned int))
SLUICE_MATCH(unsigned int, 32, (unsigned int))
SLUICE_MATCH(long, 64, (unsigned long long))
SLUICE_MATCH(unsigned long, 64, (unsigned long long))
SLUICE_MATCH(long long, 64, (unsigned long long))
SLUICE_MATCH(unsigned long long, 64, (unsigned long long))
SLUICE_MATCH(float, 32, __float_as_uint)
SLUICE_MATCH(double, 64, __double_as_longlong)
#undef SLUICE_MATCH

static __device__ __forceinline__ void __nanosleep(unsigned int nanoseconds)
{
	asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

#endif
