/* parse_wmma: wmma.load and wmma.store. They become the loads and stores that compilers generate for them. A lane's
 * elements are contiguous in memory up to the end of a line of the matrix (ptx/matrix.h). In C and D stored by
 * columns they are one line apart. */
#include "ptx/matrix.h"
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 8, WIDEST = 16 /* bytes of an access */ };

/* A word of the file. */
struct piece {
	const char *text;
	int length;
};

struct access {
	struct ptx_inst inst; /* shape, types and majors, as in wmma.mma */
	enum ptx_matrix matrix;
	bool is_store, by_columns; /* by_columns: the matrix is stored by columns and its fragment is by rows */
	const char *space;
	struct piece registers[MOST_REGISTERS];
	uint32_t count;
	struct piece base, stride; /* stride: length 0: one line */
	const char *take_base;     /* the instruction that moves the base into a 64-bit register */
	int64_t offset;
};

/* Bytes of memory of one element. If several elements share a byte, one unit stands for 32 bits of them. */
struct unit {
	uint32_t bytes, elements;
};

static struct unit unit_of(const struct access *access)
{
	uint32_t bits = ptx_element_bits(access->inst.type);
	return bits < 8 ? (struct unit){4, 32 / bits} : (struct unit){bits / 8, 1};
}

static uint32_t line_of(const struct access *access)
{
	bool by_columns = access->by_columns || (access->matrix == PTX_MATRIX_A && access->inst.major_a == PTX_COL) ||
	                  (access->matrix == PTX_MATRIX_B && access->inst.major_b == PTX_COL);
	return by_columns ? ptx_matrix_rows(&access->inst, access->matrix)
	                  : ptx_matrix_columns(&access->inst, access->matrix);
}

/* --- output --- */

/* %wo: byte offset from the matrix's start to the lane's unit number `first`. */
static void write_offset(FILE *file, const struct access *access, const char *stride, uint32_t first)
{
	struct unit unit = unit_of(access);
	uint32_t rows = ptx_matrix_rows(&access->inst, access->matrix);
	uint32_t columns = ptx_matrix_columns(&access->inst, access->matrix);
	uint32_t bytes = access->inst.type == PTX_F64 ? 8 : 4, units = access->count * bytes / unit.bytes;
	uint32_t line = (access->by_columns ? columns : line_of(access)) / unit.elements;
	fprintf(file,
	        "mov.u32 %%wmma_l, %%laneid; mad.lo.u32 %%wmma_l, %%wmma_l, %u, %u; and.b32 %%wmma_l, %%wmma_l, %u; ",
	        units, first, rows * columns / unit.elements - 1);
	fprintf(file, "shr.u32 %%wmma_r, %%wmma_l, %d; and.b32 %%wmma_l, %%wmma_l, %u; ", __builtin_ctz(line),
	        line - 1);
	if (access->by_columns)
		fputs("mov.u32 %wmma_q, %wmma_r; mov.u32 %wmma_r, %wmma_l; mov.u32 %wmma_l, %wmma_q; ", file);
	fprintf(file, "mul.lo.u32 %%wmma_r, %%wmma_r, %s; ", stride); /* in elements */
	if (unit.elements > 1)
		fprintf(file, "shr.u32 %%wmma_r, %%wmma_r, %d; ", __builtin_ctz(unit.elements));
	fprintf(file,
	        "add.u32 %%wmma_r, %%wmma_r, %%wmma_l; mul.wide.u32 %%wmma_o, %%wmma_r, %u; add.s64 %%wmma_o, "
	        "%%wmma_o, %%wmma_b; ",
	        unit.bytes);
}

/* Writes the access of `count` registers of `bits` bits, from register `first` on, at %wo. */
static void write_access(FILE *file, const struct access *access, const struct piece *name, uint32_t count,
                         uint32_t bits, uint32_t offset)
{
	fprintf(file, "%s%s%s%s.b%u ", access->is_store ? "st" : "ld", access->space[0] ? "." : "", access->space,
	        count == 4   ? ".v4"
	        : count == 2 ? ".v2"
	                     : "",
	        bits);
	if (access->is_store)
		fprintf(file, "[%%wmma_o+%u], ", offset);
	for (uint32_t k = 0; k < count; k++)
		fprintf(file, "%s%.*s", k ? ", " : count > 1 ? "{" : "", name[k].length, name[k].text);
	fprintf(file, "%s", count > 1 ? "}" : "");
	fprintf(file, access->is_store ? "; " : ", [%%wmma_o+%u]; ", offset);
}

/* A lane's registers are contiguous up to the end of a line. */
static void write_lines(FILE *file, const struct access *access, const char *stride)
{
	struct unit unit = unit_of(access);
	uint32_t bytes = access->inst.type == PTX_F64 ? 8 : 4;
	uint32_t line = line_of(access) / unit.elements * unit.bytes / bytes; /* registers */
	uint32_t run = line < access->count ? line : access->count, width = WIDEST / bytes < run ? WIDEST / bytes : run;
	for (uint32_t k = 0; k < access->count; k += width) {
		if (k % run == 0)
			write_offset(file, access, stride, k * bytes / unit.bytes);
		write_access(file, access, &access->registers[k], width, 8 * bytes, k % run * bytes);
	}
}

/* Each element separately; two f16 elements share a register. */
static void write_elements(FILE *file, const struct access *access, const char *stride)
{
	static const struct piece halves[] = {{"%wmma_h0", 8}, {"%wmma_h1", 8}};
	bool pairs = access->inst.type == PTX_F16;
	uint32_t each = pairs ? 2 : 1, bits = ptx_element_bits(access->inst.type);
	for (uint32_t k = 0; k < access->count; k++) {
		const struct piece *name = &access->registers[k];
		if (pairs && access->is_store)
			fprintf(file, "mov.b32 {%%wmma_h0, %%wmma_h1}, %.*s; ", name->length, name->text);
		for (uint32_t h = 0; h < each; h++) {
			write_offset(file, access, stride, k * each + h);
			write_access(file, access, pairs ? &halves[h] : name, 1, bits, 0);
		}
		if (pairs && !access->is_store)
			fprintf(file, "mov.b32 %.*s, {%%wmma_h0, %%wmma_h1}; ", name->length, name->text);
	}
}

static char *write_all(const struct access *access, size_t *length)
{
	char *text = NULL, stride[64];
	FILE *file = open_memstream(&text, length);
	if (access->stride.length)
		snprintf(stride, sizeof stride, "%.*s", access->stride.length, access->stride.text);
	else
		snprintf(stride, sizeof stride, "%u", line_of(access));
	fputs("{ .reg .b16 %wmma_h<2>; .reg .b32 %wmma_l, %wmma_r, %wmma_q; .reg .b64 %wmma_o, %wmma_b; ", file);
	fprintf(file, "%s %%wmma_b, %.*s; add.s64 %%wmma_b, %%wmma_b, %lld; ", access->take_base, access->base.length,
	        access->base.text, (long long)access->offset);
	if (access->by_columns)
		write_elements(file, access, stride);
	else
		write_lines(file, access, stride);
	fputs("}", file);
	fclose(file);
	return text;
}

/* --- input --- */

/* .load.a, .load.b, .load.c, .store.d */
static bool parse_matrix(struct parser *p, struct access *access)
{
	static const char *const name[] = {
		[PTX_MATRIX_D] = "d", [PTX_MATRIX_A] = "a", [PTX_MATRIX_B] = "b", [PTX_MATRIX_C] = "c"};
	access->is_store = at_dot(p, "store");
	next_token(p);
	access->matrix = access->is_store ? PTX_MATRIX_D : PTX_MATRIX_A;
	while (access->matrix < PTX_MATRICES && !accept_dot(p, name[access->matrix]))
		access->matrix = access->is_store ? PTX_MATRICES : access->matrix + 1;
	return access->matrix < PTX_MATRICES || fail_expected(p, access->is_store ? "'.d'" : "'.a', '.b' or '.c'");
}

static const struct {
	const char *word;
	enum ptx_shape shape;
} shapes[] = {{"m16n16k16", PTX_M16N16K16}, {"m8n32k16", PTX_M8N32K16}, {"m32n8k16", PTX_M32N8K16},
              {"m16n16k8", PTX_M16N16K8},   {"m8n8k4", PTX_M8N8K4},     {"m8n8k32", PTX_M8N8K32},
              {"m8n8k128", PTX_M8N8K128}};

static bool parse_shape(struct parser *p, struct access *access)
{
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
		if (accept_dot(p, shapes[k].word)) {
			access->inst.shape = shapes[k].shape;
			return true;
		}
	return fail_expected(p, "a shape of wmma such as '.m16n16k16'");
}

/* Returns true when a wmma.mma of the shape has such a matrix: D and C, or A and B, of the type. */
static bool has_form(const struct access *access)
{
	bool is_result = access->matrix == PTX_MATRIX_C || access->matrix == PTX_MATRIX_D;
	for (uint32_t k = 0; k < ptx_form_count; k++) {
		const struct form *form = &ptx_forms[k];
		if (form->op != PTX_OP_WMMA)
			continue;
		uint64_t factors = has_fourth_type(form) ? form->types2 : TYPES_F16;
		if (!has_type(is_result ? form->types : factors, access->inst.type))
			continue;
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
			if (shapes[s].shape == access->inst.shape && strstr(form->suffixes, shapes[s].word))
				return true;
	}
	return false;
}

/* .sync.aligned.row.m16n16k16.shared.f16 */
static bool parse_words(struct parser *p, struct access *access)
{
	static const char *const spaces[] = {"global", "shared", "shared::cta"};
	struct diag_place place = p->token.place;
	if (!accept_dot(p, "sync") || !accept_dot(p, "aligned"))
		return fail_expected(p, "'.sync.aligned'");
	bool is_column = at_dot(p, "col");
	if (!accept_dot(p, "row") && !accept_dot(p, "col"))
		return fail_expected(p, "'.row' or '.col'");
	if (!parse_shape(p, access))
		return false;
	access->space = "";
	for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
		if (accept_dot(p, spaces[k]))
			access->space = spaces[k];
	if (p->token.kind != TOKEN_DOT || p->token.name->type == PTX_NO_TYPE)
		return fail_expected(p, "a type");
	struct ptx_inst *inst = &access->inst;
	inst->op = PTX_OP_WMMA;
	inst->type = inst->type2 = inst->type3 = inst->type4 = p->token.name->type;
	inst->major_a = inst->major_b = is_column ? PTX_COL : PTX_ROW;
	access->by_columns = is_column && (access->matrix == PTX_MATRIX_C || access->matrix == PTX_MATRIX_D);
	next_token(p);
	return has_form(access) || fail(p, place, "there is no matrix of '.%s' of this shape; expected one of wmma.mma",
	                                ptx_type_name(inst->type));
}

/* Parses a register of `bytes` bytes. */
static bool parse_register(struct parser *p, struct piece *piece, uint32_t bytes)
{
	const struct symbol *symbol = p->token.kind == TOKEN_WORD ? lookup(p, p->token.name) : NULL;
	bool good = symbol && symbol->kind == SYMBOL_REG && ptx_type_bytes(p->regs[symbol->reg].type) == bytes;
	*piece = (struct piece){p->token.text, (int)p->token.length};
	if (!good)
		return fail(p, p->token.place, "expected a register of %u bits", 8 * bytes);
	next_token(p);
	return true;
}

static bool parse_fragment(struct parser *p, struct access *access)
{
	uint32_t bytes = access->inst.type == PTX_F64 ? 8 : 4;
	access->count = ptx_fragment_registers(&access->inst, access->matrix);
	if (access->count == 1 && !at_punct(p, '{'))
		return parse_register(p, access->registers, bytes);
	bool good = expect_punct(p, '{');
	for (uint32_t k = 0; good && k < access->count; k++)
		good = (k == 0 || expect_punct(p, ',')) && parse_register(p, &access->registers[k], bytes);
	return good && expect_punct(p, '}');
}

static bool parse_place(struct parser *p, struct access *access)
{
	if (!expect_punct(p, '['))
		return false;
	const struct symbol *symbol = p->token.kind == TOKEN_WORD ? lookup(p, p->token.name) : NULL;
	bool is_register = symbol && symbol->kind == SYMBOL_REG;
	access->base = (struct piece){p->token.text, (int)p->token.length};
	if (!is_register && (!symbol || symbol->kind != SYMBOL_VARIABLE))
		return fail_expected(p, "a register or a variable");
	access->take_base = !is_register                                     ? "mov.u64"
	                    : ptx_type_bytes(p->regs[symbol->reg].type) == 4 ? "cvt.u64.u32"
	                                                                     : "mov.b64";
	next_token(p);
	bool has_offset = accept_punct(p, '+') || at_punct(p, '-');
	return (!has_offset || parse_integer(p, &access->offset)) && expect_punct(p, ']');
}

/* Parses the stride: the elements between lines. */
static bool parse_stride(struct parser *p, struct access *access)
{
	if (!accept_punct(p, ','))
		return true;
	if (p->token.kind != TOKEN_INT)
		return parse_register(p, &access->stride, 4);
	access->stride = (struct piece){p->token.text, (int)p->token.length};
	next_token(p);
	return true;
}

static bool parse_operands(struct parser *p, struct access *access)
{
	bool good = access->is_store ? parse_place(p, access) && expect_punct(p, ',') && parse_fragment(p, access)
	                             : parse_fragment(p, access) && expect_punct(p, ',') && parse_place(p, access);
	return good && parse_stride(p, access) && expect_semicolon(p);
}

bool parse_wmma_access(struct parser *p, struct diag_place place, struct guard guard)
{
	struct access access = {.is_store = false};
	size_t length;
	if (!parse_matrix(p, &access) || !parse_words(p, &access) || !parse_operands(p, &access))
		return false;
	char *written = write_all(&access, &length);
	char *text = arena_string(&p->scratch, written, length);
	uint32_t first = p->body_count;
	free(written);
	bool good = parse_inserted(p, text, length, place);
	for (uint32_t k = first; k < p->body_count; k++) {
		p->body[k].guard = guard.reg;
		p->body[k].guard_negated = guard.negated;
	}
	return good;
}
