/* call: calls the hooks, except those at a kernel's begin and end (seam.c): looks and vetoes from mech.h's tables,
 * cycle hooks, and the hooks of exclusive policies. */
#include "seam/private.h"

#include "base/likely.h"

/* A hook of the GPU has a name only while it runs. */
#define ENDED_sm(sm)
#define ENDED_partition(partition)
#define ENDED_gpu(gpu) (gpu)->hook = NULL;

#define RAN_sm(part) seam_ran(part)
#define RAN_partition(part)
#define RAN_gpu(part) seam_ran_gpu(part)

void seam_compete_again(struct seam_sm *sm)
{
	sm->has_news = true;
	sm->compete_again(sm->host);
}

/* An SM without a block is called when a block starts. A hook of the GPU may not touch an SM that may be ahead, so
 * that SM is skipped. */
void seam_compete_again_everywhere(const struct mech_gpu *part)
{
	struct seam *seam = part->host;
	for (uint32_t s = 0; s < seam->machine.sms; s++) {
		struct seam_sm *sm = &seam->sm[s];
		if (!sm->resident || !seam_is_in_step(part, s))
			continue;
		seam_compete_again(sm);
		sm->asked(sm->host);
	}
}

/* --- the kernel to whose parts an event is shown, where several run; SEAM_ALL: to those of all --- */

static uint32_t of_slot(const struct seam_sm *sm, uint32_t slot)
{
	return sm->kernel_of[slot];
}

/* A part that has requested something. */
static uint32_t of_sender(const struct seam *seam, uint32_t number)
{
	return number < SEAM_PARTS ? seam->kernel_of[number] : SEAM_ALL;
}

static uint32_t sm_mech_block(const struct seam_sm *sm, const struct mech_block *event)
{
	return of_slot(sm, event->slot);
}

static uint32_t sm_mech_issue(const struct seam_sm *sm, const struct mech_issue *event)
{
	return of_slot(sm, event->block);
}

static uint32_t sm_mech_memory(const struct seam_sm *sm, const struct mech_memory *event)
{
	return of_slot(sm, event->block);
}

static uint32_t sm_mech_shared(const struct seam_sm *sm, const struct mech_shared *event)
{
	return of_slot(sm, event->block);
}

static uint32_t sm_mech_access(const struct seam_sm *sm, const struct mech_access *event)
{
	if (event->sender != MECH_NOBODY)
		return of_sender(sm->seam, event->sender);
	return event->pc == MECH_NO_PC ? SEAM_ALL : of_slot(sm, event->block);
}

/* A line is common to kernels. */
static uint32_t sm_mech_fill(const struct seam_sm *sm, const struct mech_fill *event)
{
	return of_sender(sm->seam, event->sender);
}

static uint32_t sm_mech_eviction(const struct seam_sm *sm, const struct mech_eviction *event)
{
	return of_sender(sm->seam, event->sender);
}

/* Packets, and all that partitions do, are of no kernel. */
#define EVERYONE(scope, event)                                                                                         \
	static uint32_t scope##_##event(const struct seam_##scope *unit, const struct event *seen)                     \
	{                                                                                                              \
		(void)unit, (void)seen;                                                                                \
		return SEAM_ALL;                                                                                       \
	}
EVERYONE(sm, mech_packet)
EVERYONE(partition, mech_access)
EVERYONE(partition, mech_fill)
EVERYONE(partition, mech_eviction)
EVERYONE(partition, mech_packet)
EVERYONE(partition, mech_command)
#undef EVERYONE

static uint32_t gpu_mech_block(const struct seam_gpu *gpu, const struct mech_block *event)
{
	return of_slot(&gpu->seam->sm[event->sm], event->slot);
}

/* These are asked of one kernel. */
static uint32_t gpu_mech_dispatch(const struct seam_gpu *gpu, const struct mech_dispatch *event)
{
	(void)event;
	return gpu->asked_for;
}

static uint32_t gpu_mech_end(const struct seam_gpu *gpu, const struct mech_end *event)
{
	(void)event;
	return gpu->asked_for;
}

/* True when the part does not serve that kernel. */
static inline bool is_of_other(const struct seam *seam, uint32_t number, uint32_t kernel)
{
	return seam->kernel_of[number] != kernel && kernel != SEAM_ALL && seam->kernel_of[number] != SEAM_ALL;
}

/* --- looks and vetoes --- */

#define LOOK(scope, called, event, when)                                                                               \
	void seam_call_##called(struct seam_##scope *scope, const struct event *event)                                 \
	{                                                                                                              \
		uint32_t kernel = UNLIKELY(scope->seam->several) ? scope##_##event(scope, event) : 0;                  \
		scope->hook = #called;                                                                                 \
		for (uint32_t i = 0; i < scope->called.count; i++) {                                                   \
			struct mech_##scope *part = &scope->part[scope->called.part[i]];                               \
			if (UNLIKELY(is_of_other(scope->seam, part->number, kernel)))                                  \
				continue;                                                                              \
			part->mech->called(part, event);                                                               \
			RAN_##scope(part);                                                                             \
		}                                                                                                      \
		ENDED_##scope(scope)                                                                                   \
	}
/* Returns the parts that refuse, one bit per part. All mechanisms are called, so that side effects in one of them do
 * not depend on the others' answers. */
#define VETO(scope, called, event, when)                                                                               \
	uint32_t seam_ask_##called(struct seam_##scope *scope, const struct event *event)                              \
	{                                                                                                              \
		uint32_t kernel = UNLIKELY(scope->seam->several) ? scope##_##event(scope, event) : 0;                  \
		uint32_t refusers = 0;                                                                                 \
		scope->hook = #called;                                                                                 \
		for (uint32_t i = 0; i < scope->called.count; i++) {                                                   \
			struct mech_##scope *part = &scope->part[scope->called.part[i]];                               \
			if (UNLIKELY(is_of_other(scope->seam, part->number, kernel)))                                  \
				continue;                                                                              \
			if (!part->mech->called(part, event))                                                          \
				refusers |= 1u << part->number;                                                        \
			RAN_##scope(part);                                                                             \
		}                                                                                                      \
		ENDED_##scope(scope) return refusers;                                                                  \
	}
MECH_SM_HOOKS(LOOK, VETO)
MECH_PARTITION_HOOKS(LOOK, VETO)
MECH_GPU_HOOKS(LOOK, VETO)
#undef LOOK
#undef VETO

void seam_block_begin(struct seam_sm *sm, uint32_t kernel, const struct mech_block *block)
{
	sm->clock = block->cycle;
	sm->block[block->slot] = *block;
	sm->kernel_of[block->slot] = (uint8_t)kernel;
	sm->resident++;
	sm->slots |= 1ull << block->slot;
	if (sm->has_buffer)
		line_buffer_allocated(&sm->buffer, seam_shared_taken_now(sm));
	for (uint32_t w = 0; w < block->warps; w++)
		sm->live[block->first_warp + w] = true;
	for (uint32_t w = 0; sm->has_ranks && w < block->warps; w++)
		sm->ranked(sm->host, block->first_warp + w, 0);
	seam_call_block_begin(sm, block);
	sm->holders[block->slot] |= seam_ask_may_start(sm, block);
}

void seam_warp_end(struct seam_sm *sm, uint32_t slot)
{
	sm->live[slot] = false;
	sm->warp_holders[slot] = 0;
}

void seam_block_end(struct seam_sm *sm, uint32_t slot, uint64_t cycle)
{
	struct mech_block block = sm->block[slot];
	block.cycle = cycle;
	if (sm->seam->draws)
		seam_draw_block(sm, slot, cycle);
	sm->resident--;
	sm->slots &= ~(1ull << slot);
	sm->holders[slot] = 0;
	seam_call_block_end(sm, &block);
	if (sm->has_buffer) {
		line_buffer_block_ended(&sm->buffer, slot);
		line_buffer_allocated(&sm->buffer, seam_shared_taken_now(sm));
	}
	if (seam_fills_at(sm, slot)->arena)
		shared_fills_block_ended(seam_fills_at(sm, slot), slot);
}

uint32_t seam_last_of(uint32_t refusers)
{
	return refusers ? 31 - (uint32_t)__builtin_clz(refusers) : SEAM_NOBODY;
}

void seam_issue(struct seam_sm *sm, const struct mech_issue *issue)
{
	sm->issuing = issue;
	seam_call_issue(sm, issue);
	sm->issuing = NULL;
}

uint32_t seam_run_opcode(struct seam_sm *sm, const struct mech_issue *issue)
{
	const struct seam_opcode opcode = sm->seam->opcode[issue->opcode];
	if (opcode.owner == SEAM_NOBODY)
		return 0;
	struct mech_sm *part = &sm->part[seam_part_of_kernel(sm->seam, sm->kernel_of[issue->block], opcode.owner)];
	sm->hook = "run_opcode";
	sm->issuing = issue;
	uint32_t cycles = part->mech->run_opcode(part, opcode.own, issue);
	sm->issuing = NULL;
	seam_ran(part);
	if (cycles <= MECH_MAX_LATENCY)
		return cycles;
	seam_wrong(part, "gives %s %u cycles; expected 0 to %d", issue->name, cycles, MECH_MAX_LATENCY);
	return 0;
}

bool seam_may_issue(struct seam_sm *sm, const struct mech_issue *issue)
{
	sm->issuing = issue;
	uint32_t refusers = seam_ask_may_issue(sm, issue);
	sm->issuing = NULL;
	sm->vetoed_by[issue->warp] = (uint8_t)seam_last_of(refusers);
	return !refusers;
}

bool seam_may_dispatch(struct seam_gpu *gpu, uint32_t kernel, const struct mech_dispatch *dispatch)
{
	gpu->asked_for = kernel;
	gpu->of_sm = dispatch->sm;
	uint32_t refusers = seam_ask_may_dispatch(gpu, dispatch);
	gpu->of_sm = MECH_NOWHERE;
	gpu->vetoed_by = seam_last_of(refusers);
	return !refusers;
}

bool seam_may_end(struct seam_gpu *gpu, uint32_t kernel, const struct mech_end *end)
{
	gpu->asked_for = kernel;
	gpu->kept_open_by = seam_last_of(seam_ask_may_end(gpu, end));
	return gpu->kept_open_by == SEAM_NOBODY;
}

/* A cycle that a hook has returned, limited so that times cannot overflow. */
static uint64_t next_call(uint64_t wanted, uint64_t cycle)
{
	uint64_t far = cycle + (1ull << 32);
	return wanted == MECH_NEVER || wanted < far ? wanted : far;
}

#define WANTED_BEFORE "asks to be called again in cycle %llu, which is not in the future"

/* A cycle hook may change something only in the cycle that it requested or after another hook. At other times it may
 * be called whenever the SM ticks. */
void seam_cycle(struct seam_sm *sm, uint64_t cycle)
{
	bool may_change = sm->has_news || cycle >= sm->wake;
	sm->wake = MECH_NEVER;
	sm->hook = "cycle";
	for (uint32_t i = 0; i < sm->cycle.count; i++) {
		struct mech_sm *part = &sm->part[sm->cycle.part[i]];
		uint64_t next = next_call(part->mech->cycle(part, cycle), cycle);
		if (next <= cycle)
			seam_wrong(part, WANTED_BEFORE, (unsigned long long)next);
		else
			sm->wake = next < sm->wake ? next : sm->wake;
		if (may_change)
			seam_ran(part);
	}
	sm->has_news = false;
}

uint64_t seam_compete(struct seam_sm *sm, const struct mech_warps *warps)
{
	const struct seam_list *list = &sm->warps_that_compete;
	uint64_t all = UINT64_MAX;
	sm->hook = "warps_that_compete";
	for (uint32_t i = 0; i < list->count; i++) {
		struct mech_sm *part = &sm->part[list->part[i]];
		all &= sm->competing[warps->index][part->number] = part->mech->warps_that_compete(part, warps);
	}
	return all;
}

uint32_t seam_left_out_by(const struct seam_sm *sm, uint32_t scheduler, uint64_t warp)
{
	const struct seam_list *list = &sm->warps_that_compete;
	for (uint32_t i = 0; i < list->count; i++)
		if (!(sm->competing[scheduler][list->part[i]] & warp))
			return list->part[i];
	return SEAM_NOBODY;
}

uint32_t seam_wrong_pick(struct seam_sm *sm, const struct mech_warps *warps, uint64_t candidates, uint32_t bit)
{
	seam_wrong(sm->order, "picks warp %u of scheduler %u, which is not among the candidates 0x%llx", bit,
	           warps->index, (unsigned long long)candidates);
	return (uint32_t)__builtin_ctzll(candidates);
}

static bool may_go(const struct mech_set *set, uint32_t way)
{
	return way < set->ways && set->way[way].may_go;
}

#define WRONG_VICTIM         "evicts way %u of set %u, which %s"
#define WHY_WRONG(set, way_) ((way_) < (set)->ways ? "waits for its data" : "does not exist")

uint32_t seam_l1_victim(struct seam_sm *sm, const struct mech_set *set)
{
	sm->hook = "l1_victim";
	uint32_t way = sm->replacement->mech->l1_victim(sm->replacement, set);
	seam_ran(sm->replacement);
	if (may_go(set, way))
		return way;
	seam_wrong(sm->replacement, WRONG_VICTIM, way, set->set, WHY_WRONG(set, way));
	return set->usual;
}

uint32_t seam_l2_victim(struct seam_partition *partition, const struct mech_set *set)
{
	partition->hook = "l2_victim";
	uint32_t way = partition->replacement->mech->l2_victim(partition->replacement, set);
	if (may_go(set, way))
		return way;
	seam_wrong_partition(partition->replacement, WRONG_VICTIM, way, set->set, WHY_WRONG(set, way));
	return set->usual;
}

void seam_l1_used(struct seam_sm *sm, const struct mech_use *use)
{
	sm->hook = "l1_used";
	sm->replacement->mech->l1_used(sm->replacement, use);
	seam_ran(sm->replacement);
}

void seam_l2_used(struct seam_partition *partition, const struct mech_use *use)
{
	partition->hook = "l2_used";
	partition->replacement->mech->l2_used(partition->replacement, use);
}

uint32_t seam_dram_next(struct seam_partition *partition, const struct mech_queue *queue)
{
	partition->hook = "dram_next";
	uint32_t next = partition->scheduler->mech->dram_next(partition->scheduler, queue);
	partition->serves_none = next == MECH_NOWHERE;
	if (next < queue->count || next == MECH_NOWHERE)
		return next;
	seam_wrong_partition(partition->scheduler, "takes request %u of a DRAM channel's queue, which shows %u", next,
	                     queue->count);
	return 0;
}

uint32_t seam_answer_miss(struct seam_sm *sm, const struct mech_access *miss)
{
	sm->hook = "answer_miss";
	uint32_t cycles = sm->behind_l1->mech->answer_miss(sm->behind_l1, miss);
	seam_ran(sm->behind_l1);
	if (cycles <= MECH_MAX_ANSWER)
		return cycles;
	seam_wrong(sm->behind_l1, "answers a miss in %u cycles; expected 0 to %d", cycles, MECH_MAX_ANSWER);
	return 0;
}

void seam_block(struct seam_gpu *gpu, const struct mech_block *block)
{
	uint64_t cycle = block->cycle;
	gpu->of_sm = block->sm;
	seam_call_gpu_block(gpu, block);
	gpu->of_sm = MECH_NOWHERE;
	for (uint32_t i = 0; i < gpu->cycle.count; i++) {
		if (is_of_other(gpu->seam, gpu->cycle.part[i], gpu_mech_block(gpu, block)))
			continue;
		uint64_t *wake = &gpu->wake[gpu->cycle.part[i]];
		*wake = *wake > cycle + 1 ? cycle + 1 : *wake;
		gpu->first_wake = gpu->first_wake > cycle + 1 ? cycle + 1 : gpu->first_wake;
	}
}

static uint64_t call_gpu_cycle(struct seam_gpu *gpu, struct mech_gpu *part, uint64_t cycle)
{
	gpu->hook = "gpu_cycle";
	uint64_t next = next_call(part->mech->gpu_cycle(part, cycle), cycle);
	if (next <= cycle) {
		seam_wrong_gpu(part, WANTED_BEFORE, (unsigned long long)next);
		next = MECH_NEVER;
	}
	gpu->hook = NULL;
	seam_ran_gpu(part);
	return next;
}

uint32_t seam_blocks_per_sm(struct seam *seam, uint32_t kernel, uint32_t blocks)
{
	if (!seam->gpu.count_owner)
		return blocks;
	struct mech_gpu *owner = &seam->gpu.part[seam_part_of_kernel(seam, kernel, seam->gpu.count_owner->number)];
	seam->gpu.hook = "blocks_per_sm";
	uint32_t wanted = owner->mech->blocks_per_sm(owner, blocks);
	if (!wanted || wanted > blocks) {
		seam_wrong_gpu(owner, "allows %u blocks per SM; expected 1 to the %u that fit", wanted, blocks);
		wanted = blocks;
	}
	seam->gpu.hook = NULL;
	return wanted;
}

uint32_t seam_place_block(struct seam *seam, uint64_t block, const uint8_t *has_room)
{
	struct seam_gpu *gpu = &seam->gpu;
	struct mech_gpu *owner = gpu->place_owner;
	gpu->hook = "place_block";
	uint32_t sm = owner->mech->place_block(owner, block, has_room);
	if (sm != MECH_NOWHERE && (sm >= seam->machine.sms || !has_room[sm])) {
		seam_wrong_gpu(owner, "places block %llu on SM %u, which %s", (unsigned long long)block, sm,
		               sm < seam->machine.sms ? "cannot take a block" : "does not exist");
		sm = MECH_NOWHERE;
	}
	gpu->hook = NULL;
	seam_ran_gpu(owner);
	gpu->vetoed_by = sm == MECH_NOWHERE ? owner->number : SEAM_NOBODY;
	return sm;
}

uint32_t seam_pick_kernel(struct seam *seam, const struct mech_choice *choice)
{
	struct seam_gpu *gpu = &seam->gpu;
	struct mech_gpu *owner = gpu->kernel_owner;
	gpu->hook = "pick_kernel";
	gpu->of_sm = choice->sm;
	uint32_t kernel = owner->mech->pick_kernel(owner, choice);
	if (kernel != MECH_NOWHERE && (kernel >= choice->count || !choice->kernel[kernel].ready)) {
		seam_wrong_gpu(owner, "gives SM %u to kernel %u of %u, which %s", choice->sm, kernel, choice->count,
		               kernel < choice->count ? "has no block to start" : "does not run");
		kernel = MECH_NOWHERE;
	}
	gpu->of_sm = MECH_NOWHERE;
	gpu->hook = NULL;
	seam_ran_gpu(owner);
	bool starts = kernel != MECH_NOWHERE && choice->kernel[kernel].has_space;
	gpu->vetoed_by = starts ? SEAM_NOBODY : owner->number;
	return kernel;
}

void seam_gpu_cycle(struct seam_gpu *gpu, uint64_t cycle)
{
	gpu->first_wake = MECH_NEVER;
	for (uint32_t i = 0; i < gpu->cycle.count; i++) {
		uint32_t number = gpu->cycle.part[i];
		struct mech_gpu *part = &gpu->part[number];
		if (gpu->wake[number] <= cycle)
			gpu->wake[number] = call_gpu_cycle(gpu, part, cycle);
		gpu->first_wake = gpu->wake[number] < gpu->first_wake ? gpu->wake[number] : gpu->first_wake;
	}
}
