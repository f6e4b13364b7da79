/* trial: a functional run of a launch that can be taken back: what each instruction was run, and what stores have written over.
 *
 * What a program computes with the machine's help cannot be taken back: device printf, malloc and launches, transfers that an engine makes,
 * stores to surfaces. Launches of such programs are not tried.
 */
#ifndef SLUICE_SIMT_TRIAL_H
#define SLUICE_SIMT_TRIAL_H

#include "simt/simt.h"

/* Bytes of memory as they were before the trial. */
struct trial_kept {
	uint64_t address; /* the machine's */
	uint32_t bytes;
	uint64_t at; /* in trial.bytes */
};

struct simt_trial {
	uint32_t count; /* of the program's instructions */
	/* How many warp instructions begin at each pc, less those that began at the one before: stretches have two entries, however long they are. */
	int64_t *change; /* count + 1 */
	struct simt_memory *memory; /* NULL: nothing is kept, but the counts */
	struct trial_kept *kept; /* in the order of the stores; what was kept twice is first as it was */
	size_t kept_count, kept_capacity;
	uint8_t *bytes;
	size_t used, capacity;
	uint64_t *page; /* pages of device memory of which all is kept, by hash, plus one; 0: free */
	size_t pages, page_slots;
};

/* Whether all that the program does to memory is stores and atomics. */
bool simt_can_be_tried(const struct simt_program *program);

/* Without memory the trial counts alone: it stands, and may be of any program. */
void simt_trial_open(struct simt_trial *trial, const struct simt_program *program, struct simt_memory *memory);
/* How many warp instructions were run at each pc: `by_pc` has room for all the program's. */
void simt_trial_counts(const struct simt_trial *trial, uint64_t *by_pc);
/* Memory is as it was before the trial. */
void simt_trial_undo(struct simt_trial *trial);
void simt_trial_close(struct simt_trial *trial);

/* For simt_run(): so many instructions from there on are run; a step's commit is about to write. */
static inline void trial_count(struct simt_trial *trial, uint32_t pc, unsigned instructions)
{
	trial->change[pc]++;
	trial->change[pc + instructions]--;
}
void trial_keep(struct simt_trial *trial, const struct simt_step *step);

#endif
