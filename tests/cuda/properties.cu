// Protects the device's properties and attributes. GTX 480's equal the real card's, and those of a later compute
// capability fit such a GPU. Attributes and properties agree, and every number of CUDA 13 has an answer.
#include "check.h"
#include <climits>

static int get(int attribute)
{
	int value = -12345;
	SUCCEEDS(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attribute, 0));
	return value;
}

static void test_gtx480(const cudaDeviceProp &p)
{
	CHECK(p.minor == 0 && p.multiProcessorCount == 15 && p.warpSize == 32 && p.l2CacheSize == 768 * 1024);
	CHECK(p.regsPerBlock == 32768 && p.sharedMemPerBlock == 49152 && p.totalConstMem == 65536);
	CHECK(p.maxThreadsPerBlock == 1024 && p.maxThreadsPerMultiProcessor == 1536 && p.maxBlocksPerMultiProcessor == 8);
	CHECK(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
	CHECK(p.maxGridSize[0] == 65535 && p.maxGridSize[2] == 65535 && p.memoryBusWidth == 384);
	CHECK(p.clockRate == 700000 && p.memoryClockRate == 1848000); // kHz; two transfers per cycle: 177.4 GB/s
	CHECK(p.deviceOverlap == 1 && p.asyncEngineCount == 1 && p.concurrentKernels == 1);
	CHECK(p.canMapHostMemory == 1 && p.unifiedAddressing == 1 && p.managedMemory == 0);
	CHECK(p.concurrentManagedAccess == 0 && p.pageableMemoryAccess == 0 && p.streamPrioritiesSupported == 0);
	CHECK(p.integrated == 0 && p.ECCEnabled == 0 && p.tccDriver == 0 && p.kernelExecTimeoutEnabled == 0);
	CHECK(p.singleToDoublePrecisionPerfRatio == 8 && p.computePreemptionSupported == 0);
	CHECK(p.textureAlignment == 512 && p.texturePitchAlignment == 32 && p.memPitch == INT_MAX);
	CHECK(p.maxTexture1D == 65536 && p.maxTexture2D[1] == 65535 && p.maxTexture3D[0] == 2048);
	CHECK(p.persistingL2CacheMaxSize == 0 && p.accessPolicyMaxWindowSize == 0);
	CHECK(get(cudaDevAttrMemoryPoolsSupported) == 0);
}

// The same machine with another compute capability.
static void test_later(const cudaDeviceProp &p)
{
	int greatest;
	CHECK(p.major == 8 && p.managedMemory == 1 && p.concurrentManagedAccess == 1 && p.streamPrioritiesSupported == 1);
	CHECK(p.maxGridSize[0] == INT_MAX && p.maxGridSize[1] == 65535 && p.asyncEngineCount == 2);
	CHECK(p.maxTexture1D == 131072 && p.maxTexture2D[1] == 65536 && p.maxTexture3D[2] == 16384);
	CHECK(p.maxSurface1D == 32768 && p.maxSurface2DLayered[0] == 32768 && p.maxTextureCubemap == 32768);
	CHECK(p.persistingL2CacheMaxSize > 0 && p.accessPolicyMaxWindowSize > 0);
	CHECK(get(cudaDevAttrMemoryPoolsSupported) == 1);
	SUCCEEDS(cudaDeviceGetStreamPriorityRange(NULL, &greatest));
	CHECK(greatest == -5);
}

int main()
{
	cudaDeviceProp p;
	SUCCEEDS(cudaGetDeviceProperties(&p, 0));
	if (p.major == 2)
		test_gtx480(p);
	else
		test_later(p);
	for (int number = 1; number <= 150; number++)
		CHECK(get(number) != -12345);
	int value;
	FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)0, 0));
	FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)151, 0));
	FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1));
	CHECK(get(cudaDevAttrManagedMemory) == p.managedMemory && get(cudaDevAttrAsyncEngineCount) == p.asyncEngineCount);
	CHECK(get(cudaDevAttrMaxTexture3DDepth) == p.maxTexture3D[2] && get(cudaDevAttrMaxPitch) == INT_MAX);
	CHECK(get(cudaDevAttrMaxPersistingL2CacheSize) == p.persistingL2CacheMaxSize);
	CHECK(get(cudaDevAttrHostRegisterSupported) == 1 && get(cudaDevAttrIpcEventSupport) == 0);
	CHECK(get(cudaDevAttrMemoryPoolSupportedHandleTypes) == 0 && get(cudaDevAttrHostNumaId) == -1);
	CHECK(get(cudaDevAttrComputeCapabilityMajor) == p.major && get(cudaDevAttrPciBusId) == p.pciBusID);
	return finish();
}
