/* device_properties: cudaDeviceProp, whose fields differ between CUDA 11, 12 and 13. Part of driver_types.h. */
#ifndef SLUICE_CUDA_DEVICE_PROPERTIES_H
#define SLUICE_CUDA_DEVICE_PROPERTIES_H

#include "release.h"

#include <stddef.h>

typedef struct CUuuid_st {
	char bytes[16];
} cudaUUID_t;

struct cudaDeviceProp {
	char name[256];
	cudaUUID_t uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem;
	size_t sharedMemPerBlock;
	int regsPerBlock;
	int warpSize;
	size_t memPitch;
	int maxThreadsPerBlock;
	int maxThreadsDim[3];
	int maxGridSize[3];
#if __SLUICE_CUDA__ < 13
	int clockRate;
#endif
	size_t totalConstMem;
	int major;
	int minor;
	size_t textureAlignment;
	size_t texturePitchAlignment;
#if __SLUICE_CUDA__ < 13
	int deviceOverlap;
#endif
	int multiProcessorCount;
#if __SLUICE_CUDA__ < 13
	int kernelExecTimeoutEnabled;
#endif
	int integrated;
	int canMapHostMemory;
#if __SLUICE_CUDA__ < 13
	int computeMode;
#endif
	int maxTexture1D;
	int maxTexture1DMipmap;
#if __SLUICE_CUDA__ < 13
	int maxTexture1DLinear;
#endif
	int maxTexture2D[2];
	int maxTexture2DMipmap[2];
	int maxTexture2DLinear[3];
	int maxTexture2DGather[2];
	int maxTexture3D[3];
	int maxTexture3DAlt[3];
	int maxTextureCubemap;
	int maxTexture1DLayered[2];
	int maxTexture2DLayered[3];
	int maxTextureCubemapLayered[2];
	int maxSurface1D;
	int maxSurface2D[2];
	int maxSurface3D[3];
	int maxSurface1DLayered[2];
	int maxSurface2DLayered[3];
	int maxSurfaceCubemap;
	int maxSurfaceCubemapLayered[2];
	size_t surfaceAlignment;
	int concurrentKernels;
	int ECCEnabled;
	int pciBusID;
	int pciDeviceID;
	int pciDomainID;
	int tccDriver;
	int asyncEngineCount;
	int unifiedAddressing;
#if __SLUICE_CUDA__ < 13
	int memoryClockRate;
#endif
	int memoryBusWidth;
	int l2CacheSize;
	int persistingL2CacheMaxSize;
	int maxThreadsPerMultiProcessor;
	int streamPrioritiesSupported;
	int globalL1CacheSupported;
	int localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor;
	int managedMemory;
	int isMultiGpuBoard;
	int multiGpuBoardGroupID;
	int hostNativeAtomicSupported;
#if __SLUICE_CUDA__ < 13
	int singleToDoublePrecisionPerfRatio;
#endif
	int pageableMemoryAccess;
	int concurrentManagedAccess;
	int computePreemptionSupported;
	int canUseHostPointerForRegisteredMem;
	int cooperativeLaunch;
#if __SLUICE_CUDA__ < 13
	int cooperativeMultiDeviceLaunch;
#endif
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables;
	int directManagedMemAccessFromHost;
	int maxBlocksPerMultiProcessor;
	int accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
#if __SLUICE_CUDA__ >= 12
	int hostRegisterSupported;
	int sparseCudaArraySupported;
	int hostRegisterReadOnlySupported;
	int timelineSemaphoreInteropSupported;
	int memoryPoolsSupported;
	int gpuDirectRDMASupported;
	unsigned int gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned int memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported;
	int ipcEventSupported;
	int clusterLaunch;
	int unifiedFunctionPointers;
#endif
#if __SLUICE_CUDA__ == 12
	int reserved[63];
#elif __SLUICE_CUDA__ >= 13
	int deviceNumaConfig;
	int deviceNumaId;
	int mpsEnabled;
	int hostNumaId;
	unsigned int gpuPciDeviceID;
	unsigned int gpuPciSubsystemID;
	int hostNumaMultinodeIpcSupported;
	int reserved[56];
#endif
};

#endif
