#include "attach/sized.h"

#include "attach/error.h"

#include <string.h>

/* The first member of each such structure. */
static size_t size_of(const void *structure)
{
	size_t size;
	memcpy(&size, structure, sizeof size);
	return size;
}

enum sluice_status sized_refuse(const char *what, struct sluice_error *error)
{
	return api_fail(error, SLUICE_BAD_ARGUMENT,
	                "the member `size` of a struct sluice_%s is not set: begin it with {SLUICE_SIZED(%s)}", what,
	                what);
}

enum sluice_status sized_read(void *known, size_t size, const void *input, const char *what, struct sluice_error *error)
{
	size_t given = size_of(input), common = given < size ? given : size;
	memset(known, 0, size);
	if (given < sizeof given)
		return sized_refuse(what, error);
	for (size_t i = size; i < given; i++)
		if (((const char *)input)[i])
			return api_fail(error, SLUICE_BAD_ARGUMENT,
			                "byte %zu of a struct sluice_%s is set; sluice %s knows %zu bytes: the program "
			                "needs a newer library",
			                i, what, SLUICE_VERSION, size);
	memcpy(known, input, common);
	memcpy(known, &size, sizeof size);
	return SLUICE_OK;
}

bool sized_write(void *result, const void *value, size_t size)
{
	size_t given = size_of(result), common = given < size ? given : size;
	if (given < sizeof given)
		return false;
	memcpy(result, value, common);
	if (given > common)
		memset((char *)result + common, 0, given - common);
	memcpy(result, &given, sizeof given);
	return true;
}
