// gemm_tiled: single-precision product of square matrices without tensor cores (gemm_tile.h). It stresses the FP32
// units, 16-byte reads of shared memory, and barriers.
#include "gemm_tile.h"

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "gemm_tiled");
	int n = arguments.number("size-of-matrix", 192, 512, 4096, "rows and columns, a multiple of 64");
	arguments.end();
	return gemm::run<float>(arguments, "gemm_tiled", n, 1e-3);
}
