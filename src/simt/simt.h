/* simt: executes warp instructions functionally, on values of 32 lanes at a time. It models no cycles.
 *
 * simt_decode() turns a kernel and all functions that it calls into one flat array of decoded instructions. Each
 * has an execution function and operand offsets. simt_step() runs the instruction at a warp's pc and reports what
 * it did. Effects on memory that other SMs can see (global stores, atomics, device printf) wait for simt_commit().
 * The caller makes that call before the warp's next step. A machine commits the steps of all SMs of a cycle in SM
 * order. Results therefore depend neither on the order in which SMs tick nor on host threads.
 *
 * Divergence: each warp has one stack and reconverges at the immediate post-dominator. The caller computes the
 * post-dominators (flow/) and passes them in. Lanes that poll for other lanes of their warp get a separate stack
 * (polling_lanes.h).
 */
#ifndef SLUICE_SIMT_SIMT_H
#define SLUICE_SIMT_SIMT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/dma.h"
#include "ptx/module.h"
#include "ptx/system.h"
#include "simt/memory.h"

#include <stdatomic.h>

#define WARP_SIZE 32
/* Barriers of a block; the last one is the barrier of its cluster. SIMT_WAITS counts everything at which warps wait
 * for each other: the barriers and the DMA buffers. */
enum { SIMT_CLUSTER = 16, SIMT_BARRIERS, SIMT_WAITS = SIMT_BARRIERS + DMA_BUFFERS };
enum { SIMT_MAX_READS = 25, SIMT_MAX_WRITES = 8, SIMT_MAX_WARPS = 64 };
_Static_assert(SIMT_MAX_WARPS == 64, "a block's masks have a bit a warp");

/* Instruction classes that the pipeline distinguishes. */
enum simt_kind {
	SIMT_ALU,     /* writes registers only */
	SIMT_BRANCH,  /* bra, call, ret */
	SIMT_EXIT,    /* exit, ret of the kernel, trap */
	SIMT_LOAD,    /* ld, ldu, tex, suld; `space` is the source */
	SIMT_STORE,   /* st, sust */
	SIMT_ATOMIC,  /* atom, red */
	SIMT_BARRIER, /* bar, barrier */
	SIMT_FENCE,   /* membar, fence */
	SIMT_PREFETCH,
	SIMT_GROUP, /* groups of copies: cp.async.commit_group, .wait_group, .wait_all, .mbarrier.arrive */
};

/* How an instruction uses asynchronous copies (cp.async), which proceed while their warp runs on, and mbarriers. */
enum simt_async {
	SIMT_NOT_ASYNC,
	SIMT_COPY,     /* a load whose data are written to shared memory: simt_step.to, .fetches */
	/* the copies begun since the last commit become a group; this and the next three are of kind SIMT_GROUP */
	SIMT_COMMIT,
	SIMT_WAIT,     /* waits for all groups except the last `offset` */
	SIMT_WAIT_ALL, /* waits for all copies */
	SIMT_ARRIVE,   /* arrives on an mbarrier when all copies begun so far are complete */
	SIMT_PHASE,    /* changes an mbarrier: simt_step.phase_ended */
	SIMT_TRY_WAIT, /* waits for the end of a phase: simt_step.waits */
};

/* Width of a source's lanes in the registers: no source, a mask of predicates, 32 bits, 64 bits. */
enum simt_width { SIMT_NO_SOURCE, SIMT_PREDICATE, SIMT_WIDTH_32, SIMT_WIDTH_64 };
enum { SIMT_MAX_SOURCES = 8 };

struct snapshot;
struct simt_warp;
struct simt_step;
struct simt_inst;
typedef void simt_exec(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

/* A decoded instruction. The first part is for the pipeline, the second part for the execution function. */
struct simt_inst {
	/* static facts */
	uint32_t pc;     /* index in simt_program.code; the address is pc * 8 */
	uint8_t kind;    /* enum simt_kind */
	uint8_t unit;    /* enum ptx_unit: MEM; for other values the machine chooses between SP and SFU */
	uint8_t latency; /* enum ptx_latency */
	uint8_t data_type; /* enum ptx_data_type */
	uint8_t space;   /* enum ptx_space as written; PTX_GENERIC is resolved at run time */
	uint8_t size;    /* memory: bytes per lane, all vector elements together */
	uint8_t cache;   /* enum ptx_cache */
	uint8_t async;   /* enum simt_async */
	/* Registers by program-wide id, for the scoreboard. Guard, address and vector elements are included, each
	 * once. */
	uint8_t reads, writes;
	uint8_t bank_reads, bank_writes;
	uint16_t source_widths; /* of src[]: two bits per source, enum simt_width */
	/* floating-point operations per lane, or operations of a matrix product divided by the lanes */
	uint16_t operations;
	uint8_t operation_type; /* enum ptx_data_type; PTX_DATA_INT: of a matrix product, of any type */
	const uint16_t *read, *write;
	/* these registers as sets folded to 64 bits (register r is bit r % 64): all of them, and those written */
	uint64_t touches, defines;
	/* Register-file reads as the operand collector performs them: the number in the register's name, one entry
	 * per operand. A register named twice is read twice. Predicate guards are not read through the banks. */
	const uint16_t *bank_read, *bank_write;
	const struct ptx_inst *ptx;

	/* execution; offsets are in bytes */
	simt_exec *exec;    /* chosen by simt_decode(); simt_check_program() may replace it by a checking function */
	simt_exec *commit;  /* the function that simt_commit() runs, or NULL */
	simt_exec *skipped; /* runs in place of exec when no lane is active; NULL: nothing runs */
	uint32_t guard;    /* offset of the guard predicate's lane mask in the warp's registers, or SIMT_NO_GUARD */
	bool guard_negated;
	uint8_t vector;
	uint16_t base_mask;  /* bit k: source k lies in the program's constants, not in the warp's registers */
	uint32_t dst[4];     /* register offsets of destinations */
	/* offsets of sources: 32 lanes each, in the warp's registers or the program's constants */
	uint32_t src[SIMT_MAX_SOURCES];
	uint32_t target;     /* branch: pc; call: pc of the callee; copy: constant part of its destination */
	uint32_t reconverge; /* branch: pc of the immediate post-dominator, or SIMT_NO_PC */
	int64_t offset;      /* memory: constant part of the address; barrier: its number if constant */
	uint64_t immediate;  /* any further data of the execution function */
	simt_exec *together; /* runs once all lanes that it waits for have arrived (polling_lanes.h) */
	/* length of the straight stretch from here that a functional run executes in one go; 0: its warp may branch */
	uint8_t stretch;
	bool polls; /* the backward branch of a loop that polls; `immediate`: index of the instruction that reads */
};

/* Fills `operations` from the kind, latency and data type. `parts`: values in a register, 2 for packed halves. */
void simt_count_operations(struct simt_inst *inst, enum ptx_opcode op, uint32_t parts);

#define SIMT_NO_GUARD    UINT32_MAX
#define SIMT_NO_REGISTER UINT32_MAX /* a destination that is never read */
#define SIMT_NO_PC       UINT32_MAX

struct simt_block;
struct simt_operands;

/* Source of a program that computes nothing, because an instruction trace records what its instructions do. It
 * defines how warps begin and what they are about to run. The instructions' exec and skipped do the rest
 * (docs/how-to/traces.md). */
struct simt_source {
	/* Sets each warp's pc and lanes. Called at the end of simt_block_start(). */
	void (*begin)(struct simt_block *block);
	/* Returns true when some of these bytes of global memory exist, for callers that want data that nothing has
	 * accessed yet. */
	bool (*reaches)(const struct simt_source *source, uint64_t address, uint64_t bytes);
	/* Implements simt_look_ahead() for such a warp. */
	void (*ahead)(const struct simt_warp *warp, struct simt_operands *operands);
	const void *user; /* the owner's data */
};

/* A kernel with all functions that it calls, ready to run. Read-only while it runs. */
struct simt_program {
	struct arena arena;
	const struct ptx_function *kernel;
	struct simt_inst *code;
	uint32_t count;          /* instructions */
	uint32_t entry;          /* pc of the kernel's first instruction */
	uint32_t registers;      /* number of program-wide register ids (scoreboard size) */
	/* size of one warp's register values: 32 x 4 bytes per 32-bit register, 32 x 8 per 64-bit register, one
	 * uint32_t lane mask per predicate */
	uint32_t register_bytes;
	uint8_t *constants;      /* immediates and other constants, 32 lanes each */
	uint32_t shared_bytes;   /* static, bytes per block */
	uint32_t local_bytes;    /* bytes per thread: the frames of all functions, including call parameters */
	uint32_t stack_bytes; /* the part of local_bytes, at its end, where frames of recursive functions are stacked */
	uint32_t alloca_base;    /* offset of the area of SIMT_STACK_BYTES that alloca allocates from */
	/* offset of the 32-bit row with the bytes that alloca has taken; SIMT_NO_REGISTER: no alloca */
	uint32_t alloca_row;
	uint32_t param_bytes;
	const struct simt_sreg_row *sreg_rows; /* special registers that simt_block_start() writes into register rows */
	uint32_t sreg_row_count;
	const struct simt_function *functions; /* callable functions (simt/program.h) */
	uint32_t function_count;
	/* index in `functions` by index in the module; UINT32_MAX: not in the program */
	const uint32_t *function_index;
	const struct simt_variable *variables; /* variables of shared and local memory, for messages */
	uint32_t variable_count;
	/* a loop reads global memory by volatile or ordered loads, or by exchanges, as loops do that wait for other
	 * blocks */
	bool polls;
	/* has_arrivals: the program has cp.async.mbarrier.arrive instructions */
	bool has_dma, has_bulk, has_arrivals, has_images;
	/* it may launch kernels; it may wait for those that its block has launched */
	bool launches_kernels, waits_for_kernels;
	const struct simt_unchecked *unchecked; /* by pc, after simt_check_program() (simt/check.h), else NULL */
	/* NULL: simt_decode() made the program from PTX, and its instructions compute */
	const struct simt_source *source;
	/* by pc: the value of exec before trace_record_program() (trace/record.h), or NULL */
	simt_exec *const *recorded;
};

/* Returns the value of a pointer to a device function, the same in all programs of a module. Returns 0 for a
 * function without a body. */
uint64_t simt_function_address(const struct ptx_function *function);

/* Decodes a kernel and all functions that it calls. `reconverge` is called for each function and returns one value
 * per instruction of its body: the index at which the paths of a branch reconverge, or UINT32_MAX. Returns NULL
 * when diag has received errors; each names an instruction that cannot run. */
struct simt_program *simt_decode(const struct ptx_function *kernel,
                                 uint32_t *(*reconverge)(struct arena *arena, const struct ptx_function *function),
                                 struct diag *diag);
void simt_program_free(struct simt_program *program);

struct dim3 {
	uint32_t x, y, z;
};

/* The memory that a lane reaches through the windows of the generic address space: its block's shared memory and
 * its own local memory. */
struct simt_windows {
	const uint8_t *shared, *local;
	uint64_t shared_bytes, local_bytes;
	uint64_t block;  /* linear number of its block in the grid */
	uint32_t thread; /* linear number in its block */
	bool own_stream; /* the default stream of its launches is its own, not the block's (names that end in _ptsz) */
};

/* most arguments of a function that the runtime provides, in 8-byte words; a dim3 takes two */
enum { SIMT_SYSTEM_ARGUMENTS = 8 };

struct textures;

/* The path that runs first when a branch diverges. */
enum simt_first_path { SIMT_FALL_THROUGH_FIRST, SIMT_TAKEN_FIRST, SIMT_LOW_LANES_FIRST };

struct simt_launch {
	const struct simt_program *program;
	struct simt_memory *memory;
	struct dim3 grid, block;
	uint32_t dynamic_shared_bytes;
	uint32_t carve_out;    /* minimum bytes of shared memory in a unified memory; 0: none */
	const uint8_t *params; /* program->param_bytes bytes */
	uint32_t sm_count;     /* %nsmid */
	uint32_t core_mhz;     /* for %globaltimer; 0: not known */
	uint64_t resident;     /* number of blocks that are resident together in a functional run; 0: one */
	uint64_t first;        /* first block of a functional run: all blocks before it have run */
	struct simt_trial *trial; /* set for a functional run that can be undone (trial.h), else NULL */
	uint32_t first_path;   /* enum simt_first_path */
	uint64_t id;           /* %gridid */
	uint64_t code;         /* offset of the program's code in the machine's code space, in bytes */
	/* Called from simt_commit() with SIMT_SYSTEM_ARGUMENTS words. Returns the value that the call returns to
	 * the lane. */
	uint64_t (*system_call)(void *user, enum ptx_system call, const uint64_t *arguments,
	                        const struct simt_windows *windows);
	void *user;
	/* A barrier that some lanes of a warp reach counts for the whole warp, as before Volta. When this is set,
	 * it is a fault if the other lanes reach another barrier. */
	bool whole_warp_barriers;
	bool cooperative;  /* blocks may wait for each other, so all of them are resident together */
	/* the caller decides when copies (cp.async) are complete and makes their arrivals on mbarriers */
	bool copies_overlap;
	/* a warp does not wait for others at a DMA transfer; the caller keeps it from data that have not arrived */
	bool dma_overlaps;
	bool bulk_overlaps; /* the caller decides when bulk copies are complete: simt_mbarrier_complete() */
	const atomic_bool *stop;        /* set at any time to end the kernel early; NULL: never stopped early */
	struct simt_checks *checks;     /* the checks of this launch (simt/check.h), or NULL */
	const struct textures *textures; /* its textures and surfaces (texture.h); NULL: it has none */
	const struct simt_reads *reads; /* judges global loads for the checks, or NULL */
	struct trace_recorder *recorder; /* records an instruction trace (trace/record.h), or NULL */
};

static inline bool simt_is_stopped(const struct simt_launch *launch)
{
	return launch->stop && atomic_load_explicit(launch->stop, memory_order_relaxed);
}

/* The kind of error that stopped a kernel. */
enum simt_fault_kind {
	SIMT_FAULT_ADDRESS,     /* global or constant memory outside every allocation */
	SIMT_FAULT_MISALIGNED,  /* misaligned address, any space */
	SIMT_FAULT_RANGE,       /* beyond the block's shared memory, the thread's local memory, or the parameters */
	SIMT_FAULT_BARRIER,     /* a barrier that can never complete */
	SIMT_FAULT_COUNTS,      /* warps arrive at one barrier with different thread counts */
	SIMT_FAULT_DIVERGED,    /* threads of one warp reach different barriers */
	SIMT_FAULT_INSTRUCTION, /* operands that the instruction does not accept */
	SIMT_FAULT_FREE,        /* free of an address that a kernel cannot free */
	SIMT_FAULT_CALL,        /* call of an address that is no function */
	SIMT_FAULT_STACK,       /* recursion beyond the stack */
	SIMT_FAULT_DMA,         /* a transfer that the engine does not accept */
	SIMT_FAULT_MECHANISM,   /* an operation that a mechanism forbids */
	SIMT_FAULT_TRAP,
	SIMT_FAULT_ASSERT,
};

/* Why a kernel stopped. */
struct simt_fault {
	const char *what; /* "global load outside every allocation", or NULL: no fault */
	enum simt_fault_kind kind;
	enum ptx_space space; /* space of the address; generic addresses are resolved */
	const struct simt_inst *inst;
	uint64_t address;
	uint32_t size, lane;
	struct dim3 block, thread;
	/* Barriers: number and threads, and a warp that is at another instruction (other: NULL when there is none). */
	uint32_t barrier, arrived, expected;
	const struct simt_inst *other;
	struct dim3 other_thread;
	uint32_t other_barrier, other_expected;
	const char *detail; /* FREE: "which has been freed before" */
	/* DMA: the field, its value, and the largest value or the only value that is allowed */
	const char *field;
	uint64_t value, most;
	uint32_t warp; /* warp in the block */
};

struct simt_barrier {
	uint64_t arrived;  /* warps of the block that have arrived and wait (bit i: warp i of the block) */
	uint32_t threads;  /* threads that have arrived, waiting or not */
	uint32_t expected; /* expected threads; 0: all live threads of the block */
	uint32_t red_count, red_and, red_or;
	const struct simt_inst *first_inst; /* of the first warp to arrive, for messages */
	uint32_t first_warp;
};

/* Addresses that lie in one live allocation. They are the program's addresses; the machine's addresses are larger
 * by `shift` (memory.h). */
struct simt_range {
	uint64_t low, high;
	uint64_t shift;
	uintptr_t base; /* added to the machine's addresses, gives host addresses */
};

enum { SIMT_RANGES = 8 };

struct dma_block;
struct image_block;

/* A resident block. */
struct simt_block {
	const struct simt_launch *launch;
	struct dim3 index;
	uint64_t number; /* linear block number in the grid */
	uint8_t *shared; /* static and dynamic */
	uint32_t shared_bytes;
	uint32_t warps;
	uint64_t live;    /* warps with at least one thread that has not exited */
	uint64_t waiting; /* warps held at a barrier */
	struct simt_barrier barrier[SIMT_WAITS]; /* barriers first, then DMA buffers */
	struct dma_block *dma; /* present if the program has DMA instructions (dma.h) */
	struct image_block *images; /* present if the program has instructions on textures or surfaces (image.h) */
	struct simt_warp *warp;               /* array of `warps` */
	uint64_t *clock;                      /* source of %clock: the machine's cycle counter, or a count of steps */
	uint32_t sm;                          /* %smid */
	struct block_checks *checks;          /* per-block state of launch->checks, or NULL */
	struct recorded_block *recorded;      /* per-block state of launch->recorder, or NULL */
	uint8_t *global;                      /* host address of device address 0 */
	struct simt_range range[SIMT_RANGES]; /* recently accessed allocations, by pc; cleared by simt_block_start() */
	/* Buffers, reused by the next block. */
	uint8_t *storage; /* registers, local and shared memory */
	size_t storage_bytes;
	uint32_t warp_capacity;
};

struct simt_stack_entry {
	uint32_t pc, reconverge, lanes;
	bool is_call; /* frame of a call: popped by ret */
};

/* The stack of lanes that run apart from the other lanes of their warp (polling_lanes.h), while those others run. */
struct simt_parked {
	struct simt_stack_entry *stack;
	uint32_t depth, stack_capacity;
	uint8_t *frames;
	uint32_t frames_used, frames_capacity;
	uint32_t frame, frame_top;
};

/* A warp's state. */
struct simt_warp {
	uint32_t pc;         /* pc of the top of the stack */
	uint32_t lanes;      /* active lanes of the top of the stack */
	uint32_t reconverge; /* pc at which the top of the stack is popped, or SIMT_NO_PC */
	uint32_t exists;     /* lanes that are threads of the block */
	uint32_t exited;     /* lanes that have exited */
	bool done;           /* all lanes have exited */
	uint32_t index;      /* index in its block */
	uint32_t hardware;   /* %warpid: its warp slot in the SM */
	struct simt_block *block;
	uint8_t *registers;           /* program->register_bytes */
	const uint8_t *constants;     /* program->constants */
	const struct simt_inst *code; /* program->code */
	uint8_t *local;               /* program->local_bytes * 32, or NULL */
	struct simt_stack_entry *stack;
	uint32_t depth, stack_capacity;
	uint8_t *frames; /* one record per call, with the registers that a recursive call saved; or NULL */
	uint32_t frames_used, frames_capacity;
	uint32_t frame;     /* local address of the running recursive function's frame */
	uint32_t frame_top; /* local address after the last frame */
	/* the barrier at which it waits, and the lanes that receive bar.red's result */
	const struct simt_inst *barrier_inst;
	uint32_t barrier_lanes;
	/* Lanes that were inactive when the warp passed a barrier, one such barrier, and a lane that passed it. */
	uint32_t missed, missed_by;
	const struct simt_inst *missed_inst;
	struct simt_parked *parked; /* in the order of their turns; or NULL */
	uint32_t parked_count;
	bool apart;     /* some lanes have been parked since the block began */
	/* consecutive rounds of a loop in which the lanes read the same values; `polled` is a digest of these */
	uint32_t polls;
	uint64_t polled;
};

/* The effects of one step. */
struct simt_step {
	const struct simt_inst *inst;
	uint32_t issued;   /* lanes that were active */
	uint32_t lanes;    /* the lanes of `issued` whose guard is true */
	bool commits;      /* simt_commit() must be called before the warp's next step */
	bool exited;       /* at least one lane exited */
	bool mixed_spaces; /* generic access whose lanes use several spaces; the addresses are generic */
	/* global memory: some lanes access device memory and others mapped host memory, or several mappings */
	bool apart;
	bool unit_stride;  /* memory: all lanes run, and lane i's address is lane 0's + i * size */
	bool same;         /* memory: all lanes run with one address */
	/* memory: the space accessed, with generic resolved (GLOBAL, SHARED, LOCAL, CONST, PARAM, TEX) */
	uint8_t space;
	uintptr_t base;    /* global memory: added to the addresses, gives host addresses; not valid if `apart` */
	/* Memory: one address per lane in `lanes`, in that space. Shared and local: offsets; global: the machine's
	 * addresses. Aligned like registers. */
	uint64_t address[WARP_SIZE] __attribute__((aligned(64)));
	/* The next four are only for copies and mbarriers. */
	uint32_t fetches;         /* copy: lanes that read global memory */
	uint32_t waits;           /* mbarrier.try_wait: lanes whose phase has not ended */
	bool phase_ended;         /* the phase of an mbarrier that the instruction changed has ended */
	uint64_t to[WARP_SIZE]; /* copy: destination of each lane in `lanes`, an offset in the block's shared memory */
	struct simt_fault fault;
};

/* Prepares block number `number` of the launch to run. Zero-initialize `block` before its first use. Its memory
 * comes from malloc and is reused by later calls. `hardware` is the SM's warp slot of the block's first warp. */
void simt_block_start(struct simt_block *block, const struct simt_launch *launch, uint64_t number, uint32_t hardware);
void simt_block_free(struct simt_block *block);
/* Saves or restores what the block's slot keeps for the next one (base/snapshot.h). */
void simt_block_snapshot(struct simt_block *block, struct snapshot *snapshot);

/* simt_step() runs the instruction at warp->pc and updates pc, lanes and stack. A BARRIER step does not hold the
 * warp: the caller calls simt_barrier(). After a fault only step->fault is valid. simt_commit() can fault too (a
 * failed assertion). */
void simt_step(struct simt_warp *warp, struct simt_step *step);
void simt_commit(struct simt_warp *warp, struct simt_step *step);

/* The operands with which the instruction at warp->pc is about to run. */
struct simt_operands {
	uint32_t lanes;              /* active lanes whose guard is true */
	bool has_address;            /* a load, store, atomic or prefetch, with these two: */
	uint8_t space[WARP_SIZE];    /* enum ptx_space, generic resolved per lane */
	uint64_t address[WARP_SIZE]; /* in that space; shared and local: offsets; global: the machine's addresses */
	uint32_t sources;            /* number of values; those of a store follow its address */
	uint64_t source[SIMT_MAX_SOURCES][WARP_SIZE]; /* as they lie in the registers; predicates as 0 and 1 */
};
void simt_look_ahead(const struct simt_warp *warp, struct simt_operands *operands);
/* Returns only the `lanes` of simt_look_ahead(). */
uint32_t simt_next_lanes(const struct simt_warp *warp);

/* Call it after a warp has run a BARRIER step. The warp joins `block->waiting`; if it was the last to arrive, all
 * waiting warps leave. Call it also for every step with `exited`, since other warps may wait only for a warp that
 * ends. Returns a mask of the released warps. It includes the warp itself when that need not wait. */
uint64_t simt_barrier(struct simt_warp *warp, const struct simt_step *step);

/* Delivers `arrivals` arrivals and `bytes` bytes to an mbarrier from outside of any instruction. `shared` is its
 * offset in the block's shared memory, aligned to 8 bytes. Arrivals beyond the pending count change nothing.
 * Returns true when its phase has ended, so that the warps that wait for it can proceed. */
bool simt_mbarrier_complete(struct simt_block *block, uint64_t shared, uint32_t arrivals, uint64_t bytes);

/* A thread whose loop waits for a write by the host: the loop reads mapped host memory (simt_map_host()). */
struct simt_poll {
	const struct simt_inst *inst; /* the instruction that reads */
	uint64_t address;             /* the program's address; for shared memory an offset in the block's */
	uint64_t value;               /* the value at that address */
	uint32_t bytes;               /* its size; 0: the value is unknown */
	uint32_t warps;               /* number of warps that read it */
	enum ptx_space space;
	bool is_host; /* the address is in mapped host memory */
	struct dim3 block, thread;
	uint64_t number; /* linear number of the block */
};

/* The mechanisms that keep a warp from running, by name, or NULL. */
struct simt_kept {
	const char *holder;  /* holds the warp */
	const char *order;   /* the warp order that never lets it compete */
	const char *starver; /* the warp order that gives all issue slots to `issuers` other warps of its scheduler */
	uint32_t issuers, sm; /* sm: the SM's number */
};

/* State of the resident warps when a run is stopped: what they poll, and which warps could still write it. */
enum { SIMT_MAX_POLLS = 4 };
struct simt_polls {
	struct simt_poll poll[SIMT_MAX_POLLS]; /* the first ones, by instruction and address */
	uint32_t count;
	/* numbers of warps; running: none of the others */
	uint32_t polling, at_barrier, held, running, left_out, starved;
	const char *holder;                        /* the mechanism that holds the first of `held` */
	const char *order;                         /* the mechanism that lets no warp of `left_out` compete */
	struct dim3 held_block, running_block, left_out_block; /* block of the first such warp */
	uint32_t running_warp;
	/* of the first starved warp */
	struct simt_kept starved_by;
	struct dim3 starved_block;
	uint32_t starved_warp;
	uint64_t blocks_left, blocks; /* blocks not resident yet; blocks of the grid */
};

/* Returns true when the warp is in a loop that reads what other warps write. Then `poll` describes its first lane's
 * read. */
bool simt_warp_polls(const struct simt_warp *warp, struct simt_poll *poll);
/* Returns a hash of all state that decides what a warp does next, except memory. */
uint64_t simt_warp_hash(const struct simt_warp *warp);
/* Adds a warp to `polls`. */
void simt_polls_add(struct simt_polls *polls, const struct simt_warp *warp, const struct simt_kept *kept);
/* Writes the poll report, each line after a newline. Writes nothing when no warp polls. */
void simt_polls_print(const struct simt_launch *launch, const struct simt_polls *polls, char *text, size_t size);

/* Runs a whole launch functionally. Resident blocks take turns, and so do their warps. All blocks of a cooperative
 * launch are resident. Stops after `max_instructions` thread instructions (0: no limit). */
struct simt_run {
	uint64_t warp_instructions, thread_instructions;
	bool stopped; /* at max_instructions, or by launch->stop */
	struct simt_polls polls; /* which warps polled when it stopped */
	struct simt_fault fault;
};
void simt_run(const struct simt_launch *launch, uint64_t max_instructions, struct simt_run *run);

/* A launch of a functional run of several. */
struct simt_job {
	const struct simt_launch *launch;
	struct simt_run run;
};

/* Where the launches of such a run come from. */
struct simt_feed {
	void *user;
	/* Returns a launch that may begin, or NULL. Called at the beginning and when launches have ended, until it
	 * returns NULL. */
	struct simt_job *(*next)(void *user);
	/* The launch has ended, in any way. */
	void (*ended)(void *user, struct simt_job *job);
	/* True: the run is suspended, although launches are in progress. Called after `next`. */
	bool (*has_enough)(void *user);
	/* Points to what is set when a launch may have become ready. `next`, which clears it, is then called after the
	 * turn. NULL: never. */
	const bool *has_new;
};

struct simt_turns; /* the launches in progress */

/* Runs launches functionally in turns, so that one may wait for another. *state is NULL at the beginning. Returns false
 * when the feed has enough: another call continues the run. */
bool simt_run_together(const struct simt_feed *feed, struct simt_turns **state);
/* Ends a suspended run. The launches in progress are cut off without `ended`. */
void simt_cut_turns(struct simt_turns **state);

/* Writes one message: kernel, PTX line, CUDA source line, block, thread, address and the nearest allocation. */
void simt_fault_print(const struct simt_launch *launch, const struct simt_fault *fault, char *text, size_t size);

#endif
