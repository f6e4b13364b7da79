/* random_runs: common parts of the tests of random kernels on random machines. It prints a case that fails or ends the
 * process, finds a valid machine, opens it, and reads all its statistics. */
#ifndef SLUICE_TESTS_RANDOM_RUNS_H
#define SLUICE_TESTS_RANDOM_RUNS_H

#include "machine_random.h" /* first: cmocka.h has a macro fail */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/api.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the current case --- */

static void (*print_current)(FILE *file); /* the current case; NULL: none */
static const char *stage = "";            /* the current step */

/* Ends the test and prints the case. */
#define FAIL(...)                                                                                                      \
	do {                                                                                                           \
		print_current(stderr);                                                                                 \
		fail_msg(__VA_ARGS__);                                                                                 \
	} while (0)

static inline void tell_signal(int number)
{
	if (print_current) {
		fprintf(stderr, "signal %d, %s:\n", number, stage);
		print_current(stderr);
	}
	signal(number, SIG_DFL);
	raise(number);
}

static inline void tell_ends(void)
{
	static const int ends[] = {SIGABRT, SIGSEGV, SIGFPE, SIGALRM};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		signal(ends[i], tell_signal);
}

/* The kernels are correct: every finding is an error of the check. */
static inline void tell_finding(void *user, const char *text)
{
	(void)user;
	FAIL("%s: %s", stage, text);
}

/* --- the machine of the case --- */

static inline void print_machine(const struct machine_random *m, FILE *file)
{
	fprintf(file, "-m %s", m->machine);
	for (uint32_t i = 0; i < m->options; i++)
		fprintf(file, " -o %s", m->option[i]);
	for (uint32_t i = 0; i < m->mechanisms; i++)
		fprintf(file, " --mech %s", m->mechanism[i]);
}

/* Opens a machine with `settings`, except those that the machine file gives. NULL: refused; the error names the
 * reason. */
static inline sluice_gpu *machine_open_with(const struct machine_random *m, bool sleep, uint32_t window,
                                            struct sluice_settings settings, struct sluice_error *error)
{
	const char *options[MACHINE_SETTINGS + 3] = {NULL}, *mechanisms[MACHINE_MECHANISMS + 1] = {NULL};
	char cycles[32];
	sluice_gpu *gpu;
	for (uint32_t i = 0; i < m->options; i++)
		options[i] = m->option[i];
	snprintf(cycles, sizeof cycles, "launch.window=%u", window);
	options[m->options] = sleep ? "launch.sleep=true" : "launch.sleep=false";
	options[m->options + 1] = cycles;
	for (uint32_t i = 0; i < m->mechanisms; i++)
		mechanisms[i] = m->mechanism[i];
	settings.machine = m->machine;
	settings.options = options;
	settings.mechanisms = mechanisms;
	return sluice_open(&gpu, &settings, error) == SLUICE_OK ? gpu : NULL;
}

/* SMs that do not sleep do not run ahead either: no cycle is skipped, and all stay in step. */
static inline sluice_gpu *machine_open(const struct machine_random *m, bool sleep, struct sluice_settings settings,
                                       struct sluice_error *error)
{
	return machine_open_with(m, sleep, sleep ? 24 : 1, settings, error);
}

/* Every refusal names a key that was set. Without these keys the machine is finally accepted. */
static inline void settle_machine(struct machine_random *m)
{
	struct sluice_error error;
	sluice_gpu *gpu;
	while (!(gpu = machine_open(m, true, (struct sluice_settings){SLUICE_SIZED(settings), .machine = NULL}, &error)))
		if (error.status != SLUICE_BAD_SETTING || !machine_drop_named(m, error.message))
			FAIL("refused without the name of a key that was set: %s", error.message);
	sluice_close(gpu);
}

/* Gives the gpu this number of workers, even where the host has fewer cores. */
static inline void have_threads(sluice_gpu *gpu, uint32_t threads)
{
	gpu_close(gpu->gpu);
	gpu->gpu = gpu_open(&gpu->machine, gpu->attachments.list, gpu->attachments.count, threads);
	assert_non_null(gpu->gpu);
	team_force_threads(gpu->gpu->team);
	gpu->recorders.gpu = gpu->recorders.timeline.gpu = gpu->gpu;
}

static inline uint64_t new_buffer(sluice_gpu *gpu, const void *data, uint64_t size)
{
	struct sluice_error error;
	uint64_t address;
	if (sluice_alloc(gpu, size, &address, &error) != SLUICE_OK ||
	    sluice_write(gpu, address, data, size, &error) != SLUICE_OK)
		FAIL("%s", error.message);
	return address;
}

/* --- the statistics of the run --- */

static inline void forget(json_t *object, const char *const *keys)
{
	for (; *keys; keys++)
		json_object_del(object, *keys);
}

/* A mechanism that counts its reports has received one outcome for each request. */
static inline void check_outcomes(json_t *counters)
{
	static const char *const listeners[] = {"chance", "chance_policies"};
	for (size_t i = 0; i < sizeof listeners / sizeof *listeners; i++) {
		char name[64];
		snprintf(name, sizeof name, "%s.told", listeners[i]);
		const json_t *told = json_object_get(counters, name);
		snprintf(name, sizeof name, "%s.issued", listeners[i]);
		if (told && json_integer_value(told) != json_integer_value(json_object_get(counters, name)))
			FAIL("%s: %lld outcomes reported; counter %s", stage, json_integer_value(told), name);
	}
}

/* Returns all statistics, one per line, without host resources and launch settings. */
static inline char *statistics(sluice_gpu *gpu)
{
	char *text;
	size_t length, i;
	FILE *file = open_memstream(&text, &length);
	assert_int_equal(sluice_stats_write(gpu, file, SLUICE_STATS_JSON, NULL), SLUICE_OK);
	fclose(file);
	json_t *kernel, *root = json_loadb(text, length, 0, NULL);
	assert_non_null(root);
	free(text);
	forget(root, (const char *const[]){"threads", "options", "configuration", "checks", NULL});
	forget(json_object_get(root, "totals"), (const char *const[]){"host_seconds", NULL});
	json_array_foreach(json_object_get(root, "kernels"), i, kernel)
	{
		check_outcomes(json_object_get(kernel, "counters"));
		forget(kernel, (const char *const[]){"host_seconds", NULL});
	}
	text = json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS);
	json_decref(root);
	return text;
}

/* Reports the first line that differs, from both. */
static inline void check_same(const char *one, const char *other)
{
	size_t at = 0, line = 0;
	for (; one[at] && one[at] == other[at]; at++)
		if (one[at] == '\n')
			line = at + 1;
	if (one[at] || other[at])
		FAIL("%s: statistics differ:%.*s is%.*s", stage, (int)strcspn(one + line, "\n"), one + line,
		     (int)strcspn(other + line, "\n"), other + line);
}

#endif
