/* run_energy: the energy of a stored run, by current energy tables and mechanisms (attach/energies.h). */
#ifndef SLUICE_LAB_RUN_ENERGY_H
#define SLUICE_LAB_RUN_ENERGY_H

#include "attach/energies.h"

/* Returns the paths of shared objects among the words of run_config.mechanisms, NULL-terminated; free with
 * run_objects_free(). */
char **run_objects(const char *mechanisms);
void run_objects_free(char **objects);

/* Adds the energy of each launch to the statistics of a run with these mechanisms. Returns false with a message. */
bool run_energy(struct energies *energies, json_t *stats, const char *mechanisms, char message[ENERGY_MESSAGE]);

#endif
