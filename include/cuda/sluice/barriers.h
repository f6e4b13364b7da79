/* barriers: barriers and fences that the compiler must not move memory accesses across.
 *
 * clang-14 assumes that a barrier intrinsic cannot access a __shared__ variable whose address is not taken. So it
 * forwards a store to a load after the barrier, and removes stores that it considers overwritten. An empty assembler
 * statement that clobbers memory, before and after the barrier, prevents both.
 */
#ifndef SLUICE_CUDA_BARRIERS_H
#define SLUICE_CUDA_BARRIERS_H

#define SLUICE_ORDERED(call)                                                                                           \
	asm volatile("" ::: "memory");                                                                                 \
	call;                                                                                                          \
	asm volatile("" ::: "memory")

#define SLUICE_BARRIER(name, parameters, call)                                                                         \
	static __device__ __forceinline__ void sluice_##name parameters                                                \
	{                                                                                                              \
		SLUICE_ORDERED(call);                                                                                  \
	}
#define SLUICE_VOTE(name, call)                                                                                        \
	static __device__ __forceinline__ int sluice_##name(int predicate)                                             \
	{                                                                                                              \
		SLUICE_ORDERED(int result = call(predicate));                                                          \
		return result;                                                                                         \
	}

SLUICE_BARRIER(syncthreads, (), __syncthreads())
SLUICE_BARRIER(threadfence, (), __nvvm_membar_gl())
SLUICE_BARRIER(threadfence_block, (), __nvvm_membar_cta())
SLUICE_BARRIER(threadfence_system, (), __nvvm_membar_sys())
SLUICE_VOTE(syncthreads_and, __nvvm_bar0_and)
SLUICE_VOTE(syncthreads_or, __nvvm_bar0_or)
SLUICE_VOTE(syncthreads_count, __nvvm_bar0_popc)

#define __syncthreads() sluice_syncthreads()
#define __syncthreads_and(predicate) sluice_syncthreads_and(predicate)
#define __syncthreads_or(predicate) sluice_syncthreads_or(predicate)
#define __syncthreads_count(predicate) sluice_syncthreads_count(predicate)
#define __threadfence() sluice_threadfence()
#define __threadfence_block() sluice_threadfence_block()
#define __threadfence_system() sluice_threadfence_system()

/* clang's header defines these from this architecture on. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
SLUICE_BARRIER(syncwarp, (unsigned int mask = 0xffffffff), __nvvm_bar_warp_sync(mask))
SLUICE_BARRIER(barrier_sync, (unsigned int id), __nvvm_barrier_sync(id))
SLUICE_BARRIER(barrier_sync_count, (unsigned int id, unsigned int count), __nvvm_barrier_sync_cnt(id, count))

#define __syncwarp(...) sluice_syncwarp(__VA_ARGS__)
#define __barrier_sync(id) sluice_barrier_sync(id)
#define __barrier_sync_count(id, count) sluice_barrier_sync_count(id, count)
#endif

#undef SLUICE_BARRIER
#undef SLUICE_VOTE
#undef SLUICE_ORDERED

#endif
