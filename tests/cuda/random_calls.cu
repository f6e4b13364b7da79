// Protects the runtime against any argument: thousands of random calls, valid and invalid, from a fixed seed (or that
// of the command line).
// No argument ends the process, and every error is in the runtime's list. Allocated memory keeps its content and stays
// usable.
//
// ASAN_OPTIONS: handle_segv=0:replace_intrin=0
#include "check.h"
#include <vector>

static unsigned long long state = 1;
static unsigned draw(unsigned limit)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % limit;
}

__device__ int variable[16];
__global__ void add(int *p, int n) { p[0] += n; }

// Larger than any copy with a meaningful size.
enum { ROOM = 1 << 17 };
static char host_room[ROOM], *pinned, *device_variable;
static std::vector<void *> device, dead = {NULL, (void *)8, (void *)0xdead00000000, (void *)-1};
static std::vector<void *> managed;
static cudaMemPool_t pool;
static std::vector<cudaStream_t> streams(1);
static std::vector<cudaEvent_t> events(1);

template <class T> static T one_of(const std::vector<T> &list)
{
	return list[draw(list.size())];
}

// Mostly device memory, also pointers into its middle, freed pointers, host pointers, a variable's, and invalid ones.
static void *pointer()
{
	switch (draw(8)) {
	case 0:
		return one_of(dead);
	case 1:
		return host_room;
	case 2:
		return managed.empty() || draw(2) ? pinned : (char *)one_of(managed) + draw(80);
	case 3:
		return device_variable;
	default:
		return device.empty() ? NULL : (char *)one_of(device) + (draw(4) ? 0 : draw(600));
	}
}

static size_t bytes()
{
	static const size_t odd[] = {0, (size_t)-1, (size_t)1 << 63, (size_t)1 << 33, (size_t)1 << 40, 4097};
	return draw(6) ? draw(512) : odd[draw(6)];
}

static cudaStream_t stream()
{
	return draw(16) ? one_of(streams) : (cudaStream_t)pointer();
}

static cudaEvent_t event()
{
	return draw(16) ? one_of(events) : (cudaEvent_t)pointer();
}

static dim3 shape()
{
	static const unsigned odd[] = {0, ~0u, 1u << 31}; // nowhere valid
	return draw(4) ? dim3(1 + draw(3), 1 + draw(2)) : dim3(odd[draw(3)], odd[draw(3)], draw(3));
}

static cudaMemcpyKind kind()
{
	return (cudaMemcpyKind)(draw(20) ? draw(5) : draw(1000) - 500);
}

static cudaError_t memory_call()
{
	void *p = NULL;
	size_t pitch;
	cudaError_t error;
	switch (draw(6)) {
	case 0:
		error = cudaMallocPitch(&p, &pitch, bytes(), bytes());
		break;
	case 1:
		if (device.size()) {
			size_t k = draw(device.size());
			error = cudaFree(device[k]);
			dead.push_back(device[k]);
			device.erase(device.begin() + k);
			return error;
		}
		return cudaFree(pointer());
	case 2:
		p = one_of(dead); // some of them are allocated again
		for (void *live : device)
			p = p == live ? NULL : p;
		return draw(2) ? cudaFree(p) : cudaFreeHost(draw(2) ? one_of(dead) : (void *)host_room);
	default:
		error = cudaMalloc(&p, bytes());
	}
	if (p)
		device.push_back(p);
	return error;
}

// Memory that both sides can access, and its queries.
static cudaError_t shared_call()
{
	static char registered[4096];
	void *p = NULL;
	int answer[3];
	unsigned flags;
	switch (draw(10)) {
	case 0: {
		size_t size = bytes();
		cudaError_t error = cudaMallocManaged(&p, size > 1 << 20 ? size | (size_t)1 << 50 : size, draw(5));
		if (error == cudaSuccess)
			managed.push_back(p);
		return error;
	}
	case 1:
		if (managed.size()) {
			p = managed.back();
			managed.pop_back();
			return cudaFree(p);
		}
		return cudaFreeAsync(draw(2) ? (void *)host_room : (void *)pinned, stream());
	case 2:
		return cudaHostRegister(registered + draw(4096), draw(600), draw(20));
	case 3:
		return cudaHostUnregister(registered + draw(4096));
	case 4:
		return cudaHostGetDevicePointer(&p, draw(2) ? pointer() : registered + draw(4096), draw(8) == 0);
	case 5:
		return cudaMemAdvise(managed.empty() ? pointer() : (char *)one_of(managed) + draw(64), bytes(),
		                     (cudaMemoryAdvise)draw(9), (int)draw(5) - 2);
	case 6:
		return cudaMemRangeGetAttribute(answer, draw(4) ? 4 : draw(13), (cudaMemRangeAttribute)draw(11),
		                                managed.empty() ? pointer() : one_of(managed), bytes());
	case 7:
		return cudaMemPrefetchAsync(managed.empty() ? pointer() : one_of(managed), bytes(), (int)draw(4) - 2, stream());
	case 8:
		if (cudaError_t error = cudaMallocFromPoolAsync(&p, bytes(), draw(4) ? pool : (cudaMemPool_t)pointer(), stream()))
			return error;
		if (p)
			device.push_back(p);
		return cudaSuccess;
	default:
		return draw(2) ? cudaHostGetFlags(&flags, pointer())
		               : cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)draw(11), answer);
	}
}

static cudaError_t copy_call()
{
	int value = draw(256);
	switch (draw(9)) {
	case 0:
		return cudaMemset(pointer(), value, bytes());
	case 1:
		return cudaMemset2DAsync(pointer(), bytes(), value, bytes(), bytes(), stream());
	case 2:
		return cudaMemcpy2D(pointer(), bytes() % 4096, pointer(), bytes() % 4096, draw(64), draw(8), kind());
	case 3:
		return cudaMemcpyToSymbol(draw(3) ? (const void *)variable : pointer(), pointer(), bytes(), draw(80), kind());
	case 4:
		return cudaMemcpyFromSymbolAsync(host_room, variable, bytes() % 4096, draw(80), kind(), stream());
	case 5: {
		cudaMemcpy3DParms copy = {};
		copy.srcPtr = make_cudaPitchedPtr(pointer(), draw(64), draw(64), draw(9));
		copy.dstPtr = make_cudaPitchedPtr(pointer(), draw(64), draw(64), draw(9));
		copy.dstPos = make_cudaPos(draw(9), draw(9), draw(9));
		copy.extent = make_cudaExtent(draw(40), draw(6), draw(6));
		copy.kind = kind();
		return cudaMemcpy3D(&copy);
	}
	default: // at most the host's amount, or far more than exists
		return cudaMemcpyAsync(pointer(), pointer(), draw(8) ? draw(512) : (size_t)1 << 50, kind(), stream());
	}
}

static cudaError_t handle_call()
{
	float ms;
	unsigned flags;
	cudaStream_t s;
	cudaEvent_t e;
	switch (draw(9)) {
	case 0:
		if (cudaError_t error = cudaStreamCreateWithFlags(&s, draw(4)))
			return error;
		streams.push_back(s);
		return cudaSuccess;
	case 1:
		return cudaStreamDestroy(stream());
	case 2:
		if (cudaError_t error = cudaEventCreateWithFlags(&e, draw(4)))
			return error;
		events.push_back(e);
		return cudaSuccess;
	case 3:
		return cudaEventDestroy(event());
	case 4:
		return cudaEventRecord(event(), stream());
	case 5:
		return cudaEventElapsedTime(&ms, event(), event());
	case 6:
		return cudaStreamWaitEvent(stream(), event(), draw(3));
	case 7:
		return cudaStreamGetFlags(stream(), draw(8) ? &flags : NULL);
	default:
		return draw(2) ? cudaStreamSynchronize(stream()) : cudaEventQuery(event());
	}
}

static cudaError_t other_call(int *counter)
{
	int value = 0, number = draw(5) ? 0 : (int)draw(100) - 50, n = 0;
	size_t limit;
	cudaFuncAttributes attributes;
	cudaPointerAttributes where;
	void *arguments[] = {draw(8) ? &counter : NULL, &n};
	const void *kernel = draw(6) ? (const void *)add : pointer();
	switch (draw(8)) {
	case 0:
		return cudaSetDevice(number);
	case 1:
		return cudaDeviceGetAttribute(draw(8) ? &value : NULL, (cudaDeviceAttr)draw(200), number);
	case 2:
		return cudaDeviceGetLimit(&limit, (cudaLimit)draw(12));
	case 3:
		return cudaFuncGetAttributes(draw(8) ? &attributes : NULL, kernel);
	case 4:
		return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, kernel, number * 50, bytes());
	case 5:
		return cudaPointerGetAttributes(&where, pointer());
	default:
		return cudaLaunchKernel(kernel, shape(), shape(), draw(8) ? arguments : NULL, bytes(), stream());
	}
}

int main(int argc, char **argv)
{
	int *counter, count = 1;
	unsigned calls = argc > 2 ? atoi(argv[2]) : 3000;
	state = argc > 1 ? atoi(argv[1]) : 1;
	SUCCEEDS(cudaMalloc(&counter, sizeof *counter));
	SUCCEEDS(cudaMallocHost(&pinned, ROOM));
	SUCCEEDS(cudaDeviceGetDefaultMemPool(&pool, 0));
	SUCCEEDS(cudaGetSymbolAddress((void **)&device_variable, variable));
	SUCCEEDS(cudaMemset(counter, 0, sizeof *counter));
	for (unsigned k = 0; k < calls; k++) {
		unsigned which = draw(5);
		cudaError_t error = which == 0   ? memory_call()
				    : which == 1 ? copy_call()
				    : which == 2 ? handle_call()
				    : which == 3 ? shared_call()
						 : other_call(counter);
		CHECK(strncmp(cudaGetErrorName(error), "cuda", 4) == 0);
		CHECK(error == cudaSuccess || cudaGetLastError() == error);
	}
	// no call had a lasting effect
	SUCCEEDS(cudaDeviceSynchronize());
	add<<<1, 1>>>(counter, count);
	SUCCEEDS(cudaMemcpy(&count, counter, sizeof count, cudaMemcpyDeviceToHost));
	CHECK(count == 1);
	for (void *p : device)
		SUCCEEDS(cudaFree(p));
	for (void *p : managed)
		SUCCEEDS(cudaFree(p));
	return finish();
}
