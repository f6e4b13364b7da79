/* Protects the time of copies to shared memory (cp.async) and of waits for mbarriers
 * (docs/explanation/timing-model.md), and the results of random programs of copies.
 * - A copy takes the banks for the cycles that its conflicts need.
 * - A warp waits for the groups that it names, and no longer.
 * - An arrival takes effect after the copies before it.
 * - try_wait holds its warp until the phase ends or the time limit is over. */
#include "gpu_kit.h"

enum { WARP = 32, LONG = 40 };

static uint64_t numbers = 11; /* state of the generator of random numbers */

static uint32_t random_below(uint32_t bound)
{
	numbers = numbers * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((numbers >> 33) % bound);
}

/* One warp whose loads always hit L1 and whose code is in the instruction cache. */
#define ONE_SM "sm.count=1", "sm.perfect_l1=true", "l1i.sets=64", "l1i.ways=8", "sm.async_copies=true"

/* %rd1: a lane's address in memory. %r1, %r2: in shared memory, `apart` bytes from the neighbor lane's. %r3: an
 * mbarrier. %r4: 4 bytes apart. */
static void places(char *text, size_t size, uint32_t apart)
{
	snprintf(text, size,
	         "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd1, %%r0, 16; add.u64 %%rd1, %%rd0, %%rd1; mov.u32 %%r3, "
	         "24560; mov.u32 "
	         "%%r9, 1; mul.lo.u32 %%r1, %%r0, %u; add.u32 %%r2, %%r1, 8192; "
	         "mul.lo.u32 %%r4, %%r0, 4; add.u32 %%r4, %%r4, 16384;",
	         apart);
}

#define COPY(place) "cp.async.ca.shared.global [" place "], [%rd1], 4;"
#define COMMIT      "cp.async.commit_group;"

static struct sm_stats counted; /* in the last run */

static uint64_t cycles_of_warps(const char *const *options, uint32_t warps, uint32_t apart, const char *code,
                                const char *after)
{
	struct gpu_kit kit;
	char before[512];
	uint64_t values[256] = {0}, cycles[2];
	places(before, sizeof before, apart);
	for (unsigned sleep = 0; sleep < 2; sleep++) { /* sleep changes nothing */
		kit_describe(&kit, options);
		kit.machine.sm.sleep = sleep;
		kit_build(&kit);
		kit.param = kit_buffer(&kit, values, 256);
		cycles[sleep] = kit_time(&kit, before, code, 1, after, warps * WARP);
		counted = kit.run.stats.sm;
		kit_close(&kit);
	}
	assert_int_equal(cycles[0], cycles[1]);
	return cycles[0];
}

static uint64_t cycles_of(const char *const *options, uint32_t apart, const char *code, const char *after)
{
	return cycles_of_warps(options, 1, apart, code, after);
}

static const char *const plain[] = {ONE_SM, NULL};

/* Lanes 4, 8, 64 and 128 bytes apart: 1, 2, 16 and 32 words of the busiest bank. */
static void test_banks(void **state)
{
	(void)state;
	static const uint32_t apart[] = {4, 8, 64, 128}, words[] = {1, 2, 16, 32};
	static const char code[] = COPY("%r1") COMMIT "cp.async.wait_group 0;";
	uint64_t least = cycles_of(plain, 4, code, "");
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(cycles_of(plain, apart[i], code, ""), least + words[i] - 1);
		assert_int_equal(cycles_of(plain, apart[i], COPY("%r1") "cp.async.wait_all;", ""),
		                 cycles_of(plain, 4, COPY("%r1") "cp.async.wait_all;", "") + words[i] - 1);
	}
}

/* Arithmetic after the wait that takes longer than a copy. It begins when the awaited data have arrived. */
static char *chain(void)
{
	static char text[LONG * 32];
	size_t at = 0;
	for (unsigned i = 0; i < LONG; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "add.u32 %%r5, %%r5, %%r9;");
	return text;
}

/* Two copies of 32 bank cycles each, as two groups: the second is written after the first. */
static void test_groups(void **state)
{
	(void)state;
	static const char two[] = COPY("%r1") COMMIT COPY("%r2") COMMIT;
	char all[256], one[256], none[256], merged[256];
	snprintf(all, sizeof all, "%scp.async.wait_group 0;", two);
	snprintf(one, sizeof one, "%scp.async.wait_group 1;", two);
	snprintf(none, sizeof none, "%scp.async.wait_group 2;", two);
	snprintf(merged, sizeof merged, "%s", COPY("%r1") COPY("%r2") COMMIT "cp.async.wait_group 0;");
	uint64_t for_all = cycles_of(plain, 128, all, chain()), for_one = cycles_of(plain, 128, one, chain());
	assert_int_equal(for_all - for_one, 32);
	assert_true(cycles_of(plain, 128, none, chain()) < for_one);
	/* one group of two copies takes as long as two groups, except for a commit's issue; empty groups count as
	 * groups */
	uint64_t of_two = cycles_of(plain, 128, merged, chain());
	assert_true(of_two <= for_all && for_all - of_two <= 2);
	assert_int_equal(cycles_of(plain, 128, COPY("%r1") COMMIT COMMIT "cp.async.wait_group 1;", chain()),
	                 cycles_of(plain, 128, COPY("%r1") COMMIT COMMIT "cp.async.wait_group 0;", chain()));
}

/* wait_all also waits for copies that are not committed; wait_group does not. */
static void test_uncommitted(void **state)
{
	(void)state;
	uint64_t group = cycles_of(plain, 128, COPY("%r1") "cp.async.wait_group 0;", chain());
	uint64_t all = cycles_of(plain, 128, COPY("%r1") "cp.async.wait_all;", chain());
	assert_true(all >= group + 32);
}

#define INIT "mbarrier.init.shared.b64 [%r3], 32;"
#define TRY  "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0; @!%p1 bra W;"

/* The arrival takes effect with the copy: 30 more bank cycles are 30 more cycles. */
static void test_arrivals(void **state)
{
	(void)state;
	static const char *const held[] = {ONE_SM, "sm.try_wait_cycles=100000", NULL};
	static const char code[] = INIT COPY("%r1") "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];" TRY,
			  increments[] = INIT COPY(
				  "%r1") "cp.async.mbarrier.arrive.shared.b64 [%r3]; mbarrier.arrive.shared.b64 "
					 "%rd5, [%r3];" TRY,
			  two[] = INIT COPY("%r2")
				  COPY("%r1") "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];" COPY("%r4") TRY;
	uint64_t few = cycles_of(held, 8, code, "");
	assert_int_equal(cycles_of(held, 128, code, ""), few + 30);
	assert_int_equal(cycles_of(held, 128, increments, chain()) - cycles_of(held, 64, increments, chain()), 16);
	/* the wait covers both copies before it */
	assert_int_equal(cycles_of(held, 128, two, chain()) - cycles_of(held, 64, two, chain()), 32);
}

/* The phase never ends: the warp continues when its time limit is over. */
static void test_limit(void **state)
{
	(void)state;
	static const char code[] = INIT "mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0;";
	static const char *const times[][7] = {
		{ONE_SM, "sm.try_wait_cycles=100", NULL}, {ONE_SM, "sm.try_wait_cycles=350", NULL}, {ONE_SM, NULL}};
	uint64_t held = cycles_of(times[0], 4, code, chain());
	assert_int_equal(counted.phase_waits, 1);
	assert_int_equal(held - cycles_of(times[2], 4, code, chain()),
	                 100 - 2); /* without the wait, it also issues two cycles later */
	assert_int_equal(counted.phase_waits, 0);
	assert_int_equal(cycles_of(times[1], 4, code, "") - cycles_of(times[0], 4, code, ""), 250);
	/* no warp waits for a phase that is over */
	static const char over[] = INIT "mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 1;";
	assert_int_equal(cycles_of(times[1], 4, over, ""), cycles_of(times[0], 4, over, ""));
}

/* A copy without a wait ends before its warp. */
static void test_end(void **state)
{
	(void)state;
	assert_int_equal(cycles_of(plain, 128, COPY("%r1"), "") - cycles_of(plain, 64, COPY("%r1"), ""), 16);
}

#define DELAY "add.u32 %%r5, %%r5, %%r9; add.u32 %%r5, %%r5, %%r9; add.u32 %%r5, %%r5, %%r9; add.u32 %%r5, %%r5, %%r9;"

/* A second warp's time limit does not change the first one's. */
static void test_limits_of_warps(void **state)
{
	(void)state;
	static const char *const held[] = {ONE_SM, "sm.try_wait_cycles=200", NULL};
	char code[2048];
	snprintf(code, sizeof code,
	         "mov.u32 %%r10, 24568; setp.lt.u32 %%p2, %%r0, 32; @%%p2 bra FIRST;" DELAY DELAY DELAY
	         "mbarrier.init.shared.b64 [%%r10], 32; mbarrier.try_wait.parity.shared.b64 %%p1, [%%r10], 0; bra END;"
	         "FIRST: %s mbarrier.try_wait.parity.shared.b64 %%p1, [%%r3], 0; %s END:",
	         INIT, chain());
	uint64_t alone = cycles_of_warps(held, 1, 4, code, ""), beside = cycles_of_warps(held, 2, 4, code, "");
	assert_true(beside < alone + 40); /* its chain begins when its own time limit is over */
	assert_int_equal(counted.phase_waits, 2);
}

/* All warps of the block continue when a phase ends. */
static void test_phase_for_all(void **state)
{
	(void)state;
	static const char *const held[] = {ONE_SM, "sm.try_wait_cycles=100000", NULL};
	char code[2048];
	snprintf(code, sizeof code,
	         "setp.eq.u32 %%p2, %%r0, 0; @%%p2 mbarrier.init.shared.b64 [%%r3], 32; bar.sync 0; setp.lt.u32 %%p2, "
	         "%%r0, 96; "
	         "@%%p2 bra WAITS; %s mbarrier.arrive.shared.b64 %%rd5, [%%r3]; bra END;"
	         "WAITS: mbarrier.try_wait.parity.shared.b64 %%p1, [%%r3], 0; END:",
	         chain());
	assert_true(cycles_of_warps(held, 4, 4, code, "") < 50000);
	assert_int_equal(counted.phase_waits, 3);
}

#define ARRIVE          "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];"
#define NOTHING         "cp.async.ca.shared.global [%r2], [%rd1], 4, 0;"
#define FIRST_OF(lanes) "setp.eq.u32 %p2, %r0, 0; @%p2 mbarrier.init.shared.b64 [%r3], " #lanes "; bar.sync 0;"

/* An arrival waits only for its own warp's earlier copies, not for a later copy or another warp's copies. */
static void test_arrivals_wait_for_their_own(void **state)
{
	(void)state;
	static const char *const misses[] = {
		"sm.count=1",       "l1i.sets=64", "l1i.ways=8", "sm.async_copies=true", "sm.try_wait_cycles=100000",
		"sm.flush_l1=true", NULL};
	static const char one[] = FIRST_OF(32) COPY("%r1") ARRIVE TRY,
			  later[] = FIRST_OF(32) COPY("%r1") ARRIVE NOTHING TRY,
			  before[] = FIRST_OF(32) "setp.lt.u32 %p3, %r0, 32; @%p3 bra MAIN;" NOTHING NOTHING NOTHING
				  NOTHING NOTHING NOTHING NOTHING NOTHING
						  "bra END; MAIN: add.u32 %r5, %r5, %r9; add.u32 %r5, %r5, %r9;" COPY(
							  "%r1") ARRIVE TRY;
	uint64_t alone = cycles_of(misses, 128, one, chain());
	char both[4096];
	assert_true(cycles_of(misses, 128, later, chain()) >= alone);
	snprintf(both, sizeof both, "%s%s END:", before, chain());
	assert_true(cycles_of_warps(misses, 2, 128, both, "") >= alone);
}

/* Lanes of one instruction arrive at different mbarriers. */
static void test_arrivals_at_several(void **state)
{
	(void)state;
	static const char *const held[] = {ONE_SM, "sm.try_wait_cycles=100000", NULL};
	static const char code[] =
		"mov.u32 %r10, 24568; setp.eq.u32 %p2, %r0, 0; @%p2 mbarrier.init.shared.b64 [%r3], 20; "
		"@%p2 mbarrier.init.shared.b64 [%r10], 12; setp.lt.u32 %p2, %r0, 20; selp.u32 %r11, %r3, %r10, "
		"%p2;" COPY("%r1") "cp.async.mbarrier.arrive.noinc.shared.b64 [%r11];"
				   "mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0; "
				   "mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0;";
	assert_true(cycles_of(held, 128, code, "") < 50000);
}

/* Copies are counted, their lanes among the lanes of shared memory, and their writes as time of shared memory. */
static void test_counters(void **state)
{
	(void)state;
	static const char code[] = COPY("%r1") COMMIT "cp.async.wait_group 0;";
	(void)cycles_of(plain, 4, code, "");
	assert_int_equal(counted.copies, 1);
	assert_int_equal(counted.shared_lanes, WARP);
	uint64_t one = counted.stack_shared;
	(void)cycles_of(plain, 128, code, "");
	assert_in_range(counted.stack_shared - one, 30, 31);
}

/* The load/store unit has a turn between two copies' writes: a load waits for one of them, not for all. */
static void test_turns(void **state)
{
	(void)state;
	char few[256], many[512];
	snprintf(few, sizeof few, "%s", COPY("%r1") "ld.shared.u32 %r5, [%r4];");
	snprintf(many, sizeof many, "%s",
	         COPY("%r1") COPY("%r2") COPY("%r1") COPY("%r2") COPY("%r1") "ld.shared.u32 %r5, [%r4];");
	assert_true(cycles_of(plain, 128, many, chain()) < cycles_of(plain, 128, few, chain()) + 96);
}

/* More groups than the hardware tracks: copies are issued faster than they are written. A warp that waits for all
 * groups does so, however many followed; one that waits for fewer does not. */
static void test_many_groups(void **state)
{
	(void)state;
	enum { GROUPS = 160 };
	static char text[GROUPS * 96];
	static const char *const wait[] = {"cp.async.wait_group 0;", "cp.async.wait_all;", "cp.async.wait_group 40;"};
	for (unsigned groups = GROUPS - 6; groups < GROUPS; groups++) {
		uint64_t cycles[3];
		for (unsigned k = 0; k < 3; k++) {
			size_t at = 0;
			for (unsigned g = 0; g < groups; g++)
				at += (size_t)snprintf(text + at, sizeof text - at, "%s", COPY("%r1") COMMIT);
			snprintf(text + at, sizeof text - at, "%s", wait[k]);
			cycles[k] = cycles_of(plain, 128, text, chain());
		}
		assert_int_equal(cycles[0], cycles[1]);
		assert_true(cycles[0] - cycles[2] > 400); /* as long as the chain */
	}
}

/* --- random programs --- */

enum { THREADS = 96, SLOTS = 6, SLOT = 16, OPERATIONS = 60 };

struct random_program {
	char text[16384];
	size_t length;
	uint8_t model[THREADS][SLOTS][SLOT];
};

__attribute__((format(printf, 2, 3))) static void say(struct random_program *program, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	program->length += (size_t)vsnprintf(program->text + program->length, sizeof program->text - program->length,
	                                     format, arguments);
	va_end(arguments);
	assert_true(program->length < sizeof program->text);
}

/* A copy of each thread within its own slot. Some copies read fewer bytes than they write. */
static void say_copy(struct random_program *program, uint8_t in[THREADS][SLOTS][SLOT])
{
	uint32_t bytes = 4u << random_below(3), from = random_below(SLOTS), to = random_below(SLOTS);
	uint32_t source = random_below(SLOT / bytes) * bytes, target = random_below(SLOT / bytes) * bytes;
	uint32_t kind = random_below(4), count = random_below(bytes + 3);
	say(program, "%scp.async.%s.shared.global [%%r1+%u], [%%rd1+%u], %u", kind == 3 ? "@%p1 " : "",
	    bytes == 16 && random_below(2) ? "cg" : "ca", to * SLOT + target, from * SLOT + source, bytes);
	if (kind == 1)
		say(program, ", %u", count);
	say(program, kind == 2 ? ", %%p1;\n" : ";\n");
	for (uint32_t t = 0; t < THREADS; t++) {
		bool odd = t & 1;
		uint32_t read = kind == 1 && count < bytes ? count : kind == 2 && odd ? 0 : bytes;
		for (uint32_t b = 0; b < bytes && !(kind == 3 && !odd); b++)
			program->model[t][to][target + b] = b < read ? in[t][from][source + b] : 0;
	}
}

static void make_program(struct random_program *program, uint8_t in[THREADS][SLOTS][SLOT])
{
	memset(program, 0, sizeof *program);
	say(program,
	    "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd1, %%r0, %u; add.u64 %%rd2, %%rd0, %u; add.u64 %%rd2, %%rd2, "
	    "%%rd1; "
	    "add.u64 %%rd1, %%rd0, %%rd1; mul.lo.u32 %%r1, %%r0, %u; and.b32 %%r2, %%r0, 1; setp.ne.u32 %%p1, %%r2, 0; "
	    "mov.u32 %%r3, 0; mov.u32 %%r4, 24568; setp.eq.u32 %%p3, %%r0, 0;\n"
	    "@%%p3 mbarrier.init.shared.b64 [%%r4], %u;\nbar.sync 0;\n",
	    SLOTS * SLOT, THREADS * SLOTS * SLOT, SLOTS * SLOT, THREADS);
	for (uint32_t s = 0; s < SLOTS * SLOT / 4; s++)
		say(program, "st.shared.u32 [%%r1+%u], %%r3;\n", 4 * s);
	uint32_t phase = 0;
	for (uint32_t k = 0; k < OPERATIONS; k++)
		switch (random_below(8)) {
		case 0:
			say(program, COMMIT "\n");
			break;
		case 1:
			say(program, "cp.async.wait_group %u;\n", random_below(4));
			break;
		case 2:
			say(program,
			    "cp.async.mbarrier.arrive.noinc.shared.b64 [%%r4];\nW%u: "
			    "mbarrier.try_wait.parity.shared.b64 "
			    "%%p2, [%%r4], %u;\n@!%%p2 bra W%u;\nbar.sync 0;\n",
			    k, phase, k);
			phase ^= 1;
			break;
		default:
			say_copy(program, in);
		}
	say(program, "cp.async.wait_all;\n");
	for (uint32_t s = 0; s < SLOTS * SLOT / 4; s++)
		say(program, "ld.shared.u32 %%r5, [%%r1+%u]; st.global.u32 [%%rd2+%u], %%r5;\n", 4 * s, 4 * s);
	say(program, "exit;\n");
}

static void test_random(void **state)
{
	(void)state;
	static const char *const machine[] = {"gtx480", "rtx3070", "hopper-like"};
	static const char *const options[][3] = {{"sm.count=2", "sm.async_copies=true", NULL},
	                                         {"sm.count=2", "sm.async_copies=false", NULL}};
	enum { PROGRAMS = 12, BYTES = THREADS * SLOTS * SLOT };
	static uint8_t in[THREADS][SLOTS][SLOT];
	static struct random_program program;
	for (uint32_t k = 0; k < PROGRAMS; k++) {
		for (uint32_t b = 0; b < BYTES; b++)
			((uint8_t *)in)[b] = (uint8_t)random_below(256);
		make_program(&program, in);
		for (unsigned m = 0; m < 6; m++) {
			struct gpu_kit kit;
			kit_machine = machine[m / 2];
			kit_open(&kit, options[m % 2]);
			kit.param = kit_buffer(&kit, NULL, 2 * BYTES / 8);
			memcpy(simt_host(kit.gpu->memory, kit.param), in, BYTES);
			kit_load(&kit, program.text);
			kit_run(&kit, 1, THREADS);
			assert_memory_equal(simt_host(kit.gpu->memory, kit.param + BYTES), program.model, BYTES);
			kit_close(&kit);
		}
	}
	kit_machine = "gtx480";
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_banks),
	                                   cmocka_unit_test(test_groups),
	                                   cmocka_unit_test(test_uncommitted),
	                                   cmocka_unit_test(test_arrivals),
	                                   cmocka_unit_test(test_limit),
	                                   cmocka_unit_test(test_end),
	                                   cmocka_unit_test(test_random),
	                                   cmocka_unit_test(test_limits_of_warps),
	                                   cmocka_unit_test(test_phase_for_all),
	                                   cmocka_unit_test(test_arrivals_wait_for_their_own),
	                                   cmocka_unit_test(test_arrivals_at_several),
	                                   cmocka_unit_test(test_counters),
	                                   cmocka_unit_test(test_turns),
	                                   cmocka_unit_test(test_many_groups)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
