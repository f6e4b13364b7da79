/* Reads the runtime's settings from the environment. */
#include "cudart/environment.h"

#include "base/variables.h"
#include "cudart/runtime.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const char *environment(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

uint64_t environment_number(const char *name, uint64_t most, bool *fine)
{
	const char *text = environment(name);
	size_t digits = text ? strspn(text, "0123456789") : 0;
	errno = 0;
	uint64_t number = text ? strtoull(text, NULL, 10) : 0;
	if (!text || (digits && !text[digits] && !errno && number <= most))
		return number;
	if (most < UINT64_MAX)
		runtime_message("%s: expected a whole number of at most %" PRIu64 ", not '%s'", name, most, text);
	else
		runtime_message("%s: expected a whole number, not '%s'", name, text);
	*fine = false;
	return 0;
}

const double *environment_share(const char *name, double *share, bool *fine)
{
	const char *text = environment(name);
	char *end = NULL;
	if (!text)
		return NULL;
	*share = strtod(text, &end);
	if (end != text && !*end && *share >= 0 && *share <= 1)
		return share;
	runtime_message("%s: expected a number from 0 to 1, not '%s'", name, text);
	*fine = false;
	return NULL;
}

bool environment_flag(const char *name, bool otherwise, bool *fine)
{
	static const char *const words[][2] = {{"no", "yes"}, {"false", "true"}, {"off", "on"}, {"0", "1"}};
	const char *text = environment(name);
	if (!text)
		return otherwise;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		for (int is_set = 0; is_set < 2; is_set++)
			if (strcasecmp(text, words[i][is_set]) == 0)
				return is_set;
	runtime_message("%s: expected yes or no (true, false, on, off, 1, 0), not '%s'", name, text);
	*fine = false;
	return otherwise;
}

static void report(const char *message)
{
	runtime_message("warning: %s", message);
}

void environment_look_through(void)
{
	variables_check(report);
}
