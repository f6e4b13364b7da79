/* bulk_reduce: bulk reductions, element by element, with the same results as atomic instructions (exec_atomic.c). */
#include "simt/bulk.h"

/* Integer types of 32 and 64 bits, signed or not. */
#define WHOLE(name, T)                                                                                                 \
	static T reduce_##name(enum ptx_atomic atomic, T old, T b)                                                     \
	{                                                                                                              \
		switch (atomic) {                                                                                      \
		case PTX_ATOM_MIN:                                                                                     \
			return old < b ? old : b;                                                                      \
		case PTX_ATOM_MAX:                                                                                     \
			return old > b ? old : b;                                                                      \
		case PTX_ATOM_INC:                                                                                     \
			return old >= b ? 0 : old + 1;                                                                 \
		case PTX_ATOM_DEC:                                                                                     \
			return old == 0 || old > b ? b : old - 1;                                                      \
		case PTX_ATOM_AND:                                                                                     \
			return old & b;                                                                                \
		case PTX_ATOM_OR:                                                                                      \
			return old | b;                                                                                \
		case PTX_ATOM_XOR:                                                                                     \
			return old ^ b;                                                                                \
		default:                                                                                               \
			return (T)((uint64_t)old + (uint64_t)b);                                                       \
		}                                                                                                      \
	}
WHOLE(u32, uint32_t)
WHOLE(s32, int32_t)
WHOLE(u64, uint64_t)
WHOLE(s64, int64_t)

#define ELEMENT(T, value)                                                                                              \
	{                                                                                                              \
		T old, b, new;                                                                                         \
		memcpy(&old, to, sizeof old);                                                                          \
		memcpy(&b, from, sizeof b);                                                                            \
		new = (value);                                                                                         \
		memcpy(to, &new, sizeof new);                                                                          \
	}                                                                                                              \
	break

static void reduce_element(enum ptx_atomic atomic, enum ptx_type type, void *to, const void *from)
{
	switch (type) {
	case PTX_F32:
		ELEMENT(float, canonical_f32(old + b));
	case PTX_F64:
		ELEMENT(double, sum_f64(old, b));
	case PTX_S32:
		ELEMENT(int32_t, reduce_s32(atomic, old, b));
	case PTX_S64:
		ELEMENT(int64_t, reduce_s64(atomic, old, b));
	case PTX_U64:
	case PTX_B64:
		ELEMENT(uint64_t, reduce_u64(atomic, old, b));
	default:
		ELEMENT(uint32_t, reduce_u32(atomic, old, b));
	}
}

void bulk_reduce(enum ptx_atomic atomic, enum ptx_type type, void *to, const void *from, uint64_t bytes)
{
	uint32_t size = ptx_type_bytes(type);
	for (uint64_t at = 0; at + size <= bytes; at += size)
		reduce_element(atomic, type, (uint8_t *)to + at, (const uint8_t *)from + at);
}
