/* variables: the environment variables whose names begin with SLUICE_. */
#ifndef SLUICE_BASE_VARIABLES_H
#define SLUICE_BASE_VARIABLES_H

/* Calls `report` for each variable of the environment whose name begins with SLUICE_ and that no part of Sluice reads.
 * `nearest` is the known name that the user probably meant, or NULL. */
void variables_check(void (*report)(const char *name, const char *nearest));

#endif
