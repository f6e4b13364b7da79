/* affine_kit: runs a kernel functionally and compares its global reads with the rows of the static analyzer. */
#ifndef SLUICE_TESTS_AFFINE_KIT_H
#define SLUICE_TESTS_AFFINE_KIT_H

#include "simt_kit.h"

#include "flow/affine.h"

/* Analyzes a kernel with registers. %rd0: a pointer `array`. %r0, %r1: numbers `n` and `m`. %r2: the global index. %r3,
 * %r4, %r5: %ctaid.x, %ntid.x, %tid.x. */
static inline const struct affine_kernel *kit_analyze(struct arena *arena, struct ptx_module **module, const char *body)
{
	static const char head[] = ".version 3.1\n.target sm_20\n.address_size 64\n"
				   ".visible .entry k(.param .u64 array, .param .u32 n, .param .u32 m) {\n"
				   ".reg .u32 %r<40>;\n.reg .u64 %rd<40>;\n.reg .u16 %h<8>;\n.reg .pred %p<8>;\n"
				   "ld.param.u64 %rd1, [array];\ncvta.to.global.u64 %rd0, %rd1;\n"
				   "ld.param.u32 %r0, [n];\nld.param.u32 %r1, [m];\n"
				   "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n"
				   "mad.lo.s32 %r2, %r3, %r4, %r5;\n";
	struct diag diag = {0};
	char text[8192];
	int length = snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
	*module = ptx_parse("test.ptx", text, (size_t)length, &diag);
	if (!*module)
		fail_msg("%s", diag.text);
	return affine_analyze(arena, (*module)->functions);
}

/* The allocation of an address, in the form that affine_check_open() expects. */
static inline bool kit_clip(void *memory, uint64_t address, uint64_t *low, uint64_t *high)
{
	const struct simt_allocation *allocation = simt_find(memory, address);
	if (!allocation)
		return false;
	*low = allocation->address;
	*high = allocation->address + allocation->size;
	return true;
}

static inline struct affine_launch kit_affine_launch(const struct kit *kit)
{
	const struct simt_launch *launch = &kit->launch;
	return (struct affine_launch){.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
	                              .block = {launch->block.x, launch->block.y, launch->block.z},
	                              .params = kit->params};
}

struct kit_misses {
	struct affine_counts counts;
	uint32_t inst; /* of the last missed read */
	uint64_t address;
};

/* Reports a step's reads to the checker. */
static inline void kit_check_step(struct affine_block *block, const struct kit *kit, const struct simt_step *step,
                                  struct kit_misses *misses)
{
	uint64_t inst = (uint64_t)(step->inst->ptx - kit->program->kernel->body);
	if (step->inst->kind != SIMT_LOAD || step->space != PTX_GLOBAL || inst >= kit->program->kernel->body_count)
		return;
	for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
		if (step->lanes >> lane & 1 && !affine_block_read(block, (uint32_t)inst, step->address[lane])) {
			misses->inst = (uint32_t)inst;
			misses->address = step->address[lane];
		}
}

/* Runs all blocks. Returns false when the kernel faults or takes more than `limit` steps. */
static inline bool kit_run_checked(struct kit *kit, const struct affine_kernel *kernel, struct kit_misses *misses,
                                   uint64_t limit)
{
	struct affine_launch at = kit_affine_launch(kit);
	struct affine_check *check = affine_check_open(kernel, &at, kit_clip, kit->memory);
	struct affine_block *reads = affine_block_open();
	struct simt_block block = {0};
	uint64_t clock = 0, blocks = (uint64_t)at.grid[0] * at.grid[1] * at.grid[2];
	bool good = true;
	*misses = (struct kit_misses){0};
	block.clock = &clock;
	for (uint64_t number = 0; number < blocks && good; number++) {
		simt_block_start(&block, &kit->launch, number, 0);
		affine_block_begin(reads, check, (const uint32_t[]){block.index.x, block.index.y, block.index.z});
		for (uint32_t w = 0; block.live && good; w = (w + 1) % block.warps) {
			struct simt_warp *warp = &block.warp[w];
			while (good && !warp->done && !(block.waiting >> w & 1)) {
				struct simt_step step;
				simt_step(warp, &step);
				good = !step.fault.what && ++clock < limit;
				if (!good)
					break;
				kit_check_step(reads, kit, &step, misses);
				simt_commit(warp, &step);
				if (step.inst->kind == SIMT_BARRIER || step.exited)
					simt_barrier(warp, &step);
			}
		}
		affine_block_end(reads, &misses->counts);
	}
	simt_block_free(&block);
	affine_block_close(reads);
	affine_check_close(check);
	return good;
}

#endif
