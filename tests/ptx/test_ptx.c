/* Protects the PTX parser, checker and printer on valid input: the contents of the module, and a round trip through
 * printer and parser without loss. */
#include "ptx/module.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static char *read_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*length = (size_t)ftell(file);
	rewind(file);
	char *text = malloc(*length + 1);
	assert_int_equal(fread(text, 1, *length, file), *length);
	fclose(file);
	text[*length] = '\0';
	return text;
}

static struct ptx_module *parse_good(const char *name, const char *text, size_t length)
{
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse(name, text, length, &diag);
	if (!module)
		fail_msg("%s", diag.text);
	assert_int_equal(diag.errors, 0);
	diag_free(&diag);
	return module;
}

static char *print_text(const struct ptx_module *module, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	ptx_print(module, file);
	fclose(file);
	return text;
}

/* Calls `use` for every .ptx file of a folder; returns their number. */
static uint32_t for_each_file(const char *folder, void (*use)(const char *path, const char *text, size_t length))
{
	DIR *directory = opendir(folder);
	assert_non_null(directory);
	uint32_t count = 0;
	for (struct dirent *entry; (entry = readdir(directory));) {
		size_t end = strlen(entry->d_name);
		if (end < 4 || strcmp(entry->d_name + end - 4, ".ptx") != 0)
			continue;
		char path[1024];
		size_t length;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		char *text = read_text(path, &length);
		use(path, text, length);
		free(text);
		count++;
	}
	closedir(directory);
	return count;
}

/* Compares two modules, field by field; positions in the file may differ. */

static void same_variables(const struct ptx_variable *a, const struct ptx_variable *b)
{
	for (; a && b; a = a->next, b = b->next) {
		assert_string_equal(a->name, b->name);
		assert_int_equal(a->space, b->space);
		assert_int_equal(a->type, b->type);
		assert_int_equal(a->vector, b->vector);
		assert_int_equal(a->align, b->align);
		assert_int_equal(a->size, b->size);
		assert_int_equal(a->dimensions, b->dimensions);
		assert_memory_equal(a->dimension, b->dimension, sizeof a->dimension);
		assert_true(a->is_extern == b->is_extern && a->is_visible == b->is_visible &&
		            a->is_weak == b->is_weak && a->is_common == b->is_common);
		assert_int_equal(a->offset, b->offset);
		assert_int_equal(!a->initial, !b->initial);
		if (a->initial)
			assert_memory_equal(a->initial, b->initial, a->size);
		assert_int_equal(a->relocation_count, b->relocation_count);
		for (uint32_t i = 0; i < a->relocation_count; i++) {
			const struct ptx_relocation *x = &a->relocations[i], *y = &b->relocations[i];
			assert_true(x->offset == y->offset && x->addend == y->addend && x->size == y->size);
			assert_int_equal(!x->symbol, !y->symbol);
			assert_string_equal(x->symbol ? x->symbol->name : x->function->name,
			                    y->symbol ? y->symbol->name : y->function->name);
		}
		assert_int_equal(!a->function, !b->function);
	}
	assert_true(!a && !b);
}

static void same_operands(const struct ptx_operand *a, const struct ptx_operand *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(a[i].kind, b[i].kind);
		assert_true(a[i].negated == b[i].negated && a[i].is_single == b[i].is_single);
		assert_int_equal(a[i].reg, b[i].reg);
		assert_int_equal(a[i].sreg, b[i].sreg);
		assert_int_equal(a[i].bits, b[i].bits);
		assert_int_equal(a[i].offset, b[i].offset);
		assert_int_equal(a[i].target, b[i].target);
		assert_int_equal(a[i].count, b[i].count);
		assert_true(!a[i].symbol == !b[i].symbol && !a[i].function == !b[i].function);
		if (a[i].symbol)
			assert_string_equal(a[i].symbol->name, b[i].symbol->name);
		if (a[i].function)
			assert_string_equal(a[i].function->name, b[i].function->name);
		same_operands(a[i].element, b[i].element, a[i].count);
	}
}

static void same_instructions(const struct ptx_inst *a, const struct ptx_inst *b)
{
	assert_int_equal(a->operands, b->operands);
	assert_int_equal(!a->prototype, !b->prototype);
	if (a->prototype)
		assert_string_equal(a->prototype->name, b->prototype->name);
	same_operands(a->operand, b->operand, a->operands);
	/* All other fields are numbers: without the pointers and positions, the bytes must be equal. */
	struct ptx_inst x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	x.operand = y.operand = NULL;
	x.prototype = y.prototype = NULL;
	x.place = y.place = (struct diag_place){0};
	assert_memory_equal(&x, &y, sizeof x);
}

static void same_functions(const struct ptx_function *a, const struct ptx_function *b)
{
	for (; a && b; a = a->next, b = b->next) {
		assert_string_equal(a->name, b->name);
		assert_true(a->is_entry == b->is_entry && a->is_visible == b->is_visible &&
		            a->is_extern == b->is_extern && a->is_weak == b->is_weak &&
		            a->is_noreturn == b->is_noreturn && a->has_body == b->has_body &&
		            a->is_prototype == b->is_prototype && a->is_declared == b->is_declared);
		assert_int_equal(a->reg_count, b->reg_count);
		for (uint32_t i = 0; i < a->reg_count; i++) {
			assert_string_equal(a->regs[i].name, b->regs[i].name);
			assert_true(a->regs[i].type == b->regs[i].type && a->regs[i].id == b->regs[i].id &&
			            a->regs[i].number == b->regs[i].number);
		}
		same_variables(a->params, b->params);
		same_variables(a->results, b->results);
		same_variables(a->locals, b->locals);
		assert_true(a->param_bytes == b->param_bytes && a->param_count == b->param_count &&
		            a->result_count == b->result_count);
		assert_int_equal(a->body_count, b->body_count);
		for (uint32_t i = 0; i < a->body_count; i++)
			same_instructions(&a->body[i], &b->body[i]);
		const struct ptx_label *x = a->labels, *y = b->labels;
		for (; x && y; x = x->next, y = y->next) {
			assert_string_equal(x->name, y->name);
			assert_int_equal(x->target, y->target);
		}
		assert_true(!x && !y);
		assert_memory_equal(a->max_threads, b->max_threads, sizeof a->max_threads);
		assert_memory_equal(a->required_threads, b->required_threads, sizeof a->required_threads);
		assert_true(a->min_blocks == b->min_blocks && a->max_registers == b->max_registers);
		same_functions(a->prototypes, b->prototypes);
	}
	assert_true(!a && !b);
}

static void round_trip(const char *path, const char *text, size_t length)
{
	struct ptx_module *first = parse_good(path, text, length);
	size_t first_length, second_length;
	char *first_text = print_text(first, &first_length);
	struct ptx_module *second = parse_good("printed.ptx", first_text, first_length);
	char *second_text = print_text(second, &second_length);
	assert_string_equal(first_text, second_text);
	assert_int_equal(first->version_major, second->version_major);
	assert_int_equal(first->version_minor, second->version_minor);
	assert_int_equal(first->address_size, second->address_size);
	assert_string_equal(first->target, second->target);
	same_variables(first->variables, second->variables);
	same_functions(first->functions, second->functions);
	const struct ptx_file *x = first->files, *y = second->files;
	for (; x && y; x = x->next, y = y->next) {
		assert_int_equal(x->number, y->number);
		assert_string_equal(x->name, y->name);
	}
	assert_true(!x && !y);
	free(first_text);
	free(second_text);
	ptx_free(first);
	ptx_free(second);
}

/* Protects the round trip of every file in the corpus: all are parsed, and printing loses nothing. */
static void test_round_trip(void **state)
{
	(void)state;
	assert_int_equal(for_each_file(TEST_DATA "/reference/kernels", round_trip), 16);
	assert_true(for_each_file(TEST_DATA "/ptx", round_trip) >= 7);
}

/* Damaged input: truncated anywhere, or with changed bytes. The parser may refuse it but never crash. Accepted input
 * must print and parse. */
static void damaged(const char *path, const char *text, size_t length)
{
	uint32_t random = 12345;
	char *copy = malloc(length + 1);
	for (uint32_t round = 0; round < 60; round++) {
		memcpy(copy, text, length + 1);
		size_t kept = length;
		if (round < 30)
			kept = length * round / 30;
		for (uint32_t i = 0; round >= 30 && i < 4; i++) {
			random = random * 1664525 + 1013904223;
			copy[(random >> 8) % length] = "{}[]();,.%@!|+-09azr:\n\"/*"[(random >> 3) % 25];
		}
		struct diag diag = {0};
		struct ptx_module *module = ptx_parse(path, copy, kept, &diag);
		assert_int_equal(module == NULL, diag.errors > 0);
		if (module) {
			size_t printed_length;
			char *printed = print_text(module, &printed_length);
			ptx_free(parse_good("printed.ptx", printed, printed_length));
			free(printed);
		}
		ptx_free(module);
		diag_free(&diag);
	}
	free(copy);
}

static void test_damaged_input(void **state)
{
	(void)state;
	for_each_file(TEST_DATA "/ptx", damaged);
	for_each_file(TEST_DATA "/reference/kernels", damaged);
}

#define HEAD ".version 6.0\n.target sm_70\n.address_size 64\n"

/* A kernel with registers of every kind and the given code. */
static struct ptx_module *parse_code(const char *code)
{
	char text[4096];
	int length =
		snprintf(text, sizeof text,
	                 HEAD ".global .u32 word[2];\n.global .texref t;\n"
	                      ".func (.param .b32 r) f(.param .b32 a);\n.visible .entry k(.param .u64 p)\n{\n"
	                      ".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b64 %%rd<8>;\n.reg .f32 %%f<8>;\n%s\n}\n",
	                 code);
	return parse_good("code.ptx", text, (size_t)length);
}

static void check_ids(const char *code, const char *reads, const char *writes)
{
	struct ptx_module *module = parse_code(code);
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	const struct ptx_inst *inst = &kernel->body[kernel->body_count - 1];
	uint32_t ids[PTX_MAX_IDS];
	char text[256] = "";
	uint32_t count = ptx_inst_reads(inst, ids);
	for (uint32_t i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%s", i ? " " : "", kernel->regs[ids[i]].name);
	assert_string_equal(text, reads);
	text[0] = '\0';
	count = ptx_inst_writes(inst, ids);
	for (uint32_t i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%s", i ? " " : "", kernel->regs[ids[i]].name);
	assert_string_equal(text, writes);
	ptx_free(module);
}

/* Protects the scoreboard and all data-flow analyses: the registers that an instruction reads and writes. */
static void test_reads_and_writes(void **state)
{
	(void)state;
	check_ids("add.s32 %r1, %r2, %r2;", "%r2 %r2", "%r1");
	check_ids("@!%p1 mad.lo.s32 %r1, %r2, 4, %r1;", "%p1 %r2 %r1", "%r1");
	check_ids("setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;", "%r1 %p3", "%p1 %p2");
	check_ids("setp.lt.s32 %p1, %r1, %r2;", "%r1 %r2", "%p1");
	check_ids("ld.global.v2.u32 {%r1, _}, [%rd1+8];", "%rd1", "%r1");
	check_ids("st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};", "%rd1 %f1 %f2 %f3 %f4", "");
	check_ids("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "%rd1 %r2 %r3", "%r1");
	check_ids("red.global.add.u32 [%rd1], %r2;", "%rd1 %r2", "");
	check_ids("shfl.sync.down.b32 %r1|%p1, %r2, %r3, 31, -1;", "%r2 %r3", "%r1 %p1");
	check_ids("vote.sync.ballot.b32 %r1, !%p1, %r2;", "%p1 %r2", "%r1");
	check_ids("mov.b64 {%r1, %r2}, %rd1;", "%rd1", "%r1 %r2");
	check_ids("mov.b64 %rd1, {%r1, %r2};", "%r1 %r2", "%rd1");
	check_ids("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f5, %f6}];", "%f5 %f6", "%f1 %f2 %f3 %f4");
	check_ids("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", "%rd1 %r1", "%f1 %f2 %f3 %f4");
	check_ids("call (%r1), f, (%r2);", "%r2", "%r1");
	check_ids("bar.red.popc.u32 %r1, %r2, %r3, %p1;", "%r2 %r3 %p1", "%r1");
	check_ids("bar.sync %r2, 64;", "%r2", "");
	check_ids("@%p1 ret;", "%p1", "");
}

/* Protects register ids and the numbers in names, which select the bank. */
static void test_registers(void **state)
{
	(void)state;
	struct ptx_module *module = parse_code("{ .reg .b32 %r<2>, loose; add.s32 %r1, loose, %r7; }");
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	assert_int_equal(kernel->reg_count, 4 + 8 + 8 + 8 + 3);
	assert_string_equal(kernel->regs[4 + 5].name, "%r5");
	assert_int_equal(kernel->regs[4 + 5].number, 5);
	assert_string_equal(kernel->regs[12 + 3].name, "%rd3");
	assert_int_equal(kernel->regs[12 + 3].number, 3);
	/* The inner %r1 is a separate register, of another name but the same number. */
	assert_int_equal(kernel->body[0].operand[0].reg, 29);
	assert_string_equal(kernel->regs[29].name, "%r1$1");
	assert_int_equal(kernel->regs[29].number, 1);
	assert_int_equal(kernel->body[0].operand[1].reg, 30);
	assert_int_equal(kernel->regs[30].number, 0);
	assert_int_equal(kernel->body[0].operand[2].reg, 4 + 7);
	ptx_free(module);
}

/* Protects the parameters' natural or explicit alignment in the parameter block. */
static void test_parameter_layout(void **state)
{
	(void)state;
	static const char text[] =
		HEAD ".entry k(.param .u8 a, .param .u64 b, .param .u16 c, .param .align 16 .b8 d[20],\n"
		     ".param .f32 e)\n{ .shared .u8 s; .shared .f64 u; .local .b8 l[3]; ret; }\n";
	static const uint32_t offsets[] = {0, 8, 16, 32, 52};
	struct ptx_module *module = parse_good("layout.ptx", text, sizeof text - 1);
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	assert_int_equal(kernel->param_count, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(kernel->params[i].offset, offsets[i]);
	assert_int_equal(kernel->param_bytes, 56);
	assert_int_equal(kernel->params[3].size, 20);
	assert_int_equal(kernel->locals->next->offset, 8);
	assert_int_equal(kernel->locals->next->next->offset, 0);
	ptx_free(module);
}

/* Protects values and addresses in variables' initial bytes. */
static void test_variables(void **state)
{
	(void)state;
	static const char text[] =
		HEAD ".global .s16 a[2][3] = {{-1, 2}, {3}};\n.const .f32 b[] = {1.5, 0fC0000000, 3};\n"
		     ".global .u64 c[2] = {a+4, generic(b)};\n.extern .shared .align 16 .b8 d[];\n.global .texref e;\n"
		     ".global .align 64 .b8 f[(1 << 4) + 2];\n";
	static const int16_t a[2][3] = {{-1, 2, 0}, {3, 0, 0}};
	static const float b[3] = {1.5f, -2, 3};
	struct ptx_module *module = parse_good("variables.ptx", text, sizeof text - 1);
	const struct ptx_variable *variable = ptx_find_variable(module, "a");
	assert_int_equal(variable->size, 12);
	assert_int_equal(variable->align, 2);
	assert_memory_equal(variable->initial, a, sizeof a);
	variable = ptx_find_variable(module, "b");
	assert_int_equal(variable->space, PTX_CONST);
	assert_int_equal(variable->size, 12);
	assert_memory_equal(variable->initial, b, sizeof b);
	variable = ptx_find_variable(module, "c");
	assert_int_equal(variable->relocation_count, 2);
	assert_ptr_equal(variable->relocations[0].symbol, ptx_find_variable(module, "a"));
	assert_int_equal(variable->relocations[0].addend, 4);
	assert_int_equal(variable->relocations[1].offset, 8);
	variable = ptx_find_variable(module, "d");
	assert_true(variable->is_extern && variable->size == 0 && variable->align == 16);
	assert_int_equal(ptx_find_variable(module, "e")->type, PTX_TEXREF);
	variable = ptx_find_variable(module, "f");
	assert_true(variable->size == 18 && variable->align == 64);
	assert_null(ptx_find_variable(module, "g"));
	ptx_free(module);
}

/* Protects constant expressions: C's precedence and 64-bit arithmetic. */
static void test_expressions(void **state)
{
	(void)state;
	static const char text[] =
		HEAD ".global .s64 v[] = {1 + 2 * 3, (1 << 4) + 2, 7 - 2 - 1, -7 / 2, -7 % 4, 6 & 3 | 8 ^ 1,\n"
		     "1 < 2 == 1, 0 || 2 && 3, ~0, !5, 1 ? 2 : 3, -8 >> 1, 0x10, 0b101, 017, 9U, 5 >= 5};\n";
	static const int64_t values[] = {7, 18, 4, -3, -3, 11, 1, 1, -1, 0, 2, -4, 16, 5, 15, 9, 1};
	struct ptx_module *module = parse_good("expressions.ptx", text, sizeof text - 1);
	assert_int_equal(module->variables->size, sizeof values);
	assert_memory_equal(module->variables->initial, values, sizeof values);
	ptx_free(module);
}

/* Protects labels: each finds its instruction, in its own scope. */
static void test_labels(void **state)
{
	(void)state;
	struct ptx_module *module = parse_code("bra end;\n{ a: bra a; }\n{ bra a; a: bra end; }\nend:");
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	static const uint32_t targets[] = {4, 1, 3, 4};
	assert_int_equal(kernel->body_count, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(kernel->body[i].operand[0].target, targets[i]);
	ptx_free(module);
}

/* Protects the form of a call, on which every reader of a module relies: results, function, arguments. */
static void test_calls(void **state)
{
	(void)state;
	struct ptx_module *module = parse_code("{ .param .b32 x; .param .b32 y; call.uni (y), f, (x); }");
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	const struct ptx_inst *call = &kernel->body[0];
	assert_true(call->op == PTX_OP_CALL && call->uni && call->operands == 3 && call->destinations == 1);
	assert_int_equal(call->operand[0].kind, PTX_OPERAND_LIST);
	assert_string_equal(call->operand[0].element[0].symbol->name, "y");
	assert_ptr_equal(call->operand[1].function, ptx_find_function(module, "f"));
	assert_ptr_equal(call->operand[2].element[0].symbol, kernel->locals);
	assert_ptr_equal(kernel->locals->function, kernel);
	ptx_free(module);
}

static void check_print(const char *code, const char *printed)
{
	struct ptx_module *module = parse_code(code);
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	ptx_print_inst(kernel, &kernel->body[0], file);
	fclose(file);
	assert_string_equal(text, printed);
	free(text);
	ptx_free(module);
}

/* Protects the printed form of an instruction: suffixes in the order of the language. */
static void test_print_instruction(void **state)
{
	(void)state;
	check_print("@!%p1  mul.wide.s32 %rd1,%r1,0x10;", "@!%p1 mul.wide.s32 %rd1, %r1, 16;");
	check_print("ld.volatile.global.v2.f32 {%f1,%f2}, [%rd1+-8];",
	            "ld.volatile.global.v2.f32 {%f1, %f2}, [%rd1+-8];");
	check_print("ld.ca.global.nc.f32 %f1, [%rd1];", "ld.global.ca.nc.f32 %f1, [%rd1];");
	check_print("setp.lt.and.ftz.f32 %p1|%p2, %f1, 1.0, !%p3;",
	            "setp.lt.and.ftz.f32 %p1|%p2, %f1, 0d3FF0000000000000, !%p3;");
	check_print("cvt.rzi.ftz.s32.f32 %r1, %f1;", "cvt.rzi.ftz.s32.f32 %r1, %f1;");
	check_print("prmt.b32.f4e %r1, %r2, %r3, 0x7531;", "prmt.b32.f4e %r1, %r2, %r3, 30001;");
	check_print("atom.acq_rel.gpu.global.add.u32 %r1, [word+4], 1;",
	            "atom.acq_rel.gpu.global.add.u32 %r1, [word+4], 1;");
	check_print("bar.sync 0;", "bar.sync 0;");
	check_print("x: bra.uni x;", "bra.uni x;");
}

/* Protects the facts that the decoder and the machine take from the table. */
static void test_facts(void **state)
{
	(void)state;
	assert_string_equal(ptx_op_name(PTX_OP_FMA), "fma");
	assert_int_equal(ptx_op_unit(PTX_OP_FMA), PTX_UNIT_SP);
	assert_int_equal(ptx_op_unit(PTX_OP_RSQRT), PTX_UNIT_SFU);
	assert_int_equal(ptx_op_unit(PTX_OP_ATOM), PTX_UNIT_MEM);
	assert_int_equal(ptx_op_latency(PTX_OP_MAD), PTX_LATENCY_MAD);
	assert_int_equal(ptx_op_latency(PTX_OP_BAR), PTX_LATENCY_BARRIER);
	for (enum ptx_opcode op = 0; op < PTX_OPCODES; op++)
		assert_true(ptx_op_unit(op) < PTX_UNITS && ptx_op_latency(op) < PTX_LATENCIES);
	assert_int_equal(ptx_type_bytes(PTX_F16X2), 4);
	assert_int_equal(ptx_type_bytes(PTX_PRED), 1);
	assert_int_equal(ptx_type_bytes(PTX_B128), 16);
	assert_true(ptx_type_is_float(PTX_F64) && !ptx_type_is_float(PTX_B64));
	assert_true(ptx_type_is_signed(PTX_S8) && !ptx_type_is_signed(PTX_F32));
	assert_string_equal(ptx_type_name(PTX_U32), "u32");
	assert_string_equal(ptx_space_name(PTX_SHARED), "shared");
	for (enum ptx_sreg sreg = PTX_SREG_NONE + 1; sreg < PTX_SREGS; sreg++)
		assert_int_equal(ptx_sreg_name(sreg)[0], '%');
}

/* Protects source lines: .loc and .file set those of the instructions. */
static void test_source_lines(void **state)
{
	(void)state;
	struct ptx_module *module = parse_code(".file 1 \"a.cu\"\nmov.u32 %r1, 0;\n.loc 1 7 3\nmov.u32 %r1, 1;\nret;");
	const struct ptx_function *kernel = ptx_find_function(module, "k");
	assert_int_equal(kernel->body[0].source_line, 0);
	assert_int_equal(kernel->body[1].source_line, 7);
	assert_int_equal(kernel->body[2].source_column, 3);
	assert_string_equal(ptx_file_name(module, kernel->body[2].source_file), "a.cu");
	assert_null(ptx_file_name(module, 2));
	assert_int_equal(kernel->body[0].place.line, 14);
	ptx_free(module);
}

/* Protects parsing time: it grows linearly with the size of the file. */
static void test_large_module(void **state)
{
	(void)state;
	enum { INSTRUCTIONS = 60000 };
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	fprintf(file, HEAD ".entry k()\n{\n.reg .b32 %%r<%d>;\n", INSTRUCTIONS + 1);
	for (int i = 0; i < INSTRUCTIONS; i++)
		fprintf(file, "L%d: { .reg .b32 t; add.s32 %%r%d, %%r%d, t; bra L%d; }\n", i, i + 1, i,
		        INSTRUCTIONS - 1 - i);
	fprintf(file, "}\n");
	fclose(file);
	clock_t start = clock();
	struct ptx_module *module = parse_good("large.ptx", text, length);
	/* Quadratic time would take minutes here. */
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
	assert_int_equal(module->functions->body_count, 2 * INSTRUCTIONS);
	ptx_free(module);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damaged_input),
		cmocka_unit_test(test_reads_and_writes),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_parameter_layout),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_print_instruction),
		cmocka_unit_test(test_source_lines),
		cmocka_unit_test(test_large_module),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_expressions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
