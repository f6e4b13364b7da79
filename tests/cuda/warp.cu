// Protects warp and block intrinsics from source to lanes: shuffles, votes, barriers with a reduction, read-only
// loads.
#include "check.h"

enum { COUNT = 16 };

__global__ void warp(int *out, const int *in, const float4 *vectors)
{
	int lane = threadIdx.x, i = 0;
	int *row = out + lane * COUNT;
	row[i++] = __shfl_sync(~0u, lane * 10, 3);
	row[i++] = __shfl_up_sync(~0u, lane, 2);
	row[i++] = __shfl_down_sync(~0u, lane, 4, 8);
	row[i++] = __shfl_xor_sync(~0u, lane, 1);
	row[i++] = (int)__shfl_sync(~0u, lane * 0.5, 31);
	row[i++] = (int)__ballot_sync(~0u, lane % 3 == 0);
	row[i++] = __any_sync(~0u, lane == 40) * 2 + __all_sync(~0u, lane < 40);
	row[i++] = __syncthreads_count(lane & 1);
	row[i++] = __syncthreads_and(lane < 32) * 2 + __syncthreads_or(lane > 40);
	row[i++] = __ldg(in + lane);
	row[i++] = (int)__ldg(vectors + 1).w;
	row[i++] = lane < 5 ? __popc(__activemask()) : 0;
	row[i++] = (int)__isGlobal(out) * 2 + (int)__isShared(out);
	row[i++] = __ldcg(in + lane) + warpSize;
	__syncwarp();
	row[i++] = (int)(clock64() > 0);
	row[i] = i;
}

int main()
{
	int host[32], got[32][COUNT], *in, *out;
	float4 two[2] = {{0, 1, 2, 3}, {4, 5, 6, 7}}, *vectors;
	for (int i = 0; i < 32; i++)
		host[i] = 1000 + i;
	SUCCEEDS(cudaMalloc(&in, sizeof host));
	SUCCEEDS(cudaMalloc(&out, sizeof got));
	SUCCEEDS(cudaMalloc(&vectors, sizeof two));
	SUCCEEDS(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpy(vectors, two, sizeof two, cudaMemcpyHostToDevice));
	warp<<<1, 32>>>(out, in, vectors);
	SUCCEEDS(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	unsigned thirds = 0;
	for (int i = 0; i < 32; i += 3)
		thirds |= 1u << i;
	for (int i = 0; i < 32; i++) {
		const int *row = got[i];
		CHECK(row[0] == 30 && row[1] == (i < 2 ? i : i - 2) && row[2] == (i % 8 < 4 ? i + 4 : i));
		CHECK(row[3] == (i ^ 1) && row[4] == 15 && (unsigned)row[5] == thirds && row[6] == 1);
		CHECK(row[7] == 16 && row[8] == 2 && row[9] == 1000 + i && row[10] == 7);
		CHECK(row[11] == (i < 5 ? 5 : 0) && row[12] == 2 && row[13] == 1032 + i && row[14] == 1);
	}
	return finish();
}
