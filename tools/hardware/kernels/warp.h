// warp.h: sums, maxima and scans of a warp and of a block by shuffles.
#ifndef SLUICE_HARDWARE_WARP_H
#define SLUICE_HARDWARE_WARP_H

namespace warp {

const unsigned ALL = 0xffffffffu;

template <typename T> __device__ inline T sum(T value)
{
	for (int away = 16; away; away /= 2)
		value += __shfl_xor_sync(ALL, value, away);
	return value;
}

__device__ inline float max(float value)
{
	for (int away = 16; away; away /= 2)
		value = fmaxf(value, __shfl_xor_sync(ALL, value, away));
	return value;
}

// The inclusive scan over the lanes.
__device__ inline unsigned scan(unsigned value)
{
	for (int away = 1; away < 32; away *= 2) {
		unsigned other = __shfl_up_sync(ALL, value, away);
		if ((threadIdx.x & 31) >= away)
			value += other;
	}
	return value;
}

// The sum over the block, known to all threads. `scratch` has one element per warp.
template <int WARPS, typename T> __device__ inline T block_sum(T value, T *scratch)
{
	value = sum(value);
	if (threadIdx.x % 32 == 0)
		scratch[threadIdx.x / 32] = value;
	__syncthreads();
	T total = 0;
	for (int w = 0; w < WARPS; w++)
		total += scratch[w];
	__syncthreads();
	return total;
}

template <int WARPS> __device__ inline float block_max(float value, float *scratch)
{
	value = max(value);
	if (threadIdx.x % 32 == 0)
		scratch[threadIdx.x / 32] = value;
	__syncthreads();
	float most = scratch[0];
	for (int w = 1; w < WARPS; w++)
		most = fmaxf(most, scratch[w]);
	__syncthreads();
	return most;
}

// The exclusive scan over the block, and the block's total.
template <int WARPS> __device__ inline unsigned block_scan(unsigned value, unsigned &total, unsigned *scratch)
{
	unsigned inclusive = scan(value), before = 0, warp = threadIdx.x / 32;
	if (threadIdx.x % 32 == 31)
		scratch[warp] = inclusive;
	__syncthreads();
	total = 0;
	for (unsigned w = 0; w < WARPS; w++) {
		if (w == warp)
			before = total;
		total += scratch[w];
	}
	__syncthreads();
	return before + inclusive - value;
}

} // namespace warp

#endif
