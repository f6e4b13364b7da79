/* Protects the messages about warps that poll (simt/poll.c): the address, its value and name, the number of warps that
 * poll it, and the warps that could write it. A kernel whose blocks end and start is no livelock, although the states
 * of its warps repeat. */
#include "gpu_kit.h"

#define POLL(address)                                                                                                  \
	"P: ld.volatile." address "; setp.eq.u32 %p3, %r4, 0; @%p3 bra P; exit;\n" /* until another value is written */

/* Writes the message about `body` on one SM. The kernel stalls, or ends at `limit` instructions (0: no limit). */
static void say(const char *body, uint32_t blocks, uint32_t threads, uint64_t limit, char text[4096])
{
	struct gpu_kit kit;
	const char *options[] = {"sm.count=1", "launch.livelock=20000", NULL};
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 64);
	kit_load(&kit, body);
	kit.run.max_thread_instructions = limit ? limit : 100000000;
	kit_start(&kit, blocks, threads);
	assert_int_equal(kit.run.end, limit ? GPU_STOPPED : GPU_STALLED);
	simt_polls_print(&kit.run.launch, &kit.run.polls, text, 4096);
	kit_close(&kit);
}

static uint32_t times(const char *text, const char *part)
{
	uint32_t count = 0;
	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

static void expect(const char *text, const char *part, uint32_t count)
{
	if (times(text, part) != count)
		fail_msg("expected '%s' %u times in %s", part, count, text);
}

static void the_last_word_of_shared_memory(void **state)
{
	char text[4096];
	(void)state;
	say("mov.u32 %r1, 24572;" POLL("shared.u32 %r4, [%r1]"), 1, 32, 0, text); /* the last word of 24 KB */
	expect(text, "reads shared address 0x5ffc again and again, 4 bytes with the value 0x0", 1);
}

static void a_generic_address_of_shared_memory(void **state)
{
	char text[4096];
	(void)state;
	say("mov.u64 %rd2, 64; cvta.shared.u64 %rd2, %rd2;" POLL("u32 %r4, [%rd2]"), 1, 32, 0, text);
	expect(text, "reads shared address 0x40 again and again, 4 bytes", 1);
}

/* One address in shared memory is a different word in each block; in global memory it is the same word. */
static void places_and_warps(void **state)
{
	char text[4096];
	(void)state;
	say("mov.u32 %r1, 64;" POLL("shared.u32 %r4, [%r1]"), 1, 64, 0, text);
	expect(text, "; 2 warps do", 1);
	expect(text, "\n  at ", 1);
	say("mov.u32 %r1, 64;" POLL("shared.u32 %r4, [%r1]"), 2, 32, 0, text);
	expect(text, "warps do", 0);
	expect(text, "\n  at ", 2);
	say(POLL("global.u32 %r4, [%rd0+8]"), 2, 32, 0, text);
	expect(text, "; 2 warps do", 1);
	say("mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd0;" POLL(
		    "global.u32 %r4, [%rd2+8]"),
	    1, 64, 0, text);
	expect(text, "\n  at ", 2);
	expect(text, ", offset 8", 1);
	expect(text, ", offset 12", 1);
	expect(text, "warps do", 0);
}

/* In a run that the limit ends, a warp that computes may still write the word. */
static void warps_that_go_on(void **state)
{
	static const char body[] = "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra W;" POLL(
		"global.u32 %r4, [%rd0+8]") "W: add.u32 %r2, %r2, 1; bra W;";
	char text[4096];
	(void)state;
	say(body, 1, 64, 100000, text);
	expect(text, "1 other warp is still running, which may write it: the first is warp 1 of block (0,0,0)", 1);
	say(body, 1, 96, 100000, text);
	expect(text, "2 other warps are still running, which may write it: the first is warp 1 of block (0,0,0)", 1);
}

/* An ended warp does not count as one that could write. */
static void warps_that_have_ended(void **state)
{
	char text[4096];
	(void)state;
	say("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 64; @%p1 exit;" POLL("global.u32 %r4, [%rd0+8]"), 1, 96, 0,
	    text);
	expect(text, "no resident warp can write it: 1 poll, 0 wait at barriers", 1);
}

/* The message names the variable that contains the address, and no other variable. */
static void places_have_names(void **state)
{
	char text[4096];
	struct gpu_kit kit;
	const char *options[] = {"sm.count=1", "launch.livelock=20000", NULL};
	(void)state;
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 64);
	kit_load(&kit, POLL("global.u32 %r4, [%rd0+8]"));
	kit_start(&kit, 1, 32);
	struct ptx_variable before = {.name = "before", .space = PTX_GLOBAL, .address = kit.param, .size = 8};
	struct ptx_variable own = {
		.name = "own", .space = PTX_GLOBAL, .address = kit.param + 4, .size = 8, .next = &before};
	struct ptx_variable *others = kit.module->variables;
	kit.module->variables = &own;
	simt_polls_print(&kit.run.launch, &kit.run.polls, text, sizeof text);
	kit.module->variables = others;
	expect(text, ", 'own' + 4", 1);
	expect(text, "before", 0);
	kit_close(&kit);
}

/* The message begins with the poll of host memory. It is no livelock: another host thread may write there. */
static void places_of_the_host(void **state)
{
	static _Alignas(4096) uint32_t page[1024];
	char text[4096];
	struct gpu_kit kit;
	const char *options[] = {"sm.count=1", "launch.livelock=20000", NULL};
	(void)state;
	kit_open(&kit, options);
	uint64_t place = simt_map_host(kit.gpu->memory, page, sizeof page), words[8] = {0};
	assert_true(place != 0);
	/* words polled, by warp: four in device memory, one in host memory, one in device memory */
	kit.param = kit_buffer(&kit, NULL, 8);
	for (unsigned w = 0; w < 6; w++)
		words[w] = w == 4 ? place : kit_buffer(&kit, NULL, 8);
	memcpy(simt_host(kit.gpu->memory, kit.param), words, sizeof words);
	kit_load(&kit, "mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; mul.wide.u32 %rd2, %r1, 8; add.u64 %rd2, %rd2, %rd0;"
	               "ld.global.u64 %rd3, [%rd2];" POLL("global.u32 %r4, [%rd3]"));
	kit.run.max_thread_instructions = 2000000;
	kit_start(&kit, 1, 192);
	assert_int_equal(kit.run.end, GPU_STOPPED);
	assert_int_equal(kit.run.polls.polling, 6);
	simt_polls_print(&kit.run.launch, &kit.run.polls, text, sizeof text);
	expect(text, ", which is host memory: a kernel runs to its end at its launch", 1);
	expect(text, "no resident warp can write it", 0);
	assert_true(kit.run.polls.poll[0].is_host);
	kit_close(&kit);
}

/* Each block polls a word that already has the expected value, and ends. */
static void blocks_come_and_go(void **state)
{
	struct gpu_kit kit;
	const char *options[] = {"sm.count=1", "sm.blocks=1", "launch.livelock=20000", NULL};
	(void)state;
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, 64);
	kit_load(&kit, "P: atom.global.cas.b32 %r4, [%rd0+8], 1, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra P; exit;");
	kit.run.max_thread_instructions = 100000000;
	kit_start(&kit, 3000, 32);
	assert_int_equal(kit.run.end, GPU_DONE);
	if (kit.run.cycles < 300000)
		fail_msg("%llu cycles", (unsigned long long)kit.run.cycles);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_word_of_shared_memory),
		cmocka_unit_test(a_generic_address_of_shared_memory),
		cmocka_unit_test(places_and_warps),
		cmocka_unit_test(warps_that_go_on),
		cmocka_unit_test(warps_that_have_ended),
		cmocka_unit_test(places_have_names),
		cmocka_unit_test(places_of_the_host),
		cmocka_unit_test(blocks_come_and_go),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
