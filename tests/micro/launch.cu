// Cost of an empty kernel.
#include "micro.h"

__global__ void empty(Work)
{
}

static const Kernel kernels[] = {{"empty", {empty, empty}}};

int main(int argc, char **argv)
{
	return micro::run_all(kernels, argc, argv);
}
