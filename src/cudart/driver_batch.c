/* The driver API: batches of copies and of hints on managed memory, implemented by the runtime's calls. Types and
 * numbers are the runtime's. */
#include "cudart/driver.h"
#include "cudart/versions.h"

_Static_assert(sizeof(CUdeviceptr) == sizeof(void *), "lists of addresses");
_Static_assert(sizeof(CUmemcpyAttributes) == sizeof(struct cudaMemcpyAttributes), "attributes of copies");
_Static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(struct cudaMemcpy3DBatchOp), "operations");
_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation), "locations");

CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *starts, size_t attribute_count, size_t *wrong,
                            CUstream stream)
{
	return driver_result(cudaMemcpyBatchAsync((void **)to, (void **)from, sizes, count,
	                                          (struct cudaMemcpyAttributes *)attributes, starts, attribute_count,
	                                          wrong, stream));
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *starts, size_t attribute_count, CUstream stream)
{
	return cuMemcpyBatchAsync(to, from, sizes, count, attributes, starts, attribute_count, NULL, stream);
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *list, size_t *wrong, unsigned long long flags,
                              CUstream stream)
{
	return driver_result(cudaMemcpy3DBatchAsync(count, (struct cudaMemcpy3DBatchOp *)list, wrong, flags, stream));
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *list, unsigned long long flags, CUstream stream)
{
	return cuMemcpy3DBatchAsync(count, list, NULL, flags, stream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count, CUmemLocation *locations,
                                 size_t *starts, size_t location_count, unsigned long long flags, CUstream stream)
{
	return driver_result(cudaMemPrefetchBatchAsync((void **)pointers, sizes, count,
	                                               (struct cudaMemLocation *)locations, starts, location_count,
	                                               flags, stream));
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count, unsigned long long flags,
                                CUstream stream)
{
	return driver_result(cudaMemDiscardBatchAsync((void **)pointers, sizes, count, flags, stream));
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes, size_t count, CUmemLocation *locations,
                                           size_t *starts, size_t location_count, unsigned long long flags,
                                           CUstream stream)
{
	return driver_result(cudaMemDiscardAndPrefetchBatchAsync((void **)pointers, sizes, count,
	                                                         (struct cudaMemLocation *)locations, starts,
	                                                         location_count, flags, stream));
}
