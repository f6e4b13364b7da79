/* price: what the launches of a run have cost: a table of energies (energy/table.h) and what its mechanisms say of themselves
 * (struct mech_energy), on the machine that its statistics name. It takes the JSON that a run writes (docs/reference/statistics.md), long after
 * the run as well as at its end; nothing of it is known to the machine. */
#ifndef SLUICE_ENERGY_PRICE_H
#define SLUICE_ENERGY_PRICE_H

#include "energy/table.h"

#include <stdio.h>

struct seam_attached;
struct mech_machine;

/* An event, or a power. */
struct energy_price {
	const char *name, *source, *text; /* text: of `amount`; NULL: 1 */
	size_t component;
	const struct formula *amount; /* events of a launch; of a power NULL */
	double value;                 /* joules an event; watts, of all there are of it */
	bool always;                  /* of a power: also when no kernel runs */
};

enum { ENERGY_MESSAGE = 512 };

/* Zero-initialise; energy_close() afterwards. */
struct energy_prices {
	struct arena arena;
	const struct energy_table *table; /* must live as long */
	const json_t *configuration;      /* of the machine; ours too */
	struct energy_component *components;
	struct energy_price *prices;
	size_t component_count, price_count;
};

/* The table on a machine, of which `configuration` has all keys. False with a message. */
bool energy_open(struct energy_prices *prices, const struct energy_table *table, json_t *configuration,
                 char message[ENERGY_MESSAGE]);
/* Adds a mechanism, as a component of its name. False with a message. */
bool energy_add_mechanism(struct energy_prices *prices, const struct seam_attached *attached,
                          const struct mech_machine *machine, char message[ENERGY_MESSAGE]);
void energy_close(struct energy_prices *prices);

/* What a launch, or several, have cost. Zero-initialise; energy_free() afterwards. */
struct energy_account {
	double seconds, thread_instructions;
	double *joules; /* by price */
};

/* Adds a launch, an element of "kernels" of the statistics. False with a message. */
bool energy_add(const struct energy_prices *prices, const json_t *kernel, struct energy_account *account,
                char message[ENERGY_MESSAGE]);
/* Adds what is in an account. */
void energy_accumulate(const struct energy_prices *prices, struct energy_account *sum,
                       const struct energy_account *account);
void energy_free(struct energy_account *account);

struct energy_sum {
	double dynamic, constant; /* joules */
};
struct energy_sum energy_of_component(const struct energy_prices *prices, const struct energy_account *account,
                                      size_t component);
struct energy_sum energy_of_all(const struct energy_prices *prices, const struct energy_account *account);
/* Watts that are drawn while no kernel runs. */
double energy_idle_watts(const struct energy_prices *prices);

/* {"table", "seconds", "total", "dynamic", "constant", "watts", "delay", "instruction", and joules of each component}. */
json_t *energy_json(const struct energy_prices *prices, const struct energy_account *account);
/* Puts that as "energy" into each kernel of the statistics, and what they cost together into their "totals", if they have any. False
 * with a message. */
bool energy_annotate(const struct energy_prices *prices, json_t *stats, char message[ENERGY_MESSAGE]);

/* Lines for people. */
void energy_print(FILE *file, const struct energy_prices *prices, const struct energy_account *account);
/* Every price with its source; with an account, what came of it. */
void energy_print_prices(FILE *file, const struct energy_prices *prices, const struct energy_account *account);

#endif
