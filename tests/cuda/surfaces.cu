// Protects suld and sust, surface references and objects, and copies of arrays. Reads and writes of every geometry,
// size and boundary mode are compared with a host copy; also copies between arrays.
#include "check.h"
#include <vector>

surface<void, cudaSurfaceType2D> plane;

enum { WIDTH = 37, HEIGHT = 11, DEPTH = 5 };

template <class T> __global__ void write_all(cudaSurfaceObject_t s, int geometry)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
	T value;
	memset(&value, 0, sizeof value);
	unsigned number = (z * HEIGHT + y) * WIDTH + x;
	memcpy(&value, &number, sizeof value < 4 ? sizeof value : 4);
	if (geometry == 1)
		surf1Dwrite(value, s, x * sizeof(T));
	else if (geometry == 2)
		surf2Dwrite(value, s, x * sizeof(T), y);
	else if (geometry == 3)
		surf3Dwrite(value, s, x * sizeof(T), y, z);
	else if (geometry == 4)
		surf1DLayeredwrite(value, s, x * sizeof(T), z);
	else
		surf2DLayeredwrite(value, s, x * sizeof(T), y, z);
}

template <class T> __global__ void read_all(T *out, cudaSurfaceObject_t s, int geometry)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
	T value;
	if (geometry == 1)
		surf1Dread(&value, s, x * sizeof(T));
	else if (geometry == 2)
		value = surf2Dread<T>(s, x * sizeof(T), y);
	else if (geometry == 3)
		surf3Dread(&value, s, x * sizeof(T), y, z);
	else if (geometry == 4)
		value = surf1DLayeredread<T>(s, x * sizeof(T), z);
	else
		surf2DLayeredread(&value, s, x * sizeof(T), y, z);
	out[(z * gridDim.x + y) * blockDim.x + x] = value;
}

template <class T> static void test_geometry(int geometry)
{
	int dimensions = geometry == 1 || geometry == 4 ? 1 : geometry == 3 ? 3 : 2;
	int height = dimensions > 1 ? HEIGHT : 1, depth = geometry > 2 ? DEPTH : 1;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	cudaArray_t array;
	SUCCEEDS(cudaMalloc3DArray(&array, &format,
	                           make_cudaExtent(WIDTH, dimensions > 1 ? HEIGHT : 0, geometry > 2 ? DEPTH : 0),
	                           cudaArraySurfaceLoadStore | (geometry > 3 ? cudaArrayLayered : 0)));
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaSurfaceObject_t s;
	SUCCEEDS(cudaCreateSurfaceObject(&s, &resource));
	write_all<T><<<dim3(height, depth), WIDTH>>>(s, geometry);
	size_t count = (size_t)WIDTH * height * depth;
	T *out;
	SUCCEEDS(cudaMalloc(&out, count * sizeof(T)));
	read_all<<<dim3(height, depth), WIDTH>>>(out, s, geometry);
	std::vector<T> read(count), copied(count);
	SUCCEEDS(cudaMemcpy(read.data(), out, count * sizeof(T), cudaMemcpyDeviceToHost));
	cudaMemcpy3DParms copy = {};
	copy.srcArray = array;
	copy.dstPtr = make_cudaPitchedPtr(copied.data(), WIDTH * sizeof(T), WIDTH, height);
	copy.extent = make_cudaExtent(WIDTH, height, depth);
	copy.kind = cudaMemcpyDeviceToHost;
	SUCCEEDS(cudaMemcpy3D(&copy));
	int wrong = 0;
	for (unsigned i = 0; i < count; i++) {
		T want;
		unsigned z = i / WIDTH / height, number = (z * HEIGHT + i / WIDTH % height) * WIDTH + i % WIDTH;
		memset(&want, 0, sizeof want);
		memcpy(&want, &number, sizeof want < 4 ? sizeof want : 4);
		wrong += memcmp(&want, &read[i], sizeof want) != 0 || memcmp(&want, &copied[i], sizeof want) != 0;
	}
	if (wrong)
		fprintf(stderr, "geometry %d, %zu bytes: %d wrong\n", geometry, sizeof(T), wrong);
	CHECK(wrong == 0);
	SUCCEEDS(cudaDestroySurfaceObject(s));
	SUCCEEDS(cudaFreeArray(array));
	SUCCEEDS(cudaFree(out));
}

// Outside a surface of 8 x 4 words: reads give 0 or the nearest element; writes are dropped or go to the nearest.
__global__ void outside(unsigned *out)
{
	int i = threadIdx.x;
	const int at[6][2] = {{-4, 0}, {32, 1}, {8, -1}, {12, 4}, {-8, 9}, {400, -3}};
	out[i] = surf2Dread<unsigned>(plane, at[i][0], at[i][1], cudaBoundaryModeZero);
	out[6 + i] = surf2Dread<unsigned>(plane, at[i][0], at[i][1], cudaBoundaryModeClamp);
	surf2Dwrite(7777u, plane, at[i][0], at[i][1], cudaBoundaryModeZero);
	if (i == 1)
		surf2Dwrite(5555u, plane, at[i][0], at[i][1], cudaBoundaryModeClamp);
}

static void test_outside()
{
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
	SUCCEEDS(cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore));
	std::vector<unsigned> words(32), got(12), after(32);
	for (int i = 0; i < 32; i++)
		words[i] = 100 + i;
	SUCCEEDS(cudaMemcpyToArray(array, 0, 0, words.data(), 128, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaBindSurfaceToArray(plane, array));
	unsigned *out;
	SUCCEEDS(cudaMalloc(&out, 48));
	outside<<<1, 6>>>(out);
	SUCCEEDS(cudaMemcpy(got.data(), out, 48, cudaMemcpyDeviceToHost));
	const unsigned nearest[6] = {100, 115, 102, 127, 124, 107};
	for (int i = 0; i < 6; i++)
		CHECK(got[i] == 0 && got[6 + i] == nearest[i]);
	SUCCEEDS(cudaMemcpyFromArray(after.data(), array, 0, 0, 128, cudaMemcpyDeviceToHost));
	words[15] = 5555;
	CHECK(after == words);
	SUCCEEDS(cudaFree(out));
	SUCCEEDS(cudaFreeArray(array));
}

__global__ void fill_level(cudaSurfaceObject_t level, unsigned first)
{
	surf2Dwrite(first + threadIdx.x + 10 * threadIdx.y, level, (int)(4 * threadIdx.x), (int)threadIdx.y);
}

// Levels of a mipmapped array are written through surfaces without cudaArraySurfaceLoadStore; other arrays need it.
static void test_levels()
{
	cudaMipmappedArray_t mipmap;
	cudaArray_t level, plain;
	cudaSurfaceObject_t surface;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	SUCCEEDS(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(8, 4, 0), 2));
	for (unsigned l = 0; l < 2; l++) {
		SUCCEEDS(cudaGetMipmappedArrayLevel(&level, mipmap, l));
		resource.res.array.array = level;
		SUCCEEDS(cudaCreateSurfaceObject(&surface, &resource));
		fill_level<<<1, dim3(8 >> l, 4 >> l)>>>(surface, 100 * l);
		SUCCEEDS(cudaDestroySurfaceObject(surface));
	}
	for (unsigned l = 0; l < 2; l++) {
		unsigned got[4][8] = {};
		SUCCEEDS(cudaGetMipmappedArrayLevel(&level, mipmap, l));
		SUCCEEDS(cudaMemcpy2DFromArray(got, sizeof got[0], level, 0, 0, 4 * (8 >> l), 4 >> l, cudaMemcpyDeviceToHost));
		for (unsigned y = 0; y < 4u >> l; y++)
			for (unsigned x = 0; x < 8u >> l; x++)
				CHECK(got[y][x] == 100 * l + x + 10 * y);
	}
	SUCCEEDS(cudaFreeMipmappedArray(mipmap));
	SUCCEEDS(cudaMallocArray(&plain, &format, 8, 4));
	resource.res.array.array = plain;
	FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &resource));
	SUCCEEDS(cudaFreeArray(plain));
}

// Parts of arrays, to arrays, to and from memory: as on the host.
static void test_copies()
{
	cudaArray_t a, b;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned short>();
	SUCCEEDS(cudaMallocArray(&a, &format, 50, 20));
	SUCCEEDS(cudaMallocArray(&b, &format, 40, 30));
	std::vector<unsigned short> from(50 * 20), to(40 * 30, 9), got(40 * 30);
	for (size_t i = 0; i < from.size(); i++)
		from[i] = i;
	SUCCEEDS(cudaMemcpy2DToArray(a, 0, 0, from.data(), 100, 100, 20, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpy2DToArray(b, 0, 0, to.data(), 80, 80, 30, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpy2DArrayToArray(b, 6, 4, a, 22, 7, 50, 9));
	for (int y = 0; y < 9; y++)
		memcpy(&to[(4 + y) * 40 + 3], &from[(7 + y) * 50 + 11], 50);
	SUCCEEDS(cudaMemcpyArrayToArray(b, 10, 20, a, 90, 3, 300)); // continues in the next rows of both
	memcpy(&to[20 * 40 + 5], &from[3 * 50 + 45], 300);
	SUCCEEDS(cudaMemcpy2DFromArray(got.data(), 80, b, 0, 0, 80, 30, cudaMemcpyDefault));
	CHECK(got == to);
	unsigned short *memory;
	SUCCEEDS(cudaMalloc(&memory, 2400));
	SUCCEEDS(cudaMemcpyFromArray(memory, b, 0, 0, 2400, cudaMemcpyDeviceToDevice));
	std::vector<unsigned short> again(1200);
	SUCCEEDS(cudaMemcpy(again.data(), memory, 2400, cudaMemcpyDeviceToHost));
	CHECK(again == to);
	SUCCEEDS(cudaFree(memory));
	SUCCEEDS(cudaFreeArray(a));
	SUCCEEDS(cudaFreeArray(b));
}

template <class T> static void test_type()
{
	for (int geometry = 1; geometry <= 5; geometry++)
		test_geometry<T>(geometry);
}

int main()
{
	test_type<unsigned char>();
	test_type<short>();
	test_type<float>();
	test_type<uchar4>();
	test_type<int2>();
	test_type<ushort4>();
	test_type<float4>();
	test_outside();
	test_levels();
	test_copies();
	return finish();
}
