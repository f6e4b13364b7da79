/* teleport_kit: for the tests of this folder, the mechanism on a machine whose launches have the test's own rows,
 * and a log of its hooks' events. */
#ifndef SLUICE_MECH_TELEPORT_TELEPORT_KIT_H
#define SLUICE_MECH_TELEPORT_TELEPORT_KIT_H

#include "gpu_kit.h"

extern const struct mech mech_teleport;

enum { LINE = 128, WARP = 32, ARRAY = 1 << 20, LOG = 64 };

#define ONE_SM "sm.count=1"

/* Log of the events that the mechanism's hooks received, in one host thread. */
static struct {
	struct mech mech;
	const struct mech *real;
	uint64_t begun, first_issue, last_addition, last_reply;
	uint32_t replies;
	uint64_t sent[LOG];
	struct mech_request request[LOG];
} spy;

static inline bool spied_start(struct mech_sm *sm, const struct mech_block *block)
{
	spy.begun = block->cycle;
	return spy.real->may_start(sm, block);
}

static inline void spied_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	if (!spy.first_issue)
		spy.first_issue = issue->cycle;
	if (issue->type == MECH_ARITHMETIC)
		spy.last_addition = issue->cycle;
}

static inline void spied_reply(struct mech_sm *sm, const struct mech_reply *reply)
{
	if (spy.replies < LOG) {
		spy.request[spy.replies] = reply->request;
		spy.sent[spy.replies] = reply->sent;
	}
	spy.replies++;
	spy.last_reply = reply->cycle;
	spy.real->on_reply(sm, reply);
}

/* The rows of every launch. */
struct table {
	struct mech_row row[4];
	uint32_t rows;
};

static inline struct mech_rows give(void *user, uint32_t most, enum mech_loops loops)
{
	const struct table *table = user;
	(void)loops;
	assert_true(table->rows <= most);
	return (struct mech_rows){.row = table->row, .rows = table->rows};
}

/* Passes an array as the kernel's parameter. */
static inline void prepare(struct gpu_kit *kit, struct table *table)
{
	kit_build(kit);
	kit->param = kit_buffer(kit, NULL, ARRAY / 8);
	memset(table, 0, sizeof *table);
	kit->run.analyses = (struct seam_analyses){.user = table, .rows = give};
	kit->run.blocks_per_sm = 1;
}

/* Opens the machine with the mechanism and the log. */
static inline void open_with(struct gpu_kit *kit, const char *mechanism, struct table *table, const char *const *options)
{
	kit_describe(kit, options);
	kit_attach(kit, mechanism);
	memset(&spy, 0, sizeof spy);
	spy.real = kit->attachments.list[0].mech;
	spy.mech = *spy.real;
	spy.mech.may_start = spied_start;
	spy.mech.issue = spied_issue;
	spy.mech.on_reply = spied_reply;
	kit->attachments.list[0].mech = &spy.mech;
	prepare(kit, table);
}

#define OPEN(kit, mechanism, table, ...) open_with(kit, mechanism, table, (const char *const[]){__VA_ARGS__, NULL})

/* Block b has bytes [low, high) + b * by of the array. */
static inline void add_row(const struct gpu_kit *kit, struct table *table, int64_t low, int64_t high, int64_t by)
{
	table->row[table->rows++] = (struct mech_row){.base = kit->param,
	                                              .first = kit->param,
	                                              .end = kit->param + ARRAY,
	                                              .low = low,
	                                              .high = high,
	                                              .low_by = {by},
	                                              .high_by = {by},
	                                              .pc = MECH_NO_PC};
}

/* A warp reads `lines` lines from %rd1 on, one after the other; each load waits for the previous one. */
static inline void load_lines(struct gpu_kit *kit, const char *before, uint32_t lines)
{
	char body[1024];
	snprintf(body, sizeof body,
	         "mov.u32 %%r1, %%tid.x; and.b32 %%r1, %%r1, 31; mul.wide.u32 %%rd1, %%r1, 4;\n"
	         "add.u64 %%rd1, %%rd1, %%rd0; mov.u32 %%r3, 0; mov.u64 %%rd3, 0; %s\n"
	         "again: ld.global.u32 %%r2, [%%rd1]; cvt.u64.u32 %%rd3, %%r2; add.u64 %%rd1, %%rd1, %%rd3;\n"
	         "add.u64 %%rd1, %%rd1, %d; add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p1, %%r3, %u; @%%p1 bra again; exit;",
	         before, LINE, lines);
	kit_load(kit, body);
}

#define MY_LINES(n) "mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd2, %r4, " #n "; add.u64 %rd1, %rd1, %rd2;"

#endif
