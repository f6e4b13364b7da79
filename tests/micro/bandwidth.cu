// Bandwidth of every level: warps that wait only for free entries. The launch chooses what each warp, lane and step
// accesses, and with it the level, slice, channel, bank and row.
#include "micro.h"

// Each step has its own destination register, so that no load waits for another.
#define LOAD "{ .reg .u32 d8; ld.global.u32 d8, [p]; }\n"
KERNEL(load, "", X4(LOAD))
#define LOAD_16_BYTES "{ .reg .u32 d8, e8, f8, g8; ld.global.v4.u32 {d8, e8, f8, g8}, [p]; }\n"
KERNEL(load_16_bytes, "", LOAD_16_BYTES)

extern __shared__ unsigned words[];
#define SHARED "{ .reg .u32 d8; ld.shared.u32 d8, [y0]; }\n"
KERNEL(shared, "shl.b32 y0, y0, 2;\n", X4(SHARED))

__constant__ unsigned table[64];
#define CONSTANT "{ .reg .u32 d8; ld.const.u32 d8, [p]; }\n"
KERNEL(constant, "mov.u64 p, table;\n", X4(CONSTANT))

// Bypasses L1. A warp has one load in flight, because all write one register.
#define READ "ld.global.cg.u32 x0, [p];\n"
KERNEL(read, "", READ)

#define STORE "st.global.u32 [p], y0;\n"
KERNEL(store, "", STORE)

// To DRAM: each step advances by the launch's by_step.
#define STREAM_READ "{ .reg .u32 d8; ld.global.cg.u32 d8, [p]; add.u64 p, p, by; }\n"
KERNEL(stream_read, "", STREAM_READ)
#define STREAM_LOAD "{ .reg .u32 d8; ld.global.u32 d8, [p]; add.u64 p, p, by; }\n"
KERNEL(stream_load, "", STREAM_LOAD)
#define STREAM_STORE "st.global.u32 [p], y0; add.u64 p, p, by;\n"
KERNEL(stream_store, "", STREAM_STORE)

static const Kernel kernels[] = {ENTRY(load),        ENTRY(load_16_bytes), ENTRY(shared),
                                 ENTRY(constant),    ENTRY(read),          ENTRY(store),
                                 ENTRY(stream_read), ENTRY(stream_load),   ENTRY(stream_store)};

int main(int argc, char **argv)
{
	return micro::run_all(kernels, argc, argv);
}
