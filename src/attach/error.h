/* error: results of the calls of include/sluice.h. Each call fills in the caller's struct sluice_error, if one was
 * passed. */
#ifndef SLUICE_ATTACH_ERROR_H
#define SLUICE_ATTACH_ERROR_H

#include "sluice.h"

#include "base/diag.h"

/* Fills in *error unless it is NULL, and returns `status`. */
__attribute__((format(printf, 3, 4))) enum sluice_status api_fail(struct sluice_error *error, enum sluice_status status,
                                                                  const char *format, ...);
/* Fills in *error from the messages in `diag`, frees these, and returns `status`. */
enum sluice_status api_fail_with_diag(struct sluice_error *error, enum sluice_status status, struct diag *diag);
enum sluice_status api_succeed(struct sluice_error *error);

#endif
