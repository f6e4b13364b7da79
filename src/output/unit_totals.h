/* unit_totals: the counters of each unit over the launches of a run, for sluice_counter_value(). */
#ifndef SLUICE_OUTPUT_UNIT_TOTALS_H
#define SLUICE_OUTPUT_UNIT_TOTALS_H

#include "gpu/gpu.h"

/* A mechanism's counters by unit, of SMs or of partitions. */
struct unit_totals_mech {
	uint8_t *stats; /* unit_totals_stride() bytes for each unit */
	struct mech_requests *requests;
};

/* A block of a launch, and the SM that ran it. */
struct unit_block {
	struct sm_block_life life;
	uint32_t sm;
};

/* Zero-initialize. */
struct unit_totals {
	struct unit_block *block; /* by number, of a launch that ran alone */
	size_t blocks;
	uint64_t *machine;             /* of stats_add_units(); NULL: no launch has been added yet */
	struct unit_totals_mech (*mech)[2]; /* by number of the mechanism: of SMs, of partitions */
	uint32_t mechs;
	uint64_t launch; /* the last launch in cycles, whose counters the units still have; 0: none */
};

/* Index of `mech[number]`. */
enum unit_totals_kind { UNIT_TOTALS_SMS, UNIT_TOTALS_PARTITIONS };

/* The bytes of a mechanism's counters in a sum: stats_size, rounded up to whole uint64_t. */
size_t unit_totals_stride(const struct mech *mech);
/* Adds the counters of all units after launch number `launch` has run in cycles. */
void unit_totals_add(struct unit_totals *totals, const struct gpu *gpu, uint64_t launch);
/* Stores what the blocks of that launch did, if blocks_keep_ended() has requested it and it ran alone. */
void unit_totals_keep_blocks(struct unit_totals *totals, const struct gpu *gpu);
/* Adds the counters of another sum, which has at least one launch. */
void unit_totals_combine(struct unit_totals *totals, const struct unit_totals *more, const struct gpu *gpu);
/* The number of SMs or of partitions. */
uint32_t unit_totals_units(const struct gpu *gpu, enum unit_totals_kind kind);
/* The value of mechanism `number`'s counter in one unit. is_request: `row` is one of seam_request_counters. */
uint64_t unit_totals_value(const struct unit_totals *totals, const struct mech *mech, uint32_t number,
                           const struct base_counter *row, bool is_request, enum unit_totals_kind kind, uint32_t unit);
void unit_totals_free(struct unit_totals *totals);

#endif
