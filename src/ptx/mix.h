/* mix: static instruction counts of a function, by kind. */
#ifndef SLUICE_PTX_MIX_H
#define SLUICE_PTX_MIX_H

#include "ptx/module.h"

/* The kinds: name, meaning. */
#define PTX_MIX_KINDS(X)                                                                                               \
	X(LD, "ld", "load from global, shared or parameter space: ld, ldu")                                            \
	X(BAR, "bar", "synchronization of the block: bar, barrier")                                                    \
	X(CVT, "cvt", "conversion of a type or an address: cvt, cvta")                                                 \
	X(MOV, "mov", "move: mov")                                                                                     \
	X(ST, "st", "store to global or shared space: st")                                                             \
	X(ADD, "add", "addition: add, addc, sub, subc")                                                                \
	X(MUL, "mul", "multiplication, also with an addition: mul, mul24, mad, madc, mad24, fma")                      \
	X(EXIT, "exit", "end of the thread: exit, ret")                                                                \
	X(OTHER, "other", "all others")

enum ptx_mix_kind {
#define KIND(id, name, meaning) PTX_MIX_##id,
	PTX_MIX_KINDS(KIND)
#undef KIND
	PTX_MIX_KIND_COUNT
};

struct ptx_mix {
	uint32_t unit[PTX_UNITS], opcode[PTX_OPCODES], space[PTX_SPACES]; /* space: only memory instructions */
	uint32_t kind[PTX_MIX_KIND_COUNT];
	uint32_t instructions; /* total */
};

/* Counts the instructions of a function in its text, not as executed. */
void ptx_mix_count(const struct ptx_function *function, struct ptx_mix *mix);

const char *ptx_mix_kind_name(enum ptx_mix_kind kind);    /* "ld" */
const char *ptx_mix_kind_meaning(enum ptx_mix_kind kind); /* "load from ..." */

#endif
