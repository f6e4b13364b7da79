/* output: what a mechanism's part prints in addition to its counters. */
#ifndef SLUICE_SEAM_OUTPUT_H
#define SLUICE_SEAM_OUTPUT_H

#include "base/vector.h"
#include "seam/mech.h"
#include "seam/timeline.h"

struct seam;
struct seam_attached;
struct seam_partition;
struct seam_sm;

/* The index at which each of a mechanism's vectors begins in a part's values, and its number of elements. Both are
 * equal in all parts. */
struct output_layout {
	uint32_t *start, *length;
	uint32_t room; /* number of values of a part */
};

/* Output of a mechanism's part. One of `sm`, `partition` and `gpu` is set. */
struct output {
	struct mech_output seen;
	struct seam *seam;
	uint32_t number; /* of the part */
	const struct mech *mech;
	const struct output_layout *layout;
	struct mech_sm *sm;
	struct mech_partition *partition;
	struct mech_gpu *gpu;
	uint64_t *value;
	struct timeline timeline;
};

/* The histograms that every sender's account has in addition to its counters. */
enum output_request_vector {
#define X(name, unit, meaning) OUTPUT_##name,
	MECH_REQUEST_HISTOGRAMS(X)
#undef X
		OUTPUT_REQUEST_VECTORS
};

/* A mechanism's vectors: first its own, then, if it sends, those of its account. */
uint32_t output_vectors(const struct mech *mech);
const struct base_counter_vector *output_row(const struct mech *mech, uint32_t vector);

/* Number of elements of a vector in a machine. */
uint32_t output_length(const struct seam_attached *attached, const struct mech_machine *machine, uint32_t vector);

/* Computes the layout of mechanism `number`, before its parts are opened. */
void output_lay_out(struct seam *seam, uint32_t number);

struct mech_output *output_open_sm(struct seam_sm *sm, uint32_t number);
struct mech_output *output_open_partition(struct seam_partition *partition, uint32_t number);
struct mech_output *output_open_gpu(struct seam *seam, uint32_t number);

/* Enters a value into a histogram of the account. */
void output_observe_request(struct output *output, enum output_request_vector vector, uint64_t value);

/* Clears the output at the begin of a kernel. */
void output_clear(struct output *output);

#endif
