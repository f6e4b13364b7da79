/* affine: where the global loads of a kernel read, as affine functions of block and thread indexes.
 *
 * The analyzer of PTX; that of CUDA source is cuda_source/. affine_analyze() finds the symbolic address of each
 * global load; affine_footprint() evaluates one for a launch: the bytes that a block reads, each row an affine function
 * of %ctaid: the affine footprint.
 *
 * A row never misses a byte that the load reads through its array: what is not known for sure has no rows. Wrap-around:
 * arithmetic of 16, 32 and 64 bits is exact modulo its width, so no overflow is assumed away. Where a value is widened or
 * compared, its range over the whole launch, narrowed by the branches that lead to the load, must fit the type;
 * otherwise there are no rows. The address space itself, 64 bits, is assumed not to wrap.
 *
 * Calls are not followed: loads in functions that a kernel calls are not listed.
 */
#ifndef SLUICE_FLOW_AFFINE_H
#define SLUICE_FLOW_AFFINE_H

#include "flow/flow.h"

enum affine_status {
	AFFINE_STATIC,       /* constants known at launch only */
	AFFINE_QUASI_STATIC, /* of threadIdx or blockIdx */
	AFFINE_INDUCTION,    /* the rest are not precalculable: of a loop's induction variable */
	AFFINE_INDIRECT,     /* of a value loaded from memory */
	AFFINE_CONTROL,      /* of which way a branch went */
	AFFINE_OPERATOR,     /* another operation than + - * */
	AFFINE_STATUSES
};
const char *affine_status_name(enum affine_status status); /* "quasi-static" */

struct affine_load {
	uint32_t inst; /* index in the function's body */
	uint32_t bytes, element_bytes;
	uint32_t source_file, source_line;  /* .loc; 0 where none */
	const struct ptx_variable *array;   /* the pointer parameter or the .global variable; NULL: not known */
	uint64_t array_offset;              /* of the pointer in its parameter */
	bool is_parameter;                  /* array is a parameter */
	enum affine_status status, relaxed; /* strict; with loops whose bounds are known, and with launch constants as constants */
	bool loops_at_launch;               /* relaxed, but a loop's bounds depend on the kernel's arguments */
	const char *expression;             /* the index in elements, or "bytes: ..." where it is not a whole number */
	const void *form;                   /* for affine_footprint() */
};

/* A kernel's loads, on the arena; the function must live as long. */
struct affine_kernel {
	const struct ptx_function *function;
	struct affine_load *load;
	uint32_t loads;
	uint32_t arrays; /* pointer parameters, those only written included */
	bool calls;      /* it calls functions, whose loads are not here */
	const void *state;
};
struct affine_kernel *affine_analyze(struct arena *arena, const struct ptx_function *function);

/* The name of a load's array, or "?". Of a parameter, which clang calls KERNEL_param_0, "param_0". */
const char *affine_array_name(const struct affine_kernel *kernel, const struct affine_load *load);
const char *affine_short_name(const struct ptx_function *function, const char *name);

struct affine_launch {
	uint32_t grid[3], block[3];
	const uint8_t *params; /* function->param_bytes, pointers included */
	const bool *known;     /* by byte of params; NULL: all */
	bool all_threads;      /* rows as if branches kept no thread and no round of a loop from a load */
	uint32_t max_rows;     /* 0: 4096. A load with more gets fewer, longer rows */
	uint32_t gap; /* bytes between ranges that are joined; 0: only those that touch. A line costs nothing more */
};

/* A block reads bytes [low, high) + ctaid[0] * x + ctaid[1] * y + ctaid[2] * z from its array, in bytes from the array's
 * pointer; not clipped to the allocation. */
struct affine_row {
	const struct ptx_variable *array;
	uint64_t array_offset;
	int64_t ctaid[3];
	int64_t low, high;
	uint64_t reads; /* of lanes of a block, that it serves: at most, where branches or loops are not resolved at launch */
	uint32_t inst;  /* the first load that it serves */
};

/* What affine_rows.why says where bytes of the parameters that matter are not known. */
#define AFFINE_NO_ARGUMENT "a kernel argument is not known"

struct affine_rows {
	struct affine_row *row; /* by low; none: the load is never executed */
	uint32_t count;
	bool is_hull;    /* there were more than max_rows */
	const char *why; /* no rows are known: the reason; NULL where they are */
};

/* The rows of a load whose relaxed status is static or quasi-static; for others `why` is set. */
struct affine_rows affine_footprint(struct arena *arena, const struct affine_kernel *kernel,
                                    const struct affine_load *load, const struct affine_launch *launch);

/* The rows of all loads together, those joined that touch and move alike (stencil offsets). */
struct affine_rows affine_footprints(struct arena *arena, const struct affine_kernel *kernel,
                                     const struct affine_launch *launch);

/* What did not fit into a table of rows. */
struct affine_dropped {
	uint32_t rows;
	uint64_t reads; /* of a block: the sum of their `reads` */
};

/* Which indexes on induction variables count as precalculable. */
enum affine_loops {
	AFFINE_NO_LOOPS,       /* none: the strict verdict */
	AFFINE_LOOPS_IN_CODE,  /* whose bounds stand in the code */
	AFFINE_LOOPS_AT_LAUNCH /* whose bounds are known at launch: the relaxed verdict */
};

/* A table of so many entries: the joined rows of all loads that are precalculable.
 * When there are more than `entries`, those that serve most reads, of equals the lower ones. */
struct affine_rows affine_table(struct arena *arena, const struct affine_kernel *kernel,
                                const struct affine_launch *launch, uint32_t entries, enum affine_loops loops,
                                struct affine_dropped *dropped);

/* Compares the reads of a run with the rows of one launch. A check does not change while blocks run, so that each host
 * thread may have blocks of its own. */
struct affine_check;
/* `clip` gives the live allocation that holds the address, [*low, *high), or false. */
struct affine_check *affine_check_open(const struct affine_kernel *kernel, const struct affine_launch *launch,
                                       bool (*clip)(void *user, uint64_t address, uint64_t *low, uint64_t *high),
                                       void *user);
void affine_check_close(struct affine_check *check);

struct affine_counts {
	uint64_t reads;      /* lanes' reads by loads with rows */
	uint64_t other;      /* by loads without */
	uint64_t missed;     /* of `reads`: not covered by the load's own rows */
	uint64_t read_bytes; /* different bytes that a block read by loads with rows, summed over the blocks */
	uint64_t over_bytes; /* bytes of rows, clipped, that the block did not read */
};

void affine_counts_add(struct affine_counts *counts, const struct affine_counts *more);

/* What one resident block reads: begin, tell its reads, end; any number of times. */
struct affine_block *affine_block_open(void);
void affine_block_begin(struct affine_block *block, const struct affine_check *check, const uint32_t ctaid[3]);
/* A lane's read; `inst`: index in the kernel's body, FLOW_NONE in a function that it calls. False: the load's rows do not
 * have it. */
bool affine_block_read(struct affine_block *block, uint32_t inst, uint64_t address);
void affine_block_end(struct affine_block *block, struct affine_counts *counts); /* adds to counts */
void affine_block_close(struct affine_block *block);

#endif
