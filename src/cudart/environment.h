/* environment: the runtime's settings, which are variables of the environment named SLUICE_. */
#ifndef SLUICE_CUDART_ENVIRONMENT_H
#define SLUICE_CUDART_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* The variable's value; NULL where it is empty or not there. */
const char *environment(const char *name);

/* A whole number of the environment, 0 where there is none. Clears *fine after a message. */
uint64_t environment_number(const char *name, uint64_t most, bool *fine);

/* A share from 0 to 1 of the environment in *share: its address, or NULL where there is none. Clears *fine after a message. */
const double *environment_share(const char *name, double *share, bool *fine);

/* Yes or no: yes, no, true, false, on, off, 1, 0; `otherwise` where there is none. Clears *fine after a message. */
bool environment_flag(const char *name, bool otherwise, bool *fine);

/* Names the variables whose names begin with SLUICE_ and that nothing reads. */
void environment_look_through(void);

#endif
