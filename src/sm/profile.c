#include "sm/profile.h"

#include "sm/sm.h"

#include <math.h>
#include <stdlib.h>

void profile_open(struct profile *profile, uint32_t count)
{
	*profile = (struct profile){.count = count};
	profile->inst = base_calloc(count + 1, sizeof *profile->inst);
	for (uint32_t w = 0; w < SM_MAX_WARPS; w++)
		profile->warp[w].at = count;
}

void profile_close(struct profile *profile)
{
	for (uint32_t i = 0; profile->inst && i <= profile->count; i++) {
		free(profile->inst[i].bin);
		free(profile->inst[i].wait);
	}
	free(profile->inst);
	*profile = (struct profile){0};
}

/* Adds slots of an instruction that waits for the load. Few instructions wait for the same load. */
static void add_wait(struct profile_inst *load, uint32_t pc, uint64_t slots)
{
	for (uint32_t i = 0; i < load->waits; i++)
		if (load->wait[i].pc == pc) {
			load->wait[i].slots += slots;
			return;
		}
	if (load->waits == load->wait_capacity) {
		load->wait_capacity = load->wait_capacity ? 2 * load->wait_capacity : 4;
		load->wait = base_realloc(load->wait, load->wait_capacity * sizeof *load->wait);
	}
	load->wait[load->waits++] = (struct profile_wait){pc, slots};
}

static uint32_t *bins_of(struct profile_inst *inst)
{
	if (!inst->bin)
		inst->bin = base_calloc(PROFILE_BINS, sizeof *inst->bin);
	return inst->bin;
}

static void add_inst(struct profile_inst *sum, const struct profile_inst *inst)
{
	sum->issues += inst->issues;
	sum->lanes += inst->lanes;
	sum->diverged += inst->diverged;
	sum->transactions += inst->transactions;
	sum->bank_cycles += inst->bank_cycles;
	sum->l1_accesses += inst->l1_accesses;
	sum->l1_hits += inst->l1_hits;
	sum->l2_accesses += inst->l2_accesses;
	sum->l2_hits += inst->l2_hits;
	sum->dram_bytes += inst->dram_bytes;
	for (uint32_t c = 0; c < PROFILE_CAUSE_COUNT; c++)
		sum->lost[c] += inst->lost[c];
	sum->answers += inst->answers;
	sum->latency += inst->latency;
	for (uint32_t b = 0; inst->bin && b < PROFILE_BINS; b++)
		bins_of(sum)[b] += inst->bin[b];
	for (uint32_t i = 0; i < inst->waits; i++)
		add_wait(sum, inst->wait[i].pc, inst->wait[i].slots);
}

void profile_add(struct profile *sum, const struct profile *profile)
{
	for (uint32_t i = 0; i <= profile->count; i++)
		add_inst(&sum->inst[i], &profile->inst[i]);
}

void profile_issued(struct profile *profile, struct op *op, const struct simt_step *step, uint64_t cycle)
{
	struct profile_inst *inst = &profile->inst[op->inst->pc];
	op->issued = cycle;
	profile->warp[op->warp].last = op->inst->pc;
	inst->issues++;
	inst->lanes += (uint32_t)__builtin_popcount(step->lanes);
	inst->diverged += op->inst->kind == SIMT_BRANCH && step->lanes && step->lanes != step->issued;
	inst->transactions += op->accesses;
	inst->bank_cycles += op->bank_cycles;
}

/* Up to 8 cycles each cycle has its own bin. Beyond, the bins of an octave have equal widths. */
static uint32_t bin_of(uint64_t cycles)
{
	if (cycles < PROFILE_BINS_PER_OCTAVE)
		return (uint32_t)cycles;
	uint32_t octave = 63 - (uint32_t)__builtin_clzll(cycles);
	uint64_t bin = octave * PROFILE_BINS_PER_OCTAVE + (cycles >> (octave - 3)) % PROFILE_BINS_PER_OCTAVE;
	return bin < PROFILE_BINS ? (uint32_t)bin : PROFILE_BINS - 1;
}

void profile_completed(struct profile *profile, const struct op *op, uint64_t cycle)
{
	struct profile_inst *inst = &profile->inst[op->inst->pc];
	uint64_t cycles = cycle - op->issued;
	inst->answers++;
	inst->latency += cycles;
	bins_of(inst)[bin_of(cycles)]++;
}

void profile_looked_up(struct profile *profile, uint32_t pc, bool hit)
{
	profile->inst[pc].l1_accesses++;
	profile->inst[pc].l1_hits += hit;
}

void profile_lost(struct profile *profile, uint32_t pc, enum profile_cause cause, uint64_t slots)
{
	invariant(pc < profile->count);
	profile->inst[pc].lost[cause] += slots;
}

void profile_waits(struct profile *profile, const struct sm_warp *warp, uint32_t pc)
{
	struct profile_warp *waits = &profile->warp[warp->slot];
	invariant(pc < profile->count && (!warp->waited || waits->at == pc));
	if (waits->at != pc)
		*waits = (struct profile_warp){.last = waits->last, .at = pc};
}

static bool is_written(const struct simt_inst *load, uint16_t id)
{
	for (uint32_t i = 0; i < load->writes; i++)
		if (load->write[i] == id)
			return true;
	return false;
}

/* True when the load writes a register that the instruction reads or writes. */
static bool needs(const struct simt_inst *inst, const struct simt_inst *load)
{
	for (uint32_t i = 0; i < inst->reads; i++)
		if (is_written(load, inst->read[i]))
			return true;
	for (uint32_t i = 0; i < inst->writes; i++)
		if (is_written(load, inst->write[i]))
			return true;
	return false;
}

void profile_resolved(struct profile *profile, const struct sm_warp *warp, const struct op *op,
                      const struct simt_inst *code, uint32_t level)
{
	static const enum profile_cause causes[] = {[LEVEL_L1] = PROFILE_l1,
	                                            [LEVEL_L2] = PROFILE_l2,
	                                            [LEVEL_DRAM] = PROFILE_dram,
	                                            [LEVEL_SHARED] = PROFILE_shared,
	                                            [LEVEL_TEXTURE] = PROFILE_texture};
	struct profile_warp *waits = &profile->warp[warp->slot];
	if (waits->at == profile->count)
		return;
	profile_lost(profile, waits->at, causes[level], warp->waited);
	waits->unmatched += warp->waited;
	if (!op || !waits->unmatched)
		return;
	if (op->inst->kind == SIMT_ATOMIC || needs(&code[waits->at], op->inst)) {
		add_wait(&profile->inst[op->inst->pc], waits->at, waits->unmatched);
		waits->unmatched = 0;
	}
}

/* The lowest latency of a bin. A bin ends where the next one begins. */
static double bin_begin(uint32_t bin)
{
	if (bin < PROFILE_BINS_PER_OCTAVE)
		return bin;
	uint32_t octave = bin / PROFILE_BINS_PER_OCTAVE;
	return ldexp(PROFILE_BINS_PER_OCTAVE + bin % PROFILE_BINS_PER_OCTAVE, (int)octave - 3);
}

double profile_quantile(const struct profile_inst *inst, double share)
{
	double left = share * (double)inst->answers;
	uint32_t bin = 0;
	while (inst->bin && bin < PROFILE_BINS - 1 && left > inst->bin[bin])
		left -= inst->bin[bin++];
	if (!inst->bin || !inst->bin[bin])
		return 0;
	double begin = bin_begin(bin), width = bin_begin(bin + 1) - begin;
	return begin + (width - 1) * left / inst->bin[bin];
}
