#include "check_cuda.h"
#include "codec.h"

texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> picture;

__device__ unsigned char toByte(float value)
{
	return (unsigned char)(__saturatef(value) * 255.0f + 0.5f);
}

__global__ void luminance(codec::DevicePlane luma)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= luma.width || y >= luma.height)
		return;
	float4 color = tex2D(picture, x + 0.5f, y + 0.5f); // clamped: outside the picture its border repeats
	luma.samples[y * luma.pitch + x] = toByte(0.299f * color.x + 0.587f * color.y + 0.114f * color.z);
}

// Samples between four pixels, so that the filter returns their mean.
__global__ void chroma(codec::DevicePlane cb, codec::DevicePlane cr)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= cb.width || y >= cb.height)
		return;
	float4 color = tex2D(picture, 2 * x + 1.0f, 2 * y + 1.0f);
	cb.samples[y * cb.pitch + x] = toByte(0.5f - 0.1687f * color.x - 0.3313f * color.y + 0.5f * color.z);
	cr.samples[y * cr.pitch + x] = toByte(0.5f + 0.5f * color.x - 0.4187f * color.y - 0.0813f * color.z);
}

static dim3 gridFor(const codec::DevicePlane &plane, dim3 block)
{
	return dim3((plane.width + block.x - 1) / block.x, (plane.height + block.y - 1) / block.y);
}

void codec::splitColors(const uchar4 *pixels, int width, int height, DevicePlane luma, DevicePlane cb, DevicePlane cr)
{
	cudaArray *array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
	checkCudaErrors(cudaMallocArray(&array, &format, width, height));
	checkCudaErrors(cudaMemcpyToArray(array, 0, 0, pixels, width * height * sizeof(uchar4), cudaMemcpyHostToDevice));
	picture.addressMode[0] = picture.addressMode[1] = cudaAddressModeClamp;
	picture.filterMode = cudaFilterModeLinear;
	picture.normalized = false;
	checkCudaErrors(cudaBindTextureToArray(picture, array, format));
	dim3 block(32, 4);
	luminance<<<gridFor(luma, block), block>>>(luma);
	getLastCudaError("luminance");
	chroma<<<gridFor(cb, block), block>>>(cb, cr);
	getLastCudaError("chroma");
	checkCudaErrors(cudaDeviceSynchronize());
	checkCudaErrors(cudaUnbindTexture(picture));
	checkCudaErrors(cudaFreeArray(array));
}
