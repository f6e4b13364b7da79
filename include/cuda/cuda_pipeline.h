/* cuda_pipeline: nvcuda::experimental::pipeline, the predecessor of cuda::pipeline, implemented with the functions of
 * cuda_pipeline_primitives.h. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "sluice/macros_off.h"

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#if defined(__cplusplus)

namespace nvcuda {
namespace experimental {

class pipeline {
	size_t committed = 0;

    public:
	__device__ __forceinline__ pipeline()
	{
	}
	pipeline(const pipeline &) = delete;
	pipeline &operator=(const pipeline &) = delete;

	/* Returns the number of the committed group. */
	__device__ __forceinline__ size_t commit()
	{
		__pipeline_commit();
		return committed++;
	}
	__device__ __forceinline__ void commit_and_wait()
	{
		commit();
		wait_prior<0>();
	}
	/* Waits for the group of that number; in fact waits for all groups. */
	__device__ __forceinline__ void wait(size_t group)
	{
		(void)group;
		__pipeline_wait_prior(0);
	}
	template <unsigned int Prior> __device__ __forceinline__ void wait_prior()
	{
		__pipeline_wait_prior(Prior);
	}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
	/* `Barrier`: awbarrier or cuda::barrier of a block. */
	template <class Barrier> __device__ __forceinline__ void arrive_on(Barrier &barrier)
	{
		__pipeline_arrive_on(reinterpret_cast<__mbarrier_t *>(&barrier));
	}
#endif
};

/* Copies from global to shared memory by one thread, in words of the type's alignment. */
template <class T> __device__ __forceinline__ void memcpy_async(T &to, const T &from, pipeline &)
{
	constexpr size_t word = alignof(T) >= 16 ? 16 : alignof(T);
	if (word < 4) {
		to = from;
		return;
	}
	for (size_t at = 0; at < sizeof(T); at += word)
		__pipeline_memcpy_async(reinterpret_cast<char *>(&to) + at, reinterpret_cast<const char *>(&from) + at, word);
}

} // namespace experimental
} // namespace nvcuda

#endif

#include "sluice/macros_on.h"

#endif
