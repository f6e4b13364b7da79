/* Protects the operands that mechanisms see before an instruction runs: its opcode, its active lanes, and each lane's
 * address and source values at that time. They let a veto decide by address. */
#include "gate_kit.h"

/* Stores the operands of each instruction of the kernel when it issues. */
enum { MOST = 64 };

static struct {
	struct mech_issue issue;
	struct mech_operands operands;
} seen[MOST];

static void keep(struct mech_sm *sm, const struct mech_issue *issue)
{
	assert_in_range(issue->pc, 0, MOST - 1);
	seen[issue->pc].issue = *issue;
	mech_operands(sm, issue, &seen[issue->pc].operands);
	assert_int_equal(seen[issue->pc].operands.lanes, issue->lanes);
}

static const struct mech keeper = {.version = MECH_VERSION, .name = "keeper", .issue = keep};

/* The kernel's instructions; the kit's first instruction loads `param`. */
enum { FIRST = 1, LOW_LANES = 0xfffff };

static void run(const struct mech *mech, const char *body)
{
	const struct mech *const set[] = {mech, NULL};
	struct gpu_kit kit;
	kit_mechanisms = set;
	KIT_OPEN(&kit, "sm.count=1", "l1i.sets=64");
	kit.param = kit_buffer(&kit, NULL, WARP);
	kit_load(&kit, body);
	kit_run(&kit, 1, WARP);
	kit_close(&kit);
	kit_mechanisms = NULL;
}

/* %r1: tid. %p1: set in 20 lanes. %rd2: shared addresses. %rd3: the same as generic addresses. %rd4: global addresses.
 * %rd5: shared or global, by lane. */
#define ADDRESSES                                                                                                      \
	"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 20; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd4, %rd0, %rd2;\n"        \
	"cvta.shared.u64 %rd3, %rd2; selp.b64 %rd5, %rd3, %rd4, %p1;\n"
enum { BEHIND = FIRST + 6 };

static void test_addresses(void **state)
{
	(void)state;
	run(&keeper, ADDRESSES "@%p1 st.u32 [%rd3+64], %r1; ld.u32 %r2, [%rd5];\n"
	                       "exit;");
	const struct mech_operands *store = &seen[BEHIND].operands, *load = &seen[BEHIND + 1].operands;
	assert_string_equal(seen[BEHIND].issue.name, "st");
	assert_int_equal(seen[BEHIND].issue.type, MECH_MEMORY);
	assert_int_equal(seen[BEHIND].issue.kind, MECH_STORE);
	assert_int_equal(seen[BEHIND].issue.space, MECH_GENERIC);
	assert_int_equal(store->lanes, LOW_LANES);
	assert_int_equal(store->bytes, 4);
	assert_int_equal(store->sources, 1);
	assert_string_equal(seen[BEHIND + 1].issue.name, "ld");
	assert_int_equal(seen[BEHIND + 1].issue.kind, MECH_LOAD);
	assert_int_equal(load->lanes, UINT32_MAX);
	assert_int_equal(load->sources, 0);
	const uint64_t param = seen[FIRST + 3].operands.source[0][0];
	for (uint32_t i = 0; i < WARP; i++) {
		assert_int_equal(store->space[i], MECH_SHARED);
		assert_int_equal(store->address[i], 64 + 4 * i);
		assert_int_equal(store->source[0][i], i);
		assert_int_equal(load->space[i], i < 20 ? MECH_SHARED : MECH_GLOBAL);
		assert_int_equal(load->address[i], i < 20 ? 4 * i : param + 4 * i);
	}
	assert_string_equal(seen[0].issue.name, "ld");
	assert_int_equal(seen[0].issue.space, MECH_PARAMETER);
	assert_int_equal(seen[0].operands.bytes, 8);
}

/* Source values are those before the instruction, which may overwrite them. Predicates are 0 and 1. */
static void test_sources(void **state)
{
	(void)state;
	run(&keeper, ADDRESSES "@!%p1 add.u32 %r1, %r1, 5; selp.u32 %r3, 7, %r1, %p1; mul.wide.u32 %rd6, %r1, 9;\n"
	                       "xor.b64 %rd6, %rd6, 0xff00000000; exit;");
	const struct mech_operands *add = &seen[BEHIND].operands, *choice = &seen[BEHIND + 1].operands;
	const struct mech_operands *wide = &seen[BEHIND + 3].operands;
	assert_string_equal(seen[BEHIND].issue.name, "add");
	assert_int_equal(seen[BEHIND].issue.space, MECH_NO_SPACE);
	assert_int_not_equal(seen[BEHIND].issue.opcode, seen[BEHIND + 1].issue.opcode);
	assert_int_equal(add->lanes, ~(uint32_t)LOW_LANES);
	assert_int_equal(add->bytes, 0);
	assert_int_equal(add->sources, 2);
	assert_int_equal(choice->sources, 3);
	for (uint32_t i = 0; i < WARP; i++) {
		uint64_t sum = i < 20 ? i : i + 5;
		assert_int_equal(add->source[0][i], i);
		assert_int_equal(add->source[1][i], 5);
		assert_int_equal(choice->source[0][i], 7);
		assert_int_equal(choice->source[1][i], sum);
		assert_int_equal(choice->source[2][i], i < 20);
		assert_int_equal(wide->source[0][i], sum * 9);
		assert_int_equal(wide->source[1][i], 0xff00000000);
	}
}

/* A veto that decides by address: accesses to the first 128 bytes of shared memory wait until a cycle; all others
 * proceed. */
enum { OPENS = 3000, CLOSED_BYTES = 128 };

static bool touches_closed(const struct mech_operands *operands)
{
	for (uint32_t i = 0; operands->bytes && i < MECH_LANES; i++)
		if (operands->lanes >> i & 1 && operands->space[i] == MECH_SHARED &&
		    operands->address[i] < CLOSED_BYTES)
			return true;
	return false;
}

static bool by_address(struct mech_sm *sm, const struct mech_issue *issue)
{
	struct mech_operands operands;
	mech_operands(sm, issue, &operands);
	return issue->cycle >= OPENS || !touches_closed(&operands);
}

static const struct mech closed = {.version = MECH_VERSION, .name = "closed", .may_issue = by_address, .issue = keep};

static void test_veto_by_address(void **state)
{
	(void)state;
	run(&closed,
	    ADDRESSES "st.u32 [%rd3+128], %r1; @%p1 st.u32 [%rd3+128], %r1; @!%p1 st.shared.u32 [%rd2+48], %r1;\n"
	              "st.u32 [%rd5], %r1; exit;");
	for (uint32_t pc = BEHIND; pc < BEHIND + 3; pc++)
		assert_in_range(seen[pc].issue.cycle, 1, OPENS - 1);
	assert_int_equal(seen[BEHIND + 3].issue.cycle, OPENS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_veto_by_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
