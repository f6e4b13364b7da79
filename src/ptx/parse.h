/* parse: interface between the files of the PTX parser. Nothing outside src/ptx includes it.
 *
 *    lex.c            text to tokens
 *    symbols.c        names, scopes, declarations
 *    expr.c           constant expressions
 *    check.c          operands against their form of ops.h
 *    check_form.c     suffixes and types against the forms of ops.h
 *    parse.c          module level
 *    parse_var.c      variables and their initial values
 *    parse_params.c   heads of functions, prototypes
 *    parse_body.c     bodies of functions
 *    parse_inst.c     instructions, suffixes
 *    parse_operand.c  operands, calls
 *    parse_indexed.c  branches by an index
 *    parse_copy.c     asynchronous copies
 *    parse_bulk.c     bulk copies
 *    parse_wmma.c     loads and stores of wmma matrices
 *    parse_code.c     instructions to be inserted into an existing function
 *    alias.c          other names of functions
 *    split_wide.c     accesses that are split into several
 *    refused.c        PTX that is not supported
 *
 * A function that returns bool returns false after it has reported an error. The caller then skips to the end of the
 * statement and continues.
 */
#ifndef SLUICE_PTX_PARSE_H
#define SLUICE_PTX_PARSE_H

#include "ptx/module.h"

#include <string.h>

#define TYPE_BIT(type) (UINT64_C(1) << PTX_##type)

/* The sets of types in the forms of ops.h. */
#define TYPES_NO_TYPE UINT64_C(0)
#define TYPES_PRED TYPE_BIT(PRED)
#define TYPES_B32 TYPE_BIT(B32)
#define TYPES_B32_B64 (TYPE_BIT(B32) | TYPE_BIT(B64))
#define TYPES_BITS (TYPE_BIT(B16) | TYPES_B32_B64)
#define TYPES_LOGIC (TYPES_PRED | TYPES_BITS)
#define TYPES_U32 TYPE_BIT(U32)
#define TYPES_S32 TYPE_BIT(S32)
#define TYPES_INT32 (TYPES_U32 | TYPES_S32)
#define TYPES_INT64 (TYPE_BIT(U64) | TYPE_BIT(S64))
#define TYPES_INT_16_32 (TYPES_INT32 | TYPE_BIT(U16) | TYPE_BIT(S16))
#define TYPES_INT_32_64 (TYPES_INT32 | TYPES_INT64)
#define TYPES_INT (TYPES_INT_16_32 | TYPES_INT64)
#define TYPES_SIGNED (TYPE_BIT(S16) | TYPES_S32 | TYPE_BIT(S64))
#define TYPES_UNSIGNED (TYPES_INT & ~TYPES_SIGNED)
#define TYPES_ANYINT (TYPES_INT | TYPES_BITS)
#define TYPES_F16 TYPE_BIT(F16)
#define TYPES_F32 TYPE_BIT(F32)
#define TYPES_F64 TYPE_BIT(F64)
#define TYPES_BF16 TYPE_BIT(BF16)
#define TYPES_F16X2 TYPE_BIT(F16X2)
#define TYPES_BF16X2 TYPE_BIT(BF16X2)
#define TYPES_TF32 TYPE_BIT(TF32)
#define TYPES_HALVES (TYPES_F16 | TYPES_F16X2)
#define TYPES_BRAIN (TYPES_BF16 | TYPES_BF16X2)
#define TYPES_ALL_HALVES (TYPES_HALVES | TYPES_BRAIN)
#define TYPES_SMALL (TYPES_F16 | TYPES_BF16)
#define TYPES_F16_F64 (TYPES_F16 | TYPES_F64)
#define TYPES_PACKED (TYPES_F16X2 | TYPES_BF16X2)
#define TYPES_S16X2 TYPE_BIT(S16X2)
#define TYPES_INT16X2 (TYPE_BIT(U16X2) | TYPES_S16X2)
#define TYPES_RELU (TYPES_S16X2 | TYPES_S32)
#define TYPES_F32X2 TYPE_BIT(F32X2)
#define TYPES_F32_F64 (TYPES_F32 | TYPES_F64)
#define TYPES_F32_F16 (TYPES_F32 | TYPES_HALVES)
#define TYPES_F32_F16X2 (TYPES_F32 | TYPES_F16X2)
#define TYPES_INT_F64 (TYPES_INT | TYPES_F64)
#define TYPES_SIGNED_F64 (TYPES_SIGNED | TYPES_F64)
#define TYPES_INT32_F32 (TYPES_INT32 | TYPES_F32)
#define TYPES_SET (TYPES_INT32_F32 | TYPES_SMALL)
#define TYPES_SET_F32 (TYPES_INT32_F32 | TYPES_F16)
#define TYPES_SET_F16 (TYPES_INT_16_32 | TYPES_F16)
#define TYPES_SET_BF16 (TYPES_INT_16_32 | TYPES_BF16)
#define TYPES_SET_F16X2 (TYPES_INT32 | TYPES_F16X2)
#define TYPES_SET_BF16X2 (TYPES_INT32 | TYPES_BF16X2)
#define TYPES_ADDABLE (TYPES_INT32 | TYPE_BIT(U64) | TYPES_F32_F64)
#define TYPES_SELECT (TYPES_ANYINT | TYPES_F32_F64)
#define TYPES_MOVABLE (TYPES_SELECT | TYPES_PRED)
#define TYPES_BYTE (TYPE_BIT(U8) | TYPE_BIT(S8) | TYPE_BIT(B8))
#define TYPES_WHOLE (TYPES_INT | TYPE_BIT(U8) | TYPE_BIT(S8))
#define TYPES_WHOLE_SIGNED (TYPES_SIGNED | TYPE_BIT(S8))
#define TYPES_U8 TYPE_BIT(U8)
#define TYPES_U16 TYPE_BIT(U16)
#define TYPES_U64 TYPE_BIT(U64)
#define TYPES_S8 TYPE_BIT(S8)
#define TYPES_S16 TYPE_BIT(S16)
#define TYPES_S64 TYPE_BIT(S64)
#define TYPES_NOT_U8 (TYPES_WHOLE & ~TYPES_U8) /* values that .u8 does not have */
#define TYPES_NOT_U16 (TYPES_NOT_U8 & ~TYPES_U16)
#define TYPES_NOT_U32 (TYPES_NOT_U16 & ~TYPES_U32)
#define TYPES_NOT_S8 (TYPES_WHOLE & ~TYPES_S8)
#define TYPES_NOT_S16 (TYPES_NOT_S8 & ~(TYPES_U8 | TYPES_S16))
#define TYPES_NOT_S32 (TYPES_NOT_S16 & ~(TYPES_U16 | TYPES_S32))
#define TYPES_WHOLE_F64 (TYPES_WHOLE | TYPES_F64)
#define TYPES_MEMORY (TYPES_SELECT | TYPES_BYTE | TYPE_BIT(B128))
#define TYPES_TEXTURE (TYPES_INT32_F32 | TYPES_F16)
#define TYPES_COORDINATE (TYPES_S32 | TYPES_F32)
#define TYPES_SURFACE (TYPES_BITS | TYPE_BIT(B8))
#define TYPES_INT_32_U64 (TYPES_INT32 | TYPE_BIT(U64))
#define TYPES_ADDRESS (TYPES_U32 | TYPE_BIT(U64))
#define TYPES_B16 TYPE_BIT(B16)
#define TYPES_B64 TYPE_BIT(B64)
#define TYPES_F16_F32 (TYPES_F16 | TYPES_F32)
#define TYPES_INT8 (TYPE_BIT(U8) | TYPE_BIT(S8))
#define TYPES_INT4 (TYPE_BIT(U4) | TYPE_BIT(S4))
#define TYPES_B1 TYPE_BIT(B1)
#define TYPES_FLOAT8 (TYPE_BIT(E4M3) | TYPE_BIT(E5M2))
#define TYPES_INT_16_PAIR (TYPE_BIT(U16) | TYPE_BIT(S16))
#define TYPES_FEW_BITS (TYPES_INT8 | TYPES_INT4 | TYPE_BIT(U2) | TYPE_BIT(S2))
#define TYPES_FLOAT8X2 (TYPE_BIT(E4M3X2) | TYPE_BIT(E5M2X2))
#define TYPES_FLOAT6X2 (TYPE_BIT(E2M3X2) | TYPE_BIT(E3M2X2))
#define TYPES_FLOAT4X2 TYPE_BIT(E2M1X2)
#define TYPES_WORDS (TYPES_INT32_F32 | TYPES_B32)
#define TYPES_LONGS (TYPES_INT64 | TYPE_BIT(B64) | TYPES_F64)
#define TYPES_B128 TYPE_BIT(B128)

/* The groups of suffixes in the rows of ops.h. */
enum modifier {
	NONE = 0,
	CARRY = 1 << 0,
	ROUND = 1 << 1,
	CVT_ROUND = 1 << 2,
	FTZ = 1 << 3,
	SAT = 1 << 4,
	HALF = 1 << 5,
	APPROX = 1 << 6,
	COPY = 1 << 7,
	SHF = 1 << 8,
	PRMT = 1 << 9,
	MORE = 1 << 10, /* words with one meaning in all opcodes */
	CMP = 1 << 11,
	BOOL = 1 << 12,
	EVENTS = 1 << 13,
	SPACE = 1 << 14,
	TO = 1 << 15,
	CACHE = 1 << 16,
	VECTOR = 1 << 17,
	ORDER = 1 << 18,
	NC = 1 << 19,
	ATOMIC = 1 << 20,
	PREFETCH = 1 << 21,
	GEOMETRY = 1 << 22,
	CLAMP = 1 << 23,
	UNI = 1 << 24,
	BARRIER = 1 << 25,
	SCOPE = 1 << 26,
	VOTE = 1 << 27,
	MATCH = 1 << 28,
	SHUFFLE = 1 << 29,
	REDUX = 1 << 30,
	TEXEL = INT32_MIN, /* bit 31 */
};

/* A row of ops.h. */
struct op_row {
	const char *name;
	uint32_t modifiers;
	enum ptx_unit unit;
	enum ptx_latency latency;
};
extern const struct op_row ptx_ops[PTX_OPCODES];

/* A form of an opcode. Forms are in the order of the opcodes. */
struct form {
	enum ptx_opcode op;
	/* sets; empty if the form has no such type. A third type is from the second set (except in cvt.pack) */
	uint64_t types, types2;
	const char *suffixes, *operands;
};
extern const struct form ptx_forms[];
extern const uint32_t ptx_form_count;

/* An opcode's forms, and the union of their types. */
struct op_forms {
	const struct form *first;
	uint32_t count;
	uint64_t types, types2;
};

/* A suffix. In an opcode of one of the groups it sets the field at `offset` to `value`. Rows are in the order in
 * which suffixes are printed. */
struct suffix {
	const char *word;
	uint32_t groups;
	uint16_t offset;
	uint8_t size; /* of the field: 1, 2 or 4 */
	uint16_t value;
	bool behind_types; /* printed after the types */
};
enum { MAX_SUFFIXES = 400 };
extern const struct suffix ptx_suffixes[];
extern const uint32_t ptx_suffix_count;

static inline uint32_t suffix_field(const struct suffix *suffix, const struct ptx_inst *inst)
{
	const char *field = (const char *)inst + suffix->offset;
	return suffix->size == 1   ? *(const uint8_t *)field
	       : suffix->size == 2 ? *(const uint16_t *)field
	                           : *(const uint32_t *)field;
}

/* Returns true when a form's instructions have a type for each of the four matrices. wmma instructions on f16 name
 * only the types of the result and of C. */
static inline bool has_fourth_type(const struct form *form)
{
	return form->op == PTX_OP_MMA || (form->op == PTX_OP_WMMA && form->types2 != TYPES_F16_F32);
}

/* Returns true when they have a third type. vset instructions do not name their result's type; cvt.pack names the
 * type of the third operand. */
static inline bool has_third_type(const struct form *form)
{
	enum ptx_opcode op = form->op;
	if (op == PTX_OP_CVT_PACK)
		return form->types == TYPES_FEW_BITS;
	return has_fourth_type(form) ||
	       (ptx_op_is_video(op) && op != PTX_OP_VSET && op != PTX_OP_VSET2 && op != PTX_OP_VSET4);
}

/* Returns the set of the third type. */
static inline uint64_t third_types(const struct form *form)
{
	if (!has_third_type(form))
		return 0;
	switch (form->op) {
	case PTX_OP_CVT_PACK:
		return TYPES_B32;
	case PTX_OP_VSHL:
	case PTX_OP_VSHR: /* the number of positions */
		return TYPES_U32;
	default:
		return form->types2;
	}
}

/* Returns true for forms that only old versions or targets have (check_form.c). */
static inline bool is_old_form(const struct form *form)
{
	switch (form->op) {
	case PTX_OP_MAD:
		return form->types == TYPES_F32 && form->suffixes[0] == 'f'; /* "ftz? .." without a rounding */
	case PTX_OP_WMMA:
		return form->types == TYPES_F16_F32 && strstr(form->suffixes, "satfinite");
	default:
		return false;
	}
}

static inline bool has_type(uint64_t types, enum ptx_type type)
{
	return type < PTX_TEXREF && types >> type & 1;
}

enum symbol_kind { SYMBOL_REG, SYMBOL_VARIABLE, SYMBOL_FUNCTION, SYMBOL_LABEL, SYMBOL_PROTOTYPE, SYMBOL_TARGETS };

struct symbol {
	enum symbol_kind kind;
	uint32_t depth; /* of its scope: 0 is the module */
	uint32_t reg;	/* register id; label: target */
	struct ptx_variable *variable;
	struct ptx_function *function;
	const struct targets *targets;
	struct name *name;
	struct symbol *outer; /* a symbol of the same name, hidden by this one */
	struct symbol *next;  /* in its scope */
	struct diag_place place;
};

/* A distinct word of the file: its meaning as a keyword, and its current declaration. */
struct name {
	const char *text;
	uint32_t length, hash;
	struct symbol *symbol; /* the innermost */
	uint16_t opcode;       /* PTX_OPCODES: none */
	uint16_t suffix;       /* 1 + index of the first row of that word; 0: none */
	uint8_t type, space, sreg;
	uint32_t taken_in; /* serial number of the last function in which the name is taken */
	uint32_t copies;   /* last number appended to make it unique */
};

struct name_table {
	struct name **slot;
	uint32_t capacity, count;
};

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,   /* saxpy, %r1, $L_1 */
	TOKEN_DOT,    /* .word: `name` is the word without the dot */
	TOKEN_INT,    /* bits */
	TOKEN_FLOAT,  /* bits: an IEEE double or, with is_single, a single */
	TOKEN_STRING, /* text without the quotes */
	TOKEN_PUNCT,  /* text[0] */
};

struct token {
	enum token_kind kind;
	struct diag_place place;
	const char *text;
	uint32_t length;
	struct name *name;
	uint64_t bits;
	bool is_single;
	bool glued; /* nothing separates it from the token before */
};

/* A use of a label, to be resolved when the scope ends. */
struct label_use {
	struct name *name;
	struct ptx_operand *operand;
	struct label_use *next;
};

struct scope {
	struct scope *outer;
	struct symbol *symbols;
	struct label_use *uses;
	uint32_t depth;
};

struct parser {
	struct ptx_module *module;
	struct arena *arena;  /* the module's */
	struct arena scratch; /* gone when the parser is done */
	struct diag *diag;
	bool keeps_apart; /* errors inside a function are stored with the function */
	struct name_table names;
	uint16_t next_suffix[MAX_SUFFIXES]; /* 1 + index of the next row of the same word; 0: none */
	struct op_forms forms[PTX_OPCODES];

	/* lexer */
	const char *at, *end, *line_start;
	uint32_t line;
	struct token token;	   /* the current one */
	struct diag_place previous_end; /* just after the token before it */

	/* Ends of lists. */
	struct ptx_variable **variable_end, **local_end;
	struct ptx_function **function_end, **prototype_end;
	struct ptx_label **label_end;
	struct ptx_file **file_end;
	struct alias *aliases;
	struct ptx_function **defined; /* functions with a body, in order of definition */
	uint32_t defined_count, defined_capacity;

	/* The function being parsed. */
	struct scope *scope;
	struct ptx_function *function;
	uint32_t function_serial;
	struct ptx_inst *body;
	struct ptx_reg *regs;
	uint32_t body_count, body_capacity, reg_count, reg_capacity;
	uint32_t source_file, source_line, source_column;
};

/* lex.c */
void next_token(struct parser *p);
bool at_punct(const struct parser *p, char punct);
bool at_dot(const struct parser *p, const char *word);
bool accept_punct(struct parser *p, char punct);
bool accept_dot(struct parser *p, const char *word);
bool expect_punct(struct parser *p, char punct);
/* Expects a word and stores it in *name. `what` describes it for messages: "a label". */
bool expect_word(struct parser *p, struct name **name, const char *what);
bool expect_int(struct parser *p, uint64_t *value, uint64_t max, const char *what);
/* Expects the ';' of a statement. A missing one is reported at the end of the line on which it should be. */
bool expect_semicolon(struct parser *p);
/* Reports an error; returns false. */
__attribute__((format(printf, 3, 4))) bool fail(struct parser *p, struct diag_place place, const char *format, ...);
/* Reports "unexpected X; expected WHAT" at the current token. */
bool fail_expected(struct parser *p, const char *what);
/* Skips to after the next ';', or to a brace or the end. */
void skip_statement(struct parser *p);

/* symbols.c */
void names_open(struct parser *p);
void names_close(struct parser *p);
struct name *intern(struct parser *p, const char *text, uint32_t length);
void scope_open(struct parser *p, struct scope *scope);
void scope_close(struct parser *p);
/* Declares a new symbol in the current scope. In a function, *unique receives its name there. It differs from the
 * written name when flattened scopes declare it twice. Returns NULL after an error. */
struct symbol *declare(struct parser *p, enum symbol_kind kind, struct name *name, struct diag_place place,
		       const char **unique);
/* Returns the innermost symbol of that name, or NULL. */
struct symbol *lookup(struct parser *p, struct name *name);
/* Return the known word nearest to `name`, for "did you mean", or NULL. */
const char *nearest_opcode(const struct name *name);
const char *nearest_suffix(const struct parser *p, const struct name *name, enum ptx_opcode op);

/* expr.c */
struct constant {
	bool is_float, is_single;
	uint64_t bits;
};
bool parse_constant(struct parser *p, struct constant *value);
bool parse_integer(struct parser *p, int64_t *value);
double constant_double(const struct constant *value);

/* parse_var.c */
struct linkage {
	bool is_extern, is_visible, is_weak, is_common;
};
bool parse_type(struct parser *p, enum ptx_type *type);
/* ".align 4 .b8 x[12]": parses a declaration after its space. *name is NULL when the name is omitted or '_', which
 * only an `anonymous` declaration may do. */
bool parse_declarator(struct parser *p, struct ptx_variable *variable, struct name **name, bool anonymous);
/* Parses the variables of one statement, including its ';'. The current token is the space. */
bool parse_variables(struct parser *p, struct linkage linkage);
/* Places a variable after those already laid out, whose total size is *end. */
void lay_out(struct ptx_variable *variable, uint64_t *end);
/* Lays out the variables of each space consecutively. */
void lay_out_all(struct ptx_variable *variables);

/* parse_params.c: functions' signatures */
bool parse_params(struct parser *p, struct ptx_function *owner, bool results, bool declares);
/* Parses ".entry" or ".func" with its body; `linkage` was parsed before it. */
bool parse_function(struct parser *p, struct linkage linkage);
/* Parses .callprototype or .calltargets after a label; the current token is the directive. */
bool parse_prototype(struct parser *p, struct name *name, struct diag_place place);

/* parse_body.c: from after '{', including the '}' that ends the function */
bool parse_body(struct parser *p);
/* Skips to after the '}' of the block that begins here. Returns false when the block has no end. */
bool skip_block(struct parser *p);
/* Parses instructions up to the end of the text. Nothing else is allowed. */
bool parse_instructions(struct parser *p);
/* Parses statements that are not in the file, as if they were at the place. */
bool parse_inserted(struct parser *p, const char *text, size_t length, struct diag_place place);
/* Parse .loc, .file and .pragma; the current token is the directive. */
bool parse_loc(struct parser *p);
bool parse_file(struct parser *p);
bool parse_pragma(struct parser *p);

struct guard {
	uint32_t reg;
	bool negated;
};

/* parse_inst.c: from after the guard, including the ';' */
bool parse_instruction(struct parser *p, struct name *opcode, struct diag_place place, struct guard guard);
/* parse_indexed.c: parse_targets() starts at .branchtargets, parse_indexed_branch() after "brx" */
bool parse_targets(struct parser *p, struct name *name, struct diag_place place);
bool parse_indexed_branch(struct parser *p, struct diag_place place, struct guard guard);
/* parse_copy.c: the current token follows "cp" */
bool parse_async_copy(struct parser *p, struct diag_place place, struct guard guard);
/* parse_bulk.c: the current token follows `opcode`, "cp.async.bulk" or "cp.reduce.async.bulk" */
bool parse_bulk_copy(struct parser *p, const char *opcode, struct diag_place place, struct guard guard);
/* parse_wmma.c: the current token follows "wmma" and is .load or .store */
bool parse_wmma_access(struct parser *p, struct diag_place place, struct guard guard);
/* parse_operand.c */
bool parse_operand(struct parser *p, struct ptx_operand *operand);
/* Parses the selector of parts after a register of a video instruction, if there is one. */
void parse_selector(struct parser *p, struct ptx_operand *operand);
/* (results), function, (arguments), prototype */
bool parse_call(struct parser *p, struct ptx_inst *inst, struct ptx_operand *operand);

/* alias.c: parse_alias() parses after ".alias"; resolve_aliases() replaces the aliases when the module is complete. */
bool parse_alias(struct parser *p);
void resolve_aliases(struct parser *p);

/* split_wide.c: split_elements() returns the number of vector elements that an instruction can access at once.
 * split_instruction() splits an instruction that has more. */
uint32_t split_elements(const struct ptx_inst *inst);
bool split_instruction(struct parser *p, const struct ptx_inst *inst,
                       void (*add)(struct parser *p, const struct ptx_inst *inst));

/* refused.c: reports a PTX instruction that no machine here supports. The opcode identifies it, or the word at the
 * current token after it. Returns false, without a report, for other instructions. */
bool refused(struct parser *p, const struct name *opcode, struct diag_place place);

/* check_form.c */
enum { MOST_SUFFIXES = 8 };

/* The words between an opcode and its operands. */
struct written {
	const struct suffix *suffix[MOST_SUFFIXES];
	struct diag_place place[MOST_SUFFIXES], type[4];
	uint32_t count;
};

/* Sets up parser.forms. */
void forms_open(struct parser *p);
/* Returns the form that matches the instruction's suffixes and types. Reports an error and returns NULL when there
 * is none. */
const struct form *check_form(struct parser *p, const struct ptx_inst *inst, const struct written *written);

/* check.c */
/* Checks a call's three operands against the signature of the callee. */
bool check_call(struct parser *p, const struct ptx_inst *inst, const struct ptx_operand *operand,
		const struct ptx_function *signature);
/* Checks operands against the form's pattern and sets inst->destinations. Bit k of `paired`: operand k followed '|'. */
bool check_operands(struct parser *p, struct ptx_inst *inst, uint32_t paired);

#endif
