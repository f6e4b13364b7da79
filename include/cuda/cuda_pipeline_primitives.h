/* cuda_pipeline_primitives: asynchronous copies from global to shared memory by one thread, as functions.
 *
 * Each copy is a cp.async instruction, for every architecture.
 */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "sluice/macros_off.h"

#include "cuda_awbarrier_primitives.h"

#if defined(__cplusplus)

#include <stddef.h>

#define SLUICE_COPY_ASYNC(cache, bytes)                                                                                \
	asm volatile("cp.async." cache ".shared.global [%0], [%1], " #bytes ", %2;" ::"r"(                             \
			     (unsigned int)__cvta_generic_to_shared(shared)),                                          \
	             "l"(__cvta_generic_to_global(global)), "r"((unsigned int)(bytes - zeros))                         \
	             : "memory")

/* Copies `bytes` bytes: 4, 8 or 16, to which both addresses must be aligned. The last `zeros` bytes are set to zero and
 * not read. */
static __device__ __forceinline__ void __pipeline_memcpy_async(void *__restrict__ shared, const void *__restrict__ global,
                                                               size_t bytes, size_t zeros = 0)
{
	switch (bytes) {
	case 4:
		SLUICE_COPY_ASYNC("ca", 4);
		break;
	case 8:
		SLUICE_COPY_ASYNC("ca", 8);
		break;
	case 16:
		SLUICE_COPY_ASYNC("cg", 16);
		break;
	default:
		__builtin_trap();
	}
}

#undef SLUICE_COPY_ASYNC

static __device__ __forceinline__ void __pipeline_commit()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until all of the thread's groups except the last `prior` are complete. The instruction needs a constant;
 * waiting for more groups is also correct. */
static __device__ __forceinline__ void __pipeline_wait_prior(size_t prior)
{
	if (prior == 0)
		asm volatile("cp.async.wait_group 0;" ::: "memory");
	else if (prior == 1)
		asm volatile("cp.async.wait_group 1;" ::: "memory");
	else if (prior == 2)
		asm volatile("cp.async.wait_group 2;" ::: "memory");
	else
		asm volatile("cp.async.wait_group 3;" ::: "memory");
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
/* Arrives at the barrier when all copies of the thread so far are complete. The barrier expects this arrival in
 * addition. */
static __device__ __forceinline__ void __pipeline_arrive_on(__mbarrier_t *bar)
{
	asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned int)__cvta_generic_to_shared(bar)) : "memory");
}
#endif

#endif

#include "sluice/macros_on.h"

#endif
