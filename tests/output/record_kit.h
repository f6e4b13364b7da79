/* record_kit: records of launches with known counters, and what a writer makes of them. */
#ifndef SLUICE_TESTS_RECORD_KIT_H
#define SLUICE_TESTS_RECORD_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output/record.h"

#include <string.h>

static const struct machine machine = {
	.name = "toy",
	.core_mhz = 700,
	.sms = 2,
	.sm = {.schedulers = 2,
               .warps = 48,
               .l1d = {.allocation = ALLOCATE_ON_MISS},
               .l1i = {.allocation = ALLOCATE_ON_FILL},
               .l1c = {.allocation = ALLOCATE_ON_FILL}},
	.l2 = {.allocation = ALLOCATE_ON_MISS},
	.dram = {.atom_bytes = 64},
};
static const char *const program[] = {"./bfs", "graph\xff", NULL};

/* A launch in which each counter has its own value. The cycle stack consists of thirds, whose rounded percentages do
 * not add up to 100. */
static inline struct record make_record(const char *kernel, uint64_t launch)
{
	struct record record = {.kernel = (char *)(uintptr_t)kernel,
	                        .shown = (char *)(uintptr_t)kernel,
	                        .launch = launch,
	                        .grid = {60, 2, 1},
	                        .block = {256, 1, 1},
	                        .registers = 14,
	                        .shared_bytes = 4096,
	                        .blocks_per_sm = 6,
	                        .cycles = 1000 * launch,
	                        .host_seconds = 0.5};
	uint64_t *counter = (uint64_t *)&record.stats;
	for (size_t i = 0; i < sizeof record.stats / sizeof *counter; i++)
		counter[i] = 1000 * launch + i;
	struct sm_stats *sm = &record.stats.sm;
	sm->stack_issued = sm->stack_dram = sm->stack_idle = 1;
	sm->stack_arithmetic = sm->stack_shared = sm->stack_l1 = sm->stack_texture = sm->stack_l2 = 0;
	sm->stack_barrier = sm->stack_held = sm->stack_replayed = sm->stack_conflict = sm->stack_no_instruction = 0;
	sm->active_cycles = 4 * launch;
	sm->resident_warp_cycles = 96 * launch;
	sm->thread_instructions = 96000 * launch;
	struct gpu_stats *stats = &record.stats;
	stats->l1d = (struct cache_stats){.accesses = 100,
	                                  .hits = 25,
	                                  .misses = 60,
	                                  .merged = 15,
	                                  .refused = 7,
	                                  .global_reads = 70,
	                                  .global_read_hits = 20,
	                                  .global_writes = 11,
	                                  .global_write_hits = 2};
	stats->l1i = (struct cache_stats){.accesses = 50, .hits = 30, .misses = 12, .merged = 8, .read_misses = 12};
	stats->l1c = (struct cache_stats){.accesses = 40, .hits = 30, .misses = 9, .merged = 1, .read_misses = 9};
	stats->l1t = (struct cache_stats){.accesses = 30, .hits = 20, .misses = 6, .merged = 4, .read_misses = 6};
	stats->l2 = (struct cache_stats){.accesses = 200,
	                                 .hits = 150,
	                                 .misses = 50,
	                                 .read_accesses = 120,
	                                 .write_accesses = 80,
	                                 .global_reads = 90,
	                                 .global_read_hits = 40,
	                                 .global_writes = 60,
	                                 .global_write_hits = 50};
	stats->reply_network.packets = 50;
	stats->dram = (struct dram_stats){.reads = 70,
	                                  .writes = 30,
	                                  .requests = 50,
	                                  .row_hits = 40,
	                                  .activates = 10,
	                                  .cycles = 1000,
	                                  .data_cycles = 200};
	return record;
}

enum { MANY = 12 };
static struct record storage[MANY];

static inline struct records make_records(size_t count)
{
	static const char *const names[] = {"bfs_kernel", "update"};
	for (size_t i = 0; i < count; i++)
		storage[i] = make_record(names[i % 2], i + 1);
	return (struct records){.record = storage, .count = count, .machine = &machine, .program = program};
}

/* The caller frees the text. */
static inline char *capture(const struct records *records, void (*write)(const struct records *records, FILE *file))
{
	static char *text;
	static size_t size;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	write(records, file);
	fclose(file);
	return text;
}

static inline void write_json(const struct records *records, FILE *file)
{
	assert_true(records_write_json(records, file));
}

static inline void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static inline void assert_absent(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

#endif
