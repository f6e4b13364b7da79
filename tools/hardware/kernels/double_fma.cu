// double_fma: double-precision product of square matrices without tensor cores (gemm_tile.h). It stresses the FP64
// units.
#include "gemm_tile.h"

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "double_fma");
	int n = arguments.number("size-of-matrix", 128, 512, 3072, "rows and columns, a multiple of 64");
	arguments.end();
	return gemm::run<double>(arguments, "double_fma", n, 1e-9);
}
