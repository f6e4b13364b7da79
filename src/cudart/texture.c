/* Texture and surface references, by the host's variables for them, and texture and surface objects. */
#include "cudart/array.h"

#include "cudart/host_memory.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* To a multiple of which linear memory begins for a texture; what is over goes into the offset that a program adds. */
enum { BASE_ALIGN = 256 };

/* A reference that the compiler has registered. */
struct texture_reference {
	const void *host;
	const char *name;
	struct binary *binary;
	bool reads_floats, is_bound, is_linear;
	size_t offset;
	struct sluice_image image;    /* while it is bound: what, */
	struct textureReference seen; /* and how, as the host's variable said it */
	struct texture_reference *next;
};

/* An object that the program has made. */
struct texture_object {
	uint64_t handle;
	bool is_surface;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc texture;
	struct cudaResourceViewDesc view;
	struct texture_object *next;
};

/* ---- what the compiler calls ---- */

static void add_reference(void **handle, const void *host, const char *name, bool reads_floats)
{
	struct runtime *runtime = runtime_enter_closed();
	struct texture_reference *reference = xcalloc(1, sizeof *reference);
	*reference = (struct texture_reference){.host = host,
	                                        .name = name,
	                                        .binary = (struct binary *)handle,
	                                        .reads_floats = reads_floats,
	                                        .next = runtime->references};
	runtime->references = reference;
	runtime_leave(runtime, cudaSuccess);
}

void __cudaRegisterTexture(void **handle, const struct textureReference *host_variable, const void **device_address,
                           const char *device_name, int dimensions, int normalized, int is_extern)
{
	(void)device_address, (void)dimensions, (void)is_extern;
	add_reference(handle, host_variable, device_name, normalized);
}

void __cudaRegisterSurface(void **handle, const struct surfaceReference *host_variable, const void **device_address,
                           const char *device_name, int dimensions, int is_extern)
{
	(void)device_address, (void)dimensions, (void)is_extern;
	add_reference(handle, host_variable, device_name, false);
}

/* ---- references ---- */

static struct texture_reference *find_reference(struct runtime *runtime, const void *host)
{
	struct texture_reference *reference = runtime->references;
	while (reference && reference->host != host)
		reference = reference->next;
	return reference;
}

/* The registered reference and its handle; loads its module. */
static cudaError_t open_reference(struct runtime *runtime, const char *call, cudaError_t wrong, const void *host,
                                  struct texture_reference **reference, uint64_t *handle)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	*reference = host ? find_reference(runtime, host) : NULL;
	if (!*reference)
		return runtime_refuse(call, wrong, "%p is no texture or surface reference of the program", host);
	cudaError_t result = runtime_load(runtime, (*reference)->binary);
	if (result != cudaSuccess)
		return result;
	if (sluice_find_texture((*reference)->binary->module, (*reference)->name, handle))
		return cudaSuccess;
	return runtime_refuse(call, wrong, "the device code has no texture '%s'", (*reference)->name);
}

/* Which reads a format allows. */
static cudaError_t check_reads(const char *call, const struct sluice_image *image, const struct sluice_sampler *sampler)
{
	bool is_float = image->channel == SLUICE_FLOAT;
	if (sampler->reads_floats && image->channel_bits == 32 && !is_float)
		return runtime_refuse(call, cudaErrorInvalidNormSetting, "whole numbers of 32 bits read as fractions");
	if (sampler->linear && !is_float && !sampler->reads_floats)
		return runtime_refuse(call, cudaErrorInvalidFilterSetting,
		                      "a linear filter of whole numbers that are not read as fractions");
	return cudaSuccess;
}

static struct sluice_sampler sampler_of(const struct textureReference *texture, bool reads_floats)
{
	struct sluice_sampler sampler = {.linear = texture->filterMode == cudaFilterModeLinear,
	                                 .normalised = texture->normalized,
	                                 .reads_floats = reads_floats,
	                                 .srgb = texture->sRGB,
	                                 .level_bias = texture->mipmapLevelBias,
	                                 .lowest_level = texture->minMipmapLevelClamp,
	                                 .highest_level = texture->maxMipmapLevelClamp};
	for (unsigned d = 0; d < 3; d++)
		sampler.outside[d] = (enum sluice_outside)texture->addressMode[d]; /* the same order */
	return sampler;
}

/* Reads of linear memory outside of it give 0, and have no filter. */
static struct sluice_sampler linear_sampler(bool reads_floats, bool srgb)
{
	return (struct sluice_sampler){
		.outside = {SLUICE_BORDER, SLUICE_BORDER, SLUICE_BORDER}, .reads_floats = reads_floats, .srgb = srgb};
}

/* Bytes of an allocation from an address on, at most `size`; 0: there is none. */
static uint64_t bytes_at(struct runtime *runtime, uint64_t address, uint64_t size)
{
	uint64_t base, all;
	if (!memory_find(runtime, (const void *)(uintptr_t)address, &base, &all))
		return 0;
	return all - (address - base) < size ? all - (address - base) : size;
}

static cudaError_t bind(struct runtime *runtime, const char *call, const struct textureReference *texture,
                        const struct sluice_image *image, bool is_linear)
{
	struct texture_reference *reference;
	struct sluice_error error = {0};
	uint64_t handle;
	cudaError_t result = open_reference(runtime, call, cudaErrorInvalidTexture, texture, &reference, &handle);
	if (result != cudaSuccess)
		return result;
	const struct sluice_sampler sampler = is_linear ? linear_sampler(reference->reads_floats, texture->sRGB)
	                                                : sampler_of(texture, reference->reads_floats);
	result = check_reads(call, image, &sampler);
	if (result != cudaSuccess)
		return result;
	if (sluice_texture_bind(runtime->gpu, handle, image, &sampler, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	reference->is_bound = true;
	reference->is_linear = is_linear;
	reference->offset = 0;
	reference->image = *image;
	reference->seen = *texture;
	return cudaSuccess;
}

/* Programs change a reference's attributes between launches without binding it again, and CUDA's runtime looks at them then. */
cudaError_t texture_references_refresh(struct runtime *runtime, const char *call)
{
	for (struct texture_reference *reference = runtime->references; reference; reference = reference->next) {
		if (!reference->is_bound || memcmp(&reference->seen, reference->host, sizeof reference->seen) == 0 ||
		    !bytes_at(runtime, reference->image.address,
		              1)) /* what was freed since is found out when it is read */
			continue;
		size_t offset = reference->offset;
		cudaError_t result = bind(runtime, call, reference->host, &reference->image, reference->is_linear);
		if (result != cudaSuccess)
			return result;
		reference->offset = offset;
	}
	return cudaSuccess;
}

/* Memory that a texture looks at begins at a multiple of BASE_ALIGN. */
static cudaError_t align_base(const char *call, size_t *offset, uint64_t *address)
{
	size_t over = *address % BASE_ALIGN;
	if (over && !offset)
		return runtime_refuse(call, cudaErrorInvalidValue, "misaligned memory, and no room for the offset");
	*address -= over;
	if (offset)
		*offset = over;
	return cudaSuccess;
}

static cudaError_t linear_image(struct runtime *runtime, const char *call, uint64_t address, uint64_t size,
                                const struct cudaChannelFormatDesc *format, struct sluice_image *image)
{
	*image = (struct sluice_image){
		.address = address, .dimensions = 1, .height = 1, .depth = 1, .layers = 1, .levels = 1};
	cudaError_t result = array_format(call, format, image);
	if (result != cudaSuccess)
		return result;
	uint32_t texel = image->channels * image->channel_bits / 8;
	uint64_t texels = bytes_at(runtime, address, size) / texel;
	if (!texels)
		return runtime_refuse(call, cudaErrorInvalidValue, "%p is in no allocation of the device",
		                      (void *)(uintptr_t)address);
	image->width = texels < 1 << 27 ? (uint32_t)texels : 1 << 27; /* cudaDeviceProp.maxTexture1DLinear */
	image->pitch = (uint64_t)image->width * texel;
	return cudaSuccess;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *pointer,
                            const struct cudaChannelFormatDesc *desc, size_t size)
{
	static const char call[] = "cudaBindTexture";
	struct runtime *runtime = runtime_enter();
	struct sluice_image image;
	uint64_t address = (uintptr_t)pointer;
	cudaError_t result = runtime_check(runtime, call, texture && desc && pointer);
	size_t over = 0;
	if (result == cudaSuccess)
		result = align_base(call, offset ? &over : NULL, &address);
	if (result == cudaSuccess)
		result = linear_image(runtime, call, address, size > SIZE_MAX - over ? SIZE_MAX : size + over, desc,
		                      &image);
	if (result == cudaSuccess)
		result = bind(runtime, call, texture, &image, true);
	if (result == cudaSuccess) {
		find_reference(runtime, texture)->offset = over;
		if (offset)
			*offset = over;
	}
	return runtime_leave(runtime, result);
}

static cudaError_t pitched_image(const char *call, uint64_t address, const struct cudaChannelFormatDesc *format,
                                 size_t width, size_t height, size_t pitch, struct sluice_image *image)
{
	*image = (struct sluice_image){.address = address,
	                               .dimensions = 2,
	                               .width = (uint32_t)width,
	                               .height = (uint32_t)height,
	                               .depth = 1,
	                               .layers = 1,
	                               .levels = 1,
	                               .pitch = pitch};
	if (!width || !height || width > 1 << 27 || height > 1 << 16)
		return runtime_refuse(call, cudaErrorInvalidValue, "an image of %zu x %zu texels", width, height);
	return array_format(call, format, image);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *pointer,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
	static const char call[] = "cudaBindTexture2D";
	struct runtime *runtime = runtime_enter();
	struct sluice_image image;
	size_t over = 0;
	uint64_t address = (uintptr_t)pointer;
	cudaError_t result = runtime_check(runtime, call, texture && desc && pointer);
	if (result == cudaSuccess)
		result = align_base(call, offset ? &over : NULL, &address);
	if (result == cudaSuccess)
		result = pitched_image(call, address, desc, width, height, pitch, &image);
	if (result == cudaSuccess)
		result = bind(runtime, call, texture, &image, false);
	if (result == cudaSuccess) {
		find_reference(runtime, texture)->offset = over;
		if (offset)
			*offset = over;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
	static const char call[] = "cudaBindTextureToArray";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, texture && desc);
	if (result == cudaSuccess)
		result = array_check(runtime, call, array);
	if (result == cudaSuccess)
		result = bind(runtime, call, texture, &array->image, false);
	return runtime_leave(runtime, result);
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texture, cudaMipmappedArray_const_t mipmap,
                                            const struct cudaChannelFormatDesc *desc)
{
	static const char call[] = "cudaBindTextureToMipmappedArray";
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, texture && desc);
	if (result == cudaSuccess)
		result = mipmapped_check(runtime, call, mipmap);
	if (result == cudaSuccess)
		result = bind(runtime, call, texture, &mipmap->whole.image, false);
	return runtime_leave(runtime, result);
}

cudaError_t cudaUnbindTexture(const struct textureReference *texture)
{
	static const char call[] = "cudaUnbindTexture";
	struct runtime *runtime = runtime_enter();
	struct texture_reference *reference;
	struct sluice_error error = {0};
	uint64_t handle;
	cudaError_t result = open_reference(runtime, call, cudaErrorInvalidTexture, texture, &reference, &handle);
	if (result == cudaSuccess) {
		reference->is_bound = false;
		sluice_texture_bind(runtime->gpu, handle, NULL, NULL, &error);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture)
{
	static const char call[] = "cudaGetTextureAlignmentOffset";
	struct runtime *runtime = runtime_enter();
	const struct texture_reference *reference = find_reference(runtime, texture);
	cudaError_t result = runtime_check(runtime, call, offset);
	if (result == cudaSuccess && !reference)
		result = runtime_refuse(call, cudaErrorInvalidTexture, "%p is no texture reference of the program",
		                        (const void *)texture);
	if (result == cudaSuccess && !reference->is_bound)
		result = runtime_refuse(call, cudaErrorInvalidTextureBinding, "texture '%s' is not bound",
		                        reference->name);
	if (result == cudaSuccess)
		*offset = reference->offset;
	return runtime_leave(runtime, result);
}

/* A reference as programs name it: the host's variable or, in old programs, its name. */
struct named {
	const struct texture_reference *references, *found;
	const char *name;
};

static void find_name(void *user)
{
	struct named *named = user;
	for (const struct texture_reference *r = named->references; r && !named->found; r = r->next)
		if (strcmp(r->name, named->name) == 0)
			named->found = r;
}

static cudaError_t get_reference(const char *call, cudaError_t wrong, const void **host, const void *symbol)
{
	struct runtime *runtime = runtime_enter();
	cudaError_t result = runtime_check(runtime, call, host);
	const void *missing;
	struct named named = {.references = runtime->references, .name = symbol};
	if (result == cudaSuccess && symbol)
		named.found = find_reference(runtime, symbol);
	if (result == cudaSuccess && symbol && !named.found)
		access_guarded(find_name, &named, &missing); /* what is no text is no name */
	if (result == cudaSuccess && !named.found)
		result = runtime_refuse(call, wrong, "%p is no reference of the program", symbol);
	if (result == cudaSuccess)
		*host = named.found->host;
	return runtime_leave(runtime, result);
}

cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol)
{
	return get_reference("cudaGetTextureReference", cudaErrorInvalidTexture, (const void **)texture, symbol);
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol)
{
	return get_reference("cudaGetSurfaceReference", cudaErrorInvalidSurface, (const void **)surface, symbol);
}

static cudaError_t check_surface_array(struct runtime *runtime, const char *call, cudaArray_const_t array)
{
	cudaError_t result = array_check(runtime, call, array);
	if (result == cudaSuccess && !(array->flags & cudaArraySurfaceLoadStore))
		result = runtime_refuse(call, cudaErrorInvalidValue,
		                        "the array was made without cudaArraySurfaceLoadStore");
	return result;
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
	static const char call[] = "cudaBindSurfaceToArray";
	struct runtime *runtime = runtime_enter();
	struct texture_reference *reference;
	struct sluice_error error = {0};
	const struct sluice_sampler sampler = {0};
	uint64_t handle;
	cudaError_t result = runtime_check(runtime, call, surface && desc);
	if (result == cudaSuccess)
		result = check_surface_array(runtime, call, array);
	if (result == cudaSuccess)
		result = open_reference(runtime, call, cudaErrorInvalidSurface, surface, &reference, &handle);
	if (result == cudaSuccess &&
	    sluice_texture_bind(runtime->gpu, handle, &array->image, &sampler, &error) != SLUICE_OK)
		result = runtime_report(runtime, call, &error);
	return runtime_leave(runtime, result);
}

/* ---- objects ---- */

static struct sluice_sampler object_sampler(const struct cudaTextureDesc *texture)
{
	struct sluice_sampler sampler = {.linear = texture->filterMode == cudaFilterModeLinear,
	                                 .normalised = texture->normalizedCoords,
	                                 .reads_floats = texture->readMode == cudaReadModeNormalizedFloat,
	                                 .srgb = texture->sRGB,
	                                 .level_bias = texture->mipmapLevelBias,
	                                 .lowest_level = texture->minMipmapLevelClamp,
	                                 .highest_level = texture->maxMipmapLevelClamp};
	for (unsigned d = 0; d < 3; d++)
		sampler.outside[d] = (enum sluice_outside)texture->addressMode[d];
	memcpy(sampler.border, texture->borderColor, sizeof sampler.border);
	return sampler;
}

static cudaError_t resource_image(struct runtime *runtime, const char *call, const struct cudaResourceDesc *resource,
                                  struct sluice_image *image)
{
	cudaError_t result;
	switch (resource->resType) {
	case cudaResourceTypeArray:
		result = array_check(runtime, call, resource->res.array.array);
		if (result == cudaSuccess)
			*image = resource->res.array.array->image;
		return result;
	case cudaResourceTypeMipmappedArray:
		result = mipmapped_check(runtime, call, resource->res.mipmap.mipmap);
		if (result == cudaSuccess)
			*image = resource->res.mipmap.mipmap->whole.image;
		return result;
	case cudaResourceTypeLinear:
		return linear_image(runtime, call, (uintptr_t)resource->res.linear.devPtr,
		                    resource->res.linear.sizeInBytes, &resource->res.linear.desc, image);
	case cudaResourceTypePitch2D:
		return pitched_image(call, (uintptr_t)resource->res.pitch2D.devPtr, &resource->res.pitch2D.desc,
		                     resource->res.pitch2D.width, resource->res.pitch2D.height,
		                     resource->res.pitch2D.pitchInBytes, image);
	}
	return runtime_refuse(call, cudaErrorInvalidValue, "%d is no kind of resource", (int)resource->resType);
}

/* What is looked at of the resource: all of it, in its own format; anything else is not there yet. */
static cudaError_t check_view(const char *call, const struct cudaResourceViewDesc *view,
                              const struct sluice_image *image)
{
	if (!view)
		return cudaSuccess;
	bool whole = !view->firstMipmapLevel && !view->firstLayer && (!view->width || view->width == image->width) &&
	             (!view->height || view->height == image->height);
	if (whole)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorNotSupported, "a view of a part of the resource is not implemented");
}

static cudaError_t add_object(struct runtime *runtime, const char *call, struct texture_object object,
                              const struct sluice_image *image, const struct sluice_sampler *sampler, uint64_t *handle)
{
	struct sluice_error error = {0};
	if (sluice_texture_create(runtime->gpu, image, sampler, &object.handle, &error) != SLUICE_OK)
		return runtime_report(runtime, call, &error);
	struct texture_object *kept = xmalloc(sizeof *kept);
	object.next = runtime->objects;
	*kept = object;
	runtime->objects = kept;
	*handle = object.handle;
	return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *made, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
	static const char call[] = "cudaCreateTextureObject";
	struct runtime *runtime = runtime_enter();
	struct sluice_image image = {0};
	uint64_t handle;
	cudaError_t result = runtime_check(runtime, call, made && resource && texture);
	if (result == cudaSuccess)
		result = resource_image(runtime, call, resource, &image);
	if (result == cudaSuccess)
		result = check_view(call, view, &image);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	bool is_linear = resource->resType == cudaResourceTypeLinear;
	const struct sluice_sampler sampler =
		is_linear ? linear_sampler(texture->readMode == cudaReadModeNormalizedFloat, texture->sRGB)
			  : object_sampler(texture);
	struct texture_object object = {.resource = *resource, .texture = *texture};
	if (view)
		object.view = *view;
	result = check_reads(call, &image, &sampler);
	if (result == cudaSuccess)
		result = add_object(runtime, call, object, &image, &sampler, &handle);
	if (result == cudaSuccess)
		*made = handle;
	return runtime_leave(runtime, result);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *made, const struct cudaResourceDesc *resource)
{
	static const char call[] = "cudaCreateSurfaceObject";
	struct runtime *runtime = runtime_enter();
	const struct sluice_sampler sampler = {0};
	uint64_t handle;
	cudaError_t result = runtime_check(runtime, call, made && resource);
	if (result == cudaSuccess && resource->resType != cudaResourceTypeArray)
		result = runtime_refuse(call, cudaErrorInvalidValue, "a surface of what is no array");
	if (result == cudaSuccess)
		result = check_surface_array(runtime, call, resource->res.array.array);
	if (result == cudaSuccess)
		result = add_object(runtime, call, (struct texture_object){.is_surface = true, .resource = *resource},
		                    &resource->res.array.array->image, &sampler, &handle);
	if (result == cudaSuccess)
		*made = handle;
	return runtime_leave(runtime, result);
}

static struct texture_object *find_object(struct runtime *runtime, uint64_t handle, bool is_surface)
{
	struct texture_object *object = runtime->objects;
	while (object && (object->handle != handle || object->is_surface != is_surface))
		object = object->next;
	return object;
}

static cudaError_t destroy(const char *call, uint64_t handle, bool is_surface)
{
	struct runtime *runtime = runtime_enter();
	struct texture_object *object = find_object(runtime, handle, is_surface);
	struct sluice_error error = {0};
	cudaError_t result = runtime->error;
	if (result == cudaSuccess && !object)
		result = runtime_refuse(call, cudaErrorInvalidValue, "0x%llx is no %s object",
		                        (unsigned long long)handle, is_surface ? "surface" : "texture");
	if (result == cudaSuccess) {
		struct texture_object **link = &runtime->objects;
		while (*link != object)
			link = &(*link)->next;
		*link = object->next;
		free(object);
		sluice_texture_destroy(runtime->gpu, handle, &error);
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
	return destroy("cudaDestroyTextureObject", object, false);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
	return destroy("cudaDestroySurfaceObject", object, true);
}

/* Copies a part of what is kept of an object. */
static cudaError_t get(const char *call, uint64_t handle, bool is_surface, void *to, size_t at, size_t size)
{
	struct runtime *runtime = runtime_enter();
	const struct texture_object *object = find_object(runtime, handle, is_surface);
	cudaError_t result = runtime_check(runtime, call, to);
	if (result == cudaSuccess && !object)
		result = runtime_refuse(call, cudaErrorInvalidValue, "0x%llx is no such object",
		                        (unsigned long long)handle);
	if (result == cudaSuccess)
		memcpy(to, (const char *)object + at, size);
	return runtime_leave(runtime, result);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t object)
{
	return get("cudaGetTextureObjectResourceDesc", object, false, resource,
	           offsetof(struct texture_object, resource), sizeof *resource);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture, cudaTextureObject_t object)
{
	return get("cudaGetTextureObjectTextureDesc", object, false, texture, offsetof(struct texture_object, texture),
	           sizeof *texture);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view, cudaTextureObject_t object)
{
	return get("cudaGetTextureObjectResourceViewDesc", object, false, view, offsetof(struct texture_object, view),
	           sizeof *view);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t object)
{
	return get("cudaGetSurfaceObjectResourceDesc", object, true, resource,
	           offsetof(struct texture_object, resource), sizeof *resource);
}

void texture_handles_free(struct runtime *runtime)
{
	for (struct texture_reference *reference = runtime->references, *next; reference; reference = next) {
		next = reference->next;
		free(reference);
	}
	for (struct texture_object *object = runtime->objects, *next; object; object = next) {
		next = object->next;
		free(object);
	}
	runtime->references = NULL;
	runtime->objects = NULL;
}
