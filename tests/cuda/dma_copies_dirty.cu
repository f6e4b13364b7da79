// Protects transfers that threads copy when shared memory still holds data of an earlier block: no old data appear as a
// halo.
#define SLUICE_DMA_COPIES
#include <cstdio>
#include <sluice/dma.h>
__global__ void k(const int *g, int *o)
{
	__shared__ int t[64];
	unsigned *state = (unsigned *)&sluice_dma();
	for (unsigned i = threadIdx.x; i < sizeof(sluice_dma_state) / 4; i += blockDim.x)
		state[i] = 77;
	__syncthreads();
	dma_set_datatype_int();
	dma_configure_flat_unit_stride(t, g, 64);
	o[threadIdx.x] = t[threadIdx.x];
}
int main()
{
	int h[64], *g, *o, wrong = 0;
	for (int i = 0; i < 64; i++)
		h[i] = i + 1;
	cudaMalloc(&g, 256), cudaMalloc(&o, 256);
	cudaMemcpy(g, h, 256, cudaMemcpyHostToDevice);
	k<<<1, 64>>>(g, o);
	if (cudaMemcpy(h, o, 256, cudaMemcpyDeviceToHost))
		return 1;
	for (int i = 0; i < 64; i++)
		wrong += h[i] != i + 1;
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
