#include "base/variables.h"

#include "base/edit_distance.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* All variables that the runtime, the library, the command and the toolkit read; the manual page explains them. */
static const char *const known[] = {
	"SLUICE_CHECK",           "SLUICE_CLANG",
	"SLUICE_ENERGY",          "SLUICE_EXPERIMENTS",
	"SLUICE_FUNCTIONAL",      "SLUICE_JOURNAL",
	"SLUICE_KERNELS",         "SLUICE_MACHINE",
	"SLUICE_MACHINES",        "SLUICE_MAX_INSTRUCTIONS",
	"SLUICE_MECHANISMS",      "SLUICE_OPTIONS",
	"SLUICE_PASSES",          "SLUICE_PROFILE",
	"SLUICE_PROGRAMS",        "SLUICE_PROGRESS",
	"SLUICE_PROGRESS_FILE",   "SLUICE_RANGES",
	"SLUICE_REGION",          "SLUICE_RESUME",
	"SLUICE_SAMPLE",          "SLUICE_SAMPLE_BLOCKS",
	"SLUICE_SAMPLE_ERROR",    "SLUICE_SAMPLE_FILE",
	"SLUICE_SAMPLE_LAUNCHES", "SLUICE_STATS",
	"SLUICE_STATS_FORMAT",    "SLUICE_STOP_AFTER",
	"SLUICE_STRAY_READS",     "SLUICE_THREADS",
	"SLUICE_TIMELINE",        "SLUICE_TIMELINE_EVENTS",
	"SLUICE_TIMELINE_FILTER", "SLUICE_TIMEOUT",
	"SLUICE_TOOLKIT",         "SLUICE_TRACE_OUT",
	"SLUICE_UNITS",           "SLUICE_WARM",
};

/* `entry` has the form NAME=VALUE. */
static void check(const char *entry, void (*report)(const char *message))
{
	static const char prefix[] = "SLUICE_";
	enum { SHORTENED = 3 }; /* a prefix of at least this length counts as an abbreviation */
	char name[64], message[192];
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
	snprintf(message, sizeof message, "there is no variable %s%s%s%s", name, nearest ? "; did you mean " : "",
	         nearest ? nearest : "", nearest ? "?" : "");
	report(message);
}

void variables_check(void (*report)(const char *message))
{
	for (char **entry = environ; entry && *entry; entry++)
		check(*entry, report);
}
