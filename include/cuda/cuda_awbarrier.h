/* cuda_awbarrier: nvcuda::experimental::awbarrier, the predecessor of cuda::barrier, implemented with the functions of
 * cuda_awbarrier_primitives.h. */
#ifndef _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_H_

#include "sluice/macros_off.h"

#include "cuda_awbarrier_primitives.h"

#if defined(__cplusplus) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)

namespace nvcuda {
namespace experimental {

class awbarrier {
	__mbarrier_t word;

    public:
	class arrival_token {
		__mbarrier_token_t token;
		friend class awbarrier;

	    public:
		arrival_token() = default;
		__device__ __forceinline__ uint32_t pending_count() const
		{
			return __mbarrier_token_pending_count(token);
		}
	};

	awbarrier() = default;
	awbarrier(const awbarrier &) = delete;
	awbarrier &operator=(const awbarrier &) = delete;

	static __device__ __forceinline__ uint32_t max()
	{
		return __mbarrier_maximum_count();
	}
	friend __device__ __forceinline__ void init(awbarrier *barrier, uint32_t expected)
	{
		__mbarrier_init(&barrier->word, expected);
	}
	friend __device__ __forceinline__ void inval(awbarrier *barrier)
	{
		__mbarrier_inval(&barrier->word);
	}

	__device__ __forceinline__ arrival_token arrive()
	{
		arrival_token result;
		result.token = __mbarrier_arrive(&word);
		return result;
	}
	__device__ __forceinline__ arrival_token arrive_and_drop()
	{
		arrival_token result;
		result.token = __mbarrier_arrive_and_drop(&word);
		return result;
	}
	__device__ __forceinline__ bool try_wait(arrival_token token, uint32_t max_nanoseconds)
	{
		return __mbarrier_try_wait(&word, token.token, max_nanoseconds);
	}
	__device__ __forceinline__ bool try_wait_parity(bool parity, uint32_t max_nanoseconds)
	{
		return __mbarrier_try_wait_parity(&word, parity, max_nanoseconds);
	}
	__device__ __forceinline__ bool timed_wait(arrival_token token, uint32_t cycles)
	{
		return __mbarrier_try_wait(&word, token.token, cycles);
	}
	__device__ __forceinline__ bool timed_wait_parity(bool parity, uint32_t cycles)
	{
		return __mbarrier_try_wait_parity(&word, parity, cycles);
	}
	__device__ __forceinline__ void wait(arrival_token token)
	{
		while (!__mbarrier_test_wait(&word, token.token))
			continue;
	}
	__device__ __forceinline__ void arrive_and_wait()
	{
		wait(arrive());
	}
};

} // namespace experimental
} // namespace nvcuda

#endif

#include "sluice/macros_on.h"

#endif
