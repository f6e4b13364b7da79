/* exec: how execution functions are written.
 *
 * The exec_*.c files contain loops over lanes. They are compiled once for every level of the host's instruction set
 * (room.cmake). SIMT_ISA names the level and makes the function names distinct. All levels give the same bits.
 * a*b+c is not contracted and nothing is reassociated. NaN results do not depend on the host, because hosts return
 * different NaNs from the same operation.
 *
 * A 32-bit register is 32 lanes of 32 bits. So is a register of 8 or 16 bits, whose upper bits are ignored. A
 * 64-bit register is 32 lanes of 64 bits. A predicate is a lane mask.
 */
#ifndef SLUICE_SIMT_EXEC_H
#define SLUICE_SIMT_EXEC_H

#include "base/likely.h"
#include "simt/simt.h"

#include <string.h>

#ifndef SIMT_ISA
#define SIMT_ISA plain
#endif
#define SIMT_JOIN_(a, b) a##_##b
#define SIMT_JOIN(a, b)  SIMT_JOIN_(a, b)
#define ISA(name)        SIMT_JOIN(name, SIMT_ISA)

enum { SIMT_ALIGN = 64 };
#define ALL_LANES UINT32_MAX

/* Lanes as they lie in registers. A register may be read as one type and written as another. */
typedef uint32_t __attribute__((may_alias)) lane32;
typedef uint64_t __attribute__((may_alias)) lane64;
typedef float __attribute__((may_alias)) lanef;
typedef double __attribute__((may_alias)) laned;

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* The destination may be one of the sources, lane for lane, so iterations are independent. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define FOR_LANES _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < WARP_SIZE; i++)
#else
#define FOR_LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < WARP_SIZE; i++)
#endif


/* Bit i for lane i. A table, because a shift by the lane number does not vectorize on every host. */
static const uint32_t lane_bit[WARP_SIZE] = {
	1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
	1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
	1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* Modifiers of an instruction in simt_inst.immediate, for the execution functions that use them. */
enum {
	EXEC_NEGATED = 0x3f,         /* bit k: source k is a negated predicate */
	EXEC_FTZ = 1 << 6,           /* subnormal numbers are zero */
	EXEC_SAT = 1 << 7,           /* results are clamped to [0, 1] */
	EXEC_BOOL_SHIFT = 8,         /* enum ptx_bool, 2 bits */
	EXEC_SECOND = 1 << 10,       /* has a second destination predicate: p|q, or the carry-out */
	EXEC_THIRD = 1 << 11,        /* has a predicate to combine with (setp, set), or a carry-in */
	EXEC_BASE32 = 1 << 12,       /* the address register has 32 bits */
	EXEC_FRAME = 1 << 13,        /* the address is relative to the frame of a recursive function */
	EXEC_KERNEL_PARAM = 1 << 14, /* reads parameters of the kernel */
};

static inline const void *source(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k)
{
	const uint8_t *base = inst->base_mask >> k & 1 ? warp->constants : warp->registers;
	return __builtin_assume_aligned(base + inst->src[k], SIMT_ALIGN);
}

static inline void *destination(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k)
{
	return __builtin_assume_aligned(warp->registers + inst->dst[k], SIMT_ALIGN);
}

/* Returns the warp's active lanes whose guard is true. */
static inline uint32_t guarded_lanes(const struct simt_warp *warp, const struct simt_inst *inst)
{
	uint32_t lanes = warp->lanes;
	if (inst->guard != SIMT_NO_GUARD) {
		uint32_t holds = *(const lane32 *)(warp->registers + inst->guard);
		lanes &= inst->guard_negated ? ~holds : holds;
	}
	return lanes;
}

/* Returns the lanes in which a source predicate is true. */
static inline uint32_t source_pred(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k)
{
	const uint8_t *base = inst->base_mask >> k & 1 ? warp->constants : warp->registers;
	uint32_t mask = *(const lane32 *)(base + inst->src[k]);
	return inst->immediate >> k & 1 ? ~mask : mask;
}

static inline void write_pred(const struct simt_warp *warp, const struct simt_inst *inst, unsigned k, uint32_t value,
                              uint32_t lanes)
{
	lane32 *pred = (lane32 *)(warp->registers + inst->dst[k]);
	*pred = (*pred & ~lanes) | (value & lanes);
}

/* Applies the boolean operation of setp and set. */
static inline uint32_t combine_pred(uint64_t modifiers, uint32_t mask, uint32_t with)
{
	switch (modifiers >> EXEC_BOOL_SHIFT & 3) {
	case PTX_BOOL_AND:
		return mask & with;
	case PTX_BOOL_OR:
		return mask | with;
	case PTX_BOOL_XOR:
		return mask ^ with;
	default:
		return mask;
	}
}

static inline void blend32(void *to, const void *from, uint32_t lanes)
{
	lane32 *d = __builtin_assume_aligned(to, SIMT_ALIGN);
	const lane32 *s = from;
	FOR_LANES
	d[i] = lanes & lane_bit[i] ? s[i] : d[i];
}

static inline void blend64(void *to, const void *from, uint32_t lanes)
{
	lane64 *d = __builtin_assume_aligned(to, SIMT_ALIGN);
	const lane64 *s = from;
	FOR_LANES
	d[i] = lanes & lane_bit[i] ? s[i] : d[i];
}

#define BLEND(to, from, lanes) (sizeof *(to) == 8 ? blend64(to, from, lanes) : blend32(to, from, lanes))

/* Defines an execution function that fills destination 0 lane by lane. D: the type of the destination's lanes;
 * `prepare`: declarations; `value`: the value of lane i. */
#define LANE_FUNCTION(name, D, prepare, value)                                                                         \
	static void name(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)                 \
	{                                                                                                              \
		prepare;                                                                                               \
		D *d = destination(warp, inst, 0);                                                                     \
		D spare[WARP_SIZE] __attribute__((aligned(SIMT_ALIGN)));                                               \
		D *out = LIKELY(step->lanes == ALL_LANES) ? d : spare;                                                 \
		FOR_LANES                                                                                              \
		out[i] = (D)(value);                                                                                   \
		if (UNLIKELY(out != d))                                                                                \
			BLEND(d, spare, step->lanes);                                                                  \
	}

#define SOURCE(p, C, k) const C *p = source(warp, inst, k)

static inline uint32_t float_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline float bits_float(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline uint64_t double_bits(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline double bits_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* NaN results are 0x7fffffff in 32-bit arithmetic (PTX). In 64-bit arithmetic they are a NaN operand, made quiet, or
 * the negative quiet NaN when no operand is NaN. PTX leaves this open; it is what an H100 does. */
static inline float canonical_f32(float value)
{
	return value == value ? value : bits_float(0x7fffffff);
}

static inline double quiet_f64(double value)
{
	return bits_double(double_bits(value) | 0x0008000000000000);
}

/* Returns `result`, or the NaN that an operation returns instead: of several NaN operands the first one here. */
static inline double nan1_f64(double result, double a)
{
	return result == result ? result : a != a ? quiet_f64(a) : bits_double(0xfff8000000000000);
}

static inline double nan2_f64(double result, double a, double b)
{
	return result != result && a != a ? quiet_f64(a) : nan1_f64(result, b);
}

static inline double nan3_f64(double result, double a, double b, double c)
{
	return result != result && a != a ? quiet_f64(a) : nan2_f64(result, b, c);
}

/* Conversions of a NaN's bits between single and double precision. */
static inline uint32_t narrow_nan(uint64_t bits)
{
	return (uint32_t)(bits >> 32 & 0x80000000) | 0x7fc00000 | (uint32_t)(bits >> 29 & 0x3fffff);
}

static inline uint64_t wide_nan(uint32_t bits)
{
	return (uint64_t)(bits & 0x80000000) << 32 | 0x7ff8000000000000 | (uint64_t)(bits & 0x3fffff) << 29;
}

static inline double sum_f64(double a, double b)
{
	return nan2_f64(a + b, b, a);
}

/* With `keep` 0, a subnormal number becomes zero with its sign. With `keep` ~0 nothing changes. */
static inline float flush_f32(float value, uint32_t keep)
{
	uint32_t bits = float_bits(value);
	return bits_float(bits & 0x7f800000 ? bits : bits & (0x80000000 | keep));
}

static inline uint32_t ftz_keep(const struct simt_inst *inst)
{
	return inst->immediate & EXEC_FTZ ? 0 : UINT32_MAX;
}

/* f16 and bf16, single or in pairs. */
static inline bool is_half_type(enum ptx_type type)
{
	return type >= PTX_F16 && type <= PTX_BF16X2;
}

/* The properties by which the decoder selects an execution function. */
struct exec_query {
	const struct ptx_inst *ptx;
	enum ptx_type type, type2;
	uint8_t dst_bytes, src_bytes; /* bytes per lane of the first destination and source register: 4 or 8 */
	bool frame;                   /* an operand is an address in the frame of a recursive function */
	bool kernel_param;            /* ld.param of a kernel parameter at a constant address */
};

/* Each function searches its own file. It returns NULL when there is no match. */
struct exec_isa {
	const char *name;
	simt_exec *(*integer)(const struct exec_query *query);
	simt_exec *(*real)(const struct exec_query *query);
	simt_exec *(*compare)(const struct exec_query *query);
	simt_exec *(*convert)(const struct exec_query *query);
	simt_exec *(*move)(const struct exec_query *query);
	simt_exec *(*memory)(const struct exec_query *query, simt_exec **commit);
	simt_exec *(*matrix)(const struct ptx_inst *ptx); /* mma, wmma.mma */
};

/* Returns the levels that this host can run, the best first; NULL ends the list. */
const struct exec_isa *const *exec_levels(void);

/* Functions that are compiled once, without levels. */
/* directed rounding, and all forms of cvt without a level's function */
simt_exec *exec_find_round(const struct exec_query *query);
simt_exec *exec_find_half(const struct exec_query *query);  /* f16, bf16, and min and max with .NaN */
simt_exec *exec_find_video(const struct exec_query *query);
simt_exec *exec_find_move(const struct exec_query *query);  /* predicates, vectors, special registers, addresses */
/* Special registers that only mov reads; they have no register row. */
bool exec_is_special(enum ptx_sreg sreg);
simt_exec *exec_find_lane(const struct exec_query *query); /* vote, shfl, match, redux, elect, activemask, bar.warp */
simt_exec *exec_find_mbarrier(const struct ptx_inst *ptx);
simt_exec exec_mbarrier_change; /* shared by all instructions that change an mbarrier */

/* In exec_copy.c, and the arrival of copies in exec_mbarrier.c. */
/* simt_inst.vector: source 2 is absent, a number of bytes, a predicate */
enum { COPY_WHOLE = 1, COPY_PART, COPY_UNLESS };
simt_exec exec_copy, exec_copy_group, exec_copy_arrive;
bool exec_is_stack(enum ptx_opcode op); /* alloca, stacksave, stackrestore */
simt_exec *exec_find_stack(const struct ptx_inst *ptx);
simt_exec *exec_find_atomic(const struct exec_query *query, simt_exec **commit);

#endif
