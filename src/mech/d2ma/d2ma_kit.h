/* d2ma_kit: the engine on a machine with one SM, seen through its hooks, for the tests of this folder. */
#ifndef SLUICE_MECH_D2MA_D2MA_KIT_H
#define SLUICE_MECH_D2MA_D2MA_KIT_H

#include "base/dma.h"
#include "gpu_kit.h"

extern const struct mech mech_d2ma;

enum { LINE = 128, WARP = 32, ARRAY = 1 << 20, LOG = 1024 };

/* What is seen of the engine, by one host thread. A request's words are its own copy. */
static struct {
	struct mech mech;
	uint32_t asked, replies, accesses, loads;
	struct mech_request request[LOG]; /* in the order in which they were answered */
	uint32_t word[LOG][MECH_MAX_WORDS];
	uint64_t sent[LOG], answered[LOG];
	uint64_t command[LOG]; /* cycles in which commands issued, in order, */
	uint32_t commands;
	uint64_t access[LOG]; /* instructions on shared memory that issued, by which warp, */
	uint32_t access_warp[LOG];
	uint64_t load[LOG]; /* and transactions of global memory */
} spy;

static inline void spied_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	assert_in_range(spy.replies, 0, LOG - 1);
	uint32_t i = spy.replies++;
	spy.request[i] = reply->request;
	memcpy(spy.word[i], reply->request.word, reply->request.words * sizeof spy.word[i][0]);
	spy.sent[i] = reply->sent;
	spy.answered[i] = reply->cycle;
	mech_d2ma.on_reply(sm, reply);
}

static inline uint32_t spied_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	if (dma_asks(own)) {
		assert_in_range(spy.commands, 0, LOG - 1);
		spy.command[spy.commands++] = issue->cycle;
	}
	return mech_d2ma.run_opcode(sm, own, issue);
}

static inline void spied_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	if (issue->type != MECH_MEMORY || issue->space != MECH_SHARED)
		return;
	assert_in_range(spy.accesses, 0, LOG - 1);
	spy.access_warp[spy.accesses] = issue->warp;
	spy.access[spy.accesses++] = issue->cycle;
}

static inline void spied_load(struct mech_sm *sm, const struct mech_access *access)
{
	(void)sm;
	if (spy.loads < LOG)
		spy.load[spy.loads++] = access->cycle;
}

static inline void open_with(struct gpu_kit *kit, const char *mechanism, const char *const *options)
{
	kit_describe(kit, options);
	if (!config_assign("sm.count=1", machine_options, machine_option_count, &kit->machine, &kit->diag))
		fail_msg("%s", kit->diag.text);
	kit_attach(kit, mechanism);
	memset(&spy, 0, sizeof spy);
	spy.mech = *kit->attachments.list[0].mech;
	spy.mech.on_reply = spied_reply;
	spy.mech.run_opcode = spied_opcode;
	spy.mech.issue = spied_issue;
	spy.mech.access = spied_load;
	kit->attachments.list[0].mech = &spy.mech;
	kit_build(kit);
	kit->param = kit_buffer(kit, NULL, ARRAY / 8);
}

#define OPEN(kit, mechanism, ...) open_with(kit, mechanism, (const char *const[]){__VA_ARGS__, NULL})

/* %rd0: the array; %r1: the thread; %r2: its warp; elements of 4 bytes. */
#define BEGIN "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; dma_type 4;\n"
/* Cycles pass, about two and a half a turn of one warp. */
#define WAIT(turns, label)                                                                                             \
	"mov.u32 %r30, 0; " label ": add.u32 %r30, %r30, 1; setp.lt.u32 %p7, %r30, " #turns "; @%p7 bra " label ";\n"

/* Runs a body, once, in one block. */
static inline void run_body(struct gpu_kit *kit, const char *body, uint32_t threads)
{
	kit_load(kit, body);
	kit_run(kit, 1, threads);
}

#endif
