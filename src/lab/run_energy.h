/* run_energy: the energies of a run in the store, by tables and mechanisms of today (api/energies.h). */
#ifndef SLUICE_LAB_RUN_ENERGY_H
#define SLUICE_LAB_RUN_ENERGY_H

#include "api/energies.h"

/* The paths of shared objects among the words of run_config.mechanisms: NULL-terminated; run_objects_free() it. */
char **run_objects(const char *mechanisms);
void run_objects_free(char **objects);

/* Puts what its launches have cost into the statistics of a run with these mechanisms. False with a message. */
bool run_energy(struct energies *energies, json_t *stats, const char *mechanisms, char message[ENERGY_MESSAGE]);

#endif
