/* set_kit: a prefetcher that fills one set of L1 while a mechanism is attached, and kernel text whose loads replace the
 * lines of that set. The prefetcher sends the test's requests at the begin of each kernel. */
#ifndef SLUICE_TESTS_SET_KIT_H
#define SLUICE_TESTS_SET_KIT_H

#include "gpu_kit.h"

/* SET_WAY: bytes from one line of a set to the next. SET_PREFETCHER: the prefetcher's number among the attached. */
enum { SET_WAY = 32 * 128, SET_PREFETCHER = 1 };

static struct {
	uint64_t address;
	uint32_t bytes;
} set_request[8];
static uint32_t set_requests;
static bool set_asked;

static inline void set_kernel_begin(struct mech_sm *sm)
{
	(void)sm;
	set_asked = false;
}

static inline uint64_t set_cycle(struct mech_sm *sm, uint64_t cycle)
{
	(void)cycle;
	for (uint32_t i = 0; i < set_requests && !set_asked; i++)
		assert_true(mech_send(sm, &(struct mech_request){.address = set_request[i].address,
		                                                 .bytes = set_request[i].bytes,
		                                                 .to = MECH_TO_L1,
		                                                 .pc = MECH_NO_PC}));
	set_asked = true;
	return MECH_NEVER;
}

/* Opens an SM of gtx480 with the mechanism and the prefetcher; `option` of the machine may be NULL. */
static inline void set_open(struct gpu_kit *kit, const char *mechanism, const char *option)
{
	static const struct mech prefetcher = {.version = MECH_VERSION,
	                                       .name = "prefetcher",
	                                       .sends = true,
	                                       .kernel_begin = set_kernel_begin,
	                                       .cycle = set_cycle};
	static const struct mech *const own[] = {&prefetcher, NULL};
	const char *const options[] = {"sm.count=1", "sm.flush_l1=true", option, NULL};
	kit_describe(kit, options);
	kit_attach(kit, mechanism);
	kit_mechanisms = own;
	kit_build(kit);
	kit_mechanisms = NULL;
	kit->param = kit_buffer(kit, NULL, 32 * SET_WAY / 8);
	set_requests = 0;
	assert_int_equal(kit->machine.sm.l1d.sets * kit->machine.sm.l1d.line_bytes, SET_WAY);
	assert_int_equal(kit->machine.sm.l1d.ways, 4);
}

/* Adds a request of the prefetcher: bytes of one of the set's lines. Way 0 is the line at `param`. */
static inline void set_ask_for(const struct gpu_kit *kit, uint32_t way, uint32_t byte, uint32_t bytes)
{
	assert_in_range(set_requests, 0, 7);
	set_request[set_requests].address = kit->param + way * SET_WAY + byte;
	set_request[set_requests++].bytes = bytes;
}

/* Waits until the prefetches have arrived. */
#define SET_WAIT "mov.u32 %r1, 0; wait: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 200; @%p1 bra wait;\n"
/* Loads a word in each of `lines` other lines of the set, one after the other. */
#define SET_REPLACE(lines)                                                                                             \
	"mov.u32 %r1, 0; add.u64 %rd1, %rd0, 32768;\n"                                                                 \
	"again: ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r3, %r2; add.u64 %rd1, %rd1, 4096; add.u32 %r1, %r1, 1;\n"    \
	"setp.lt.u32 %p1, %r1, " lines "; @%p1 bra again;\n"
/* Loads a word of the line at `param`. */
#define SET_FIRST "ld.global.u32 %r2, [%rd0]; add.u32 %r3, %r3, %r2;\n"

#endif
