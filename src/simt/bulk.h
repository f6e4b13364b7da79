/* bulk: what copies in bulk do (base/bulk.h; docs/reference/ptx.md). A lane's copy is done when its instruction runs, to global memory when that is committed; its mbarrier is told then, too,
 * unless somebody says when it is over (simt_launch.bulk_overlaps). So what groups wait for is done. */
#ifndef SLUICE_SIMT_BULK_H
#define SLUICE_SIMT_BULK_H

#include "base/bulk.h"
#include "simt/access.h"

/* The sources of an instruction: the address in shared memory (of prefetches 0); the other one, or that of the tensor's map; the mbarrier's; the bytes or the
 * coordinates. */
enum { BULK_SHARED, BULK_OTHER, BULK_BARRIER, BULK_SIZE, BULK_COORDINATES = BULK_SIZE };

/* What is wrong with a copy. */
struct bulk_mistake {
	const char *what;
	enum simt_fault_kind kind;
	enum ptx_space space;
	uint64_t address;
	uint32_t size;
};

/* What a lane of the instruction asks for; nothing of the warp changes. False: it is wrong. */
bool bulk_asked(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lane, struct bulk_copy *copy, struct bulk_mistake *mistake);

/* For the instructions that copy, and for what only waits or tells. */
simt_exec bulk_start, bulk_commit, bulk_nothing;

/* bulk_reduce.c: what lies there and what comes, of so many bytes of the type. */
void bulk_reduce(enum ptx_atomic atomic, enum ptx_type type, void *to, const void *from, uint64_t bytes);

#endif
