/* variables: the environment variables whose names begin with SLUICE_. */
#ifndef SLUICE_BASE_VARIABLES_H
#define SLUICE_BASE_VARIABLES_H

/* Calls `report` with a message for each variable of the environment whose name begins with SLUICE_ and that no part of
 * Sluice reads. The message names the known variable that the user probably meant. */
void variables_check(void (*report)(const char *message));

#endif
