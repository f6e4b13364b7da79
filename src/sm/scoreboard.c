/* The scoreboard: per warp, the registers that instructions in flight will write. An instruction waits for those it reads
 * and for those it writes. */
#include "sm/stages.h"

static bool is_set(const uint64_t *set, uint32_t id)
{
	return set[id >> 6] >> (id & 63) & 1;
}

void scoreboard_reserve(struct sm_warp *warp, const struct simt_inst *inst, bool by_load)
{
	for (uint32_t i = 0; i < inst->writes; i++) {
		uint32_t id = inst->write[i];
		warp->pending[id >> 6] |= 1ull << (id & 63);
		if (by_load)
			warp->pending_load[id >> 6] |= 1ull << (id & 63);
	}
}

void scoreboard_release(struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst)
{
	for (uint32_t i = 0; i < inst->writes; i++) {
		uint32_t id = inst->write[i];
		warp->pending[id >> 6] &= ~(1ull << (id & 63));
		warp->pending_load[id >> 6] &= ~(1ull << (id & 63));
	}
	if (inst->writes)
		examine(sm, warp);
}

void examine(struct sm *sm, struct sm_warp *warp)
{
	struct scheduler *scheduler = &sm->scheduler[warp->scheduler];
	uint64_t bit = 1ull << warp->bit;

	scheduler->filled &= ~bit;
	scheduler->stale &= ~bit;
	scheduler->hazard &= ~bit;
	scheduler->load_hazard &= ~bit;
	for (int u = 0; u < PTX_UNITS; u++)
		scheduler->unit[u] &= ~bit;
	if (warp->next == warp->buffered)
		return;
	scheduler->filled |= bit;
	const struct simt_inst *inst = warp->buffer[warp->next];
	if (!inst || inst->pc != warp->simt->pc) {
		scheduler->stale |= bit;
		return;
	}
	scheduler->unit[inst->unit] |= bit;
	bool hazard = false, load = false;
	for (uint32_t i = 0; i < inst->reads; i++) {
		hazard |= is_set(warp->pending, inst->read[i]);
		load |= is_set(warp->pending_load, inst->read[i]);
	}
	for (uint32_t i = 0; i < inst->writes; i++) {
		hazard |= is_set(warp->pending, inst->write[i]);
		load |= is_set(warp->pending_load, inst->write[i]);
	}
	if (hazard)
		scheduler->hazard |= bit;
	if (load)
		scheduler->load_hazard |= bit;
}
