/* private: interface between the files of this module. */
#ifndef SLUICE_CUDA_SOURCE_PRIVATE_H
#define SLUICE_CUDA_SOURCE_PRIVATE_H

#include "cuda_source/source.h"

#include "base/arena.h"

/* --- The tree: the relevant part of a kernel's syntax, independent of libclang. --- */

enum type_kind { TYPE_OTHER, TYPE_INTEGER, TYPE_FLOAT, TYPE_POINTER, TYPE_RECORD, TYPE_ARRAY, TYPE_VOID };

struct type {
	enum type_kind kind;
	bool reference, is_unsigned, is_bool, is_union;
	const char *name;
	int64_t size;        /* 0: unknown */
	const char *target;  /* of a pointer or an array: type of its elements */
	int64_t target_size; /* 0: unknown */
};

enum decl_kind { DECL_LOCAL, DECL_PARAMETER, DECL_GLOBAL, DECL_TEMPLATE };

struct slot {               /* location of a variable, or of a member of one, in a state */
	const char *member; /* "" for the whole variable; ".x.y" */
	uint32_t number;
	struct slot *next;
};

struct decl {
	enum decl_kind kind;
	const char *name;
	struct type type;
	bool kernel_parameter; /* of a kernel, or of a kernel template */
	bool built_in;         /* declared by the toolkit: blockIdx and similar */
	bool exposed;          /* may be changed through a pointer or a reference */
	struct slot *slots;
};

enum node_kind {
	NODE_OTHER, /* an expression that is not analyzed; its children are evaluated */
	NODE_CONSTANT,
	NODE_VARIABLE,
	NODE_BINARY,
	NODE_ASSIGN, /* with op: compound */
	NODE_UNARY,
	NODE_CHOICE, /* ?: */
	NODE_SUBSCRIPT,
	NODE_MEMBER,
	NODE_CALL,
	NODE_CONSTRUCT,
	NODE_CAST, /* op 'x': an explicit cast, whose result is no variable */
	NODE_LAMBDA,
	NODE_NOTHING, /* an absent part of a for */
	NODE_BLOCK,
	NODE_DECLARE, /* child: initializer, if any */
	NODE_IF,      /* value: number of statements before its condition */
	NODE_FOR, /* initialization, condition, step, body */
	NODE_WHILE,
	NODE_DO, /* body, condition */
	NODE_SWITCH,
	NODE_CASE, /* statement; op 'd' for default */
	NODE_BREAK,
	NODE_CONTINUE,
	NODE_RETURN,
	NODE_ASSEMBLY,
	NODE_LOST, /* goto and similar: the order of statements differs from the text */
};

struct function;

struct node {
	enum node_kind kind;
	char op[5]; /* operator; unary: "++" prefix, "p++" postfix */
	struct type type;
	int64_t value;           /* constant; of a member: its offset in bytes, -1 unknown */
	struct decl *decl;       /* variable; of a declaration: the declared variable */
	const char *name;        /* member; called function */
	struct function *callee; /* body to follow, or NULL; of a lambda: its body */
	uint32_t references;     /* of a call: arguments that it may change through a reference, one bit each */
	struct node **children;
	uint32_t count;
	const char *text; /* position in the preprocessed text */
	uint32_t length;
	const char *file;
	uint32_t line, column;
};

struct function {
	const char *name, *file;
	uint32_t line, body_first, body_last;
	struct decl **parameters;
	uint32_t parameter_count;
	struct node *body;
	bool is_kernel, returns_reference;
	bool is_template; /* its template arguments are not substituted */
	bool is_lambda;
};

struct tree {
	struct arena *arena;
	struct function **kernels;
	uint32_t kernel_count;
};

/* Returns the preprocessed text of the file, allocated by malloc. Returns NULL with messages in diag. */
char *source_preprocess(const char *file, const struct source_options *options, size_t *length, struct diag *diag);

/* Reports an error, with the file's line below it if the file can be read. */
void source_message(struct diag *diag, const char *name, struct diag_place place, const char *message);

/* Parses preprocessed text. Returns false with messages in diag. */
typedef bool source_parser(struct tree *tree, const char *file, const char *text, size_t length, struct diag *diag);
source_parser source_parse;
/* The implementation, in the module that is linked with libclang (load.c). */
extern __attribute__((visibility("default"))) source_parser *const source_parse_here;

/* --- Polynomials over symbols. NULL is "unknown": too many terms, too high a degree, or overflow. --- */

enum { POLY_DEGREE = 6, POLY_TERMS = 96 };

struct monomial {
	int64_t coefficient;
	uint32_t degree;
	uint16_t symbol[POLY_DEGREE]; /* ascending */
};

struct poly {
	uint32_t count;
	struct monomial terms[];
};

/* poly_add() returns a + times_b * b. A NULL operand gives NULL. */
const struct poly *poly_constant(struct arena *arena, int64_t value);
const struct poly *poly_symbol(struct arena *arena, uint32_t symbol);
const struct poly *poly_add(struct arena *arena, const struct poly *a, const struct poly *b, int64_t times_b);
const struct poly *poly_multiply(struct arena *arena, const struct poly *a, const struct poly *b);
bool poly_equal(const struct poly *a, const struct poly *b);
bool poly_is_constant(const struct poly *poly, int64_t *value);
bool poly_has(const struct poly *poly, uint32_t symbol);

/* A polynomial that must lie between two numbers. Otherwise a machine number has wrapped around, and results
 * computed from it differ from their polynomials. Checked for each launch. */
struct claim {
	const struct poly *poly;
	int64_t least, most;
	const struct claim *next;
};

/* Trip count of a loop: it runs while room - slope * (iterations done) is above 0, or with `inclusive` not below 0.
 * It runs one more time if the condition is at the end. */
struct bound {
	const struct poly *room, *slope;
	bool known, inclusive, once_more;
	bool either; /* !=: it must reach the exact number */
	const struct poly *side[2]; /* the compared values, between `least` and `most`; NULL for pointers */
	int64_t least, most;
	const struct claim *claims;
};

struct source_loops {
	const struct source_symbol *const *symbols;
	const struct bound *bounds; /* by the symbol's number */
	uint32_t count;
};

/* --- Running a body on symbols. --- */

enum { CAUSE_OPERATOR = 1, CAUSE_INDIRECT = 2, CAUSE_CONTROL = 4, CAUSE_INDUCTION = 8 };

enum value_kind {
	VALUE_NUMBER,
	VALUE_ARRAY,  /* pointer into one of the kernel's arrays; the polynomial is in bytes */
	VALUE_SLOT,   /* pointer to a variable */
	VALUE_MEMORY, /* pointer elsewhere: shared, local, constant memory */
	VALUE_LAMBDA,
	VALUE_RECORD, /* a copy of a structure argument */
};

struct closure;

struct value {
	enum value_kind kind;
	uint8_t causes;
	uint32_t serial; /* distinguishes values without a polynomial */
	uint32_t number; /* array or slot */
	bool named; /* of VALUE_MEMORY: in an array or global variable, so that no other variable is at that location */
	const struct poly *poly;
	const struct claim *claims; /* conditions under which the polynomial is the value */
	const struct closure *closure;
	struct decl *record; /* a kernel parameter with its initial value */
};

struct owner { /* owner of a slot */
	struct decl *decl;
	const char *member;
	struct type type;
};

struct state {
	bool alive;
	uint32_t count; /* slots beyond it have their values at the kernel's start */
	struct value *values;
};

struct closure { /* a lambda, with the state in which it was created */
	const struct node *lambda;
	struct state made;
};

struct read {
	const struct node *at, *index;
	uint32_t array;
	uint8_t causes;
	const struct poly *poly;
	const struct claim *claims;
	struct type type;
	const char *unit; /* type of the elements that the index counts */
	int64_t unit_size;
};

struct frame { /* state of a function being run */
	struct state returned;
	struct value result;
	bool has_result;
	const struct function *function;
	const struct frame *caller;
};

struct jumps { /* states collected at break and continue */
	struct state broken, continued;
};

struct walk {
	struct arena *arena;
	struct state now;
	struct frame *frame;
	struct jumps *jumps;
	bool lost;       /* a statement with untracked control flow was found */
	uint32_t silent; /* above 0: reads are not recorded */
	uint32_t depth;
	uint32_t serials, slots;
	struct value *initial; /* initial value of each slot */
	struct owner *owners;
	uint32_t slot_capacity;

	const struct source_symbol **symbols;
	struct bound *bounds;
	uint32_t symbol_count, symbol_capacity;

	struct source_array *arrays;
	uint32_t array_count, array_capacity;
	struct read *reads;
	uint32_t read_count, read_capacity;
};

/* state.c */
struct value value_of(const struct poly *poly);
struct value value_unknown(struct walk *walk, uint8_t causes);
bool value_equal(const struct value *a, const struct value *b);

/* Return the number of a symbol, array or slot; they create it if it is new. walk_loop_symbol() always creates
 * one. */
uint32_t walk_symbol(struct walk *walk, enum source_symbol_kind kind, uint32_t axis, const char *name);
uint32_t walk_loop_symbol(struct walk *walk, const char *name);
uint32_t walk_slot(struct walk *walk, struct decl *decl, const char *member, const struct type *type);

/* Returns the value of a slot in a state. The pointer is valid until a newer slot of it is accessed. */
struct value *state_at(struct walk *walk, struct state *state, uint32_t slot);
struct state state_copy(const struct walk *walk, const struct state *state);

/* Merges the state of another path into `into`. A state that is not alive contributes nothing. */
void state_merge(struct walk *walk, struct state *into, const struct state *other);

/* Records a read, unless walk->silent. */
void walk_read(struct walk *walk, const struct read *read);

/* number.c: arithmetic, and the types in which it is computed */
struct value walk_convert(struct walk *walk, struct value value, const struct type *from, const struct type *to);

/* Returns the value with the claim that it lies in [least, most]. A constant outside loses its polynomial. */
struct value walk_claim(struct walk *walk, struct value value, int64_t least, int64_t most);
const struct claim *claim_join(struct walk *walk, const struct claim *a, const struct claim *b);
bool claim_equal(const struct claim *a, const struct claim *b);
void type_limits(const struct type *type, int64_t *least, int64_t *most);
struct value walk_offset(struct walk *walk, const struct node *node); /* an operand that moves a pointer */
/* Returns the name of a type. A called template's T is not the kernel's T. */
const char *walk_type_name(struct walk *walk, const char *type);
struct type walk_common_type(const char *op, const struct type *left, const struct type *right);
struct value walk_combine(struct walk *walk, const char *op, struct value left, struct value right,
                         const struct type *pointer, const struct type *result);

/* expression.c */
struct value walk_value(struct walk *walk, const struct node *node);

/* place.c: expressions that can be assigned to */
enum place_kind { PLACE_SLOT, PLACE_ARRAY, PLACE_OTHER };

struct lvalue {
	enum place_kind kind;
	uint32_t slot;
	bool apart;               /* of PLACE_OTHER: it is in no variable that has a slot */
	struct value value;       /* of PLACE_ARRAY: the pointer; of PLACE_OTHER: the content */
	struct type type;         /* type of the content */
	const struct node *index; /* the expression that selects the element */
	const char *unit;         /* the type that the index counts */
	int64_t unit_size;
};

/* Returns the place that an expression denotes, and records the reads that this needs. */
struct lvalue walk_place(struct walk *walk, const struct node *node);
/* expression.c: both store the expression's value in *value and return the changed place. */
struct lvalue walk_assign(struct walk *walk, const struct node *node, struct value *value);
struct lvalue walk_step(struct walk *walk, const struct node *node, struct value *value);
struct lvalue walk_target(struct walk *walk, struct value pointer, const struct type *used, const struct node *index,
                         const struct type *pointer_type);
struct value walk_load(struct walk *walk, const struct lvalue *place, const struct node *node);
void walk_store(struct walk *walk, const struct lvalue *place, struct value value);
struct value walk_address(struct walk *walk, const struct node *node);
struct value walk_bind(struct walk *walk, const struct node *node, const struct type *reference);

/* Makes all variables unknown that a pointer or a reference may change. */
void walk_forget_exposed(struct walk *walk);
void walk_declare(struct walk *walk, const struct node *node);

/* call.c */
struct value walk_call(struct walk *walk, const struct node *node);
struct value walk_merge_values(struct walk *walk, const struct value *a, const struct value *b);

/* walk.c, loop.c */
bool walk_changes(const struct node *node);
void walk_statement(struct walk *walk, const struct node *node);
void walk_loop(struct walk *walk, const struct node *loop);

/* index_table.c: the kernel in the form of source.h */
void walk_finish(struct walk *walk, const struct function *function, struct source_kernel *kernel);

#endif
