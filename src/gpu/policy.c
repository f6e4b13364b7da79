#include "gpu/policy.h"

#include <math.h>

static const struct gpu_run *run_at(const struct dispatch *dispatch, uint32_t place)
{
	return dispatch->grid[place].run;
}

/* The first SM of a group; of the group after the last one: the number of SMs. */
static uint32_t first_of(const struct machine *machine, uint32_t group)
{
	return group ? machine->partition_end[group - 1] : 0;
}

static uint32_t group_of(const struct machine *machine, uint64_t stream)
{
	return (uint32_t)(stream % machine->partition_count);
}

uint32_t policy_sms(const struct machine *machine, uint64_t stream)
{
	if (machine->policy != POLICY_PARTITIONS)
		return machine->sms;
	uint32_t group = group_of(machine, stream);
	return first_of(machine, group + 1) - first_of(machine, group);
}

/* With more kernels than SMs, some have a common one. */
static bool is_in_even_part(const struct dispatch *dispatch, uint32_t sms, uint32_t place, uint32_t sm)
{
	uint32_t rank = 0, kernels = dispatch->kernels;
	while (dispatch->order[rank] != place)
		rank++;
	return kernels > sms ? rank % sms == sm : sm >= rank * sms / kernels && sm < (rank + 1) * sms / kernels;
}

bool policy_allows(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t place, uint32_t sm)
{
	const struct machine *machine = &gpu->machine;
	if (machine->policy == POLICY_EVEN)
		return is_in_even_part(dispatch, machine->sms, place, sm);
	if (machine->policy != POLICY_PARTITIONS)
		return true;
	uint32_t group = group_of(machine, run_at(dispatch, place)->stream);
	return sm >= first_of(machine, group) && sm < first_of(machine, group + 1);
}

static bool has_block(const struct grid *grid, uint64_t cycle)
{
	return grid->next < grid->blocks && grid->from <= cycle;
}

/* --- shares --- */

/* The share of an SM that this number of the kernel's blocks uses. */
static double share_of(const struct sm *sm, uint32_t place, uint32_t blocks)
{
	const struct sm_config *config = &sm->config;
	const struct sm_needs *needs = &sm->blocks.kernel[place].block;
	double share = (double)blocks / config->blocks;
	share = fmax(share, (double)blocks * needs->warps / config->warps);
	share = fmax(share, (double)blocks * needs->registers / config->registers);
	if (config->shared_bytes)
		share = fmax(share, (double)blocks * needs->shared_bytes / config->shared_bytes);
	return share;
}

/* True when another block does not make the kernel's share larger than that of an even division. Each kernel may have
 * one block. */
static bool is_entitled(const struct dispatch *dispatch, const struct sm *sm, uint32_t place)
{
	uint32_t resident = sm->blocks.kernel[place].resident;
	return !resident || share_of(sm, place, resident + 1) * dispatch->kernels <= 1;
}

/* The kernel with the smallest share, among those with waiting blocks of the greatest priority. */
static uint32_t least_share(const struct dispatch *dispatch, const struct sm *sm, uint64_t cycle, bool entitled)
{
	uint32_t best = SM_MAX_KERNELS;
	const struct gpu_run *first = NULL;
	double least = 0;
	for (uint32_t i = 0; i < dispatch->kernels; i++) {
		uint32_t place = dispatch->order[i];
		double share = share_of(sm, place, sm->blocks.kernel[place].resident);
		if (!has_block(&dispatch->grid[place], cycle))
			continue;
		first = first ? first : run_at(dispatch, place);
		if (run_at(dispatch, place)->priority < first->priority)
			break;
		if (entitled ? !is_entitled(dispatch, sm, place) : !sm_has_room(sm, place))
			continue;
		if (best < SM_MAX_KERNELS && share >= least)
			continue;
		best = place;
		least = share;
	}
	return best;
}

/* An entitled kernel without space waits for it. Space to which no kernel is entitled goes to those with waiting
 * blocks. */
static uint32_t pick_by_share(const struct dispatch *dispatch, const struct sm *sm, uint64_t cycle)
{
	uint32_t place = least_share(dispatch, sm, cycle, true);
	return place < SM_MAX_KERNELS ? place : least_share(dispatch, sm, cycle, false);
}

uint32_t policy_pick(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t sm, uint64_t cycle)
{
	if (gpu->machine.policy == POLICY_SHARES)
		return pick_by_share(dispatch, &gpu->sm[sm], cycle);
	for (uint32_t i = 0; i < dispatch->kernels; i++) {
		uint32_t place = dispatch->order[i];
		if (has_block(&dispatch->grid[place], cycle) && policy_allows(dispatch, gpu, place, sm))
			return place;
	}
	return SM_MAX_KERNELS;
}

/* --- a mechanism's choice --- */

static struct mech_running running_at(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t place,
                                      uint32_t at, uint64_t cycle)
{
	const struct grid *grid = &dispatch->grid[place];
	const struct sm *sm = &gpu->sm[at];
	const struct sm_kernel *kernel = &sm->blocks.kernel[place];
	return (struct mech_running){.launch = &gpu->seam->kernel[place].launch,
	                             .stream = grid->run->stream,
	                             .priority = grid->run->priority,
	                             .registers = kernel->block.registers,
	                             .next = grid->next,
	                             .blocks = grid->blocks,
	                             .resident = kernel->resident,
	                             .ready = has_block(grid, cycle),
	                             .has_space = sm_has_room(sm, place)};
}

uint32_t policy_ask(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t sm, uint64_t cycle, bool *refused)
{
	struct mech_running kernel[SM_MAX_KERNELS];
	bool has_choice = false;
	*refused = false;
	for (uint32_t i = 0; i < dispatch->kernels; i++) {
		kernel[i] = running_at(dispatch, gpu, dispatch->order[i], sm, cycle);
		has_choice |= kernel[i].ready && kernel[i].has_space;
	}
	if (!has_choice)
		return SM_MAX_KERNELS;
	const struct mech_choice choice = {sm, dispatch->kernels, kernel, cycle};
	uint32_t picked = seam_pick_kernel(gpu->seam, &choice);
	*refused = picked == MECH_NOWHERE || !kernel[picked].has_space;
	return *refused ? SM_MAX_KERNELS : dispatch->order[picked];
}
