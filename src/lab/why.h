/* why: why a kept run was made although another of the same name was there: what of its identity is another. */
#ifndef SLUICE_LAB_WHY_H
#define SLUICE_LAB_WHY_H

#include "lab/store.h"

#include <stdio.h>

/* Tells it of the run with that number. False with a message, also when there is no such run. */
bool why_tell(struct store *store, const char *run, FILE *file, char message[STORE_MESSAGE]);

#endif
