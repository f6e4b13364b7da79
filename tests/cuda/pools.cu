// Protects memory pools and stream-ordered allocation: kernels use the memory, and pools count usage and obey their
// limits. A pool lives as long as its allocations. Unsupported requests give errors.
#include "check.h"
#include <cstdint>

__global__ void count_up(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = i + 1;
}

static uint64_t get(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
	uint64_t value = ~UINT64_C(0);
	SUCCEEDS(cudaMemPoolGetAttribute(pool, attribute, &value));
	return value;
}

static cudaMemPool_t make(size_t most = 0)
{
	cudaMemPool_t pool = NULL;
	cudaMemPoolProps properties = {};
	properties.allocType = cudaMemAllocationTypePinned;
	properties.location = {cudaMemLocationTypeDevice, 0};
	properties.maxSize = most;
	SUCCEEDS(cudaMemPoolCreate(&pool, &properties));
	return pool;
}

static void test_use(cudaStream_t stream)
{
	int *p, sum = 0;
	const int n = 1000;
	static int host[n];
	SUCCEEDS(cudaMallocAsync(&p, n * sizeof *p, stream));
	count_up<<<4, 256, 0, stream>>>(p, n);
	SUCCEEDS(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
	SUCCEEDS(cudaFreeAsync(p, stream));
	SUCCEEDS(cudaStreamSynchronize(stream));
	for (int value : host)
		sum += value;
	CHECK(sum == n * (n + 1) / 2);
	FAILS(cudaErrorInvalidValue, cudaFreeAsync(p, stream));
	SUCCEEDS(cudaFreeAsync(NULL, stream));
	SUCCEEDS(cudaMallocAsync(&p, 0, stream));
	CHECK(!p);
}

static void test_accounts(cudaStream_t stream)
{
	cudaMemPool_t pool = make(), own, current;
	int *a, *b, *c;
	SUCCEEDS(cudaDeviceGetDefaultMemPool(&own, 0));
	SUCCEEDS(cudaDeviceGetMemPool(&current, 0));
	CHECK(own == current && own != pool);
	SUCCEEDS(cudaMallocFromPoolAsync(&a, 1000, pool, stream));
	SUCCEEDS(cudaMallocAsync(&b, 500, pool, stream)); // the typed form with a pool
	CHECK(get(pool, cudaMemPoolAttrUsedMemCurrent) == 1500 && get(own, cudaMemPoolAttrUsedMemCurrent) == 0);
	CHECK(get(pool, cudaMemPoolAttrReservedMemCurrent) >= 1500);
	SUCCEEDS(cudaFree(a)); // by either call
	CHECK(get(pool, cudaMemPoolAttrUsedMemCurrent) == 500 && get(pool, cudaMemPoolAttrUsedMemHigh) == 1500);
	uint64_t zero = 0, threshold = UINT64_MAX;
	SUCCEEDS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
	CHECK(get(pool, cudaMemPoolAttrUsedMemHigh) == 500);
	FAILS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &threshold));
	FAILS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero));
	SUCCEEDS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
	CHECK(get(pool, cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);
	int reuse = 0;
	SUCCEEDS(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
	reuse = 7;
	SUCCEEDS(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
	CHECK(reuse == 0);
	reuse = 7; // any number but 0 is a yes
	SUCCEEDS(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
	SUCCEEDS(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
	CHECK(reuse == 1);
	SUCCEEDS(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &reuse));
	CHECK(reuse == 1);
	FAILS(cudaErrorInvalidValue, cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)77, &reuse));
	SUCCEEDS(cudaMemPoolTrimTo(pool, 0));

	SUCCEEDS(cudaDeviceSetMemPool(0, pool));
	SUCCEEDS(cudaMallocAsync(&c, 100, stream));
	CHECK(get(pool, cudaMemPoolAttrUsedMemCurrent) == 600);
	// a destroyed pool has no owner, but its allocations stay until they are freed
	SUCCEEDS(cudaMemPoolDestroy(pool));
	SUCCEEDS(cudaDeviceGetMemPool(&current, 0));
	CHECK(current == own);
	FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
	FAILS(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&a, 4, pool, stream));
	count_up<<<1, 25, 0, stream>>>(c, 25);
	SUCCEEDS(cudaFreeAsync(c, stream));
	SUCCEEDS(cudaFreeAsync(b, stream));
}

static void test_limits(cudaStream_t stream)
{
	cudaMemPool_t pool = make(4096), none = NULL;
	char *a, *b;
	SUCCEEDS(cudaMallocFromPoolAsync(&a, 4000, pool, stream));
	FAILS(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&b, 97, pool, stream));
	SUCCEEDS(cudaMallocFromPoolAsync(&b, 96, pool, stream));
	SUCCEEDS(cudaFreeAsync(a, stream));
	SUCCEEDS(cudaFreeAsync(b, stream));

	cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
	cudaMemAccessFlags flags;
	SUCCEEDS(cudaMemPoolSetAccess(pool, &access, 1));
	SUCCEEDS(cudaMemPoolGetAccess(&flags, pool, &access.location));
	CHECK(flags == cudaMemAccessFlagsProtReadWrite);
	access.flags = cudaMemAccessFlagsProtNone;
	FAILS(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, &access, 1));
	access = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
	FAILS(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &access, 1));
	int handle;
	FAILS(cudaErrorInvalidValue,
	      cudaMemPoolExportToShareableHandle(&handle, pool, cudaMemHandleTypePosixFileDescriptor, 0));
	cudaMemPoolPtrExportData data;
	FAILS(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, a));
	SUCCEEDS(cudaMemPoolDestroy(pool));

	cudaMemPoolProps properties = {};
	FAILS(cudaErrorInvalidValue, cudaMemPoolCreate(&none, &properties));
	properties.allocType = cudaMemAllocationTypePinned;
	properties.location = {cudaMemLocationTypeDevice, 0};
	FAILS(cudaErrorInvalidValue, cudaMemPoolCreate(NULL, &properties));
	properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
	FAILS(cudaErrorNotSupported, cudaMemPoolCreate(&none, &properties));
	properties.handleTypes = cudaMemHandleTypeNone;
	properties.location.id = 2;
	FAILS(cudaErrorInvalidDevice, cudaMemPoolCreate(&none, &properties));
	SUCCEEDS(cudaDeviceGetDefaultMemPool(&pool, 0));
	FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
	FAILS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&pool, 1));
	FAILS(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, (cudaMemPool_t)&properties));
	FAILS(cudaErrorMemoryAllocation, cudaMallocAsync(&a, (size_t)1 << 50, stream));
}

int main()
{
	cudaStream_t stream;
	SUCCEEDS(cudaStreamCreate(&stream));
	test_use(stream);
	test_use(0);
	test_accounts(stream);
	test_limits(stream);
	SUCCEEDS(cudaStreamDestroy(stream));
	return finish();
}
