/* energies: finds energy tables by name and makes prices from them, for the current run or for one with stored
 * statistics. */
#ifndef SLUICE_ATTACH_ENERGIES_H
#define SLUICE_ATTACH_ENERGIES_H

#include "energy/price.h"

#include <stdint.h>

/* The opened table. Zero-initialize; call energies_close() after the last use of prices made from it. */
struct energies {
	struct arena arena;
	char *wanted; /* NULL: the default table of each machine */
	struct energy_table table;
};

/* Opens one of our tables by name, or any table by path. "default" or NULL: energies_price() chooses the machine's
 * table. Returns false after a message. */
bool energies_open(struct energies *energies, const char *table, struct diag *diag);
void energies_close(struct energies *energies);

/* Makes prices for a machine and its mechanisms. `configuration` has all keys of the machine; the mechanisms have
 * passed seam_check(). The caller must call energy_close() on the prices in any case. Returns false with a message. */
bool energies_price(struct energies *energies, json_t *configuration, const struct seam_attached *attached,
                    uint32_t attachments, struct energy_prices *prices, char message[ENERGY_MESSAGE]);

/* Makes prices for a run with stored statistics. Uses the mechanisms that they name, as built today. Searches the
 * shared objects in `objects` (paths, NULL-terminated) for those that are not built in. Returns false with a
 * message. */
bool energies_price_stats(struct energies *energies, const json_t *stats, const char *const *objects,
                          struct energy_prices *prices, char message[ENERGY_MESSAGE]);

/* Adds the run's energies to its stored statistics (energy_annotate()). Returns false with a message. */
bool energies_annotate(struct energies *energies, json_t *stats, const char *const *objects,
                       char message[ENERGY_MESSAGE]);

#endif
