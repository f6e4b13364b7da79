// Latency of every level: each step depends on the previous one. The number of nodes in a pointer chain and their
// distance select the level that serves it.
#include "micro.h"

KERNEL(global, "", "ld.global.u64 p, [p];\n")

// Bypasses L1.
KERNEL(past_l1, "", "ld.global.cg.u64 p, [p];\n")

// A word of shared memory that holds its own address.
extern __shared__ unsigned words[];
KERNEL(shared, "mov.u32 x0, 0; st.shared.u32 [x0], x0;\n", "ld.shared.u32 x0, [x0];\n")

// A constant that holds its own address.
__constant__ char *self;
KERNEL(constant, "mov.u64 p, self;\n", "ld.const.u64 p, [p];\n")

// A fence waits for the store before it.
KERNEL(store_and_fence, "", "st.global.u32 [p], y0; membar.gl;\n")

// The same, to another address each time.
KERNEL(stores_and_fences, "", "st.global.u32 [p], y0; add.u64 p, p, by; membar.gl;\n")

// 32 independent instructions: even the short body, 4 KB, exceeds an instruction cache.
#define MOVES "{ .reg .u32 d<4>; mov.u32 d0, 7; mov.u32 d1, 7; mov.u32 d2, 7; mov.u32 d3, 7; }\n"
KERNEL(instructions, "", X4(MOVES) X4(MOVES))

static const Kernel kernels[] = {ENTRY(global),          ENTRY(past_l1),           ENTRY(shared),      ENTRY(constant),
                                 ENTRY(store_and_fence), ENTRY(stores_and_fences), ENTRY(instructions)};

int main(int argc, char **argv)
{
	char *address;
	CHECK(cudaGetSymbolAddress((void **)&address, self));
	CHECK(cudaMemcpyToSymbol(self, &address, sizeof address));
	return micro::run_all(kernels, argc, argv);
}
