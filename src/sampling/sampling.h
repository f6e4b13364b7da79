/* sampling: runs that simulate one part in cycles, run the rest functionally, and estimate the whole
 * (docs/how-to/sampling.md).
 *
 * Sampling of launches: each launch first runs functionally, which counts the executions of each instruction. These
 * counts are its signature. Launches of one kernel and shape with similar signatures form a group. Some launches of a
 * group are simulated, fewer and fewer as the group grows. To simulate one, memory is restored and the launch runs
 * again in cycles. A launch that is not simulated keeps the functional results. So results never depend on an estimate.
 */
#ifndef SLUICE_SAMPLING_SAMPLING_H
#define SLUICE_SAMPLING_SAMPLING_H

#include "sluice.h"

#include "attach/attach.h"
#include "sampling/estimate.h"
#include "base/document.h"
#include "base/diag.h"
#include "gpu/gpu.h"

struct records;
struct record;

/* The sampling that a run's settings request. */
struct sampling_wish {
	uint32_t launches; /* simulate at most this many per group; 0: launches are not sampled */
	bool blocks;
	/* least fraction of a launch's blocks to simulate; target for the estimated error, as a fraction of the
	 * cycles */
	double fraction, error;
};

/* A group of similar launches. */
struct sampling_group {
	uint64_t *steps; /* counts of the group's first launch, by pc */
	uint64_t sum;
	uint32_t number;  /* number of the group in the run, from 1 */
	uint64_t members; /* members so far; simulated members, and number of the next to simulate */
	uint64_t simulated, next;
	double cycles_each; /* cycles per warp instruction of the last simulated member; 0: none yet */
};

/* All launches of one kernel and shape. */
struct sampling_kind {
	char *kernel;
	uint32_t instructions;
	struct dim3 grid, block;
	uint32_t dynamic_shared_bytes;
	struct sampling_group *group;
	size_t groups;
	size_t last;   /* group of the kind's last launch */
	size_t behind; /* kind that followed the kind's last launch; SIZE_MAX: none yet */
};

struct sampling {
	struct sampling_wish wish;
	struct sampling_kind *kind;
	size_t kinds, last; /* `last`: kind of the last launch */
	bool launched;      /* `last` is valid */
	bool skipped;       /* something ran functionally since the last simulated launch */
	uint32_t groups;
	struct words told; /* kernels reported as wholly simulated */
};

/* How a record's launch was sampled. */
struct record_sample {
	bool is_partial;         /* not all of it was simulated: the record has only functional statistics */
	uint32_t group;          /* of a sampled launch; 0: it represents only itself */
	uint64_t blocks;         /* simulated blocks of a launch with sampled blocks; 0: blocks were not sampled */
	uint64_t work, cycles;   /* warp instructions of these blocks, and their cycles */
	double distance; /* between the instruction mixes of the simulated part and the rest: 0 (identical) to 2 */
	struct estimate estimate; /* of the cycles of such a launch */
};

/* Reads the settings. Reports unsupported combinations in `diag`. */
void sampling_open(struct sampling *sampling, const struct sluice_settings *settings,
                   const struct attachments *attached, struct diag *diag);
void sampling_close(struct sampling *sampling);

/* Returns the group of a launch with these instruction counts by pc, or a new group when none is similar. *first: no
 * launch of its kind came before. Its data are in no cache yet, so it belongs to no group. The result is valid until
 * the next call. */
struct sampling_group *sampling_find(struct sampling *sampling, const struct simt_launch *launch, const uint64_t *steps,
                                     bool *first);
/* Reports, once per kernel, that all of it is simulated, and why. */
void sampling_tell(struct sampling *sampling, const char *kernel, const char *why);
/* Counts the launch as a member of the group. Returns true when it is to be simulated. */
bool sampling_chooses(const struct sampling_wish *wish, struct sampling_group *group);
/* Call after sampling_find(). Predicts the next launch: the one that followed a launch of this kind the last time. If
 * that one will be simulated, returns true: this launch is then simulated too, to warm the caches. */
bool sampling_warms(const struct sampling *sampling);

/* Sums of the records of one kernel (NULL: all). */
struct sampled_sum {
	struct estimate cycles;
	struct gpu_stats stats; /* estimates, except for instructions */
	size_t launches, simulated; /* `simulated`: wholly */
	uint32_t groups;
};
/* Computes the sums for `kernel`, or for all kernels (NULL). */
void sampling_sum(const struct records *records, const char *kernel, struct sampled_sum *sum);

#endif
