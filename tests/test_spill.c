/* Spilling: a kernel in fewer registers has fewer registers, the loads and stores that can be counted by hand, and the same
 * results. */
#include "simt_kit.h"

#include "sluice.h"

#define HEAD ".version 3.2\n.target sm_20\n.address_size 64\n"
#define REGS                                                                                                           \
	".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<9>;\n"              \
	".reg .f64 %fd<9>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p)\n{\n" REGS body "\n}\n"

/* A kernel of a text of its own, rewritten for a limit. */
struct subject {
	struct ptx_module *module;
	struct ptx_function *kernel;
	struct flow_spills spills;
	bool fits;
};

static struct ptx_module *parse(const char *text)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("test.ptx", text, strlen(text), &diag);
	if (!module)
		fail_msg("%s\n%s", diag.text, text);
	diag_free(&diag);
	return module;
}

static struct subject spill(const char *text, uint32_t limit)
{
	struct subject subject = {.module = parse(text)};
	subject.kernel = ptx_find_function(subject.module, "k");
	subject.fits = flow_spill(subject.module, subject.kernel, limit, &subject.spills);
	return subject;
}

static char *print(const struct ptx_module *module)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	ptx_print(module, file);
	fclose(file);
	return text;
}

/* The 32-bit registers live at the time that most are, as liveness says it block by block: what no allocation can be
 * below. */
static uint32_t most_live(const struct ptx_function *function)
{
	struct arena arena = {0};
	const struct flow_cfg *cfg = flow_cfg_build(&arena, function);
	const struct flow_liveness *live = flow_liveness(&arena, cfg);
	bool *is_live = arena_array(&arena, function->reg_count, sizeof *is_live);
	uint32_t ids[PTX_MAX_IDS], most = 0;
	for (uint32_t b = 0; b < cfg->blocks; b++) {
		for (uint32_t r = 0; r < function->reg_count; r++)
			is_live[r] = live->out[(size_t)b * live->words + r / 64] >> r % 64 & 1;
		for (uint32_t i = cfg->block[b].first + cfg->block[b].count; i-- > cfg->block[b].first;) {
			const struct ptx_inst *inst = &function->body[i];
			uint32_t now = 0;
			for (uint32_t k = inst->guard == PTX_NO_REG ? ptx_inst_writes(inst, ids) : 0; k-- > 0;)
				is_live[ids[k]] = false;
			for (uint32_t k = ptx_inst_reads(inst, ids); k-- > 0;)
				is_live[ids[k]] = true;
			for (uint32_t r = 0; r < function->reg_count; r++)
				if (is_live[r] && function->regs[r].type != PTX_PRED)
					now += flow_register_width(function->regs[r].type);
			most = now > most ? now : most;
		}
	}
	arena_free(&arena);
	return most;
}

/* What a kernel k(p) leaves in a buffer of `bytes`, which holds a fixed stream of numbers at first. */
static void run(const char *text, uint32_t threads, void *buffer, uint32_t bytes)
{
	struct kit kit;
	uint64_t seed = 1;
	kit_open(&kit, text);
	kit.launch.block = (struct dim3){threads, 1, 1};
	uint8_t *memory = kit_buffer(&kit, bytes);
	for (uint32_t i = 0; i < bytes; i += 8) {
		uint64_t number = kit_random(&seed);
		memcpy(memory + i, &number, sizeof number);
	}
	kit_run(&kit);
	memcpy(buffer, memory, bytes);
	kit_close(&kit);
}

enum { BUFFER = 1 << 16 };

/* The kernel in fewer registers computes what it computes in as many as it wants, and so does what is printed of it. */
static void same_results(const char *text, struct subject *subject, uint32_t threads)
{
	uint8_t *before = malloc(BUFFER), *after = malloc(BUFFER);
	char *printed = print(subject->module);
	run(text, threads, before, BUFFER);
	run(printed, threads, after, BUFFER);
	if (memcmp(before, after, BUFFER) != 0)
		fail_msg("other results:\n%s\n--- spilled:\n%s", text, printed);
	struct ptx_module *again = parse(printed);
	char *reprinted = print(again);
	assert_string_equal(printed, reprinted);
	assert_int_equal(flow_kernel_registers(ptx_find_function(again, "k")), flow_kernel_registers(subject->kernel));
	ptx_free(again);
	free(reprinted);
	free(printed);
	free(before);
	free(after);
}

static void expect(const char *text, uint32_t limit, uint32_t bytes, uint32_t loads, uint32_t stores)
{
	struct subject subject = spill(text, limit);
	assert_true(subject.fits);
	assert_true(flow_kernel_registers(subject.kernel) <= limit);
	assert_true(most_live(subject.kernel) <= limit);
	assert_int_equal(subject.spills.bytes, bytes);
	assert_int_equal(subject.spills.loads, loads);
	assert_int_equal(subject.spills.stores, stores);
	same_results(text, &subject, 64);
	ptx_free(subject.module);
}

/* `values` values of 32 bits are read, then written in the same order: all live at once, beside their address. */
static char *many_values(uint32_t values)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fputs(HEAD ".visible .entry k(.param .u64 p)\n{\n" REGS "ld.param.u64 %rd1, [p];\n", file);
	for (uint32_t i = 0; i < values; i++)
		fprintf(file, "ld.global.u32 %%r%u, [%%rd1+%u];\n", i, 4 * i);
	for (uint32_t i = 0; i < values; i++)
		fprintf(file, "st.global.u32 [%%rd1+%u], %%r%u;\n", 1024 + 4 * i, i);
	fputs("ret;\n}\n", file);
	fclose(file);
	return text;
}

/* Of K values of 32 bits and an address of 64, K + 2 - R must go, each with one store and one load; the address, which is
 * used all the time, stays. */
static void each_value_too_many_goes_once(void **state)
{
	(void)state;
	static const uint32_t values[] = {8, 20, 60}, limits[] = {6, 8, 12, 40};
	for (size_t v = 0; v < 3; v++)
		for (size_t l = 0; l < 4; l++) {
			char *text = many_values(values[v]);
			uint32_t too_many = values[v] + 2 > limits[l] ? values[v] + 2 - limits[l] : 0;
			expect(text, limits[l], 4 * too_many, too_many, too_many);
			free(text);
		}
}

/* A kernel at random: straight code of all widths, guards, branches whose lanes part, loops and calls, over variables that
 * all live to the end. */
enum { INTS = 12, WIDES = 6, FLOATS = 6, DOUBLES = 4, SHORTS = 4, PREDICATES = 4, DEEPEST = 3 };

struct generator {
	FILE *file;
	uint64_t seed;
	uint32_t labels;
};

static uint32_t any(struct generator *g, uint32_t count)
{
	return (uint32_t)(kit_random(&g->seed) % count);
}

static const char *one_of(struct generator *g, const char *const *words, uint32_t count)
{
	return words[any(g, count)];
}

static void int_operation(struct generator *g)
{
	static const char *const words[] = {"add.s32", "sub.s32", "mul.lo.s32", "xor.b32",
	                                    "min.u32", "max.s32", "and.b32"};
	fprintf(g->file, "%s %%r%u, %%r%u, %%r%u;\n", one_of(g, words, 7), any(g, INTS), any(g, INTS), any(g, INTS));
}

static void wide_operation(struct generator *g)
{
	static const char *const words[] = {"add.s64", "xor.b64", "mul.lo.s64", "or.b64"};
	uint32_t to = any(g, WIDES), from = any(g, WIDES);
	switch (any(g, 4)) {
	case 0:
		fprintf(g->file, "mad.wide.u32 %%rd%u, %%r%u, %%r%u, %%rd%u;\n", to, any(g, INTS), any(g, INTS), from);
		return;
	case 1:
		fprintf(g->file, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", any(g, INTS / 2), INTS / 2 + any(g, INTS / 2),
		        from);
		return;
	case 2:
		fprintf(g->file, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", to, any(g, INTS), any(g, INTS));
		return;
	default:
		fprintf(g->file, "%s %%rd%u, %%rd%u, %%rd%u;\n", one_of(g, words, 4), to, from, any(g, WIDES));
	}
}

static void real_operation(struct generator *g)
{
	if (any(g, 2))
		fprintf(g->file, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", any(g, FLOATS), any(g, FLOATS),
		        any(g, FLOATS), any(g, FLOATS));
	else
		fprintf(g->file, "fma.rn.f64 %%fd%u, %%fd%u, %%fd%u, %%fd%u;\n", any(g, DOUBLES), any(g, DOUBLES),
		        any(g, DOUBLES), any(g, DOUBLES));
}

static void conversion(struct generator *g)
{
	switch (any(g, 4)) {
	case 0:
		fprintf(g->file, "cvt.u16.u32 %%rs%u, %%r%u;\n", any(g, SHORTS), any(g, INTS));
		return;
	case 1:
		fprintf(g->file, "cvt.s32.s16 %%r%u, %%rs%u;\n", any(g, INTS), any(g, SHORTS));
		return;
	case 2:
		fprintf(g->file, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", any(g, FLOATS), any(g, INTS));
		return;
	default:
		fprintf(g->file, "cvt.rn.f64.s64 %%fd%u, %%rd%u;\n", any(g, DOUBLES), any(g, WIDES));
	}
}

/* In the thread's own part of the buffer. */
static void memory_access(struct generator *g)
{
	uint32_t offset = 16 * any(g, 60), reg = 4 * any(g, INTS / 4);
	switch (any(g, 4)) {
	case 0:
		fprintf(g->file, "ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%base+%u];\n", reg, reg + 1, reg + 2,
		        reg + 3, offset);
		return;
	case 1:
		fprintf(g->file, "st.global.v2.u64 [%%base+%u], {%%rd%u, %%rd%u};\n", offset, any(g, WIDES),
		        any(g, WIDES));
		return;
	case 2:
		fprintf(g->file, "ld.global.u16 %%rs%u, [%%base+%u];\n", any(g, SHORTS), offset);
		return;
	default:
		fprintf(g->file, "st.global.u32 [%%base+%u], %%r%u;\n", offset, any(g, INTS));
	}
}

static void simple(struct generator *g)
{
	static void (*const kinds[])(struct generator *) = {int_operation,  int_operation, wide_operation,
	                                                    real_operation, conversion,    memory_access};
	kinds[any(g, 6)](g);
}

/* The guard may be the very predicate that is written. */
static void guarded(struct generator *g)
{
	uint32_t guard = any(g, PREDICATES);
	fprintf(g->file, "@%s%%p%u ", any(g, 2) ? "!" : "", guard);
	if (any(g, 4) == 0)
		fprintf(g->file, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", guard, any(g, INTS), any(g, INTS));
	else
		simple(g);
}

static void call(struct generator *g)
{
	uint32_t n = g->labels++;
	fprintf(g->file,
	        "{ .param .b32 a%u; .param .b64 b%u; .param .b32 c%u;\nst.param.b32 [a%u], %%r%u;\nst.param.b64 [b%u], "
	        "%%rd%u;\ncall (c%u), f, (a%u, b%u);\nld.param.b32 %%r%u, [c%u]; }\n",
	        n, n, n, n, any(g, INTS), n, any(g, WIDES), n, n, n, any(g, INTS), n);
}

static void statements(struct generator *g, uint32_t count, uint32_t depth);

static void branch(struct generator *g, uint32_t depth)
{
	uint32_t n = g->labels++;
	fprintf(g->file, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n@%%p%u bra E%u;\n", n % PREDICATES, any(g, INTS),
	        any(g, INTS), n % PREDICATES, n);
	statements(g, 4, depth + 1);
	fprintf(g->file, "bra J%u;\nE%u:\n", n, n);
	statements(g, 4, depth + 1);
	fprintf(g->file, "J%u:\n", n);
}

/* Some lanes go round more often than others. */
static void loop(struct generator *g, uint32_t depth)
{
	uint32_t n = g->labels++;
	fprintf(g->file, "and.b32 %%c%u, %%r%u, 3;\nL%u:\n", depth, any(g, INTS), n);
	statements(g, 5, depth + 1);
	fprintf(g->file, "sub.s32 %%c%u, %%c%u, 1;\nsetp.gt.s32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\n", depth, depth,
	        depth, depth, depth, n);
}

static void statements(struct generator *g, uint32_t count, uint32_t depth)
{
	while (count--)
		switch (any(g, depth < DEEPEST ? 10 : 8)) {
		case 8:
			branch(g, depth);
			break;
		case 9:
			loop(g, depth);
			break;
		case 7:
			call(g);
			break;
		case 6:
			fprintf(g->file, "setp.ge.s32 %%p%u, %%r%u, %%r%u;\n", any(g, PREDICATES), any(g, INTS),
			        any(g, INTS));
			break;
		case 5:
		case 4:
			guarded(g);
			break;
		default:
			simple(g);
		}
}

/* Each variable from the thread's own part of the buffer, or back to it. */
static void each_variable(struct generator *g, bool is_load)
{
	static const struct {
		const char *type, *name;
		uint32_t count;
	} variables[] = {{"u32", "r", INTS},
	                 {"u64", "rd", WIDES},
	                 {"f32", "f", FLOATS},
	                 {"f64", "fd", DOUBLES},
	                 {"u16", "rs", SHORTS}};
	for (uint32_t v = 0, offset = 0; v < 5; v++)
		for (uint32_t i = 0; i < variables[v].count; i++, offset += 8)
			if (is_load)
				fprintf(g->file, "ld.global.%s %%%s%u, [%%base+%u];\n", variables[v].type,
				        variables[v].name, i, offset);
			else
				fprintf(g->file, "st.global.%s [%%base+%u], %%%s%u;\n", variables[v].type, offset,
				        variables[v].name, i);
}

/* A function that holds values of its own. */
static const char function_text[] =
	".func (.param .b32 c) f(.param .b32 a, .param .b64 b)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
	"ld.param.u32 %r1, [a];\nld.param.u64 %rd1, [b];\nmul.wide.u32 %rd2, %r1, %r1;\nadd.s64 %rd3, %rd1, %rd2;\n"
	"mul.lo.s64 %rd4, %rd3, %rd1;\nxor.b64 %rd5, %rd4, %rd2;\nadd.s64 %rd6, %rd5, %rd3;\nadd.s64 %rd6, %rd6, "
        "%rd4;\n"
	"cvt.u32.u64 %r2, %rd6;\nadd.s32 %r2, %r2, %r1;\nst.param.b32 [c], %r2;\nret;\n}\n";

static char *random_kernel(uint64_t seed)
{
	char *text = NULL;
	size_t length;
	struct generator g = {.file = open_memstream(&text, &length), .seed = seed};
	fputs(HEAD, g.file);
	fputs(function_text, g.file);
	fputs(".visible .entry k(.param .u64 p)\n{\n" REGS
	      ".reg .b64 %base, %own;\n.reg .b32 %c<9>, %t;\n.reg .pred %q<9>;\n"
	      "ld.param.u64 %base, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %own, %t, 1024;\nadd.s64 %base, %base, "
	      "%own;\n",
	      g.file);
	each_variable(&g, true);
	for (uint32_t i = 0; i < PREDICATES; i++)
		fprintf(g.file, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", i, i, i + 1);
	statements(&g, 25, 0);
	each_variable(&g, false);
	fputs("ret;\n}\n", g.file);
	fclose(g.file);
	return text;
}

static void random_kernels_compute_the_same_in_few_registers(void **state)
{
	(void)state;
	static const uint32_t limits[] = {12, 14, 17, 20, 24, 32, 40};
	for (uint64_t seed = 1; seed <= 60; seed++) {
		char *text = random_kernel(seed);
		struct subject subject = spill(text, limits[seed % 7]);
		if (!subject.fits)
			fail_msg("kernel %u needs %u registers, not %u\n%s", (unsigned)seed,
			         flow_kernel_registers(subject.kernel), limits[seed % 7], text);
		assert_true(flow_kernel_registers(subject.kernel) <= limits[seed % 7]);
		assert_true(most_live(subject.kernel) <= limits[seed % 7]);
		assert_true(subject.spills.loads > 0);
		same_results(text, &subject, 64);
		ptx_free(subject.module);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_value_too_many_goes_once),
		cmocka_unit_test(random_kernels_compute_the_same_in_few_registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
