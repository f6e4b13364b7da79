/* The checks that were asked for, and what they find. */
#include "api/api.h"

#include "base/arena.h"
#include "base/slip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DIVERGENCE = 1 << 16 }; /* beside the kinds of simt/check.h */

static const struct word {
	const char *name;
	unsigned kind;
} words[] = {
	{"race", SIMT_CHECK_RACE},
	{"init", SIMT_CHECK_INIT},
	{"shared-init", SIMT_CHECK_SHARED_INIT},
	{"no-divergence", NO_DIVERGENCE},
};
enum { WORDS = sizeof words / sizeof *words };

/* The word's kind, or 0. */
static unsigned find_word(const char *text, size_t length)
{
	for (size_t k = 0; k < WORDS; k++)
		if (strlen(words[k].name) == length && strncmp(words[k].name, text, length) == 0)
			return words[k].kind;
	return 0;
}

static const char *nearest_word(const char *text)
{
	const char *nearest = NULL;
	uint32_t best = SLIP_FAR;
	for (size_t k = 0; k < WORDS; k++) {
		uint32_t distance = slip_distance(text, words[k].name);
		if (distance < best) {
			best = distance;
			nearest = words[k].name;
		}
	}
	return nearest;
}

static enum sluice_status fail_word(const char *text, size_t length, struct sluice_error *error)
{
	char *word = xmalloc(length + 1);
	memcpy(word, text, length);
	word[length] = '\0';
	const char *nearest = nearest_word(word);
	api_fail(error, SLUICE_BAD_SETTING, "check '%s': expected race, init, shared-init or no-divergence%s%s%s", word,
	         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	free(word);
	return SLUICE_BAD_SETTING;
}

enum sluice_status api_parse_checks(const char *check, unsigned *kinds, struct sluice_error *error)
{
	*kinds = 0;
	for (const char *at = check; at && *at;) {
		size_t length = strcspn(at, ",");
		unsigned kind = find_word(at, length);
		if (!kind)
			return fail_word(at, length, error);
		*kinds |= kind;
		at += length + (at[length] == ',');
	}
	return SLUICE_OK;
}

enum sluice_status api_open_checks(sluice_gpu *gpu, unsigned kinds, struct sluice_error *error)
{
	gpu->divergent_barriers = kinds & NO_DIVERGENCE;
	kinds &= ~(unsigned)NO_DIVERGENCE;
	if (kinds)
		gpu->checks = simt_checks_open(kinds);
	if (kinds & SIMT_CHECK_INIT && !simt_watch(gpu->gpu->memory))
		return api_fail(error, SLUICE_NO_MEMORY, "cannot reserve memory for the check 'init': %s",
		                strerror(errno));
	return SLUICE_OK;
}

static void say(void *user, const char *text)
{
	(void)user;
	fprintf(stderr, "sluice: %s\n", text);
}

void api_report_checks(sluice_gpu *gpu, const struct simt_launch *launch)
{
	if (gpu->checks)
		simt_checks_report(gpu->checks, launch, gpu->finding ? gpu->finding : say, gpu->finding_user);
}

uint64_t sluice_findings(const sluice_gpu *gpu)
{
	return gpu->checks ? simt_checks_found(gpu->checks) : 0;
}
