/* The scoreboard: per warp, the registers that instructions in flight will write. An instruction waits for those it reads
 * and for those it writes. */
#include "sm/stages.h"

static bool is_set(const uint64_t *set, uint32_t id)
{
	return set[id >> 6] >> (id & 63) & 1;
}

/* The registers in flight, folded. */
static uint64_t fold(const uint64_t *set, uint32_t words)
{
	uint64_t folded = 0;
	for (uint32_t w = 0; w < words; w++)
		folded |= set[w];
	return folded;
}

static bool touches(const struct simt_inst *inst, const uint64_t *set)
{
	for (uint32_t i = 0; i < inst->reads; i++)
		if (is_set(set, inst->read[i]))
			return true;
	for (uint32_t i = 0; i < inst->writes; i++)
		if (is_set(set, inst->write[i]))
			return true;
	return false;
}

/* Whether the warp's next instruction waits for a register, and whether for a load's. */
static void look_for_hazard(struct scheduler *scheduler, const struct sm_warp *warp, const struct simt_inst *inst)
{
	uint64_t bit = 1ull << warp->bit;
	scheduler->hazard &= ~bit;
	scheduler->load_hazard &= ~bit;
	if (!(inst->touches & warp->folded) || !touches(inst, warp->pending))
		return;
	scheduler->hazard |= bit;
	if (touches(inst, warp->pending_load))
		scheduler->load_hazard |= bit;
}

void scoreboard_reserve(struct sm_warp *warp, const struct simt_inst *inst, bool by_load)
{
	for (uint32_t i = 0; i < inst->writes; i++) {
		uint32_t id = inst->write[i];
		warp->pending[id >> 6] |= 1ull << (id & 63);
		if (by_load)
			warp->pending_load[id >> 6] |= 1ull << (id & 63);
	}
	warp->folded |= inst->defines;
}

void scoreboard_release(struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst)
{
	if (!inst->writes)
		return;
	for (uint32_t i = 0; i < inst->writes; i++) {
		uint32_t id = inst->write[i];
		warp->pending[id >> 6] &= ~(1ull << (id & 63));
		warp->pending_load[id >> 6] &= ~(1ull << (id & 63));
	}
	warp->folded = fold(warp->pending, sm->pending_words);
	struct scheduler *scheduler = &sm->scheduler[warp->scheduler];
	if (scheduler->hazard >> warp->bit & 1 && warp->buffer[warp->next]->touches & inst->defines)
		look_for_hazard(scheduler, warp, warp->buffer[warp->next]);
}

void examine(struct sm *sm, struct sm_warp *warp)
{
	struct scheduler *scheduler = &sm->scheduler[warp->scheduler];
	uint64_t bit = 1ull << warp->bit;

	scheduler->stale &= ~bit;
	scheduler->hazard &= ~bit;
	scheduler->load_hazard &= ~bit;
	if (warp->next == warp->buffered) {
		scheduler->filled &= ~bit;
		return;
	}
	scheduler->filled |= bit;
	const struct simt_inst *inst = warp->buffer[warp->next];
	if (!inst || inst->pc != warp->simt->pc) {
		scheduler->stale |= bit;
		return;
	}
	for (uint32_t u = 0; u < PTX_UNITS; u++)
		scheduler->unit[u] &= ~bit;
	scheduler->unit[inst->unit] |= bit;
	look_for_hazard(scheduler, warp, inst);
}
