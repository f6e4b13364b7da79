/* Protects functional runs: random programs do the same in simt_run() as step by step, to the instruction, wherever the
 * run is interrupted. A trial run counts the same instructions and can be undone. Protects also the reported relation
 * between the addresses of a load's lanes. */
#include "simt_kit.h"

#include "simt/trial.h"

enum { THREADS = 80, WORDS = 64, PROGRAMS = 150, CUTS = 12, TEXT = 1 << 16, TURN = 64 };

/* --- random programs --- */

struct writer {
	char text[TEXT];
	size_t length;
	uint64_t random;
	unsigned labels;
};

static unsigned draw(struct writer *writer, unsigned count)
{
	return (unsigned)(kit_random(&writer->random) % count);
}

__attribute__((format(printf, 2, 3))) static void add(struct writer *writer, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(writer->text + writer->length, TEXT - writer->length, format, arguments);
	va_end(arguments);
	writer->length += (size_t)length;
	assert_true(writer->length < TEXT);
}

/* Addresses of one word, of consecutive words, and of any words. */
static void add_address(struct writer *writer)
{
	static const char *const index[] = {"mov.u32 %i, 12;\n", "and.b32 %i, %t, 31;\n", "and.b32 %i, %r1, 63;\n"};
	add(writer, "%smul.wide.u32 %%a, %%i, 4;\nadd.u64 %%a, %%in, %%a;\n", index[draw(writer, 3)]);
}

static void add_simple(struct writer *writer)
{
	unsigned to = draw(writer, 6), a = draw(writer, 6), b = draw(writer, 6), predicate = draw(writer, 3);
	bool is_guarded = draw(writer, 3) == 0;
	if (is_guarded)
		add(writer, "@%s%%p%u ", draw(writer, 2) ? "!" : "", predicate);
	switch (draw(writer, 6)) {
	case 0:
		add(writer, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", draw(writer, 3), a, b);
		break;
	case 1:
		add(writer, "mov.u32 %%r%u, %%clock;\n", to);
		break;
	case 2:
		add(writer, "xor.b32 %%r%u, %%r%u, %u;\n", to, a, draw(writer, 1000));
		break;
	case 3:
		add(writer, "mad.lo.u32 %%r%u, %%r%u, 5, %%r%u;\n", to, a, b);
		break;
	case 4:
		add(writer, "add.u32 %%r%u, %%r%u, %%r%u;\n", to, a, b);
		break;
	default:
		add(writer, "activemask.b32 %%r%u;\n", to);
		break;
	}
}

static void add_access(struct writer *writer)
{
	unsigned value = draw(writer, 6);
	add_address(writer);
	if (draw(writer, 3))
		add(writer, "ld.global.u32 %%r%u, [%%a];\n", value);
	else
		add(writer, "st.global.u32 [%%a], %%r%u;\n", value);
}

static void add_statements(struct writer *writer, unsigned depth);

static void add_choice(struct writer *writer, unsigned depth)
{
	unsigned label = writer->labels++;
	add(writer, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", draw(writer, 3), draw(writer, 6), draw(writer, 6));
	add(writer, "@%%p%u bra ELSE%u;\n", draw(writer, 3), label);
	add_statements(writer, depth);
	add(writer, "bra.uni END%u;\nELSE%u:\n", label, label);
	if (draw(writer, 2))
		add_statements(writer, depth);
	add(writer, "END%u:\n", label);
}

/* Threads execute it one to four times. */
static void add_loop(struct writer *writer, unsigned depth)
{
	unsigned label = writer->labels++;
	add(writer, "and.b32 %%n%u, %%t, %u;\nLOOP%u:\n", depth, draw(writer, 4), label);
	add_statements(writer, depth);
	add(writer, "add.s32 %%n%u, %%n%u, -1;\nsetp.ge.s32 %%q, %%n%u, 0;\n@%%q bra LOOP%u;\n", depth, depth, depth,
	    label);
}

static void add_statements(struct writer *writer, unsigned depth)
{
	for (unsigned left = 1 + draw(writer, 6); left; left--) {
		unsigned kind = draw(writer, 10);
		if (kind == 0 && depth)
			add_choice(writer, depth - 1);
		else if (kind == 1 && depth)
			add_loop(writer, depth - 1);
		else if (kind < 5)
			add_access(writer);
		else
			add_simple(writer);
	}
}

static void write_program(struct writer *writer, uint64_t seed)
{
	writer->length = writer->labels = 0;
	writer->random = seed;
	add(writer,
	    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
	    ".reg .b32 %%t, %%i, %%r<6>, %%n<4>;\n.reg .b64 %%o, %%in, %%a;\n.reg .pred %%p<3>, %%q;\n"
	    "ld.param.u64 %%o, [out];\nld.param.u64 %%in, [in];\nmov.u32 %%t, %%tid.x;\nmov.u32 %%r1, %%t;\n");
	for (unsigned part = 0; part < 3; part++) {
		add_statements(writer, 3);
		add(writer, draw(writer, 2) ? "bar.sync 0;\n" : "");
	}
	add(writer, "mul.wide.u32 %%a, %%t, 24;\nadd.u64 %%o, %%o, %%a;\n");
	for (unsigned k = 0; k < 6; k++)
		add(writer, "st.global.u32 [%%o+%u], %%r%u;\n", 4 * k, k);
	add(writer, "ret;\n}\n");
}

/* --- both ways --- */

/* Runs one block with simt_step(), one turn per warp. Counts instructions by pc unless `by_pc` is NULL. */
static void run_by_steps(const struct simt_launch *launch, uint64_t limit, struct simt_run *run, uint64_t *by_pc)
{
	struct simt_block block = {.clock = &run->warp_instructions};
	struct simt_step step;
	simt_block_start(&block, launch, 0, 0);
	while (block.live && !run->stopped)
		for (uint32_t w = 0; w < block.warps && !run->stopped; w++) {
			struct simt_warp *warp = &block.warp[w];
			for (unsigned k = 0; k < TURN && !warp->done && !(block.waiting >> w & 1); k++) {
				run->stopped = run->thread_instructions >= limit;
				if (run->stopped)
					break;
				if (by_pc)
					by_pc[warp->pc]++;
				simt_step(warp, &step);
				assert_null(step.fault.what);
				run->warp_instructions++;
				run->thread_instructions += (uint64_t)__builtin_popcount(step.lanes);
				simt_commit(warp, &step);
				if (step.inst->kind == SIMT_BARRIER || step.exited)
					simt_barrier(warp, &step);
			}
		}
	simt_block_free(&block);
}

/* Restores the memory. */
static void renew(uint32_t *out, uint32_t *in)
{
	memset(out, 0, THREADS * 24);
	for (uint32_t i = 0; i < WORDS; i++)
		in[i] = i * 2654435761u;
}

/* Runs it both ways up to `limit` thread instructions. Returns the number of executed instructions. */
static uint64_t compare(struct kit *kit, uint32_t *out, uint32_t *in, uint64_t limit)
{
	uint32_t expected_out[THREADS * 6], expected_in[WORDS];
	struct simt_run expected = {0};
	renew(out, in);
	run_by_steps(&kit->launch, limit, &expected, NULL);
	memcpy(expected_out, out, sizeof expected_out);
	memcpy(expected_in, in, sizeof expected_in);
	renew(out, in);
	simt_run(&kit->launch, limit, &kit->run);
	assert_null(kit->run.fault.what);
	assert_int_equal(kit->run.warp_instructions, expected.warp_instructions);
	assert_int_equal(kit->run.thread_instructions, expected.thread_instructions);
	assert_int_equal(kit->run.stopped, expected.stopped);
	assert_memory_equal(out, expected_out, sizeof expected_out);
	assert_memory_equal(in, expected_in, sizeof expected_in);
	return expected.thread_instructions;
}

static void as_by_steps(void **state)
{
	(void)state;
	struct writer *writer = calloc(1, sizeof *writer);
	assert_non_null(writer);
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct kit kit;
		write_program(writer, seed);
		kit_open(&kit, writer->text);
		uint32_t *out = kit_buffer(&kit, THREADS * 24), *in = kit_buffer(&kit, WORDS * 4);
		kit.launch.block.x = THREADS;
		uint64_t all = compare(&kit, out, in, UINT64_MAX);
		for (unsigned cut = 0; cut < CUTS; cut++)
			compare(&kit, out, in, 1 + kit_random(&writer->random) % all);
		kit_close(&kit);
	}
	free(writer);
}

/* A trial does and counts the same. When it is undone, memory is as before. */
static void compare_trial(struct kit *kit, uint32_t *out, uint32_t *in, uint64_t limit)
{
	uint32_t expected_out[THREADS * 6], expected_in[WORDS];
	struct simt_run expected = {0};
	struct simt_trial trial;
	uint64_t *by_pc = calloc(2 * kit->program->count, sizeof *by_pc), *tried = by_pc + kit->program->count;
	assert_non_null(by_pc);
	renew(out, in);
	run_by_steps(&kit->launch, limit, &expected, by_pc);
	memcpy(expected_out, out, sizeof expected_out);
	memcpy(expected_in, in, sizeof expected_in);
	renew(out, in);
	simt_trial_open(&trial, kit->program, kit->memory);
	kit->launch.trial = &trial;
	simt_run(&kit->launch, limit, &kit->run);
	kit->launch.trial = NULL;
	simt_trial_counts(&trial, tried);
	assert_memory_equal(tried, by_pc, kit->program->count * sizeof *by_pc);
	assert_memory_equal(out, expected_out, sizeof expected_out);
	assert_memory_equal(in, expected_in, sizeof expected_in);
	simt_trial_undo(&trial);
	renew(expected_out, expected_in);
	assert_memory_equal(out, expected_out, sizeof expected_out);
	assert_memory_equal(in, expected_in, sizeof expected_in);
	simt_trial_close(&trial);
	free(by_pc);
}

static void trials(void **state)
{
	(void)state;
	struct writer *writer = calloc(1, sizeof *writer);
	assert_non_null(writer);
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct kit kit;
		write_program(writer, seed);
		kit_open(&kit, writer->text);
		uint32_t *out = kit_buffer(&kit, THREADS * 24), *in = kit_buffer(&kit, WORDS * 4);
		kit.launch.block.x = THREADS;
		assert_true(simt_can_be_tried(kit.program));
		compare_trial(&kit, out, in, UINT64_MAX);
		compare_trial(&kit, out, in, 1 + kit_random(&writer->random) % 5000);
		kit_close(&kit);
	}
	free(writer);
}

/* Atomics on more pages than a small table holds, several times each, and the host's own memory. */
static void trial_of_many_pages(void **state)
{
	(void)state;
	enum { WARPS = 64, STRIDE = 4096, BYTES = WARPS * 32 * STRIDE };
	struct kit kit;
	kit_open(&kit, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 "
	               "host)\n{\n"
	               ".reg .b32 %r<9>;\n.reg .b64 %a<9>;\nld.param.u64 %a1, [out];\nld.param.u64 %a5, [host];\n"
	               "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 32, %r1;\nmul.wide.u32 %a2, "
	               "%r3, 4096;\n"
	               "add.u64 %a1, %a1, %a2;\nred.global.add.u32 [%a1], 5;\nred.global.add.u32 [%a1], "
	               "6;\nst.global.u8 [%a1+4095], %r1;\n"
	               "mul.wide.u32 %a3, %r3, 4;\nadd.u64 %a5, %a5, %a3;\nst.global.u32 [%a5], "
	               "%r3;\nred.global.add.u32 [%a5], 1;\nret;\n}\n");
	uint8_t *out = kit_buffer(&kit, BYTES), *before = malloc(BYTES);
	uint32_t host[WARPS * 32];
	assert_non_null(before);
	for (uint32_t i = 0; i < BYTES; i++)
		out[i] = (uint8_t)(i * 7 + i / STRIDE);
	memset(host, 0x5a, sizeof host);
	memcpy(before, out, BYTES);
	uint64_t shared = simt_map_host(kit.memory, host, sizeof host);
	assert_true(shared != 0);
	kit_param(&kit, &shared, sizeof shared);
	kit.launch.grid.x = WARPS;
	struct simt_trial trial;
	simt_trial_open(&trial, kit.program, kit.memory);
	kit.launch.trial = &trial;
	kit_run(&kit);
	assert_int_equal(host[77], 78);
	assert_int_equal(out[STRIDE * 3 + 4095], 3);
	simt_trial_undo(&trial);
	assert_memory_equal(out, before, BYTES);
	for (uint32_t i = 0; i < WARPS * 32; i++)
		assert_int_equal(host[i], 0x5a5a5a5a);
	kit_run(&kit); /* again, in the trial that was undone */
	simt_trial_undo(&trial);
	assert_memory_equal(out, before, BYTES);
	assert_int_equal(host[0], 0x5a5a5a5a);
	simt_trial_close(&trial);
	free(before);
	kit_close(&kit);
}

/* The run continues after the blocks that have already run. */
static void from_a_block_on(void **state)
{
	(void)state;
	enum { BLOCKS = 50, FIRST = 13 };
	struct kit kit;
	kit_open(&kit, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg "
	               ".b32 %r<4>;\n"
	               ".reg .b64 %a<3>;\nld.param.u64 %a1, [out];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %a2, %r1, 4;\n"
	               "add.u64 %a1, %a1, %a2;\nred.global.add.u32 [%a1], 1;\nret;\n}\n");
	uint32_t *out = kit_buffer(&kit, 4 * BLOCKS);
	kit.launch.grid.x = BLOCKS;
	kit.launch.first = FIRST;
	for (uint64_t resident = 0; resident < 2 * BLOCKS; resident += 20) {
		memset(out, 0, 4 * BLOCKS);
		kit.launch.resident = resident;
		kit_run(&kit);
		for (uint32_t i = 0; i < BLOCKS; i++)
			assert_int_equal(out[i], i >= FIRST ? 32 : 0);
		assert_int_equal(kit.run.warp_instructions, 6 * (BLOCKS - FIRST));
	}
	kit_close(&kit);
}

/* A fault within a sequence of instructions: the instructions up to and including it are counted. */
static void fault_in_a_row(void **state)
{
	(void)state;
	struct kit kit;
	kit_open(&kit, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg "
	               ".b64 %a;\n"
	               "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nmov.u64 %a, 16;\nld.global.u32 %r3, [%a];\n"
	               "add.u32 %r2, %r2, %r3;\nret;\n}\n");
	simt_run(&kit.launch, 0, &kit.run);
	assert_non_null(kit.run.fault.what);
	assert_int_equal(kit.run.fault.inst->pc, 3);
	assert_int_equal(kit.run.fault.address, 16);
	assert_int_equal(kit.run.warp_instructions, 4);
	assert_int_equal(kit.run.thread_instructions, 4 * 32);
	kit_close(&kit);
}

/* --- relations between the addresses of a load's lanes --- */

/* A load at `address`: instructions that leave the address in %a. */
static struct simt_step load_at(const char *address, uint32_t threads, uint32_t *last)
{
	char text[1024];
	struct kit kit;
	struct simt_block block = {0};
	struct simt_step step;
	snprintf(text, sizeof text,
	         ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n.local .align 4 "
	         ".b8 l[64];\n"
	         ".reg .b32 %%t, %%r<4>;\n.reg .b64 %%in, %%a;\n.reg .pred %%p;\nld.param.u64 %%in, [in];\n"
	         "mov.u32 %%t, %%tid.x;\n%sld.u32 %%r1, [%%a];\nret;\n}\n",
	         address);
	kit_open(&kit, text);
	uint32_t *in = kit_buffer(&kit, 4 * WORDS);
	for (uint32_t i = 0; i < WORDS; i++)
		in[i] = 100 + i;
	kit.launch.block.x = threads;
	simt_block_start(&block, &kit.launch, 0, 0);
	do
		simt_step(&block.warp[0], &step);
	while (step.inst->ptx->op != PTX_OP_LD || step.inst->ptx->space == PTX_PARAM);
	assert_null(step.fault.what);
	*last = ((uint32_t *)(block.warp[0].registers + step.inst->dst[0]))[threads - 1];
	simt_block_free(&block);
	kit_close(&kit);
	return step;
}

static void kinds_of_addresses(void **state)
{
	(void)state;
	static const struct {
		const char *address;
		uint32_t threads;
		bool same, unit_stride;
		uint32_t last;
	} row[] = {
		{"add.u64 %a, %in, 8;\n", 32, true, false, 102},
		{"add.u64 %a, %in, 8;\n", 31, false, false, 102},
		{"mul.wide.u32 %a, %t, 4;\nadd.u64 %a, %a, %in;\n", 32, false, true, 131},
		{"mul.wide.u32 %a, %t, 8;\nadd.u64 %a, %a, %in;\n", 32, false, false, 162},
		/* two lanes alike, then a different one; consecutive words with another word at the end */
		{"and.b32 %r2, %t, 16;\nmul.wide.u32 %a, %r2, 4;\nadd.u64 %a, %a, %in;\n", 32, false, false, 116},
		{"min.u32 %r2, %t, 30;\nmul.wide.u32 %a, %r2, 4;\nadd.u64 %a, %a, %in;\n", 32, false, false, 130},
		/* each lane has its own */
		{"mov.u64 %a, l;\ncvta.local.u64 %a, %a;\n", 32, false, false, 0},
	};
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		uint32_t last;
		struct simt_step step = load_at(row[k].address, row[k].threads, &last);
		assert_int_equal(step.same, row[k].same);
		assert_int_equal(step.unit_stride, row[k].unit_stride);
		assert_int_equal(last, row[k].last);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_steps),         cmocka_unit_test(trials),
		cmocka_unit_test(trial_of_many_pages), cmocka_unit_test(from_a_block_on),
		cmocka_unit_test(fault_in_a_row),      cmocka_unit_test(kinds_of_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
