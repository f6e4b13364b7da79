/* gpu_kit: a machine from machines/gtx480.yaml and a few options, small kernels in PTX, and their cycles. It serves the
 * tests of the timing model. */
#ifndef SLUICE_TESTS_GPU_KIT_H
#define SLUICE_TESTS_GPU_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attach/attach.h"
#include "base/config_file.h"
#include "flow/flow.h"
#include "gpu/gpu.h"

struct gpu_kit {
	struct diag diag;
	struct machine machine;
	struct attachments attachments;
	struct gpu *gpu;
	struct ptx_module *module;
	struct simt_program *program;
	uint64_t param; /* the kernel's only parameter */
	const struct textures *textures; /* of the launch, or NULL */
	struct occupancy occupancy;
	struct gpu_run run;
};

static const char *kit_machine = "gtx480"; /* the file in machines/ for machines opened later, */
static uint32_t kit_threads = 1;               /* their number of host threads, */
/* and the mechanisms attached to them, with default options; NULL-terminated */
static const struct mech *const *kit_mechanisms;

static inline void kit_attach_own(struct attachments *attachments)
{
	for (const struct mech *const *next = kit_mechanisms; next && *next; next++) {
		void *config = calloc(1, (*next)->config_size + 1);
		assert_non_null(config);
		if ((*next)->config_size)
			memcpy(config, (*next)->defaults, (*next)->config_size);
		attachments->list[attachments->count++] = (struct seam_attached){*next, config};
	}
}

/* Describes the machine before it is opened: a test may attach mechanisms now. Options are "KEY=VALUE"; the last is
 * NULL. */
static inline void kit_describe(struct gpu_kit *kit, const char *const *options)
{
	memset(kit, 0, sizeof *kit);
	char path[256];
	snprintf(path, sizeof path, SOURCE_DIR "/machines/%s.yaml", kit_machine);
	bool good = config_file_read(path, machine_options, machine_option_count, &kit->machine, &kit->diag);
	for (; good && *options; options++)
		good = config_assign(*options, machine_options, machine_option_count, &kit->machine, &kit->diag);
	if (!good || !machine_check(&kit->machine, &kit->diag))
		fail_msg("%s", kit->diag.text);
}

static inline void kit_attach(struct gpu_kit *kit, const char *mechanism)
{
	if (!attachments_add(&kit->attachments, mechanism, &kit->diag))
		fail_msg("%s", kit->diag.text);
}

/* Opens the described machine. */
static inline void kit_build(struct gpu_kit *kit)
{
	kit_attach_own(&kit->attachments);
	const struct mech_machine seen = gpu_mech_machine(&kit->machine);
	if (!attachments_complete(&kit->attachments, kit->machine.warp_order, &seen, &kit->diag))
		fail_msg("%s", kit->diag.text);
	kit->gpu = gpu_open(&kit->machine, kit->attachments.list, kit->attachments.count, kit_threads);
	assert_non_null(kit->gpu);
	team_force_threads(kit->gpu->team);
}

static inline void kit_open(struct gpu_kit *kit, const char *const *options)
{
	kit_describe(kit, options);
	kit_build(kit);
}

#define KIT_OPEN(kit, ...) kit_open(kit, (const char *const[]){__VA_ARGS__, NULL})

static inline void kit_unload(struct gpu_kit *kit)
{
	if (!kit->program)
		return;
	simt_program_free(kit->program);
	ptx_free(kit->module);
	kit->program = NULL;
}

static inline void kit_close(struct gpu_kit *kit)
{
	kit_unload(kit);
	gpu_close(kit->gpu);
	attachments_free(&kit->attachments);
	diag_free(&kit->diag);
}

static inline uint32_t *kit_reconverge(struct arena *arena, const struct ptx_function *function)
{
	return flow_reconvergence(arena, flow_cfg_build(arena, function));
}

/* Loads a kernel's body. It has registers of all kinds, 48 KB of shared memory at 0, and `param` in %rd0. */
static inline void kit_load(struct gpu_kit *kit, const char *body)
{
	static const char head[] = ".version 3.1\n.target sm_20\n.address_size 64\n"
				   ".visible .entry kernel(.param .u64 param) {\n"
				   ".reg .u32 %r<40>;\n.reg .u64 %rd<40>;\n.reg .f32 %f<40>;\n.reg .f64 %fd<40>;\n"
				   ".reg .pred %p<8>;\n"
				   "ld.param.u64 %rd0, [param];\n";
	size_t size = sizeof head + strlen(body) + 8;
	char *text = malloc(size);
	assert_non_null(text);
	int length = snprintf(text, size, "%s%s\n}\n", head, body);
	kit_unload(kit);
	kit->module = kit->machine.sm.async_copies
	                      ? ptx_load_with_copies("test.ptx", text, (size_t)length, &kit->diag)
	                      : ptx_parse("test.ptx", text, (size_t)length, &kit->diag);
	if (kit->module)
		kit->program = simt_decode(kit->module->functions, kit_reconverge, &kit->diag);
	free(text);
	if (!kit->program)
		fail_msg("%s", kit->diag.text);
}

/* Runs the kernel, with 24 KB of dynamic shared memory. It may end in any way. */
static inline void kit_start(struct gpu_kit *kit, uint32_t blocks, uint32_t threads)
{
	memset(&kit->run.stats, 0, sizeof kit->run.stats);
	kit->run.launch = (struct simt_launch){.program = kit->program,
	                                       .grid = {blocks, 1, 1},
	                                       .block = {threads, 1, 1},
	                                       .dynamic_shared_bytes = 24576,
	                                       .params = (const uint8_t *)&kit->param,
	                                       .textures = kit->textures};
	kit->occupancy = occupancy_of(&kit->machine, threads, 20, 24576);
	kit->run.occupancy = &kit->occupancy;
	if (!kit->run.blocks_per_sm)
		kit->run.blocks_per_sm = kit->occupancy.blocks;
	gpu_run(kit->gpu, &kit->run);
}

/* Runs the kernel to its end, checks the relations between counters, and returns its cycles. */
static inline uint64_t kit_run(struct gpu_kit *kit, uint32_t blocks, uint32_t threads)
{
	char text[256];
	kit_start(kit, blocks, threads);
	if (kit->run.end != GPU_DONE)
		fail_msg("the kernel ended by %d: %s %s", kit->run.end, kit->run.message,
		         kit->run.fault.what ? kit->run.fault.what : "");
	if (!gpu_check_stats(kit->gpu, &kit->run, text, sizeof text))
		fail_msg("%s", text);
	return kit->run.cycles;
}

/* Returns a counter of mechanism `number` in the last run. */
static inline uint64_t kit_counter(const struct gpu_kit *kit, uint32_t number, const char *name)
{
	const struct mech *mech = kit->attachments.list[number].mech;
	struct mech_requests requests;
	uint64_t value = 0;
	bool found = false;
	void *stats = base_calloc(1, mech->stats_size + 1);
	seam_stats(kit->gpu->seam, number, stats, &requests, NULL);
	for (size_t i = 0; i < mech->counter_count; i++)
		if (strcmp(mech->counters[i].name, name) == 0) {
			memcpy(&value, (const char *)stats + mech->counters[i].offset, sizeof value);
			found = true;
		}
	free(stats);
	if (!found)
		fail_msg("mechanism %s has no counter %s", mech->name, name);
	return value;
}

/* Returns the account of its requests, which must balance. */
static inline struct mech_requests kit_requests(const struct gpu_kit *kit, uint32_t number)
{
	struct mech_requests r;
	void *stats = base_calloc(1, kit->attachments.list[number].mech->stats_size + 1);
	seam_stats(kit->gpu->seam, number, stats, &r, NULL);
	free(stats);
	assert_int_equal(r.asked, r.dropped + r.outside + r.filtered + r.refused + r.issued);
	assert_int_equal(r.issued, r.useful + r.late + r.early_evicted + r.redundant);
	return r;
}

/* Reads the counters of mechanism `number` in the last kernel, over all its parts, and returns its account. */
static inline struct mech_requests kit_mech_stats(const struct gpu_kit *kit, uint32_t number, void *stats, size_t size)
{
	struct mech_requests requests;
	memset(stats, 0, size);
	seam_stats(kit->gpu->seam, number, stats, &requests, NULL);
	return requests;
}

/* Loads a body: `before`, `count` times `line`, `after`. */
static inline void kit_load_repeated(struct gpu_kit *kit, const char *before, const char *line, uint32_t count,
                                     const char *after)
{
	size_t room = strlen(before) + (strlen(line) + 1) * count + strlen(after) + 16, at = 0;
	char *body = malloc(room);
	assert_non_null(body);
	at += (size_t)snprintf(body + at, room - at, "%s\n", before);
	for (uint32_t i = 0; i < count; i++)
		at += (size_t)snprintf(body + at, room - at, "%s\n", line);
	snprintf(body + at, room - at, "%s\nexit;", after);
	kit_load(kit, body);
	free(body);
}

/* Returns the cycles of a block of `threads` that runs the line `count` times, with warm caches for code and data: the
 * second of two runs. */
static inline uint64_t kit_time(struct gpu_kit *kit, const char *before, const char *line, uint32_t count,
                                const char *after, uint32_t threads)
{
	kit_load_repeated(kit, before, line, count, after);
	kit_run(kit, 1, threads);
	return kit_run(kit, 1, threads);
}

/* Returns the cycles of `count` repetitions of the line after the first `count`: the kernel's start and end cancel. */
static inline uint64_t kit_cost(struct gpu_kit *kit, const char *before, const char *line, uint32_t count,
                                uint32_t threads)
{
	uint64_t once = kit_time(kit, before, line, count, "", threads);
	return kit_time(kit, before, line, 2 * count, "", threads) - once;
}

/* Allocates device memory with these 8-byte values. */
static inline uint64_t kit_buffer(struct gpu_kit *kit, const uint64_t *value, uint32_t count)
{
	uint64_t address = simt_alloc(kit->gpu->memory, count * sizeof *value);
	assert_true(address != 0);
	if (value)
		memcpy(simt_host(kit->gpu->memory, address), value, count * sizeof *value);
	return address;
}

/* Checks that the mechanism is refused and that the message contains these words. */
static inline void kit_refuses(const char *mechanism, const char *words)
{
	struct gpu_kit kit;
	kit_describe(&kit, (const char *const[]){NULL});
	kit_attach(&kit, mechanism);
	const struct mech_machine seen = gpu_mech_machine(&kit.machine);
	assert_false(attachments_complete(&kit.attachments, "lrr", &seen, &kit.diag));
	assert_non_null(strstr(kit.diag.text, words));
	attachments_free(&kit.attachments);
	diag_free(&kit.diag);
}

#endif
