/* symbolic: values of registers as polynomials over atoms. Internal to flow.
 *
 * A value of `bits` bits is exact modulo 2^bits. Widening assumes that its integer value lies in a range. This
 * assumption is stored as a need, to be proven when a launch supplies numbers.
 */
#ifndef SLUICE_FLOW_SYMBOLIC_H
#define SLUICE_FLOW_SYMBOLIC_H

#include "flow/affine.h"

enum { SYM_FACTORS = 4, SYM_MAX_TERMS = 48, SYM_OPERANDS = 3 };

/* coef * product of atoms; the atoms are sorted. */
struct sym_term {
	int64_t coef;
	uint32_t factors, factor[SYM_FACTORS];
};

/* A sum of terms with distinct atoms, sorted; no coefficient is 0. */
struct sym_poly {
	uint32_t count;
	struct sym_term term[];
};

/* The polynomial, as an integer, must lie in [low, high]. In loops this holds for every iteration up to the present
 * one, so facts about the present iteration alone prove nothing. */
struct sym_need {
	const struct sym_poly *poly;
	uint32_t exact; /* the value is correct modulo 2^exact even if the need fails */
	int64_t low, high;
	bool every_iteration;
	const struct sym_need *next;
};

struct sym_value {
	const struct sym_poly *poly;
	const struct sym_need *needs;
	uint32_t bits;
};

enum sym_kind {
	SYM_PARAM,   /* `bytes` of a kernel parameter */
	SYM_SREG,    /* an index or extent of grid, block, block index, thread index */
	SYM_SYMBOL,  /* the address of a variable */
	SYM_COUNTER, /* number of times that a loop's header has been reached again: 0, 1, ... */
	SYM_PHI,     /* a register at a loop's header: `resolved`, or an induction that is not affine */
	SYM_LOAD,    /* read from memory */
	SYM_CONTROL, /* depends on a branch, or on a predicate */
	SYM_OP,      /* an operation other than + - * */
};

struct sym_atom {
	enum sym_kind kind;
	uint32_t key, key2; /* identity of the atom: instruction, register, loop, offset */
	const struct ptx_variable *variable;
	uint32_t block;  /* where its value is defined; FLOW_NONE: before the kernel begins */
	uint32_t inst;   /* LOAD, CONTROL, OP: for text; FLOW_NONE if there is none */
	uint32_t bytes;  /* PARAM */
	bool is_signed;  /* PARAM */
	bool is_pointer; /* PARAM: became a global address */
	enum ptx_sreg sreg;
	uint32_t operands; /* OP: operands of the instruction, if a launch can evaluate it */
	struct sym_value operand[SYM_OPERANDS];
	const struct sym_value *resolved;
	enum sym_kind cause; /* PHI without `resolved`: the reason why it is not affine */
};

struct sym_entry;

/* One function under analysis. */
struct sym {
	struct arena *arena;
	const struct ptx_function *function;
	const struct flow_cfg *cfg;
	uint32_t *idom;
	struct flow_loop *loop;
	uint32_t loops;
	bool reducible; /* every cycle is a natural loop */
	struct sym_atom *atom;
	uint32_t atoms, atom_room;
	struct sym_value **result;   /* by instruction: the written value; vectors and predicates have none */
	struct sym_entry **at_entry; /* by block: registers computed so far */
	uint64_t *defines;           /* by block: set of registers written */
	uint64_t **between;          /* by block: set of blocks between its immediate dominator and itself */
	uint32_t reg_words, block_words;
};

/* Polynomials. They are immutable. A NULL result means that it would be too long. */
const struct sym_poly *sym_constant(struct arena *arena, int64_t value);
const struct sym_poly *sym_atom_poly(struct arena *arena, uint32_t atom);
/* Returns a + factor * b, with coefficients reduced to `bits`. */
const struct sym_poly *sym_add(struct arena *arena, const struct sym_poly *a, const struct sym_poly *b, int64_t factor,
                               uint32_t bits);
const struct sym_poly *sym_multiply(struct arena *arena, const struct sym_poly *a, const struct sym_poly *b,
                                    uint32_t bits);
bool sym_equal(const struct sym_poly *a, const struct sym_poly *b);
bool sym_is_constant(const struct sym_poly *poly, int64_t *value);
int64_t sym_reduce(uint64_t value, uint32_t bits); /* reduces to the signed number of `bits` bits */
bool sym_mentions(const struct sym_poly *poly, uint32_t atom);
/* Writes an index as text: the polynomial divided by `divisor`, which divides all coefficients. */
char *sym_text(const struct sym *sym, const struct sym_poly *poly, int64_t divisor);

/* Values of registers (values.c). */
void sym_open(struct sym *sym, struct arena *arena, const struct ptx_function *function);
uint32_t sym_intern(struct sym *sym, const struct sym_atom *atom);
/* Returns the only instruction whose result a register can hold before `inst`. FLOW_NONE: there are several, or it
 * is guarded. */
uint32_t sym_definition(struct sym *sym, uint32_t reg, uint32_t inst);
struct sym_value sym_operand(struct sym *sym, uint32_t inst, uint32_t index, uint32_t bits);
/* Returns the address that a memory instruction accesses. */
struct sym_value sym_address(struct sym *sym, uint32_t inst, uint32_t index);
/* Replaces resolved atoms by their values. */
struct sym_value sym_expand(struct sym *sym, struct sym_value value);

/* Computes the value of an instruction from its operands (symbolic_ops.c). */
struct sym_value sym_compute(struct sym *sym, uint32_t inst);
/* Returns an unknown result of the instruction; `which` distinguishes its several unknowns. */
struct sym_value sym_opaque(struct sym *sym, enum sym_kind kind, uint32_t inst, uint32_t which, uint32_t bits);
const struct sym_need *sym_join_needs(struct arena *arena, const struct sym_need *a, const struct sym_need *b);
struct sym_value sym_narrow(struct sym *sym, struct sym_value value, uint32_t bits);

/* A comparison that is known to be true. */
struct sym_condition {
	enum ptx_cmp cmp; /* EQ to GE */
	bool is_signed;
	uint32_t bits;
	struct sym_value left, right;
	struct sym_condition *next;
};
/* Prepends to `next` the comparisons that are true when the predicate is `holds` before `inst`. */
struct sym_condition *sym_conditions(struct sym *sym, uint32_t predicate, uint32_t inst, bool holds,
                                     struct sym_condition *next);
/* Returns the comparisons that are true wherever the block runs, from the branches that lead to it, farthest first. */
struct sym_condition *sym_guards(struct sym *sym, uint32_t block);

/* The condition for a loop to continue, tested in every iteration by `block`; control then passes to `into`. */
struct sym_stay {
	struct sym_condition *condition; /* a single condition; `next` is not used */
	uint32_t block, into;
	struct sym_stay *next;
};
struct sym_stay *sym_stays(struct sym *sym, const struct flow_loop *loop);

/* The types of affine_kernel.state and affine_load.form. */
struct affine_state {
	struct sym sym;
	struct sym_stay **stays;       /* by loop */
	bool *bounding;                /* by loop: its bounds are being computed */
	struct sym_condition **guards; /* by block; computed on demand */
};
struct affine_form {
	struct sym_value index; /* bytes from the array's pointer */
	struct sym_condition *guards;
	uint32_t base; /* atom */
};

#endif
