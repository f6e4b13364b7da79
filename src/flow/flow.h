/* flow: control-flow and data-flow analyses of one PTX function, without time.
 *
 * The analyses and what each requires: cfg (a function), dominators (cfg), loops (dominators), liveness (cfg),
 * reaching definitions (cfg), registers (liveness).
 */
#ifndef SLUICE_FLOW_FLOW_H
#define SLUICE_FLOW_FLOW_H

#include "base/arena.h"
#include "ptx/module.h"

#define FLOW_NONE UINT32_MAX

/* A basic block: body[first..first+count). Block 0 is the entry. The last block is a virtual exit with count 0, the
 * successor of every block that returns (ret, exit, trap). */
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
	uint32_t blocks;    /* including the exit, which is block[blocks - 1] */
	uint32_t *block_of; /* per instruction: its block */
};

/* Builds the control-flow graph on the arena. The function must outlive it. */
struct flow_cfg *flow_cfg_build(struct arena *arena, const struct ptx_function *function);
/* Returns true when a block ends after the instruction. A call does not end a block: it returns. */
bool flow_ends_block(const struct ptx_inst *inst);
/* Returns the target of a branch; body_count is the end of the function. */
uint32_t flow_branch_target(const struct ptx_inst *branch);
/* Returns true when control can pass directly from one block to the other. */
bool flow_has_edge(const struct flow_cfg *cfg, uint32_t from, uint32_t to);
void flow_cfg_print(const struct flow_cfg *cfg, FILE *file); /* Graphviz */
/* The same with extra lines between a block's number and its instructions. The lines end in "\\l". */
void flow_cfg_print_beside(const struct flow_cfg *cfg, void (*beside)(void *user, uint32_t block, FILE *file),
                           void *user, FILE *file);

/* Return immediate dominators and post-dominators by block. FLOW_NONE for the root, and for blocks that are not
 * connected to it. */
uint32_t *flow_dominators(struct arena *arena, const struct flow_cfg *cfg);
uint32_t *flow_post_dominators(struct arena *arena, const struct flow_cfg *cfg);
bool flow_dominates(const uint32_t *idom, uint32_t above, uint32_t block); /* a block dominates itself */

/* A natural loop: all blocks that reach a back edge to its header without passing the header. */
struct flow_loop {
	uint32_t header;
	uint64_t *body; /* set of blocks */
};
/* Finds the loops, in order of their headers. Returns their number. */
uint32_t flow_loops(struct arena *arena, const struct flow_cfg *cfg, const uint32_t *idom, struct flow_loop **loops);

/* Returns, per instruction, where the paths of a branch reconverge: the first instruction of the immediate
 * post-dominator of its block. FLOW_NONE: they reconverge at the exit, or it is no branch. */
uint32_t *flow_reconvergence(struct arena *arena, const struct flow_cfg *cfg);

/* Live registers as bit sets (bit = register id), with `words` uint64_t per set. */
struct flow_liveness {
	uint32_t words;
	uint64_t *in, *out; /* by block: set b starts at [b * words] */
};
struct flow_liveness *flow_liveness(struct arena *arena, const struct flow_cfg *cfg);

/* Reaching definitions: each write of a register by an instruction is a definition; `words` uint64_t per set. */
struct flow_definitions {
	uint32_t count, words;
	uint32_t *inst;            /* by definition */
	/* by register: its first definition; by definition: the next one of its register, or FLOW_NONE */
	uint32_t *first_of, *next;
	uint64_t *in;              /* by block: definitions that reach its begin; set b starts at [b * words] */
};
struct flow_definitions *flow_definitions(struct arena *arena, const struct flow_cfg *cfg);
/* Finds the instructions whose values a register may hold before instruction `at`. Stores the first `room` of them
 * and returns their total number. */
uint32_t flow_reaching(const struct flow_definitions *definitions, const struct flow_cfg *cfg, uint32_t at, uint32_t reg,
                       uint32_t *inst, uint32_t room);

/* Registers per thread by linear-scan coloring of live ranges over 32-bit physical registers. 64-bit values take
 * an aligned pair. Predicates have a separate register file. */
struct flow_registers {
	uint32_t registers;  /* 32-bit registers per thread; the caller of this pass adds the callees' needs */
	uint32_t predicates; /* predicate registers per thread */
	uint32_t *assigned;  /* by register id: first physical register, or FLOW_NONE if never live */
};
/* Returns the number of 32-bit physical registers for the type: 1, 2 or 4. The alignment is the same number. */
uint32_t flow_register_width(enum ptx_type type);
struct flow_registers *flow_registers(struct arena *arena, const struct flow_cfg *cfg,
                                      const struct flow_liveness *live);

/* Returns the registers per thread of a kernel's PTX with all functions that it can call. At each call it adds the
 * registers live across it and the callee's need, along the deepest path. */
uint32_t flow_kernel_registers(const struct ptx_function *kernel);

/* Registers per thread that an assembler would allocate for a kernel with all functions that it can call. The
 * assembled code differs from the PTX. Constants and copies take no register, addresses of shared memory take 32
 * bits, and one register is the stack pointer. Loads are issued early, and registers stay unused for a while before
 * reuse. */
struct flow_assembled {
	uint32_t wanted; /* without a limit */
	/* smallest number without spilling: no load is issued early, and registers are reused at once */
	uint32_t least;
};
struct flow_assembled flow_assembled_registers(const struct ptx_function *kernel);
/* Returns true when a kernel fits into the register limit without spilling. */
bool flow_kernel_fits(const struct ptx_function *kernel, uint32_t limit);

/* Registers that were moved to local memory. */
struct flow_spills {
	uint32_t bytes;         /* per thread */
	uint32_t loads, stores; /* instructions inserted */
};
/* Rewrites a kernel of the module, and the functions that it can call, so that flow_kernel_registers() is at most
 * `limit`. Registers with long live ranges and few uses move to local memory. Predicates have their own file and
 * are not spilled. Returns false when some instructions need more registers. The rewritten module prints, parses
 * and computes the same results. Requires nothing; invalidates all earlier analyses. */
bool flow_spill(struct ptx_module *module, const struct ptx_function *kernel, uint32_t limit,
                struct flow_spills *spills);

#endif
