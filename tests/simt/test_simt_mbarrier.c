/* Protects mbarriers: random sequences of arrivals and waits by all lanes of a warp, in any order, against a plain
 * model. Covers warps that pass data through one, every form of the row, and the mistakes that stop a kernel. */
#include "row_kit.h"

enum { LANES = 32, STEPS = 40 };

/* The model of a phase, as in the ISA. */
struct model {
	unsigned pending, expected, phase;
	int bytes;
};

static void end_phase(struct model *m)
{
	if (m->pending == 0 && m->bytes == 0) {
		m->pending = m->expected;
		m->phase++;
	}
}

static const char head[] =
	".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 out)\n{\n"
	".reg .u64 %o, %w, %g, %st, %first;\n.reg .u32 %t, %b, %r, %n;\n.reg .pred %p, %q;\n"
	".shared .align 8 .b8 s[64];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %w, %t, 1024, %o;\n"
	"mov.u32 %b, s;\ncvt.u64.u32 %g, %b;\ncvta.shared.u64 %g, %g;\nmov.u64 %first, 0;\nsetp.ne.u32 %p, %t, 0;\n";

struct text {
	char text[16384];
};

__attribute__((format(printf, 2, 3))) static void add(struct text *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(out->text + strlen(out->text), sizeof out->text - strlen(out->text), format, arguments);
	va_end(arguments);
}

/* One lane's instruction and its effect on the model. Where it returns 32 bits, these are expected. */
static uint32_t arrive(struct text *out, struct model *m, uint64_t *random)
{
	static const char *const order[] = {"", ".release.cta", ".relaxed.cluster", ".release.cluster"};
	static const char *const of_bytes[] = {"", ".relaxed.cta", ".relaxed.cluster", ""};
	static const char *const space[] = {".shared", "", ".shared::cta", ".shared::cluster"};
	static const char *const base[] = {"s", "%g", "%b", "%b"};
	unsigned where = (unsigned)(kit_random(random) % 4), how = (unsigned)(kit_random(random) % 6);
	unsigned at = (unsigned)(kit_random(random) % 4);
	const char *sem = order[at];
	bool drops = how == 3 && m->expected > 1 && m->pending > 0;
	unsigned count = m->pending ? 1 + (unsigned)(kit_random(random) % m->pending) : 0, before = m->pending;
	add(out, "mov.u64 %%st, 0;\n");
	if (how == 4 || m->pending == 0) {
		bool expects = m->bytes <= 0;
		add(out, "mbarrier.%s%s%s.b64 [%s], 16;\n", expects ? "expect_tx" : "complete_tx", of_bytes[at],
		    space[where], base[where]);
		m->bytes += expects ? 16 : -16;
		end_phase(m);
		return 0;
	}
	if (how == 5) {
		add(out, "mbarrier.arrive.expect_tx%s%s.b64 %%st, [%s], 16;\n", sem, space[where], base[where]);
		m->bytes += 16;
		m->pending--;
	} else if (how == 2 && count < m->pending && where < 3 && at < 2) {
		add(out, "mbarrier.arrive.noComplete%s%s.b64 %%st, [%s], %u;\n", sem, space[where], base[where], count);
		m->pending -= count;
	} else {
		count = how == 1 || drops ? 1 : count;
		add(out, "mbarrier.arrive%s%s%s.b64 %%st, [%s]", drops ? "_drop" : "", sem, space[where], base[where]);
		if (count > 1)
			add(out, ", %u", count);
		add(out, ";\n");
		m->pending -= count;
		m->expected -= drops;
	}
	end_phase(m);
	return before;
}

static void wait(struct text *out, const struct model *m, unsigned first_phase, uint64_t *random, uint32_t *expected)
{
	static const char *const order[] = {"", ".acquire.cta", ".relaxed.cluster"};
	static const char *const verb[] = {"test_wait", "try_wait"};
	unsigned parity = (unsigned)(kit_random(random) % 2), kind = (unsigned)(kit_random(random) % 2);
	bool is_try = kit_random(random) % 2;
	const char *hint = is_try && kit_random(random) % 2 ? ", 100" : "", *sem = order[kit_random(random) % 3];
	if (kind && m->phase - first_phase <= 1) { /* a state is valid for its own phase and the next */
		add(out, "mbarrier.%s%s.shared.b64 %%q, [%%b], %%first%s;\n", verb[is_try], sem, hint);
		*expected = m->phase != first_phase;
	} else {
		add(out, "mbarrier.%s.parity%s.b64 %%q, [%%g], %u%s;\n", verb[is_try], sem, parity, hint);
		*expected = m->phase % 2 != parity;
	}
	add(out, "selp.u32 %%r, 1, 0, %%q;\n");
}

static void random_sequence(uint64_t *random)
{
	static struct text out;
	uint32_t expected[2 * STEPS];
	unsigned count = 0, threads = 1 + (unsigned)(kit_random(random) % 6), first_phase = 0;
	struct model m = {threads, threads, 0, 0};
	out.text[0] = '\0';
	add(&out, "%s@%%p bra done;\nmbarrier.init.shared.b64 [s], %u;\n", head, threads);
	bool has_state = false;
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned phase = m.phase;
		expected[count] = arrive(&out, &m, random);
		add(&out, "mbarrier.pending_count.b64 %%r, %%st;\nst.global.u32 [%%w+%u], %%r;\n", 4 * count++);
		if (!has_state || m.phase - first_phase > 1) {
			if (expected[count - 1]) {
				add(&out, "mov.u64 %%first, %%st;\n");
				first_phase = phase;
				has_state = true;
			}
		}
		wait(&out, &m, has_state ? first_phase : m.phase - 2, random, &expected[count]);
		add(&out, "st.global.u32 [%%w+%u], %%r;\n", 4 * count++);
	}
	add(&out, "mbarrier.inval.shared.b64 [s];\ndone:\nret;\n}\n");
	struct kit kit;
	kit_open(&kit, out.text);
	const uint32_t *got = kit_buffer(&kit, LANES * 1024);
	kit_run(&kit);
	for (unsigned k = 0; k < count; k++)
		if (got[k] != expected[k])
			fail_msg("value %u is %u, expected %u in\n%s", k, got[k], expected[k], out.text);
	kit_close(&kit);
}

static void random_sequences(void **state)
{
	(void)state;
	uint64_t random = 1;
	for (unsigned k = 0; k < 300; k++)
		random_sequence(&random);
}

/* Four warps, phase after phase: each thread writes its word, arrives, waits, and reads another thread's word. Lanes of
 * odd numbers arrive separately from those of even numbers. */
static void warps_meet(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit,
	         ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 out)\n{\n.reg .u64 %o, "
	         "%st;\n"
	         ".reg .u32 %t, %a, %c, %n, %v, %sum, %x;\n.reg .pred %p, %q;\n.shared .align 8 .b64 bar;\n.shared "
	         ".align 4 .b32 s[128];\n"
	         "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %o, %t, 4, %o;\nmov.u32 %a, "
	         "s;\nmad.lo.u32 %c, %t, 4, %a;\n"
	         "setp.ne.u32 %p, %t, 0;\n@%p bra ready;\nmbarrier.init.shared.b64 [bar], 128;\nready:\nbar.sync "
	         "0;\nmov.u32 %n, 0;\n"
	         "mov.u32 %sum, 0;\nphase:\nmad.lo.u32 %v, %n, 1000, %t;\nst.shared.u32 [%c], %v;\nand.b32 %x, %t, 1;\n"
	         "setp.eq.u32 %p, %x, 0;\n@%p bra even;\nmbarrier.arrive.shared.b64 %st, [bar];\nbra wait;\neven:\n"
	         "mbarrier.arrive.shared.b64 %st, [bar], 1;\nwait:\nmbarrier.try_wait.shared.b64 %q, [bar], %st;\n@!%q "
	         "bra wait;\n"
	         "add.u32 %x, %t, 37;\nadd.u32 %x, %x, %n;\nand.b32 %x, %x, 127;\nmad.lo.u32 %x, %x, 4, "
	         "%a;\nld.shared.u32 %v, [%x];\n"
	         "add.u32 %sum, %sum, %v;\nmbarrier.arrive.shared.b64 %st, "
	         "[bar];\nleave:\nmbarrier.test_wait.shared.b64 %q, [bar], %st;\n"
	         "@!%q bra leave;\nadd.u32 %n, %n, 1;\nsetp.lt.u32 %p, %n, 9;\n@%p bra phase;\nst.global.u32 [%o], "
	         "%sum;\nret;\n}\n");
	const uint32_t *out = kit_buffer(&kit, 512);
	kit.launch.block.x = 128;
	kit_run(&kit);
	for (unsigned t = 0; t < 128; t++) {
		uint32_t sum = 0;
		for (unsigned n = 0; n < 9; n++)
			sum += n * 1000 + (t + 37 + n) % 128;
		assert_int_equal(out[t], sum);
	}
	kit_close(&kit);
}

static void mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *code, *what;
	} wrong[] = {{"mbarrier.init.shared.b64 [s], 0;", "mbarrier for no thread, or for more than 1048575"},
	             {"mbarrier.init.shared.b64 [s], 2; mbarrier.arrive.shared.b64 %st, [s], 3;",
	              "more arrivals on an mbarrier than it waits for"},
	             {"mbarrier.init.b64 [%o], 1;", "mbarrier outside shared memory"},
	             {"mbarrier.init.shared.b64 [%b+4], 1;", "shared atomic at a misaligned address"},
	             {"mbarrier.init.shared.b64 [%b+64], 1;", "shared atomic beyond the block's shared memory"}};
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		static struct text out;
		struct kit kit;
		out.text[0] = '\0';
		add(&out, "%s@%%p bra done;\n%s\ndone:\nret;\n}\n", head, wrong[k].code);
		kit_open(&kit, out.text);
		kit_buffer(&kit, 64);
		simt_run(&kit.launch, 0, &kit.run);
		assert_non_null(kit.run.fault.what);
		assert_string_equal(kit.run.fault.what, wrong[k].what);
		kit_close(&kit);
	}
}

enum { WORD = 8, THREADS = 3 }; /* the barrier's address; the arrivals for which it waits */

/* A block that has begun a phase with this number of expected bytes, and has not arrived itself, seen from outside. */
static void begin_phase(struct kit *kit, struct simt_block *block, uint32_t bytes)
{
	static struct text out;
	struct simt_step step;
	out.text[0] = '\0';
	add(&out, "%smbarrier.init.shared.b64 [s+%d], %d;\n", head, WORD, THREADS);
	if (bytes)
		add(&out, "mbarrier.expect_tx.relaxed.cta.shared.b64 [s+%d], %u;\n", WORD, bytes);
	add(&out, "ret;\n}\n");
	kit_open(kit, out.text);
	kit->launch.block.x = 1;
	kit_buffer(kit, 64);
	memset(block, 0, sizeof *block);
	simt_block_start(block, &kit->launch, 0, 0);
	while (!block->warp[0].done) {
		simt_step(&block->warp[0], &step);
		assert_null(step.fault.what);
	}
}

/* The phase ends with the last arrival and the last byte, in any order, and reports its end once. The next phase waits
 * for the same number again. */
static void completions_from_outside(void **state)
{
	(void)state;
	uint64_t random = 7;
	for (unsigned n = 0; n < 200; n++) {
		struct kit kit;
		struct simt_block block;
		struct model m = {THREADS, THREADS, 0, (int)(kit_random(&random) % 5) * 16};
		begin_phase(&kit, &block, (uint32_t)m.bytes);
		for (unsigned step = 0; step < 20; step++) {
			unsigned phase = m.phase, arrivals = (unsigned)(kit_random(&random) % (m.pending + 1));
			unsigned bytes = m.bytes > 0 ? 16 * (unsigned)(kit_random(&random) % (m.bytes / 16 + 1)) : 0;
			m.pending -= arrivals;
			m.bytes -= (int)bytes;
			end_phase(&m);
			assert_int_equal(simt_mbarrier_complete(&block, WORD, arrivals, bytes), m.phase != phase);
			assert_int_equal(block.shared[WORD + 7] >> 7, m.phase % 2);
			assert_int_equal(block.shared[WORD], m.pending);
		}
		simt_block_free(&block);
		kit_close(&kit);
	}
}

/* Bytes that arrive before they are expected do not end a phase. Superfluous arrivals do not begin the next one. */
static void early_and_superfluous(void **state)
{
	(void)state;
	struct kit kit;
	struct simt_block block;
	begin_phase(&kit, &block, 0);
	assert_false(simt_mbarrier_complete(&block, WORD, 0, 64));
	assert_false(simt_mbarrier_complete(&block, WORD, THREADS, 0)); /* 64 bytes too many have arrived */
	assert_true(simt_mbarrier_complete(&block, WORD, 0, (uint64_t)-64));
	assert_true(simt_mbarrier_complete(&block, WORD, THREADS + 2, 0));
	assert_int_equal(block.shared[WORD], THREADS);
	simt_block_free(&block);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_sequences), cmocka_unit_test(warps_meet),
	                                   cmocka_unit_test(completions_from_outside),
	                                   cmocka_unit_test(early_and_superfluous), cmocka_unit_test(mistakes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
