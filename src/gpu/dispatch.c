#include "gpu/dispatch.h"

#include "gpu/occupancy.h"
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
	return seam_room(gpu->seam, &room);
}

void dispatch_begin(struct dispatch *dispatch, struct gpu *gpu, struct gpu_run *run)
{
	struct dim3 grid = run->launch.grid;
	uint64_t sms = gpu->machine.sms;
	*dispatch = (struct dispatch){.blocks = (uint64_t)grid.x * grid.y * grid.z,
	                              .from = gpu->clock[CLOCK_CORE].cycle + gpu->machine.launch_cycles,
	                              .try = true,
	                              .sampler = run->sampler,
	                              .launched = gpu->clock[CLOCK_CORE].cycle};
	run->blocks_limit = seam_blocks_per_sm(gpu->seam, blocks_that_fit(gpu, run));
	/* GPGPU-Sim: shader_core_config::max_cta(), for grids with fewer blocks than fit on the machine */
	if (gpu->machine.spread_small_grids && dispatch->blocks < run->blocks_limit * sms)
		run->blocks_limit = (uint32_t)((dispatch->blocks + sms - 1) / sms);
	if (run->sampler)
		sampler_begin(run->sampler, dispatch->blocks, run->blocks_limit * sms);
}

static void start_block(struct dispatch *dispatch, struct gpu *gpu, uint32_t at)
{
	uint64_t cycle = gpu->clock[CLOCK_CORE].cycle;
	struct sm *sm = &gpu->sm[at];
	assert(dispatch->next < dispatch->blocks && sm_has_room(sm));
	uint32_t slot = sm_start_block(sm, dispatch->next++, cycle, gpu->now);
	if (gpu->seam->gpu.gpu_block.count || gpu->seam->gpu.cycle.count)
		seam_block(&gpu->seam->gpu, &sm->seam->block[slot]);
	gpu->last_sm = at;
	if (UNLIKELY(dispatch->sampler != NULL))
		dispatch->blocks = sampler_placed(dispatch->sampler, gpu, dispatch->next, cycle - dispatch->launched);
}

/* True when an SM may get the next block: it has space, and no mechanism refuses. */
static bool can_start(struct dispatch *dispatch, const struct gpu *gpu, uint32_t at)
{
	struct seam_gpu *seam = &gpu->seam->gpu;
	if (!sm_has_room(&gpu->sm[at]) || gpu->sm[at].now > gpu->now) /* not yet, when the SM is ahead */
		return false;
	const struct mech_dispatch event = {dispatch->next, at, gpu->clock[CLOCK_CORE].cycle};
	bool agreed = !seam->may_dispatch.count || seam_may_dispatch(seam, &event);
	dispatch->vetoed |= !agreed;
	return agreed;
}

/* Places a block on an SM of the cluster, in turn after the one that got the last block. */
static bool place_in_cluster(struct dispatch *dispatch, struct gpu *gpu, uint32_t number)
{
	struct cluster *cluster = &gpu->cluster[number];
	uint32_t sms = cluster->config.sms;
	for (uint32_t i = 1; i <= sms; i++) {
		uint32_t place = (cluster->last_start + i) % sms;
		if (!can_start(dispatch, gpu, number * sms + place))
			continue;
		start_block(dispatch, gpu, number * sms + place);
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
	for (uint32_t i = 0; i < clusters && dispatch->next < dispatch->blocks; i++)
		started |= place_in_cluster(dispatch, gpu, (first + i) % clusters);
	return started;
}

/* Places blocks round robin over SMs. */
static bool place_in_turn(struct dispatch *dispatch, struct gpu *gpu)
{
	bool started = false;
	uint32_t sms = gpu->machine.sms, first = gpu->last_sm + 1;
	for (uint32_t i = 0; i < sms && dispatch->next < dispatch->blocks; i++) {
		uint32_t at = (first + i) % sms;
		if (!can_start(dispatch, gpu, at))
			continue;
		start_block(dispatch, gpu, at);
		started = true;
	}
	return started;
}

/* Places blocks where the owner of the placement picks. A block without a place for now counts as refused by a veto. */
static bool place_as_picked(struct dispatch *dispatch, struct gpu *gpu)
{
	uint32_t sms = gpu->machine.sms, per_cluster = gpu->machine.cluster.sms, started = 0;
	bool has_block[MACHINE_MAX_SMS] = {false}; /* in this cycle, by cluster */
	uint8_t has_room[MACHINE_MAX_SMS];
	while (dispatch->next < dispatch->blocks) {
		uint32_t places = 0;
		for (uint32_t i = 0; i < sms; i++)
			places += has_room[i] = !has_block[i / per_cluster] && can_start(dispatch, gpu, i);
		uint32_t at = places ? seam_place_block(gpu->seam, dispatch->next, has_room) : MECH_NOWHERE;
		dispatch->vetoed |= places && at == MECH_NOWHERE;
		if (at == MECH_NOWHERE)
			break;
		has_block[at / per_cluster] = true;
		start_block(dispatch, gpu, at);
		started++;
	}
	return started > 0;
}

/* True when it has a block to place in the next core cycle. */
static bool dispatch_asks(const struct dispatch *dispatch)
{
	return dispatch->try && dispatch->next < dispatch->blocks;
}

static bool dispatch_blocks(struct dispatch *dispatch, struct gpu *gpu)
{
	if (!dispatch_asks(dispatch) || gpu->clock[CLOCK_CORE].cycle < dispatch->from)
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
	if (dispatch->next < dispatch->blocks)
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
	assert(dispatch->next <= dispatch->blocks && seam->dispatching == MECH_NEVER);
	seam->dispatching = cycle;
	bool acted = false;
	if ((seam->queued || seam->first_wake <= cycle) && have_all_ended(dispatch, gpu) &&
	    seam_may_end(seam, &(struct mech_end){cycle}))
		seam_drop_dispatched(gpu->seam);
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
	if (dispatch_asks(dispatch))
		return max_u64(next, dispatch->from * gpu->clock[CLOCK_CORE].period);
	return seam->first_wake == MECH_NEVER ? UINT64_MAX : seam->first_wake * gpu->clock[CLOCK_CORE].period;
}

uint64_t dispatch_done(const struct gpu *gpu)
{
	uint64_t done = 0;
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		done += gpu->sm[i].stats.blocks;
	return done;
}
