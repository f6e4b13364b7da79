texture<unsigned char, 2, cudaReadModeNormalizedFloat> picture;

__global__ void blur(float *out, int width, int height)
{
	__device__ __shared__ float tile[18][18];
	int x = blockIdx.x * 16 + threadIdx.x - 1, y = blockIdx.y * 16 + threadIdx.y - 1;
	CUT_BANK_CHECKER(tile[threadIdx.y], threadIdx.x) = tex2D(picture, x, y);
	__syncthreads();
	if (threadIdx.x % 17 == 0 || threadIdx.y % 17 == 0 || x >= width || y >= height)
		return;
	float sum = 0;
	for (int i = -1; i <= 1; i++)
		for (int j = -1; j <= 1; j++)
			sum += tile[threadIdx.y + i][threadIdx.x + j];
	out[y * width + x] = sum / 9;
}
