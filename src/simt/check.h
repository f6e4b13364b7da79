/* check: mistakes that stop no kernel but are looked for when asked: races, reads of memory that nobody wrote, wrong member
 * masks, accesses outside a shared array, reads that somebody else judges, reads beside allocations. docs/how-to/checks.md says what
 * counts as one, and why.
 *
 * A program whose kernels are to be checked has other execution functions for the instructions concerned, which look
 * first and then call the ordinary ones. So checks cost nothing where nobody asked for them, and neither results nor
 * timing know of them.
 */
#ifndef SLUICE_SIMT_CHECK_H
#define SLUICE_SIMT_CHECK_H

#include "simt/simt.h"

enum simt_check {
	SIMT_CHECK_RACE = 1,        /* shared memory: conflicting accesses of two warps that nothing orders */
	SIMT_CHECK_INIT = 2,        /* device memory: reads of what nobody wrote */
	SIMT_CHECK_SHARED_INIT = 4, /* the same of shared memory */
	SIMT_CHECK_READS = 8,       /* global loads of a launch with `reads`, which says which of them are wrong */
	SIMT_CHECK_GLOBAL_RACE = 32, /* the same as SIMT_CHECK_RACE of global memory, between warps of all blocks; on one thread of the host */
	SIMT_CHECK_BOUNDS = 64,      /* shared memory: accesses through one array that land outside it */
	SIMT_CHECK_MASKS = 128,      /* member masks without the lane itself, shuffles from lanes that take no part */
	SIMT_CHECK_WARP_RACE = 256,  /* conflicting accesses of two lanes of a warp that nothing orders */
	SIMT_CHECK_LEAKS = 512,      /* where kernels allocate: simt_checks_place() */
	SIMT_CHECK_STRAY = 16,      /* device memory: reads beside every allocation, which then give 0 and are no fault */
};

/* Judges the global loads of a launch. Host threads call it at the same time, each for blocks of its own. */
struct simt_reads {
	/* A block begins; what it returns is handed to the two below. */
	void *(*begin)(void *user, struct dim3 block);
	/* The lanes of `lanes` that must not read where they do. `inst`: the load's index in the kernel's body, or
	 * UINT32_MAX in a function that the kernel calls. */
	uint32_t (*read)(void *block, uint32_t inst, uint32_t lanes, const uint64_t *address);
	/* All threads of the block have exited. Not called when the kernel stops before. */
	void (*end)(void *block);
	/* For the message: what the load was to read. */
	void (*describe)(void *user, uint32_t inst, char *text, size_t size);
	void *user;
};

/* What was found, over all launches. Blocks of several threads of the host may add to it. */
struct simt_checks;

/* SIMT_CHECK_INIT wants a memory that is watched (simt_watch()). */
struct simt_checks *simt_checks_open(unsigned kinds);
void simt_checks_close(struct simt_checks *checks);

/* Makes a program a checked one, once; its launches have these checks. */
void simt_check_program(const struct simt_checks *checks, struct simt_program *program);

/* After a launch: says what it was the first to find, one text a pair of lines (races) or a line (reads). `is_stray`: a read
 * beside every allocation. */
void simt_checks_report(struct simt_checks *checks, const struct simt_launch *launch,
                        void (*say)(void *user, bool is_stray, const char *text), void *user);
/* The launch is over, and what was kept of it can go. */
void simt_checks_end(struct simt_checks *checks, const struct simt_launch *launch);
/* True of a fault that SIMT_CHECK_STRAY would have let through, when the read was as near to an allocation as those are that do no harm on a GPU. */
bool simt_fault_strays(const struct simt_launch *launch, const struct simt_fault *fault);
/* Where a kernel has allocated the live memory at an address, as text, or NULL: not known. */
const char *simt_checks_place(const struct simt_checks *checks, uint64_t address);
/* All but reads beside every allocation. */
uint64_t simt_checks_found(const struct simt_checks *checks);

#endif
