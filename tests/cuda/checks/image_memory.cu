// Protects checks of textures and surfaces: reads of unwritten memory, and races.
#include "cases.h"

texture<float> line;
texture<float, cudaTextureType2D> image;
surface<void, cudaSurfaceType2D> canvas;

//: texels: check init
//| kernel '_Z6texelsPf': read of device memory that nobody wrote
//| read at device code:
//| image_memory.cu:@texels), thread (
//| 4 bytes
//| 48 times in this launch
__global__ void texels(float *out)
{
	out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); // @texels
}

// Next to the last row that was copied.
//: rows: check init
//| image_memory.cu:@rows), thread (0,3,0)
//| 8 times in this launch
__global__ void rows(float *out)
{
	out[8 * threadIdx.y + threadIdx.x] = tex2D(image, threadIdx.x, threadIdx.y); // @rows
}

// The next row has half of the weight.
//: between: check init
//| image_memory.cu:@between), thread (0,2,0)
//| 8 times in this launch
__global__ void between(float *out)
{
	out[8 * threadIdx.y + threadIdx.x] = tex2D(image, threadIdx.x + 0.5f, threadIdx.y + 1); // @between
}

// Neighbors with zero weight do not count. A row that lies wholly outside is clamped to the last existing row.
//: centers: right init
__global__ void centers(float *out)
{
	out[8 * threadIdx.y + threadIdx.x] = tex2D(image, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

//: unpainted: check init
//| image_memory.cu:@unpainted), thread (4,0,0)
//| 4 times in this launch
__global__ void unpainted(float *out)
{
	if (threadIdx.x < 4)
		surf2Dwrite(1.0f, canvas, 4 * threadIdx.x, 0);
	__syncthreads();
	out[threadIdx.x] = surf2Dread<float>(canvas, 4 * threadIdx.x, 0); // @unpainted
}

// Written by one kernel, copied, read through a pointer.
//: painted: right init
__global__ void paint(cudaSurfaceObject_t surface)
{
	surf2Dwrite(1.0f, surface, 4 * threadIdx.x, threadIdx.y);
}
__global__ void painted(float *out, const float *in)
{
	out[threadIdx.x] = in[threadIdx.x] + tex2D(image, threadIdx.x % 8, threadIdx.x / 8);
}

//: strokes: check global-race
//| kernel '_Z7strokesv': race on global memory: two warps that nothing orders
//| write at device code:
//| image_memory.cu:@strokes), thread (
//| , 4 bytes
__global__ void strokes()
{
	surf2Dwrite((int)blockIdx.x, canvas, 4 * (threadIdx.x % 8), threadIdx.x / 8); // @strokes
}

// All threads write the same value.
//: wash: right global-race
__global__ void wash()
{
	surf2Dwrite(7, canvas, 4 * (threadIdx.x % 8), threadIdx.x / 8);
}

//: unmixed: check global-race
//| race on global memory
//| image_memory.cu:@mixed_write), thread (
//| image_memory.cu:@mixed_read), thread (
template <bool barrier> __device__ void mix(int *out)
{
	surf2Dwrite((int)threadIdx.x, canvas, 4 * (threadIdx.x % 8), threadIdx.x / 8); // @mixed_write
	if (barrier)
		__syncthreads();
	int other = blockDim.x - 1 - threadIdx.x;
	out[threadIdx.x] = surf2Dread<int>(canvas, 4 * (other % 8), other / 8); // @mixed_read
}
__global__ void unmixed(int *out) { mix<false>(out); }

//: mixed: right global-race
__global__ void mixed(int *out) { mix<true>(out); }

// A store through a pointer to memory that a texture of other blocks reads.
//: smear: check global-race
//| race on global memory: two warps that nothing orders
//| read at device code:
//| image_memory.cu:@smear_read), thread (
//| image_memory.cu:@smear_write), thread (
__global__ void smear(float *memory)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float left = tex1Dfetch(line, (i + 127) % 128); // @smear_read
	memory[i] = left + i;							// @smear_write
}

// Read and then written by the same thread, and by no other.
//: in_place: right global-race
__global__ void in_place(float *memory)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	memory[i] = tex1Dfetch(line, i) + 1;
}

// Neither a barrier nor program order makes a write visible to the texture cache.
//: stale: check global-race
//| kernel '_Z5stalePfS_': texture read of data that the same kernel wrote: nothing updates the texture cache
//| write at device code:
//| image_memory.cu:@stale_write), thread (
//| read at device code:
//| image_memory.cu:@stale_read), thread (
//| 64 times in this launch
__global__ void stale(float *memory, float *out)
{
	memory[threadIdx.x] = threadIdx.x; // @stale_write
	__syncthreads();
	out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); // @stale_read
}

// Written by the previous launch.
//: passes: right global-race
__global__ void passes(float *memory, float *out, int pass)
{
	if (pass)
		out[threadIdx.x] = tex1Dfetch(line, threadIdx.x);
	else
		memory[threadIdx.x] = threadIdx.x;
}

static cudaArray_t array_of(int rows)
{
	static float texels[8][8];
	cudaArray_t array;
	cudaMallocArray(&array, &image.channelDesc, 8, 8, cudaArraySurfaceLoadStore);
	cudaMemcpy2DToArray(array, 0, 0, texels, sizeof *texels, sizeof *texels, rows, cudaMemcpyHostToDevice);
	return array;
}

static void fill_half(float *out)
{
	float *memory;
	cudaMalloc(&memory, 256);
	cudaMemset(memory, 0, 64);
	cudaBindTexture(NULL, line, memory, 256);
	texels<<<1, 64>>>(out);
}

static void copy_painted(float *out)
{
	float *memory;
	cudaSurfaceObject_t surface;
	cudaResourceDesc what = {};
	cudaArray_t array;
	cudaMallocArray(&array, &image.channelDesc, 8, 8, cudaArraySurfaceLoadStore);
	what.resType = cudaResourceTypeArray;
	what.res.array.array = array;
	cudaCreateSurfaceObject(&surface, &what);
	cudaBindTextureToArray(image, array);
	paint<<<1, dim3(8, 8)>>>(surface);
	cudaMalloc(&memory, 256);
	cudaMemcpy2DFromArray(memory, 32, array, 0, 0, 32, 8, cudaMemcpyDeviceToDevice);
	painted<<<1, 64>>>(out, memory);
}

static void run_case()
{
	float *out = (float *)ints(512, 0), *memory = (float *)ints(128, 0);
	cudaArray_t half = array_of(3);
	cudaBindTexture(NULL, line, memory, 512);
	CASE(texels) fill_half(out);
	cudaBindTextureToArray(image, half);
	CASE(rows) rows<<<1, dim3(8, 4)>>>(out);
	image.filterMode = cudaFilterModeLinear;
	cudaBindTextureToArray(image, half);
	CASE(between) between<<<1, dim3(8, 3)>>>(out);
	CASE(centers) centers<<<1, dim3(8, 3)>>>(out);
	image.filterMode = cudaFilterModePoint;
	CASE(painted) copy_painted(out);
	cudaBindSurfaceToArray(canvas, array_of(0));
	CASE(unpainted) unpainted<<<1, 8>>>(out);
	cudaBindSurfaceToArray(canvas, array_of(8));
	CASE(strokes) strokes<<<2, 64>>>();
	CASE(wash) wash<<<2, 64>>>();
	CASE(unmixed) unmixed<<<1, 64>>>((int *)out);
	CASE(mixed) mixed<<<1, 64>>>((int *)out);
	CASE(smear) smear<<<2, 64>>>(memory);
	CASE(in_place) in_place<<<2, 64>>>(memory);
	CASE(stale) stale<<<1, 64>>>(memory, out);
	CASE(passes) for (int pass = 0; pass < 2; pass++) passes<<<1, 64>>>(memory, out, pass);
}
