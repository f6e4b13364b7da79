/* sampling: runs of which a part is simulated in cycles and the rest functionally, and what that part says of the whole (docs/how-to/sampling.md).
 *
 * Launches: of those of one kernel and shape, each is run functionally first, which says how often each instruction was run: that is its
 * signature. Launches with like signatures are a group. Of a group some are simulated, the further in it the fewer: memory goes back to what it
 * was, and the run in cycles is the launch. What simulates nothing keeps what the functional run did. So results never depend on an estimate.
 */
#ifndef SLUICE_API_SAMPLING_H
#define SLUICE_API_SAMPLING_H

#include "sluice.h"

#include "api/attach.h"
#include "api/estimate.h"
#include "base/document.h"
#include "base/diag.h"
#include "gpu/gpu.h"

struct records;
struct record;

/* What a run's settings ask for. */
struct sampling_wish {
	uint32_t launches; /* of a group, simulated at most; 0: launches are not sampled */
	bool blocks;
	double fraction, error; /* of a launch's blocks, simulated at least; of its cycles, the estimated error to be reached */
};

/* Like launches. */
struct sampling_group {
	uint64_t *steps; /* of the first, by pc */
	uint64_t sum;
	uint32_t number;  /* from 1, in the run */
	uint64_t members; /* so far; of these, simulated, and the next to be */
	uint64_t simulated, next;
	double cycles_each; /* a warp instruction of the last that was simulated; 0: none was */
};

/* Launches of a kernel and shape. */
struct sampling_kind {
	char *kernel;
	uint32_t instructions;
	struct dim3 grid, block;
	uint32_t dynamic_shared_bytes;
	struct sampling_group *group;
	size_t groups;
	size_t last;   /* of these, that of the last launch */
	size_t behind; /* the kind of the launch that came behind the last of these; SIZE_MAX: none has */
};

struct sampling {
	struct sampling_wish wish;
	struct sampling_kind *kind;
	size_t kinds, last; /* the kind of the last launch, */
	bool launched;      /* if there was one */
	bool skipped;       /* since the last that was simulated, something ran functionally */
	uint32_t groups;
	struct words told; /* kernels of which it was said that they are simulated wholly */
};

/* Of a record: how it was sampled. */
struct record_sample {
	bool is_partial;         /* not all of it was simulated: the record is a functional one as far as it is known */
	uint32_t group;          /* of a sampled launch; 0: it stands for itself */
	uint64_t blocks;         /* simulated, of a launch whose blocks were sampled; 0: these were not */
	uint64_t work, cycles;   /* warp instructions of these, and their cycles */
	double distance; /* between the instructions of the simulated part and of the rest, by shares: 0 (the same) to 2 */
	struct estimate estimate; /* of the launch's cycles then */
};

/* Reads the settings; says in `diag` what cannot be. */
void sampling_open(struct sampling *sampling, const struct sluice_settings *settings,
                   const struct attachments *attached, struct diag *diag);
void sampling_close(struct sampling *sampling);

/* The group of a launch with such counts by pc, of `instructions`; a new one where none is near. *first: nothing of its kind was launched
 * before, so that caches know nothing of it: it belongs to no group. Lasts until the next call. */
struct sampling_group *sampling_find(struct sampling *sampling, const struct simt_launch *launch, const uint64_t *steps,
                                     bool *first);
/* Says once of a kernel that all of it is simulated, and why. */
void sampling_tell(struct sampling *sampling, const char *kernel, const char *why);
/* Counts a member in; whether it is to be simulated. */
bool sampling_chooses(const struct sampling_wish *wish, struct sampling_group *group);
/* Behind sampling_find(): whether the next launch, if it is what came behind such a launch the last time, is to be simulated: then this one is, too,
 * so that caches are as its predecessor leaves them. */
bool sampling_warms(const struct sampling *sampling);

/* What the records of a kernel (NULL: all) come to. */
struct sampled_sum {
	struct estimate cycles;
	struct gpu_stats stats; /* estimates, but for instructions */
	size_t launches, simulated; /* wholly */
	uint32_t groups;
};
void sampling_sum(const struct records *records, const char *kernel, struct sampled_sum *sum);

#endif
