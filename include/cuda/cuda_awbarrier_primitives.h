/* cuda_awbarrier_primitives: barriers in shared memory on which threads arrive individually (__mbarrier_t), as
 * functions.
 *
 * Each function is an mbarrier instruction. Requires sm_70.
 */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "sluice/macros_off.h"

#if defined(__cplusplus) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)

#include <stdint.h>

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

#define SLUICE_MBARRIER          static __device__ __forceinline__
#define SLUICE_MBARRIER_AT(bar)  "r"((unsigned int)__cvta_generic_to_shared(bar))

SLUICE_MBARRIER uint32_t __mbarrier_maximum_count()
{
	return (1u << 20) - 1;
}

SLUICE_MBARRIER void __mbarrier_init(__mbarrier_t *bar, uint32_t expected)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::SLUICE_MBARRIER_AT(bar), "r"(expected) : "memory");
}

SLUICE_MBARRIER void __mbarrier_inval(__mbarrier_t *bar)
{
	asm volatile("mbarrier.inval.shared.b64 [%0];" ::SLUICE_MBARRIER_AT(bar) : "memory");
}

SLUICE_MBARRIER __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *bar)
{
	__mbarrier_token_t token;
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : SLUICE_MBARRIER_AT(bar) : "memory");
	return token;
}

SLUICE_MBARRIER __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *bar)
{
	__mbarrier_token_t token;
	asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : SLUICE_MBARRIER_AT(bar) : "memory");
	return token;
}

#define SLUICE_MBARRIER_WAIT(operation, operand)                                                                       \
	uint32_t over;                                                                                                 \
	asm volatile("{ .reg .pred over; mbarrier." operation ".shared.b64 over, [%1], %2; selp.u32 %0, 1, 0, over; }" \
	             : "=r"(over)                                                                                      \
	             : SLUICE_MBARRIER_AT(bar), operand                                                                \
	             : "memory");                                                                                      \
	return over

SLUICE_MBARRIER bool __mbarrier_test_wait(__mbarrier_t *bar, __mbarrier_token_t token)
{
	SLUICE_MBARRIER_WAIT("test_wait", "l"(token));
}

SLUICE_MBARRIER bool __mbarrier_test_wait_parity(__mbarrier_t *bar, bool parity)
{
	SLUICE_MBARRIER_WAIT("test_wait.parity", "r"((uint32_t)parity));
}

/* These may return at any time, so they return at once. */
SLUICE_MBARRIER bool __mbarrier_try_wait(__mbarrier_t *bar, __mbarrier_token_t token, uint32_t max_nanoseconds)
{
	(void)max_nanoseconds;
	SLUICE_MBARRIER_WAIT("try_wait", "l"(token));
}

SLUICE_MBARRIER bool __mbarrier_try_wait_parity(__mbarrier_t *bar, bool parity, uint32_t max_nanoseconds)
{
	(void)max_nanoseconds;
	SLUICE_MBARRIER_WAIT("try_wait.parity", "r"((uint32_t)parity));
}

SLUICE_MBARRIER uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token)
{
	uint32_t count;
	asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
	return count;
}

SLUICE_MBARRIER uint32_t __mbarrier_pending_count(__mbarrier_token_t token)
{
	return __mbarrier_token_pending_count(token);
}

#undef SLUICE_MBARRIER_WAIT
#undef SLUICE_MBARRIER_AT
#undef SLUICE_MBARRIER

#endif

#include "sluice/macros_on.h"

#endif
