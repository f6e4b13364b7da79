/* check: optional checks for errors that stop no kernel. They find races, reads of unwritten memory, wrong member
 * masks and accesses outside a shared array. They also find reads that a caller judges, and out-of-bounds reads.
 * docs/how-to/checks.md defines each error, and why.
 *
 * A program with checks has other execution functions for the instructions concerned. These check first and then
 * call the ordinary ones. Checks therefore cost nothing when they are off, and they change neither results nor
 * timing.
 */
#ifndef SLUICE_SIMT_CHECK_H
#define SLUICE_SIMT_CHECK_H

#include "simt/simt.h"

enum simt_check {
	SIMT_CHECK_RACE = 1,        /* shared memory: conflicting accesses of two warps without an order */
	SIMT_CHECK_INIT = 2,        /* device memory: reads of unwritten bytes */
	SIMT_CHECK_SHARED_INIT = 4, /* shared memory: reads of unwritten bytes */
	SIMT_CHECK_READS = 8,       /* global loads of a launch with `reads`, which judges them */
	/* global memory: as SIMT_CHECK_RACE, between warps of all blocks; takes one host thread */
	SIMT_CHECK_GLOBAL_RACE = 32,
	SIMT_CHECK_BOUNDS = 64,      /* shared memory: accesses through one array that land outside it */
	SIMT_CHECK_MASKS = 128, /* member masks without the lane itself, shuffles from lanes that do not participate */
	SIMT_CHECK_WARP_RACE = 256,  /* conflicting accesses of two lanes of a warp without an order */
	SIMT_CHECK_LEAKS = 512,      /* where kernels allocate: simt_checks_place() */
	SIMT_CHECK_STRAY = 16,      /* device memory: out-of-bounds reads return 0 and are no fault */
};

/* Judges the global loads of a launch. Host threads call it concurrently, each for its own blocks. */
struct simt_reads {
	/* A block begins. The returned pointer is passed to read() and end(). */
	void *(*begin)(void *user, struct dim3 block);
	/* Returns the lanes of `lanes` that must not read at their addresses. `inst`: the load's index in the
	 * kernel's body, or UINT32_MAX in a function that the kernel calls. */
	uint32_t (*read)(void *block, uint32_t inst, uint32_t lanes, const uint64_t *address);
	/* All threads of the block have exited. Not called when the kernel stops earlier. */
	void (*end)(void *block);
	/* Writes, for the message, the reads that were predicted for the load. */
	void (*describe)(void *user, uint32_t inst, char *text, size_t size);
	void *user;
};

/* The findings of all launches. Several host threads may add findings. */
struct simt_checks;

/* Opens the checks of `kinds`. SIMT_CHECK_INIT needs a watched memory (simt_watch()). */
struct simt_checks *simt_checks_open(unsigned kinds);
void simt_checks_close(struct simt_checks *checks);

/* Adds the checks to a program, once. All its launches then run with them. */
void simt_check_program(const struct simt_checks *checks, struct simt_program *program);

/* After a launch: reports each finding that was new, one text per pair of lines (races) or per line (reads).
 * `is_stray`: an out-of-bounds read. */
void simt_checks_report(struct simt_checks *checks, const struct simt_launch *launch,
                        void (*say)(void *user, bool is_stray, const char *text), void *user);
/* Ends the launch and frees its state. */
void simt_checks_end(struct simt_checks *checks, const struct simt_launch *launch);

/* Work of a stream: launches, or a call such as a copy, whose accesses are compared with those of earlier works.
 * Works of a chain follow each other. `clock` has, by chain, the time up to which the chain's works have ended before
 * this one begins; its own chain's is `time`. */
struct simt_ordered_work {
	const char *call; /* of a call: its name */
	void *const *frame; /* its return addresses, copied, and a function that prints the first caller */
	uint32_t frames;
	void (*describe)(void *const *frame, uint32_t frames, char *text, size_t size);
	uint64_t stream;  /* for messages; 0: the legacy stream */
	uint32_t chain, time;
	const uint32_t *clock; /* copied */
	uint32_t chains;
};

/* Begins such a work, with SIMT_CHECK_GLOBAL_RACE; NULL: ends it. Accesses outside of works are not compared. */
void simt_checks_work(struct simt_checks *checks, const struct simt_ordered_work *work);
/* The present work, a call, accesses a range of memory. */
void simt_checks_touch(struct simt_checks *checks, const struct simt_memory *memory, uint64_t address, uint64_t size,
                       bool writes);
/* The memory has a new owner. */
void simt_checks_forget(struct simt_checks *checks, uint64_t address, uint64_t size);
/* All works so far have ended before any later one begins. Chains and times are used again. */
void simt_checks_all_ordered(struct simt_checks *checks);
/* Reports the findings about two works that are new. */
void simt_checks_report_works(struct simt_checks *checks, void (*say)(void *user, bool is_stray, const char *text),
                              void *user);
/* Returns true for a fault that SIMT_CHECK_STRAY would have allowed. The read must be close enough to an allocation
 * that a GPU would tolerate it. */
bool simt_fault_strays(const struct simt_launch *launch, const struct simt_fault *fault);
/* Returns, as text, where a kernel allocated the live memory at an address. Returns NULL when that is not known. */
const char *simt_checks_place(const struct simt_checks *checks, uint64_t address);
/* Returns the number of findings without out-of-bounds reads. */
uint64_t simt_checks_found(const struct simt_checks *checks);

#endif
