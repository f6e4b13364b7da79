// Latency and rate of every class of arithmetic instruction.
#include "micro.h"

// NAME_chain: each step depends on the previous one. NAME_rate: four independent instructions per step with constant
// operands, so that they wait neither for results nor for register banks.
#define OPERATION(name, start, chain, type, op, constants)                                                             \
	KERNEL(name##_chain, start, chain)                                                                             \
	KERNEL(name##_rate, "", X4("{ .reg ." type " d8; " op " d8, " constants "; }\n"))
#define BOTH(name) ENTRY(name##_chain), ENTRY(name##_rate)

#define INT      "mov.u32 x0, 3; mov.u32 x1, 5;\n"
#define FP32     "mov.f32 f0, 0f3F800000; mov.f32 f1, 0f3F800000;\n"
#define FP64     "mov.f64 h0, 0d3FF0000000000000; mov.f64 h1, 0d3FF0000000000000;\n"
#define ONE_FP32 "0f3F800000"
#define ONE_FP64 "0d3FF0000000000000"
#define TWICE(x) x ", " x

OPERATION(move_int, INT, "mov.u32 x0, x0;\n", "u32", "mov.u32", "7")
OPERATION(add_int, INT, "add.s32 x0, x0, 1;\n", "u32", "add.s32", "7, 1")
OPERATION(add_fp32, FP32, "add.f32 f0, f0, f1;\n", "f32", "add.f32", TWICE(ONE_FP32))
OPERATION(add_fp64, FP64, "add.f64 h0, h0, h1;\n", "f64", "add.f64", TWICE(ONE_FP64))
OPERATION(max_int, INT, "max.s32 x0, x0, x1;\n", "u32", "max.s32", "7, 1")
OPERATION(max_fp32, FP32, "max.f32 f0, f0, f1;\n", "f32", "max.f32", TWICE(ONE_FP32))
OPERATION(max_fp64, FP64, "max.f64 h0, h0, h1;\n", "f64", "max.f64", TWICE(ONE_FP64))
OPERATION(mul_int, INT, "mul.lo.s32 x0, x0, x1;\n", "u32", "mul.lo.s32", "7, 1")
OPERATION(mul_fp32, FP32, "mul.f32 f0, f0, f1;\n", "f32", "mul.f32", TWICE(ONE_FP32))
OPERATION(mul_fp64, FP64, "mul.f64 h0, h0, h1;\n", "f64", "mul.f64", TWICE(ONE_FP64))
OPERATION(mad_int, INT, "mad.lo.s32 x0, x0, x1, x1;\n", "u32", "mad.lo.s32", "7, 1, 1")
OPERATION(mul24_int, INT, "mul24.lo.s32 x0, x0, x1;\n", "u32", "mul24.lo.s32", "7, 1")
OPERATION(mad24_int, INT, "mad24.lo.s32 x0, x0, x1, x1;\n", "u32", "mad24.lo.s32", "7, 1, 1")
OPERATION(fma_fp32, FP32, "fma.rn.f32 f0, f0, f1, f1;\n", "f32", "fma.rn.f32", ONE_FP32 ", " TWICE(ONE_FP32))
OPERATION(fma_fp64, FP64, "fma.rn.f64 h0, h0, h1, h1;\n", "f64", "fma.rn.f64", ONE_FP64 ", " TWICE(ONE_FP64))
OPERATION(div_int, INT, "div.s32 x0, x0, x1;\n", "u32", "div.s32", "7, 1")
OPERATION(rem_int, INT, "rem.s32 x0, x0, x1;\n", "u32", "rem.s32", "7, 1")
OPERATION(div_fp32, FP32, "div.rn.f32 f0, f0, f1;\n", "f32", "div.rn.f32", TWICE(ONE_FP32))
OPERATION(div_fp64, FP64, "div.rn.f64 h0, h0, h1;\n", "f64", "div.rn.f64", TWICE(ONE_FP64))
OPERATION(special_fp32, FP32, "ex2.approx.f32 f0, f0;\n", "f32", "ex2.approx.f32", ONE_FP32)
OPERATION(special_fp64, FP64, "sqrt.rn.f64 h0, h0;\n", "f64", "sqrt.rn.f64", ONE_FP64)

// Three operands in three banks, and in one. They are in one of 16 banks, and of more banks if the register numbers are
// that far apart.
#define OPERANDS "mov.u32 r0, 1; mov.u32 r1, 1; mov.u32 r2, 1; mov.u32 r16, 1; mov.u32 r32, 1;\n"
KERNEL(three_banks, ".reg .u32 r<33>;\n" OPERANDS, "{ .reg .u32 d8; mad.lo.s32 d8, r0, r1, r2; }\n")
KERNEL(one_bank, ".reg .u32 r<33>;\n" OPERANDS, "{ .reg .u32 d8; mad.lo.s32 d8, r0, r16, r32; }\n")

// Taken branches over one instruction.
KERNEL(branch, "", "{ bra OVER; mov.u32 x0, 7; OVER: }\n")

static const Kernel kernels[] = {
	BOTH(move_int),     BOTH(add_int),      BOTH(add_fp32),  BOTH(add_fp64), BOTH(max_int),  BOTH(max_fp32),
	BOTH(max_fp64),     BOTH(mul_int),      BOTH(mul_fp32),  BOTH(mul_fp64), BOTH(mad_int),  BOTH(mul24_int),
	BOTH(mad24_int),    BOTH(fma_fp32),     BOTH(fma_fp64),  BOTH(div_int),  BOTH(div_fp32), BOTH(div_fp64),
	BOTH(special_fp32), BOTH(special_fp64), BOTH(rem_int),   ENTRY(three_banks), ENTRY(one_bank), ENTRY(branch),
};

int main(int argc, char **argv)
{
	return micro::run_all(kernels, argc, argv);
}
