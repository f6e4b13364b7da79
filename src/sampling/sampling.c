/* Decides which launches are similar, and which of them are simulated. */
#include "sampling/sampling.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Two launches are similar when their counts differ, in sum, by less than this fraction of the larger sum. */
#define LIKE 0.1

#define USUAL_ERROR 0.03

/* Returns the setting that requires every cycle of every launch, or inspects functional execution; NULL: none does. */
static const char *what_needs_all(const struct sluice_settings *settings)
{
	return settings->functional     ? "a functional run has no cycles to estimate"
	       : settings->check        ? "checks need every launch simulated in cycles"
	       : settings->stray_read   ? "out-of-bounds reads are counted only in launches simulated in cycles"
	       : settings->trace_out    ? "an instruction trace contains all launches"
	       : settings->energy       ? "energies need the counters of all launches"
	       : settings->profile_file ? "a profile contains the instructions of all launches"
	       : settings->timeline_file || settings->sample_file ? "a timeline and samples over time show all launches"
	                                                          : NULL;
}

/* A mechanism that follows all blocks of a launch from the dispatcher would see the launch end early. */
static bool sees_all_blocks(const struct mech *mech)
{
	return mech->gpu_open || mech->gpu_cycle || mech->gpu_block || mech->may_dispatch || mech->may_end ||
	       mech->policies & (MECH_POLICY_BLOCK_PLACE | MECH_POLICY_KERNEL);
}

static void check_mechanisms(const struct attachments *attached, struct diag *diag)
{
	for (uint32_t i = 0; i < attached->count; i++)
		if (sees_all_blocks(attached->list[i].mech))
			diag_plain(diag, "sampling of blocks: mechanism %s needs all blocks of a launch",
			           attached->list[i].mech->name);
}

void sampling_open(struct sampling *sampling, const struct sluice_settings *settings,
                   const struct attachments *attached, struct diag *diag)
{
	const char *reason = what_needs_all(settings);
	double error = settings->sample_error;
	*sampling = (struct sampling){0};
	if (!settings->sample_launches && !settings->sample_blocks)
		return;
	if (settings->sample_launches && settings->sample_blocks)
		reason = "expected launches or blocks, not both";
	if (reason)
		diag_plain(diag, "sampling: %s", reason);
	sampling->wish.launches = settings->sample_launches;
	if (!settings->sample_blocks)
		return;
	if (!(*settings->sample_blocks >= 0 && *settings->sample_blocks <= 1 && error >= 0 && error <= 1))
		diag_plain(diag, "sampling: the shares of blocks, %g, and of cycles, %g; expected numbers from 0 to 1",
		           *settings->sample_blocks, error);
	check_mechanisms(attached, diag);
	sampling->wish.blocks = true;
	sampling->wish.fraction = *settings->sample_blocks;
	sampling->wish.error = error > 0 ? error : USUAL_ERROR;
}

void sampling_tell(struct sampling *sampling, const char *kernel, const char *why)
{
	struct words *told = &sampling->told;
	for (size_t i = 0; i < told->count; i++)
		if (strcmp(told->word[i], kernel) == 0)
			return;
	told->word = base_realloc(told->word, (told->count + 1) * sizeof *told->word);
	told->word[told->count++] = base_strdup(kernel);
	fprintf(stderr, "sluice: note: all of kernel '%s' is simulated: %s\n", kernel, why);
}

void sampling_close(struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->kinds; i++) {
		struct sampling_kind *kind = &sampling->kind[i];
		for (size_t k = 0; k < kind->groups; k++)
			free(kind->group[k].steps);
		free(kind->group);
		free(kind->kernel);
	}
	free(sampling->kind);
	for (size_t i = 0; i < sampling->told.count; i++)
		free((char *)sampling->told.word[i]);
	free(sampling->told.word);
}

static bool is_same(struct dim3 a, struct dim3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

static struct sampling_kind *find_kind(struct sampling *sampling, const struct simt_launch *launch)
{
	const char *kernel = launch->program->kernel->name;
	for (size_t i = 0; i < sampling->kinds; i++) {
		struct sampling_kind *kind = &sampling->kind[i];
		if (kind->instructions == launch->program->count && is_same(kind->grid, launch->grid) &&
		    is_same(kind->block, launch->block) && kind->dynamic_shared_bytes == launch->dynamic_shared_bytes &&
		    strcmp(kind->kernel, kernel) == 0)
			return kind;
	}
	sampling->kind = base_realloc(sampling->kind, (sampling->kinds + 1) * sizeof *sampling->kind);
	struct sampling_kind *kind = &sampling->kind[sampling->kinds++];
	*kind = (struct sampling_kind){.kernel = base_strdup(kernel),
	                               .instructions = launch->program->count,
	                               .grid = launch->grid,
	                               .block = launch->block,
	                               .dynamic_shared_bytes = launch->dynamic_shared_bytes,
	                               .behind = SIZE_MAX};
	return kind;
}

static uint64_t sum_of(const uint64_t *steps, uint32_t count)
{
	uint64_t sum = 0;
	for (uint32_t pc = 0; pc < count; pc++)
		sum += steps[pc];
	return sum;
}

/* Distance of two signatures of `count` instructions: 0 (identical) to 2 (nothing in common). */
static double distance(const uint64_t *a, uint64_t a_sum, const uint64_t *b, uint64_t b_sum, uint32_t count)
{
	uint64_t differ = 0, larger = a_sum > b_sum ? a_sum : b_sum;
	for (uint32_t pc = 0; pc < count; pc++)
		differ += a[pc] > b[pc] ? a[pc] - b[pc] : b[pc] - a[pc];
	return larger ? (double)differ / (double)larger : 0;
}

static struct sampling_group *new_group(struct sampling *sampling, struct sampling_kind *kind, const uint64_t *steps)
{
	kind->group = base_realloc(kind->group, (kind->groups + 1) * sizeof *kind->group);
	struct sampling_group *group = &kind->group[kind->groups++];
	*group = (struct sampling_group){.steps = base_calloc(kind->instructions, sizeof *steps),
	                                 .sum = sum_of(steps, kind->instructions),
	                                 .number = ++sampling->groups,
	                                 .next = 1};
	memcpy(group->steps, steps, kind->instructions * sizeof *steps);
	return group;
}

struct sampling_group *sampling_find(struct sampling *sampling, const struct simt_launch *launch, const uint64_t *steps,
                                     bool *first)
{
	struct sampling_kind *kind = find_kind(sampling, launch);
	uint64_t sum = sum_of(steps, kind->instructions);
	struct sampling_group *nearest = NULL;
	double least = LIKE;
	size_t number = (size_t)(kind - sampling->kind);
	if (sampling->launched)
		sampling->kind[sampling->last].behind = number;
	sampling->launched = true;
	sampling->last = number;
	*first = !kind->groups;
	for (size_t i = 0; i < kind->groups; i++) {
		struct sampling_group *group = &kind->group[i];
		double far = distance(group->steps, group->sum, steps, sum, kind->instructions);
		if (far < least) {
			least = far;
			nearest = group;
		}
	}
	if (!nearest)
		nearest = new_group(sampling, kind, steps);
	kind->last = (size_t)(nearest - kind->group);
	return nearest;
}

static bool comes_next(const struct sampling_wish *wish, const struct sampling_group *group)
{
	return group->members + 1 == group->next && group->simulated < wish->launches;
}

bool sampling_warms(const struct sampling *sampling)
{
	size_t behind = sampling->kind[sampling->last].behind;
	if (behind == SIZE_MAX)
		return false;
	const struct sampling_kind *kind = &sampling->kind[behind];
	return comes_next(&sampling->wish, &kind->group[kind->last]);
}

/* Chooses members 1, 2, 3, 4, 6, 9, 13, ...: each number is half as large again as the one before, because the total is
 * unknown. */
bool sampling_chooses(const struct sampling_wish *wish, struct sampling_group *group)
{
	bool chosen = comes_next(wish, group);
	group->members++;
	if (!chosen)
		return false;
	uint64_t further = group->next + group->next / 2;
	group->next = further > group->next ? further : group->next + 1;
	group->simulated++;
	return true;
}
