/* Protects parser, printer, decoder and both modes, with random kernels from the table of opcodes. A valid kernel
 * survives the round trip through printer and parser, and is decoded and run. Its results are the same in the
 * functional and the timed mode and after passes, and on integers they equal C's. One error makes it refused.
 *
 *   test_ptx_random [ROUNDS [SEED]]
 *     by default a few seconds' worth */
#include "ptx_random.h" /* first: cmocka.h has a macro fail */

#include "flow/pipeline.h"
#include "gpu_kit.h"

enum { THREADS = 64, BLOCKS = 2, ALL = THREADS * BLOCKS };

static uint32_t rounds = 60;
static uint64_t seed = 1;

static struct ptx_module *parse(const char *text, struct diag *diag)
{
	return ptx_parse("random.ptx", text, strlen(text), diag);
}

static char *print_text(const struct ptx_module *module, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	ptx_print(module, file);
	fclose(file);
	return text;
}

/* Printed text parses, and prints the same. */
static void check_round_trip(const struct ptx_module *module)
{
	struct diag diag = {0};
	size_t first_length, second_length;
	char *first = print_text(module, &first_length);
	struct ptx_module *again = parse(first, &diag);
	if (!again)
		fail_msg("%s", diag.text);
	char *second = print_text(again, &second_length);
	assert_string_equal(first, second);
	free(first);
	free(second);
	ptx_free(again);
}

static const struct ptx_function *kernel_of(const struct ptx_module *module)
{
	return ptx_find_function(module, "kernel");
}

/* True if the instruction, which must be valid, can run. Otherwise the message says "not supported". One message
 * concerns parts of an instruction whose sources other parts would overwrite. */
static bool is_supported(const char *instruction)
{
	char text[8192];
	struct diag diag = {0};
	snprintf(text, sizeof text, "%s%s\nret;\n}\n", RANDOM_HEAD, instruction);
	struct ptx_module *module = parse(text, &diag);
	if (!module && !strstr(diag.text, "that its other elements read are not supported"))
		fail_msg("%s\n%s", instruction, diag.text);
	struct simt_program *program = module ? simt_decode(kernel_of(module), kit_reconverge, &diag) : NULL;
	if (!program && !strstr(diag.text, "not supported"))
		fail_msg("%s\n%s", instruction, diag.text);
	bool supported = program != NULL;
	simt_program_free(program);
	ptx_free(module);
	diag_free(&diag);
	return supported;
}

/* These forms read other lanes' registers, or need the other lanes to take part. PTX does not define the values of
 * lanes on another path. Dead-code removal can change these lanes' registers, since only such forms read them. */
static bool wants_all_lanes(const struct form *form)
{
	return form->op == PTX_OP_SHFL || form->op == PTX_OP_MOVMATRIX || random_has_mask(form);
}

static void add_instruction(struct random_text *out, uint32_t depth)
{
	size_t start = out->length;
	do {
		const struct form *form = random_form(out);
		while (depth && wants_all_lanes(form))
			form = random_form(out);
		out->length = start;
		random_instruction(out, form);
	} while (!is_supported(out->text + start));
	random_add(out, "\n");
}

static void add_block(struct random_text *out, uint32_t depth, uint32_t count);

/* A branch around a block, taken by any lanes. */
static void add_branch(struct random_text *out, uint32_t depth)
{
	uint32_t label = out->labels++;
	random_add(out, "@%s%%p%u bra L%u;\n", random_below(out, 2) ? "!" : "", random_below(out, 4), label);
	add_block(out, depth + 1, 3);
	random_add(out, "L%u:\n", label);
}

/* A loop of one to four iterations, the same for all lanes or not. */
static void add_loop(struct random_text *out, uint32_t depth)
{
	uint32_t label = out->labels++;
	if (random_below(out, 2))
		random_add(out, "mov.u32 %%c%u, %u;\n", depth, 1 + random_below(out, 4));
	else
		random_add(out, "and.b32 %%c%u, %%t, 3;\nadd.u32 %%c%u, %%c%u, 1;\n", depth, depth, depth);
	random_add(out, "L%u:\n", label);
	add_block(out, depth + 1, 3);
	random_add(out, "sub.u32 %%c%u, %%c%u, 1;\nsetp.ne.u32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\n", depth, depth,
	           depth, depth, depth, label);
}

static void add_call(struct random_text *out)
{
	uint32_t to = random_below(out, 4), from = random_below(out, 4);
	switch (random_below(out, 3)) {
	case 0:
		random_add(out, "call (%%r%u), mix, (%%r%u, %%d%u);\n", to, from, random_below(out, 4));
		break;
	case 1:
		random_add(out, "and.b32 %%c7, %%r%u, 15;\ncall (%%r%u), sum, (%%c7);\n", from, to);
		break;
	default: /* lanes call different functions */
		random_add(out,
		           "mov.u64 %%fp, mix;\n@%%p%u mov.u64 %%fp, low;\ncall (%%r%u), %%fp, (%%r%u, %%d%u), %s;\n",
		           random_below(out, 4), to, from, random_below(out, 4), random_below(out, 2) ? "same" : "two");
		break;
	}
}

/* One warp waits for the other, which continues. */
static void add_named_barrier(struct random_text *out)
{
	uint32_t label = out->labels++, number = 1 + random_below(out, 15);
	random_add(out,
	           "setp.%s.u32 %%q7, %%t, 32;\n@%%q7 bra A%u;\nbar.sync %u, %d;\nbra.uni L%u;\nA%u:\n"
	           "bar.arrive %u, %d;\nL%u:\nbar.sync 0;\n",
	           random_below(out, 2) ? "lt" : "ge", label, number, THREADS, label, label, number, THREADS, label);
}

/* Barriers are only where all threads arrive. */
static void add_barrier(struct random_text *out)
{
	uint32_t p = random_below(out, 4), r = random_below(out, 4);
	switch (random_below(out, 6)) {
	case 0:
		random_add(out, "bar.sync %u;\n", random_below(out, 16));
		break;
	case 1:
		random_add(out, "barrier.sync.aligned %u, %d;\n", random_below(out, 16), THREADS);
		break;
	case 2:
		random_add(out, "bar.red.popc.u32 %%r%u, 1, %%p%u;\n", r, p);
		break;
	case 3:
		add_named_barrier(out);
		break;
	case 4:
		random_add(out, "barrier.cluster.arrive%s;\nbarrier.cluster.wait;\n",
		           random_below(out, 2) ? ".release" : "");
		break;
	default:
		random_add(out, "bar.red.%s.pred %%p%u, 2, !%%p%u;\n", random_below(out, 2) ? "and" : "or", r, p);
		break;
	}
}

static void add_block(struct random_text *out, uint32_t depth, uint32_t count)
{
	for (; count; count--) {
		uint32_t kind = random_below(out, 32);
		if (kind == 0 && depth < 4)
			add_branch(out, depth);
		else if (kind == 1 && depth < 4)
			add_loop(out, depth);
		else if (kind == 2)
			add_call(out);
		else if (kind == 3 && depth == 0)
			add_barrier(out);
		else if (kind < 8)
			random_add(out, "@%%p%u ", random_below(out, 4)), add_instruction(out, depth);
		else
			add_instruction(out, depth);
	}
}

/* --- integers by C's rules --- */

/* clang-format off */
static uint32_t expected(uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
	int32_t sa = (int32_t)a, sb = (int32_t)b;
	switch (op) {
	case 0: return a + b;
	case 1: return a - b;
	case 2: return a * b;
	case 3: return (uint32_t)((uint64_t)a * b >> 32);
	case 4: return (uint32_t)((int64_t)sa * sb >> 32);
	case 5: return a * b + c;
	case 6: return a & b;
	case 7: return a | b;
	case 8: return a ^ b;
	case 9: return b > 31 ? 0 : a << b;
	case 10: return b > 31 ? 0 : a >> b;
	case 11: return (uint32_t)(sa >> (b > 31 ? 31 : b));
	case 12: return sa < sb ? a : b;
	case 13: return a > b ? a : b;
	case 14: return b ? a / b : UINT32_MAX;
	case 15: return b ? a % b : UINT32_MAX;
	case 16: return (a > b ? a - b : b - a) + c;
	case 17: { int64_t s = (int64_t)sa + sb; return (uint32_t)(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s); }
	case 18: return (uint32_t)(((uint64_t)b << 32 | a) >> (c & 31));
	default: return (a & b) ^ (~a & c);
	}
}
static const char *const oracle_ops[] = {
	"add.u32", "sub.s32", "mul.lo.u32", "mul.hi.u32", "mul.hi.s32", "mad.lo.s32", "and.b32", "or.b32", "xor.b32", "shl.b32",
	"shr.u32", "shr.s32", "min.s32", "max.u32", "div.u32", "rem.u32", "sad.u32", "add.sat.s32", "shf.r.wrap.b32", "lop3.b32",
};
/* clang-format on */

enum { ORACLE_OPS = sizeof oracle_ops / sizeof *oracle_ops, ORACLE_STEPS = 24, ORACLE_VALUES = 4 };

struct oracle_step {
	uint32_t op, to, from[3];
};

static bool has_third(uint32_t op)
{
	return op == 5 || op == 16 || op >= 18;
}

static void add_oracle(struct random_text *out, struct oracle_step steps[ORACLE_STEPS])
{
	for (int i = 0; i < ORACLE_STEPS; i++) {
		struct oracle_step *step = &steps[i];
		step->op = random_below(out, ORACLE_OPS);
		step->to = random_below(out, ORACLE_VALUES);
		for (int k = 0; k < 3; k++)
			step->from[k] = random_below(out, ORACLE_VALUES);
		random_add(out, "%s %%o%u, %%o%u, %%o%u", oracle_ops[step->op], step->to, step->from[0], step->from[1]);
		if (has_third(step->op))
			random_add(out, ", %%o%u", step->from[2]);
		random_add(out, "%s;\n", step->op == ORACLE_OPS - 1 ? ", 0xca" : "");
	}
}

static void check_oracle(const struct oracle_step steps[ORACLE_STEPS], const uint8_t *in, const uint8_t *out)
{
	for (uint32_t thread = 0; thread < ALL; thread++) {
		uint32_t o[ORACLE_VALUES];
		memcpy(o, in + thread * RANDOM_IN, sizeof o);
		for (int i = 0; i < ORACLE_STEPS; i++) {
			const uint32_t *from = steps[i].from;
			o[steps[i].to] = expected(steps[i].op, o[from[0]], o[from[1]], o[from[2]]);
		}
		assert_memory_equal(o, out + thread * RANDOM_OUT + RANDOM_ORACLE, sizeof o);
	}
}

/* --- whole kernels --- */

static void add_registers(struct random_text *out, bool load)
{
	static const struct {
		const char *name, *type;
		uint32_t count, bytes;
	} kinds[] = {
		{"h", "b16", 4, 2}, {"r", "b32", 4, 4}, {"d", "b64", 4, 8}, {"f", "f32", 4, 4}, {"e", "f64", 4, 8}};
	uint32_t at = load ? 16 : 0;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		at = (at + kinds[k].bytes - 1) / kinds[k].bytes * kinds[k].bytes;
		for (uint32_t i = 0; i < kinds[k].count; i++, at += kinds[k].bytes)
			if (load)
				random_add(out, "ld.global.%s %%%s%u, [%%in+%u];\n", kinds[k].type, kinds[k].name, i,
				           at);
			else
				random_add(out, "st.global.%s [%%out+%u], %%%s%u;\n", kinds[k].type, at, kinds[k].name,
				           i);
	}
	for (uint32_t i = 0; i < 4; i++)
		if (load)
			random_add(out, "ld.global.b32 %%o%u, [%%in+%u];\nsetp.lt.s32 %%p%u, %%r%u, 0;\n", i, 4 * i, i,
			           i);
		else
			random_add(out, "selp.b32 %%c0, 1, 0, %%p%u;\nst.global.b32 [%%out+%u], %%c0;\n", i,
			           at + 4 * i);
	at = (at + 4 * 4 + 15) / 16 * 16;
	for (uint32_t i = 0; i < 2; i++)
		if (load)
			random_add(out, "mov.b128 %%w%u, {%%d%u, %%d%u};\n", i, 2 * i, 2 * i + 1);
		else
			random_add(out, "st.global.b128 [%%out+%u], %%w%u;\n", at + 16 * i, i);
	for (uint32_t i = 0; i < ORACLE_VALUES && !load; i++)
		random_add(out, "st.global.b32 [%%gp+%u], %%o%u;\n", RANDOM_ORACLE + 4 * i, i);
}

struct buffers {
	uint64_t in, out;
	uint8_t *in_host, *out_host, result[ALL * RANDOM_OUT];
	uint8_t *w_host, w_result[ALL * RANDOM_W]; /* the module's variable */
	struct {
		uint8_t a[64];
		uint64_t in, out;
	} params;
};

static void open_buffers(struct gpu_kit *kit, struct buffers *buffers)
{
	struct simt_memory *memory = kit->gpu->memory;
	buffers->in = simt_alloc(memory, ALL * RANDOM_IN);
	buffers->out = simt_alloc(memory, ALL * RANDOM_OUT);
	buffers->in_host = simt_host(memory, buffers->in);
	buffers->out_host = simt_host(memory, buffers->out);
	memset(buffers->params.a, 0x5a, sizeof buffers->params.a);
	buffers->params.in = buffers->in;
	buffers->params.out = buffers->out;
}

static void clear_written(const struct buffers *buffers)
{
	memset(buffers->out_host, 0, ALL * RANDOM_OUT);
	memset(buffers->w_host, 0, ALL * RANDOM_W);
}

static void run_functional(struct gpu_kit *kit, const struct buffers *buffers)
{
	struct simt_run run;
	struct simt_launch launch = {.program = kit->program,
	                             .memory = kit->gpu->memory,
	                             .grid = {BLOCKS, 1, 1},
	                             .block = {THREADS, 1, 1},
	                             .params = (const uint8_t *)&buffers->params,
	                             .sm_count = kit->machine.sms};
	clear_written(buffers);
	simt_run(&launch, 0, &run);
	if (run.fault.what) {
		char text[1024];
		simt_fault_print(&launch, &run.fault, text, sizeof text);
		fail_msg("%s", text);
	}
}

static void run_timed(struct gpu_kit *kit, const struct buffers *buffers)
{
	char text[256];
	memset(&kit->run, 0, sizeof kit->run);
	kit->run.launch = (struct simt_launch){.program = kit->program,
	                                       .grid = {BLOCKS, 1, 1},
	                                       .block = {THREADS, 1, 1},
	                                       .params = (const uint8_t *)&buffers->params};
	kit->run.blocks_per_sm = 1;
	kit->run.occupancy = &kit->occupancy;
	clear_written(buffers);
	gpu_run(kit->gpu, &kit->run);
	if (kit->run.end != GPU_DONE)
		fail_msg("the kernel ended by %d: %s", kit->run.end, kit->run.message);
	if (!gpu_check_stats(kit->gpu, &kit->run, text, sizeof text))
		fail_msg("%s", text);
}

/* Fails if the results differ from the stored ones. Prints the kernel, which is too long for cmocka. */
static void check_same(const struct gpu_kit *kit, const struct buffers *buffers, const char *what)
{
	uint32_t at = 0, end = sizeof buffers->result, w = 0;
	while (at < end && buffers->result[at] == buffers->out_host[at])
		at++;
	while (w < sizeof buffers->w_result && buffers->w_result[w] == buffers->w_host[w])
		w++;
	if (at == end && w == sizeof buffers->w_result)
		return;
	ptx_print(kit->module, stderr);
	if (at < end)
		fail_msg("%s: thread %u, byte %u of its results", what, at / RANDOM_OUT, at % RANDOM_OUT);
	fail_msg("%s: thread %u, byte %u of its part of w", what, w / RANDOM_W, w % RANDOM_W);
}

/* After passes, the kernel prints, parses and computes the same. */
static void run_rewritten(struct gpu_kit *kit, const struct buffers *buffers, const char *text)
{
	struct pipeline pipeline = {0};
	if (!pipeline_add(&pipeline, "split-critical-edges,dead-code", &kit->diag) ||
	    !pipeline_run(&pipeline, kit->module, &kit->diag))
		fail_msg("%s\n%s", text, kit->diag.text);
	pipeline_close(&pipeline);
	check_round_trip(kit->module);
	simt_program_free(kit->program);
	kit->program = simt_decode(kernel_of(kit->module), kit_reconverge, &kit->diag);
	assert_non_null(kit->program);
	run_functional(kit, buffers);
	check_same(kit, buffers, "different results after passes");
}

static void run_both(struct gpu_kit *kit, struct buffers *buffers, const struct oracle_step *steps, const char *text)
{
	kit->module = parse(text, &kit->diag);
	if (!kit->module)
		fail_msg("%s\n%s", text, kit->diag.text);
	check_round_trip(kit->module);
	for (struct ptx_variable *v = kit->module->variables; v; v = v->next) {
		v->address = simt_alloc_static(kit->gpu->memory, v->size, v->align);
		if (strcmp(v->name, "w") == 0)
			buffers->w_host = simt_host(kit->gpu->memory, v->address);
		else if (v->initial)
			memcpy(simt_host(kit->gpu->memory, v->address), v->initial, v->size);
	}
	kit->program = simt_decode(kernel_of(kit->module), kit_reconverge, &kit->diag);
	if (!kit->program)
		fail_msg("%s\n%s", text, kit->diag.text);
	run_functional(kit, buffers);
	memcpy(buffers->result, buffers->out_host, sizeof buffers->result);
	memcpy(buffers->w_result, buffers->w_host, sizeof buffers->w_result);
	check_oracle(steps, buffers->in_host, buffers->result);
	run_timed(kit, buffers);
	check_same(kit, buffers, "the two modes differ");
	run_rewritten(kit, buffers, text);
	kit_unload(kit);
}

static void valid_kernels(void **state)
{
	(void)state;
	struct gpu_kit kit;
	struct random_text *out = malloc(sizeof *out);
	struct buffers *buffers = malloc(sizeof *buffers);
	assert_true(out && buffers);
	uint64_t stream = seed;
	KIT_OPEN(&kit, "sm.count=2");
	open_buffers(&kit, buffers);
	for (uint32_t round = 0; round < rounds; round++) {
		struct oracle_step steps[ORACLE_STEPS];
		for (uint32_t i = 0; i < ALL * RANDOM_IN; i += 8) {
			uint64_t value = random_number(&stream);
			memcpy(buffers->in_host + i, &value, sizeof value);
		}
		out->state = &stream;
		out->length = out->labels = 0;
		random_add(out, "%s", RANDOM_HEAD);
		add_registers(out, true);
		add_oracle(out, steps);
		add_block(out, 0, 30);
		add_registers(out, false);
		random_add(out, "ret;\n}\n");
		run_both(&kit, buffers, steps, out->text);
	}
	free(out);
	free(buffers);
	kit_close(&kit);
}

/* --- one error --- */

/* Puts one error into an instruction. Returns false if the instruction has no such part. */
static bool spoil(struct random_text *out, char *instruction, size_t size)
{
	char copy[512], *dot = strchr(instruction, '.'), *comma = strrchr(instruction, ',');
	char *operands = strchr(instruction, ' '), *percent = strchr(instruction, '%');
	snprintf(copy, sizeof copy, "%s", instruction);
	if (strncmp(instruction, "createpolicy", 12) == 0)
		return false; /* accepts repeated words and optional operands */
	switch (random_below(out, 5)) {
	case 0: /* an unknown suffix */
		if (!operands)
			return false;
		snprintf(instruction, size, "%.*s.frob%s", (int)(operands - instruction), copy,
		         copy + (operands - instruction));
		return true;
	case 1: /* one operand less */
		if (comma)
			snprintf(comma, 2, ";");
		return comma != NULL;
	case 2: /* one operand more */
		snprintf(strchr(instruction, ';'), 8, ", %%p0;");
		return operands != NULL;
	case 3: /* a register that does not exist */
		if (percent)
			percent[1] = 'z';
		return percent != NULL;
	default: /* a repeated suffix */
		if (!dot || (operands && dot > operands))
			return false;
		size_t length = strcspn(dot + 1, ". ;") + 1;
		snprintf(dot + length, size - (size_t)(dot + length - instruction), "%s", copy + (dot - instruction));
		return true;
	}
}

static void invalid_instructions(void **state)
{
	(void)state;
	struct random_text *out = malloc(sizeof *out);
	assert_non_null(out);
	uint64_t stream = ~seed;
	for (uint32_t round = 0; round < rounds * 50; round++) {
		char text[8192], wrong[512];
		out->state = &stream;
		out->length = 0;
		random_instruction(out, random_form(out));
		assert_true(out->length < sizeof wrong);
		memcpy(wrong, out->text, out->length + 1);
		if (!spoil(out, wrong, sizeof wrong))
			continue;
		struct diag diag = {0};
		snprintf(text, sizeof text, "%s%s\nret;\n}\n", RANDOM_HEAD, wrong);
		struct ptx_module *module = parse(text, &diag);
		if (module || diag.errors != 1)
			fail_msg("%s (of %s)\n%s", wrong, out->text, module ? "is accepted" : diag.text);
		diag_free(&diag);
	}
	free(out);
}

int main(int count, char **arguments)
{
	if (count > 1)
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
	if (count > 2)
		seed = strtoull(arguments[2], NULL, 10);
	const struct CMUnitTest tests[] = {cmocka_unit_test(invalid_instructions), cmocka_unit_test(valid_kernels)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
