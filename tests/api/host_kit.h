/* host_kit: a GPU with one mechanism, driven through the public API as a program does. For tests of what mechanisms
 * learn about launches. */
#ifndef SLUICE_TESTS_HOST_KIT_H
#define SLUICE_TESTS_HOST_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"

#include <jansson.h>

struct host {
	sluice_gpu *gpu;
	sluice_module *module;
	uint64_t array; /* a device allocation */
};

static inline void host_must(enum sluice_status status, const struct sluice_error *error)
{
	if (status != SLUICE_OK)
		fail_msg("%s", error->message);
}

/* The statistics in JSON. */
static inline json_t *host_statistics(sluice_gpu *gpu)
{
	char *text;
	size_t size;
	struct sluice_error error;
	FILE *file = open_memstream(&text, &size);
	host_must(sluice_stats_write(gpu, file, SLUICE_STATS_JSON, &error), &error);
	fclose(file);
	json_t *json = json_loads(text, 0, NULL);
	free(text);
	return json;
}

/* Opens machines/gtx480.yaml with these options (a NULL-terminated list) and loads the PTX. */
static inline struct host host_open(const char *mechanism, const char *const *options, const char *ptx, uint64_t bytes)
{
	struct sluice_error error;
	struct host host;
	const char *mechanisms[] = {mechanism, NULL};
	struct sluice_settings settings = {
		SLUICE_SIZED(settings), .machine = SOURCE_DIR "/machines/gtx480.yaml", .options = options, .mechanisms = mechanisms};
	host_must(sluice_open(&host.gpu, &settings, &error), &error);
	host_must(sluice_load(host.gpu, ptx, strlen(ptx), "test.ptx", &host.module, &error), &error);
	host_must(sluice_alloc(host.gpu, bytes, &host.array, &error), &error);
	return host;
}

static inline void host_launch(const struct host *host, const char *name, sluice_dim grid, sluice_dim block,
                               void *const *arguments)
{
	struct sluice_error error;
	sluice_kernel *kernel = sluice_find_kernel(host->module, name);
	assert_non_null(kernel);
	host_must(sluice_launch(host->gpu, kernel, grid, block, 0, arguments, &error), &error);
}

/* Returns the mechanism's counter for the last launch. */
static inline uint64_t host_counter(const struct host *host, const char *name)
{
	const struct records *records = &host->gpu->records;
	const struct mech *mech = records->attached[0].mech;
	for (size_t i = 0; i < mech->counter_count; i++)
		if (strcmp(mech->counters[i].name, name) == 0) {
			uint64_t value;
			const void *stats = records->record[records->count - 1].mech[0].stats;
			memcpy(&value, (const char *)stats + mech->counters[i].offset, sizeof value);
			return value;
		}
	fail_msg("mechanism %s has no counter %s", mech->name, name);
	return 0;
}

#endif
