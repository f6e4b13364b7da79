/* d2ma_kit: for the tests of this folder, the engine on a machine with one SM, and a log of its hooks' events. */
#ifndef SLUICE_MECH_D2MA_D2MA_KIT_H
#define SLUICE_MECH_D2MA_D2MA_KIT_H

#include "base/dma.h"
#include "engine_kit.h"

extern const struct mech mech_d2ma;

enum { LINE = 128, ARRAY = 1 << 20 };

/* Log of instructions. */
static struct {
	uint32_t accesses, loads, commands;
	uint64_t command[LOG]; /* cycles in which commands issued, in order */
	uint64_t access[LOG];  /* cycles in which instructions on shared memory issued */
	uint64_t load[LOG]; /* cycles of transactions of global memory */
} spy;

static inline uint32_t spied_opcode(struct mech_sm *sm, uint32_t own, const struct mech_issue *issue)
{
	if (dma_is_transfer(own)) {
		assert_in_range(spy.commands, 0, LOG - 1);
		spy.command[spy.commands++] = issue->cycle;
	}
	return engine.real->run_opcode(sm, own, issue);
}

static inline void spied_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	(void)sm;
	if (issue->type != MECH_MEMORY || issue->space != MECH_SHARED)
		return;
	assert_in_range(spy.accesses, 0, LOG - 1);
	spy.access[spy.accesses++] = issue->cycle;
}

static inline void spied_load(struct mech_sm *sm, const struct mech_access *access)
{
	(void)sm;
	if (spy.loads < LOG)
		spy.load[spy.loads++] = access->cycle;
}

static inline void spy_on(struct mech *mech)
{
	memset(&spy, 0, sizeof spy);
	mech->run_opcode = spied_opcode;
	mech->issue = spied_issue;
	mech->access = spied_load;
}

static inline void open_with(struct gpu_kit *kit, const char *mechanism, const char *const *options)
{
	engine_open(kit, mechanism, options, ARRAY, spy_on);
}

#define OPEN(kit, mechanism, ...) open_with(kit, mechanism, (const char *const[]){__VA_ARGS__, NULL})

/* %rd0: the array; %r1: the thread; %r2: its warp; elements of 4 bytes. */
#define BEGIN "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; dma_type 4;\n"
/* Waits `turns` iterations of about two and a half cycles each, for one warp. */
#define WAIT(turns, label)                                                                                             \
	"mov.u32 %r30, 0; " label ": add.u32 %r30, %r30, 1; setp.lt.u32 %p7, %r30, " #turns "; @%p7 bra " label ";\n"

/* Runs a body once, in one block. */
static inline void run_body(struct gpu_kit *kit, const char *body, uint32_t threads)
{
	kit_load(kit, body);
	kit_run(kit, 1, threads);
}

#endif
