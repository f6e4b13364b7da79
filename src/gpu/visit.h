/* visit: a callback from outside between two cycles of a kernel. No unit is ticking then, and all counters are up to
 * date. Nothing that is simulated depends on it.
 *
 * Cycles in which a unit slept are counted before the call. They are counted up to the same time for all units,
 * whether they sleep or not. A visit in a cycle sees the core cycles before it. It sees the other clocks' cycles up
 * to the beginning of the last of these core cycles.
 */
#ifndef SLUICE_GPU_VISIT_H
#define SLUICE_GPU_VISIT_H

#include <stdint.h>

struct gpu;

/* Cycles are counted from the kernel's launch. */
struct gpu_visitor {
	void *user;
	/* First called in cycle 0. Returns the later cycle of its next call, or UINT64_MAX. The call can be later
	 * than that when a kernel's blocks have ended and only a mechanism's hook keeps the kernel running. NULL: no
	 * calls. */
	uint64_t (*visit)(void *user, uint64_t cycle);
	/* The kernel has ended, for any reason, after `cycles` cycles. The counters equal those of its statistics. */
	void (*ended)(void *user, uint64_t cycles);
};

struct visits {
	struct gpu_visitor visitor;
	uint64_t start; /* core cycle of the launch */
	uint64_t next;  /* core cycle of the next call */
};

void visits_begin(struct gpu *gpu, const struct gpu_visitor *visitor, uint64_t start);
void visits_end(struct gpu *gpu, uint64_t cycles);

/* Makes the call that is due in a core cycle. The previous cycle must be over, and a unit must have ticked in it. */
void visits_make(struct gpu *gpu, uint64_t cycle);
/* Makes all calls up to a core cycle before which no event occurs. */
void visits_make_until(struct gpu *gpu, uint64_t cycle);

#endif
