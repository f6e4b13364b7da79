/* Texture and surface references, identified by their host variables. */
#include "cudart/texture.h"

#include "base/arena.h"
#include "base/list.h"

#include <stdlib.h>
#include <string.h>

/* The alignment of linear memory bound to a texture. The remainder is returned as the offset that a program adds. */
enum { BASE_ALIGN = 256 };

/* A reference registered by the compiler's code. */
struct texture_reference {
	const void *host;
	const char *name;
	struct binary *binary;
	bool reads_floats, is_bound, is_linear;
	size_t offset;
	struct sluice_image image;    /* the bound image, if any, */
	struct textureReference seen; /* and the host variable's attributes at that time */
	struct texture_reference *next;
};

/* ---- calls by compiled code ---- */

static void add_reference(void **handle, const void *host, const char *name, bool reads_floats)
{
	struct runtime *runtime = runtime_enter_closed();
	struct texture_reference *reference = base_calloc(1, sizeof *reference);
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

/* Returns the registered reference and its handle; loads its module. */
static cudaError_t open_reference(struct runtime *runtime, const char *call, cudaError_t wrong, const void *host,
                                  struct texture_reference **reference, uint64_t *handle)
{
	if (runtime->error != cudaSuccess)
		return runtime->error;
	*reference = host ? find_reference(runtime, host) : NULL;
	if (!*reference)
		return runtime_refuse(call, wrong, "%p is not a texture or surface reference of the program", host);
	cudaError_t result = runtime_load(runtime, (*reference)->binary);
	if (result != cudaSuccess)
		return result;
	if (sluice_find_texture((*reference)->binary->module, (*reference)->name, handle))
		return cudaSuccess;
	return runtime_refuse(call, wrong, "the device code has no texture '%s'", (*reference)->name);
}

static struct sluice_sampler sampler_of(const struct textureReference *texture, bool reads_floats)
{
	struct sluice_sampler sampler = {SLUICE_SIZED(sampler),
	                                 .linear = texture->filterMode == cudaFilterModeLinear,
	                                 .normalized = texture->normalized,
	                                 .reads_floats = reads_floats,
	                                 .srgb = texture->sRGB,
	                                 .level_bias = texture->mipmapLevelBias,
	                                 .lowest_level = texture->minMipmapLevelClamp,
	                                 .highest_level = texture->maxMipmapLevelClamp};
	for (unsigned d = 0; d < 3; d++)
		sampler.outside[d] = (enum sluice_outside)texture->addressMode[d]; /* both enums have the same order */
	return sampler;
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
	const struct sluice_sampler sampler = is_linear ? texture_linear_sampler(reference->reads_floats, texture->sRGB)
	                                                : sampler_of(texture, reference->reads_floats);
	result = texture_check_reads(call, image, &sampler);
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

/* Programs may change a reference's attributes between launches without binding it again. CUDA's runtime reads them at
 * each launch. */
cudaError_t texture_references_refresh(struct runtime *runtime, const char *call)
{
	for (struct texture_reference *reference = runtime->references; reference; reference = reference->next) {
		if (!reference->is_bound || memcmp(&reference->seen, reference->host, sizeof reference->seen) == 0 ||
		    !texture_bytes_at(runtime, reference->image.address,
		                      1)) /* memory freed since then is detected when it is read */
			continue;
		size_t offset = reference->offset;
		cudaError_t result = bind(runtime, call, reference->host, &reference->image, reference->is_linear);
		if (result != cudaSuccess)
			return result;
		reference->offset = offset;
	}
	return cudaSuccess;
}

/* Aligns the base of a texture's memory to BASE_ALIGN. */
static cudaError_t align_base(const char *call, size_t *offset, uint64_t *address)
{
	size_t over = *address % BASE_ALIGN;
	if (over && !offset)
		return runtime_refuse(call, cudaErrorInvalidValue,
		                      "misaligned memory, and the pointer for the offset "
		                      "is NULL");
	*address -= over;
	if (offset)
		*offset = over;
	return cudaSuccess;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *pointer,
                            const struct cudaChannelFormatDesc *desc, size_t size)
{
	static const char call[] = "cudaBindTexture";
	struct runtime *runtime = runtime_enter();
	struct sluice_image image = {SLUICE_SIZED(image)};
	uint64_t address = (uintptr_t)pointer;
	cudaError_t result = runtime_check(runtime, call, texture && desc && pointer);
	size_t over = 0;
	if (result == cudaSuccess)
		result = align_base(call, offset ? &over : NULL, &address);
	if (result == cudaSuccess)
		result = texture_linear_image(runtime, call, address, size > SIZE_MAX - over ? SIZE_MAX : size + over,
		                              desc, &image);
	if (result == cudaSuccess)
		result = bind(runtime, call, texture, &image, true);
	if (result == cudaSuccess) {
		find_reference(runtime, texture)->offset = over;
		if (offset)
			*offset = over;
	}
	return runtime_leave(runtime, result);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *pointer,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
	static const char call[] = "cudaBindTexture2D";
	struct runtime *runtime = runtime_enter();
	struct sluice_image image = {SLUICE_SIZED(image)};
	size_t over = 0;
	uint64_t address = (uintptr_t)pointer;
	cudaError_t result = runtime_check(runtime, call, texture && desc && pointer);
	if (result == cudaSuccess)
		result = align_base(call, offset ? &over : NULL, &address);
	if (result == cudaSuccess)
		result = texture_pitched_image(call, address, desc, width, height, pitch, &image);
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
		result = runtime_refuse(call, cudaErrorInvalidTexture, "%p is not a texture reference of the program",
		                        (const void *)texture);
	if (result == cudaSuccess && !reference->is_bound)
		result = runtime_refuse(call, cudaErrorInvalidTextureBinding, "texture '%s' is not bound",
		                        reference->name);
	if (result == cudaSuccess)
		*offset = reference->offset;
	return runtime_leave(runtime, result);
}

/* A reference given by a program: the host variable or, in old programs, its name. */
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
		access_guarded(find_name, &named, &missing); /* a pointer to unreadable memory is not a name */
	if (result == cudaSuccess && !named.found)
		result = runtime_refuse(call, wrong, "%p is not a reference of the program", symbol);
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

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
	static const char call[] = "cudaBindSurfaceToArray";
	struct runtime *runtime = runtime_enter();
	struct texture_reference *reference;
	struct sluice_error error = {0};
	const struct sluice_sampler sampler = {SLUICE_SIZED(sampler)};
	uint64_t handle;
	cudaError_t result = runtime_check(runtime, call, surface && desc);
	if (result == cudaSuccess)
		result = texture_check_surface(runtime, call, array);
	if (result == cudaSuccess)
		result = open_reference(runtime, call, cudaErrorInvalidSurface, surface, &reference, &handle);
	if (result == cudaSuccess &&
	    sluice_texture_bind(runtime->gpu, handle, &array->image, &sampler, &error) != SLUICE_OK)
		result = runtime_report(runtime, call, &error);
	return runtime_leave(runtime, result);
}

void texture_references_free(struct runtime *runtime)
{
	LIST_FREE(runtime->references);
}
