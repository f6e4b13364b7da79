/* program: what decode and control flow know of a program's functions. */
#ifndef SLUICE_SIMT_PROGRAM_H
#define SLUICE_SIMT_PROGRAM_H

#include "simt/simt.h"

/* A place in local memory where a parameter or result lies. In a recursive function's frame it is relative to it. */
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
	uint32_t rows64, rows32, preds;     /* then those of 32-bit ones, then predicates */
	uint32_t frame_bytes;               /* of local memory, when recursive */
	uint32_t stack_row;                 /* 32-bit row for what is taken of the stack when it is called, or SIMT_NO_REGISTER: it takes nothing */
	bool recursive;                     /* may run again before it has returned */
	struct simt_slot *params, *results;
};

/* An argument or result as the caller has it: a slot, a register row, or (arguments) a row of constants. */
struct simt_argument {
	enum { SIMT_ARGUMENT_SLOT, SIMT_ARGUMENT_REGISTER, SIMT_ARGUMENT_CONSTANT } kind;
	struct simt_slot slot;
	uint32_t row, lane_bytes;
};

/* A call instruction's operands; simt_inst.immediate points here. */
struct simt_call {
	const struct simt_function *callee; /* NULL: by address in source 0, or a system call */
	enum simt_system system;            /* of a system call */
	struct simt_argument *arguments, *results;
	uint32_t argument_count, result_count;
};

/* A variable of shared or local memory, for messages. */
struct simt_variable {
	const char *name;
	enum ptx_space space;
	uint32_t offset, size; /* size 0: dynamic shared memory, all from here on */
	const struct ptx_variable *symbol;
};

/* A special register's row. */
struct simt_sreg_row {
	enum ptx_sreg sreg;
	uint32_t offset;
};

/* Local memory, bytes per thread: for the frames of recursive functions, and the most that others may have (CUDA's). */
enum { SIMT_STACK_BYTES = 16384, SIMT_LOCAL_BYTES = 512 << 10 };

/* The function that a call by address reaches, or NULL. */
const struct simt_function *simt_function_at(const struct simt_program *program, uint64_t address);

simt_exec control_branch, control_call, control_system_call, control_system_commit, control_return, control_exit,
	control_trap, control_barrier, control_indexed;

/* The warp has come to a DMA transfer that it waits for: a fault when nobody is left who could come. */
void barrier_of_dma(struct simt_warp *warp, struct simt_step *step);
/* The warp has ended: a fault when all others wait at barriers that nobody can complete now. */
void barrier_exit(struct simt_warp *warp, struct simt_step *step);

/* Finds the stretches of a decoded program that a functional run runs without looking up. */
void run_mark_stretches(struct simt_program *program);

/* After the top of a warp's stack has changed or reached its reconvergence: pops what is done. */
void control_settle(struct simt_warp *warp);
/* The running lanes have reached warp->reconverge. */
void control_join(struct simt_warp *warp);

#endif
