/* Device memory as seen by the host. */
#include "api/api.h"
#include "sluice_runtime.h"

#include <string.h>

static enum sluice_status check(const sluice_gpu *gpu, const char *what, uint64_t address, uint64_t size,
                                struct sluice_error *error)
{
	if (simt_valid(gpu->gpu->memory, address, size))
		return SLUICE_OK;
	const struct simt_allocation *near = simt_nearest(gpu->gpu->memory, address);
	if (!near)
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "%s of %llu bytes at device address 0x%llx: nothing is allocated", what,
		                (unsigned long long)size, (unsigned long long)address);
	return api_fail(
		error, SLUICE_BAD_ARGUMENT,
		"%s of %llu bytes at device address 0x%llx: outside every allocation; the nearest is 0x%llx with %llu "
		"bytes",
		what, (unsigned long long)size, (unsigned long long)address,
		(unsigned long long)simt_named(gpu->gpu->memory, near->address), (unsigned long long)near->size);
}

enum sluice_status sluice_alloc(sluice_gpu *gpu, uint64_t size, uint64_t *address, struct sluice_error *error)
{
	*address = simt_alloc(gpu->gpu->memory, size);
	if (!*address)
		return api_fail(error, SLUICE_NO_MEMORY,
		                "cannot allocate %llu bytes of device memory: %llu of %llu are free",
		                (unsigned long long)size, (unsigned long long)simt_bytes_free(gpu->gpu->memory),
		                (unsigned long long)simt_bytes_total(gpu->gpu->memory));
	api_check_forget(gpu, *address, size);
	return api_succeed(error);
}

enum sluice_status sluice_free(sluice_gpu *gpu, uint64_t address, struct sluice_error *error)
{
	const char *problem = simt_free_problem(gpu->gpu->memory, address, SIMT_HOST);
	if (problem)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "free of device address 0x%llx, %s",
		                (unsigned long long)address, problem);
	simt_free(gpu->gpu->memory, address);
	return api_succeed(error);
}

/* A range of program addresses that is contiguous in the machine, at `at`. */
struct part {
	uint64_t at, bytes;
};

/* Returns the first contiguous part of `size` bytes. In a mapping it ends with the mapping. */
static struct part first_part(const sluice_gpu *gpu, uint64_t address, uint64_t size)
{
	const struct simt_mapping mapping = simt_find_mapping(gpu->gpu->memory, address);
	if (!mapping.size)
		return (struct part){address, size};
	uint64_t offset = address - mapping.address, room = mapping.size - offset;
	return (struct part){mapping.device + offset, size < room ? size : room};
}

/* Checks that all bytes are allocated. */
static enum sluice_status check_all(const sluice_gpu *gpu, const char *what, uint64_t address, uint64_t size,
                                    struct sluice_error *error)
{
	while (size) {
		struct part part = first_part(gpu, address, size);
		if (check(gpu, what, part.at, part.bytes, error) != SLUICE_OK)
			return SLUICE_BAD_ARGUMENT;
		address += part.bytes;
		size -= part.bytes;
	}
	return SLUICE_OK;
}

enum sluice_status sluice_write(sluice_gpu *gpu, uint64_t to, const void *from, uint64_t size,
                                struct sluice_error *error)
{
	const char *bytes = from;
	if (check_all(gpu, "write", to, size, error) != SLUICE_OK)
		return SLUICE_BAD_ARGUMENT;
	if (gpu->trace_out)
		trace_writer_copy(gpu->trace_out, to, size);
	for (struct part part; size; to += part.bytes, bytes += part.bytes, size -= part.bytes) {
		part = first_part(gpu, to, size);
		memcpy(simt_host(gpu->gpu->memory, part.at), bytes, part.bytes);
		simt_mark_written(gpu->gpu->memory, part.at, part.bytes);
		api_check_touch(gpu, part.at, part.bytes, true);
		gpu_copied(gpu->gpu, part.at, part.bytes);
	}
	return api_succeed(error);
}

enum sluice_status sluice_read(sluice_gpu *gpu, void *to, uint64_t from, uint64_t size, struct sluice_error *error)
{
	char *bytes = to;
	if (check_all(gpu, "read", from, size, error) != SLUICE_OK)
		return SLUICE_BAD_ARGUMENT;
	for (struct part part; size; from += part.bytes, bytes += part.bytes, size -= part.bytes) {
		part = first_part(gpu, from, size);
		memcpy(bytes, simt_host(gpu->gpu->memory, part.at), part.bytes);
		api_check_touch(gpu, part.at, part.bytes, false);
		gpu_copied(gpu->gpu, part.at, part.bytes);
	}
	return api_succeed(error);
}

enum sluice_status sluice_copy(sluice_gpu *gpu, uint64_t to, uint64_t from, uint64_t size, struct sluice_error *error)
{
	const struct simt_memory *memory = gpu->gpu->memory;
	if (check_all(gpu, "copy", from, size, error) != SLUICE_OK ||
	    check_all(gpu, "copy", to, size, error) != SLUICE_OK)
		return SLUICE_BAD_ARGUMENT;
	for (uint64_t bytes; size; to += bytes, from += bytes, size -= bytes) {
		struct part source = first_part(gpu, from, size), target = first_part(gpu, to, source.bytes);
		bytes = target.bytes;
		memmove(simt_host(memory, target.at), simt_host(memory, source.at), bytes);
		simt_copy_written(gpu->gpu->memory, target.at, source.at, bytes);
		api_check_touch(gpu, source.at, bytes, false);
		api_check_touch(gpu, target.at, bytes, true);
	}
	return api_succeed(error);
}

/* Fills a part with values of `width` bytes. A part holds whole values because mappings consist of pages. */
static void fill_part(struct simt_memory *memory, struct part part, uint32_t value, uint32_t width)
{
	unsigned char *host = simt_host(memory, part.at);
	simt_mark_written(memory, part.at, part.bytes);
	if (width == 1)
		memset(host, (int)(value & 0xff), part.bytes);
	else
		for (uint64_t i = 0; i < part.bytes; i += width)
			memcpy(host + i, &value, width); /* little-endian, as in device memory */
}

enum sluice_status sluice_fill(sluice_gpu *gpu, uint64_t to, uint32_t value, uint32_t width, uint64_t count,
                               struct sluice_error *error)
{
	if (width != 1 && width != 2 && width != 4)
		return api_fail(error, SLUICE_BAD_ARGUMENT, "fill with values of %u bytes; expected 1, 2 or 4", width);
	if (to % width && simt_find_mapping(gpu->gpu->memory, to).size)
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "fill with values of %u bytes at 0x%llx, which is mapped and not a multiple of that",
		                width, (unsigned long long)to);
	uint64_t bytes = count > UINT64_MAX / width ? UINT64_MAX : count * width; /* larger than any allocation */
	if (check_all(gpu, "fill", to, bytes, error) != SLUICE_OK)
		return SLUICE_BAD_ARGUMENT;
	for (struct part part; bytes; to += part.bytes, bytes -= part.bytes) {
		part = first_part(gpu, to, bytes);
		fill_part(gpu->gpu->memory, part, value, width);
		api_check_touch(gpu, part.at, part.bytes, true);
	}
	return api_succeed(error);
}

void sluice_memory_info(sluice_gpu *gpu, uint64_t *free_bytes, uint64_t *total_bytes)
{
	*free_bytes = simt_bytes_free(gpu->gpu->memory);
	*total_bytes = simt_bytes_total(gpu->gpu->memory);
}

enum sluice_status sluice_map_host(sluice_gpu *gpu, void *host, uint64_t size, uint64_t *address,
                                   struct sluice_error *error)
{
	*address = host && size ? simt_map_host(gpu->gpu->memory, host, size) : 0;
	if (!*address)
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "cannot map %llu bytes of host memory at %p: they overlap host memory that is mapped "
		                "already, or are too many",
		                (unsigned long long)size, host);
	return api_succeed(error);
}

enum sluice_status sluice_unmap_host(sluice_gpu *gpu, const void *host, struct sluice_error *error)
{
	if (!simt_unmap_host(gpu->gpu->memory, host))
		return api_fail(error, SLUICE_BAD_ARGUMENT, "no mapped host memory begins at %p", host);
	return api_succeed(error);
}

uint64_t sluice_map_host_place(const sluice_gpu *gpu, uint64_t size)
{
	return simt_map_host_place(gpu->gpu->memory, size);
}

uint64_t sluice_allocation_gap(const sluice_gpu *gpu)
{
	return simt_allocation_gap(gpu->gpu->memory);
}

enum sluice_status sluice_map(sluice_gpu *gpu, uint64_t address, uint64_t size, uint64_t device,
                              struct sluice_error *error)
{
	if (!simt_map(gpu->gpu->memory, address, size, device))
		return api_fail(error, SLUICE_BAD_ARGUMENT,
		                "cannot map %llu bytes at 0x%llx to 0x%llx: the range is in use, or no allocation is "
		                "at its target",
		                (unsigned long long)size, (unsigned long long)address, (unsigned long long)device);
	return api_succeed(error);
}

enum sluice_status sluice_unmap(sluice_gpu *gpu, uint64_t address, struct sluice_error *error)
{
	if (!simt_unmap(gpu->gpu->memory, address))
		return api_fail(error, SLUICE_BAD_ARGUMENT, "no mapping begins at 0x%llx", (unsigned long long)address);
	return api_succeed(error);
}

bool sluice_find_allocation(sluice_gpu *gpu, uint64_t address, uint64_t *base, uint64_t *size)
{
	const struct simt_allocation *found = simt_find(gpu->gpu->memory, address);
	const struct simt_mapping mapping = simt_find_mapping(gpu->gpu->memory, address);
	if (!mapping.size && (!found || found->owner == SIMT_SHARE))
		return false;
	if (base)
		*base = mapping.size ? mapping.address : found->address;
	if (size)
		*size = mapping.size ? mapping.size : found->size;
	return true;
}
