// Costs of atomics, by the number of distinct addresses of a warp's lanes.
#include "micro.h"

KERNEL(global, "", "{ .reg .u32 d8; atom.global.add.u32 d8, [p], 1; }\n")

extern __shared__ unsigned words[];
KERNEL(shared, "cvt.u32.u64 y1, by; mul.lo.u32 y0, y0, y1;\n",
       X4("{ .reg .u32 d8; atom.shared.add.u32 d8, [y0], 1; }\n"))

static const Kernel kernels[] = {ENTRY(global), ENTRY(shared)};

int main(int argc, char **argv)
{
	return micro::run_all(kernels, argc, argv);
}
