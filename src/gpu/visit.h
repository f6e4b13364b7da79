/* visit: somebody from outside who is called between two cycles of a kernel, while all units stand still, and finds their counters up to
 * date. Nothing that is simulated depends on it.
 *
 * What a unit sleeps through is charged before the call, up to the same time whether it sleeps or not: a visit in a cycle sees the
 * core cycles before it, and of the other clocks those up to the beginning of the last of these. */
#ifndef SLUICE_GPU_VISIT_H
#define SLUICE_GPU_VISIT_H

#include <stdint.h>

struct gpu;

/* Cycles are counted from the kernel's launch. */
struct gpu_visitor {
	void *user;
	/* Returns the later cycle in which it wants to be called again, or UINT64_MAX; first called in cycle 0. Where nothing but a
	 * mechanism's hook keeps a kernel going whose blocks have ended, it can be called later than that. NULL: nobody. */
	uint64_t (*visit)(void *user, uint64_t cycle);
	/* The kernel has ended, however that was, after so many cycles: the counters are those of its statistics. */
	void (*ended)(void *user, uint64_t cycles);
};

struct visits {
	struct gpu_visitor visitor;
	uint64_t start; /* core cycle of the launch */
	uint64_t next;  /* ... of the next call */
};

void visits_begin(struct gpu *gpu, const struct gpu_visitor *visitor, uint64_t start);
void visits_end(struct gpu *gpu, uint64_t cycles);

/* The call that is due in a core cycle: the one before is over, and a unit has ticked in it. */
void visits_make(struct gpu *gpu, uint64_t cycle);
/* All that come up to a core cycle before which nothing happens. */
void visits_make_until(struct gpu *gpu, uint64_t cycle);

#endif
