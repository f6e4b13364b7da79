/* simt: what one warp instruction does. Values of 32 lanes at a time, no cycles.
 *
 * simt_decode() turns a kernel and all that it calls into one flat array of instructions, decoded once: an execution
 * function and operand offsets. simt_step() runs the instruction at a warp's pc and says what it did; what it does to
 * memory that other SMs see (global stores, atomics, device printf) waits for simt_commit(), which the caller makes
 * before the warp's next step. A machine commits all SMs' steps of a cycle in SM order, so that results depend neither
 * on the order in which SMs tick nor on threads.
 *
 * Divergence: a stack a warp, reconvergence at the immediate post-dominator (passed in by the caller, who has
 * flow/ at hand). Lanes that poll for others of their warp get a stack of their own (split.h).
 */
#ifndef SLUICE_SIMT_SIMT_H
#define SLUICE_SIMT_SIMT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/dma.h"
#include "ptx/module.h"
#include "simt/memory.h"

#include <stdatomic.h>

#define WARP_SIZE 32
/* Barriers of a block, of which the last is that of its cluster; and where warps wait for each other in all, DMA buffers among it. */
enum { SIMT_CLUSTER = 16, SIMT_BARRIERS, SIMT_WAITS = SIMT_BARRIERS + DMA_BUFFERS };
enum { SIMT_MAX_READS = 25, SIMT_MAX_WRITES = 8, SIMT_MAX_WARPS = 64 };
_Static_assert(SIMT_MAX_WARPS == 64, "a block's masks have a bit a warp");

/* What the pipeline must know of an instruction's kind. */
enum simt_kind {
	SIMT_ALU,     /* results into registers only */
	SIMT_BRANCH,  /* bra, call, ret */
	SIMT_EXIT,    /* exit, ret of the kernel, trap */
	SIMT_LOAD,    /* ld, ldu, tex, suld: `space` says from where */
	SIMT_STORE,   /* st, sust */
	SIMT_ATOMIC,  /* atom, red */
	SIMT_BARRIER, /* bar, barrier */
	SIMT_FENCE,   /* membar, fence */
	SIMT_PREFETCH,
	SIMT_GROUP, /* of copies: cp.async.commit_group, .wait_group, .wait_all, .mbarrier.arrive */
};

/* What an instruction has to do with copies that go on while their warp does (cp.async), and with mbarriers. */
enum simt_async {
	SIMT_NOT_ASYNC,
	SIMT_COPY,     /* a load whose data go to shared memory: simt_step.to, .fetches */
	SIMT_COMMIT,   /* the copies begun since the last become a group; this and the next three are of kind SIMT_GROUP */
	SIMT_WAIT,     /* for all groups but the last `offset` */
	SIMT_WAIT_ALL, /* for all copies */
	SIMT_ARRIVE,   /* on an mbarrier, when all copies begun so far have come */
	SIMT_PHASE,    /* an mbarrier is changed: simt_step.phase_ended */
	SIMT_TRY_WAIT, /* for the end of a phase: simt_step.waits */
};

/* How wide the lanes of a source lie in the registers: not there, a mask of predicates, 32 bits, 64 bits. */
enum simt_width { SIMT_NO_SOURCE, SIMT_PREDICATE, SIMT_WIDTH_32, SIMT_WIDTH_64 };
enum { SIMT_MAX_SOURCES = 8 };

struct simt_warp;
struct simt_step;
struct simt_inst;
typedef void simt_exec(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

/* A decoded instruction. The first part is for the pipeline, the second for the execution function. */
struct simt_inst {
	/* static facts */
	uint32_t pc;     /* its index in simt_program.code; its address is pc * 8 */
	uint8_t kind;    /* enum simt_kind */
	uint8_t unit;    /* enum ptx_unit: MEM, or else the machine says whether SP or SFU */
	uint8_t latency; /* enum ptx_latency */
	uint8_t data_type; /* enum ptx_data_type */
	uint8_t space;   /* enum ptx_space as written; PTX_GENERIC resolves when it runs */
	uint8_t size;    /* memory: bytes a lane, all vector elements together */
	uint8_t cache;   /* enum ptx_cache */
	uint8_t async;   /* enum simt_async */
	/* Registers by program-wide id: for the scoreboard (guard, address and vector elements included; each once). */
	uint8_t reads, writes;
	uint8_t bank_reads, bank_writes;
	uint16_t source_widths; /* of src[]: two bits each, enum simt_width */
	const uint16_t *read, *write;
	uint64_t touches,
		defines; /* the same as sets folded to 64 bits (register r is bit r % 64): all, those written */
	/* Register-file reads as the operand collector makes them: the register's number in its name, one entry an operand
	 * (a register named twice is read twice; predicate guards are not read through the banks). */
	const uint16_t *bank_read, *bank_write;
	const struct ptx_inst *ptx;

	/* execution: offsets in bytes */
	simt_exec *exec;
	simt_exec *commit;  /* what simt_commit() runs, or NULL */
	simt_exec *skipped; /* run in place of exec where no lane runs; NULL: nothing is */
	uint32_t guard;    /* offset of the guard predicate's lane mask in the warp's registers, or SIMT_NO_GUARD */
	bool guard_negated;
	uint8_t vector;
	uint16_t base_mask;  /* bit k: source k lies in the program's constants, not in the warp's registers */
	uint32_t dst[4];     /* register offsets of destinations */
	uint32_t src[SIMT_MAX_SOURCES]; /* offsets of sources: 32 lanes each, in the warp's registers or the program's constants */
	uint32_t target;     /* branch: pc; call: pc of the callee; copy: constant part of where it goes */
	uint32_t reconverge; /* branch: pc of the immediate post-dominator, or SIMT_NO_PC */
	int64_t offset;      /* memory: constant part of the address; barrier: its number where constant */
	uint64_t immediate;  /* whatever else a function wants to keep */
	simt_exec *together; /* what it does once the lanes are there that it waits for (split.h) */
	uint8_t stretch; /* so many from here on run one behind the other in a functional run; 0: its warp may go elsewhere */
};

#define SIMT_NO_GUARD    UINT32_MAX
#define SIMT_NO_REGISTER UINT32_MAX /* a destination that nobody reads */
#define SIMT_NO_PC       UINT32_MAX

struct simt_block;
struct simt_operands;

/* Of a program that computes nothing, because what its instructions do is known beforehand (a trace): how its warps begin, and what
 * they are about to run. Its instructions' exec and skipped do the rest (docs/traces.md). */
struct simt_source {
	/* Behind all else that simt_block_start() does: each warp's pc and lanes. */
	void (*begin)(struct simt_block *block);
	/* Whether some of these bytes of global memory are there, for those who ask for data that nobody has accessed yet. */
	bool (*reaches)(const struct simt_source *source, uint64_t address, uint64_t bytes);
	/* simt_look_ahead() of such a warp. */
	void (*ahead)(const struct simt_warp *warp, struct simt_operands *operands);
	const void *user; /* whose it is */
};

/* A kernel with all that it calls, ready to run. Read-only while it runs. */
struct simt_program {
	struct arena arena;
	const struct ptx_function *kernel;
	struct simt_inst *code;
	uint32_t count;          /* instructions */
	uint32_t entry;          /* pc of the kernel's first instruction */
	uint32_t registers;      /* program-wide register ids: 0..registers (scoreboard size) */
	uint32_t register_bytes; /* of one warp's register values: a 32-bit register has 32 x 4 bytes, a 64-bit 32 x 8,
	                          * a predicate one uint32_t lane mask */
	uint8_t *constants;      /* immediates and the like, 32 lanes each */
	uint32_t shared_bytes;   /* static, per block */
	uint32_t local_bytes;    /* per thread: the frames of all functions, call parameters included */
	uint32_t stack_bytes;    /* of these, the part at the end where frames of recursive functions are stacked */
	uint32_t alloca_base;    /* offset of the part from which alloca takes, SIMT_STACK_BYTES of them, and */
	uint32_t alloca_row;     /* of the 32-bit row that says how much is taken; SIMT_NO_REGISTER: there is no alloca */
	uint32_t param_bytes;
	const struct simt_sreg_row *sreg_rows; /* special registers that simt_block_start() writes into register rows */
	uint32_t sreg_row_count;
	const struct simt_function *functions; /* functions that can be called (simt/program.h) */
	uint32_t function_count;
	const uint32_t *function_index; /* in `functions`, by index in the module; UINT32_MAX: not of the program */
	const struct simt_variable *variables; /* of shared and local memory, for messages */
	uint32_t variable_count;
	bool polls; /* a loop reads global memory by volatile or ordered loads, or by an exchange, as those do that wait for other blocks */
	bool has_dma, has_bulk, has_arrivals, has_images; /* has_arrivals: cp.async.mbarrier.arrive as an instruction */
	const struct simt_unchecked *unchecked; /* by pc, when simt_check_program() was called (simt/check.h), else NULL */
	const struct simt_source *source;       /* NULL: simt_decode() made it of PTX, and its instructions compute */
	simt_exec *const *recorded;             /* by pc: what exec was before trace_record_program() (trace/record.h), or NULL */
};

/* The value of a pointer to a device function, the same in all programs of a module; 0 for a function without body. */
uint64_t simt_function_address(const struct ptx_function *function);

/* `reconverge`, called for each function, gives per instruction of its body the index at which the paths of a branch
 * meet again, or UINT32_MAX. Returns NULL when diag got errors (an instruction that cannot be run names itself). */
struct simt_program *simt_decode(const struct ptx_function *kernel,
                                 uint32_t *(*reconverge)(struct arena *arena, const struct ptx_function *function),
                                 struct diag *diag);
void simt_program_free(struct simt_program *program);

struct dim3 {
	uint32_t x, y, z;
};

/* What a lane reaches through the windows of the generic address space: its block's shared memory, its own local one. */
struct simt_windows {
	const uint8_t *shared, *local;
	uint64_t shared_bytes, local_bytes;
	uint64_t block; /* its block's number in the grid */
};

/* Functions that device code calls and the runtime provides. */
enum simt_system {
	SIMT_VPRINTF,
	SIMT_MALLOC,
	SIMT_FREE,
	SIMT_ASSERTFAIL,
	/* launches by kernels: api/device_launch.h */
	SIMT_PARAMETER_BUFFER,
	SIMT_LAUNCH_DEVICE,
	SIMT_PARAMETER_BUFFER_V2,
	SIMT_LAUNCH_DEVICE_V2,
	SIMT_DEVICE_SYNCHRONIZE,
	SIMT_DEVICE_LAST_ERROR,
	SIMT_DEVICE_PEEK_ERROR,
	SIMT_SYSTEM_CALLS
};
enum { SIMT_SYSTEM_ARGUMENTS = 8 }; /* words of 8 bytes that one of them takes, at most: a dim3 takes two */

/* By its name, which may end in _ptsz (of a stream per thread); SIMT_SYSTEM_CALLS: there is none of that name. */
enum simt_system simt_system_named(const char *name);

struct textures;

/* One launch of a program. */
/* Which path of a branch that parts a warp's lanes runs before the other. */
enum simt_first_path { SIMT_FALL_THROUGH_FIRST, SIMT_TAKEN_FIRST, SIMT_LOW_LANES_FIRST };

struct simt_launch {
	const struct simt_program *program;
	struct simt_memory *memory;
	struct dim3 grid, block;
	uint32_t dynamic_shared_bytes;
	uint32_t carve_out;    /* bytes that shared memory takes from L1 at least, where the two divide one memory */
	const uint8_t *params; /* program->param_bytes */
	uint32_t sm_count;     /* %nsmid */
	uint64_t resident;     /* blocks that are there together in a functional run; 0: one */
	uint64_t first;        /* block with which a functional run begins: those before it have run */
	struct simt_trial *trial; /* of a functional run that may be taken back (trial.h), or NULL */
	uint32_t first_path;   /* enum simt_first_path */
	uint64_t id;           /* %gridid */
	uint64_t code;         /* offset of the program's code in the machine's code space, bytes */
	/* Called from simt_commit(), with SIMT_SYSTEM_ARGUMENTS words. Returns what the call returns to the lane. */
	uint64_t (*system_call)(void *user, enum simt_system call, const uint64_t *arguments,
	                        const struct simt_windows *windows);
	void *user;
	/* A barrier that a part of a warp reaches counts for the whole warp, as before Volta. With this it is a fault when
	 * the other part meets another one. */
	bool whole_warp_barriers;
	bool cooperative;  /* blocks may wait for each other: all are resident together */
	bool copies_overlap; /* somebody else says when copies (cp.async) have come: their arrivals on mbarriers are his */
	bool dma_overlaps; /* a warp does not wait for others at a DMA transfer: somebody keeps it from what is not there yet */
	bool bulk_overlaps; /* somebody says when copies in bulk are over: simt_mbarrier_complete() */
	const atomic_bool *stop;        /* set at any time: the kernel shall end early; NULL: nobody does */
	struct simt_checks *checks;     /* what else is looked for (simt/check.h), or NULL */
	const struct textures *textures; /* and surfaces (texture.h), or NULL: there are none */
	const struct simt_reads *reads; /* judges global loads for the checks, or NULL */
	struct trace_recorder *recorder; /* writes down what warps do (trace/record.h), or NULL */
};

static inline bool simt_is_stopped(const struct simt_launch *launch)
{
	return launch->stop && atomic_load_explicit(launch->stop, memory_order_relaxed);
}

/* What kind of mistake stopped a kernel. */
enum simt_fault_kind {
	SIMT_FAULT_ADDRESS,     /* global or constant memory outside every allocation */
	SIMT_FAULT_MISALIGNED,  /* any space */
	SIMT_FAULT_RANGE,       /* beyond the block's shared, the thread's local memory, or the parameters */
	SIMT_FAULT_BARRIER,     /* that can never complete */
	SIMT_FAULT_COUNTS,      /* warps come to one barrier with different counts of threads */
	SIMT_FAULT_PARTED,      /* threads of one warp meet different barriers */
	SIMT_FAULT_INSTRUCTION, /* operands that the instruction does not take */
	SIMT_FAULT_FREE,        /* of an address that a kernel cannot free */
	SIMT_FAULT_CALL,        /* of an address that is no function */
	SIMT_FAULT_STACK,       /* recursion too deep */
	SIMT_FAULT_DMA,         /* a transfer that the engine does not take */
	SIMT_FAULT_MECHANISM,   /* what a mechanism does not let it do */
	SIMT_FAULT_TRAP,
	SIMT_FAULT_ASSERT,
};

/* Why a kernel stopped. */
struct simt_fault {
	const char *what; /* "global load outside every allocation", or NULL: no fault */
	enum simt_fault_kind kind;
	enum ptx_space space; /* of the address, generic ones resolved */
	const struct simt_inst *inst;
	uint64_t address;
	uint32_t size, lane;
	struct dim3 block, thread;
	/* barriers: number and threads, and a warp that is elsewhere (other: NULL when there is none) */
	uint32_t barrier, arrived, expected;
	const struct simt_inst *other;
	struct dim3 other_thread;
	uint32_t other_barrier, other_expected;
	const char *detail; /* FREE: "which has been freed before" */
	/* DMA: the field, its value, and what it would have to be at most, or be */
	const char *field;
	uint64_t value, most;
	uint32_t warp; /* of the block */
};

struct simt_barrier {
	uint64_t arrived;  /* warps of the block that have arrived and wait (bit = warp in block) */
	uint32_t threads;  /* that have arrived, waiting or not */
	uint32_t expected; /* threads; 0: all live threads of the block */
	uint32_t red_count, red_and, red_or;
	const struct simt_inst *first_inst; /* of the first to arrive, for messages */
	uint32_t first_warp;
};

/* Addresses known to lie in one live allocation. They are the program's: the machine's are `shift` further (memory.h). */
struct simt_range {
	uint64_t low, high;
	uint64_t shift;
	uintptr_t base; /* what makes the machine's addresses the host's */
};

enum { SIMT_RANGES = 8 };

struct dma_block;
struct image_block;

/* A resident block. */
struct simt_block {
	const struct simt_launch *launch;
	struct dim3 index;
	uint64_t number; /* linear block number in the grid */
	uint8_t *shared; /* static + dynamic */
	uint32_t shared_bytes;
	uint32_t warps;
	uint64_t live;    /* warps with a thread that has not exited */
	uint64_t waiting; /* warps held at a barrier */
	struct simt_barrier barrier[SIMT_WAITS]; /* those of DMA buffers behind the others */
	struct dma_block *dma; /* where the program has DMA instructions (dma.h) */
	struct image_block *images; /* where it has instructions on textures or surfaces (image.h) */
	struct simt_warp *warp;               /* array of `warps` */
	uint64_t *clock;                      /* what %clock reads; the machine's cycle counter, or a count of steps */
	uint32_t sm;                          /* %smid */
	struct block_checks *checks;          /* what launch->checks keeps of a block, or NULL */
	struct recorded_block *recorded;      /* what launch->recorder keeps of it, or NULL */
	uint8_t *global;                      /* host address of device address 0 */
	struct simt_range range[SIMT_RANGES]; /* allocations lately accessed, by pc; forgotten at simt_block_start() */
	/* buffers, kept for reuse */
	uint8_t *storage; /* registers, local and shared memory */
	size_t storage_bytes;
	uint32_t warp_capacity;
};

struct simt_stack_entry {
	uint32_t pc, reconverge, lanes;
	bool is_call; /* a frame of a call: popped by ret */
};

/* The stack of lanes of a warp that go on apart from the others (split.h), while others run. */
struct simt_split {
	struct simt_stack_entry *stack;
	uint32_t depth, stack_capacity;
	uint8_t *frames;
	uint32_t frames_used, frames_capacity;
	uint32_t frame, frame_top;
};

/* A warp's state. */
struct simt_warp {
	uint32_t pc;         /* of the top of the stack */
	uint32_t lanes;      /* active lanes: of the top of the stack */
	uint32_t reconverge; /* pc at which the top of the stack is popped, or SIMT_NO_PC */
	uint32_t exists;     /* lanes that are threads of the block */
	uint32_t exited;     /* lanes that have exited */
	bool done;           /* all lanes have exited */
	uint32_t index;      /* in its block */
	uint32_t hardware;   /* %warpid: warp slot of the SM */
	struct simt_block *block;
	uint8_t *registers;           /* program->register_bytes */
	const uint8_t *constants;     /* program->constants */
	const struct simt_inst *code; /* program->code */
	uint8_t *local;               /* program->local_bytes * 32, or NULL */
	struct simt_stack_entry *stack;
	uint32_t depth, stack_capacity;
	uint8_t *frames; /* one record a call, with the registers that a recursive call saved; or NULL */
	uint32_t frames_used, frames_capacity;
	uint32_t frame;     /* local address of the running recursive function's frame */
	uint32_t frame_top; /* local address behind the last frame */
	const struct simt_inst
		*barrier_inst; /* the barrier at which it waits, and the lanes that get bar.red's result */
	uint32_t barrier_lanes;
	/* Lanes that the warp has passed a barrier without; one such barrier, and a lane that passed it. */
	uint32_t missed, missed_by;
	const struct simt_inst *missed_inst;
	struct simt_split *parked; /* in the order of their turns; or NULL */
	uint32_t parked_count;
	bool apart;     /* some have been parked since the block has begun */
	uint32_t polls; /* turns of a loop in which lanes have read the same, of which `polled` is a digest */
	uint64_t polled;
};

/* What a step did. */
struct simt_step {
	const struct simt_inst *inst;
	uint32_t issued;   /* lanes that were active */
	uint32_t lanes;    /* of these, lanes whose guard let them run */
	bool commits;      /* simt_commit() must be called before the warp's next step */
	bool exited;       /* a lane exited */
	bool mixed_spaces; /* generic access whose lanes lie in several spaces: addresses are generic ones */
	bool apart;        /* global memory whose lanes lie in the machine's and in shares, or in several of these */
	bool unit_stride;  /* memory: all lanes run, and lane i's address is lane 0's + i * size */
	bool same;         /* memory: all lanes run, with one address */
	uint8_t space;     /* memory: where to, with generic resolved (GLOBAL, SHARED, LOCAL, CONST, PARAM, TEX) */
	uintptr_t base;    /* global memory: what makes the addresses those of the host; unless `apart` */
	/* memory: per lane in `lanes`; of that space (shared and local: offsets), global ones the machine's; aligned as registers are */
	uint64_t address[WARP_SIZE] __attribute__((aligned(64)));
	/* of copies and of mbarriers alone: */
	uint32_t fetches;         /* copy: lanes that read global memory */
	uint32_t waits;           /* mbarrier.try_wait: lanes whose phase is not over */
	bool phase_ended;         /* mbarrier: of one of those that the instruction changed */
	uint64_t to[WARP_SIZE];   /* copy: per lane in `lanes`, where it goes in the block's shared memory */
	struct simt_fault fault;
};

/* Makes block number `number` of the launch ready to run; memory comes from malloc and is kept for reuse when `block`
 * was used before (zero-initialise the first time). `hardware` is the SM's warp slot of its first warp. */
void simt_block_start(struct simt_block *block, const struct simt_launch *launch, uint64_t number, uint32_t hardware);
void simt_block_free(struct simt_block *block);

/* Runs the instruction at warp->pc, moves pc, lanes and stack. A BARRIER step does not hold the warp: the caller calls
 * simt_barrier(). On a fault nothing but step->fault has meaning. A commit can fault too (a failed assertion). */
void simt_step(struct simt_warp *warp, struct simt_step *step);
void simt_commit(struct simt_warp *warp, struct simt_step *step);

/* What the instruction at warp->pc is about to be run with; nothing changes. */
struct simt_operands {
	uint32_t lanes;              /* active ones whose guard lets them run */
	bool has_address;            /* a load, store, atomic or prefetch: */
	uint8_t space[WARP_SIZE];    /* enum ptx_space, with generic resolved lane by lane */
	uint64_t address[WARP_SIZE]; /* of that space (shared and local: offsets), global ones the machine's */
	uint32_t sources;            /* values: a store's begin behind its address */
	uint64_t source[SIMT_MAX_SOURCES][WARP_SIZE]; /* as they lie in the registers; predicates as 0 and 1 */
};
void simt_look_ahead(const struct simt_warp *warp, struct simt_operands *operands);
/* Of these, the lanes alone. */
uint32_t simt_next_lanes(const struct simt_warp *warp);

/* The warp has run a BARRIER step: it joins `block->waiting` or, when it was the last to arrive, all that waited leave
 * it. Also to be called for every step with `exited`, since a warp that ends may be the last one others wait for.
 * Returns the warps (bits) released, with the warp itself when it need not wait. */
uint64_t simt_barrier(struct simt_warp *warp, const struct simt_step *step);

/* From outside of any instruction: so many arrivals and so many bytes have come to the mbarrier at an offset of the block's shared memory, where 8 bytes lie
 * aligned. Arrivals beyond those that it waits for change nothing. True: its phase has ended, and those who wait for it can go on. */
bool simt_mbarrier_complete(struct simt_block *block, uint64_t shared, uint32_t arrivals, uint64_t bytes);

/* A thread that waits in a loop for what the host writes: its loop reads memory that is shared with the host (simt_share()). */
struct simt_poll {
	const struct simt_inst *inst; /* that reads */
	uint64_t address;             /* the program's; of shared memory, from the block's begin on */
	uint64_t value;               /* that lies there, of so many bytes; */
	uint32_t bytes;               /* 0: it is not known */
	uint32_t warps;               /* that read it */
	enum ptx_space space;
	bool is_host; /* it is the host's memory */
	struct dim3 block, thread;
	uint64_t number; /* of the block */
};

/* How the resident warps stand when a run is stopped: who polls what, and who is left that could write it. */
enum { SIMT_MAX_POLLS = 4 };
struct simt_polls {
	struct simt_poll poll[SIMT_MAX_POLLS]; /* the first of them, by instruction and address */
	uint32_t count;
	uint32_t polling, at_barrier, held, going, left_out; /* warps */
	const char *holder;                        /* the mechanism that keeps the first of `held` */
	const char *order;                         /* the mechanism that lets none of `left_out` compete */
	struct dim3 held_block, going_block, left_out_block; /* the first one's */
	uint64_t held_number;
	uint32_t going_warp;
	uint64_t blocks_left, blocks; /* that are not resident yet; of the grid */
};

/* Whether a warp is in a loop that reads what others write; if so, what its first lane reads. */
bool simt_warp_polls(const struct simt_warp *warp, struct simt_poll *poll);
/* A digest of all that decides what a warp does next, but for memory. */
uint64_t simt_warp_state(const struct simt_warp *warp);
/* `holder`: the mechanism that keeps it from going on; `order`: the one that never lets it compete; or NULL. */
void simt_polls_add(struct simt_polls *polls, const struct simt_warp *warp, const char *holder, const char *order);
/* Lines that say so, each behind a newline; nothing when nobody polls. */
void simt_polls_print(const struct simt_launch *launch, const struct simt_polls *polls, char *text, size_t size);

/* Functional run of a whole launch: blocks that are resident together take turns, as their warps do; those of a cooperative
 * launch are all resident. `max_instructions` thread instructions (0: no limit). */
struct simt_run {
	uint64_t warp_instructions, thread_instructions;
	bool stopped; /* at max_instructions, or because it was to */
	struct simt_polls polls; /* who polled then */
	struct simt_fault fault;
};
void simt_run(const struct simt_launch *launch, uint64_t max_instructions, struct simt_run *run);

/* One clear message: kernel, PTX line, CUDA source line, block, thread, address and the nearest allocation. */
void simt_fault_print(const struct simt_launch *launch, const struct simt_fault *fault, char *text, size_t size);

#endif
