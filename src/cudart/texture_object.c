/* Texture and surface objects. */
#include "cudart/texture.h"

#include "base/arena.h"
#include "base/list.h"

#include <stdlib.h>
#include <string.h>

/* An object created by the program. */
struct texture_object {
	uint64_t handle;
	bool is_surface;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc texture;
	struct cudaResourceViewDesc view;
	struct texture_object *next;
};

static struct sluice_sampler object_sampler(const struct cudaTextureDesc *texture)
{
	struct sluice_sampler sampler = {SLUICE_SIZED(sampler),
	                                 .linear = texture->filterMode == cudaFilterModeLinear,
	                                 .normalized = texture->normalizedCoords,
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
		return texture_linear_image(runtime, call, (uintptr_t)resource->res.linear.devPtr,
		                            resource->res.linear.sizeInBytes, &resource->res.linear.desc, image);
	case cudaResourceTypePitch2D:
		return texture_pitched_image(call, (uintptr_t)resource->res.pitch2D.devPtr, &resource->res.pitch2D.desc,
		                             resource->res.pitch2D.width, resource->res.pitch2D.height,
		                             resource->res.pitch2D.pitchInBytes, image);
	}
	return runtime_refuse(call, cudaErrorInvalidValue, "%d is not a kind of resource", (int)resource->resType);
}

/* Accepts only views of the whole resource in its own format; other views are not implemented. */
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
	struct texture_object *kept = base_malloc(sizeof *kept);
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
	struct sluice_image image = {SLUICE_SIZED(image)};
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
		is_linear ? texture_linear_sampler(texture->readMode == cudaReadModeNormalizedFloat, texture->sRGB)
			  : object_sampler(texture);
	struct texture_object object = {.resource = *resource, .texture = *texture};
	if (view)
		object.view = *view;
	result = texture_check_reads(call, &image, &sampler);
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
	const struct sluice_sampler sampler = {SLUICE_SIZED(sampler)};
	uint64_t handle;
	cudaError_t result = runtime_check(runtime, call, made && resource);
	if (result == cudaSuccess && resource->resType != cudaResourceTypeArray)
		result = runtime_refuse(call, cudaErrorInvalidValue, "a surface needs an array");
	if (result == cudaSuccess)
		result = texture_check_surface(runtime, call, resource->res.array.array);
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

/* Copies a part of the object's stored description. */
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

void texture_objects_free(struct runtime *runtime)
{
	LIST_FREE(runtime->objects);
}
