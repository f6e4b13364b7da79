#include "gpu/profile.h"

#include <stdlib.h>

void gpu_profile_begin(struct gpu *gpu, uint32_t instructions)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		gpu->sm[i].profile = base_malloc(sizeof *gpu->sm[i].profile);
		profile_open(gpu->sm[i].profile, instructions);
	}
	for (uint32_t i = 0; i < gpu->slices; i++) {
		gpu->slice[i].by_pc = base_calloc(instructions + 1, sizeof *gpu->slice[i].by_pc);
		gpu->slice[i].instructions = instructions;
	}
}

static void take_sm(struct sm *sm, struct profile *sum)
{
	profile_add(sum, sm->profile);
	profile_close(sm->profile);
	free(sm->profile);
	sm->profile = NULL;
}

static void take_slice(struct slice *slice, struct profile *sum)
{
	for (uint32_t pc = 0; pc <= sum->count; pc++) {
		struct profile_inst *inst = &sum->inst[pc];
		inst->l2_accesses += slice->by_pc[pc].accesses;
		inst->l2_hits += slice->by_pc[pc].hits;
		inst->dram_bytes += slice->by_pc[pc].dram_bytes;
	}
	free(slice->by_pc);
	slice->by_pc = NULL;
}

void gpu_profile_end(struct gpu *gpu, struct profile *sum)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++)
		take_sm(&gpu->sm[i], sum);
	for (uint32_t i = 0; i < gpu->slices; i++)
		take_slice(&gpu->slice[i], sum);
}
