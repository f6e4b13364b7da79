// nqueens: counts the ways to place N queens on a board of N x N. The host places the first rows. A thread takes one
// such position and searches the other rows depth first, with its stack in shared memory. Scratchpad sharing uses it as
// NQU (GPGPU-Sim's). A block of 64 threads has five shared variables of 10,496 bytes, so that one block fits in 16 KB.
// The rows of the stack are 10 words long. Global memory is read three times per thread and hardly matters. Most of the
// published 24,576 threads have no position and only take part in the sum of their block. Therefore there are few
// instructions (52 per thread), and the searching threads decide the time. The paper does not name N. GPGPU-Sim's
// program has 8 queens and room for 24,576 positions if no number is given, and the host places two queens: the paper's
// number of threads is this default. `leaves` searches as GPGPU-Sim's program does.
#include "../program.h"

const int THREADS = 64, DEPTH = 10;

// A position: the columns and diagonals that the queens above attack in the next row, one bit per column.
struct Positions {
	std::vector<unsigned> columns, left, right;
};

__global__ void solve_nqueen_cuda_kernel(int n, int rows, const unsigned *columns, const unsigned *left,
                                         const unsigned *right, unsigned *results, int positions)
{
	__shared__ unsigned mask[THREADS][DEPTH], l_mask[THREADS][DEPTH], r_mask[THREADS][DEPTH], m[THREADS][DEPTH];
	__shared__ unsigned sum[THREADS];
	const unsigned full = (1u << n) - 1;
	int tid = threadIdx.x, index = blockIdx.x * THREADS + tid;

	if (index < positions) {
		unsigned solutions = 0;
		int row = 0;
		mask[tid][0] = columns[index];
		l_mask[tid][0] = left[index];
		r_mask[tid][0] = right[index];
		m[tid][0] = mask[tid][0] | l_mask[tid][0] | r_mask[tid][0];
		while (row >= 0) {
			unsigned queen = (m[tid][row] + 1) & ~m[tid][row] & full;
			m[tid][row] |= queen;
			if (!queen) {
				row--;
			} else if (row + 1 == rows) {
				solutions++;
			} else {
				mask[tid][row + 1] = mask[tid][row] | queen;
				l_mask[tid][row + 1] = (l_mask[tid][row] | queen) << 1;
				r_mask[tid][row + 1] = (r_mask[tid][row] | queen) >> 1;
				row++;
				m[tid][row] = mask[tid][row] | l_mask[tid][row] | r_mask[tid][row];
			}
		}
		sum[tid] = solutions;
	} else {
		sum[tid] = 0;
	}
	__syncthreads();

	for (int half = THREADS / 2; half; half /= 2) {
		if (tid < half)
			sum[tid] += sum[tid + half];
		__syncthreads();
	}
	if (tid == 0)
		results[blockIdx.x] = sum[0];
}

// Lists all ways to place the queens of the next `rows` rows.
// As above, as GPGPU-Sim's program searches: it leaves a row without a free column before it looks for one, and a row
// whose queen completed the board at once. It is after the kernel above, so that this keeps its address.
__global__ void solve_nqueen_cuda_kernel_leaves(int n, int rows, const unsigned *columns, const unsigned *left,
                                                const unsigned *right, unsigned *results, int positions)
{
	__shared__ unsigned mask[THREADS][DEPTH], l_mask[THREADS][DEPTH], r_mask[THREADS][DEPTH], m[THREADS][DEPTH];
	__shared__ unsigned sum[THREADS];
	const unsigned full = (1u << n) - 1;
	int tid = threadIdx.x, index = blockIdx.x * THREADS + tid;
	unsigned solutions = 0;

	if (index < positions) {
		int row = 0;
		mask[tid][0] = columns[index];
		l_mask[tid][0] = left[index];
		r_mask[tid][0] = right[index];
		m[tid][0] = mask[tid][0] | l_mask[tid][0] | r_mask[tid][0];
		while (row >= 0) {
			bool leaves = (m[tid][row] & full) == full;
			if (!leaves) {
				unsigned queen = (m[tid][row] + 1) & ~m[tid][row];
				m[tid][row] |= queen;
				leaves = row + 1 == rows;
				if (leaves) {
					solutions++;
				} else {
					mask[tid][row + 1] = mask[tid][row] | queen;
					l_mask[tid][row + 1] = (l_mask[tid][row] | queen) << 1;
					r_mask[tid][row + 1] = (r_mask[tid][row] | queen) >> 1;
					m[tid][row + 1] = mask[tid][row + 1] | l_mask[tid][row + 1] | r_mask[tid][row + 1];
				}
			}
			row += leaves ? -1 : 1;
			asm volatile("" ::: "memory"); // lanes meet here
		}
	}
	sum[tid] = solutions;
	__syncthreads();

	for (int half = THREADS / 2; half; half /= 2) {
		if (tid < half)
			sum[tid] += sum[tid + half];
		__syncthreads();
	}
	if (tid == 0)
		results[blockIdx.x] = sum[0];
}

static void place(int n, int rows, unsigned columns, unsigned left, unsigned right, Positions &positions)
{
	if (!rows) {
		positions.columns.push_back(columns);
		positions.left.push_back(left);
		positions.right.push_back(right);
		return;
	}
	for (unsigned queen = 1; queen < 1u << n; queen *= 2)
		if (!((columns | left | right) & queen))
			place(n, rows - 1, columns | queen, (left | queen) << 1, (right | queen) >> 1, positions);
}

static unsigned long long search(int n, int rows, unsigned columns, unsigned left, unsigned right)
{
	unsigned long long solutions = 0;
	if (!rows)
		return 1;
	for (unsigned queen = 1; queen < 1u << n; queen *= 2)
		if (!((columns | left | right) & queen))
			solutions += search(n, rows - 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
	return solutions;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "nqueens", {"plain", "leaves"});
	int n = arguments.number("n", 8, 12, 8, "queens, and rows and columns of the board");
	int placed = arguments.number("placed", 2, 4, 2, "queens, a row each, that the host places");
	int grid = arguments.number("grid", 96, 384, 384, "blocks of 64 threads a launch");
	arguments.end();
	arguments.require(n >= 4 && n <= 18 && placed > 0, "4 to 18 queens, one or more of them placed by the host");
	arguments.require(n - placed > 0 && n - placed <= DEPTH, "1 to 10 rows left for the device");
	arguments.require(grid > 0 && grid <= 65535, "1 to 65535 blocks");

	auto kernel = arguments.is("plain") ? solve_nqueen_cuda_kernel : solve_nqueen_cuda_kernel_leaves;
	// By symmetry, half of the columns suffice for the first queen. For odd n, the middle column counts once.
	unsigned long long solutions = 0;
	for (int part = 0; part < 1 + n % 2; part++) {
		Positions positions;
		for (int column = part ? n / 2 : 0; column < n / 2 + part; column++)
			place(n, placed - 1, 1u << column, 2u << column, 1u << column >> 1, positions);
		program::Array<unsigned> columns(positions.columns), left(positions.left), right(positions.right);
		program::Array<unsigned> results(grid);
		int count = (int)positions.columns.size();
		for (int first = 0; first < count; first += grid * THREADS) {
			kernel<<<grid, THREADS>>>(n, n - placed, columns + first, left + first, right + first, results,
			                          count - first);
			CHECK(cudaGetLastError());
			for (unsigned result : results.read())
				solutions += part ? result : 2ull * result;
		}
	}

	program::Verdict verdict("nqueens");
	verdict.equal("solutions", std::vector<unsigned long long>{solutions}, {search(n, n, 0, 0, 0)});
	return verdict.status();
}
