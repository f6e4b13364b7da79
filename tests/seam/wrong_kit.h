/* wrong_kit: a mechanism that has every hook. One hook makes the mistake that a table row describes, or all make random
 * ones. */
#ifndef SLUICE_TESTS_WRONG_KIT_H
#define SLUICE_TESTS_WRONG_KIT_H

#include "gpu_kit.h"

enum { LINE = 128, WARP = 32 };

/* The hook that makes the mistake of a row. */
enum hook {
	SM_OPEN,
	KERNEL_BEGIN,
	BLOCK_BEGIN,
	BLOCK_END,
	MEMORY,
	KERNEL_END,
	GPU_OPEN,
	BLOCK_COUNT,
	GPU_BEGIN,
	GPU_BLOCK,
	GPU_END,
	CYCLE,
	GPU_CYCLE,
	PICK,
	PLACE,
};

struct row {
	enum hook hook;
	void (*sm)(struct mech_sm *sm);
	void (*gpu)(struct mech_gpu *gpu);
	uint64_t result; /* for the hooks from CYCLE on, and for BLOCK_COUNT without `gpu` */
	const char *says;
};

static const struct row *now; /* NULL: no mistake */

/* Random mistakes: the state of a generator; 0: none. */
static uint64_t chaos;

static inline uint32_t roll(uint32_t sides)
{
	chaos ^= chaos << 13;
	chaos ^= chaos >> 7;
	chaos ^= chaos << 17;
	return (uint32_t)(chaos >> 20) % sides;
}

static inline struct mech_request any_request(void)
{
	return (struct mech_request){.address = roll(8) ? 0x80000000 + 32ull * roll(64) : chaos,
	                             .bytes = roll(8) ? 32 : roll(300),
	                             .to = (enum mech_place)(roll(16) ? roll(3) : 3),
	                             .pc = roll(2) ? MECH_NO_PC : roll(12),
	                             .block = roll(12)};
}

static inline void ask_anything(struct mech_sm *sm)
{
	const struct mech_request request = any_request();
	switch (roll(24)) {
	case 0:
		mech_hold_block(sm, roll(9));
		break;
	case 1:
		mech_release_block(sm, roll(9));
		break;
	case 2:
		mech_put(sm, request.address, request.bytes, request.block);
		break;
	case 3:
	case 4:
		mech_send(sm, &request);
		break;
	default:
		mech_account(sm);
	}
}

static inline void ask_anything_of_gpu(struct mech_gpu *gpu)
{
	const struct mech_request request = any_request();
	uint32_t count;
	switch (roll(48)) {
	case 0:
		mech_prefer(gpu, (enum mech_preference)roll(5));
		break;
	case 1:
		mech_rows(gpu, 4, (enum mech_loops)roll(4));
		break;
	case 2:
		mech_loads(gpu, &count);
		mech_staging_code(gpu, &count);
		break;
	case 3:
	case 4:
		mech_send_to(gpu, roll(3), &request);
		break;
	default:
		ask_anything(mech_part(gpu, roll(40) ? roll(2) : 2));
	}
}

static inline void on_sm(struct mech_sm *sm, enum hook hook)
{
	if (chaos)
		ask_anything(sm);
	if (now && now->hook == hook)
		now->sm(sm);
}

static inline void on_gpu(struct mech_gpu *gpu, enum hook hook)
{
	if (chaos)
		ask_anything_of_gpu(gpu);
	if (now && now->hook == hook && now->gpu)
		now->gpu(gpu);
}

static inline uint64_t result(enum hook hook, uint64_t good)
{
	if (chaos && !roll(300))
		return roll(4) ? roll(66) : chaos;
	return now && now->hook == hook && !now->gpu ? now->result : good;
}

#define SM_HOOK(name, hook)                                                                                            \
	static void name(struct mech_sm *sm)                                                                           \
	{                                                                                                              \
		on_sm(sm, hook);                                                                                       \
	}
#define GPU_HOOK(name, hook)                                                                                           \
	static void name(struct mech_gpu *gpu)                                                                         \
	{                                                                                                              \
		on_gpu(gpu, hook);                                                                                     \
	}
SM_HOOK(open_part, SM_OPEN)
SM_HOOK(kernel_begin, KERNEL_BEGIN)
SM_HOOK(kernel_end, KERNEL_END)
GPU_HOOK(open_gpu_part, GPU_OPEN)
GPU_HOOK(gpu_begin, GPU_BEGIN)
GPU_HOOK(gpu_end, GPU_END)

static inline void block_begin(struct mech_sm *sm, const struct mech_block *block)
{
	(void)block;
	on_sm(sm, BLOCK_BEGIN);
}

static inline void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	(void)block;
	on_sm(sm, BLOCK_END);
}

static inline void memory(struct mech_sm *sm, const struct mech_memory *memory)
{
	(void)memory;
	on_sm(sm, MEMORY);
}

static inline void gpu_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	(void)block;
	on_gpu(gpu, GPU_BLOCK);
}

static inline uint64_t cycle(struct mech_sm *sm, uint64_t cycle)
{
	(void)sm;
	return result(CYCLE, cycle + 5);
}

static inline uint64_t gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	on_gpu(gpu, GPU_CYCLE);
	return result(GPU_CYCLE, cycle + 5);
}

static inline uint32_t blocks_per_sm(struct mech_gpu *gpu, uint32_t blocks)
{
	on_gpu(gpu, BLOCK_COUNT);
	return (uint32_t)result(BLOCK_COUNT, blocks);
}

static inline uint32_t place_block(struct mech_gpu *gpu, uint64_t block, const uint8_t *has_room)
{
	uint32_t sm = 0;
	(void)gpu;
	(void)block;
	while (!has_room[sm])
		sm++;
	return (uint32_t)result(PLACE, sm);
}

static inline uint32_t pick_warp(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
{
	(void)sm;
	return (uint32_t)result(PICK, mech_oldest(warps, candidates));
}

static inline struct mech_buffer buffer(const void *config, const struct mech_machine *machine)
{
	(void)config;
	(void)machine;
	return (struct mech_buffer){.sets = 4, .ways = 4};
}

static const struct mech wrong = {
	.version = MECH_VERSION,
	.name = "wrong",
	.policies = MECH_POLICY_WARP_ORDER | MECH_POLICY_BLOCK_COUNT | MECH_POLICY_BLOCK_PLACE,
	.sends = true,
	.gpu_open = open_gpu_part,
	.gpu_kernel_begin = gpu_begin,
	.gpu_kernel_end = gpu_end,
	.gpu_block = gpu_block,
	.gpu_cycle = gpu_cycle,
	.blocks_per_sm = blocks_per_sm,
	.place_block = place_block,
	.sm_open = open_part,
	.kernel_begin = kernel_begin,
	.kernel_end = kernel_end,
	.block_begin = block_begin,
	.block_end = block_end,
	.memory = memory,
	.cycle = cycle,
	.pick_warp = pick_warp,
};

/* Warps that load their own numbers. */
static const char loads[] = "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0;\n"
			    "ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2; exit;";

static inline void run_rows(const struct mech *mech, const struct row *row, size_t rows)
{
	const struct mech *const set[] = {mech, NULL};
	kit_mechanisms = set;
	for (size_t i = 0; i < rows; i++) {
		struct gpu_kit kit;
		now = &row[i];
		KIT_OPEN(&kit, "sm.count=2", "launch.watchdog=20000");
		kit.param = kit_buffer(&kit, NULL, 128);
		kit_load(&kit, loads);
		kit_start(&kit, 4, 128);
		if (kit.run.end != GPU_MISTAKE || !strstr(kit.run.message, row[i].says))
			fail_msg("expected '%s'; the kernel ended by %d: %s", row[i].says, kit.run.end,
			         kit.run.message);
		now = NULL;
		/* created again when the machine was reopened */
		if (row[i].hook == SM_OPEN || row[i].hook == GPU_OPEN)
			kit_start(&kit, 4, 128);
		kit_run(&kit, 4, 128);
		kit_close(&kit);
	}
	kit_mechanisms = NULL;
}

#define RUN_ROWS(mech, rows) run_rows(mech, rows, sizeof(rows) / sizeof *(rows))

#endif
