/* ops: the rows of ops.h as data, the suffixes, and the names of types, spaces and special registers. */
#include "ptx/parse.h"

#include <string.h>

#define OP(id, name, modifiers, unit, latency)                                                                         \
	[PTX_OP_##id] = {name, modifiers, PTX_UNIT_##unit, PTX_LATENCY_##latency},
const struct op_row ptx_ops[PTX_OPCODES] = {
#include "ptx/ops.h"
};

#define FORM(id, types, types2, suffixes, operands) {PTX_OP_##id, TYPES_##types, TYPES_##types2, suffixes, operands},
const struct form ptx_forms[] = {
#include "ptx/ops.h"
};
const uint32_t ptx_form_count = sizeof ptx_forms / sizeof *ptx_forms;

/* A suffix that sets a field to a value. */
#define FIELD(word, groups, field, value)                                                                              \
	{                                                                                                              \
		word, groups, offsetof(struct ptx_inst, field), SIZE(field), value, false                              \
	}
#define BEHIND(word, groups, field, value)                                                                             \
	{                                                                                                              \
		word, groups, offsetof(struct ptx_inst, field), SIZE(field), value, true                               \
	}
#define SIZE(field)               sizeof(((struct ptx_inst *)0)->field)
#define FLAG(word, groups, field) FIELD(word, groups, field, true)

const struct suffix ptx_suffixes[] = {
	FLAG("mma", MORE, multiplies),
	FIELD("fractional", CACHE, policy, PTX_POLICY_FRACTIONAL),
	FIELD("range", CACHE, policy, PTX_POLICY_RANGE),
	FIELD("cvt", CACHE, policy, PTX_POLICY_CVT),
	FLAG("inc", MORE, grows),
	FLAG("dec", MORE, shrinks),
	FIELD("init", MORE, mbarrier, PTX_MBARRIER_INIT),
	FIELD("inval", MORE, mbarrier, PTX_MBARRIER_INVAL),
	FIELD("arrive", MORE, mbarrier, PTX_MBARRIER_ARRIVE),
	FIELD("arrive_drop", MORE, mbarrier, PTX_MBARRIER_DROP),
	FIELD("test_wait", MORE, mbarrier, PTX_MBARRIER_TEST),
	FIELD("try_wait", MORE, mbarrier, PTX_MBARRIER_TRY),
	FIELD("pending_count", MORE, mbarrier, PTX_MBARRIER_PENDING),
	FLAG("parity", MORE, parity),
	FLAG("noComplete", MORE, no_complete),
	FLAG("expect_tx", MORE, expects),
	FLAG("complete_tx", MORE, completes),
	FLAG("all", MATCH, match_all),
	FLAG("any", MATCH, match_any),
	FLAG("to", TO, to),
	FLAG("uni", UNI, uni),
	FLAG("mmio", ORDER, mmio),
	FLAG("proxy", MORE, proxy),
	FLAG("alias", MORE, alias),
	FLAG("async", MORE, async),
	FLAG("async::generic", MORE, async_generic),
	FLAG("mbarrier_init", MORE, mbarrier_init),
	FIELD("weak", ORDER, order, PTX_WEAK),
	FIELD("volatile", ORDER, order, PTX_VOLATILE),
	FIELD("relaxed", ORDER, order, PTX_RELAXED),
	FIELD("acquire", ORDER, order, PTX_ACQUIRE),
	FIELD("release", ORDER, order, PTX_RELEASE),
	FIELD("acq_rel", ORDER, order, PTX_ACQ_REL),
	FIELD("sc", ORDER, order, PTX_SC),
	FIELD("sync_restrict::shared::cta", MORE, restricts, PTX_RESTRICTS_BLOCK),
	FIELD("sync_restrict::shared::cluster", MORE, restricts, PTX_RESTRICTS_CLUSTER),
	FIELD("cta", ORDER | SCOPE, scope, PTX_SCOPE_CTA),
	FIELD("cluster", ORDER | SCOPE, scope, PTX_SCOPE_CLUSTER),
	FIELD("gpu", ORDER | SCOPE, scope, PTX_SCOPE_GPU),
	FIELD("sys", ORDER | SCOPE, scope, PTX_SCOPE_SYS),
	FIELD("gl", SCOPE, scope, PTX_SCOPE_GL),
	FIELD("1d", COPY, rank, 1),
	FIELD("2d", COPY, rank, 2),
	FIELD("3d", COPY, rank, 3),
	FIELD("4d", COPY, rank, 4),
	FIELD("5d", COPY, rank, 5),
	FIELD("const", SPACE, space, PTX_CONST),
	FIELD("global", SPACE, space, PTX_GLOBAL),
	FIELD("local", SPACE, space, PTX_LOCAL),
	FIELD("param", SPACE, space, PTX_PARAM),
	FIELD("param::entry", SPACE, space, PTX_PARAM),
	FIELD("param::func", SPACE, space, PTX_PARAM),
	FIELD("shared", SPACE, space, PTX_SHARED),
	FIELD("shared::cta", SPACE, space, PTX_SHARED),
	FIELD("shared::cluster", SPACE, space, PTX_SHARED),
	FLAG("noinc", MORE, no_increment),
	FIELD("global", COPY, from, PTX_GLOBAL),
	FIELD("shared", COPY, from, PTX_SHARED),
	FIELD("shared::cta", COPY, from, PTX_SHARED),
	FLAG("tile", COPY, tile),
	FLAG("mbarrier::complete_tx::bytes", COPY, by_mbarrier),
	FLAG("bulk_group", COPY, by_group),
	FLAG("multicast::cluster", COPY, multicast),
	FLAG("read", COPY, is_read),
	FLAG("tensormap::generic", MORE, tensormap),
	FLAG("b", CLAMP, unformatted),
	FLAG("p", CLAMP, formatted),
	FIELD("base", TEXEL, lod, PTX_LOD_BASE),
	FIELD("level", TEXEL, lod, PTX_LOD_LEVEL),
	FIELD("grad", TEXEL, lod, PTX_LOD_GRAD),
	FIELD("r", TEXEL, gather, PTX_GATHER_R),
	FIELD("g", TEXEL, gather, PTX_GATHER_G),
	FIELD("b", TEXEL, gather, PTX_GATHER_B),
	FIELD("a", TEXEL, gather, PTX_GATHER_A),
	FIELD("add", TEXEL, atomic, PTX_ATOM_ADD),
	FIELD("min", TEXEL, atomic, PTX_ATOM_MIN),
	FIELD("max", TEXEL, atomic, PTX_ATOM_MAX),
	FIELD("and", TEXEL, atomic, PTX_ATOM_AND),
	FIELD("or", TEXEL, atomic, PTX_ATOM_OR),
	FIELD("width", TEXEL, query, PTX_QUERY_WIDTH),
	FIELD("height", TEXEL, query, PTX_QUERY_HEIGHT),
	FIELD("depth", TEXEL, query, PTX_QUERY_DEPTH),
	FIELD("channel_data_type", TEXEL, query, PTX_QUERY_CHANNEL_TYPE),
	FIELD("channel_order", TEXEL, query, PTX_QUERY_CHANNEL_ORDER),
	FIELD("normalized_coords", TEXEL, query, PTX_QUERY_NORMALIZED),
	FIELD("array_size", TEXEL, query, PTX_QUERY_LAYERS),
	FIELD("num_mipmap_levels", TEXEL, query, PTX_QUERY_LEVELS),
	FIELD("num_samples", TEXEL, query, PTX_QUERY_SAMPLES),
	FIELD("memory_layout", TEXEL, query, PTX_QUERY_LAYOUT),
	FIELD("filter_mode", TEXEL, query, PTX_QUERY_FILTER),
	FIELD("addr_mode_0", TEXEL, query, PTX_QUERY_ADDRESS_0),
	FIELD("addr_mode_1", TEXEL, query, PTX_QUERY_ADDRESS_1),
	FIELD("addr_mode_2", TEXEL, query, PTX_QUERY_ADDRESS_2),
	FIELD("force_unnormalized_coords", TEXEL, query, PTX_QUERY_UNNORMALIZED),
	FIELD("1d", GEOMETRY, geometry, PTX_1D),
	FIELD("2d", GEOMETRY, geometry, PTX_2D),
	FIELD("3d", GEOMETRY, geometry, PTX_3D),
	FIELD("a1d", GEOMETRY, geometry, PTX_A1D),
	FIELD("a2d", GEOMETRY, geometry, PTX_A2D),
	FIELD("cube", GEOMETRY, geometry, PTX_CUBE),
	FIELD("acube", GEOMETRY, geometry, PTX_ACUBE),
	FLAG("warp", BARRIER, warp),
	FLAG("cta", BARRIER, block),
	FIELD("sync", BARRIER, barrier, PTX_BARRIER_SYNC),
	FIELD("arrive", BARRIER, barrier, PTX_BARRIER_ARRIVE),
	FIELD("red", BARRIER, barrier, PTX_BARRIER_RED),
	FIELD("wait", BARRIER, barrier, PTX_BARRIER_WAIT),
	FIELD("popc", BARRIER, atomic, PTX_ATOM_ADD),
	FIELD("and", BARRIER, atomic, PTX_ATOM_AND),
	FIELD("or", BARRIER, atomic, PTX_ATOM_OR),
	FLAG("sync", VOTE | MATCH | SHUFFLE | REDUX | MORE, sync),
	FLAG("aligned", BARRIER | MORE, aligned),
	FIELD("m8n8k4", MORE, shape, PTX_M8N8K4),
	FIELD("m8n8k16", MORE, shape, PTX_M8N8K16),
	FIELD("m8n8k32", MORE, shape, PTX_M8N8K32),
	FIELD("m8n8k128", MORE, shape, PTX_M8N8K128),
	FIELD("m16n8k4", MORE, shape, PTX_M16N8K4),
	FIELD("m16n8k8", MORE, shape, PTX_M16N8K8),
	FIELD("m16n8k16", MORE, shape, PTX_M16N8K16),
	FIELD("m16n8k32", MORE, shape, PTX_M16N8K32),
	FIELD("m16n8k64", MORE, shape, PTX_M16N8K64),
	FIELD("m16n8k128", MORE, shape, PTX_M16N8K128),
	FIELD("m16n8k256", MORE, shape, PTX_M16N8K256),
	FIELD("m16n16k16", MORE, shape, PTX_M16N16K16),
	FIELD("m16n16k8", MORE, shape, PTX_M16N16K8),
	FIELD("m8n32k16", MORE, shape, PTX_M8N32K16),
	FIELD("m32n8k16", MORE, shape, PTX_M32N8K16),
	FIELD("m8n8", MORE, shape, PTX_M8N8),
	FIELD("x1", MORE, matrices, 1),
	FIELD("x2", MORE, matrices, 2),
	FIELD("x4", MORE, matrices, 4),
	FLAG("trans", MORE, transposes),
	FIELD("row", MORE, major_a, PTX_ROW),
	FIELD("col", MORE, major_a, PTX_COL),
	FIELD("row", MORE, major_b, PTX_ROW),
	FIELD("col", MORE, major_b, PTX_COL),
	FIELD("all", VOTE, vote, PTX_VOTE_ALL),
	FIELD("any", VOTE, vote, PTX_VOTE_ANY),
	FIELD("uni", VOTE, vote, PTX_VOTE_UNI),
	FIELD("ballot", VOTE, vote, PTX_VOTE_BALLOT),
	FIELD("up", SHUFFLE, shuffle, PTX_SHUFFLE_UP),
	FIELD("down", SHUFFLE, shuffle, PTX_SHUFFLE_DOWN),
	FIELD("bfly", SHUFFLE, shuffle, PTX_SHUFFLE_BFLY),
	FIELD("idx", SHUFFLE, shuffle, PTX_SHUFFLE_IDX),
	FIELD("add", ATOMIC | REDUX, atomic, PTX_ATOM_ADD),
	FIELD("min", ATOMIC | REDUX, atomic, PTX_ATOM_MIN),
	FIELD("max", ATOMIC | REDUX, atomic, PTX_ATOM_MAX),
	FIELD("inc", ATOMIC, atomic, PTX_ATOM_INC),
	FIELD("dec", ATOMIC, atomic, PTX_ATOM_DEC),
	FIELD("and", ATOMIC | REDUX, atomic, PTX_ATOM_AND),
	FIELD("or", ATOMIC | REDUX, atomic, PTX_ATOM_OR),
	FIELD("xor", ATOMIC | REDUX, atomic, PTX_ATOM_XOR),
	FIELD("exch", ATOMIC, atomic, PTX_ATOM_EXCH),
	FIELD("cas", ATOMIC, atomic, PTX_ATOM_CAS),
	FIELD("ca", CACHE, cache, PTX_CA),
	FIELD("cg", CACHE, cache, PTX_CG),
	FIELD("cs", CACHE, cache, PTX_CS),
	FIELD("lu", CACHE, cache, PTX_LU),
	FIELD("cv", CACHE, cache, PTX_CV),
	FIELD("wb", CACHE, cache, PTX_WB),
	FIELD("wt", CACHE, cache, PTX_WT),
	FLAG("nc", NC, nc),
	FIELD("L1::evict_normal", CACHE, hint1, PTX_EVICT_NORMAL),
	FIELD("L1::evict_unchanged", CACHE, hint1, PTX_EVICT_UNCHANGED),
	FIELD("L1::evict_first", CACHE, hint1, PTX_EVICT_FIRST),
	FIELD("L1::evict_last", CACHE, hint1, PTX_EVICT_LAST),
	FIELD("L1::no_allocate", CACHE, hint1, PTX_NO_ALLOCATE),
	FIELD("L2::evict_normal", CACHE, hint2, PTX_EVICT_NORMAL),
	FIELD("L2::evict_first", CACHE, hint2, PTX_EVICT_FIRST),
	FIELD("L2::evict_last", CACHE, hint2, PTX_EVICT_LAST),
	FIELD("L2::evict_unchanged", CACHE, hint2, PTX_EVICT_UNCHANGED),
	FIELD("L2::evict_first", CACHE, others, PTX_EVICT_FIRST),
	FIELD("L2::evict_unchanged", CACHE, others, PTX_EVICT_UNCHANGED),
	FLAG("L2::cache_hint", CACHE, cache_hint),
	FIELD("L2::64B", CACHE, prefetch_bytes, 64),
	FIELD("L2::128B", CACHE, prefetch_bytes, 128),
	FIELD("L2::256B", CACHE, prefetch_bytes, 256),
	FIELD("v2", VECTOR, vector, 2),
	FIELD("v4", VECTOR, vector, 4),
	FIELD("v8", VECTOR, vector, 8),
	FIELD("L1", PREFETCH, prefetch_level, 1),
	FIELD("L2", PREFETCH, prefetch_level, 2),
	FIELD("eq", CMP, cmp, PTX_EQ),
	FIELD("ne", CMP, cmp, PTX_NE),
	FIELD("lt", CMP, cmp, PTX_LT),
	FIELD("le", CMP, cmp, PTX_LE),
	FIELD("gt", CMP, cmp, PTX_GT),
	FIELD("ge", CMP, cmp, PTX_GE),
	FIELD("lo", CMP, cmp, PTX_CMP_LO),
	FIELD("ls", CMP, cmp, PTX_CMP_LS),
	FIELD("hi", CMP, cmp, PTX_CMP_HI),
	FIELD("hs", CMP, cmp, PTX_CMP_HS),
	FIELD("equ", CMP, cmp, PTX_EQU),
	FIELD("neu", CMP, cmp, PTX_NEU),
	FIELD("ltu", CMP, cmp, PTX_LTU),
	FIELD("leu", CMP, cmp, PTX_LEU),
	FIELD("gtu", CMP, cmp, PTX_GTU),
	FIELD("geu", CMP, cmp, PTX_GEU),
	FIELD("num", CMP, cmp, PTX_NUM),
	FIELD("nan", CMP, cmp, PTX_NAN),
	FIELD("and", BOOL, bool_op, PTX_BOOL_AND),
	FIELD("or", BOOL, bool_op, PTX_BOOL_OR),
	FIELD("xor", BOOL, bool_op, PTX_BOOL_XOR),
	FIELD("lo", HALF, half, PTX_LO),
	FIELD("hi", HALF, half, PTX_HI),
	FIELD("wide", HALF, half, PTX_WIDE),
	FLAG("l", SHF, shf_left),
	FLAG("r", SHF, shf_right),
	FLAG("clamp", SHF, clamp),
	FLAG("wrap", SHF, wrap),
	FIELD("rn", ROUND | CVT_ROUND, round, PTX_RN),
	FIELD("rz", ROUND | CVT_ROUND, round, PTX_RZ),
	FIELD("rm", ROUND | CVT_ROUND, round, PTX_RM),
	FIELD("rp", ROUND | CVT_ROUND, round, PTX_RP),
	FIELD("rni", CVT_ROUND, round, PTX_RNI),
	FIELD("rzi", CVT_ROUND, round, PTX_RZI),
	FIELD("rmi", CVT_ROUND, round, PTX_RMI),
	FIELD("rpi", CVT_ROUND, round, PTX_RPI),
	FIELD("rna", CVT_ROUND, round, PTX_RNA),
	FLAG("approx", APPROX, approx),
	FLAG("full", APPROX, full),
	FLAG("ftz", FTZ, ftz),
	FLAG("noftz", ATOMIC, noftz),
	FLAG("oob", MORE, out_of_bounds),
	FLAG("NaN", MORE | REDUX, nan),
	FLAG("xorsign", MORE, xorsign),
	FLAG("abs", MORE | REDUX, magnitudes),
	FLAG("relu", MORE, relu),
	FLAG("satfinite", MORE, satfinite),
	FLAG("wait", MORE, wait),
	FLAG("launch_dependents", MORE, launch_dependents),
	FLAG("po", MORE, plus_one),
	FLAG("sat", SAT, sat),
	FIELD("shr7", MORE, scale, 7),
	FIELD("shr15", MORE, scale, 15),
	FLAG("cc", CARRY, carry_out),
	FLAG("shiftamt", MORE, shiftamt),
	FLAG("mask", EVENTS, mask),
	FIELD("finite", MORE, testp, PTX_FINITE),
	FIELD("infinite", MORE, testp, PTX_INFINITE),
	FIELD("number", MORE, testp, PTX_NUMBER),
	FIELD("notanumber", MORE, testp, PTX_NOTANUMBER),
	FIELD("normal", MORE, testp, PTX_NORMAL),
	FIELD("subnormal", MORE, testp, PTX_SUBNORMAL),
	BEHIND("f4e", PRMT, prmt, PTX_F4E),
	BEHIND("b4e", PRMT, prmt, PTX_B4E),
	BEHIND("rc8", PRMT, prmt, PTX_RC8),
	BEHIND("ecl", PRMT, prmt, PTX_ECL),
	BEHIND("ecr", PRMT, prmt, PTX_ECR),
	BEHIND("rc16", PRMT, prmt, PTX_RC16),
	BEHIND("xor", MORE, atomic, PTX_ATOM_XOR),
	BEHIND("and", MORE, atomic, PTX_ATOM_AND),
	BEHIND("popc", MORE, popc, true),
	BEHIND("clamp", CLAMP, outside, PTX_OUTSIDE_CLAMP),
	BEHIND("zero", CLAMP, outside, PTX_OUTSIDE_ZERO),
	BEHIND("trap", CLAMP, outside, PTX_OUTSIDE_TRAP),
};
const uint32_t ptx_suffix_count = sizeof ptx_suffixes / sizeof *ptx_suffixes;

enum type_class { CLASS_NONE, CLASS_BITS, CLASS_UNSIGNED, CLASS_SIGNED, CLASS_FLOAT };

static const struct {
	const char *name;
	uint8_t bytes, class;
} types[PTX_TYPES] = {
	[PTX_NO_TYPE] = {"", 0, CLASS_NONE},
	[PTX_PRED] = {"pred", 1, CLASS_NONE},
	[PTX_B8] = {"b8", 1, CLASS_BITS},
	[PTX_B16] = {"b16", 2, CLASS_BITS},
	[PTX_B32] = {"b32", 4, CLASS_BITS},
	[PTX_B64] = {"b64", 8, CLASS_BITS},
	[PTX_B128] = {"b128", 16, CLASS_BITS},
	[PTX_U8] = {"u8", 1, CLASS_UNSIGNED},
	[PTX_U16] = {"u16", 2, CLASS_UNSIGNED},
	[PTX_U32] = {"u32", 4, CLASS_UNSIGNED},
	[PTX_U64] = {"u64", 8, CLASS_UNSIGNED},
	[PTX_S8] = {"s8", 1, CLASS_SIGNED},
	[PTX_S16] = {"s16", 2, CLASS_SIGNED},
	[PTX_S32] = {"s32", 4, CLASS_SIGNED},
	[PTX_S64] = {"s64", 8, CLASS_SIGNED},
	[PTX_F16] = {"f16", 2, CLASS_FLOAT},
	[PTX_F16X2] = {"f16x2", 4, CLASS_FLOAT},
	[PTX_BF16] = {"bf16", 2, CLASS_FLOAT},
	[PTX_BF16X2] = {"bf16x2", 4, CLASS_FLOAT},
	[PTX_TF32] = {"tf32", 4, CLASS_FLOAT},
	[PTX_F32] = {"f32", 4, CLASS_FLOAT},
	[PTX_F64] = {"f64", 8, CLASS_FLOAT},
	[PTX_F32X2] = {"f32x2", 8, CLASS_FLOAT},
	[PTX_U16X2] = {"u16x2", 4, CLASS_UNSIGNED},
	[PTX_S16X2] = {"s16x2", 4, CLASS_SIGNED},
	[PTX_U2] = {"u2", 1, CLASS_UNSIGNED},
	[PTX_S2] = {"s2", 1, CLASS_SIGNED},
	[PTX_U4] = {"u4", 1, CLASS_UNSIGNED},
	[PTX_S4] = {"s4", 1, CLASS_SIGNED},
	[PTX_B1] = {"b1", 1, CLASS_BITS},
	[PTX_E4M3] = {"e4m3", 1, CLASS_FLOAT},
	[PTX_E5M2] = {"e5m2", 1, CLASS_FLOAT},
	[PTX_E4M3X2] = {"e4m3x2", 2, CLASS_FLOAT},
	[PTX_E5M2X2] = {"e5m2x2", 2, CLASS_FLOAT},
	[PTX_E2M3X2] = {"e2m3x2", 2, CLASS_FLOAT},
	[PTX_E3M2X2] = {"e3m2x2", 2, CLASS_FLOAT},
	[PTX_E2M1X2] = {"e2m1x2", 1, CLASS_FLOAT},
	[PTX_TEXREF] = {"texref", 8, CLASS_NONE},
	[PTX_SAMPLERREF] = {"samplerref", 8, CLASS_NONE},
	[PTX_SURFREF] = {"surfref", 8, CLASS_NONE},
};

static const char *const spaces[PTX_SPACES] = {
	"generic", "reg", "sreg", "const", "global", "local", "param", "shared", "tex",
};

static const char *const sregs[PTX_SREGS] = {
	[PTX_TID_X] = "%tid.x",
	[PTX_TID_Y] = "%tid.y",
	[PTX_TID_Z] = "%tid.z",
	[PTX_NTID_X] = "%ntid.x",
	[PTX_NTID_Y] = "%ntid.y",
	[PTX_NTID_Z] = "%ntid.z",
	[PTX_CTAID_X] = "%ctaid.x",
	[PTX_CTAID_Y] = "%ctaid.y",
	[PTX_CTAID_Z] = "%ctaid.z",
	[PTX_NCTAID_X] = "%nctaid.x",
	[PTX_NCTAID_Y] = "%nctaid.y",
	[PTX_NCTAID_Z] = "%nctaid.z",
	[PTX_LANEID] = "%laneid",
	[PTX_WARPID] = "%warpid",
	[PTX_NWARPID] = "%nwarpid",
	[PTX_SMID] = "%smid",
	[PTX_NSMID] = "%nsmid",
	[PTX_GRIDID] = "%gridid",
	[PTX_LANEMASK_EQ] = "%lanemask_eq",
	[PTX_LANEMASK_LE] = "%lanemask_le",
	[PTX_LANEMASK_LT] = "%lanemask_lt",
	[PTX_LANEMASK_GE] = "%lanemask_ge",
	[PTX_LANEMASK_GT] = "%lanemask_gt",
	[PTX_CLOCK] = "%clock",
	[PTX_CLOCK_HI] = "%clock_hi",
	[PTX_CLOCK64] = "%clock64",
	[PTX_GLOBALTIMER] = "%globaltimer",
	[PTX_GLOBALTIMER_LO] = "%globaltimer_lo",
	[PTX_GLOBALTIMER_HI] = "%globaltimer_hi",
	[PTX_AGGR_SMEM_SIZE] = "%aggr_smem_size",
	[PTX_RESERVED_SMEM_BEGIN] = "%reserved_smem_offset_begin",
	[PTX_RESERVED_SMEM_END] = "%reserved_smem_offset_end",
	[PTX_RESERVED_SMEM_CAP] = "%reserved_smem_offset_cap",
	[PTX_RESERVED_SMEM_0] = "%reserved_smem_offset_0",
	[PTX_RESERVED_SMEM_1] = "%reserved_smem_offset_1",
	[PTX_ENVREG_0 + 0] = "%envreg0",
	[PTX_ENVREG_0 + 1] = "%envreg1",
	[PTX_ENVREG_0 + 2] = "%envreg2",
	[PTX_ENVREG_0 + 3] = "%envreg3",
	[PTX_ENVREG_0 + 4] = "%envreg4",
	[PTX_ENVREG_0 + 5] = "%envreg5",
	[PTX_ENVREG_0 + 6] = "%envreg6",
	[PTX_ENVREG_0 + 7] = "%envreg7",
	[PTX_ENVREG_0 + 8] = "%envreg8",
	[PTX_ENVREG_0 + 9] = "%envreg9",
	[PTX_ENVREG_0 + 10] = "%envreg10",
	[PTX_ENVREG_0 + 11] = "%envreg11",
	[PTX_ENVREG_0 + 12] = "%envreg12",
	[PTX_ENVREG_0 + 13] = "%envreg13",
	[PTX_ENVREG_0 + 14] = "%envreg14",
	[PTX_ENVREG_0 + 15] = "%envreg15",
	[PTX_ENVREG_0 + 16] = "%envreg16",
	[PTX_ENVREG_0 + 17] = "%envreg17",
	[PTX_ENVREG_0 + 18] = "%envreg18",
	[PTX_ENVREG_0 + 19] = "%envreg19",
	[PTX_ENVREG_0 + 20] = "%envreg20",
	[PTX_ENVREG_0 + 21] = "%envreg21",
	[PTX_ENVREG_0 + 22] = "%envreg22",
	[PTX_ENVREG_0 + 23] = "%envreg23",
	[PTX_ENVREG_0 + 24] = "%envreg24",
	[PTX_ENVREG_0 + 25] = "%envreg25",
	[PTX_ENVREG_0 + 26] = "%envreg26",
	[PTX_ENVREG_0 + 27] = "%envreg27",
	[PTX_ENVREG_0 + 28] = "%envreg28",
	[PTX_ENVREG_0 + 29] = "%envreg29",
	[PTX_ENVREG_0 + 30] = "%envreg30",
	[PTX_ENVREG_0 + 31] = "%envreg31",
	[PTX_CLUSTERID_X] = "%clusterid.x",
	[PTX_CLUSTERID_Y] = "%clusterid.y",
	[PTX_CLUSTERID_Z] = "%clusterid.z",
	[PTX_NCLUSTERID_X] = "%nclusterid.x",
	[PTX_NCLUSTERID_Y] = "%nclusterid.y",
	[PTX_NCLUSTERID_Z] = "%nclusterid.z",
	[PTX_CLUSTER_CTAID_X] = "%cluster_ctaid.x",
	[PTX_CLUSTER_CTAID_Y] = "%cluster_ctaid.y",
	[PTX_CLUSTER_CTAID_Z] = "%cluster_ctaid.z",
	[PTX_CLUSTER_NCTAID_X] = "%cluster_nctaid.x",
	[PTX_CLUSTER_NCTAID_Y] = "%cluster_nctaid.y",
	[PTX_CLUSTER_NCTAID_Z] = "%cluster_nctaid.z",
	[PTX_CLUSTER_CTARANK] = "%cluster_ctarank",
	[PTX_CLUSTER_NCTARANK] = "%cluster_nctarank",
	[PTX_IS_EXPLICIT_CLUSTER] = "%is_explicit_cluster",
	[PTX_CURRENT_GRAPH_EXEC] = "%current_graph_exec",
	[PTX_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
	[PTX_TOTAL_SMEM_SIZE] = "%total_smem_size",
};

const char *ptx_type_name(enum ptx_type type)
{
	return types[type].name;
}

uint32_t ptx_type_bytes(enum ptx_type type)
{
	return types[type].bytes;
}

bool ptx_type_is_float(enum ptx_type type)
{
	return types[type].class == CLASS_FLOAT;
}

bool ptx_type_is_signed(enum ptx_type type)
{
	return types[type].class == CLASS_SIGNED;
}

const char *ptx_op_name(enum ptx_opcode op)
{
	return ptx_ops[op].name;
}

enum ptx_opcode ptx_op_find(const char *name)
{
	unsigned op = 0;
	while (op < PTX_OPCODES && strcmp(ptx_ops[op].name, name) != 0)
		op++;
	return op;
}

enum ptx_unit ptx_op_unit(enum ptx_opcode op)
{
	return ptx_ops[op].unit;
}

enum ptx_latency ptx_op_latency(enum ptx_opcode op)
{
	return ptx_ops[op].latency;
}

/* Their rows in ops.h are consecutive; so are those of matrices and of bulk copies. */
bool ptx_op_is_video(enum ptx_opcode op)
{
	return op >= PTX_OP_VADD && op <= PTX_OP_VSET4;
}

bool ptx_op_is_matrix(enum ptx_opcode op)
{
	return op >= PTX_OP_MMA && op <= PTX_OP_MOVMATRIX;
}

bool ptx_op_is_bulk(enum ptx_opcode op)
{
	return op >= PTX_OP_CP_BULK && op <= PTX_OP_PREFETCH_TENSORMAP;
}

unsigned ptx_op_parts(enum ptx_opcode op)
{
	return op >= PTX_OP_VADD4 ? 4 : op >= PTX_OP_VADD2 ? 2 : 1;
}

const char *ptx_space_name(enum ptx_space space)
{
	return spaces[space];
}

const char *ptx_sreg_name(enum ptx_sreg sreg)
{
	return sregs[sreg];
}

/* Collects the registers of an operand. */
static uint32_t add_registers(const struct ptx_operand *operand, uint32_t *ids, uint32_t count)
{
	if (operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS ||
	    operand->kind == PTX_OPERAND_TEXTURE)
		if (operand->reg != PTX_NO_REG && count < PTX_MAX_IDS)
			ids[count++] = operand->reg;
	for (uint32_t i = 0; i < operand->count; i++)
		count = add_registers(&operand->element[i], ids, count);
	return count;
}

uint32_t ptx_inst_reads(const struct ptx_inst *inst, uint32_t *ids)
{
	uint32_t count = 0;
	if (inst->guard != PTX_NO_REG)
		ids[count++] = inst->guard;
	for (uint32_t i = inst->destinations; i < inst->operands; i++)
		count = add_registers(&inst->operand[i], ids, count);
	return count;
}

uint32_t ptx_inst_writes(const struct ptx_inst *inst, uint32_t *ids)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < inst->destinations; i++)
		count = add_registers(&inst->operand[i], ids, count);
	return count;
}
