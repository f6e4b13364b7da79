/* program: what the decoder and control flow know of a program's functions. */
#ifndef SLUICE_SIMT_PROGRAM_H
#define SLUICE_SIMT_PROGRAM_H

#include "simt/simt.h"

/* Location of a parameter or result in local memory. It is relative to the frame if in a recursive function's frame. */
struct simt_slot {
	uint32_t offset, size;
	bool in_frame;
};

/* A function of the program; the kernel is the first. */
struct simt_function {
	const struct ptx_function *ptx;
	uint64_t address;                   /* simt_function_address() */
	uint32_t pc;                        /* of its first instruction */
	uint32_t registers, register_bytes; /* its part of a warp's registers: first the rows of 64-bit registers, */
	uint32_t rows64, rows32, preds;     /* then the 32-bit registers, then predicates */
	uint32_t frame_bytes;               /* of local memory, when recursive */
	uint32_t stack_row; /* 32-bit row with the stack bytes taken at its call, or SIMT_NO_REGISTER: it takes none */
	bool recursive;                     /* may run again before it has returned */
	struct simt_slot *params, *results;
};

/* An argument or result on the caller's side: a slot, a register row, or (arguments) a row of constants. */
struct simt_argument {
	enum { SIMT_ARGUMENT_SLOT, SIMT_ARGUMENT_REGISTER, SIMT_ARGUMENT_CONSTANT } kind;
	struct simt_slot slot;
	uint32_t row, lane_bytes;
};

/* A call instruction's operands; simt_inst.immediate points here. */
struct simt_call {
	const struct simt_function *callee; /* NULL: called by the address in source 0, or a system call */
	enum ptx_system system;             /* function of a system call */
	bool own_stream;                    /* as in struct simt_windows */
	struct simt_argument *arguments, *results;
	uint32_t argument_count, result_count;
};

/* A variable of shared or local memory, for messages. */
struct simt_variable {
	const char *name;
	enum ptx_space space;
	uint32_t offset, size; /* size 0: dynamic shared memory, which extends from here to the end */
	const struct ptx_variable *symbol;
};

/* Register row of a special register. */
struct simt_sreg_row {
	enum ptx_sreg sreg;
	uint32_t offset;
};

/* Bytes of local memory per thread: for the frames of recursive functions, and CUDA's limit for all other uses. */
enum { SIMT_STACK_BYTES = 16384, SIMT_LOCAL_BYTES = 512 << 10 };

/* Returns the function that a call by address reaches, or NULL. */
const struct simt_function *simt_function_at(const struct simt_program *program, uint64_t address);

simt_exec control_branch, control_call, control_system_call, control_system_commit, control_return, control_exit,
	control_trap, control_barrier, control_indexed;

/* The warp has reached a DMA transfer and waits for it. Sets a fault when no warp is left that could still arrive. */
void barrier_of_dma(struct simt_warp *warp, struct simt_step *step);
/* The warp has ended. Sets a fault when all other warps wait at barriers that can no longer complete. */
void barrier_exit(struct simt_warp *warp, struct simt_step *step);

/* Finds the straight stretches of a decoded program, each of which a functional run executes in one go. */
void run_mark_stretches(struct simt_program *program);

/* Pops finished entries after the top of a warp's stack has changed or has reached its reconvergence point. */
void control_settle(struct simt_warp *warp);
/* Call it when the running lanes have reached warp->reconverge. */
void control_join(struct simt_warp *warp);

#endif
