/* reuse_reason: explains why a cached run was not reused: which part of its identity changed. */
#ifndef SLUICE_LAB_REUSE_REASON_H
#define SLUICE_LAB_REUSE_REASON_H

#include "lab/store.h"

#include <stdio.h>

/* Writes the explanation for the run with that number. Returns false with a message, also when there is no such run. */
bool reuse_reason_print(struct store *store, const char *run, FILE *file, char message[STORE_MESSAGE]);

#endif
