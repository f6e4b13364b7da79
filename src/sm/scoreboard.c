/* The scoreboard: per warp, the registers that instructions in flight will write. An instruction waits for those it reads
 * and for those it writes. */
#include "sm/stages.h"

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
		if (bits_has(set, inst->read[i]))
			return true;
	for (uint32_t i = 0; i < inst->writes; i++)
		if (bits_has(set, inst->write[i]))
			return true;
	return false;
}

/* Whether the warp's next instruction waits for a register, and whether for a load's. What the folded sets do not name
 * is free; what they name may be another register of a large program. */
static void look_for_hazard(const struct sm *sm, const struct sm_warp *warp)
{
	const struct simt_inst *inst = warp->inst;
	bool in_full = sm->pending_words;
	if (!(inst->touches & warp->folded) || (in_full && !touches(inst, warp->pending)))
		return;
	warp->scheduler->hazard |= warp->mask;
	if (inst->touches & warp->folded_load && (!in_full || touches(inst, warp->pending_load)))
		warp->scheduler->seen.load_hazard |= warp->mask;
}

static void reserve_in_full(struct sm_warp *warp, const struct simt_inst *inst, bool by_load)
{
	for (uint32_t i = 0; i < inst->writes; i++) {
		bits_add(warp->pending, inst->write[i]);
		if (by_load)
			bits_add(warp->pending_load, inst->write[i]);
	}
}

void scoreboard_reserve(const struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst, bool by_load)
{
	warp->folded |= inst->defines;
	if (by_load)
		warp->folded_load |= inst->defines;
	if (sm->pending_words)
		reserve_in_full(warp, inst, by_load);
}

/* Not inlined: scoreboard_release() stays short for the other programs. */
__attribute__((noinline)) static void release_in_full(const struct sm *sm, struct sm_warp *warp,
                                                      const struct simt_inst *inst)
{
	if (!inst->writes)
		return;
	for (uint32_t i = 0; i < inst->writes; i++) {
		bits_remove(warp->pending, inst->write[i]);
		bits_remove(warp->pending_load, inst->write[i]);
	}
	warp->folded = fold(warp->pending, sm->pending_words);
	if (warp->folded_load)
		warp->folded_load = fold(warp->pending_load, sm->pending_words);
}

void scoreboard_release(const struct sm *sm, struct sm_warp *warp, const struct simt_inst *inst)
{
	struct scheduler *scheduler = warp->scheduler;
	if (sm->pending_words) {
		release_in_full(sm, warp, inst);
	} else {
		warp->folded &= ~inst->defines;
		warp->folded_load &= ~inst->defines;
	}
	if (scheduler->hazard & warp->mask && warp->inst->touches & inst->defines) {
		scheduler->hazard &= ~warp->mask;
		scheduler->seen.load_hazard &= ~warp->mask;
		look_for_hazard(sm, warp);
	}
}

void forget(const struct sm_warp *warp)
{
	struct scheduler *scheduler = warp->scheduler;
	scheduler->filled &= ~warp->mask;
	scheduler->stale &= ~warp->mask;
	scheduler->hazard &= ~warp->mask;
	scheduler->seen.load_hazard &= ~warp->mask;
}

void examine(const struct sm *sm, struct sm_warp *warp)
{
	const struct simt_warp *simt = warp->simt;
	struct scheduler *scheduler = warp->scheduler;
	uint64_t mask = warp->mask;

	scheduler->filled |= mask;
	if (warp->pc != simt->pc || simt->done) { /* an ended warp may stand behind the last instruction */
		scheduler->stale |= mask;
		return;
	}
	const struct simt_inst *inst = &simt->code[warp->pc];
	warp->inst = inst;
	uint8_t pipes = pipes_of(sm, inst);
	if (pipes != warp->pipes) {
		for (uint32_t u = 0; u < PTX_UNITS; u++)
			scheduler->unit[u] = (scheduler->unit[u] & ~mask) | (pipes >> u & 1 ? mask : 0);
		warp->pipes = pipes;
	}
	if (inst->touches & warp->folded)
		look_for_hazard(sm, warp);
}
