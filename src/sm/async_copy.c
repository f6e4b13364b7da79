#include "sm/async_copy.h"

#include "sm/sm.h"

/* Lanes of a warp that arrive on an mbarrier when the copies that the warp has begun so far are complete. */
struct copy_arrival {
	struct copy_arrival *next;
	uint64_t number;     /* of the instruction: copies with lower numbers must complete */
	uint32_t warp, left; /* slot; number of these copies in flight */
	uint32_t lanes;
	uint64_t place; /* address of the mbarrier in the block's shared memory */
};

void async_copies_open(struct sm *sm)
{
	sm->copies.end = &sm->copies.first;
}

void async_copies_begin(struct sm *sm, uint32_t slot)
{
	struct warp_copies *copies = &sm->copies.warp[slot];
	invariant(!copies->under_way);
	copies->open = copies->oldest = copies->until = 0;
}

void async_copy_issued(struct sm *sm, struct op *op, const struct simt_step *step)
{
	struct warp_copies *copies = &sm->copies.warp[op->warp];
	copies->under_way++;
	copies->left[copies->open % COPY_GROUPS]++;
	op->group = copies->open;
	op->bank_cycles =
		(uint16_t)shared_bank_cycles(step->to, step->lanes, op->inst->size, sm->config.shared_banks, NULL);
	sm->stats.copies++;
	uint32_t lanes = (uint32_t)__builtin_popcount(step->lanes);
	sm->stats.shared_lanes += lanes;
	sm->stats.shared_lane_bytes += (uint64_t)lanes * op->inst->size;
}

void async_copy_answered(struct sm *sm, struct op *op)
{
	op->next = NULL;
	*sm->copies.end = op;
	sm->copies.end = &op->next;
}

/* --- waiting --- */

/* Updates whether the warp waits for incomplete groups. */
static void update_wait(struct sm *sm, struct sm_warp *warp)
{
	const struct warp_copies *copies = &sm->copies.warp[warp->slot];
	bool waits = copies->oldest < copies->until;
	if (waits == warp->waits_for_copies)
		return;
	warp->waits_for_copies = waits;
	warp_update_held(sm, warp);
}

/* Groups complete in order: a later one counts only after all earlier ones. */
static void pass_complete_groups(struct warp_copies *copies)
{
	while (copies->oldest < copies->open && !copies->left[copies->oldest % COPY_GROUPS])
		copies->oldest++;
}

static void arrive(struct sm *sm, const struct copy_arrival *arrival)
{
	uint32_t block = sm->warp[arrival->warp].block;
	if (simt_mbarrier_complete(&sm->blocks.slot[block].simt, arrival->place, arrival->lanes, 0))
		phase_ended(sm, block);
}

/* A copy of the warp is complete. */
static void count_for_arrivals(struct sm *sm, const struct op *op)
{
	for (struct copy_arrival **at = &sm->copies.arrivals, *arrival; (arrival = *at);) {
		bool waited = arrival->warp == op->warp && op->number < arrival->number;
		if (!waited || --arrival->left) {
			at = &arrival->next;
			continue;
		}
		arrive(sm, arrival);
		*at = arrival->next;
		arrival->next = sm->copies.free;
		sm->copies.free = arrival;
	}
}

static void copy_complete(struct sm *sm, struct op *op)
{
	struct sm_warp *warp = &sm->warp[op->warp];
	struct warp_copies *copies = &sm->copies.warp[op->warp];
	invariant(copies->under_way && copies->left[op->group % COPY_GROUPS]);
	copies->under_way--;
	copies->left[op->group % COPY_GROUPS]--;
	pass_complete_groups(copies);
	cpi_resolve(sm, warp, op, LEVEL_SHARED);
	count_for_arrivals(sm, op);
	update_wait(sm, warp);
	instruction_complete(sm, op);
}

/* True when the load/store unit needs the banks. */
static bool is_wanted(const struct sm *sm)
{
	const struct op *op = sm->lsu.current;
	return op && op->space == PTX_SHARED && op->lanes;
}

void async_copies_tick(struct sm *sm)
{
	struct async_copies *copies = &sm->copies;
	struct op *op = copies->first;
	bool yields = copies->yields && is_wanted(sm);
	copies->yields = false;
	if (!op || sm->shared.port_is_used || yields)
		return;
	shared_use_port(&sm->shared);
	if (--op->bank_cycles)
		return;
	copies->yields = true;
	copies->first = op->next;
	if (!copies->first)
		copies->end = &copies->first;
	copy_complete(sm, op);
}

/* --- control --- */

/* Commits a group. If no further group could be distinguished, the warp waits for the oldest before it begins
 * another group's copy. */
static void commit(struct warp_copies *copies)
{
	copies->open++;
	pass_complete_groups(copies);
	if (copies->open - copies->oldest == COPY_GROUPS)
		copies->until = copies->oldest + 1;
}

static struct copy_arrival *new_arrival(struct sm *sm)
{
	struct async_copies *copies = &sm->copies;
	struct copy_arrival *arrival = copies->free;
	if (arrival)
		copies->free = arrival->next;
	else
		arrival = arena_alloc(&sm->arena, sizeof *arrival);
	arrival->next = copies->arrivals;
	return copies->arrivals = arrival;
}

/* Lanes that arrive on one mbarrier form one arrival with their number. */
static void begin_arrivals(struct sm *sm, const struct sm_warp *warp, const struct simt_step *step)
{
	uint32_t under_way = sm->copies.warp[warp->slot].under_way;
	for (uint32_t rest = step->lanes, same; rest; rest &= ~same) {
		uint64_t place = step->address[__builtin_ctz(rest)];
		same = 0;
		for (uint32_t i = 0; i < WARP_SIZE; i++)
			same |= step->address[i] == place ? rest & (uint32_t)1 << i : 0;
		struct copy_arrival arrival = {.number = sm->issue.issued,
		                               .warp = warp->slot,
		                               .left = under_way,
		                               .lanes = (uint32_t)__builtin_popcount(same),
		                               .place = place};
		if (!under_way) {
			arrive(sm, &arrival);
			continue;
		}
		struct copy_arrival *kept = new_arrival(sm);
		arrival.next = kept->next;
		*kept = arrival;
	}
}

void async_copies_control(struct sm *sm, struct sm_warp *warp, const struct simt_step *step)
{
	struct warp_copies *copies = &sm->copies.warp[warp->slot];
	const struct simt_inst *inst = step->inst;
	uint64_t kept = inst->async == SIMT_WAIT ? (uint64_t)inst->offset : 0;
	if (inst->async == SIMT_ARRIVE) {
		begin_arrivals(sm, warp, step);
		return;
	}
	if (inst->async != SIMT_WAIT)
		commit(copies);
	if (inst->async != SIMT_COMMIT)
		copies->until = copies->open > kept ? copies->open - (uint32_t)kept : 0;
	update_wait(sm, warp);
}
