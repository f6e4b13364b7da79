/* facts: what is known of kernels without running them, by name, in the form of a run's statistics, so that a figure
 * takes both alike.
 *
 * Groups: source.*, strict.* and relaxed.* are of the CUDA source (cuda_source/source.h); mix.* of its PTX (ptx/mix.h).
 */
#ifndef SLUICE_LAB_FACTS_H
#define SLUICE_LAB_FACTS_H

#include "ptx/mix.h"
#include "cuda_source/source.h"

#include <jansson.h>

struct facts {
	uint64_t arrays, indexes, lines;
	uint64_t strict[SOURCE_STATUSES], relaxed[SOURCE_STATUSES];
	uint64_t mix[PTX_MIX_KIND_COUNT], instructions;
};

/* base/table.h has the struct; NULL behind the last. */
struct counter_group;
const struct counter_group *facts_group(size_t number);

/* Whether counters of the group need the kernel's PTX. */
bool facts_of_ptx(const struct counter_group *group);

/* A kernel as an element of the "kernels" of statistics. Without `ptx`, without the counters that need it. */
json_t *facts_kernel(const char *name, const struct facts *facts, bool ptx);

#endif
