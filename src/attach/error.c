/* Results of the calls of include/sluice.h. */
#include "attach/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum sluice_status api_fail(struct sluice_error *error, enum sluice_status status, const char *format, ...)
{
	if (error) {
		va_list arguments;
		error->status = status;
		error->fault = SLUICE_NO_FAULT;
		va_start(arguments, format);
		vsnprintf(error->message, sizeof error->message, format, arguments);
		va_end(arguments);
	}
	return status;
}

enum sluice_status api_succeed(struct sluice_error *error)
{
	if (error) {
		error->status = SLUICE_OK;
		error->fault = SLUICE_NO_FAULT;
		error->message[0] = '\0';
	}
	return SLUICE_OK;
}

enum sluice_status api_fail_with_diag(struct sluice_error *error, enum sluice_status status, struct diag *diag)
{
	size_t length = diag->text ? strlen(diag->text) : 0;
	while (length && diag->text[length - 1] == '\n')
		diag->text[--length] = '\0';
	api_fail(error, status, "%s", diag->text ? diag->text : "unknown error");
	diag_free(diag);
	return status;
}
