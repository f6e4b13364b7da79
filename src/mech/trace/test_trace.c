/* Protects trace: events of warps, requests and rows begin and end with the issues, packets and commands that a
 * second mechanism sees. The kernels are written so that the expected waits are known. The events depend neither on
 * sleep nor on threads, and tracing changes no result. */
#include "gpu_kit.h"

#include "trace.h"
#include "seam/seam.h"

#include <stdlib.h>

enum { WARP = 32, LOG = 4096 };

/* --- the second mechanism --- */

struct seen {
	uint32_t warp, pc;
	const char *name;
	uint64_t cycle, address;
};

static struct {
	struct seen issue[LOG], out[LOG], in[LOG];
	uint32_t issues, outs, ins;
	uint64_t ended;
} spy;

static void see_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	if (sm->sm == 0 && spy.issues < LOG)
		spy.issue[spy.issues++] = (struct seen){issue->warp, issue->pc, issue->name, issue->cycle, 0};
}

static void see_out(struct mech_sm *sm, const struct mech_packet *packet)
{
	if (sm->sm == 0 && packet->kind == MECH_PACKET_LOAD)
		spy.out[spy.outs++ % LOG] = (struct seen){.cycle = packet->cycle, .address = packet->address};
}

static void see_in(struct mech_sm *sm, const struct mech_packet *packet)
{
	if (sm->sm == 0 && packet->kind == MECH_PACKET_LOAD)
		spy.in[spy.ins++ % LOG] = (struct seen){.cycle = packet->cycle, .address = packet->address};
}

static void see_end(struct mech_sm *sm, const struct mech_block *block)
{
	if (sm->sm == 0)
		spy.ended = block->cycle;
}

static const struct mech looker = {.version = MECH_VERSION,
                                   .name = "looker",
                                   .issue = see_issue,
                                   .packet_out = see_out,
                                   .packet_in = see_in,
                                   .block_end = see_end};
static const struct mech *const with_looker[] = {&looker, NULL};

/* Returns the first issue of an instruction by a warp; `next` becomes the warp's issue after it. */
static const struct seen *issued(uint32_t warp, const char *name, const struct seen **next)
{
	for (uint32_t i = 0; i < spy.issues; i++) {
		if (spy.issue[i].warp != warp || strcmp(spy.issue[i].name, name) != 0)
			continue;
		for (uint32_t k = i + 1; k < spy.issues; k++)
			if (spy.issue[k].warp == warp) {
				*next = &spy.issue[k];
				return &spy.issue[i];
			}
	}
	fail_msg("warp %u issues no %s with another after it", warp, name);
	return NULL;
}

/* --- the events --- */

struct drawn {
	struct {
		enum seam_unit unit;
		uint32_t index;
		struct mech_event event;
	} event[LOG];
	uint32_t count;
};

static void take(void *user, enum seam_unit unit, uint32_t index, uint32_t number, const struct mech *mech,
                 const struct mech_event *event)
{
	struct drawn *drawn = user;
	(void)number;
	if (!mech || strcmp(mech->name, "trace") != 0)
		return;
	assert_true(drawn->count < LOG);
	drawn->event[drawn->count].unit = unit;
	drawn->event[drawn->count].index = index;
	drawn->event[drawn->count++].event = *event;
}

static const struct mech_event *find(const struct drawn *drawn, enum trace_event row, uint32_t track, uint64_t begin)
{
	for (uint32_t i = 0; i < drawn->count; i++) {
		const struct mech_event *event = &drawn->event[i].event;
		if (drawn->event[i].index == 0 && event->row == row && event->track == track && event->begin == begin)
			return event;
	}
	fail_msg("no event %d on track %u from %lu on", (int)row, track, begin);
	return NULL;
}

static void run(struct drawn *drawn, const char *mechanism, const char *option, const char *body, uint32_t blocks,
                uint32_t threads, uint64_t *cycles)
{
	struct gpu_kit kit;
	memset(&spy, 0, sizeof spy);
	drawn->count = 0;
	kit_mechanisms = with_looker;
	kit_describe(&kit, (const char *const[]){"sm.count=2", option, NULL});
	if (mechanism)
		kit_attach(&kit, mechanism);
	kit_build(&kit);
	seam_draw(kit.gpu->seam, LOG);
	kit.param = kit_buffer(&kit, NULL, (1 << 20) / 8);
	kit_load(&kit, body);
	*cycles = kit_run(&kit, blocks, threads);
	seam_take_events(kit.gpu->seam, &(struct seam_drawer){drawn, take});
	kit_close(&kit);
}

static struct drawn drawn, other;

/* A load's dependent instruction waits from the cycle after the load's issue to its own issue. The request is drawn
 * from its packet out to its packet in. */
static void test_load(void **state)
{
	const struct seen *next;
	uint64_t cycles;
	(void)state;
	run(&drawn, "trace:every=1", NULL, "ld.global.u32 %r4, [%rd0]; add.u32 %r5, %r4, 1; exit;", 1, WARP, &cycles);
	uint64_t load = issued(0, "ld", &next)->cycle;
	while (strcmp(next->name, "add") != 0) {
		load = next->cycle;
		next++;
	}
	const struct mech_event *wait = find(&drawn, TRACE_LOAD, 0, load + 1);
	assert_int_equal(wait->end, next->cycle);
	assert_int_equal(wait->arguments[0], next->pc);
	assert_true(wait->end - wait->begin > 100);
	assert_int_equal(spy.outs, 1);
	assert_int_equal(spy.ins, 1);
	const struct mech_event *request = find(&drawn, TRACE_FROM_DRAM, TRACKS_OF_REQUESTS, spy.out[0].cycle);
	assert_int_equal(request->end, spy.in[0].cycle);
	assert_int_equal(request->arguments[0], spy.out[0].address);
}

/* The first warp to reach a barrier waits there until the other has arrived. */
static void test_barrier(void **state)
{
	const struct seen *next;
	uint64_t cycles;
	(void)state;
	run(&drawn, "trace:every=1", NULL,
	    "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra meet;\n"
	    "ld.global.u32 %r4, [%rd0]; add.u32 %r5, %r4, 1; mul.lo.u32 %r5, %r5, %r5;\n"
	    "meet: bar.sync 0; add.u32 %r6, %r1, 1; exit;",
	    1, 2 * WARP, &cycles);
	uint64_t came = issued(0, "bar", &next)->cycle;
	const struct mech_event *wait = find(&drawn, TRACE_BARRIER, 0, came + 1);
	const struct seen *after;
	uint64_t last = issued(1, "bar", &after)->cycle;
	assert_true(last > came + 100);
	assert_true(wait->end >= last && wait->end <= next->cycle);
}

/* Fewer samples find fewer waits, but each wait found has the same cycles. */
static void test_every(void **state)
{
	static const char body[] =
		"mov.u32 %r2, 6;\nagain: sub.u32 %r2, %r2, 1; ld.global.u32 %r4, [%rd0]; add.u32 %r5, %r4, 1;\n"
		"add.u64 %rd0, %rd0, 4096; setp.gt.u32 %p1, %r2, 0; @%p1 bra again; exit;";
	uint64_t cycles, same;
	uint32_t found = 0;
	(void)state;
	run(&drawn, "trace:every=1,requests=no,banks=no", NULL, body, 1, WARP, &cycles);
	run(&other, "trace:every=64,requests=no,banks=no", NULL, body, 1, WARP, &same);
	assert_int_equal(cycles, same);
	assert_true(other.count && other.count < drawn.count);
	for (uint32_t i = 0; i < other.count; i++) {
		const struct mech_event *event = &other.event[i].event;
		if (event->row != TRACE_LOAD)
			continue;
		found++;
		assert_int_equal(find(&drawn, TRACE_LOAD, event->track, event->begin)->end, event->end);
	}
	assert_int_equal(found, 7); /* six loads, and one of the kernel's parameter */
}

/* A bank's row is open until another row replaces it. Its columns add up to the machine's DRAM atoms. */
static void test_rows(void **state)
{
	uint64_t cycles;
	uint32_t rows = 0, columns = 0;
	(void)state;
	run(&drawn, "trace:warps=no", NULL,
	    "mov.u32 %r2, 40;\nagain: sub.u32 %r2, %r2, 1; ld.global.u32 %r4, [%rd0]; add.u32 %r5, %r4, 1;\n"
	    "add.u64 %rd0, %rd0, 16384; setp.gt.u32 %p1, %r2, 0; @%p1 bra again; exit;",
	    1, WARP, &cycles);
	for (uint32_t i = 0; i < drawn.count; i++) {
		const struct mech_event *event = &drawn.event[i].event;
		if (event->row != TRACE_ROW_OPEN)
			continue;
		assert_int_equal(drawn.event[i].unit, SEAM_OF_PARTITION);
		assert_true(event->end > event->begin && event->arguments[1] > 0);
		rows++;
		columns += (uint32_t)event->arguments[1];
	}
	assert_true(rows > 0 && columns >= rows);
}

static int by_place(const void *one, const void *two)
{
	return memcmp(one, two, sizeof drawn.event[0]);
}

/* Tracing changes no cycle. The events are the same with sleep and with several threads. SMs that are not selected
 * draw nothing. */
static void test_nothing_depends(void **state)
{
	static const char body[] =
		"mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 512; add.u64 %rd0, %rd0, %rd1;\n"
		"mov.u32 %r2, 3;\nagain: sub.u32 %r2, %r2, 1; ld.global.u32 %r4, [%rd0]; add.u32 %r5, %r4, 1;\n"
		"st.global.u32 [%rd0+256], %r5; bar.sync 0; add.u64 %rd0, %rd0, 8192; setp.gt.u32 %p1, %r2, 0;\n"
		"@%p1 bra again; exit;";
	static const char *const sleeps[] = {"launch.sleep=true", "launch.sleep=false"};
	uint64_t without, cycles;
	(void)state;
	run(&other, NULL, NULL, body, 6, 2 * WARP, &without);
	for (uint32_t i = 0; i < 4; i++) {
		struct drawn *into = i ? &other : &drawn;
		kit_threads = 1 + i / 2;
		run(into, "trace", sleeps[i % 2], body, 6, 2 * WARP, &cycles);
		assert_int_equal(cycles, without);
		qsort(into->event, into->count, sizeof into->event[0], by_place);
		assert_int_equal(into->count, drawn.count);
		assert_memory_equal(into->event, drawn.event, drawn.count * sizeof drawn.event[0]);
	}
	kit_threads = 1;
	run(&other, "trace:sms=1,banks=no", NULL, body, 6, 2 * WARP, &cycles);
	for (uint32_t i = 0; i < other.count; i++)
		assert_true(other.event[i].unit != SEAM_OF_SM || other.event[i].index == 1);
	assert_true(other.count > 0);
}

static void test_refuses(void **state)
{
	(void)state;
	kit_refuses("trace:sms=0-", "sms: expected all, or numbers and ranges as in 0-3+7, not '0-'");
	kit_refuses("trace:sms=x", "sms: expected all");
	kit_refuses("trace:sms=200-210", "sms: the machine has 0 to");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load), cmocka_unit_test(test_barrier),         cmocka_unit_test(test_every),
		cmocka_unit_test(test_rows), cmocka_unit_test(test_nothing_depends), cmocka_unit_test(test_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
