/* engine_kit: runs one mechanism that has a request engine in each SM, and records its requests through its hooks. The
 * machine has one SM and one host thread. */
#ifndef SLUICE_TESTS_ENGINE_KIT_H
#define SLUICE_TESTS_ENGINE_KIT_H

#include "gpu_kit.h"

enum { WARP = 32, LOG = 1024 };

/* The mechanism's requests, in the order of their replies. The words of each request are copied. */
static struct {
	struct mech mech;        /* the attached copy of the mechanism */
	const struct mech *real; /* the original, whose hooks the test wraps */
	uint32_t replies;
	struct mech_request request[LOG];
	uint32_t word[LOG][MECH_MAX_WORDS];
	uint64_t sent[LOG], answered[LOG];
} engine;

static inline void engine_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	assert_in_range(engine.replies, 0, LOG - 1);
	uint32_t i = engine.replies++;
	engine.request[i] = reply->request;
	memcpy(engine.word[i], reply->request.word, reply->request.words * sizeof engine.word[i][0]);
	engine.sent[i] = reply->sent;
	engine.answered[i] = reply->cycle;
	engine.real->on_reply(sm, reply);
}

/* Opens a machine with the mechanism "NAME:KEY=VALUE,..." and an array of `bytes` bytes at kit->param. `spy` wraps the
 * mechanism's hooks. */
static inline void engine_open(struct gpu_kit *kit, const char *mechanism, const char *const *options, uint32_t bytes,
                               void (*spy)(struct mech *mech))
{
	kit_describe(kit, options);
	if (!config_assign("sm.count=1", machine_options, machine_option_count, &kit->machine, &kit->diag))
		fail_msg("%s", kit->diag.text);
	kit_attach(kit, mechanism);
	memset(&engine, 0, sizeof engine);
	engine.real = kit->attachments.list[0].mech;
	engine.mech = *engine.real;
	engine.mech.on_reply = engine_reply;
	spy(&engine.mech);
	kit->attachments.list[0].mech = &engine.mech;
	kit_build(kit);
	kit->param = kit_buffer(kit, NULL, bytes / 8);
}

/* Returns one of the engine's counters. */
static inline uint64_t engine_counter(const struct gpu_kit *kit, const char *name)
{
	return kit_counter(kit, 0, name);
}

/* Checks that each operation that began has ended or counts as `dropped`, and that its time is the sum of its parts. */
static inline void engine_check_sums(const struct gpu_kit *kit, const char *begun, const char *dropped, const char *time)
{
	assert_int_equal(engine_counter(kit, "completed") + engine_counter(kit, dropped), engine_counter(kit, begun));
	assert_int_equal(engine_counter(kit, time), engine_counter(kit, "queued_cycles") +
	                                                    engine_counter(kit, "agen_cycles") +
	                                                    engine_counter(kit, "mem_cycles"));
	kit_requests(kit, 0);
}

static inline uint64_t first_sent(void)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = 0; i < engine.replies; i++)
		first = engine.sent[i] < first ? engine.sent[i] : first;
	return first;
}

static inline uint64_t last_sent(void)
{
	uint64_t last = 0;
	for (uint32_t i = 0; i < engine.replies; i++)
		last = engine.sent[i] > last ? engine.sent[i] : last;
	return last;
}

static inline uint64_t last_answer(void)
{
	uint64_t last = 0;
	for (uint32_t i = 0; i < engine.replies; i++)
		last = engine.answered[i] > last ? engine.answered[i] : last;
	return last;
}

#endif
