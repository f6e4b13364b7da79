/* CUDA arrays and mipmapped arrays: creation, queries, release. */
#include "cudart/array.h"
#include "cudart/leaks.h"

#include "base/arena.h"
#include "base/list.h"

#include <stdlib.h>

/* ---- formats ---- */

/* A 16-bit channel is a float when the format's kind says so; there is no 8-bit float. */
cudaError_t array_format(const char *call, const struct cudaChannelFormatDesc *format, struct sluice_image *image)
{
	const int bits[4] = {format->x, format->y, format->z, format->w};
	uint32_t channels = 0;
	while (channels < 4 && bits[channels] == bits[0] && bits[channels] > 0)
		channels++;
	bool good = channels == 1 || channels == 2 || channels == 4;
	for (uint32_t c = channels; c < 4; c++)
		good &= bits[c] == 0;
	good &= bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
	good &= (unsigned)format->f <= cudaChannelFormatKindFloat &&
	        (format->f != cudaChannelFormatKindFloat || bits[0] > 8);
	if (!good)
		return runtime_refuse(call, cudaErrorInvalidChannelDescriptor,
		                      "texels of %d, %d, %d and %d bits, kind %d", format->x, format->y, format->z,
		                      format->w, (int)format->f);
	image->channels = channels;
	image->channel_bits = (uint32_t)bits[0];
	image->channel = (enum sluice_channel)format->f; /* both enums have the same order */
	return cudaSuccess;
}

/* ---- arrays ---- */

static cudaError_t check_known(const struct runtime *runtime, const char *call, bool is_known, const void *handle,
                               const char *kind)
{
	if (is_known || runtime->error != cudaSuccess)
		return runtime->error;
	return runtime_refuse(call, cudaErrorInvalidValue, "%p is not %s", handle, kind);
}

cudaError_t array_check(const struct runtime *runtime, const char *call, cudaArray_const_t array)
{
	const struct cudaArray *known = runtime->arrays;
	while (known && known != array)
		known = known->next;
	return check_known(runtime, call, known, array, "an array");
}

cudaError_t mipmapped_check(const struct runtime *runtime, const char *call, cudaMipmappedArray_const_t mipmap)
{
	const struct cudaMipmappedArray *known = runtime->mipmaps;
	while (known && known != mipmap)
		known = known->next;
	return check_known(runtime, call, known, mipmap, "a mipmapped array");
}

static uint32_t at_least_one(size_t size)
{
	return size > UINT32_MAX ? UINT32_MAX : size ? (uint32_t)size : 1;
}

/* Computes the image's shape from an extent, in which 0 means a missing dimension. */
static cudaError_t shape(const char *call, struct cudaArray *array, uint32_t levels)
{
	const struct cudaExtent *extent = &array->extent;
	bool layered = array->flags & cudaArrayLayered, cube = array->flags & cudaArrayCubemap;
	struct sluice_image *image = &array->image;
	*image = (struct sluice_image){SLUICE_SIZED(image), .tiled = true, .cube = cube, .levels = levels};
	cudaError_t result = array_format(call, &array->format, image);
	if (result != cudaSuccess)
		return result;
	image->dimensions = !extent->height ? 1 : !extent->depth || layered || cube ? 2 : 3;
	image->width = at_least_one(extent->width);
	image->height = at_least_one(extent->height);
	image->depth = image->dimensions == 3 ? at_least_one(extent->depth) : 1;
	image->layers = layered || cube ? at_least_one(extent->depth) : 1;
	bool fits = extent->width && (extent->height || !extent->depth || layered) && (!layered || extent->depth) &&
	            (!cube || (extent->width == extent->height && extent->depth % 6 == 0 && extent->depth &&
	                       (layered || extent->depth == 6)));
	if (fits)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorInvalidValue, "an array of %zu x %zu x %zu texels with flags 0x%x",
	                      extent->width, extent->height, extent->depth, array->flags);
}

static cudaError_t reserve(struct runtime *runtime, const char *call, struct cudaArray *array)
{
	struct sluice_error error = {0};
	uint64_t bytes;
	if (!sluice_image_bytes(&array->image, &bytes, &error) ||
	    sluice_alloc(runtime->gpu, bytes, &array->image.address, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	leaks_note(runtime, call, array->image.address);
	return cudaSuccess;
}

static cudaError_t make_array(const char *call, cudaArray_t *made, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags)
{
	struct runtime *runtime = runtime_enter();
	struct cudaArray array = {.extent = extent, .flags = flags};
	cudaError_t result = runtime_check(runtime, call, made && format);
	if (result == cudaSuccess) {
		array.format = *format;
		result = shape(call, &array, 1);
	}
	if (result == cudaSuccess)
		result = reserve(runtime, call, &array);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	array.next = runtime->arrays;
	*made = runtime->arrays = base_malloc(sizeof array);
	*runtime->arrays = array;
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags)
{
	return make_array("cudaMallocArray", array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags)
{
	return make_array("cudaMalloc3DArray", array, desc, extent, flags);
}

static void forget_array(struct runtime *runtime, cudaArray_const_t array)
{
	struct cudaArray **link = &runtime->arrays;
	while (*link != array)
		link = &(*link)->next;
	struct cudaArray *gone = *link;
	*link = gone->next;
	free(gone);
}

static cudaError_t release(struct runtime *runtime, const char *call, uint64_t address)
{
	struct sluice_error error = {0};
	return sluice_free(runtime->gpu, address, &error) == SLUICE_OK ? cudaSuccess
	                                                               : runtime_report(runtime, call, &error);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	static const char call[] = "cudaFreeArray";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = array ? array_check(runtime, call, array) : runtime->error;
	if (result == cudaSuccess && array && array->owner)
		result = runtime_refuse(call, cudaErrorInvalidValue, "it is a level of a mipmapped array");
	if (result == cudaSuccess && array) {
		result = release(runtime, call, array->image.address);
		forget_array(runtime, array);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
	static const char call[] = "cudaGetChannelDesc";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, desc);
	if (result == cudaSuccess)
		result = array_check(runtime, call, array);
	if (result == cudaSuccess)
		*desc = array->format;
	return runtime_leave(runtime, result);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = array_check(runtime, "cudaArrayGetInfo", array);
	if (result == cudaSuccess && desc)
		*desc = array->format;
	if (result == cudaSuccess && extent)
		*extent = array->extent;
	if (result == cudaSuccess && flags)
		*flags = array->flags;
	return runtime_leave(runtime, result);
}

/* ---- mipmapped arrays ---- */

static size_t halved(size_t size, uint32_t level)
{
	return size && !(size >> level) ? 1 : size >> level;
}

static struct cudaArray *level_of(struct runtime *runtime, struct cudaMipmappedArray *mipmap, uint32_t l)
{
	struct cudaArray *level = base_malloc(sizeof *level);
	*level = mipmap->whole;
	level->extent.width = halved(mipmap->whole.extent.width, l);
	level->extent.height = halved(mipmap->whole.extent.height, l);
	if (mipmap->whole.image.dimensions == 3)
		level->extent.depth = halved(mipmap->whole.extent.depth, l);
	uint64_t run;
	level->image.address = sluice_image_row(&mipmap->whole.image, l, 0, 0, 0, &run);
	level->image.width = at_least_one(level->extent.width);
	level->image.height = at_least_one(level->extent.height);
	level->image.depth = level->image.dimensions == 3 ? at_least_one(level->extent.depth) : 1;
	level->image.levels = 1;
	level->level = l;
	level->owner = mipmap;
	level->next = runtime->arrays;
	return runtime->arrays = level;
}

/* Returns the number of levels down to one texel. */
static uint32_t most_levels(const struct cudaExtent *extent, bool with_depth)
{
	size_t most = extent->width > extent->height ? extent->width : extent->height;
	if (with_depth && extent->depth > most)
		most = extent->depth;
	uint32_t levels = 1;
	while (most >> levels)
		levels++;
	return levels < 16 ? levels : 16;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *made, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int levels, unsigned int flags)
{
	static const char call[] = "cudaMallocMipmappedArray";
	struct runtime *runtime = runtime_enter();
	struct cudaArray whole = {.extent = extent, .flags = flags};
	cudaError_t result = runtime_check(runtime, call, made && desc);
	if (result == cudaSuccess && !levels)
		result = runtime_refuse(call, cudaErrorInvalidValue, "no levels");
	if (result == cudaSuccess) {
		whole.format = *desc;
		result = shape(call, &whole, 1);
		uint32_t most = most_levels(&extent, whole.image.dimensions == 3);
		whole.image.levels = levels < most ? levels : most; /* CUDA clamps the number of levels, too */
	}
	if (result == cudaSuccess)
		result = reserve(runtime, call, &whole);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	struct cudaMipmappedArray *mipmap = base_calloc(1, sizeof *mipmap);
	mipmap->whole = whole;
	for (uint32_t l = 0; l < whole.image.levels; l++)
		mipmap->level[l] = level_of(runtime, mipmap, l);
	mipmap->next = runtime->mipmaps;
	*made = runtime->mipmaps = mipmap;
	return runtime_leave(runtime, cudaSuccess);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmap, unsigned int level)
{
	static const char call[] = "cudaGetMipmappedArrayLevel";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, array);
	if (result == cudaSuccess)
		result = mipmapped_check(runtime, call, mipmap);
	if (result == cudaSuccess && level >= mipmap->whole.image.levels)
		result = runtime_refuse(call, cudaErrorInvalidValue, "level %u of %u", level,
		                        mipmap->whole.image.levels);
	if (result == cudaSuccess)
		*array = mipmap->level[level];
	return runtime_leave(runtime, result);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
	static const char call[] = "cudaFreeMipmappedArray";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = mipmap ? mipmapped_check(runtime, call, mipmap) : runtime->error;
	if (result != cudaSuccess || !mipmap)
		return runtime_leave(runtime, result);
	result = release(runtime, call, mipmap->whole.image.address);
	for (uint32_t l = 0; l < mipmap->whole.image.levels; l++)
		forget_array(runtime, mipmap->level[l]);
	struct cudaMipmappedArray **link = &runtime->mipmaps;
	while (*link != mipmap)
		link = &(*link)->next;
	*link = mipmap->next;
	free(mipmap);
	return runtime_leave(runtime, result);
}

void arrays_free(struct runtime *runtime)
{
	while (runtime->arrays)
		forget_array(runtime, runtime->arrays);
	LIST_FREE(runtime->mipmaps);
}
