/* flow: control and data flow of one PTX function, without time.
 *
 * Each analysis says what it requires: cfg (a function), dominators (cfg), loops (dominators), liveness (cfg), reaching
 * definitions (cfg), registers (liveness).
 */
#ifndef SLUICE_FLOW_FLOW_H
#define SLUICE_FLOW_FLOW_H

#include "base/arena.h"
#include "ptx/module.h"

#define FLOW_NONE UINT32_MAX

/* A basic block: body[first..first+count). Block 0 is the entry; the last block is a virtual exit with count 0, to
 * which every returning (ret, exit, trap) block leads. */
struct flow_block {
	uint32_t first, count;
	uint32_t *successor;
	uint32_t successors;
	uint32_t *predecessor;
	uint32_t predecessors;
	bool reachable;
};

struct flow_cfg {
	const struct ptx_function *function;
	struct flow_block *block;
	uint32_t blocks;    /* with the exit, which is block[blocks - 1] */
	uint32_t *block_of; /* per instruction: its block */
};

struct flow_cfg *flow_cfg_build(struct arena *arena, const struct ptx_function *function);
/* Whether a block ends behind the instruction. A call does not end one: it comes back. */
bool flow_ends_block(const struct ptx_inst *inst);
/* The instruction that a branch goes to; body_count is the end of the function. */
uint32_t flow_branch_target(const struct ptx_inst *branch);
/* Whether control can go from one block straight to the other. */
bool flow_has_edge(const struct flow_cfg *cfg, uint32_t from, uint32_t to);
void flow_cfg_print(const struct flow_cfg *cfg, FILE *file); /* Graphviz */
/* The same, with lines of one's own, which end in "\\l", between a block's number and its instructions. */
void flow_cfg_print_beside(const struct flow_cfg *cfg, void (*beside)(void *user, uint32_t block, FILE *file),
                           void *user, FILE *file);

/* Immediate dominators and post-dominators by block; FLOW_NONE for the root and for blocks that do not reach it. */
uint32_t *flow_dominators(struct arena *arena, const struct flow_cfg *cfg);
uint32_t *flow_post_dominators(struct arena *arena, const struct flow_cfg *cfg);
bool flow_dominates(const uint32_t *idom, uint32_t above, uint32_t block); /* a block dominates itself */

/* A natural loop: all blocks that reach a branch back to its header without passing it. */
struct flow_loop {
	uint32_t header;
	uint64_t *body; /* set of blocks */
};
/* The loops in order of their headers; returns how many. */
uint32_t flow_loops(struct arena *arena, const struct flow_cfg *cfg, const uint32_t *idom, struct flow_loop **loops);

/* Per instruction: where the paths of a branch meet again: the first instruction of the immediate post-dominator of
 * its block, or FLOW_NONE (meet at exit, or not a branch). */
uint32_t *flow_reconvergence(struct arena *arena, const struct flow_cfg *cfg);

/* Live registers as bit sets (bit = register id), `words` uint64_t a set. */
struct flow_liveness {
	uint32_t words;
	uint64_t *in, *out; /* by block: set b starts at [b * words] */
};
struct flow_liveness *flow_liveness(struct arena *arena, const struct flow_cfg *cfg);

/* Reaching definitions: each write of a register by an instruction is one; `words` uint64_t a set. */
struct flow_definitions {
	uint32_t count, words;
	uint32_t *inst;            /* by definition */
	uint32_t *first_of, *next; /* by register its first definition, by definition the next of its register, or FLOW_NONE */
	uint64_t *in;              /* by block: those that reach its begin; set b starts at [b * words] */
};
struct flow_definitions *flow_definitions(struct arena *arena, const struct flow_cfg *cfg);
/* The instructions whose values a register may have in front of instruction `at`: stores the first `room` of them, returns how many
 * there are. */
uint32_t flow_reaching(const struct flow_definitions *definitions, const struct flow_cfg *cfg, uint32_t at, uint32_t reg,
                       uint32_t *inst, uint32_t room);

/* Registers per thread by linear-scan colouring of live ranges over 32-bit physical registers: 64-bit values take an
 * aligned pair, predicates live in their own file. */
struct flow_registers {
	uint32_t registers;  /* 32-bit registers per thread, callees' needs included by the caller of this pass */
	uint32_t predicates; /* predicate registers per thread */
	uint32_t *assigned;  /* by register id: first physical register, or FLOW_NONE when never live */
};
/* 32-bit physical registers that a register of the type takes: 1, 2 or 4; so is its alignment. */
uint32_t flow_register_width(enum ptx_type type);
struct flow_registers *flow_registers(struct arena *arena, const struct flow_cfg *cfg,
                                      const struct flow_liveness *live);

/* Registers per thread of a kernel's PTX with all that it can call: at each call, what lives across it and what the
 * callee needs, down the deepest path. */
uint32_t flow_kernel_registers(const struct ptx_function *kernel);

/* Registers per thread that an assembler would give a kernel with all that it can call. Its code is another: constants
 * and copies take no register, addresses of shared memory 32 bits, and one register is the stack pointer's; loads go
 * early, and registers rest before they are used again. */
struct flow_assembled {
	uint32_t wanted; /* where nobody sets a limit */
	uint32_t least;  /* with which it need not spill: nothing goes early, no register rests */
};
struct flow_assembled flow_assembled_registers(const struct ptx_function *kernel);
/* Whether a kernel needs no spilling to have no more registers than the limit. */
bool flow_kernel_fits(const struct ptx_function *kernel, uint32_t limit);

/* What lies in local memory instead of registers. */
struct flow_spills {
	uint32_t bytes;         /* a thread */
	uint32_t loads, stores; /* instructions inserted */
};
/* Rewrites a kernel, and what it can call, of the module so that flow_kernel_registers() is at most `limit`: registers
 * that live long and are used little go to local memory. Predicates, which have a file of their own, stay. False: there
 * are instructions that need more. The rewritten module prints, parses and computes the same.
 * Requires nothing; breaks every analysis made before. */
bool flow_spill(struct ptx_module *module, const struct ptx_function *kernel, uint32_t limit,
                struct flow_spills *spills);

/* Bytes of shared and local memory of a kernel: its own, its callees' and what they reference of the module's. */
struct flow_memory {
	uint64_t shared_bytes, local_bytes;
};
struct flow_memory flow_kernel_memory(const struct ptx_function *kernel);

#endif
