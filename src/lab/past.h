/* past: estimates the cost of runs from the cost history of similar runs: the same run of another build, else on
 * another machine, with another mechanism, and so on. */
#ifndef SLUICE_LAB_PAST_H
#define SLUICE_LAB_PAST_H

#include "lab/store.h"

struct past_cost {
	double seconds; /* 0: unknown */
	uint64_t peak;  /* bytes; 0: unknown */
};

struct past;

/* Reads the cost history of all runs in the store. Returns NULL with a message. */
struct past *past_open(struct store *store, char message[STORE_MESSAGE]);
void past_close(struct past *past);

/* Adds a run that has just ended. */
void past_add(struct past *past, const struct run_config *config, struct past_cost cost);

struct past_cost past_expect(const struct past *past, const struct run_config *config);

#endif
