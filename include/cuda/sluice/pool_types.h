/* pool_types: where memory of a pool lies and who reaches it. Part of driver_types.h. */
#ifndef SLUICE_CUDA_POOL_TYPES_H
#define SLUICE_CUDA_POOL_TYPES_H

enum cudaMemAllocationType {
	cudaMemAllocationTypeInvalid = 0,
	cudaMemAllocationTypePinned = 1,
	cudaMemAllocationTypeMax = 0x7fffffff
};
enum cudaMemAllocationHandleType {
	cudaMemHandleTypeNone = 0,
	cudaMemHandleTypePosixFileDescriptor = 1,
	cudaMemHandleTypeWin32 = 2,
	cudaMemHandleTypeWin32Kmt = 4
};
enum cudaMemLocationType {
	cudaMemLocationTypeInvalid = 0,
	cudaMemLocationTypeDevice = 1
};
struct cudaMemLocation {
	enum cudaMemLocationType type;
	int id;
};
enum cudaMemAccessFlags {
	cudaMemAccessFlagsProtNone = 0,
	cudaMemAccessFlagsProtRead = 1,
	cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemAccessDesc {
	struct cudaMemLocation location;
	enum cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
	enum cudaMemAllocationType allocType;
	enum cudaMemAllocationHandleType handleTypes;
	struct cudaMemLocation location;
	void *win32SecurityAttributes;
	unsigned char reserved[64];
};

#endif
