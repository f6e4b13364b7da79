// Bank conflicts of shared memory: lanes by_step bytes apart, one access after another, and at the maximum rate.
#include "micro.h"

extern __shared__ unsigned words[];
#define LANE_ADDRESS "cvt.u32.u64 y1, by; mul.lo.u32 y0, y0, y1;\n"

// Every lane's word holds its own address.
KERNEL(chain, LANE_ADDRESS "st.shared.u32 [y0], y0;\n", "ld.shared.u32 y0, [y0];\n")
KERNEL(rate, LANE_ADDRESS, X4("{ .reg .u32 d8; ld.shared.u32 d8, [y0]; }\n"))
KERNEL(rate_8_bytes, LANE_ADDRESS, "{ .reg .u32 d8, e8; ld.shared.v2.u32 {d8, e8}, [y0]; }\n")
KERNEL(rate_16_bytes, LANE_ADDRESS, "{ .reg .u32 d8, e8, f8, g8; ld.shared.v4.u32 {d8, e8, f8, g8}, [y0]; }\n")
KERNEL(store, LANE_ADDRESS, "st.shared.u32 [y0], y0;\n")

static const Kernel kernels[] = {ENTRY(chain), ENTRY(rate), ENTRY(rate_8_bytes), ENTRY(rate_16_bytes), ENTRY(store)};

int main(int argc, char **argv)
{
	return micro::run_all(kernels, argc, argv);
}
