/* bulk: executes bulk copies (base/bulk.h; docs/reference/ptx.md). A lane's copy is done when its instruction runs; a
 * copy to global memory is done at commit. Its mbarrier is updated at the same time, unless the caller decides when it
 * is complete (simt_launch.bulk_overlaps). Groups therefore never wait. */
#ifndef SLUICE_SIMT_BULK_H
#define SLUICE_SIMT_BULK_H

#include "base/bulk.h"
#include "simt/access.h"

/* Sources of an instruction: the address in shared memory (0 for prefetches); the other address, or the address of
 * the tensor map; the address of the mbarrier; the size or the coordinates. */
enum { BULK_SHARED, BULK_OTHER, BULK_BARRIER, BULK_SIZE, BULK_COORDINATES = BULK_SIZE };

/* The error of a copy. */
struct bulk_mistake {
	const char *what;
	enum simt_fault_kind kind;
	enum ptx_space space;
	uint64_t address;
	uint32_t size;
};

/* Decodes the copy that a lane requests, without changing the warp. Returns false after an error, which `mistake`
 * describes. */
bool bulk_asked(const struct simt_warp *warp, const struct simt_inst *inst, uint32_t lane, struct bulk_copy *copy, struct bulk_mistake *mistake);

/* Execution functions of the instructions that copy, and of those that only wait or signal. */
simt_exec bulk_start, bulk_commit, bulk_nothing;

/* In bulk_reduce.c: reduces `bytes` bytes of the type from `from` into `to`. */
void bulk_reduce(enum ptx_atomic atomic, enum ptx_type type, void *to, const void *from, uint64_t bytes);

#endif
