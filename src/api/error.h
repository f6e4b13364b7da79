/* error: how the calls of include/sluice.h end: each fills in the caller's struct sluice_error, where there is one. */
#ifndef SLUICE_API_ERROR_H
#define SLUICE_API_ERROR_H

#include "sluice.h"

#include "base/diag.h"

/* Fills *error, when there is one, and returns `status`. */
__attribute__((format(printf, 3, 4))) enum sluice_status api_fail(struct sluice_error *error, enum sluice_status status,
                                                                  const char *format, ...);
/* The same with what has been reported; frees that. */
enum sluice_status api_fail_with_diag(struct sluice_error *error, enum sluice_status status, struct diag *diag);
enum sluice_status api_succeed(struct sluice_error *error);

#endif
