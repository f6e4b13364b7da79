// wgmma_instructions.h: wgmma.mma_async of each type and N as C++ templates: Multiply<TYPE, N, REGISTERS>::ss and ::rs.
// The types give names and bit patterns of their elements. Inline PTX lists each accumulator register, so that macros
// make one template per count of registers.
#ifndef SLUICE_HARDWARE_WGMMA_INSTRUCTIONS_H
#define SLUICE_HARDWARE_WGMMA_INSTRUCTIONS_H

#include "hopper.h"

using hopper::u64;

// ---- The instruction: its text for each count of accumulator registers.

#define T10(t) "%" t "0,%" t "1,%" t "2,%" t "3,%" t "4,%" t "5,%" t "6,%" t "7,%" t "8,%" t "9"
#define D2     "%0,%1"
#define D4     "%0,%1,%2,%3"
#define D8     D4 ",%4,%5,%6,%7"
#define D16    T10("") ",%10,%11,%12,%13,%14,%15"
#define D24    T10("") "," T10("1") ",%20,%21,%22,%23"
#define D32    T10("") "," T10("1") "," T10("2") ",%30,%31"
#define D48    T10("") "," T10("1") "," T10("2") "," T10("3") ",%40,%41,%42,%43,%44,%45,%46,%47"
#define D60    T10("") "," T10("1") "," T10("2") "," T10("3") "," T10("4") "," T10("5")
#define D64    D60 ",%60,%61,%62,%63"
#define D96    D60 "," T10("6") "," T10("7") "," T10("8") ",%90,%91,%92,%93,%94,%95"
#define D128                                                                                                           \
	D60 "," T10("6") "," T10("7") "," T10("8") "," T10("9") "," T10("10") "," T10(                                 \
		"11") ",%120,%121,%122,%123,%124,%125,%126,%127"

#define C2(c, i)   c(d[i]), c(d[i + 1])
#define C4(c, i)   C2(c, i), C2(c, i + 2)
#define C8(c, i)   C4(c, i), C4(c, i + 4)
#define C16(c, i)  C8(c, i), C8(c, i + 8)
#define C24(c, i)  C16(c, i), C8(c, i + 16)
#define C32(c, i)  C16(c, i), C16(c, i + 16)
#define C48(c, i)  C32(c, i), C16(c, i + 32)
#define C64(c, i)  C32(c, i), C32(c, i + 32)
#define C96(c, i)  C64(c, i), C32(c, i + 64)
#define C128(c, i) C64(c, i), C64(c, i + 64)

// The operands after the accumulators. SS: A by its descriptor; RS: A in registers; SP: sparse A, by its descriptor.
#define SS(a, b, tail)              "%" a ", %" b ", p" tail
#define RS(a0, a1, a2, a3, b, tail) "{%" a0 ",%" a1 ",%" a2 ",%" a3 "}, %" b ", p" tail

template <typename TYPE, int N, int REGISTERS> struct Multiply;

// One struct per register count: q0 to q4 number the operands after the accumulators.
#define MULTIPLY(type, name, tail_ss, tail_rs, k, scalar, c, n, r, q0, q1, q2, q3, q4)                                 \
	template <> struct Multiply<type, n, r> {                                                                      \
		static __device__ __forceinline__ void ss(scalar *d, u64 a, u64 b)                                     \
		{                                                                                                      \
			asm volatile(                                                                                  \
				"{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n" #n k name     \
				" {" D##r "}, " SS(q0, q1, tail_ss) "; }"                                              \
				: C##r(c, 0)                                                                           \
				: "l"(a), "l"(b));                                                                     \
		}                                                                                                      \
		static __device__ __forceinline__ void rs(scalar *d, const uint32_t *a, u64 b)                         \
		{                                                                                                      \
			asm volatile(                                                                                  \
				"{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n" #n k name     \
				" {" D##r "}, " RS(q0, q1, q2, q3, q4, tail_rs) "; }"                                  \
				: C##r(c, 0)                                                                           \
				: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                                 \
		}                                                                                                      \
	};
#define SPARSE(type, name, k, scalar, c, n, r, q0, q1, q2, q3, q4)                                                     \
	template <> struct Multiply<type, n, r> {                                                                      \
		static __device__ __forceinline__ void ss(scalar *d, u64 a, u64 b)                                     \
		{                                                                                                      \
			asm volatile(                                                                                  \
				"{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sp.sync.aligned.m64n" #n k name  \
				" {" D##r "}, %" q0 ", %" q1 ", %" q2 ", 0, p, 1, 1, 0, 0; }"                          \
				: C##r(c, 0)                                                                           \
				: "l"(a), "l"(b), "r"(0x44444444));                                                    \
		}                                                                                                      \
		static __device__ __forceinline__ void rs(scalar *, const uint32_t *, u64)                             \
		{                                                                                                      \
		}                                                                                                      \
	};

#define AS_F(x) "+f"(x)
#define AS_R(x) "+r"(x)

// Every N, with 4 bytes for each accumulator (WIDE) or 2 (NARROW).
#define WIDE(m, ...)                                                                                                   \
	m(__VA_ARGS__, 8, 4, "4", "5", "6", "7", "8") m(__VA_ARGS__, 16, 8, "8", "9", "10", "11", "12")                \
		m(__VA_ARGS__, 32, 16, "16", "17", "18", "19", "20")                                                   \
			m(__VA_ARGS__, 64, 32, "32", "33", "34", "35", "36")                                           \
				m(__VA_ARGS__, 96, 48, "48", "49", "50", "51", "52")                                   \
					m(__VA_ARGS__, 128, 64, "64", "65", "66", "67", "68")                          \
						m(__VA_ARGS__, 192, 96, "96", "97", "98", "99", "100")                 \
							m(__VA_ARGS__, 256, 128, "128", "129", "130", "131", "132")
#define NARROW(m, ...)                                                                                                 \
	m(__VA_ARGS__, 8, 2, "2", "3", "4", "5", "6") m(__VA_ARGS__, 16, 4, "4", "5", "6", "7", "8")                   \
		m(__VA_ARGS__, 32, 8, "8", "9", "10", "11", "12") m(__VA_ARGS__, 64, 16, "16", "17", "18", "19", "20") \
			m(__VA_ARGS__, 96, 24, "24", "25", "26", "27", "28")                                           \
				m(__VA_ARGS__, 128, 32, "32", "33", "34", "35", "36")                                  \
					m(__VA_ARGS__, 192, 48, "48", "49", "50", "51", "52")                          \
						m(__VA_ARGS__, 256, 64, "64", "65", "66", "67", "68")

// A type: its name, K of one instruction, the bytes of an element. bits(): of the numbers 0 to 3. random(): the bits of
// a number of either sign, near 1 where the type has exponents.
struct F16 {
	typedef float Scalar;
	static const char *name()
	{
		return "f32.f16.f16";
	}
	enum { K = 16, BYTES = 2, WIDTH = 4, SPARSE = 0 };
	static uint32_t bits(int x)
	{
		return std::vector<uint32_t>{0, 0x3c00, 0x4000, 0x4200}[x];
	}
	static uint32_t random(uint32_t x)
	{
		return (x & 0x83ff) | 0x3800;
	}
};
struct F16F16 : F16 {
	typedef uint32_t Scalar;
	static const char *name()
	{
		return "f16.f16.f16";
	}
	enum { WIDTH = 2 };
};
struct SP : F16 {
	static const char *name()
	{
		return "sp.f32.f16.f16";
	}
	enum { K = 32, SPARSE = 1 };
};
struct BF16 : F16 {
	static const char *name()
	{
		return "f32.bf16.bf16";
	}
	static uint32_t bits(int x)
	{
		return std::vector<uint32_t>{0, 0x3f80, 0x4000, 0x4040}[x];
	}
	static uint32_t random(uint32_t x)
	{
		return (x & 0x807f) | 0x3f00;
	}
};
struct TF32 : F16 {
	static const char *name()
	{
		return "f32.tf32.tf32";
	}
	enum { K = 8, BYTES = 4 };
	static uint32_t bits(int x)
	{
		return std::vector<uint32_t>{0, 0x3f800000, 0x40000000, 0x40400000}[x];
	}
	static uint32_t random(uint32_t x)
	{
		return (x & 0x807fe000) | 0x3f000000;
	}
};
struct E4M3 : F16 {
	static const char *name()
	{
		return "f32.e4m3.e4m3";
	}
	enum { K = 32, BYTES = 1 };
	static uint32_t bits(int x)
	{
		return std::vector<uint32_t>{0, 0x38, 0x40, 0x44}[x];
	}
	static uint32_t random(uint32_t x)
	{
		return (x & 0x87) | 0x30;
	}
};
struct S8 : F16 {
	typedef int Scalar;
	static const char *name()
	{
		return "s32.s8.s8";
	}
	enum { K = 32, BYTES = 1 };
	static uint32_t bits(int x)
	{
		return static_cast<uint32_t>(x);
	}
	static uint32_t random(uint32_t x)
	{
		return x;
	}
};

WIDE(MULTIPLY, F16, ".f32.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0", "k16", float, AS_F)
NARROW(MULTIPLY, F16F16, ".f16.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0", "k16", uint32_t, AS_R)
WIDE(MULTIPLY, BF16, ".f32.bf16.bf16", ", 1, 1, 0, 0", ", 1, 1, 0", "k16", float, AS_F)
WIDE(MULTIPLY, TF32, ".f32.tf32.tf32", ", 1, 1", ", 1, 1", "k8", float, AS_F)
WIDE(MULTIPLY, E4M3, ".f32.e4m3.e4m3", ", 1, 1", ", 1, 1", "k32", float, AS_F)
WIDE(MULTIPLY, S8, ".s32.s8.s8", "", "", "k32", int, AS_R)
WIDE(SPARSE, SP, ".f32.f16.f16", "k32", float, AS_F)

#endif
