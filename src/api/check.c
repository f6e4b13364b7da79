/* The requested checks and their findings. */
#include "api/api.h"
#include "api/footprint.h"

#include "base/arena.h"
#include "base/edit_distance.h"
#include "simt/check.h"
#include "sluice_runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIVERGENCE = 1 << 16, COUNTS = 1 << 17 }; /* in addition to the kinds of simt/check.h */
enum {
	ALL = SIMT_CHECK_RACE | SIMT_CHECK_GLOBAL_RACE | SIMT_CHECK_WARP_RACE | SIMT_CHECK_INIT |
	      SIMT_CHECK_SHARED_INIT | SIMT_CHECK_BOUNDS | SIMT_CHECK_MASKS | SIMT_CHECK_LEAKS | DIVERGENCE
};

static const struct word {
	const char *name;
	unsigned kind;
} words[] = {
	{"bounds", SIMT_CHECK_BOUNDS},
	{"leaks", SIMT_CHECK_LEAKS},
	{"race", SIMT_CHECK_RACE},
	{"global-race", SIMT_CHECK_GLOBAL_RACE},
	{"warp-race", SIMT_CHECK_WARP_RACE},
	{"init", SIMT_CHECK_INIT},
	{"shared-init", SIMT_CHECK_SHARED_INIT},
	{"masks", SIMT_CHECK_MASKS},
	{"divergence", DIVERGENCE},
	{"all", ALL},
	{"footprint", SIMT_CHECK_READS},
	{"footprint-counts", SIMT_CHECK_READS | COUNTS},
};
enum { WORDS = sizeof words / sizeof *words };

/* Writes "bounds, leaks, ... or footprint-counts". */
static void list_words(char *text, size_t size)
{
	size_t length = 0;
	for (size_t k = 0; k < WORDS && length < size; k++) {
		const char *before = k == 0 ? "" : k == WORDS - 1 ? " or " : ", ";
		length += (size_t)snprintf(text + length, size - length, "%s%s", before, words[k].name);
	}
}

/* Returns the word's kind, or 0. */
static unsigned find_word(const char *word)
{
	for (size_t k = 0; k < WORDS; k++)
		if (strcmp(words[k].name, word) == 0)
			return words[k].kind;
	return 0;
}

static const char *nearest_word(const char *word)
{
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	for (size_t k = 0; k < WORDS; k++) {
		if (edit_distance_is_nearer(word, words[k].name, &best))
			nearest = words[k].name;
	}
	return nearest;
}

unsigned api_parse_checks(const char *check, struct diag *diag)
{
	unsigned kinds = 0;
	char *copy = base_strdup(check ? check : ""), *rest = check && *check ? copy : NULL;
	for (const char *word; (word = strsep(&rest, ","));) {
		unsigned kind = find_word(word);
		const char *nearest = kind ? NULL : nearest_word(word);
		kinds |= kind;
		if (kind)
			continue;
		char expected[256];
		list_words(expected, sizeof expected);
		diag_plain(diag, "check '%s'; expected %s%s%s%s", word, expected, nearest ? "; did you mean '" : "",
		           nearest ? nearest : "", nearest ? "'?" : "");
	}
	free(copy);
	return kinds;
}

bool api_checks_want_one_thread(unsigned kinds)
{
	return kinds & SIMT_CHECK_GLOBAL_RACE;
}

enum sluice_status api_open_checks(sluice_gpu *gpu, unsigned kinds, struct sluice_error *error)
{
	gpu->whole_warp_barriers = kinds & DIVERGENCE;
	gpu->looks_for_leaks = kinds & SIMT_CHECK_LEAKS;
	if (kinds & SIMT_CHECK_READS)
		gpu->footprint = footprint_open(kinds & COUNTS);
	kinds &= ~(unsigned)(DIVERGENCE | COUNTS);
	kinds |= gpu->stray_read ? SIMT_CHECK_STRAY : 0;
	if (kinds & SIMT_CHECK_BOUNDS && !simt_memory_keep_gaps(gpu->gpu->memory))
		return api_fail(error, SLUICE_NO_MEMORY, "cannot reserve memory for the check 'bounds': %s",
		                strerror(errno));
	if (kinds)
		gpu->checks = simt_checks_open(kinds);
	gpu->compares_works = kinds & SIMT_CHECK_GLOBAL_RACE;
	if (kinds & SIMT_CHECK_INIT && !simt_watch(gpu->gpu->memory))
		return api_fail(error, SLUICE_NO_MEMORY, "cannot reserve memory for the check 'init': %s",
		                strerror(errno));
	return SLUICE_OK;
}

static void report_finding(void *user, bool is_stray, const char *text)
{
	const sluice_gpu *gpu = user;
	if (is_stray)
		gpu->stray_read(gpu->stray_read_user, text);
	else if (gpu->finding)
		gpu->finding(gpu->finding_user, text);
	else
		fprintf(stderr, "sluice: %s\n", text);
}

void api_begin_checks(sluice_gpu *gpu, sluice_kernel *kernel, struct simt_launch *launch, bool waited_for)
{
	launch->whole_warp_barriers = gpu->whole_warp_barriers;
	launch->checks = gpu->checks;
	if (gpu->footprint && !waited_for)
		footprint_begin(gpu->footprint, kernel, launch);
}

void api_report_checks(sluice_gpu *gpu, const struct simt_launch *launch)
{
	if (gpu->checks)
		simt_checks_report(gpu->checks, launch, report_finding, gpu);
}

void api_end_checks(sluice_gpu *gpu, const struct simt_launch *launch, bool waited_for)
{
	api_report_checks(gpu, launch);
	if (gpu->checks)
		simt_checks_end(gpu->checks, launch);
	if (gpu->footprint && !waited_for)
		footprint_end(gpu->footprint);
}

bool sluice_compares_works(const sluice_gpu *gpu)
{
	return gpu->compares_works;
}

void sluice_order_work(sluice_gpu *gpu, const struct sluice_ordered_work *work)
{
	if (!work) {
		simt_checks_work(gpu->checks, NULL);
		simt_checks_report_works(gpu->checks, report_finding, gpu);
		return;
	}
	const struct simt_ordered_work same = {.call = work->call,
	                                       .frame = work->frame,
	                                       .frames = work->frames,
	                                       .describe = work->describe,
	                                       .stream = work->stream,
	                                       .chain = work->chain,
	                                       .time = work->time,
	                                       .clock = work->clock,
	                                       .chains = work->chains};
	simt_checks_work(gpu->checks, &same);
}

void sluice_order_all(sluice_gpu *gpu)
{
	if (gpu->compares_works)
		simt_checks_all_ordered(gpu->checks);
}

void api_check_touch(sluice_gpu *gpu, uint64_t address, uint64_t size, bool writes)
{
	if (gpu->compares_works)
		simt_checks_touch(gpu->checks, gpu->gpu->memory, address, size, writes);
}

void api_check_forget(sluice_gpu *gpu, uint64_t address, uint64_t size)
{
	if (gpu->compares_works)
		simt_checks_forget(gpu->checks, address, size);
}

uint64_t sluice_findings(const sluice_gpu *gpu)
{
	return gpu->checks ? simt_checks_found(gpu->checks) : 0;
}

bool sluice_looks_for_leaks(const sluice_gpu *gpu)
{
	return gpu->looks_for_leaks;
}

bool sluice_next_leak(const sluice_gpu *gpu, uint64_t above, struct sluice_leak *leak)
{
	const struct simt_memory *memory = gpu->gpu->memory;
	for (const struct simt_allocation *a = simt_next(memory, above); a; a = simt_next(memory, a->address)) {
		const char *place = a->owner == SIMT_KERNEL ? simt_checks_place(gpu->checks, a->address) : NULL;
		if (!place)
			continue;
		*leak = (struct sluice_leak){a->address, a->size, place};
		return true;
	}
	return false;
}
