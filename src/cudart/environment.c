/* Reads the runtime's settings from the environment. */
#include "cudart/environment.h"

#include "base/edit_distance.h"
#include "cudart/runtime.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* All variables that the runtime, the library, the command and the toolkit read. docs/man/sluice.1 explains them. */
static const char *const known[] = {
	"SLUICE_CHECK",         "SLUICE_CLANG",           "SLUICE_ENERGY",          "SLUICE_EXPERIMENTS",
	"SLUICE_FUNCTIONAL",    "SLUICE_MACHINE",         "SLUICE_MACHINES",        "SLUICE_MAX_INSTRUCTIONS",
	"SLUICE_MECHANISMS",    "SLUICE_OPTIONS",         "SLUICE_PASSES",          "SLUICE_PROFILE",
	"SLUICE_PROGRAMS",      "SLUICE_PROGRESS",        "SLUICE_PROGRESS_FILE",   "SLUICE_SAMPLE",
	"SLUICE_SAMPLE_BLOCKS", "SLUICE_SAMPLE_ERROR",    "SLUICE_SAMPLE_FILE",     "SLUICE_SAMPLE_LAUNCHES",
	"SLUICE_STATS",         "SLUICE_STATS_FORMAT",    "SLUICE_STRAY_READS",     "SLUICE_THREADS",
	"SLUICE_TIMELINE",      "SLUICE_TIMELINE_FILTER", "SLUICE_TIMELINE_EVENTS", "SLUICE_TIMEOUT",
	"SLUICE_TOOLKIT",       "SLUICE_TRACE_OUT",
};

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

/* `entry` has the form NAME=VALUE. */
static void look_at(const char *entry)
{
	static const char prefix[] = "SLUICE_";
	enum { SHORTENED = 3 }; /* a prefix of at least this length counts as an abbreviation */
	char name[64];
	const char *own = name + sizeof prefix - 1; /* compare without the common prefix SLUICE_ */
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	size_t length = strcspn(entry, "=");
	if (strncmp(entry, prefix, sizeof prefix - 1) != 0 || length >= sizeof name)
		return;
	memcpy(name, entry, length);
	name[length] = '\0';
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(name, known[i]) == 0)
			return;
		if (edit_distance_is_nearer(own, known[i] + sizeof prefix - 1, &best))
			nearest = known[i];
	}
	for (size_t i = 0; !nearest && strlen(own) >= SHORTENED && i < sizeof known / sizeof *known; i++)
		nearest = strncmp(name, known[i], length) == 0 ? known[i] : NULL;
	runtime_message("warning: there is no variable %s%s%s%s", name, nearest ? "; did you mean " : "",
	                nearest ? nearest : "", nearest ? "?" : "");
}

void environment_look_through(void)
{
	for (char **entry = environ; entry && *entry; entry++)
		look_at(*entry);
}
