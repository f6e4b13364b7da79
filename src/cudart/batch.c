/* Batches of copies, and of hints on managed memory. The operations of a batch run in the order of its lists, after the
 * stream's earlier work. All arguments are checked before the first operation. */
#include "cudart/array.h"
#include "cudart/capture.h"
#include "cudart/copy.h"
#include "cudart/host_memory.h"
#include "cudart/versions.h"

enum { NO_OPERATION = -1 }; /* as a size_t: an error that concerns no single operation */

static cudaError_t enter_stream(struct runtime *runtime, const char *call, cudaStream_t stream)
{
	cudaError_t result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess && (!stream || stream == cudaStreamLegacy))
		result = runtime_refuse(call, cudaErrorInvalidValue, "the legacy stream takes no batches");
	return result;
}

static cudaError_t check_lists(const char *call, bool are_there)
{
	return are_there ? cudaSuccess : runtime_refuse(call, cudaErrorInvalidValue, "a list of the batch is missing");
}

/* Checks a list whose entry k applies to the operations from starts[k] to the next start. */
static cudaError_t check_starts(const char *call, const size_t *starts, size_t count, size_t operations)
{
	bool fine = starts && count && count <= operations && !starts[0];
	for (size_t i = 1; i < count && fine; i++)
		fine = starts[i] > starts[i - 1] && starts[i] < operations;
	if (fine)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue,
	                      "%zu entries with starts for %zu operations; the starts must begin at 0 and increase",
	                      count, operations);
}

/* Advances to the entry that applies to the operation. */
static void advance(size_t *entry, const size_t *starts, size_t count, size_t operation)
{
	if (*entry + 1 < count && starts[*entry + 1] == operation)
		++*entry;
}

static cudaError_t check_attributes(struct runtime *runtime, const char *call, cudaStream_t stream,
                                    enum cudaMemcpySrcAccessOrder order, unsigned flags)
{
	if (order < cudaMemcpySrcAccessOrderStream || order > cudaMemcpySrcAccessOrderAny)
		return runtime_refuse(call, cudaErrorInvalidValue, "%d is no order of accesses to a source",
		                      (int)order);
	if (flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute)
		return runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%x of a copy", flags);
	if (order == cudaMemcpySrcAccessOrderDuringApiCall && capture_of(runtime, stream))
		return runtime_refuse(call, cudaErrorNotSupported,
		                      "a captured copy cannot read its source during the call");
	return cudaSuccess;
}

/* A source that is read during the call: the call waits for the stream's earlier work and copies. */
static struct order order_of(cudaStream_t stream, enum cudaMemcpySrcAccessOrder order)
{
	return (struct order){stream, order != cudaMemcpySrcAccessOrderDuringApiCall};
}

/* ---- copies of bytes ---- */

struct copies {
	void *const *to;
	const void *const *from;
	const size_t *sizes;
	size_t count;
	const struct cudaMemcpyAttributes *attributes;
	const size_t *starts;
	size_t attribute_count;
	cudaStream_t stream;
};

static cudaError_t check_copies(struct runtime *runtime, const char *call, const struct copies *batch)
{
	cudaError_t result = enter_stream(runtime, call, batch->stream);
	if (result == cudaSuccess)
		result = check_lists(call, batch->to && batch->from && batch->sizes && batch->attributes);
	if (result == cudaSuccess)
		result = check_starts(call, batch->starts, batch->attribute_count, batch->count);
	for (size_t k = 0; k < batch->attribute_count && result == cudaSuccess; k++)
		result = check_attributes(runtime, call, batch->stream, batch->attributes[k].srcAccessOrder,
		                          batch->attributes[k].flags);
	return result;
}

static cudaError_t run_copies(const struct copies *batch, size_t *wrong)
{
	static const char call[] = "cudaMemcpyBatchAsync";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = check_copies(runtime, call, batch);
	size_t entry = 0;
	*wrong = (size_t)NO_OPERATION;
	for (size_t i = 0; i < batch->count && result == cudaSuccess; i++) {
		advance(&entry, batch->starts, batch->attribute_count, i);
		const struct copy copy = {
			.call = call,
			.order = order_of(batch->stream, batch->attributes[entry].srcAccessOrder),
			.to = batch->to[i],
			.from = batch->from[i],
			.width = batch->sizes[i],
			.height = 1,
			.depth = 1,
			.kind = cudaMemcpyDefault,
		};
		result = copy_run(runtime, &copy);
		if (result != cudaSuccess)
			*wrong = i;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *starts, size_t attribute_count,
                                 size_t *wrong, cudaStream_t stream)
{
	size_t unused;
	const struct copies batch = {to,     (const void *const *)from, sizes, count, attributes,
	                             starts, attribute_count,           stream};
	return run_copies(&batch, wrong ? wrong : &unused);
}

cudaError_t abi13_cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                       struct cudaMemcpyAttributes *attributes, size_t *starts, size_t attribute_count,
                                       cudaStream_t stream)
{
	size_t unused;
	const struct copies batch = {to, from, sizes, count, attributes, starts, attribute_count, stream};
	return run_copies(&batch, &unused);
}

/* ---- copies of boxes ---- */

static bool is_array(const struct cudaMemcpy3DOperand *operand)
{
	return operand->type == cudaMemcpyOperandTypeArray;
}

/* Checks the kind of one side. *texel: the bytes of an element, 0 while no array has decided it. */
static cudaError_t check_operand(struct runtime *runtime, const char *call, const struct cudaMemcpy3DOperand *operand,
                                 size_t *texel)
{
	if (operand->type == cudaMemcpyOperandTypePointer)
		return cudaSuccess;
	if (!is_array(operand))
		return runtime_refuse(call, cudaErrorInvalidValue, "%d is no kind of operand", (int)operand->type);
	cudaError_t result = array_check(runtime, call, operand->op.array.array);
	if (result != cudaSuccess)
		return result;
	size_t bytes = array_texel_bytes(operand->op.array.array);
	if (*texel && *texel != bytes)
		return runtime_refuse(call, cudaErrorInvalidValue, "a copy between texels of %zu and %zu bytes", bytes,
		                      *texel);
	*texel = bytes;
	return cudaSuccess;
}

/* Writes one side of the box. Lengths are in elements of `texel` bytes, and 0 means those of the copy. */
static cudaError_t take_operand(const char *call, const struct cudaMemcpy3DOperand *operand,
                                const struct cudaExtent *extent, size_t texel, cudaArray_t *array,
                                struct cudaPos *position, struct cudaPitchedPtr *pointer)
{
	const struct cudaOffset3D *offset = &operand->op.array.offset;
	size_t width = operand->op.ptr.rowLength, height = operand->op.ptr.layerHeight, pitch;
	if (is_array(operand)) {
		*array = operand->op.array.array;
		*position = (struct cudaPos){offset->x, offset->y, offset->z};
		return cudaSuccess;
	}
	width = width ? width : extent->width;
	height = height ? height : extent->height;
	if (width < extent->width || height < extent->height || __builtin_mul_overflow(width, texel, &pitch))
		return runtime_refuse(call, cudaErrorInvalidValue,
		                      "rows of %zu elements and layers of %zu rows for a copy of %zu x %zu", width,
		                      height, extent->width, extent->height);
	*pointer = (struct cudaPitchedPtr){operand->op.ptr.ptr, pitch, pitch, height};
	return cudaSuccess;
}

/* Checks an operation and converts it to the form of cudaMemcpy3DAsync(). */
static cudaError_t take_box(struct runtime *runtime, const char *call, cudaStream_t stream,
                            const struct cudaMemcpy3DBatchOp *operation, struct cudaMemcpy3DParms *box)
{
	const struct cudaExtent extent = operation->extent;
	size_t texel = 0;
	*box = (struct cudaMemcpy3DParms){.extent = extent, .kind = cudaMemcpyDefault};
	cudaError_t result = check_attributes(runtime, call, stream, operation->srcAccessOrder, operation->flags);
	if (result == cudaSuccess && (!extent.width || !extent.height || !extent.depth))
		result = runtime_refuse(call, cudaErrorInvalidValue, "a copy of %zu x %zu x %zu elements", extent.width,
		                        extent.height, extent.depth);
	if (result == cudaSuccess)
		result = check_operand(runtime, call, &operation->src, &texel);
	if (result == cudaSuccess)
		result = check_operand(runtime, call, &operation->dst, &texel);
	texel = texel ? texel : 1;
	if (result == cudaSuccess)
		result =
			take_operand(call, &operation->src, &extent, texel, &box->srcArray, &box->srcPos, &box->srcPtr);
	if (result == cudaSuccess)
		result =
			take_operand(call, &operation->dst, &extent, texel, &box->dstArray, &box->dstPos, &box->dstPtr);
	return result;
}

static cudaError_t run_boxes(const struct cudaMemcpy3DBatchOp *list, size_t count, size_t *wrong,
                             unsigned long long flags, cudaStream_t stream)
{
	static const char call[] = "cudaMemcpy3DBatchAsync";
	struct runtime *runtime = runtime_enter_beside();
	struct cudaMemcpy3DParms box;
	cudaError_t result = enter_stream(runtime, call, stream);
	*wrong = (size_t)NO_OPERATION;
	if (result == cudaSuccess)
		result = check_lists(call, list && count);
	if (result == cudaSuccess && flags)
		result = runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%llx", flags);
	for (size_t i = 0; i < 2 * count && result == cudaSuccess; i++) {
		const struct cudaMemcpy3DBatchOp *operation = &list[i % count];
		result = take_box(runtime, call, stream, operation, &box);
		if (result == cudaSuccess && i >= count) /* all are valid */
			result = copy_run_box(runtime, call, order_of(stream, operation->srcAccessOrder), &box);
		if (result != cudaSuccess)
			*wrong = i % count;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list, size_t *wrong,
                                   unsigned long long flags, cudaStream_t stream)
{
	size_t unused;
	return run_boxes(list, count, wrong ? wrong : &unused, flags, stream);
}

cudaError_t abi13_cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                                         cudaStream_t stream)
{
	size_t unused;
	return run_boxes(list, count, &unused, flags, stream);
}

/* ---- hints on managed memory ---- */

struct hints {
	const char *call;
	void *const *pointers;
	const size_t *sizes;
	size_t count;
	bool prefetches;
	const struct cudaMemLocation *locations;
	const size_t *starts;
	size_t location_count;
	unsigned long long flags;
	cudaStream_t stream;
};

static cudaError_t check_hints(struct runtime *runtime, const struct hints *batch)
{
	const char *call = batch->call;
	int device;
	cudaError_t result = enter_stream(runtime, call, batch->stream);
	if (result == cudaSuccess)
		result = check_lists(call, batch->pointers && batch->sizes && batch->count);
	if (result == cudaSuccess && batch->flags)
		result = runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%llx", batch->flags);
	if (result == cudaSuccess && batch->prefetches) {
		result = check_lists(call, batch->locations);
		if (result == cudaSuccess)
			result = check_starts(call, batch->starts, batch->location_count, batch->count);
		for (size_t k = 0; k < batch->location_count && result == cudaSuccess; k++)
			result = managed_location(call, batch->locations[k], &device);
	}
	for (size_t i = 0; i < batch->count && result == cudaSuccess; i++)
		result = managed_check(runtime, call, batch->pointers[i], batch->sizes[i]);
	return result;
}

/* Discarded memory keeps its data, because host and device share it. */
static cudaError_t run_hints(const struct hints *batch)
{
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = check_hints(runtime, batch);
	size_t entry = 0;
	for (size_t i = 0; batch->prefetches && i < batch->count && result == cudaSuccess; i++) {
		int device;
		advance(&entry, batch->starts, batch->location_count, i);
		result = managed_location(batch->call, batch->locations[entry], &device);
		if (result == cudaSuccess)
			result = managed_prefetch(runtime, batch->call, batch->pointers[i], batch->sizes[i], device);
	}
	return runtime_leave(runtime, result);
}

static cudaError_t prefetch(const char *call, void *const *pointers, const size_t *sizes, size_t count,
                            const struct cudaMemLocation *locations, const size_t *starts, size_t location_count,
                            unsigned long long flags, cudaStream_t stream)
{
	const struct hints batch = {.call = call,
	                            .pointers = pointers,
	                            .sizes = sizes,
	                            .count = count,
	                            .prefetches = true,
	                            .locations = locations,
	                            .starts = starts,
	                            .location_count = location_count,
	                            .flags = flags,
	                            .stream = stream};
	return run_hints(&batch);
}

cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *locations,
                                      size_t *starts, size_t location_count, unsigned long long flags,
                                      cudaStream_t stream)
{
	return prefetch("cudaMemPrefetchBatchAsync", pointers, sizes, count, locations, starts, location_count, flags,
	                stream);
}

cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream)
{
	const struct hints batch = {.call = "cudaMemDiscardBatchAsync",
	                            .pointers = pointers,
	                            .sizes = sizes,
	                            .count = count,
	                            .flags = flags,
	                            .stream = stream};
	return run_hints(&batch);
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                struct cudaMemLocation *locations, size_t *starts,
                                                size_t location_count, unsigned long long flags, cudaStream_t stream)
{
	return prefetch("cudaMemDiscardAndPrefetchBatchAsync", pointers, sizes, count, locations, starts,
	                location_count, flags, stream);
}
