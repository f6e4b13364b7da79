// Protects include/cuda/sluice/shuffles.h and -disable-noundef-analysis of sluice cc. Every shuffle with every type
// that CUDA lists and every width is compared with the host's model. Clang-14's own header drops a kernel that shuffles
// an unsigned long long. Also tests values that lanes take from the lane that set them.
#include "check.h"
#include <vector>

enum { LANES = 32, WIDTHS = 6, KINDS = 8 };

// A value that differs in all bytes from lane to lane and is exact in every type.
template <class T> static __host__ __device__ T value_of(unsigned lane)
{
	return (T)(0x8123456789abull * (lane + 1));
}
template <> __host__ __device__ float value_of<float>(unsigned lane)
{
	return -1.5f - (float)lane;
}
template <> __host__ __device__ double value_of<double>(unsigned lane)
{
	return 1.0 / (lane + 3.0);
}

// The source lane, by the definition of the four shuffles: outside the segment it is the lane itself.
static unsigned source_of(unsigned kind, unsigned lane, unsigned operand, unsigned width)
{
	unsigned first = lane / width * width, last = first + width - 1;
	switch (kind % 4) {
	case 0:
		return first + operand % width;
	case 1:
		return lane < first + operand ? lane : lane - operand;
	case 2:
		return lane + operand > last ? lane : lane + operand;
	default:
		return (lane ^ operand) > last ? lane : lane ^ operand;
	}
}

template <class T> __global__ void shuffle(T *out, unsigned operand, int width)
{
	unsigned lane = threadIdx.x;
	T value = value_of<T>(lane);
	out[0 * LANES + lane] = __shfl_sync(~0u, value, (int)operand, width);
	out[1 * LANES + lane] = __shfl_up_sync(~0u, value, operand, width);
	out[2 * LANES + lane] = __shfl_down_sync(~0u, value, operand, width);
	out[3 * LANES + lane] = __shfl_xor_sync(~0u, value, (int)operand, width);
	out[4 * LANES + lane] = __shfl(value, (int)operand, width);
	out[5 * LANES + lane] = __shfl_up(value, operand, width);
	out[6 * LANES + lane] = __shfl_down(value, operand, width);
	out[7 * LANES + lane] = __shfl_xor(value, (int)operand, width);
}

template <class T> static void test(const char *type)
{
	const unsigned operands[] = {0, 1, 2, 3, 5, 8, 16, 31};
	T *out, got[KINDS * LANES];
	SUCCEEDS(cudaMalloc(&out, sizeof got));
	for (unsigned width = 1; width <= LANES; width *= 2)
		for (unsigned operand : operands) {
			SUCCEEDS(cudaMemset(out, 0x55, sizeof got));
			shuffle<<<1, LANES>>>(out, operand, (int)width);
			SUCCEEDS(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
			for (unsigned i = 0; i < KINDS * LANES; i++)
				if (got[i] != value_of<T>(source_of(i / LANES, i % LANES, operand, width))) {
					fprintf(stderr, "%s: shuffle %u, operand %u, width %u, lane %u is wrong\n", type,
					        i / LANES, operand, width, i % LANES);
					failures++;
				}
		}
	SUCCEEDS(cudaFree(out));
}

// The default width, and sums that resolve to the overload of each type.
__global__ void defaults(unsigned long long *out)
{
	unsigned long long sum = 1ull << 40 | threadIdx.x;
	for (int offset = 16; offset; offset /= 2)
		sum += __shfl_down_sync(~0u, sum, (unsigned)offset);
	*out = __shfl_sync(~0u, sum, 0);
}

// One lane sets a variable that the others take from it. The compiler sees it undefined in the others; the branch must
// stay.
static __device__ unsigned from_leader(unsigned value, int leader)
{
	return __shfl_sync(~0u, value, leader);
}

__global__ void lead(unsigned *counter, unsigned *places)
{
	unsigned mask = __ballot_sync(~0u, threadIdx.x % 3 != 1), place;
	int leader = __ffs(mask) - 1;
	if ((int)threadIdx.x == leader)
		place = atomicAdd(counter, __popc(mask));
	places[threadIdx.x] = __shfl_sync(~0u, place, leader);
	unsigned again;
	if ((int)threadIdx.x == leader)
		again = atomicAdd(counter, 5);
	places[LANES + threadIdx.x] = from_leader(again, leader);
}

static void test_leader()
{
	unsigned *counter, got[1 + 2 * LANES];
	SUCCEEDS(cudaMalloc(&counter, sizeof got));
	SUCCEEDS(cudaMemset(counter, 0, sizeof got));
	lead<<<1, LANES>>>(counter, counter + 1);
	SUCCEEDS(cudaMemcpy(got, counter, sizeof got, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaFree(counter));
	CHECK(got[0] == 21 + 5);
	for (unsigned i = 0; i < LANES; i++)
		CHECK(got[1 + i] == 0 && got[1 + LANES + i] == 21);
}

int main()
{
#define TEST(type) test<type>(#type)
	TEST(int);
	TEST(unsigned);
	TEST(long);
	TEST(unsigned long);
	TEST(long long);
	TEST(unsigned long long);
	TEST(float);
	TEST(double);
	unsigned long long *out, sum;
	SUCCEEDS(cudaMalloc(&out, sizeof sum));
	defaults<<<1, 32>>>(out);
	SUCCEEDS(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
	CHECK(sum == (32ull << 40) + 31 * 32 / 2);
	test_leader();
	return finish();
}
