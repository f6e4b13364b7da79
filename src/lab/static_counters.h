/* static_counters: static facts of kernels, by name, in the form of a run's statistics, so that a figure reads both
 * in the same way.
 *
 * Groups: source.*, strict.* and relaxed.* are from the CUDA source (cuda_source/source.h); mix.* from its PTX
 * (ptx/mix.h). */
#ifndef SLUICE_LAB_STATIC_COUNTERS_H
#define SLUICE_LAB_STATIC_COUNTERS_H

#include "ptx/mix.h"
#include "cuda_source/source.h"

#include <jansson.h>

struct static_counters {
	uint64_t arrays, indexes, lines;
	uint64_t strict[SOURCE_STATUSES], relaxed[SOURCE_STATUSES];
	uint64_t mix[PTX_MIX_KIND_COUNT], instructions;
};

/* base/table.h defines the struct. Returns NULL after the last group. */
struct base_counter_group;
const struct base_counter_group *static_counters_group(size_t number);

/* Whether counters of the group need the kernel's PTX. */
bool static_counters_of_ptx(const struct base_counter_group *group);

/* Returns a kernel as an element of "kernels" in statistics. Without `ptx`, omits the counters that need PTX. */
json_t *static_counters_kernel(const char *name, const struct static_counters *facts, bool ptx);

#endif
