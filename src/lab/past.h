/* past: what runs will take, by what runs like them have taken: the same one of another build, else of another machine, another
 * mechanism, and so on. */
#ifndef SLUICE_LAB_PAST_H
#define SLUICE_LAB_PAST_H

#include "lab/store.h"

struct past_cost {
	double seconds; /* 0: nothing is known */
	uint64_t peak;  /* bytes; 0: nothing is known */
};

struct past;

/* Of all runs in the store. NULL with a message. */
struct past *past_open(struct store *store, char message[STORE_MESSAGE]);
void past_close(struct past *past);

/* One that has ended counts too. */
void past_add(struct past *past, const struct run_config *config, struct past_cost cost);

struct past_cost past_expect(const struct past *past, const struct run_config *config);

#endif
