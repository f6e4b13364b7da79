/* price: the energy cost of a run's launches. It combines a table of energies (energy/table.h) with the energies that
 * mechanisms declare (struct mech_energy), for the machine that the statistics name. Its input is the JSON that a run
 * writes (docs/reference/statistics.md), at the run's end or long after it. The machine does not use this module. */
#ifndef SLUICE_ENERGY_PRICE_H
#define SLUICE_ENERGY_PRICE_H

#include "energy/table.h"

#include <stdio.h>

struct seam_attached;
struct mech_machine;

/* The price of an event, or a power. */
struct energy_price {
	const char *name, *source;
	/* the formula as text: the number of events, or of a power's instances; NULL: one instance */
	const char *text;
	size_t component;
	const struct formula *amount; /* number of events in a launch; NULL for a power */
	double value;                 /* joules per event; for a power: total watts of all its instances */
	bool always;                  /* for a power: also drawn when no kernel runs */
};

enum { ENERGY_MESSAGE = 512 };

/* Zero-initialize; energy_close() afterwards. */
struct energy_prices {
	struct arena arena;
	const struct energy_table *table; /* must live as long */
	const json_t *configuration;      /* of the machine; this struct holds a reference */
	struct energy_component *components;
	struct energy_price *prices;
	size_t component_count, price_count;
};

/* Applies the table to a machine; `configuration` must have all its keys. False with a message. */
bool energy_open(struct energy_prices *prices, const struct energy_table *table, json_t *configuration,
                 char message[ENERGY_MESSAGE]);
/* Adds a mechanism as a component with the mechanism's name. False with a message. */
bool energy_add_mechanism(struct energy_prices *prices, const struct seam_attached *attached,
                          const struct mech_machine *machine, char message[ENERGY_MESSAGE]);
void energy_close(struct energy_prices *prices);

/* The cost of one or several launches. Zero-initialize; energy_free() afterwards. */
struct energy_account {
	double seconds, thread_instructions;
	double *joules; /* by price */
};

/* Adds a launch, given as an element of "kernels" in the statistics. False with a message. */
bool energy_add(const struct energy_prices *prices, const json_t *kernel, struct energy_account *account,
                char message[ENERGY_MESSAGE]);
/* Adds an account to a sum. */
void energy_accumulate(const struct energy_prices *prices, struct energy_account *sum,
                       const struct energy_account *account);
void energy_free(struct energy_account *account);

struct energy_sum {
	double dynamic, constant; /* in joules */
};
struct energy_sum energy_of_component(const struct energy_prices *prices, const struct energy_account *account,
                                      size_t component);
struct energy_sum energy_of_all(const struct energy_prices *prices, const struct energy_account *account);
/* Watts drawn while no kernel runs. */
double energy_idle_watts(const struct energy_prices *prices);

/* {"table", "seconds", "total", "dynamic", "constant", "watts", "delay", "instruction", and joules of each
 * component}. */
json_t *energy_json(const struct energy_prices *prices, const struct energy_account *account);
/* Adds this object as "energy" to each kernel of the statistics, and the sum over all kernels to their "totals", if
 * they have any. False with a message. */
bool energy_annotate(const struct energy_prices *prices, json_t *stats, char message[ENERGY_MESSAGE]);

/* Prints readable lines. */
void energy_print(FILE *file, const struct energy_prices *prices, const struct energy_account *account);
/* Prints every price with its source, and its result if there is an account. */
void energy_print_prices(FILE *file, const struct energy_prices *prices, const struct energy_account *account);

#endif
