// Protects the messages of texture and surface accesses that stop a kernel: each states the access and its position.
#include "cases.h"

texture<float> unbound;
texture<float> bound;
surface<void, cudaSurfaceType2D> canvas;

//: nothing: error cudaErrorIllegalInstruction
//| kernel '_Z7nothingPf' stopped: a texture or surface without an image
//| images.cu:@nothing)
//| block (0,0,0), thread (3,0,0)
__global__ void nothing(float *out)
{
	if (threadIdx.x == 3)
		out[0] = tex1Dfetch(unbound, 0); // @nothing
}

//: stranger: error cudaErrorIllegalInstruction
//| stopped: a handle of no texture or surface
//| images.cu:@stranger)
__global__ void stranger(float *out, cudaTextureObject_t texture)
{
	out[0] = tex2D<float>(texture, 0, 0); // @stranger
}

//: gone: error cudaErrorIllegalAddress
//| kernel '_Z4gonePf' stopped: image access to freed memory
//| images.cu:@gone)
//| thread (0,0,0), address 0x80000100, 4 bytes
//| freed allocation: 0x80000100, 512 bytes, offset 0
__global__ void gone(float *out)
{
	out[threadIdx.x] = tex1Dfetch(bound, threadIdx.x); // @gone
}

//: beyond: error cudaErrorIllegalInstruction
//| kernel '_Z6beyondi' stopped: surface access outside the surface
//| images.cu:@beyond)
//| thread (8,0,0)
__global__ void beyond(int x)
{
	surf2Dwrite(1.0f, canvas, 4 * (x + threadIdx.x), 1); // @beyond
}

//: crooked: error cudaErrorIllegalInstruction
//| stopped: surface access at a misaligned x
//| images.cu:@crooked)
__global__ void crooked(float *out)
{
	out[0] = surf2Dread<float>(canvas, 2, 1); // @crooked
}

static void run_case()
{
	float *out = (float *)ints(64, 0);
	CASE(nothing) nothing<<<1, 32>>>(out);
	CASE(stranger) stranger<<<1, 32>>>(out, 77);
	CASE(gone)
	{
		float *memory = (float *)ints(128, 0);
		cudaBindTexture(NULL, bound, memory, 512);
		cudaFree(memory);
		gone<<<1, 32>>>(out);
	}
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore);
	cudaBindSurfaceToArray(canvas, array);
	CASE(beyond) beyond<<<1, 32>>>(0);
	CASE(crooked) crooked<<<1, 32>>>(out);
}
