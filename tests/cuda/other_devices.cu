// Protects CUDA's errors for absent devices and other processes, and copies between "peers" that are one device. Hints
// and limits are accepted and returned by queries.
#include "check.h"

__global__ void raise(int *p)
{
	*p += 1;
}

static void test_peers()
{
	int can = 7, device = 7, *p, *q, value = 9;
	SUCCEEDS(cudaDeviceCanAccessPeer(&can, 0, 0));
	CHECK(can == 0);
	FAILS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
	FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
	FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
	FAILS(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
	FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
	FAILS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(1));
	FAILS(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0));

	SUCCEEDS(cudaMalloc(&p, 64));
	SUCCEEDS(cudaMalloc(&q, 64));
	SUCCEEDS(cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemcpyPeer(q, 0, p, 0, sizeof value));
	raise<<<1, 1>>>(q);
	SUCCEEDS(cudaMemcpyPeerAsync(p, 0, q, 0, sizeof value, 0));
	SUCCEEDS(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
	CHECK(value == 10);
	FAILS(cudaErrorInvalidDevice, cudaMemcpyPeer(q, 1, p, 0, sizeof value));
	cudaMemcpy3DPeerParms box = {};
	box.srcPtr = make_cudaPitchedPtr(p, 4, 4, 1);
	box.dstPtr = make_cudaPitchedPtr(q + 4, 4, 4, 1);
	box.extent = make_cudaExtent(4, 1, 1);
	SUCCEEDS(cudaMemcpy3DPeer(&box));
	SUCCEEDS(cudaMemcpy(&value, q + 4, sizeof value, cudaMemcpyDeviceToHost));
	CHECK(value == 10);
	box.dstDevice = 2;
	FAILS(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&box));
	SUCCEEDS(cudaFree(p));
	SUCCEEDS(cudaFree(q));

	char id[32];
	SUCCEEDS(cudaDeviceGetPCIBusId(id, sizeof id, 0));
	SUCCEEDS(cudaDeviceGetByPCIBusId(&device, id));
	CHECK(device == 0);
	FAILS(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0000:7f:00.0"));
	FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, "nowhere"));
	FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, "0000:01:00.0 and more"));
}

static void test_processes()
{
	int *p;
	void *other;
	cudaEvent_t event;
	cudaIpcMemHandle_t memory = {};
	cudaIpcEventHandle_t moment = {};
	SUCCEEDS(cudaMalloc(&p, 64));
	SUCCEEDS(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
	FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&memory, p));
	FAILS(cudaErrorNotSupported, cudaIpcOpenMemHandle(&other, memory, cudaIpcMemLazyEnablePeerAccess));
	FAILS(cudaErrorNotSupported, cudaIpcCloseMemHandle(p));
	FAILS(cudaErrorNotSupported, cudaIpcGetEventHandle(&moment, event));
	FAILS(cudaErrorNotSupported, cudaIpcOpenEventHandle(&event, moment));
	FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(NULL, p));
	SUCCEEDS(cudaFree(p));
	cudaGetLastError();
	raise<<<1, 0>>>(p); // none of these errors is sticky
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
}

static void test_hints()
{
	cudaStream_t stream, second;
	cudaStreamAttrValue value = {}, seen = {};
	float room;
	SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaStreamCreate(&second));
	value.accessPolicyWindow = {&room, sizeof room, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
	SUCCEEDS(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
	SUCCEEDS(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &seen));
	CHECK(seen.accessPolicyWindow.base_ptr == &room && seen.accessPolicyWindow.hitRatio == 0.5f);
	SUCCEEDS(cudaStreamGetAttribute(second, cudaStreamAttributeAccessPolicyWindow, &seen));
	CHECK(!seen.accessPolicyWindow.base_ptr);
	SUCCEEDS(cudaStreamCopyAttributes(second, stream));
	SUCCEEDS(cudaStreamGetAttribute(second, cudaStreamAttributeAccessPolicyWindow, &seen));
	CHECK(seen.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting);
	value.accessPolicyWindow.hitRatio = 1.5f;
	FAILS(cudaErrorInvalidValue, cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
	value.syncPolicy = cudaSyncPolicySpin;
	SUCCEEDS(cudaStreamSetAttribute(0, cudaStreamAttributeSynchronizationPolicy, &value));
	SUCCEEDS(cudaStreamGetAttribute(0, cudaStreamAttributeSynchronizationPolicy, &seen));
	CHECK(seen.syncPolicy == cudaSyncPolicySpin);
	FAILS(cudaErrorInvalidValue, cudaStreamSetAttribute(stream, (cudaStreamAttrID)50, &value));
	SUCCEEDS(cudaCtxResetPersistingL2Cache());
	SUCCEEDS(cudaStreamDestroy(second));
	FAILS(cudaErrorInvalidResourceHandle,
	      cudaStreamGetAttribute(second, cudaStreamAttributeSynchronizationPolicy, &seen));
	SUCCEEDS(cudaStreamDestroy(stream));

	size_t limit;
	SUCCEEDS(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
	SUCCEEDS(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize));
	CHECK(limit == 1 << 20);
	SUCCEEDS(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
	CHECK(limit == 8 << 20);
	SUCCEEDS(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
	SUCCEEDS(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
	CHECK(limit == 64 << 20);
	FAILS(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((cudaLimit)30, 1));
}

static void CUDART_CB note(cudaStream_t, cudaError_t status, void *user)
{
	*(cudaError_t *)user = status;
}

static void test_priorities()
{
	int least, greatest, priority;
	cudaStream_t stream;
	SUCCEEDS(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(least == 0 && greatest <= 0);
	for (int wanted = -10; wanted <= 10; wanted++) {
		SUCCEEDS(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wanted));
		SUCCEEDS(cudaStreamGetPriority(stream, &priority));
		CHECK(priority == (wanted > least ? least : wanted < greatest ? greatest : wanted));
		SUCCEEDS(cudaStreamDestroy(stream));
	}
	cudaError_t seen = cudaErrorUnknown;
	SUCCEEDS(cudaStreamAddCallback(0, note, &seen, 0));
	CHECK(seen == cudaSuccess);
	FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(0, note, &seen, 1));
}

int main()
{
	test_peers();
	test_processes();
	test_hints();
	test_priorities();
	return finish();
}
