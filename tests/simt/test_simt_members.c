/* Protects the member masks of the .sync instructions: each lane uses its own mask, even in warps whose lanes run
 * together with several masks. */
#include "simt_kit.h"

enum { BLOCKS = 256, LANES = 32, THREADS = BLOCKS * LANES };

/* A lane's inputs. */
struct lane {
	uint32_t mask, value;
	uint64_t wide;
	uint32_t flag, runs, from, spare;
};

/* A lane's results: its destination and its predicate. */
struct result {
	uint64_t value, flag;
};

#define HEAD                                                                                                           \
	".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"       \
	".reg .b32 %t, %c, %m, %r<8>;\n.reg .b64 %in, %out, %d<8>;\n.reg .pred %p<8>;\n"                               \
	"ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\n"             \
	"mad.lo.u32 %t, %c, 32, %t;\nmad.wide.u32 %in, %t, 32, %in;\nmad.wide.u32 %out, %t, 16, %out;\n"               \
	"ld.global.u32 %m, [%in];\nld.global.u32 %r1, [%in+4];\nld.global.u64 %d1, [%in+8];\n"                         \
	"ld.global.u32 %r2, [%in+16];\nsetp.ne.u32 %p1, %r2, 0;\nld.global.u32 %r2, [%in+20];\n"                       \
	"setp.ne.u32 %p2, %r2, 0;\nld.global.u32 %r3, [%in+24];\n"                                                     \
	"mov.u64 %d0, 0;\nmov.u32 %r0, 0;\nsetp.ne.u32 %p0, %r0, 0;\n"
#define TAIL                                                                                                           \
	"cvt.u64.u32 %d2, %r0;\nor.b64 %d0, %d0, %d2;\nselp.u64 %d3, 1, 0, %p0;\nst.global.u64 [%out], %d0;\n"         \
	"st.global.u64 [%out+8], %d3;\nret;\n}\n"

/* Divides each warp's lanes into random groups. The masks name their group; some also name lanes that do not run the
 * instruction. */
static void fill(struct lane *lane, uint64_t *state)
{
	for (unsigned b = 0; b < BLOCKS; b++) {
		unsigned group[LANES], groups = 1 + (unsigned)(kit_random(state) % 6);
		uint32_t mask[6] = {0}, values = 1 + (uint32_t)(kit_random(state) % 3);
		uint32_t runs = b % 2 ? (uint32_t)kit_random(state) : UINT32_MAX;
		for (unsigned i = 0; i < LANES; i++) {
			group[i] = (unsigned)(kit_random(state) % groups);
			mask[group[i]] |= 1u << i;
		}
		for (unsigned i = 0; i < LANES; i++) {
			uint64_t random = kit_random(state);
			static const uint32_t reals[] = {0x80000000, 0x7fc00001, 0xff800000, 0xffffffff};
			uint32_t value = (uint32_t)random % 4        ? (uint32_t)(random >> 32) % values
			                 : (uint32_t)random % 32 < 8 ? reals[random >> 40 & 3]
			                                             : (uint32_t)random;
			uint32_t peers = mask[group[i]], from = (uint32_t)(kit_random(state) % LANES);
			while (!(peers >> from & 1))
				from = (from + 1) % LANES;
			lane[b * LANES + i] = (struct lane){
				.mask = peers,
				.value = value,
				.wide = (uint64_t)value << (random >> 8 & 32),
				.flag = random >> 16 & 1 || b % 5 == 0,
				.runs = runs >> i & 1,
				.from = from,
			};
		}
	}
}

static void run(const char *instruction, const struct lane *lane, struct result *result)
{
	char text[4096];
	struct kit kit;
	snprintf(text, sizeof text, "%s%s;\n%s", HEAD, instruction, TAIL);
	kit_open(&kit, text);
	void *in = kit_buffer(&kit, THREADS * sizeof *lane), *out = kit_buffer(&kit, THREADS * sizeof *result);
	memcpy(in, lane, THREADS * sizeof *lane);
	kit.launch.grid.x = BLOCKS;
	kit_run(&kit);
	memcpy(result, out, THREADS * sizeof *result);
	kit_close(&kit);
}

enum operation {
	ALL,
	ANY,
	UNI,
	BALLOT,
	MATCH_ANY,
	MATCH_ALL,
	MATCH_ANY_64,
	MATCH_ALL_64,
	ADD,
	MIN_U,
	MAX_U,
	MIN_S,
	MAX_S,
	AND,
	OR,
	XOR,
	MIN_F,
	MAX_F,
	MIN_ABS,
	MAX_ABS_NAN,
	MIN_NAN,
	ELECT,
	SHFL_IDX,
	SHFL_BFLY
};

/* The least or greatest of the members' numbers, by a scan in order; +0 is above -0. */
static uint32_t real_extreme(enum operation operation, const struct lane *warp, uint32_t members)
{
	bool magnitudes = operation == MIN_ABS || operation == MAX_ABS_NAN;
	bool greatest = operation == MAX_F || operation == MAX_ABS_NAN, found = false, unordered = false;
	int64_t best = 0; /* numbers as integers of the same order */
	for (unsigned k = 0; k < LANES; k++) {
		uint32_t bits = warp[k].value & (magnitudes ? 0x7fffffff : 0xffffffff), magnitude = bits & 0x7fffffff;
		int64_t place = bits >> 31 ? -1 - (int64_t)magnitude : magnitude;
		if (!(members >> k & 1))
			continue;
		unordered |= magnitude > 0x7f800000;
		if (magnitude > 0x7f800000 || (found && (greatest ? place <= best : place >= best)))
			continue;
		best = place;
		found = true;
	}
	if (!found || (unordered && (operation == MAX_ABS_NAN || operation == MIN_NAN)))
		return 0x7fffffff;
	return best < 0 ? 0x80000000 | (uint32_t)(-1 - best) : (uint32_t)best;
}

/* The result of lane i, from the other lanes that run the instruction with its mask. */
static struct result model(enum operation operation, const struct lane *warp, unsigned i)
{
	uint32_t members = 0, yes = 0, same = 0, same64 = 0, value = 0;
	for (unsigned k = 0; k < LANES; k++)
		members |= (uint32_t)(warp[k].runs && warp[i].mask >> k & 1) << k;
	unsigned first = (unsigned)__builtin_ctz(members);
	for (unsigned k = 0; k < LANES; k++) {
		if (!(members >> k & 1))
			continue;
		uint32_t v = warp[k].value;
		yes |= (uint32_t)(warp[k].flag != 0) << k;
		same |= (uint32_t)(v == warp[i].value) << k;
		same64 |= (uint32_t)(warp[k].wide == warp[i].wide) << k;
		if (k == first)
			value = v;
		else if (operation == ADD)
			value += v;
		else if (operation == AND)
			value &= v;
		else if (operation == OR)
			value |= v;
		else if (operation == XOR)
			value ^= v;
		else if (operation == MIN_U ? v < value : operation == MAX_U && v > value)
			value = v;
		else if (operation == MIN_S ? (int32_t)v < (int32_t)value
		                            : operation == MAX_S && (int32_t)v > (int32_t)value)
			value = v;
	}
	switch (operation) {
	case MIN_F:
	case MAX_F:
	case MIN_ABS:
	case MAX_ABS_NAN:
	case MIN_NAN:
		return (struct result){real_extreme(operation, warp, members), 0};
	case ALL:
		return (struct result){0, yes == members};
	case ANY:
		return (struct result){0, yes != 0};
	case UNI:
		return (struct result){0, yes == 0 || yes == members};
	case BALLOT:
		return (struct result){yes, 0};
	case MATCH_ANY:
		return (struct result){same, 0};
	case MATCH_ANY_64:
		return (struct result){same64, 0};
	case MATCH_ALL:
		return (struct result){same == members ? members : 0, same == members};
	case MATCH_ALL_64:
		return (struct result){same64 == members ? members : 0, same64 == members};
	case ELECT:
		return (struct result){first, i == first};
	case SHFL_IDX:
		return (struct result){warp[warp[i].from].value, 1};
	case SHFL_BFLY:
		return (struct result){warp[warp[i].from].value, 1};
	default:
		return (struct result){value, 0};
	}
}

static const struct {
	enum operation operation;
	const char *text;
} cases[] = {
	{ALL, "vote.sync.all.pred %p0, %p1, %m"},
	{ANY, "vote.sync.any.pred %p0, %p1, %m"},
	{UNI, "vote.sync.uni.pred %p0, %p1, %m"},
	{BALLOT, "vote.sync.ballot.b32 %r0, %p1, %m"},
	{MATCH_ANY, "match.any.sync.b32 %r0, %r1, %m"},
	{MATCH_ALL, "match.all.sync.b32 %r0|%p0, %r1, %m"},
	{MATCH_ANY_64, "match.any.sync.b64 %r0, %d1, %m"},
	{MATCH_ALL_64, "match.all.sync.b64 %d0|%p0, %d1, %m"},
	{ADD, "redux.sync.add.u32 %r0, %r1, %m"},
	{ADD, "redux.sync.add.s32 %r0, %r1, %m"},
	{MIN_U, "redux.sync.min.u32 %r0, %r1, %m"},
	{MAX_U, "redux.sync.max.u32 %r0, %r1, %m"},
	{MIN_S, "redux.sync.min.s32 %r0, %r1, %m"},
	{MAX_S, "redux.sync.max.s32 %r0, %r1, %m"},
	{AND, "redux.sync.and.b32 %r0, %r1, %m"},
	{OR, "redux.sync.or.b32 %r0, %r1, %m"},
	{XOR, "redux.sync.xor.b32 %r0, %r1, %m"},
	{MIN_F, "redux.sync.min.f32 %r0, %r1, %m"},
	{MAX_F, "redux.sync.max.f32 %r0, %r1, %m"},
	{MIN_ABS, "redux.sync.min.abs.f32 %r0, %r1, %m"},
	{MAX_ABS_NAN, "redux.sync.max.abs.NaN.f32 %r0, %r1, %m"},
	{MIN_NAN, "redux.sync.min.NaN.f32 %r0, %r1, %m"},
	{ELECT, "elect.sync %r0|%p0, %m"},
	/* results that overwrite the inputs of other lanes */
	{ADD, "mov.u32 %r0, %r1; @%p2 redux.sync.add.u32 %r0, %r0, %m; @!%p2 mov.u32 %r0, 0"},
	{ANY, "mov.pred %p0, %p1; @%p2 vote.sync.any.pred %p0, %p0, %m; @!%p2 mov.pred %p0, 0"},
	{BALLOT, "mov.u32 %r0, %m; @%p2 vote.sync.ballot.b32 %r0, %p1, %r0; @!%p2 mov.u32 %r0, 0"},
	{SHFL_IDX, "shfl.sync.idx.b32 %r0|%p0, %r1, %r3, 31, %m"},
	{SHFL_BFLY, "mov.u32 %r4, %laneid; xor.b32 %r4, %r4, %r3; shfl.sync.bfly.b32 %r0|%p0, %r1, %r4, 31, %m"},
};

static void compare(const char *text, enum operation operation, const struct lane *lane)
{
	static struct result result[THREADS];
	run(text, lane, result);
	for (unsigned i = 0; i < THREADS; i++) {
		struct result expected = {0, 0};
		if (lane[i].runs)
			expected = model(operation, &lane[i / LANES * LANES], i % LANES);
		if (result[i].value != expected.value || result[i].flag != expected.flag)
			fail_msg("%s: block %u lane %u with mask %08x gives %llx and %llu, expected %llx and %llu",
			         text, i / LANES, i % LANES, lane[i].mask, (unsigned long long)result[i].value,
			         (unsigned long long)result[i].flag, (unsigned long long)expected.value,
			         (unsigned long long)expected.flag);
	}
}

/* Every .sync instruction with several masks in a warp: in lanes that their guards enable, and in lanes on one side of
 * a branch. Protects against the use of one lane's mask for all lanes. */
static void split_masks(void **state)
{
	(void)state;
	static struct lane lane[THREADS];
	uint64_t random = 3;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char text[512];
		bool guarded = strchr(cases[k].text, '@');
		fill(lane, &random);
		if (!guarded) {
			snprintf(text, sizeof text, "@!%%p2 bra JOIN;\n%s;\nJOIN:", cases[k].text);
			compare(text, cases[k].operation, lane);
		}
		const char *last = strrchr(cases[k].text, ';');
		snprintf(text, sizeof text, "%.*s%s%s", last && !guarded ? (int)(last + 1 - cases[k].text) : 0,
		         cases[k].text, guarded ? "" : "@%p2 ", last && !guarded ? last + 1 : cases[k].text);
		compare(text, cases[k].operation, lane);
	}
}

/* Groups that pass bar.warp.sync, each with its own mask, see what their lanes have written to shared memory. */
static void warp_barriers(void **state)
{
	(void)state;
	static struct lane lane[THREADS];
	uint64_t random = 5;
	fill(lane, &random);
	compare(".shared .b32 s[32];\nmov.u32 %r4, %tid.x;\nshl.b32 %r4, %r4, 2;\nmov.u32 %r5, s;\nadd.u32 %r4, %r4, "
	        "%r5;\n"
	        "shl.b32 %r6, %r3, 2;\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r4], %r1;\nbar.warp.sync %m;\n"
	        "@%p2 ld.shared.u32 %r0, [%r6];\nmov.pred %p0, %p2",
	        SHFL_IDX, lane);
}

/* Lanes of one mask arrive in two branches. Each path synchronizes only the lanes that run it
 * (docs/explanation/deviations.md, 18). With whole_warp_barriers (--check divergence) the kernel stops. */
static void diverged_at_barrier(void **state)
{
	(void)state;
	static const char text[] =
		".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
		".reg .b32 %t, %r<4>;\n.reg .b64 %o, %d;\n.reg .pred %p<3>;\nld.param.u64 %o, [out];\n"
		"mov.u32 %t, %tid.x;\nmul.wide.u32 %d, %t, 4;\nadd.u64 %o, %o, %d;\nsetp.lt.u32 %p1, %t, 10;\n"
		"@%p1 bra LOW;\nredux.sync.add.u32 %r1, %t, -1;\nbra JOIN;\nLOW:\nredux.sync.add.u32 %r1, %t, -1;\n"
		"JOIN:\nst.global.u32 [%o], %r1;\nret;\n}\n";
	struct kit kit;
	kit_open(&kit, text);
	const uint32_t *out = kit_buffer(&kit, LANES * sizeof *out);
	kit_run(&kit);
	for (unsigned i = 0; i < LANES; i++)
		assert_int_equal(out[i], i < 10 ? 45 : 31 * 32 / 2 - 45);
	kit.launch.whole_warp_barriers = true;
	simt_run(&kit.launch, 0, &kit.run);
	assert_string_equal(kit.run.fault.what, "member mask that names a thread which runs elsewhere");
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(split_masks),
		cmocka_unit_test(warp_barriers),
		cmocka_unit_test(diverged_at_barrier),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
