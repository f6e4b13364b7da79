#include "gpu/dispatch.h"

#include "base/likely.h"
#include "gpu/occupancy.h"
#include "gpu/policy.h"
#include "gpu/sampler.h"
#include "gpu/sender.h"

static uint32_t blocks_that_fit(const struct gpu *gpu, const struct gpu_run *run)
{
	if (!gpu->seam->gpu.room_owner)
		return run->blocks_per_sm;
	const uint32_t *allowed = run->occupancy->allowed;
	const struct mech_room room = {.slots = allowed[LIMIT_BLOCK_SLOTS],
	                               .warps = allowed[LIMIT_THREADS],
	                               .registers = allowed[LIMIT_REGISTERS],
	                               .shared = allowed[LIMIT_SHARED]};
	return seam_room(gpu->seam, run->place, &room);
}

static uint64_t blocks_of(const struct gpu_run *run)
{
	struct dim3 grid = run->launch.grid;
	return (uint64_t)grid.x * grid.y * grid.z;
}

/* True when each SM has its own next kernel, rather than the first one in order. */
static bool picks_by_sm(const struct gpu *gpu)
{
	return gpu->machine.policy || gpu->seam->gpu.kernel_owner;
}

void dispatch_begin(struct dispatch *dispatch)
{
	*dispatch = (struct dispatch){.alarm = UINT64_MAX};
}

void dispatch_limit(const struct gpu *gpu, struct gpu_run *run)
{
	const struct machine *machine = &gpu->machine;
	uint64_t sms = policy_sms(machine, run->stream), blocks = blocks_of(run);
	bool divides =
		machine->policy == POLICY_EVEN || machine->policy == POLICY_SHARES || gpu->seam->gpu.kernel_owner;
	run->blocks_limit = seam_blocks_per_sm(gpu->seam, run->place, blocks_that_fit(gpu, run));
	/* GPGPU-Sim: shader_core_config::max_cta(), for grids with fewer blocks than fit on the machine */
	if (machine->spread_small_grids && !divides && blocks < run->blocks_limit * sms)
		run->blocks_limit = (uint32_t)((blocks + sms - 1) / sms);
}

/* Inserts the place after those of the same and of higher priority. */
static void insert(struct dispatch *dispatch, uint32_t place)
{
	uint32_t at = dispatch->kernels++;
	int32_t priority = dispatch->grid[place].run->priority;
	for (; at && dispatch->grid[dispatch->order[at - 1]].run->priority < priority; at--)
		dispatch->order[at] = dispatch->order[at - 1];
	dispatch->order[at] = place;
}

void dispatch_place(const struct dispatch *dispatch, struct gpu_run *run)
{
	run->place = 0;
	while (dispatch->grid[run->place].run)
		run->place++;
	assert(run->place < SM_MAX_KERNELS);
}

void dispatch_add(struct dispatch *dispatch, struct gpu *gpu, struct gpu_run *run)
{
	const struct simt_launch *launch = &run->launch;
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle;
	uint32_t place = run->place, threads = launch->block.x * launch->block.y * launch->block.z;
	struct grid *grid = &dispatch->grid[place];
	const struct sm_needs needs = {.warps = (threads + WARP_SIZE - 1) / WARP_SIZE,
	                               .registers = run->occupancy->block_registers,
	                               .shared_bytes = launch->program->shared_bytes + launch->dynamic_shared_bytes,
	                               .limit = run->blocks_limit,
	                               .fit = run->blocks_per_sm};
	*grid = (struct grid){
		.run = run, .blocks = blocks_of(run), .from = cycle + gpu->machine.launch_cycles, .launched = cycle};
	insert(dispatch, place);
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		sm_add_kernel(&gpu->sm[i], place, launch, &needs, dispatch->warps);
	dispatch->blocks += grid->blocks;
	dispatch->warps += grid->blocks * needs.warps;
	dispatch->try = true;
	dispatch->sampler = run->sampler;
	if (run->sampler)
		sampler_begin(run->sampler, grid->blocks,
		              (uint64_t)run->blocks_limit * policy_sms(&gpu->machine, run->stream));
}

void dispatch_remove(struct dispatch *dispatch, struct gpu *gpu, uint32_t place)
{
	uint32_t at = 0;
	while (dispatch->order[at] != place)
		at++;
	for (dispatch->kernels--; at < dispatch->kernels; at++)
		dispatch->order[at] = dispatch->order[at + 1];
	dispatch->grid[place].run = NULL;
	dispatch->try |= picks_by_sm(gpu); /* others may get its SMs */
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		sm_remove_kernel(&gpu->sm[i], place);
}

bool dispatch_has_ended(const struct dispatch *dispatch, const struct gpu *gpu, uint32_t place)
{
	const struct grid *grid = &dispatch->grid[place];
	uint64_t ended = 0;
	if (grid->next < grid->blocks)
		return false;
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		const struct sm_kernel *kernel = &gpu->sm[i].blocks.kernel[place];
		if (kernel->resident)
			return false;
		ended += kernel->ended;
	}
	return ended == grid->blocks;
}

/* The place of the first kernel in order that has a block which may start up to this cycle; SM_MAX_KERNELS: none. */
static uint32_t first_waiting(const struct dispatch *dispatch, uint64_t cycle)
{
	for (uint32_t i = 0; i < dispatch->kernels; i++) {
		const struct grid *grid = &dispatch->grid[dispatch->order[i]];
		if (grid->next < grid->blocks && grid->from <= cycle)
			return dispatch->order[i];
	}
	return SM_MAX_KERNELS;
}

uint32_t dispatch_waiting(const struct dispatch *dispatch)
{
	return first_waiting(dispatch, UINT64_MAX);
}

uint32_t dispatch_list_waiting(const struct dispatch *dispatch, const struct gpu *gpu, uint8_t place[SM_MAX_KERNELS])
{
	uint32_t count = 0, most = picks_by_sm(gpu) ? SM_MAX_KERNELS : 1;
	for (uint32_t i = 0; i < dispatch->kernels && count < most; i++) {
		const struct grid *grid = &dispatch->grid[dispatch->order[i]];
		if (grid->next < grid->blocks)
			place[count++] = (uint8_t)dispatch->order[i];
	}
	return count;
}

/* The kernel that gets the next block. */
static struct grid *next_grid(struct dispatch *dispatch, uint64_t cycle)
{
	uint32_t place = first_waiting(dispatch, cycle);
	return place < SM_MAX_KERNELS ? &dispatch->grid[place] : NULL;
}

static uint32_t place_of(const struct dispatch *dispatch, const struct grid *grid)
{
	return (uint32_t)(grid - dispatch->grid);
}

static void start_block(struct dispatch *dispatch, struct grid *grid, struct gpu *gpu, uint32_t at)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle;
	struct sm *sm = &gpu->sm[at];
	if (grid->next == 0)
		grid->first_block = cycle;
	uint32_t slot = sm_start_block(sm, place_of(dispatch, grid), grid->next++, cycle, gpu->now);
	dispatch->placed++;
	if (gpu->seam->gpu.gpu_block.count || gpu->seam->gpu.cycle.count)
		seam_block(&gpu->seam->gpu, &sm->seam->block[slot]);
	gpu->last_sm = at;
	if (UNLIKELY(dispatch->sampler != NULL))
		dispatch->blocks = grid->blocks =
			sampler_placed(dispatch->sampler, gpu, grid->next, cycle - grid->launched);
}

/* True when an SM may get the next block: it has space, and no mechanism refuses. */
static bool can_start(struct dispatch *dispatch, const struct grid *grid, const struct gpu *gpu, uint32_t at)
{
	struct seam_gpu *seam = &gpu->seam->gpu;
	const struct sm *sm = &gpu->sm[at];
	if (!sm_has_room(sm, place_of(dispatch, grid))) {
		dispatch->vetoed |= sm_waits_for_lines(sm);
		return false;
	}
	if (sm->now > gpu->now) /* not yet, when the SM is ahead */
		return false;
	if (UNLIKELY(gpu->machine.policy) && !policy_allows(dispatch, gpu, place_of(dispatch, grid), at))
		return false;
	const struct mech_dispatch event = {grid->next, at, gpu->clock[CLOCK_CORE].cycle};
	bool agreed = !seam->may_dispatch.count || seam_may_dispatch(seam, place_of(dispatch, grid), &event);
	dispatch->vetoed |= !agreed;
	return agreed;
}

/* The kernel that a mechanism picks for the SM, which is not ahead. */
static uint32_t picked_place(struct dispatch *dispatch, const struct gpu *gpu, uint32_t at)
{
	bool refused = false;
	uint32_t place = SM_MAX_KERNELS;
	if (gpu->sm[at].now <= gpu->now)
		place = policy_ask(dispatch, gpu, at, gpu->clock[CLOCK_CORE].cycle, &refused);
	dispatch->vetoed |= refused || sm_waits_for_lines(&gpu->sm[at]);
	return place;
}

/* The kernel that starts the SM's next block, where `first` is the first in order; NULL: none. */
static struct grid *grid_for(struct dispatch *dispatch, const struct gpu *gpu, uint32_t at, struct grid *first)
{
	if (LIKELY(!picks_by_sm(gpu)))
		return first;
	uint32_t place = gpu->seam->gpu.kernel_owner ? picked_place(dispatch, gpu, at)
	                                             : policy_pick(dispatch, gpu, at, gpu->clock[CLOCK_CORE].cycle);
	return place < SM_MAX_KERNELS ? &dispatch->grid[place] : NULL;
}

/* Places a block on an SM of the cluster, in turn after the one that got the last block. */
static bool place_in_cluster(struct dispatch *dispatch, struct grid *first, struct gpu *gpu, uint32_t number)
{
	struct cluster *cluster = &gpu->cluster[number];
	uint32_t sms = cluster->config.sms;
	for (uint32_t i = 1; i <= sms; i++) {
		uint32_t place = (cluster->last_start + i) % sms;
		struct grid *grid = grid_for(dispatch, gpu, number * sms + place, first);
		if (!grid || !can_start(dispatch, grid, gpu, number * sms + place))
			continue;
		start_block(dispatch, grid, gpu, number * sms + place);
		cluster->last_start = place;
		return true;
	}
	return false;
}

/* Places blocks round robin over clusters. */
static bool place_by_clusters(struct dispatch *dispatch, struct gpu *gpu)
{
	bool started = false;
	uint32_t clusters = gpu->clusters, first = gpu->last_sm / gpu->machine.cluster.sms + 1;
	for (uint32_t i = 0; i < clusters; i++) {
		struct grid *grid = next_grid(dispatch, gpu->clock[CLOCK_CORE].cycle);
		if (!grid)
			break;
		started |= place_in_cluster(dispatch, grid, gpu, (first + i) % clusters);
	}
	return started;
}

/* Places blocks round robin over SMs. */
static bool place_in_turn(struct dispatch *dispatch, struct gpu *gpu)
{
	bool started = false;
	uint32_t sms = gpu->machine.sms, first = gpu->last_sm + 1;
	struct grid *next = next_grid(dispatch, gpu->clock[CLOCK_CORE].cycle);
	for (uint32_t i = 0; i < sms && next; i++) {
		uint32_t at = (first + i) % sms;
		struct grid *grid = grid_for(dispatch, gpu, at, next);
		if (!grid || !can_start(dispatch, grid, gpu, at))
			continue;
		start_block(dispatch, grid, gpu, at);
		started = true;
		if (grid->next == grid->blocks)
			next = next_grid(dispatch, gpu->clock[CLOCK_CORE].cycle);
	}
	return started;
}

/* Places blocks where the owner of the placement picks. A block without a place for now counts as refused by a veto. */
static bool place_as_picked(struct dispatch *dispatch, struct gpu *gpu)
{
	uint32_t sms = gpu->machine.sms, per_cluster = gpu->machine.cluster.sms, started = 0;
	bool has_block[MACHINE_MAX_SMS] = {false}; /* in this cycle, by cluster */
	uint8_t has_room[MACHINE_MAX_SMS];
	for (struct grid *grid; (grid = next_grid(dispatch, gpu->clock[CLOCK_CORE].cycle));) {
		uint32_t places = 0;
		for (uint32_t i = 0; i < sms; i++)
			places += has_room[i] = !has_block[i / per_cluster] &&
			                        grid_for(dispatch, gpu, i, grid) == grid &&
			                        can_start(dispatch, grid, gpu, i);
		uint32_t at = places ? seam_place_block(gpu->seam, grid->next, has_room) : MECH_NOWHERE;
		dispatch->vetoed |= places && at == MECH_NOWHERE;
		if (at == MECH_NOWHERE)
			break;
		has_block[at / per_cluster] = true;
		start_block(dispatch, grid, gpu, at);
		started++;
	}
	return started > 0;
}

/* The first core cycle in which it may place a block; UINT64_MAX: it has none, or no SM has space. */
static uint64_t first_start(const struct dispatch *dispatch)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = 0; i < dispatch->kernels && dispatch->try; i++) {
		const struct grid *grid = &dispatch->grid[dispatch->order[i]];
		if (grid->next < grid->blocks)
			first = min_u64(first, grid->from);
	}
	return first;
}

static bool dispatch_blocks(struct dispatch *dispatch, struct gpu *gpu)
{
	if (first_start(dispatch) > gpu->clock[CLOCK_CORE].cycle)
		return false;
	dispatch->vetoed = false;
	bool picked = gpu->seam->gpu.place_owner;
	bool started = picked          ? place_as_picked(dispatch, gpu)
	               : gpu->clusters ? place_by_clusters(dispatch, gpu)
	                               : place_in_turn(dispatch, gpu);
	dispatch->try = started ||
	                dispatch->vetoed; /* an SM, or a cluster, takes one block per cycle; a veto is called again */
	return dispatch->try;
}

/* Up to the present time; an SM can be ahead. */
static bool have_all_ended(const struct dispatch *dispatch, const struct gpu *gpu)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle;
	if (dispatch_waiting(dispatch) < SM_MAX_KERNELS)
		return false;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		if (gpu->sm[i].blocks.resident || gpu->sm[i].blocks.last_end > cycle)
			return false;
	return true;
}

bool dispatch_cycle(struct dispatch *dispatch, struct gpu *gpu)
{
	struct seam_gpu *seam = &gpu->seam->gpu;
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle;
	assert(dispatch->placed <= dispatch->blocks && seam->dispatching == MECH_NEVER);
	seam->dispatching = cycle;
	bool acted = false;
	if ((seam->queued || seam->first_wake <= cycle) && have_all_ended(dispatch, gpu))
		seam_blocks_ended(gpu->seam, cycle);
	if (seam->queued)
		acted = sender_tick(gpu);
	if (seam->first_wake <= cycle) {
		seam_gpu_cycle(seam, cycle);
		acted = true;
	}
	acted |= dispatch_blocks(dispatch, gpu);
	seam->dispatching = MECH_NEVER;
	return acted;
}

uint64_t dispatch_wake(const struct dispatch *dispatch, const struct gpu *gpu)
{
	const struct seam_gpu *seam = &gpu->seam->gpu;
	uint64_t next = clock_time(&gpu->clock[CLOCK_CORE]);
	if (seam->queued)
		return next;
	uint64_t start = first_start(dispatch), first;
	uint64_t hook = seam->first_wake == MECH_NEVER ? UINT64_MAX : seam->first_wake * gpu->clock[CLOCK_CORE].period;
	if (start == UINT64_MAX)
		first = hook;
	else
		first = max_u64(next, start * gpu->clock[CLOCK_CORE].period);
	if (UNLIKELY(gpu->seam->several)) /* other kernels may need the hook before this one's first block */
		first = min_u64(first, hook);
	if (LIKELY(dispatch->alarm == UINT64_MAX))
		return first;
	return min_u64(first, max_u64(next, (dispatch->alarm - 1) * gpu->clock[CLOCK_CORE].period));
}

uint64_t dispatch_done(const struct gpu *gpu)
{
	uint64_t done = 0;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		done += gpu->sm[i].stats.blocks;
	return done;
}
