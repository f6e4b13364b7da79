/* affine: the addresses of a kernel's global loads, as affine functions of block and thread indexes.
 *
 * This is the analyzer of PTX; cuda_source/ has that of CUDA source. affine_analyze() finds the symbolic address of
 * each global load. affine_footprint() evaluates one load for a launch. It returns the bytes that a block reads as
 * rows, each an affine function of %ctaid: the affine footprint.
 *
 * Rows never miss a byte that the load reads through its array. A load without certain knowledge has no rows.
 * Wrap-around: arithmetic of 16, 32 and 64 bits is exact modulo its width, so overflow is not assumed away. Where a
 * value is widened or compared, its range over the whole launch must fit the type. The branches that lead to the
 * load narrow that range. If it does not fit, there are no rows. Only the 64-bit address space itself is assumed
 * not to wrap.
 *
 * Calls are not followed: loads in functions that a kernel calls are not listed.
 */
#ifndef SLUICE_FLOW_AFFINE_H
#define SLUICE_FLOW_AFFINE_H

#include "flow/flow.h"

enum affine_status {
	AFFINE_STATIC,       /* only constants that are known at launch */
	AFFINE_QUASI_STATIC, /* depends on threadIdx or blockIdx */
	AFFINE_INDUCTION,    /* not precalculable, like all below: depends on a loop's induction variable */
	AFFINE_INDIRECT,     /* depends on a value loaded from memory */
	AFFINE_CONTROL,      /* depends on the direction of a branch */
	AFFINE_OPERATOR,     /* uses an operation other than + - * */
	AFFINE_STATUSES
};
const char *affine_status_name(enum affine_status status); /* "quasi-static" */

struct affine_load {
	uint32_t inst; /* index in the function's body */
	uint32_t bytes, element_bytes;
	uint32_t source_file, source_line;  /* .loc; 0 if there is none */
	const struct ptx_variable *array;   /* the pointer parameter or the .global variable; NULL: unknown */
	uint64_t array_offset;              /* offset of the pointer in its parameter */
	bool is_parameter;                  /* array is a parameter */
	/* status: strict verdict; relaxed: also accepts loops with known bounds, and treats launch constants as
	 * constants */
	enum affine_status status, relaxed;
	bool loops_at_launch;               /* relaxed, but the bounds of a loop depend on the kernel's arguments */
	const char *expression;             /* the index in elements, or "bytes: ..." if it is not an integer */
	const void *form;                   /* used by affine_footprint() */
};

/* A kernel's loads, on the arena. The function must outlive them. */
struct affine_kernel {
	const struct ptx_function *function;
	struct affine_load *load;
	uint32_t loads;
	uint32_t arrays; /* number of pointer parameters, including those that are only written */
	bool calls;      /* it calls functions, whose loads are not listed */
	const void *state;
};
struct affine_kernel *affine_analyze(struct arena *arena, const struct ptx_function *function);

/* Return the name of a load's array, or "?". For a parameter, which clang names KERNEL_param_0, the name is
 * "param_0". */
const char *affine_array_name(const struct affine_kernel *kernel, const struct affine_load *load);
const char *affine_short_name(const struct ptx_function *function, const char *name);

struct affine_launch {
	uint32_t grid[3], block[3];
	const uint8_t *params; /* function->param_bytes bytes, including pointers */
	const bool *known;     /* per byte of params; NULL: all known */
	bool all_threads;      /* compute rows as if every thread, in every loop iteration, executed the load */
	uint32_t max_rows;     /* 0: 4096. A load with more rows gets fewer, longer ones */
	/* largest gap in bytes between ranges that are joined; 0: only adjacent ones. A gap inside one line costs
	 * nothing */
	uint32_t gap;
};

/* A block reads bytes [low, high) + ctaid[0] * x + ctaid[1] * y + ctaid[2] * z of its array, relative to the
 * array's pointer. Rows are not clipped to the allocation. */
struct affine_row {
	const struct ptx_variable *array;
	uint64_t array_offset;
	int64_t ctaid[3];
	int64_t low, high;
	/* reads by lanes of a block that the row covers; an upper bound if branches or loops are not resolved at
	 * launch */
	uint64_t reads;
	uint32_t inst;  /* the first load that it covers */
};

/* The value of affine_rows.why when required bytes of the parameters are unknown. */
#define AFFINE_NO_ARGUMENT "a kernel argument is not known"

struct affine_rows {
	struct affine_row *row; /* sorted by low; empty: the load never executes */
	uint32_t count;
	bool is_hull;    /* there were more rows than max_rows */
	const char *why; /* the reason why no rows are known, or NULL */
};

/* Returns the rows of a load whose relaxed status is static or quasi-static. For other loads `why` is set. */
struct affine_rows affine_footprint(struct arena *arena, const struct affine_kernel *kernel,
                                    const struct affine_load *load, const struct affine_launch *launch);

/* Returns the rows of all loads. Rows that are adjacent and move alike are joined (stencil offsets). */
struct affine_rows affine_footprints(struct arena *arena, const struct affine_kernel *kernel,
                                     const struct affine_launch *launch);

/* Rows that did not fit into a table. */
struct affine_dropped {
	uint32_t rows;
	uint64_t reads; /* per block: the sum of their `reads` */
};

/* Selects which indexes with induction variables count as precalculable. */
enum affine_loops {
	AFFINE_NO_LOOPS,       /* none: the strict verdict */
	AFFINE_LOOPS_IN_CODE,  /* loops whose bounds are constants in the code */
	AFFINE_LOOPS_AT_LAUNCH /* loops whose bounds are known at launch: the relaxed verdict */
};

/* Returns a table of at most `entries` rows: the joined rows of all precalculable loads. If there are more, it has
 * the rows that cover the most reads; among equals, the lower ones. */
struct affine_rows affine_table(struct arena *arena, const struct affine_kernel *kernel,
                                const struct affine_launch *launch, uint32_t entries, enum affine_loops loops,
                                struct affine_dropped *dropped);

/* Compares the reads of a run with the rows of one launch. A check is constant while blocks run, so host threads
 * can use it concurrently, each for its own blocks. */
struct affine_check;
/* Opens a check. `clip` returns the live allocation that holds the address, [*low, *high), or false. */
struct affine_check *affine_check_open(const struct affine_kernel *kernel, const struct affine_launch *launch,
                                       bool (*clip)(void *user, uint64_t address, uint64_t *low, uint64_t *high),
                                       void *user);
void affine_check_close(struct affine_check *check);

struct affine_counts {
	uint64_t reads;      /* reads of lanes by loads with rows */
	uint64_t other;      /* reads by loads without rows */
	uint64_t missed;     /* part of `reads`: not covered by the load's own rows */
	uint64_t read_bytes; /* distinct bytes that a block read by loads with rows, summed over the blocks */
	uint64_t over_bytes; /* bytes of rows, clipped to allocations, that the block did not read */
};

/* Adds `more` to `counts`. */
void affine_counts_add(struct affine_counts *counts, const struct affine_counts *more);

/* The reads of one resident block: begin, then reads, then end. It can be reused. */
struct affine_block *affine_block_open(void);
void affine_block_begin(struct affine_block *block, const struct affine_check *check, const uint32_t ctaid[3]);
/* Records a lane's read. `inst`: index in the kernel's body, or FLOW_NONE in a function that it calls. Returns
 * false when the load's rows do not cover the read. */
bool affine_block_read(struct affine_block *block, uint32_t inst, uint64_t address);
void affine_block_end(struct affine_block *block, struct affine_counts *counts); /* adds to counts */
void affine_block_close(struct affine_block *block);

#endif
