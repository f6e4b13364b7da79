/* Protects every row of ops.h that computes: all its forms with every type and every word, on random and extreme
 * operands, against models in plain C (row_whole.h, row_real.h). A row of the table without a model fails.
 *
 *   test_simt_rows [ROUNDS [SEED]] */
#include "row_real.h"
#include "row_whole.h"

static uint32_t rounds = 2;
static uint64_t seed = 1;

/* Computes one instruction on one lane's operands. Returns false if it has no model. */
static bool model(const struct row *row, const uint64_t in[4], bool carry, struct expected *out)
{
	char kind = row->type[0].kind;
	*out = (struct expected){0};
	if (row->op[0] == 'v' && !row_is(row, "vote"))
		return video_operation(row, in, out);
	if (row_is(row, "cvt"))
		return conversion(row, in, out);
	if (row_is(row, "set") || row_is(row, "setp"))
		return comparison(row, in, out);
	if (row_is(row, "selp") || row_is(row, "slct"))
		return selection(row, in, out);
	if (kind == 'p') {
		const uint64_t low[4] = {in[0] & 1, in[1] & 1, in[2] & 1, in[3] & 1};
		return whole_operation(row, low, carry, out);
	}
	if (row_is(row, "mov")) {
		out->bits = in[0];
		return true;
	}
	return kind == 'f' || kind == 'h' || kind == 'o' ? real_operation(row, in, out)
	                                                 : whole_operation(row, in, carry, out);
}

/* For a pair, each half separately. */
static bool model_parts(const struct row *row, const uint64_t in[4], bool carry, struct expected *out)
{
	bool apart = row->type[0].parts > 1 && !row_is(row, "cvt") && !row_is(row, "set") && !row_is(row, "setp");
	if (!apart)
		return model(row, in, carry, out);
	struct row half = *row;
	struct expected high;
	unsigned bits = row->type[0].bits / 2;
	const uint64_t upper[4] = {in[0] >> bits, in[1] >> bits, in[2] >> bits, in[3]};
	half.type[0].bits = bits;
	half.type[0].parts = 1;
	bool known = model(&half, in, carry, out) && model(&half, upper, carry, &high);
	out->bits = (out->bits & ones(bits)) | high.bits << bits;
	return known;
}

/* --- operands --- */

static uint64_t whole_operand(uint64_t *random)
{
	static const uint64_t edge[] = {0,
	                                1,
	                                2,
	                                7,
	                                31,
	                                32,
	                                33,
	                                63,
	                                64,
	                                0x7f,
	                                0x80,
	                                0xff,
	                                0x7fff,
	                                0x8000,
	                                0xffff,
	                                0x7fffffff,
	                                0x80000000,
	                                0xffffffff,
	                                0x7fffffffffffffff,
	                                0x8000000000000000,
	                                UINT64_MAX,
	                                0x8000800080008000,
	                                0x5555aaaa5555aaaa};
	uint64_t any = kit_random(random), choice = kit_random(random);
	return choice % 3 == 0   ? edge[any % (sizeof edge / sizeof *edge)]
	       : choice % 3 == 1 ? any
	                         : any >> (choice >> 8) % 64;
}

static uint64_t real_operand(struct row_type type, uint64_t *random)
{
	unsigned bits = type.bits / type.parts;
	unsigned exponents = bits == 64 ? 11 : type.kind == 'h' ? 5 : 8, m = bits - 1 - exponents;
	uint64_t any = kit_random(random), choice = kit_random(random), sign = any & (uint64_t)1 << (bits - 1);
	uint64_t infinity = ones(exponents) << m, one = ones(exponents - 1) << m;
	const uint64_t edge[] = {0,
	                         1,
	                         ones(m),
	                         ones(m) + 1,
	                         one,
	                         one + 1,
	                         one - 1,
	                         infinity - 1,
	                         infinity,
	                         infinity | 1,
	                         infinity | (ones(m) ^ ones(m - 1)),
	                         infinity / 4 * 3,
	                         one + ((uint64_t)1 << m),
	                         one - ((uint64_t)1 << m)};
	if (choice % 3 == 0)
		return sign | edge[(choice >> 8) % (sizeof edge / sizeof *edge)];
	if (choice % 3 == 1)
		return any & ones(bits);
	uint64_t near = (ones(exponents - 1) - 12 + (choice >> 8) % 25)
	                << m; /* sums of numbers near each other, small integers */
	uint64_t fraction = any & ones(m), zeros = 1 + (choice >> 16) % m;
	if (choice >> 40 & 1) /* half-way between two numbers of fewer bits */
		fraction = (fraction & ~ones((unsigned)zeros)) | (uint64_t)1 << (zeros - 1);
	return sign | (near & infinity) | fraction;
}

static uint64_t operand(struct row_type type, uint64_t *random)
{
	if (type.kind == 'h' || type.kind == 'o')
		return real_operand(type, random) | real_operand(type, random) << 16 |
		       (type.parts == 1 ? kit_random(random) << 32 : 0);
	if (type.kind == 'f' && type.parts > 1)
		return (real_operand(type, random) & UINT32_MAX) | real_operand(type, random) << 32;
	return type.kind == 'f' ? real_operand(type, random) : whole_operand(random);
}

static void fill(const struct row *row, struct ops_data *data, uint64_t *random)
{
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		for (unsigned k = 0; k < OPS_SOURCES; k++)
			data->in[i][k] =
				row->source[k].bits > 1 ? operand(row->source[k], random) : whole_operand(random);
}

/* --- comparison with the models --- */

static bool is_near(struct row_type type, uint64_t got, uint64_t expected)
{
	if (got == expected)
		return true;
	unsigned bits = type.bits / type.parts;
	for (unsigned part = 0; part < type.parts; part++) {
		int64_t a = (int64_t)(got >> part * bits & ones(bits)),
			b = (int64_t)(expected >> part * bits & ones(bits));
		int64_t apart = a > b ? a - b : b - a;
		double small = number(type, (uint64_t)(a > b ? a : b), false);
		bool around_zero = fabs(small) < 1e-30 && bits == 32; /* near a root of the sine */
		if (apart > (bits == 16 ? 1 : 2) && !around_zero)
			return false;
	}
	return true;
}

static void compare_lane(const struct row *row, const char *text, const uint64_t in[4], uint64_t got, uint64_t expected,
                         bool near)
{
	uint64_t mask = ones(row->bits);
	if (near ? is_near(row->type[0], got & mask, expected & mask) : (got & mask) == (expected & mask))
		return;
	fail_msg("%s of %llx %llx %llx %llx gives %llx, expected %llx", text, (unsigned long long)in[0],
	         (unsigned long long)in[1], (unsigned long long)in[2], (unsigned long long)in[3],
	         (unsigned long long)(got & mask), (unsigned long long)(expected & mask));
}

/* Runs the text and compares the results with the model's, or with its second result: the second predicate or the
 * carry. */
static void run(struct row *row, const char *text, struct ops_data *data, bool second, bool carries)
{
	static unsigned level; /* of the host's instruction sets: one after the other */
	struct expected expected;
	char destination = second ? (row->destination == 'd' ? 'd' : 'r') : row->destination;
	struct row result = *row;
	result.bits = second ? 32 : row->bits;
	level = exec_levels()[level + 1] ? level + 1 : 0;
	ops_run(text, destination, level, data);
	for (unsigned i = 0; i < OPS_VECTORS; i++) {
		bool carry = carries && (uint32_t)data->in[i][3] >> 31;
		if (!model_parts(row, data->in[i], carry, &expected))
			fail_msg("no model of %s", row->text);
		compare_lane(&result, text, data->in[i], data->out[i], second ? expected.second : expected.bits,
		             expected.near && !second);
	}
}

/* The instruction, its second result if it has one, and the carry in and out. */
static void check_row(struct row *row, uint64_t *random)
{
	static struct ops_data data;
	char text[1024];
	bool takes_carry = strlen(row->op) == 4 && row->op[3] == 'c' && !row_is(row, "slct");
	const char *before = takes_carry ? "add.cc.u32 %r6, %r4, %r4; " : "";
	fill(row, &data, random);
	snprintf(text, sizeof text, "%s%s", before, row->text);
	run(row, text, &data, false, takes_carry);
	if (row->second)
		snprintf(text, sizeof text, "%s; selp.u32 %%r0, 1, 0, %%p2", row->text);
	else if (row_has(row, "cc") && row->op[0] == 's')
		snprintf(text, sizeof text, "%s%s; subc.u32 %%r0, 0, 0; and.b32 %%r0, %%r0, 1; cvt.u64.u32 %%d0, %%r0",
		         before, row->text);
	else if (row_has(row, "cc"))
		snprintf(text, sizeof text, "%s%s; addc.u32 %%r0, 0, 0; cvt.u64.u32 %%d0, %%r0", before, row->text);
	else
		return;
	run(row, text, &data, true, takes_carry);
}

static struct row_type type_at(uint64_t types, unsigned number)
{
	for (; number; number--)
		types &= types - 1;
	return row_types[types ? __builtin_ctzll(types) : 0];
}

/* The form with its types: every word, or the form without words. Returns the number of instructions. */
static unsigned check_words(struct row *row, uint64_t *random)
{
	unsigned count = 0;
	for (unsigned group = 0; group < ROW_GROUPS; group++)
		for (unsigned word = 0; word < ROW_CHOICES; word++)
			if (row_words(row, group, word, random)) {
				row_write(row, random);
				check_row(row, random);
				count++;
			}
	if (!count && row_words(row, UINT32_MAX, 0, random)) {
		row_write(row, random);
		check_row(row, random);
		count++;
	}
	return count;
}

/* All types of a form, and every word with each of them. */
static unsigned check_types(const struct form *form, const char *op, uint64_t *random)
{
	struct row row = {.form = form, .op = op};
	if (form->types == TYPES_B128) /* mov.b128: test_simt_memory_rows.c */
		return 1;
	unsigned first = (unsigned)__builtin_popcountll(form->types),
		 second = (unsigned)__builtin_popcountll(form->types2);
	unsigned thirds = (unsigned)__builtin_popcountll(third_types(form)), count = 0;
	for (unsigned t = 0; t < (first ? first : 1); t++)
		for (unsigned u = 0; u < (second ? second : 1); u++) {
			row.type[0] = type_at(form->types, t);
			row.type[1] = type_at(form->types2, u);
			row.type[2] = has_third_type(form)
			                      ? type_at(third_types(form), (unsigned)kit_random(random) % thirds)
			                      : row_types[0];
			count += check_words(&row, random);
		}
	return count;
}

/* Opcodes that do more than give a value to a register, and the tests that cover them. */
static const char *const elsewhere[] = {
	"alloca stacksave stackrestore", /* test_simt_stack.c */
	/* test_simt_memory_rows.c */
	"cvta mapa getctarank ld ldu st atom red prefetch prefetchu isspacep createpolicy",
	"tex tld4 txq suq suld sust sured",         /* tests/cuda/textures.cu, image_instructions.cu */
	"bra call ret exit trap brkpt",             /* test_simt_control.c */
	"bar barrier barrier.cluster membar fence", /* test_simt_control.c, test_simt_memory_rows.c */
	"mbarrier",                                 /* test_simt_mbarrier.c */
	"cp.async", "cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all",
	"cp.async.mbarrier.arrive",               /* test_simt_copy.c */
	"mma wmma ldmatrix stmatrix movmatrix",   /* test_simt_matrix.c */
	"vote activemask match shfl redux elect", /* test_simt_members.c, test_simt_control.c */
	/* no effect: test_simt_memory_rows.c */
	"nanosleep pmevent relssp griddepcontrol applypriority discard setmaxnreg",
	"dma_type dma_halo dma_spaced dma_flat dma_strided dma_matrix dma_execute", /* test_simt_dma.c */
};

static bool is_elsewhere(const char *op)
{
	size_t length = strlen(op);
	for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
		for (const char *at = elsewhere[k]; (at = strstr(at, op)); at++)
			if ((at == elsewhere[k] || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
				return true;
	return false;
}

static void every_row(void **state)
{
	(void)state;
	uint64_t random = seed;
	for (uint32_t k = 0; k < rounds * ptx_form_count; k++) {
		const struct form *form = &ptx_forms[k % ptx_form_count];
		const char *op = ptx_ops[form->op].name;
		if (!is_elsewhere(op) && !ptx_op_is_bulk(form->op) && !is_old_form(form) &&
		    !check_types(form, op, &random))
			fail_msg("no instruction generated for a form of %s: %s", op, form->suffixes);
	}
}

int main(int count, char **arguments)
{
	if (count > 1)
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
	if (count > 2)
		seed = strtoull(arguments[2], NULL, 10);
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_row)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
