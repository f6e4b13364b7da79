/* cost_history: estimates the cost of runs from the cost history of similar runs: the same run of another build, else
 * on another machine, with another mechanism, and so on. */
#ifndef SLUICE_LAB_COST_HISTORY_H
#define SLUICE_LAB_COST_HISTORY_H

#include "lab/store.h"

struct run_cost {
	double seconds; /* 0: unknown */
	uint64_t peak;  /* bytes; 0: unknown */
};

struct cost_history;

/* Reads the cost history of all runs in the store. Returns NULL with a message. */
struct cost_history *cost_history_open(struct store *store, char message[STORE_MESSAGE]);
void cost_history_close(struct cost_history *history);

/* Adds a run that has just ended. */
void cost_history_add(struct cost_history *history, const struct run_config *config, struct run_cost cost);

struct run_cost cost_history_expect(const struct cost_history *history, const struct run_config *config);

#endif
