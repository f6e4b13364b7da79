/* energies: tables of energies by their names, and prices for a run: the one that is under way, or one whose statistics were kept. */
#ifndef SLUICE_API_ENERGIES_H
#define SLUICE_API_ENERGIES_H

#include "energy/price.h"

#include <stdint.h>

/* A table that has been asked for. Zero-initialise; energies_close() behind the last prices that were made with it. */
struct energies {
	struct arena arena;
	char *wanted; /* NULL: the one for each machine */
	struct energy_table table;
};

/* The table by the name of one of ours, or by its path; "default" or NULL: the one for the machine, which energies_price() chooses.
 * False after a message. */
bool energies_open(struct energies *energies, const char *table, struct diag *diag);
void energies_close(struct energies *energies);

/* Prices for a machine, of which `configuration` has all keys, with these mechanisms, which have passed seam_check(). energy_close()
 * them in any case. False with a message. */
bool energies_price(struct energies *energies, json_t *configuration, const struct seam_attached *attached,
                    uint32_t attachments, struct energy_prices *prices, char message[ENERGY_MESSAGE]);

/* The same for a run whose statistics were kept, with the mechanisms that they name, as they are today. Those that are not built in
 * are looked for in shared objects: paths, NULL-terminated. */
bool energies_price_stats(struct energies *energies, const json_t *stats, const char *const *objects,
                          struct energy_prices *prices, char message[ENERGY_MESSAGE]);

/* Puts the energies of such a run into its statistics (energy_annotate()). */
bool energies_annotate(struct energies *energies, json_t *stats, const char *const *objects,
                       char message[ENERGY_MESSAGE]);

#endif
