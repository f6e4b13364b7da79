/* trial: a functional run of a launch that can be undone. It records how often each instruction ran and the bytes
 * that stores overwrote.
 *
 * Effects that need the machine's help cannot be undone: device printf, malloc and launches, transfers by an
 * engine, stores to surfaces. Launches of such programs are not tried.
 */
#ifndef SLUICE_SIMT_TRIAL_H
#define SLUICE_SIMT_TRIAL_H

#include "simt/simt.h"

/* Bytes of memory as they were before the trial. */
struct trial_kept {
	uint64_t address; /* the machine's address */
	uint32_t bytes;
	uint64_t at; /* position in trial.bytes */
};

struct simt_trial {
	uint32_t count; /* of the program's instructions */
	/* Warp instructions that begin at each pc, less those that began at the pc before. A stretch of any length
	 * has only two entries. */
	int64_t *change; /* count + 1 */
	struct simt_memory *memory; /* NULL: only counts are recorded, no bytes */
	struct trial_kept *kept; /* in the order of the stores; the first record of a byte has its original value */
	size_t kept_count, kept_capacity;
	uint8_t *bytes;
	size_t used, capacity;
	uint64_t *page; /* hash table of pages of device memory that are saved as a whole, plus one; 0: free */
	size_t pages, page_slots;
};

/* Returns true when the program changes memory only by stores and atomics. */
bool simt_can_be_tried(const struct simt_program *program);

/* Without memory the trial only counts: it cannot be undone, and any program may run in it. */
void simt_trial_open(struct simt_trial *trial, const struct simt_program *program, struct simt_memory *memory);
/* Writes the number of warp instructions per pc to `by_pc`, which has one entry per instruction of the program. */
void simt_trial_counts(const struct simt_trial *trial, uint64_t *by_pc);
/* Restores memory to its state before the trial. */
void simt_trial_undo(struct simt_trial *trial);
void simt_trial_close(struct simt_trial *trial);

/* For simt_run(): trial_count() counts the next `instructions` instructions as run. trial_keep() saves the bytes
 * that a step's commit is about to overwrite. */
static inline void trial_count(struct simt_trial *trial, uint32_t pc, unsigned instructions)
{
	trial->change[pc]++;
	trial->change[pc + instructions]--;
}
void trial_keep(struct simt_trial *trial, const struct simt_step *step);

#endif
