/* engine_kit: a mechanism with an engine in each SM that asks for data, alone on a machine with one SM, seen through its hooks by one host thread. */
#ifndef SLUICE_TESTS_ENGINE_KIT_H
#define SLUICE_TESTS_ENGINE_KIT_H

#include "gpu_kit.h"

enum { WARP = 32, LOG = 1024 };

/* Its requests, in the order in which they were answered. A request's words are its own copy. */
static struct {
	struct mech mech;        /* as it is attached: */
	const struct mech *real; /* this, with hooks of the test in front */
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

/* The machine with the mechanism, "NAME:KEY=VALUE,...", and an array of so many bytes, at kit->param; `spy` puts its hooks in front. */
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

/* Of the engine's own counters. */
static inline uint64_t engine_counter(const struct gpu_kit *kit, const char *name)
{
	return kit_counter(kit, 0, name);
}

/* What it has begun has ended, or was `dropped`; its time is that of its parts. */
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
