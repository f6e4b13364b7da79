/* mma: matrix products by a warp (nvcuda::wmma), implemented with the instructions wmma.load, wmma.mma and wmma.store.
 *
 * All of CUDA's shapes and types work on every architecture. x[] holds the elements of one thread; some elements of
 * __half matrix_a and matrix_b are stored more than once. The mapping of elements to threads differs from CUDA's
 * (src/ptx/matrix.h), which programs must not rely on.
 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "sluice/macros_off.h"

#if defined(__cplusplus)

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;

namespace precision {
struct tf32;
struct u4;
struct s4;
struct b1;
} // namespace precision

namespace experimental {
namespace precision {
using wmma::precision::b1;
using wmma::precision::s4;
using wmma::precision::u4;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental
using experimental::bmmaAccumulateOp;
using experimental::bmmaAccumulateOpPOPC;
using experimental::bmmaBitOp;
using experimental::bmmaBitOpAND;
using experimental::bmmaBitOpXOR;

/* The storage of a fragment: `count` values of a type, in the number of registers that the instructions need. */
template <class T, int count> struct __sluice_elements {
	typedef T element_type;
	enum { num_elements = count, num_storage_elements = count };
	alignas(sizeof(T) < 4 ? 4 : sizeof(T)) T x[count];
};

typedef unsigned __attribute__((may_alias)) __sluice_word; /* may alias elements of any type */

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

#define SLUICE_FRAGMENT(use, m, n, k, type, layout, kept, count)                                                       \
	template <> class fragment<use, m, n, k, type, layout> : public __sluice_elements<kept, count> {};
#define SLUICE_FACTORS(m, n, k, type, kept, count_a, count_b)                                                          \
	SLUICE_FRAGMENT(matrix_a, m, n, k, type, row_major, kept, count_a)                                             \
	SLUICE_FRAGMENT(matrix_a, m, n, k, type, col_major, kept, count_a)                                             \
	SLUICE_FRAGMENT(matrix_b, m, n, k, type, row_major, kept, count_b)                                             \
	SLUICE_FRAGMENT(matrix_b, m, n, k, type, col_major, kept, count_b)

/* The 32-bit registers of an array as assembler operands, and the registers' names. */
#define SLUICE_R(array, i)  ((__sluice_word *)(array))[i]
#define SLUICE_IN1(r)       "r"(SLUICE_R(r, 0))
#define SLUICE_IN2(r)       SLUICE_IN1(r), "r"(SLUICE_R(r, 1))
#define SLUICE_IN4(r)       SLUICE_IN2(r), "r"(SLUICE_R(r, 2)), "r"(SLUICE_R(r, 3))
#define SLUICE_IN8(r)       SLUICE_IN4(r), "r"(SLUICE_R(r, 4)), "r"(SLUICE_R(r, 5)), "r"(SLUICE_R(r, 6)), "r"(SLUICE_R(r, 7))
#define SLUICE_OUT1(r)      "=r"(SLUICE_R(r, 0))
#define SLUICE_OUT2(r)      SLUICE_OUT1(r), "=r"(SLUICE_R(r, 1))
#define SLUICE_OUT4(r)      SLUICE_OUT2(r), "=r"(SLUICE_R(r, 2)), "=r"(SLUICE_R(r, 3))
#define SLUICE_OUT8(r)      SLUICE_OUT4(r), "=r"(SLUICE_R(r, 4)), "=r"(SLUICE_R(r, 5)), "=r"(SLUICE_R(r, 6)), "=r"(SLUICE_R(r, 7))
#define SLUICE_DOUBLE_IN1(r)  "d"((r)[0])
#define SLUICE_DOUBLE_IN2(r)  "d"((r)[0]), "d"((r)[1])
#define SLUICE_DOUBLE_OUT1(r) "=d"((r)[0])
#define SLUICE_DOUBLE_OUT2(r) "=d"((r)[0]), "=d"((r)[1])

/* Operand lists that begin with number 0, and the operands after them; the name states the list's length. */
#define SLUICE_LIST1 "{%0}"
#define SLUICE_LIST2 "{%0, %1}"
#define SLUICE_LIST4 "{%0, %1, %2, %3}"
#define SLUICE_LIST8 "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define SLUICE_PLACE1 "[%1], %2;"
#define SLUICE_PLACE2 "[%2], %3;"
#define SLUICE_PLACE4 "[%4], %5;"
#define SLUICE_PLACE8 "[%8], %9;"
#define SLUICE_STORE2 "[%2], {%0, %1}, %3;"
#define SLUICE_STORE4 "[%4], {%0, %1, %2, %3}, %5;"
#define SLUICE_STORE8 "[%8], {%0, %1, %2, %3, %4, %5, %6, %7}, %9;"

#define SLUICE_LOAD(use, m, n, k, type, layout, from, words, count, out)                                               \
	__device__ __forceinline__ void load_matrix_sync(fragment<use, m, n, k, type, layout> &f, const from *p,       \
	                                                 unsigned ldm)                                                 \
	{                                                                                                              \
		asm volatile("wmma.load." words " " SLUICE_LIST##count ", " SLUICE_PLACE##count                        \
		             : out##count(f.x)                                                                         \
		             : "l"(p), "r"(ldm)                                                                        \
		             : "memory");                                                                              \
	}
#define SLUICE_LOAD_FACTOR(m, n, k, shape, type, from, name, count_a, count_b, out)                                    \
	SLUICE_LOAD(matrix_a, m, n, k, type, row_major, from, "a.sync.aligned.row." shape name, count_a, out)          \
	SLUICE_LOAD(matrix_a, m, n, k, type, col_major, from, "a.sync.aligned.col." shape name, count_a, out)          \
	SLUICE_LOAD(matrix_b, m, n, k, type, row_major, from, "b.sync.aligned.row." shape name, count_b, out)          \
	SLUICE_LOAD(matrix_b, m, n, k, type, col_major, from, "b.sync.aligned.col." shape name, count_b, out)

/* Accumulators: loaded and stored in the layout that the call names. */
#define SLUICE_SUM(m, n, k, shape, type, name, registers, in, out)                                                     \
	__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, m, n, k, type> &f, const type *p,       \
	                                                 unsigned ldm, layout_t layout)                                \
	{                                                                                                              \
		if (layout == mem_row_major)                                                                           \
			asm volatile("wmma.load.c.sync.aligned.row." shape name                                        \
			             " " SLUICE_LIST##registers ", " SLUICE_PLACE##registers                           \
			             : out##registers(f.x)                                                             \
			             : "l"(p), "r"(ldm)                                                                \
			             : "memory");                                                                      \
		else                                                                                                   \
			asm volatile("wmma.load.c.sync.aligned.col." shape name                                        \
			             " " SLUICE_LIST##registers ", " SLUICE_PLACE##registers                           \
			             : out##registers(f.x)                                                             \
			             : "l"(p), "r"(ldm)                                                                \
			             : "memory");                                                                      \
	}                                                                                                              \
	__device__ __forceinline__ void store_matrix_sync(type *p, const fragment<accumulator, m, n, k, type> &f,      \
	                                                  unsigned ldm, layout_t layout)                               \
	{                                                                                                              \
		if (layout == mem_row_major)                                                                           \
			asm volatile("wmma.store.d.sync.aligned.row." shape name " " SLUICE_STORE##registers           \
			             :                                                                                 \
			             : in##registers(f.x), "l"(p), "r"(ldm)                                            \
			             : "memory");                                                                      \
		else                                                                                                   \
			asm volatile("wmma.store.d.sync.aligned.col." shape name " " SLUICE_STORE##registers           \
			             :                                                                                 \
			             : in##registers(f.x), "l"(p), "r"(ldm)                                            \
			             : "memory");                                                                      \
	}

/* The operands of a product: D, then A, B and C. */
#define SLUICE_D8_A8_B8_C8                                                                                             \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "                                   \
	"{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};"
#define SLUICE_D8_A8_B8_C4                                                                                             \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "                                   \
	"{%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27};"
#define SLUICE_D4_A8_B8_C8                                                                                             \
	"{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "             \
	"{%20, %21, %22, %23, %24, %25, %26, %27};"
#define SLUICE_D4_A8_B8_C4                                                                                             \
	"{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, "             \
	"{%20, %21, %22, %23};"
#define SLUICE_D8_A4_B4_C8                                                                                             \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, "                                 \
	"{%16, %17, %18, %19, %20, %21, %22, %23};"
#define SLUICE_D8_A2_B8_C8                                                                                             \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, "                       \
	"{%18, %19, %20, %21, %22, %23, %24, %25};"
#define SLUICE_D8_A8_B2_C8                                                                                             \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, "                       \
	"{%18, %19, %20, %21, %22, %23, %24, %25};"
#define SLUICE_D8_A2_B2_C8                                                                                             \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"
#define SLUICE_D8_A1_B4_C8                                                                                             \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};"
#define SLUICE_D8_A4_B1_C8                                                                                             \
	"{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};"
#define SLUICE_D2_A1_B1_C2 "{%0, %1}, {%2}, {%3}, {%4, %5};"

#define SLUICE_PRODUCT_OF(m, n, k, type, a, b, sum, sum_c, words, types, d_, a_, b_, c_, in, out)                       \
	__device__ __forceinline__ void mma_sync(                                                                      \
		fragment<accumulator, m, n, k, sum> &d, const fragment<matrix_a, m, n, k, type, a##_major> &fa,        \
		const fragment<matrix_b, m, n, k, type, b##_major> &fb,                                                \
		const fragment<accumulator, m, n, k, sum_c> &c, bool satf = false)                                     \
	{                                                                                                              \
		(void)satf;                                                                                            \
		asm volatile("wmma.mma.sync.aligned." #a "." #b "." words types " " SLUICE_D##d_##_A##a_##_B##b_##_C##c_\
		             : out##d_(d.x)                                                                            \
		             : in##a_(fa.x), in##b_(fb.x), in##c_(c.x));                                               \
	}
#define SLUICE_PRODUCTS(m, n, k, type, sum, sum_c, words, types, d_, a_, b_, c_, in, out)                              \
	SLUICE_PRODUCT_OF(m, n, k, type, row, row, sum, sum_c, words, types, d_, a_, b_, c_, in, out)                  \
	SLUICE_PRODUCT_OF(m, n, k, type, row, col, sum, sum_c, words, types, d_, a_, b_, c_, in, out)                  \
	SLUICE_PRODUCT_OF(m, n, k, type, col, row, sum, sum_c, words, types, d_, a_, b_, c_, in, out)                  \
	SLUICE_PRODUCT_OF(m, n, k, type, col, col, sum, sum_c, words, types, d_, a_, b_, c_, in, out)

/* Integer products may saturate at the limits of int. */
#define SLUICE_WHOLE_OF(m, n, k, type, a, b, shape, types, a_, b_)                                                     \
	__device__ __forceinline__ void mma_sync(                                                                      \
		fragment<accumulator, m, n, k, int> &d, const fragment<matrix_a, m, n, k, type, a##_major> &fa,        \
		const fragment<matrix_b, m, n, k, type, b##_major> &fb, const fragment<accumulator, m, n, k, int> &c,  \
		bool satf = false)                                                                                     \
	{                                                                                                              \
		if (satf)                                                                                              \
			asm volatile("wmma.mma.sync.aligned." #a "." #b "." shape ".satfinite" types                   \
			             " " SLUICE_D8_A##a_##_B##b_##_C8                                                  \
			             : SLUICE_OUT8(d.x)                                                                \
			             : SLUICE_IN##a_(fa.x), SLUICE_IN##b_(fb.x), SLUICE_IN8(c.x));                     \
		else                                                                                                   \
			asm volatile("wmma.mma.sync.aligned." #a "." #b "." shape types " " SLUICE_D8_A##a_##_B##b_##_C8\
			             : SLUICE_OUT8(d.x)                                                                \
			             : SLUICE_IN##a_(fa.x), SLUICE_IN##b_(fb.x), SLUICE_IN8(c.x));                     \
	}
#define SLUICE_WHOLES(m, n, k, type, shape, types, a_, b_)                                                             \
	SLUICE_WHOLE_OF(m, n, k, type, row, row, shape, types, a_, b_)                                                 \
	SLUICE_WHOLE_OF(m, n, k, type, row, col, shape, types, a_, b_)                                                 \
	SLUICE_WHOLE_OF(m, n, k, type, col, row, shape, types, a_, b_)                                                 \
	SLUICE_WHOLE_OF(m, n, k, type, col, col, shape, types, a_, b_)

#define SLUICE_SUMS(m, n, k, shape, type, name, count, registers, in, out)                                             \
	SLUICE_FRAGMENT(accumulator, m, n, k, type, void, type, count)                                                 \
	SLUICE_SUM(m, n, k, shape, type, name, registers, in, out)

#define SLUICE_SHAPE_16(m, n, k, shape, bf_a, bf_b, byte_a, byte_b)                                                    \
	SLUICE_FACTORS(m, n, k, __half, __half, 16, 16)                                                                \
	SLUICE_LOAD_FACTOR(m, n, k, shape, __half, __half, ".f16", 8, 8, SLUICE_OUT)                                   \
	SLUICE_SUMS(m, n, k, shape, __half, ".f16", 8, 4, SLUICE_IN, SLUICE_OUT)                                       \
	SLUICE_SUMS(m, n, k, shape, float, ".f32", 8, 8, SLUICE_IN, SLUICE_OUT)                                        \
	SLUICE_SUMS(m, n, k, shape, int, ".s32", 8, 8, SLUICE_IN, SLUICE_OUT)                                          \
	SLUICE_PRODUCTS(m, n, k, __half, float, float, shape, ".f32.f32", 8, 8, 8, 8, SLUICE_IN, SLUICE_OUT)           \
	SLUICE_PRODUCTS(m, n, k, __half, float, __half, shape, ".f32.f16", 8, 8, 8, 4, SLUICE_IN, SLUICE_OUT)          \
	SLUICE_PRODUCTS(m, n, k, __half, __half, float, shape, ".f16.f32", 4, 8, 8, 8, SLUICE_IN, SLUICE_OUT)          \
	SLUICE_PRODUCTS(m, n, k, __half, __half, __half, shape, ".f16.f16", 4, 8, 8, 4, SLUICE_IN, SLUICE_OUT)         \
	SLUICE_FACTORS(m, n, k, __nv_bfloat16, __nv_bfloat16, 2 * bf_a, 2 * bf_b)                                      \
	SLUICE_LOAD_FACTOR(m, n, k, shape, __nv_bfloat16, __nv_bfloat16, ".bf16", bf_a, bf_b, SLUICE_OUT)              \
	SLUICE_PRODUCTS(m, n, k, __nv_bfloat16, float, float, shape, ".f32.bf16.bf16.f32", 8, bf_a, bf_b, 8, SLUICE_IN, \
	                SLUICE_OUT)                                                                                    \
	SLUICE_FACTORS(m, n, k, signed char, signed char, 4 * byte_a, 4 * byte_b)                                      \
	SLUICE_FACTORS(m, n, k, unsigned char, unsigned char, 4 * byte_a, 4 * byte_b)                                  \
	SLUICE_LOAD_FACTOR(m, n, k, shape, signed char, signed char, ".s8", byte_a, byte_b, SLUICE_OUT)                \
	SLUICE_LOAD_FACTOR(m, n, k, shape, unsigned char, unsigned char, ".u8", byte_a, byte_b, SLUICE_OUT)            \
	SLUICE_WHOLES(m, n, k, signed char, shape, ".s32.s8.s8.s32", byte_a, byte_b)                                   \
	SLUICE_WHOLES(m, n, k, unsigned char, shape, ".s32.u8.u8.s32", byte_a, byte_b)

SLUICE_SHAPE_16(16, 16, 16, "m16n16k16", 4, 4, 2, 2)
SLUICE_SHAPE_16(8, 32, 16, "m8n32k16", 2, 8, 1, 4)
SLUICE_SHAPE_16(32, 8, 16, "m32n8k16", 8, 2, 4, 1)

SLUICE_FACTORS(16, 16, 8, precision::tf32, float, 4, 4)
SLUICE_LOAD_FACTOR(16, 16, 8, "m16n16k8", precision::tf32, float, ".tf32", 4, 4, SLUICE_OUT)
SLUICE_FRAGMENT(accumulator, 16, 16, 8, float, void, float, 8)
SLUICE_SUM(16, 16, 8, "m16n16k8", float, ".f32", 8, SLUICE_IN, SLUICE_OUT)
SLUICE_PRODUCTS(16, 16, 8, precision::tf32, float, float, "m16n16k8", ".f32.tf32.tf32.f32", 8, 4, 4, 8, SLUICE_IN, SLUICE_OUT)

SLUICE_FACTORS(8, 8, 4, double, double, 1, 1)
SLUICE_LOAD_FACTOR(8, 8, 4, "m8n8k4", double, double, ".f64", 1, 1, SLUICE_DOUBLE_OUT)
SLUICE_SUMS(8, 8, 4, "m8n8k4", double, ".f64", 2, 2, SLUICE_DOUBLE_IN, SLUICE_DOUBLE_OUT)
SLUICE_PRODUCTS(8, 8, 4, double, double, double, "m8n8k4", ".f64.f64.f64.f64", 2, 1, 1, 2, SLUICE_DOUBLE_IN, SLUICE_DOUBLE_OUT)

/* Elements smaller than a byte: A is stored by rows and B by columns; x[0] holds all of a thread's elements. */
#define SLUICE_SMALL(k, shape, type, kept, name)                                                                       \
	SLUICE_FRAGMENT(matrix_a, 8, 8, k, type, row_major, kept, 1)                                                   \
	SLUICE_FRAGMENT(matrix_b, 8, 8, k, type, col_major, kept, 1)                                                   \
	SLUICE_LOAD(matrix_a, 8, 8, k, type, row_major, void, "a.sync.aligned.row." shape name, 1, SLUICE_OUT)         \
	SLUICE_LOAD(matrix_b, 8, 8, k, type, col_major, void, "b.sync.aligned.col." shape name, 1, SLUICE_OUT)
#define SLUICE_NIBBLES(type, types)                                                                                    \
	__device__ __forceinline__ void mma_sync(                                                                      \
		fragment<accumulator, 8, 8, 32, int> &d, const fragment<matrix_a, 8, 8, 32, type, row_major> &fa,      \
		const fragment<matrix_b, 8, 8, 32, type, col_major> &fb,                                               \
		const fragment<accumulator, 8, 8, 32, int> &c, bool satf = false)                                      \
	{                                                                                                              \
		if (satf)                                                                                              \
			asm volatile("wmma.mma.sync.aligned.row.col.m8n8k32.satfinite" types " " SLUICE_D2_A1_B1_C2    \
			             : SLUICE_OUT2(d.x)                                                                \
			             : SLUICE_IN1(fa.x), SLUICE_IN1(fb.x), SLUICE_IN2(c.x));                           \
		else                                                                                                   \
			asm volatile("wmma.mma.sync.aligned.row.col.m8n8k32" types " " SLUICE_D2_A1_B1_C2              \
			             : SLUICE_OUT2(d.x)                                                                \
			             : SLUICE_IN1(fa.x), SLUICE_IN1(fb.x), SLUICE_IN2(c.x));                           \
	}
SLUICE_SMALL(32, "m8n8k32", precision::s4, int, ".s4")
SLUICE_SMALL(32, "m8n8k32", precision::u4, unsigned, ".u4")
SLUICE_SUMS(8, 8, 32, "m8n8k32", int, ".s32", 2, 2, SLUICE_IN, SLUICE_OUT)
SLUICE_NIBBLES(precision::s4, ".s32.s4.s4.s32")
SLUICE_NIBBLES(precision::u4, ".s32.u4.u4.s32")
SLUICE_SMALL(128, "m8n8k128", precision::b1, unsigned, ".b1")
SLUICE_SUMS(8, 8, 128, "m8n8k128", int, ".s32", 2, 2, SLUICE_IN, SLUICE_OUT)

__device__ __forceinline__ void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                                          const fragment<matrix_a, 8, 8, 128, precision::b1, row_major> &a,
                                          const fragment<matrix_b, 8, 8, 128, precision::b1, col_major> &b,
                                          const fragment<accumulator, 8, 8, 128, int> &c, bmmaBitOp op = bmmaBitOpXOR,
                                          bmmaAccumulateOp = bmmaAccumulateOpPOPC)
{
	if (op == bmmaBitOpXOR)
		asm volatile("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 " SLUICE_D2_A1_B1_C2
		             : SLUICE_OUT2(d.x)
		             : SLUICE_IN1(a.x), SLUICE_IN1(b.x), SLUICE_IN2(c.x));
	else
		asm volatile("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 " SLUICE_D2_A1_B1_C2
		             : SLUICE_OUT2(d.x)
		             : SLUICE_IN1(a.x), SLUICE_IN1(b.x), SLUICE_IN2(c.x));
}

template <class Use, int m, int n, int k, class T, class Layout, class Value>
__device__ __forceinline__ void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const Value &value)
{
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = value;
}

/* Rounds to the nearest tf32, ties away from zero. */
__device__ __forceinline__ float __float_to_tf32(float value)
{
	unsigned bits;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
	return __uint_as_float(bits);
}

#undef SLUICE_FRAGMENT
#undef SLUICE_FACTORS
#undef SLUICE_R
#undef SLUICE_LOAD
#undef SLUICE_LOAD_FACTOR
#undef SLUICE_SUM
#undef SLUICE_SUMS
#undef SLUICE_PRODUCT_OF
#undef SLUICE_PRODUCTS
#undef SLUICE_WHOLE_OF
#undef SLUICE_WHOLES
#undef SLUICE_SHAPE_16
#undef SLUICE_SMALL
#undef SLUICE_NIBBLES

} // namespace wmma
} // namespace nvcuda

#endif

#include "sluice/macros_on.h"

#endif
