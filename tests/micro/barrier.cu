// Costs of a barrier.
#include "micro.h"

// Back to back: only the barriers' own path through the SM costs.
KERNEL(back_to_back, "", "bar.sync 0;\n")

// Between five dependent instructions, and without the barrier for comparison.
#define ADD "add.s32 x0, x0, 1;\n"
KERNEL(in_chain, "mov.u32 x0, 0;\n", "bar.sync 0;\n" X4(ADD) ADD)

static const Kernel kernels[] = {ENTRY(back_to_back), ENTRY(in_chain)};

int main(int argc, char **argv)
{
	return micro::run_all(kernels, argc, argv);
}
