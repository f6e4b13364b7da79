/* exec_memory: loads and stores. A global store is checked when it runs and written at commit. */
#include "simt/access.h"

/* Memory may be read and written as any type. */
typedef uint8_t __attribute__((may_alias)) mem_u8;
typedef int8_t __attribute__((may_alias)) mem_s8;
typedef uint16_t __attribute__((may_alias)) mem_u16;
typedef int16_t __attribute__((may_alias)) mem_s16;
typedef uint32_t __attribute__((may_alias)) mem_u32;
typedef int32_t __attribute__((may_alias)) mem_s32;
typedef uint64_t __attribute__((may_alias)) mem_u64;

/* Defines loads of T into lanes of D, extended by T's sign. */
#define LOAD(name, D, T)                                                                                               \
	static void load_##name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)          \
	{                                                                                                              \
		struct reach reach;                                                                                    \
		if (UNLIKELY(!access_reach(warp, inst, step, &reach)))                                                 \
			return;                                                                                        \
		for (unsigned e = 0; e < inst->vector; e++) {                                                          \
			if (inst->dst[e] == SIMT_NO_REGISTER)                                                          \
				continue;                                                                              \
			uintptr_t base = reach.base + e * sizeof(T);                                                   \
			D *d = destination(warp, inst, e);                                                             \
			if (step->unit_stride && inst->vector == 1) {                                                  \
				const T *s = (const T *)(base + reach.where[0]);                                       \
				FOR_LANES                                                                              \
				d[i] = (D)s[i];                                                                        \
			} else if (step->same) {                                                                       \
				D value = (D) * (const T *)(base + reach.where[0]);                                    \
				FOR_LANES                                                                              \
				d[i] = value;                                                                          \
			} else if (step->lanes == ALL_LANES) {                                                         \
				for (unsigned i = 0; i < WARP_SIZE; i++)                                               \
					d[i] = (D) * (const T *)(base + reach.where[i]);                               \
			} else {                                                                                       \
				for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {                            \
					unsigned i = (unsigned)__builtin_ctz(rest);                                    \
					d[i] = (D) * (const T *)(base + reach.where[i]);                               \
				}                                                                                      \
			}                                                                                              \
		}                                                                                                      \
	}                                                                                                              \
	/* A kernel parameter at a constant address: the same for all lanes. */                                        \
	static void param_##name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)         \
	{                                                                                                              \
		const uint8_t *from = warp->block->launch->params + inst->offset;                                      \
		FOR_LANES                                                                                              \
		step->address[i] = (uint64_t)inst->offset;                                                             \
		for (unsigned e = 0; e < inst->vector; e++) {                                                          \
			if (inst->dst[e] == SIMT_NO_REGISTER)                                                          \
				continue;                                                                              \
			D value = (D)((const T *)from)[e];                                                             \
			D *d = destination(warp, inst, e);                                                             \
			FOR_LANES                                                                                      \
			d[i] = step->lanes & lane_bit[i] ? value : d[i];                                               \
		}                                                                                                      \
	}
LOAD(u8_4, lane32, mem_u8)
LOAD(s8_4, lane32, mem_s8)
LOAD(u16_4, lane32, mem_u16)
LOAD(s16_4, lane32, mem_s16)
LOAD(u32_4, lane32, mem_u32)
LOAD(u8_8, lane64, mem_u8)
LOAD(s8_8, lane64, mem_s8)
LOAD(u16_8, lane64, mem_u16)
LOAD(s16_8, lane64, mem_s16)
LOAD(u32_8, lane64, mem_u32)
LOAD(s32_8, lane64, mem_s32)
LOAD(u64_8, lane64, mem_u64)

/* Defines stores of the low bits of lanes of S as T. When several lanes write to one location, the last lane wins. */
#define STORE(name, S, T)                                                                                              \
	static void write_##name(struct simt_warp *warp, const struct simt_inst *inst, bool unit_stride,               \
	                         uintptr_t reach, const uint64_t *where, uint32_t lanes)                               \
	{                                                                                                              \
		for (unsigned e = 0; e < inst->vector; e++) {                                                          \
			uintptr_t base = reach + e * sizeof(T);                                                        \
			SOURCE(s, S, 1 + e);                                                                           \
			if (unit_stride && inst->vector == 1) {                                                        \
				T *d = (T *)(base + where[0]);                                                         \
				FOR_LANES                                                                              \
				d[i] = (T)s[i];                                                                        \
			} else {                                                                                       \
				for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                  \
					unsigned i = (unsigned)__builtin_ctz(rest);                                    \
					*(T *)(base + where[i]) = (T)s[i];                                             \
				}                                                                                      \
			}                                                                                              \
		}                                                                                                      \
	}                                                                                                              \
	static void store_##name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)         \
	{                                                                                                              \
		struct reach reach;                                                                                    \
		if (UNLIKELY(!access_reach(warp, inst, step, &reach)))                                                 \
			return;                                                                                        \
		uint32_t later = global_lanes(step);                                                                   \
		step->commits = later != 0;                                                                            \
		if (later != step->lanes)                                                                              \
			write_##name(warp, inst, step->unit_stride, reach.base, reach.where, step->lanes & ~later);    \
	}                                                                                                              \
	static void commit_##name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)        \
	{                                                                                                              \
		struct reach reach;                                                                                    \
		access_again(warp, step, &reach);                                                                      \
		write_##name(warp, inst, step->unit_stride, reach.base, reach.where, global_lanes(step));              \
	}
STORE(8_4, lane32, mem_u8)
STORE(16_4, lane32, mem_u16)
STORE(32_4, lane32, mem_u32)
STORE(8_8, lane64, mem_u8)
STORE(16_8, lane64, mem_u16)
STORE(32_8, lane64, mem_u32)
STORE(64_8, lane64, mem_u64)

/* prefetch: computes only the addresses. Outside an allocation it does nothing. */
static void prefetch(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	access_addresses(warp, inst, step->address);
	struct extent extent = access_extent(inst, step);
	if (inst->space == PTX_GENERIC)
		step->space = access_space(step, &extent);
}

static simt_exec *find_load(const struct exec_query *query)
{
#define LOAD_ROW(small, large)                                                                                         \
	{                                                                                                              \
		{load_##small, load_##large},                                                                          \
		{                                                                                                      \
			param_##small, param_##large                                                                   \
		}                                                                                                      \
	}
#define LOAD_ROW_8(large)                                                                                              \
	{                                                                                                              \
		{NULL, load_##large},                                                                                  \
		{                                                                                                      \
			NULL, param_##large                                                                            \
		}                                                                                                      \
	}
	static simt_exec *const table[PTX_TYPES][2][2] = {
		[PTX_B8] = LOAD_ROW(u8_4, u8_8),    [PTX_U8] = LOAD_ROW(u8_4, u8_8),
		[PTX_S8] = LOAD_ROW(s8_4, s8_8),    [PTX_B16] = LOAD_ROW(u16_4, u16_8),
		[PTX_U16] = LOAD_ROW(u16_4, u16_8), [PTX_S16] = LOAD_ROW(s16_4, s16_8),
		[PTX_F16] = LOAD_ROW(u16_4, u16_8), [PTX_B32] = LOAD_ROW(u32_4, u32_8),
		[PTX_U32] = LOAD_ROW(u32_4, u32_8), [PTX_S32] = LOAD_ROW(u32_4, s32_8),
		[PTX_F32] = LOAD_ROW(u32_4, u32_8), [PTX_F16X2] = LOAD_ROW(u32_4, u32_8),
		[PTX_B64] = LOAD_ROW_8(u64_8),      [PTX_U64] = LOAD_ROW_8(u64_8),
		[PTX_S64] = LOAD_ROW_8(u64_8),      [PTX_F64] = LOAD_ROW_8(u64_8),
		[PTX_B128] = LOAD_ROW_8(u64_8), /* as a vector of two */
	};
	return table[query->type][query->kernel_param][query->dst_bytes == 8];
}

static simt_exec *find_store(const struct exec_query *query, simt_exec **commit)
{
#define STORE_ROW(name)                                                                                                \
	{                                                                                                              \
		store_##name, commit_##name                                                                            \
	}
	static simt_exec *const table[4][2][2] = {
		{STORE_ROW(8_4), STORE_ROW(8_8)},
		{STORE_ROW(16_4), STORE_ROW(16_8)},
		{STORE_ROW(32_4), STORE_ROW(32_8)},
		{{NULL, NULL}, STORE_ROW(64_8)},
	};
	uint32_t bytes = query->type == PTX_B128 ? 8 : ptx_type_bytes(query->type); /* as a vector of two */
	if (bytes == 0 || bytes > 8)
		return NULL;
	simt_exec *const *row = table[__builtin_ctz(bytes)][query->src_bytes == 8];
	*commit = row[1];
	return row[0];
}

simt_exec *ISA(exec_find_memory)(const struct exec_query *query, simt_exec **commit)
{
	switch (query->ptx->op) {
	case PTX_OP_LD:
	case PTX_OP_LDU:
		return find_load(query);
	case PTX_OP_ST:
		return find_store(query, commit);
	case PTX_OP_PREFETCH:
	case PTX_OP_PREFETCHU:
		return prefetch;
	default:
		return NULL;
	}
}
