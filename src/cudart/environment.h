/* environment: the runtime's settings: environment variables whose names begin with SLUICE_. */
#ifndef SLUICE_CUDART_ENVIRONMENT_H
#define SLUICE_CUDART_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the variable's value; NULL when unset or empty. */
const char *environment(const char *name);

/* Returns a whole number from 0 to `most`; 0 when unset. Sets *fine to false after a message. */
uint64_t environment_number(const char *name, uint64_t most, bool *fine);

/* Reads a fraction from 0 to 1 into *share. Returns `share`, or NULL when unset. Sets *fine to false after a
 * message. */
const double *environment_share(const char *name, double *share, bool *fine);

/* Reads yes, true, on, 1 or no, false, off, 0; returns `otherwise` when unset. Sets *fine to false after a message. */
bool environment_flag(const char *name, bool otherwise, bool *fine);

/* Reports variables whose names begin with SLUICE_ and that no part of Sluice reads. */
void environment_look_through(void);

#endif
