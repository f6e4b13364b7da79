/* batch_templates: the C++ forms of batches: typed pointers, and attributes or a location for all operations. Copies
 * have both signatures: that of CUDA 12, with the index of a wrong copy, and that of CUDA 13. Part of
 * sluice/runtime_templates.h. */
#ifndef SLUICE_CUDA_BATCH_TEMPLATES_H
#define SLUICE_CUDA_BATCH_TEMPLATES_H

#if CUDART_VERSION < 13000
static inline __host__ cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes,
                                                        size_t count, cudaMemcpyAttributes *attributes, size_t *starts,
                                                        size_t attribute_count, cudaStream_t stream)
{
	size_t wrong;
	return ::cudaMemcpyBatchAsync((void **)to, (void **)from, (size_t *)sizes, count, attributes, starts,
	                              attribute_count, &wrong, stream);
}
static inline __host__ cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp *list,
                                                          unsigned long long flags, cudaStream_t stream)
{
	size_t wrong;
	return ::cudaMemcpy3DBatchAsync(count, list, &wrong, flags, stream);
}
template <class T, class U>
static inline __host__ cudaError_t cudaMemcpyBatchAsync(T **to, U **from, size_t *sizes, size_t count,
                                                        cudaMemcpyAttributes *attributes, size_t *starts,
                                                        size_t attribute_count, size_t *wrong, cudaStream_t stream)
{
	return ::cudaMemcpyBatchAsync((void **)to, (void **)from, sizes, count, attributes, starts, attribute_count,
	                              wrong, stream);
}
template <class T, class U>
static inline __host__ cudaError_t cudaMemcpyBatchAsync(T **to, U **from, size_t *sizes, size_t count,
                                                        cudaMemcpyAttributes attributes, size_t *wrong,
                                                        cudaStream_t stream)
{
	size_t start = 0;
	return ::cudaMemcpyBatchAsync((void **)to, (void **)from, sizes, count, &attributes, &start, (size_t)1, wrong,
	                              stream);
}
#endif
template <class T, class U>
static inline __host__ cudaError_t cudaMemcpyBatchAsync(T *const *to, U *const *from, const size_t *sizes, size_t count,
                                                        cudaMemcpyAttributes *attributes, size_t *starts,
                                                        size_t attribute_count, cudaStream_t stream)
{
	return ::cudaMemcpyBatchAsync((void *const *)to, (const void *const *)from, sizes, count, attributes, starts,
	                              attribute_count, stream);
}
template <class T, class U>
static inline __host__ cudaError_t cudaMemcpyBatchAsync(T *const *to, U *const *from, const size_t *sizes, size_t count,
                                                        cudaMemcpyAttributes attributes, cudaStream_t stream)
{
	size_t start = 0;
	return ::cudaMemcpyBatchAsync((void *const *)to, (const void *const *)from, sizes, count, &attributes, &start,
	                              (size_t)1, stream);
}
template <class T>
static inline __host__ cudaError_t cudaMemPrefetchBatchAsync(T **pointers, size_t *sizes, size_t count,
                                                             cudaMemLocation *locations, size_t *starts,
                                                             size_t location_count, unsigned long long flags,
                                                             cudaStream_t stream)
{
	return ::cudaMemPrefetchBatchAsync((void **)pointers, sizes, count, locations, starts, location_count, flags,
	                                   stream);
}
template <class T>
static inline __host__ cudaError_t cudaMemPrefetchBatchAsync(T **pointers, size_t *sizes, size_t count,
                                                             cudaMemLocation location, unsigned long long flags,
                                                             cudaStream_t stream)
{
	size_t start = 0;
	return ::cudaMemPrefetchBatchAsync((void **)pointers, sizes, count, &location, &start, (size_t)1, flags,
	                                   stream);
}
template <class T>
static inline __host__ cudaError_t cudaMemDiscardAndPrefetchBatchAsync(T **pointers, size_t *sizes, size_t count,
                                                                       cudaMemLocation *locations, size_t *starts,
                                                                       size_t location_count, unsigned long long flags,
                                                                       cudaStream_t stream)
{
	return ::cudaMemDiscardAndPrefetchBatchAsync((void **)pointers, sizes, count, locations, starts, location_count,
	                                             flags, stream);
}
template <class T>
static inline __host__ cudaError_t cudaMemDiscardAndPrefetchBatchAsync(T **pointers, size_t *sizes, size_t count,
                                                                       cudaMemLocation location,
                                                                       unsigned long long flags, cudaStream_t stream)
{
	size_t start = 0;
	return ::cudaMemDiscardAndPrefetchBatchAsync((void **)pointers, sizes, count, &location, &start, (size_t)1,
	                                             flags, stream);
}

#endif
