/* output: what a mechanism's part prints beside its counters. */
#ifndef SLUICE_SEAM_OUTPUT_H
#define SLUICE_SEAM_OUTPUT_H

#include "base/vector.h"
#include "seam/mech.h"
#include "seam/timeline.h"

struct seam;
struct seam_attached;
struct seam_partition;
struct seam_sm;

/* Where each of a mechanism's vectors begins in a part's values, which is the same in all parts; how many elements it has. */
struct output_layout {
	uint32_t *start, *length;
	uint32_t room; /* values of a part */
};

/* Of a mechanism's part, which is one of these three. */
struct output {
	struct mech_output seen;
	struct seam *seam;
	uint32_t number; /* which of the attached mechanisms */
	struct mech_sm *sm;
	struct mech_partition *partition;
	struct mech_gpu *gpu;
	uint64_t *value;
	struct timeline timeline;
};

/* Of what every sender's account has beside its counters. */
enum output_request_vector {
#define X(name, unit, meaning) OUTPUT_##name,
	MECH_REQUEST_HISTOGRAMS(X)
#undef X
		OUTPUT_REQUEST_VECTORS
};

/* A mechanism's vectors: its own, and of one that sends, behind them, those of its account. */
uint32_t output_vectors(const struct mech *mech);
const struct counter_vector *output_row(const struct mech *mech, uint32_t vector);

/* How many elements a vector has in a machine. */
uint32_t output_length(const struct seam_attached *attached, const struct mech_machine *machine, uint32_t vector);

/* Of mechanism `number`, before its parts are opened. */
void output_lay_out(struct seam *seam, uint32_t number);

struct mech_output *output_open_sm(struct seam_sm *sm, uint32_t number);
struct mech_output *output_open_partition(struct seam_partition *partition, uint32_t number);
struct mech_output *output_open_gpu(struct seam *seam, uint32_t number);

/* Sorts a value into a histogram of the account. */
void output_observe_request(struct output *output, enum output_request_vector vector, uint64_t value);

/* A kernel begins. */
void output_clear(struct output *output);

#endif
