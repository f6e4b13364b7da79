/* mech_listed: names for the elements of vectors with one element per executed load of a launch. Mechanisms include
 * it next to seam/mech.h. Loads are in the order of the code. A load has the same name in each launch and in each
 * mechanism that uses this. */
#ifndef SLUICE_SEAM_MECH_LISTED_H
#define SLUICE_SEAM_MECH_LISTED_H

#include "seam/mech.h"

#include <stdio.h>

/* The length of such a vector. With more loads, the last element includes all further ones. */
enum { MECH_LISTED_LOADS = 4096, MECH_LOAD_NAME = 1024 };

/* Part of the dispatcher's state, for one launch until the next begins. */
struct mech_listed {
	const char *kernel;
	uint32_t loads;
	uint32_t pc[MECH_LISTED_LOADS], line[MECH_LISTED_LOADS]; /* by element */
	char name[MECH_LOAD_NAME];
};

/* Call this in gpu_kernel_begin. */
static inline void mech_listed_begin(struct mech_listed *listed, const struct mech_launch *launch)
{
	listed->kernel = launch->kernel;
	listed->loads = 0;
}

/* Call this in gpu_kernel_end for each executed load, in the order of pcs. Returns its element. */
static inline uint32_t mech_listed_add(struct mech_listed *listed, const struct mech_launch *launch, uint32_t pc)
{
	if (listed->loads == MECH_LISTED_LOADS)
		return MECH_LISTED_LOADS - 1;
	listed->pc[listed->loads] = pc;
	listed->line[listed->loads] = launch->line ? launch->line[pc] : 0;
	return listed->loads++;
}

/* For gpu_keep. */
static inline void mech_listed_keep(struct mech_listed *listed, const struct mech_launch *launch,
                                    struct mech_kept *kept)
{
	mech_keep(kept, &listed->loads, sizeof listed->loads);
	if (listed->loads > MECH_LISTED_LOADS)
		listed->loads = 0;
	mech_keep(kept, listed->pc, listed->loads * sizeof *listed->pc);
	mech_keep(kept, listed->line, listed->loads * sizeof *listed->line);
	if (kept->restores)
		listed->kernel = launch->kernel;
}

/* For vector_label: kernel, pc, and line of the CUDA source, 0 when it is not known. */
static inline const char *mech_listed_name(struct mech_listed *listed, uint32_t element)
{
	if (element >= listed->loads)
		return NULL;
	snprintf(listed->name, sizeof listed->name, "%s pc %u line %u", listed->kernel, listed->pc[element],
	         listed->line[element]);
	return listed->name;
}

#endif
