// Protects memory that host and device access: managed, pinned and registered. One pointer names the same bytes on both
// sides without copies, for loads, stores, atomics and warps that access several memories at once. Also tests pointer
// queries and the errors of invalid pointers.
#include "check.h"
#include <initializer_list>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

__global__ void scale(int *to, const int *from, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		to[i] = 3 * from[i] + 1;
}

// Lanes of one warp read, write and count in four memories.
__global__ void scatter(int *const *memory, int *const *counts)
{
	int i = threadIdx.x, which = i % 4;
	int old = memory[which][i];
	memory[which][i] = old + 100;
	atomicAdd(counts[which], old);
}

// Through generic addresses, some of which are in shared memory.
__global__ void mix(int *host, int *device, int *result)
{
	__shared__ int tile[64];
	int i = threadIdx.x;
	tile[i] = 7 * i;
	__syncthreads();
	int *place = i % 3 == 0 ? tile + i : i % 3 == 1 ? host + i : device + i;
	*place += 1;
	__syncthreads();
	result[i] = *place + tile[i];
}

struct node {
	int value;
	node *next;
};

__global__ void walk(node *first, int *sum)
{
	for (node *n = first; n; n = n->next) {
		*sum += n->value;
		n->value = -n->value;
	}
}

static void test_managed()
{
	int *a, *b;
	const int count = 5000;
	SUCCEEDS(cudaMallocManaged(&a, count * sizeof *a));
	SUCCEEDS(cudaMallocManaged(&b, count * sizeof *b, cudaMemAttachHost));
	for (int i = 0; i < count; i++)
		a[i] = i;
	for (int round = 0; round < 3; round++) {
		scale<<<(count + 127) / 128, 128>>>(b, a, count);
		SUCCEEDS(cudaDeviceSynchronize());
		for (int i = 0; i < count; i++)
			CHECK(b[i] == 3 * a[i] + 1);
		for (int i = 0; i < count; i++)
			a[i] = b[i] ^ round;
	}
	FAILS(cudaErrorInvalidValue, cudaFree(a + 1));
	FAILS(cudaErrorInvalidValue, cudaFreeHost(a));
	SUCCEEDS(cudaFree(a));
	FAILS(cudaErrorInvalidValue, cudaFree(a));
	SUCCEEDS(cudaFree(b));
	FAILS(cudaErrorInvalidValue, cudaMallocManaged(&a, 0));
	FAILS(cudaErrorInvalidValue, cudaMallocManaged(&a, 4, cudaMemAttachSingle));
	FAILS(cudaErrorInvalidValue, cudaMallocManaged((int **)NULL, 4));
	FAILS(cudaErrorMemoryAllocation, cudaMallocManaged(&a, (size_t)1 << 62));
}

// A list that the host builds from nodes in every kind of memory.
static void test_list()
{
	node *managed, *pinned, *sum_of, own[2];
	SUCCEEDS(cudaMallocManaged(&managed, 2 * sizeof *managed));
	SUCCEEDS(cudaMallocHost(&pinned, 2 * sizeof *pinned));
	SUCCEEDS(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
	SUCCEEDS(cudaMallocManaged(&sum_of, sizeof *sum_of));
	managed[0] = {1, &pinned[0]};
	pinned[0] = {20, &own[1]};
	own[1] = {300, &managed[1]};
	managed[1] = {4000, &own[0]};
	own[0] = {50000, &pinned[1]};
	pinned[1] = {600000, NULL};
	sum_of->value = 0;
	walk<<<1, 1>>>(managed, &sum_of->value);
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(sum_of->value == 654321);
	CHECK(own[0].value == -50000 && own[1].value == -300 && pinned[1].value == -600000);
	SUCCEEDS(cudaHostUnregister(own));
	SUCCEEDS(cudaFreeHost(pinned));
	SUCCEEDS(cudaFree(managed));
	SUCCEEDS(cudaFree(sum_of));
}

static void test_scatter()
{
	int *memory[4], *counts[4], *own = (int *)malloc(64 * sizeof(int)), **lists;
	SUCCEEDS(cudaMalloc(&memory[0], 64 * sizeof(int)));
	SUCCEEDS(cudaMallocManaged(&memory[1], 64 * sizeof(int)));
	SUCCEEDS(cudaHostAlloc(&memory[2], 64 * sizeof(int), cudaHostAllocMapped));
	SUCCEEDS(cudaHostRegister(own, 64 * sizeof(int), 0));
	SUCCEEDS(cudaHostGetDevicePointer((void **)&memory[3], own, 0));
	SUCCEEDS(cudaMallocManaged(&lists, 8 * sizeof(int *)));
	for (int m = 0; m < 4; m++) {
		int values[64];
		for (int i = 0; i < 64; i++)
			values[i] = 1000 * m + i;
		SUCCEEDS(cudaMemcpy(memory[m], values, 32 * sizeof(int), cudaMemcpyDefault));
		counts[m] = memory[m] + 40;
		SUCCEEDS(cudaMemset(counts[m], 0, sizeof(int)));
		lists[m] = memory[m];
		lists[4 + m] = counts[m];
	}
	scatter<<<1, 32>>>(lists, lists + 4);
	SUCCEEDS(cudaDeviceSynchronize());
	for (int m = 0; m < 4; m++) {
		int values[64], sum = 0;
		SUCCEEDS(cudaMemcpy(values, memory[m], sizeof values, cudaMemcpyDefault));
		for (int i = 0; i < 32; i++) {
			CHECK(values[i] == 1000 * m + i + (i % 4 == m ? 100 : 0));
			sum += i % 4 == m ? 1000 * m + i : 0;
		}
		CHECK(values[40] == sum);
	}
	CHECK(own[3] == 3103);
	SUCCEEDS(cudaFree(memory[0]));
	SUCCEEDS(cudaFree(memory[1]));
	SUCCEEDS(cudaFreeHost(memory[2]));
	SUCCEEDS(cudaHostUnregister(own));
	SUCCEEDS(cudaFree(lists));
	free(own);
}

static void test_mixed_spaces()
{
	int *host, *device, *result;
	SUCCEEDS(cudaMallocHost(&host, 64 * sizeof(int)));
	SUCCEEDS(cudaMalloc(&device, 64 * sizeof(int)));
	SUCCEEDS(cudaMallocManaged(&result, 64 * sizeof(int)));
	for (int i = 0; i < 64; i++)
		host[i] = 1000 + i;
	SUCCEEDS(cudaMemset(device, 0, 64 * sizeof(int)));
	mix<<<1, 64>>>(host, device, result);
	SUCCEEDS(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++) {
		int tile = 7 * i + (i % 3 == 0), place = i % 3 == 0 ? tile : i % 3 == 1 ? 1001 + i : 1;
		CHECK(result[i] == place + tile);
	}
	SUCCEEDS(cudaFreeHost(host));
	SUCCEEDS(cudaFree(device));
	SUCCEEDS(cudaFree(result));
}

// Registered memory is malloc() or stack memory: at any offset, in the middle of pages.
static void test_registered()
{
	std::vector<int> numbers(3000);
	int *to, *device;
	for (int i = 0; i < 3000; i++)
		numbers[i] = i;
	SUCCEEDS(cudaHostRegister(numbers.data() + 100, 1000 * sizeof(int), cudaHostRegisterDefault));
	SUCCEEDS(cudaHostRegister(numbers.data() + 1100, 1000 * sizeof(int), cudaHostRegisterPortable));
	FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(numbers.data(), 101 * sizeof(int), 0));
	FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(numbers.data() + 500, sizeof(int), 0));
	FAILS(cudaErrorInvalidValue, cudaHostRegister(numbers.data(), 4, 0x100));
	SUCCEEDS(cudaMallocManaged(&to, 2000 * sizeof(int)));
	scale<<<16, 128>>>(to, numbers.data() + 100, 2000);
	SUCCEEDS(cudaDeviceSynchronize());
	for (int i = 0; i < 2000; i++)
		CHECK(to[i] == 3 * (100 + i) + 1);
	SUCCEEDS(cudaHostGetDevicePointer(&device, numbers.data() + 200, 0));
	scale<<<1, 32>>>(device, to, 32);
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(numbers[200] == 3 * to[0] + 1 && numbers[231] == 3 * to[31] + 1 && numbers[232] == 232);
	FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(numbers.data()));
	SUCCEEDS(cudaHostUnregister(numbers.data() + 100));
	SUCCEEDS(cudaHostUnregister(numbers.data() + 1100));
	FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&device, numbers.data() + 200, 0));
	SUCCEEDS(cudaFree(to));
}

static void test_attributes()
{
	int *device, *managed, *pinned, own[4];
	cudaPointerAttributes attributes;
	SUCCEEDS(cudaMalloc(&device, 64));
	SUCCEEDS(cudaMallocManaged(&managed, 64));
	SUCCEEDS(cudaMallocHost(&pinned, 64));
	SUCCEEDS(cudaPointerGetAttributes(&attributes, device + 1));
	CHECK(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
	CHECK(attributes.devicePointer == device + 1 && !attributes.hostPointer);
	SUCCEEDS(cudaPointerGetAttributes(&attributes, managed + 1));
	CHECK(attributes.type == cudaMemoryTypeManaged && attributes.device == 0);
	CHECK(attributes.devicePointer == managed + 1 && attributes.hostPointer == managed + 1);
	SUCCEEDS(cudaPointerGetAttributes(&attributes, pinned + 1));
	CHECK(attributes.type == cudaMemoryTypeHost && attributes.device == 0);
	CHECK(attributes.devicePointer == pinned + 1 && attributes.hostPointer == pinned + 1);
	SUCCEEDS(cudaPointerGetAttributes(&attributes, own));
	CHECK(attributes.type == cudaMemoryTypeUnregistered && attributes.device == cudaInvalidDeviceId);
	CHECK(!attributes.devicePointer);
	SUCCEEDS(cudaHostRegister(own, sizeof own, 0));
	SUCCEEDS(cudaPointerGetAttributes(&attributes, own + 2));
	CHECK(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == own + 2);
	SUCCEEDS(cudaHostUnregister(own));
	SUCCEEDS(cudaFree(device));
	SUCCEEDS(cudaFree(managed));
	SUCCEEDS(cudaFreeHost(pinned));
}

// Memory that both sides can access is copied, whatever direction is passed.
static void test_directions()
{
	int *device, *shared[3], own[16], back[16];
	SUCCEEDS(cudaMalloc(&device, sizeof own));
	SUCCEEDS(cudaMallocManaged(&shared[0], sizeof own));
	SUCCEEDS(cudaMallocHost(&shared[1], sizeof own));
	shared[2] = (int *)aligned_alloc(64, sizeof own);
	SUCCEEDS(cudaHostRegister(shared[2], sizeof own, 0));
	for (int *s : shared) {
		for (cudaMemcpyKind kind : {cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDefault}) {
			for (int i = 0; i < 16; i++)
				own[i] = (int)kind + i;
			SUCCEEDS(cudaMemcpy(s, own, sizeof own, kind));
			CHECK(!memcmp(s, own, sizeof own));
		}
		for (cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice, cudaMemcpyDefault}) {
			SUCCEEDS(cudaMemset(device, 0, sizeof own));
			SUCCEEDS(cudaMemcpy(device, s, sizeof own, kind));
			SUCCEEDS(cudaMemcpy(back, device, sizeof own, cudaMemcpyDeviceToHost));
			CHECK(!memcmp(back, own, sizeof own));
		}
		for (cudaMemcpyKind kind : {cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault}) {
			SUCCEEDS(cudaMemset(s, 0x55, sizeof own));
			CHECK(s[0] == 0x55555555 && s[15] == 0x55555555);
			SUCCEEDS(cudaMemcpy(s, device, sizeof own, kind));
			CHECK(!memcmp(s, own, sizeof own));
		}
		FAILS(cudaErrorInvalidValue, cudaMemset(s, 0, sizeof own + 1));
		FAILS(cudaErrorInvalidValue, cudaMemcpy(own, s, 4, cudaMemcpyHostToDevice));
	}
	SUCCEEDS(cudaHostUnregister(shared[2]));
	SUCCEEDS(cudaFree(device));
	SUCCEEDS(cudaFree(shared[0]));
	SUCCEEDS(cudaFreeHost(shared[1]));
	free(shared[2]);
}

__global__ void read_texture(cudaTextureObject_t texture, int *to)
{
	to[threadIdx.x] = tex1Dfetch<int>(texture, 31 - threadIdx.x);
}

// Textures read all of these memories.
static void test_textures()
{
	int *memory[3], *to, *own = (int *)malloc(100 * sizeof(int));
	SUCCEEDS(cudaMallocManaged(&memory[0], 32 * sizeof(int)));
	SUCCEEDS(cudaMallocHost(&memory[1], 32 * sizeof(int)));
	memory[2] = own + 4;
	SUCCEEDS(cudaHostRegister(own, 100 * sizeof(int), 0));
	SUCCEEDS(cudaMallocManaged(&to, 32 * sizeof(int)));
	for (int m = 0; m < 3; m++) {
		for (int i = 0; i < 32; i++)
			memory[m][i] = 100 * m + i;
		cudaResourceDesc resource = {};
		resource.resType = cudaResourceTypeLinear;
		resource.res.linear = {memory[m], cudaCreateChannelDesc<int>(), 32 * sizeof(int)};
		cudaTextureDesc description = {};
		cudaTextureObject_t texture;
		SUCCEEDS(cudaCreateTextureObject(&texture, &resource, &description, NULL));
		for (int round = 0; round < 2; round++) {
			read_texture<<<1, 32>>>(texture, to);
			SUCCEEDS(cudaDeviceSynchronize());
			for (int i = 0; i < 32; i++)
				CHECK(to[i] == memory[m][31 - i]);
			memory[m][5] = 7777; // visible to the next launch
		}
		SUCCEEDS(cudaDestroyTextureObject(texture));
	}
	SUCCEEDS(cudaHostUnregister(own));
	SUCCEEDS(cudaFree(memory[0]));
	SUCCEEDS(cudaFreeHost(memory[1]));
	SUCCEEDS(cudaFree(to));
	free(own);
}

// Advice for managed memory is returned by queries.
static void test_advice()
{
	char *p;
	int value, list[3];
	const size_t page = 4096;
	SUCCEEDS(cudaMallocManaged(&p, 8 * page));
	SUCCEEDS(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, p, 8 * page));
	CHECK(value == cudaInvalidDeviceId);
	SUCCEEDS(cudaMemAdvise(p, 4 * page, cudaMemAdviseSetPreferredLocation, 0));
	SUCCEEDS(cudaMemAdvise(p, 8 * page, cudaMemAdviseSetReadMostly, 0));
	SUCCEEDS(cudaMemAdvise(p, 8 * page, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
	SUCCEEDS(cudaMemAdvise(p, 8 * page, cudaMemAdviseSetAccessedBy, 0));
	SUCCEEDS(cudaMemAdvise(p + page, 1, cudaMemAdviseUnsetAccessedBy, 0));
	SUCCEEDS(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, p, 4 * page));
	CHECK(value == 0);
	SUCCEEDS(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributePreferredLocation, p, 4 * page + 1));
	CHECK(value == cudaInvalidDeviceId);
	SUCCEEDS(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, p, 8 * page));
	CHECK(value == 1);
	SUCCEEDS(cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, p, page));
	CHECK(list[0] == 0 && list[1] == cudaCpuDeviceId && list[2] == cudaInvalidDeviceId);
	SUCCEEDS(cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, p, 2 * page));
	CHECK(list[0] == cudaCpuDeviceId && list[1] == cudaInvalidDeviceId);
	SUCCEEDS(cudaMemPrefetchAsync(p, 8 * page, 0, 0));
	SUCCEEDS(cudaMemPrefetchAsync(p + 6 * page, page, cudaCpuDeviceId));
	SUCCEEDS(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeLastPrefetchLocation, p, 6 * page));
	CHECK(value == 0);
	SUCCEEDS(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeLastPrefetchLocation, p + 6 * page, 1));
	CHECK(value == cudaCpuDeviceId);
	SUCCEEDS(cudaMemPrefetchAsync_v2(p, page, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, 0));
	int type;
	void *data[] = {&value, &type};
	size_t sizes[] = {sizeof value, sizeof type};
	cudaMemRangeAttribute attributes[] = {cudaMemRangeAttributeLastPrefetchLocation,
	                                      cudaMemRangeAttributeLastPrefetchLocationType};
	SUCCEEDS(cudaMemRangeGetAttributes(data, sizes, attributes, 2, p, page));
	CHECK(value == cudaCpuDeviceId && type == cudaMemLocationTypeHost);
	FAILS(cudaErrorInvalidDevice, cudaMemPrefetchAsync(p, page, 3, 0));
	FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 9 * page, 0, 0));
	FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(&value, 4, 0, 0));
	FAILS(cudaErrorInvalidValue, cudaMemAdvise(p, page, (cudaMemoryAdvise)9, 0));
	FAILS(cudaErrorInvalidDevice, cudaMemAdvise(p, page, cudaMemAdviseSetAccessedBy, 1));
	FAILS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, p, page));

	cudaStream_t stream;
	SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaStreamAttachMemAsync(stream, p));
	SUCCEEDS(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachHost));
	SUCCEEDS(cudaStreamAttachMemAsync(stream, p, 8 * page, cudaMemAttachGlobal));
	FAILS(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachSingle));
	FAILS(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, p + page));
	SUCCEEDS(cudaStreamDestroy(stream));
	SUCCEEDS(cudaFree(p));
}

// A forked child has the memory and may free it without its parent's GPU.
static void test_fork()
{
	int *pinned, own[4], status = -1;
	SUCCEEDS(cudaMallocHost(&pinned, 64));
	SUCCEEDS(cudaHostRegister(own, sizeof own, 0));
	*pinned = 5;
	pid_t child = fork();
	if (!child) {
		bool fine = *pinned == 5;
		*pinned = 6;
		fine &= cudaFreeHost(pinned) == cudaSuccess && cudaHostUnregister(own) == cudaSuccess;
		fine &= cudaMallocHost(&pinned, 64) == cudaErrorInitializationError;
		_exit(fine ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(*pinned == 5);
	SUCCEEDS(cudaFreeHost(pinned));
	SUCCEEDS(cudaHostUnregister(own));
}

int main()
{
	test_managed();
	test_list();
	test_scatter();
	test_mixed_spaces();
	test_registered();
	test_attributes();
	test_directions();
	test_textures();
	test_advice();
	test_fork();
	return finish();
}
