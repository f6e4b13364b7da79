/* busy_kit: kernels that use every part of the machine, and a comparison of all their statistics. It serves tests that
 * show that a setting changes nothing. */
#ifndef SLUICE_TESTS_BUSY_KIT_H
#define SLUICE_TESTS_BUSY_KIT_H

#include "gpu_kit.h"

/* Kernels that use every part of the machine: caches that miss and write back, atomics that collide, conflicts in
 * shared memory, barriers, divergence, local memory, fences. %rd0 is the address of 1 MB. */
static const char *const busy_kernels[] = {
	/* strided reads and writes */
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r1; mul.lo.u32 %r3, %r1, 132;\n"
	"and.b32 %r3, %r3, 1048572; cvt.u64.u32 %rd1, %r3; add.u64 %rd1, %rd1, %rd0; ld.global.u32 %r4, [%rd1];\n"
	"add.u32 %r4, %r4, %r1; st.global.u32 [%rd1], %r4; ld.global.u32 %r5, [%rd0]; add.u32 %r5, %r5, %r4;\n"
	"st.global.u32 [%rd1], %r5; exit;",
	/* atomics on few words, and a fence */
	"mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 28; cvt.u64.u32 %rd1, %r2; add.u64 %rd1, %rd1, %rd0;\n"
	"atom.global.add.u32 %r3, [%rd1], 1; membar.gl; red.global.max.u32 [%rd1+256], %r3; exit;",
	/* a loop whose length differs by lane, shared memory, barriers */
	"mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7; mul.lo.u32 %r5, %r1, 8; mov.u32 %r4, 0;\n"
	"AGAIN: mad.lo.u32 %r4, %r4, 3, %r1; st.shared.u32 [%r5], %r4; sub.s32 %r2, %r2, 1; setp.ge.s32 %p1, %r2, 0;\n"
	"@%p1 bra AGAIN; bar.sync 0; xor.b32 %r6, %r5, 8; ld.shared.u32 %r7, [%r6]; bar.sync 0;\n"
	"cvt.u64.u32 %rd1, %r5; add.u64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r7; exit;",
	/* local memory, written back; divisions */
	".local .u32 mine[64]; mov.u32 %r1, %tid.x; mov.u64 %rd1, mine; mov.u32 %r2, 0;\n"
	"FILL: st.local.u32 [%rd1], %r2; div.u32 %r3, %r1, 3; add.u64 %rd1, %rd1, 4; add.u32 %r2, %r2, 1;\n"
	"setp.lt.u32 %p1, %r2, 64; @%p1 bra FILL; ld.local.u32 %r4, [%rd1+-4]; mul.wide.u32 %rd2, %r1, 4;\n"
	"add.u64 %rd2, %rd2, %rd0; st.global.u32 [%rd2], %r4; exit;",
};

enum { BUSY_KERNELS = sizeof busy_kernels / sizeof busy_kernels[0], BUSY_BYTES = 1 << 20 };

struct outcome {
	uint64_t cycles;
	struct gpu_stats stats;
};

/* Runs all of them one after another and returns the final contents of memory. */
static inline void run_busy(const char *const *options, struct outcome *outcome, void *memory)
{
	struct gpu_kit kit;
	kit_open(&kit, options);
	kit.param = kit_buffer(&kit, NULL, BUSY_BYTES / 8);
	for (uint32_t i = 0; i < BUSY_KERNELS; i++) {
		kit_load(&kit, busy_kernels[i]);
		outcome[i].cycles = kit_run(&kit, 18, 256);
		outcome[i].stats = kit.run.stats;
	}
	memcpy(memory, simt_host(kit.gpu->memory, kit.param), BUSY_BYTES);
	kit_close(&kit);
}

static inline void compare_stats(const struct gpu_stats *a, const struct gpu_stats *b, const char *what, uint32_t kernel)
{
	for (size_t g = 0; g < gpu_counter_group_count; g++) {
		const struct base_counter_group *group = &gpu_counter_groups[g];
		for (size_t i = 0; i < *group->count; i++) {
			uint64_t x = base_counter_value(group, &group->rows[i], a),
				 y = base_counter_value(group, &group->rows[i], b);
			if (x != y)
				fail_msg("kernel %u, %s: %s.%s is %llu, not %llu", kernel, what, group->name,
				         group->rows[i].name, (unsigned long long)y, (unsigned long long)x);
		}
	}
}

#endif
