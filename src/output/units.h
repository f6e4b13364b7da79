/* units: the counters of each unit for every launch that ran in cycles (--units, docs/how-to/units.md): stored in the
 * records, in the JSON statistics, and by SM in the samples. */
#ifndef SLUICE_OUTPUT_UNITS_H
#define SLUICE_OUTPUT_UNITS_H

#include "output/record.h"
#include "output/unit_totals.h"

#include <jansson.h>

/* Stores the counters that the units have after the launch has run in cycles, if units are requested. */
void units_store(const struct records *records, struct record *record);
/* Adds the units of a record, if it has some, to those of a sum. */
void units_add(const struct records *records, struct record *sum, const struct record *record);
void units_free(struct record *record);

/* Returns each counter's values by unit: {"sm.warp_instructions": [..], ..}. Counters without units are left out. A
 * mechanism's counter has a value for each SM or slice, as it declares; if the mechanism counted in units of the other
 * kind too, as its requests for L2 are, their values follow. */
json_t *units_json(const struct records *records, const struct record *record);
/* Returns a list for each property of the launch's blocks, by their number: {"sm": [..], "begin": [..], ..}. */
json_t *units_blocks_json(const struct record *record);
/* Returns the kind of unit of each counter: {"sm.warp_instructions": "sm", ..}. */
json_t *units_scopes(const struct records *records);

/* Samples: the header's columns "sm.warp_instructions[0]", .. and a row's values, each after a comma. `before` has the
 * values at the previous sample, by SM, and receives those of this one. */
void units_sample_columns(const struct gpu *gpu, FILE *file);
void units_sample(const struct gpu *gpu, uint64_t *before, FILE *file);

#endif
