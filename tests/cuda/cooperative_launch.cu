// Protects grid_group, its barrier, and the scheduling of blocks in functional mode. A cooperative launch has all
// blocks resident or is refused; its blocks wait for each other.
#include "check.h"
#include <cooperative_groups.h>
#include <vector>

namespace cg = cooperative_groups;

// In each step every thread reads a value that another block's thread wrote in the previous step. Returns the number of
// syncs that were too early.
static __global__ void rotate(int *a, int *b, int steps, unsigned *facts)
{
	cg::grid_group grid = cg::this_grid();
	int n = (int)grid.size(), i = (int)grid.thread_rank();
	for (int step = 0; step < steps; step++) {
		int *from = step & 1 ? b : a, *to = step & 1 ? a : b;
		to[i] = from[(i + 7 * (int)cg::this_thread_block().size() + 3) % n] + 1;
		cg::sync(grid);
	}
	if (i == n - 1) {
		facts[0] = grid.is_valid();
		facts[1] = (unsigned)grid.num_blocks();
		facts[2] = (unsigned)grid.block_rank();
		facts[3] = grid.group_dim().y;
		facts[4] = cg::this_multi_grid().num_grids() + cg::this_multi_grid().grid_rank();
	}
}

// A generic group that stands for the grid; some blocks end before others reach their last sync.
static __global__ void early(int *sum, int *seen)
{
	cg::thread_group grid = cg::this_grid();
	atomicAdd(sum, 1);
	grid.sync();
	if (blockIdx.x == 1)
		seen[0] = *(volatile int *)sum;
}

static __global__ void valid(unsigned *out)
{
	*out = cg::this_grid().is_valid();
}

static void test_rotate(dim3 grid, dim3 block, int steps)
{
	int n = (int)(grid.x * grid.y * grid.z * block.x * block.y), *a, *b, shift = 7 * (int)(block.x * block.y) + 3;
	unsigned *facts, got[5];
	std::vector<int> first((size_t)n), right((size_t)n), last((size_t)n);
	for (int i = 0; i < n; i++)
		first[(size_t)i] = i * 10;
	for (int i = 0; i < n; i++)
		right[(size_t)i] = first[(size_t)((i + (long)shift * steps) % n)] + steps;
	SUCCEEDS(cudaMalloc(&a, (size_t)n * sizeof *a));
	SUCCEEDS(cudaMalloc(&b, (size_t)n * sizeof *b));
	SUCCEEDS(cudaMalloc(&facts, sizeof got));
	SUCCEEDS(cudaMemcpy(a, first.data(), (size_t)n * sizeof *a, cudaMemcpyHostToDevice));
	void *arguments[] = {&a, &b, &steps, &facts};
	SUCCEEDS(cudaLaunchCooperativeKernel(rotate, grid, block, arguments));
	SUCCEEDS(cudaMemcpy(last.data(), steps & 1 ? b : a, (size_t)n * sizeof *a, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaMemcpy(got, facts, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(last == right);
	unsigned blocks = grid.x * grid.y * grid.z;
	CHECK(got[0] == 1 && got[1] == blocks && got[2] == blocks - 1 && got[3] == grid.y && got[4] == 1);
	SUCCEEDS(cudaFree(a));
	SUCCEEDS(cudaFree(b));
	SUCCEEDS(cudaFree(facts));
}

static bool is_valid_when(bool cooperative)
{
	unsigned *out, got;
	SUCCEEDS(cudaMalloc(&out, sizeof got));
	void *arguments[] = {&out};
	if (cooperative)
		SUCCEEDS(cudaLaunchCooperativeKernel((const void *)valid, 1, 1, arguments, 0, 0));
	else
		valid<<<1, 1>>>(out);
	SUCCEEDS(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaFree(out));
	return got;
}

static void test_room()
{
	int per_sm, sms, supported;
	unsigned *out, got;
	SUCCEEDS(cudaMalloc(&out, sizeof got));
	void *arguments[] = {&out};
	SUCCEEDS(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
	CHECK(supported == 1);
	SUCCEEDS(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, valid, 256, 0));
	unsigned most = (unsigned)(per_sm * sms);
	SUCCEEDS(cudaLaunchCooperativeKernel(valid, most, 256, arguments));
	FAILS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel(valid, most + 1, 256, arguments));
	FAILS(cudaErrorCooperativeLaunchTooLarge, cudaGetLastError());
	CHECK(!is_valid_when(false)); // the refused launch had no effect
	FAILS(cudaErrorInvalidConfiguration, cudaLaunchCooperativeKernel(valid, 1, 4096, arguments));
	cudaLaunchParams list[2] = {{(void *)valid, 1, 32, arguments, 0, 0}, {(void *)valid, 1, 32, arguments, 0, 0}};
	SUCCEEDS(cudaLaunchCooperativeKernelMultiDevice(list, 1));
	FAILS(cudaErrorInvalidDevice, cudaLaunchCooperativeKernelMultiDevice(list, 2));
	cudaGetLastError();
	SUCCEEDS(cudaFree(out));
}

int main()
{
	CHECK(is_valid_when(true));
	CHECK(!is_valid_when(false));
	test_rotate(20, 64, 9);
	test_rotate(dim3(3, 4, 2), dim3(33, 3), 6);
	test_rotate(1, 32, 3);
	test_rotate(60, 96, 4);
	int *sum, seen;
	SUCCEEDS(cudaMalloc(&sum, 2 * sizeof *sum));
	SUCCEEDS(cudaMemset(sum, 0, 2 * sizeof *sum));
	int *second = sum + 1;
	void *arguments[] = {&sum, &second};
	SUCCEEDS(cudaLaunchCooperativeKernel(early, 15, 64, arguments));
	SUCCEEDS(cudaMemcpy(&seen, second, sizeof seen, cudaMemcpyDeviceToHost));
	CHECK(seen == 15 * 64);
	test_room();
	return finish();
}
