// Protects the runtime's memory calls and their errors: allocation, copies of every kind and shape, fills.
#include "check.h"
#include <vector>

static void test_copies()
{
	const int n = 1000;
	std::vector<int> from(n), to(n);
	for (int i = 0; i < n; i++)
		from[i] = i * 3;
	int *a, *b;
	SUCCEEDS(cudaMalloc(&a, n * sizeof(int)));
	SUCCEEDS(cudaMalloc(&b, n * sizeof(int)));
	CHECK((size_t)a % 256 == 0 && a != b);
	SUCCEEDS(cudaMemcpy(a, from.data(), n * sizeof(int), cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpy(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice));
	SUCCEEDS(cudaMemcpy(to.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(from == to);

	// cudaMemcpyDefault determines the location of each side
	std::vector<int> again(n);
	SUCCEEDS(cudaMemset(a, 0, n * sizeof(int)));
	SUCCEEDS(cudaMemcpy(a, from.data(), n * sizeof(int), cudaMemcpyDefault));
	SUCCEEDS(cudaMemcpy(b, a, n * sizeof(int), cudaMemcpyDefault));
	SUCCEEDS(cudaMemcpyAsync(again.data(), b, n * sizeof(int), cudaMemcpyDefault));
	CHECK(from == again);
	SUCCEEDS(cudaMemcpy(again.data(), to.data() + 1, 4, cudaMemcpyHostToHost));
	CHECK(again[0] == 3);

	// fills, into the middle
	SUCCEEDS(cudaMemset((char *)a + 5, 0xab, 3));
	unsigned char bytes[12];
	SUCCEEDS(cudaMemcpy(bytes, a, sizeof bytes, cudaMemcpyDeviceToHost));
	CHECK(bytes[4] == 3 && bytes[5] == 0xab && bytes[7] == 0xab && bytes[8] == 6);
	SUCCEEDS(cudaFree(a));
	SUCCEEDS(cudaFree(b));
}

static void test_shapes()
{
	const size_t width = 100, height = 7, depth = 3;
	char *area;
	size_t pitch;
	SUCCEEDS(cudaMallocPitch(&area, &pitch, width, height));
	CHECK(pitch >= width && pitch % 128 == 0);
	std::vector<char> from(width * height), to(width * height, 1);
	for (size_t i = 0; i < from.size(); i++)
		from[i] = i % 127;
	SUCCEEDS(cudaMemset2D(area, pitch, 0x55, pitch, height));
	SUCCEEDS(cudaMemcpy2D(area, pitch, from.data(), width, width, height, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpy2D(to.data(), width, area, pitch, width, height, cudaMemcpyDeviceToHost));
	CHECK(from == to);
	char behind;
	SUCCEEDS(cudaMemcpy(&behind, area + 3 * pitch + width, 1, cudaMemcpyDeviceToHost));
	CHECK(behind == 0x55);
	FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(area, 10, from.data(), width, width, 2, cudaMemcpyHostToDevice));
	/* Rows past the end of the allocation: nothing is written. */
	unsigned char *rows, there[16], sevens[24];
	memset(sevens, 7, sizeof sevens);
	SUCCEEDS(cudaMalloc(&rows, sizeof there));
	SUCCEEDS(cudaMemset(rows, 0, sizeof there));
	FAILS(cudaErrorInvalidValue, cudaMemcpy2D(rows, 8, sevens, 8, 4, 3, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemset2D(rows, 8, 5, 4, 3));
	SUCCEEDS(cudaMemcpy(there, rows, sizeof there, cudaMemcpyDeviceToHost));
	for (unsigned char byte : there)
		CHECK(byte == 0);
	SUCCEEDS(cudaMemcpy2D(rows, 8, sevens, 8, 4, 2, cudaMemcpyHostToDevice)); /* the last row ends within it */
	SUCCEEDS(cudaFree(rows));

	cudaPitchedPtr box;
	SUCCEEDS(cudaMalloc3D(&box, make_cudaExtent(width, height, depth)));
	SUCCEEDS(cudaMemset3D(box, 7, make_cudaExtent(width, height, depth)));
	std::vector<char> corner(4 * 3 * 2), back(4 * 3 * 2);
	for (size_t i = 0; i < corner.size(); i++)
		corner[i] = 50 + i;
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(corner.data(), 4, 4, 3);
	copy.dstPtr = box;
	copy.dstPos = make_cudaPos(96, 4, 1);
	copy.extent = make_cudaExtent(4, 3, 2);
	copy.kind = cudaMemcpyHostToDevice;
	SUCCEEDS(cudaMemcpy3D(&copy));
	cudaMemcpy3DParms fetch = {};
	fetch.srcPtr = box;
	fetch.srcPos = make_cudaPos(96, 4, 1);
	fetch.dstPtr = make_cudaPitchedPtr(back.data(), 4, 4, 3);
	fetch.extent = make_cudaExtent(4, 3, 2);
	fetch.kind = cudaMemcpyDeviceToHost;
	SUCCEEDS(cudaMemcpy3D(&fetch));
	CHECK(corner == back);
	SUCCEEDS(cudaMemcpy(&behind, (char *)box.ptr + 95, 1, cudaMemcpyDeviceToHost));
	CHECK(behind == 7);
	SUCCEEDS(cudaFree(area));
	SUCCEEDS(cudaFree(box.ptr));
}

static void test_errors()
{
	int *a, host;
	size_t free_before, free_after, total;
	SUCCEEDS(cudaMemGetInfo(&free_before, &total));
	SUCCEEDS(cudaMalloc(&a, 1 << 20));
	SUCCEEDS(cudaMemGetInfo(&free_after, &total));
	CHECK(free_before - free_after == 1 << 20 && total >= free_before);
	FAILS(cudaErrorInvalidValue, cudaMemcpy(a + (1 << 18) - 1, &host, 8, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, &host, 4, (cudaMemcpyKind)9));
	CHECK(cudaPeekAtLastError() == cudaErrorInvalidMemcpyDirection);
	CHECK(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
	CHECK(cudaGetLastError() == cudaSuccess);
	FAILS(cudaErrorInvalidValue, cudaFree(a + 1));
	SUCCEEDS(cudaFree(a));
	FAILS(cudaErrorInvalidValue, cudaFree(a));
	SUCCEEDS(cudaFree(NULL));
	FAILS(cudaErrorMemoryAllocation, cudaMalloc(&a, (size_t)1 << 50));
	CHECK(a == NULL);
}

static void test_host_memory()
{
	int *pinned;
	SUCCEEDS(cudaMallocHost(&pinned, 4096));
	pinned[1023] = 5;
	cudaPointerAttributes attributes;
	SUCCEEDS(cudaPointerGetAttributes(&attributes, pinned));
	CHECK(attributes.type == cudaMemoryTypeHost);
	SUCCEEDS(cudaFreeHost(pinned));
	SUCCEEDS(cudaHostAlloc(&pinned, 100, cudaHostAllocPortable));
	SUCCEEDS(cudaFreeHost(pinned));
	int here;
	SUCCEEDS(cudaHostRegister(&here, sizeof here, cudaHostRegisterDefault));
	SUCCEEDS(cudaHostUnregister(&here));
}

int main()
{
	test_copies();
	test_shapes();
	test_errors();
	test_host_memory();
	return finish();
}
