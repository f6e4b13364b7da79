/* ptx_random: random instructions and kernels, generated from the forms that ops.h gives the opcodes. */
#ifndef SLUICE_TESTS_PTX_RANDOM_H
#define SLUICE_TESTS_PTX_RANDOM_H

#include "ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The kernel's resources: registers of all kinds, and 64 bytes for each thread in every memory. In global memory these
 * are in `out` and in the variable `w`. The variables `v` and `k` are read only. */
#define RANDOM_HEAD                                                                                                    \
	".version 7.0\n.target sm_80\n.address_size 64\n.const .align 16 .b8 k[64];\n"                                 \
	".global .align 16 .b8 v[64] = {7, 0, 0xff, 1, 128, 2, 3, 64, 9};\n.global .align 16 .b8 w[8192];\n"          \
	".func (.param .b32 r) mix(.param .b32 x, .param .b64 y)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\n"             \
	"ld.param.b32 %r1, [x];\nld.param.b64 %d1, [y];\ncvt.u32.u64 %r2, %d1;\nxor.b32 %r3, %r1, %r2;\n"              \
	"st.param.b32 [r], %r3;\nret;\n}\n"                                                                            \
	".func (.param .b32 r) low(.param .b32 x, .param .b64 y)\n{\n.reg .b32 %r<2>;\nld.param.b32 %r1, [y];\n"       \
	"ld.global.b32 %r0, [v];\nadd.u32 %r1, %r1, %r0;\nst.param.b32 [r], %r1;\nret;\n}\n"                          \
	".func (.param .b32 r) sum(.param .b32 n)\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\nld.param.b32 %r1, [n];\n"      \
	"mov.u32 %r2, 0;\nsetp.eq.u32 %p, %r1, 0;\n@%p bra done;\nsub.u32 %r3, %r1, 1;\ncall (%r2), sum, (%r3);\n"     \
	"add.u32 %r2, %r2, %r1;\ndone:\nst.param.b32 [r], %r2;\nret;\n}\n"                                             \
	".visible .entry kernel(.param .align 16 .b8 a[64], .param .u64 in, .param .u64 out)\n{\n"                     \
	".reg .pred %p<4>, %q<8>;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>, %o<4>, %c<8>, %t, %x, %sp, %lp;\n"               \
	".reg .b128 %w<2>;\n.reg .b64 %d<8>, %in, %out, %gp, %gw, %sg, %lg, %pg, %fp;\n.reg .f32 %f<4>;\n.reg .f64 %e<4>;\n"                             \
	".shared .align 16 .b8 s[4096];\n.local .align 16 .b8 l[64];\n.param .align 16 .b8 q[64];\n"                   \
	"same: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\ntwo: .calltargets mix, low;\n"         \
	"mov.u32 %t, %tid.x;\nmov.u32 %x, %ctaid.x;\nmad.lo.u32 %x, %x, 64, %t;\nld.param.u64 %in, [in];\n"            \
	"ld.param.u64 %gp, [out];\nmad.wide.u32 %gp, %x, 256, %gp;\nadd.u64 %out, %gp, 64;\n"                          \
	"mov.u64 %gw, w;\nmad.wide.u32 %gw, %x, 64, %gw;\n"                                                            \
	"mad.wide.u32 %in, %x, 128, %in;\nmov.u32 %sp, s;\nmad.lo.u32 %sp, %t, 64, %sp;\ncvt.u64.u32 %sg, %sp;\n"      \
	"cvta.shared.u64 %sg, %sg;\nmov.u32 %lp, l;\ncvta.local.u64 %lg, l;\n"                                                              \
	"mov.b64 %pg, a;\ncvta.param.u64 %pg, %pg;\n"

enum { RANDOM_TEXT = 1 << 16, RANDOM_IN = 128, RANDOM_OUT = 256, RANDOM_W = 64, RANDOM_ORACLE = 232 };

struct random_text {
	uint64_t *state; /* of the random numbers */
	uint32_t labels;
	size_t length;
	char text[RANDOM_TEXT];
};

static inline uint64_t random_number(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline uint32_t random_below(struct random_text *out, uint32_t bound)
{
	return (uint32_t)(random_number(out->state) % bound);
}

__attribute__((format(printf, 2, 3))) static inline void random_add(struct random_text *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(out->text + out->length, RANDOM_TEXT - out->length, format, arguments);
	va_end(arguments);
	out->length += (size_t)length;
	if (out->length >= RANDOM_TEXT)
		out->length = RANDOM_TEXT - 1;
}

/* An instruction under construction. */
struct random_inst {
	const struct form *form;
	enum ptx_type type, type2, type3;
	bool merges;        /* a scalar video instruction merges its result into a third source */
	char suffixes[128]; /* ".a.b" */
	bool wide;
	uint32_t vector;
	const char *space; /* as written, or "" */
	const char *pair;  /* "," or "|" */
};

static inline enum ptx_type random_type(struct random_text *out, uint64_t types)
{
	if (!types)
		return PTX_NO_TYPE;
	for (uint32_t skip = random_below(out, (uint32_t)__builtin_popcountll(types)); skip; skip--)
		types &= types - 1;
	return (enum ptx_type)__builtin_ctzll(types);
}

static inline bool random_is_space(const char *word)
{
	static const char *const spaces[] = {"const", "global", "local", "param", "shared", "param::entry",
	                                     "param::func", "shared::cta", "shared::cluster"};
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (strcmp(spaces[i], word) == 0)
			return true;
	return false;
}

/* One word of each group, and some of the optional ones. */
static inline void random_suffixes(struct random_text *out, struct random_inst *inst)
{
	static const char *const spaces[] = {"const", "global", "local", "param", "shared"};
	char groups[512];
	snprintf(groups, sizeof groups, "%s", inst->form->suffixes);
	char *outer = NULL;
	for (char *group = strtok_r(groups, " ", &outer); group; group = strtok_r(NULL, " ", &outer)) {
		size_t end = strlen(group) - 1;
		if (group[end] == '?') {
			group[end] = '\0';
			if (random_below(out, 2))
				continue;
		}
		uint32_t count = 1;
		for (const char *at = group; *at; at++)
			count += *at == '|';
		char *inner = NULL, *word = strtok_r(group, "|", &inner);
		for (uint32_t skip = random_below(out, count); skip; skip--)
			word = strtok_r(NULL, "|", &inner);
		strcat(strcat(inst->suffixes, "."), word);
		inst->wide |= strcmp(word, "wide") == 0;
		if (word[0] == 'v' && strlen(word) == 2)
			inst->vector = (uint32_t)(word[1] - '0');
		for (size_t i = 0; random_is_space(word) && i < sizeof spaces / sizeof *spaces; i++)
			if (strncmp(word, spaces[i], strlen(spaces[i])) == 0)
				inst->space = spaces[i];
	}
}

static inline void random_register(struct random_text *out, enum ptx_type type)
{
	uint32_t bytes = ptx_type_bytes(type);
	if (type == PTX_PRED)
		random_add(out, "%%p%u", random_below(out, 4));
	else if (bytes <= 2)
		random_add(out, "%%h%u", random_below(out, 4));
	else if (bytes == 4)
		random_add(out, "%%%s%u", type == PTX_F32 ? "f" : "r", random_below(out, 4));
	else if (bytes == 16)
		random_add(out, "%%w%u", random_below(out, 2));
	else
		random_add(out, "%%%s%u", type == PTX_F64 ? "e" : "d", random_below(out, 4));
}

static inline void random_constant(struct random_text *out, enum ptx_type type)
{
	uint64_t bits = random_number(out->state) >> random_below(out, 64);
	uint32_t width = 8 * ptx_type_bytes(type);
	if (type == PTX_F32)
		random_add(out, "0f%08X", (uint32_t)bits);
	else if (type == PTX_F64)
		random_add(out, "0d%016llX", (unsigned long long)bits);
	else
		random_add(out, "%lld", (long long)(width < 64 ? bits & ((1ull << (width - 1)) - 1) : bits));
}

static inline void random_value(struct random_text *out, enum ptx_type type, bool destination)
{
	if (!destination && type != PTX_PRED && type != PTX_B128 && random_below(out, 4) == 0) {
		random_constant(out, type);
		return;
	}
	if (!destination && type == PTX_PRED && random_below(out, 4) == 0)
		random_add(out, "!");
	random_register(out, type);
}

/* An address in the thread's part of a memory, or in read-only data. */
static inline void random_address(struct random_text *out, const struct random_inst *inst)
{
	static const char *const generic[] = {"%gp", "%gw", "%sg", "%lg"};
	uint32_t bytes = inst->type == PTX_NO_TYPE ? 1 : ptx_type_bytes(inst->type) * inst->vector;
	uint32_t offset = random_below(out, 64 / bytes) * bytes;
	enum ptx_opcode op = inst->form->op;
	const char *base = op == PTX_OP_LD && random_below(out, 5) == 0 ? "%pg" : generic[random_below(out, 4)];
	bool reads = op == PTX_OP_LD || op == PTX_OP_LDU || op == PTX_OP_PREFETCH || op == PTX_OP_PREFETCHU;
	if (strcmp(inst->space, "const") == 0)
		base = "k";
	else if (strcmp(inst->space, "global") == 0 || op == PTX_OP_LDU || op == PTX_OP_PREFETCHU)
		base = reads && random_below(out, 2) ? "v" : generic[random_below(out, 2)];
	else if (strcmp(inst->space, "shared") == 0)
		base = "%sp";
	else if (strcmp(inst->space, "local") == 0)
		base = random_below(out, 2) ? "%lp" : "l";
	else if (strcmp(inst->space, "param") == 0)
		base = op == PTX_OP_LD && random_below(out, 2) ? "a" : "q";
	random_add(out, "[%s+%u]", base, offset);
}

static inline void random_vector(struct random_text *out, enum ptx_type type, uint32_t count, bool destination)
{
	for (uint32_t i = 0; i < count; i++) {
		random_add(out, i ? ", " : "{");
		random_value(out, type, destination);
	}
	random_add(out, "}");
}

/* mov: a vector, a special register, or the address of a variable. Returns false for forms without these. */
static inline bool random_mov_special(struct random_text *out, const struct random_inst *inst, bool destination)
{
	static const char *const sregs[] = {"%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.y", "%laneid", "%lanemask_lt",
	                                    "%lanemask_ge", "%dynamic_smem_size", "%total_smem_size", "%nwarpid"};
	uint32_t bytes = ptx_type_bytes(inst->type), kind = random_below(out, 8);
	if (inst->form->op != PTX_OP_MOV || inst->type == PTX_PRED || ptx_type_is_float(inst->type) || bytes < 4)
		return false;
	if (inst->type == PTX_B128) {
		if (kind < 4)
			random_vector(out, PTX_B64, 2, destination);
		return kind < 4;
	}
	if (kind == 0)
		random_vector(out, bytes == 4 ? PTX_B16 : PTX_B32, 2, destination);
	else if (kind == 1 && !destination && bytes == 4)
		random_add(out, "%s", sregs[random_below(out, sizeof sregs / sizeof *sregs)]);
	else if (kind == 2 && !destination)
		random_add(out, "%s+%u", random_below(out, 2) ? "s" : "l", random_below(out, 64));
	else if (kind == 3 && !destination && bytes == 8)
		random_add(out, "%s", (const char *[]){"v", "w", "mix", "sum"}[random_below(out, 4)]);
	else
		return false;
	return true;
}

/* A register of a video instruction, and the parts that the instruction selects. */
static inline void random_parts(struct random_text *out, const struct random_inst *inst, bool destination)
{
	static const char *const one[] = {"b0", "b3", "h0", "h1"}, *const two[] = {"h00", "h13", "h21", "h32"},
				 *const four[] = {"b7654", "b0000", "b5210", "b1337"},
				 *const to_two[] = {"h0", "h1", "h10", "h10"},
				 *const to_four[] = {"b3210", "b2", "b31", "b210"};
	unsigned parts = ptx_op_parts(inst->form->op);
	const char *const *select = parts == 1 ? one : parts == 2 ? (destination ? to_two : two) : destination ? to_four : four;
	random_register(out, PTX_B32);
	if (parts == 1 && destination ? inst->merges : random_below(out, 2))
		random_add(out, ".%s", select[random_below(out, 4)]);
}

static inline void random_operand(struct random_text *out, const struct random_inst *inst, char letter,
                                  bool destination)
{
	switch (letter) {
	case 's':
		random_value(out, inst->type2, destination);
		return;
	case 'w':
		random_value(out, inst->wide ? inst->type + 1 : inst->type, destination);
		return;
	case 'i':
		random_add(out, "%u", random_below(out, inst->form->op == PTX_OP_LOP3 ? 256 : 16));
		return;
	case 'u':
	case 'j':
	case 'n':
		random_value(out, PTX_U32, destination);
		return;
	case 'c':
		random_value(out, PTX_F32, destination);
		return;
	case 'p':
	case 'q':
	case 'Q':
		random_value(out, PTX_PRED, destination);
		return;
	case 'a':
	case 'h':
		random_register(out, PTX_U64);
		return;
	case 'V':
		random_parts(out, inst, destination);
		return;
	case 'm':
		random_address(out, inst);
		return;
	default:
		break;
	}
	if (random_mov_special(out, inst, destination))
		return;
	if ((letter == 'T' || letter == 'S') && inst->vector > 1)
		random_vector(out, inst->type, inst->vector, destination);
	else
		random_value(out, inst->type, destination);
}

/* True if the last operand is a member mask. All members must be active with the same mask, which random masks would
 * not give. */
static inline bool random_has_mask(const struct form *form)
{
	enum ptx_opcode op = form->op;
	return (op == PTX_OP_VOTE || op == PTX_OP_MATCH || op == PTX_OP_SHFL || op == PTX_OP_REDUX || op == PTX_OP_ELECT) &&
	       strstr(form->suffixes, "sync");
}

/* Only generic and global accesses of elements of at most 8 bytes may have 32 bytes. */
static inline uint32_t random_most_bytes(const struct random_inst *inst)
{
	bool wide = inst->form->op == PTX_OP_LD || inst->form->op == PTX_OP_ST;
	bool global = !inst->space[0] || strcmp(inst->space, "global") == 0;
	return wide && global && ptx_type_bytes(inst->type) <= 8 ? 32 : 16;
}

/* An instruction of the form, with ';'. */
static inline void random_instruction(struct random_text *out, const struct form *form)
{
	struct random_inst inst = {.form = form, .vector = 1, .space = ""};
	inst.type = random_type(out, form->types);
	inst.type2 = random_type(out, form->types2);
	if (has_third_type(form))
		inst.type3 = random_type(out, third_types(form));
	inst.merges = random_below(out, 2);
	random_suffixes(out, &inst);
	while (inst.type != PTX_NO_TYPE && ptx_type_bytes(inst.type) * inst.vector > random_most_bytes(&inst))
		inst.type = random_type(out, form->types);
	random_add(out, "%s%s", ptx_ops[form->op].name, inst.suffixes);
	if (inst.type)
		random_add(out, ".%s", ptx_type_name(inst.type));
	if (inst.type2)
		random_add(out, ".%s", ptx_type_name(inst.type2));
	if (inst.type3)
		random_add(out, ".%s", ptx_type_name(inst.type3));
	const char *between = " ";
	bool destination = true;
	for (const char *letter = form->operands; *letter; letter++) {
		if (*letter == '>') {
			destination = false;
			continue;
		}
		if (*letter == '?' || (letter[1] == '?' && !inst.merges) || (*letter == 'q' && random_below(out, 2)))
			continue;
		random_add(out, "%s", *letter == 'q' || *letter == 'Q' ? "|" : between);
		if (!letter[1] && random_has_mask(form))
			random_add(out, "-1");
		else
			random_operand(out, &inst, *letter, destination);
		between = ", ";
	}
	random_add(out, ";");
}

/* Forms of instructions that may be anywhere. Control flow and barriers have their own positions; DMA has its own
 * values. */
static inline const struct form *random_form(struct random_text *out)
{
	for (;;) {
		const struct form *form = &ptx_forms[random_below(out, ptx_form_count)];
		if (ptx_op_is_bulk(form->op) || is_old_form(form))
			continue;
		switch (form->op) {
		case PTX_OP_BRA:
		case PTX_OP_CALL:
		case PTX_OP_RET:
		case PTX_OP_EXIT:
		case PTX_OP_TRAP:
		case PTX_OP_BAR:
		case PTX_OP_BARRIER:
		case PTX_OP_BARRIER_CLUSTER:
		case PTX_OP_CP_ASYNC: /* the parser turns them into other instructions */
		case PTX_OP_CP_ASYNC_COMMIT:
		case PTX_OP_CP_ASYNC_WAIT:
		case PTX_OP_CP_ASYNC_WAIT_ALL:
		case PTX_OP_CP_ASYNC_ARRIVE:
		case PTX_OP_ALLOCA:
		case PTX_OP_STACKSAVE:
		case PTX_OP_STACKRESTORE:
		case PTX_OP_DMA_TYPE:
		case PTX_OP_DMA_HALO:
		case PTX_OP_DMA_SPACED:
		case PTX_OP_DMA_FLAT:
		case PTX_OP_DMA_STRIDED:
		case PTX_OP_DMA_MATRIX:
		case PTX_OP_DMA_EXECUTE:
		case PTX_OP_TEX:
		case PTX_OP_TLD4:
		case PTX_OP_TXQ:
		case PTX_OP_SUQ:
		case PTX_OP_SURED:
		case PTX_OP_SULD:
		case PTX_OP_SUST:
		case PTX_OP_MBARRIER:
		case PTX_OP_MMA:
		case PTX_OP_WMMA:
		case PTX_OP_LDMATRIX:
		case PTX_OP_STMATRIX:
			break;
		default:
			return form;
		}
	}
}

#endif
