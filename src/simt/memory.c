#include "simt/memory.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One of the two parts of the address space in which allocations are placed. */
struct region {
	uint64_t low, high;
};

enum { FREED = 64 }; /* freed allocations that are remembered */

struct simt_memory {
	uint8_t *base;    /* host address of device address 0 */
	uint8_t *written; /* a byte for each byte, or NULL */
	uint64_t bytes;
	struct region statics, heap;
	struct simt_allocation *allocation; /* live ones, by address */
	size_t count, capacity;
	uint64_t heap_used; /* with rounding */
	struct simt_allocation freed[FREED];
	size_t freed_count; /* ever; the newest is at (freed_count - 1) % FREED */
};

static uint64_t round_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

/* What an allocation occupies: never nothing, so that addresses differ. */
static uint64_t footprint(uint64_t size)
{
	return round_up(size ? size : 1, SIMT_ALLOCATION_ALIGN);
}

/* Zeros for which the host gives pages when they are used. */
static void *reserve(uint64_t bytes)
{
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return base == MAP_FAILED ? NULL : base;
}

struct simt_memory *simt_memory_open(uint64_t heap_base, uint64_t heap_bytes)
{
	uint64_t low = round_up(heap_base, SIMT_ALLOCATION_ALIGN);
	uint64_t bytes = low + round_up(heap_bytes, SIMT_ALLOCATION_ALIGN);
	void *base = reserve(bytes);
	if (!base)
		return NULL;
	struct simt_memory *memory = xcalloc(1, sizeof *memory);
	memory->base = base;
	memory->bytes = bytes;
	memory->statics = (struct region){SIMT_STATIC_BASE, low};
	memory->heap = (struct region){low, bytes};
	return memory;
}

void simt_memory_close(struct simt_memory *memory)
{
	if (!memory)
		return;
	munmap(memory->base, memory->bytes);
	if (memory->written)
		munmap(memory->written, memory->bytes);
	free(memory->allocation);
	free(memory);
}

/* Index of the first live allocation whose address is greater. */
static size_t upper_bound(const struct simt_memory *memory, uint64_t address)
{
	size_t low = 0, high = memory->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (memory->allocation[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct simt_memory *memory, size_t at, struct simt_allocation allocation)
{
	if (memory->count == memory->capacity) {
		memory->capacity = memory->capacity ? memory->capacity * 2 : 64;
		memory->allocation = xrealloc(memory->allocation, memory->capacity * sizeof *memory->allocation);
	}
	memmove(memory->allocation + at + 1, memory->allocation + at, (memory->count - at) * sizeof allocation);
	memory->allocation[at] = allocation;
	memory->count++;
}

/* First fit. Free space is what lies between live allocations, so neighbours that were freed are one piece again. */
static uint64_t place(struct simt_memory *memory, const struct region *region, uint64_t size, uint64_t align,
                      bool is_static)
{
	if (size > region->high - region->low)
		return 0;
	uint64_t at = round_up(region->low, align);
	size_t i = upper_bound(memory, region->low - 1);
	for (; i < memory->count && memory->allocation[i].address < region->high; i++) {
		const struct simt_allocation *next = &memory->allocation[i];
		if (at + footprint(size) <= next->address)
			break;
		at = round_up(next->address + footprint(next->size), align);
	}
	if (at > region->high || footprint(size) > region->high - at)
		return 0;
	insert(memory, i, (struct simt_allocation){at, size, is_static});
	return at;
}

uint64_t simt_alloc(struct simt_memory *memory, uint64_t size)
{
	uint64_t address = place(memory, &memory->heap, size, SIMT_ALLOCATION_ALIGN, false);
	if (address)
		memory->heap_used += footprint(size);
	return address;
}

uint64_t simt_alloc_static(struct simt_memory *memory, uint64_t size, uint64_t align)
{
	uint64_t at_least = align > SIMT_ALLOCATION_ALIGN ? align : SIMT_ALLOCATION_ALIGN;
	uint64_t address = place(memory, &memory->statics, size, at_least, true);
	if (address)
		simt_mark_written(memory, address, size);
	return address;
}

/* Gives the host's pages back that lie wholly inside, [*low, *high): they read as zero afterwards. */
static bool release_pages(uint8_t *at, uint64_t size, uint8_t **low, uint8_t **high)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	*low = at + (page - (uintptr_t)at % page) % page;
	*high = at + size - (uintptr_t)(at + size) % page;
	return *low < *high && madvise(*low, (size_t)(*high - *low), MADV_DONTNEED) == 0;
}

bool simt_free(struct simt_memory *memory, uint64_t address)
{
	size_t after = upper_bound(memory, address);
	if (after == 0 || memory->allocation[after - 1].address != address)
		return false;
	struct simt_allocation *gone = &memory->allocation[after - 1];
	if (!gone->is_static)
		memory->heap_used -= footprint(gone->size);
	uint8_t *low, *high;
	release_pages(memory->base + address, footprint(gone->size), &low, &high); /* a refusal costs memory only */
	simt_mark_unwritten(memory, address, gone->size);
	memory->freed[memory->freed_count++ % FREED] = *gone;
	memmove(gone, gone + 1, (memory->count - after) * sizeof *gone);
	memory->count--;
	return true;
}

const struct simt_allocation *simt_find(const struct simt_memory *memory, uint64_t address)
{
	size_t after = upper_bound(memory, address);
	if (after == 0)
		return NULL;
	const struct simt_allocation *allocation = &memory->allocation[after - 1];
	return address - allocation->address < allocation->size ? allocation : NULL;
}

const struct simt_allocation *simt_nearest(const struct simt_memory *memory, uint64_t address)
{
	if (memory->count == 0)
		return NULL;
	size_t after = upper_bound(memory, address);
	if (after == 0)
		return &memory->allocation[0];
	const struct simt_allocation *below = &memory->allocation[after - 1];
	if (after == memory->count || address - below->address < below->size)
		return below;
	const struct simt_allocation *above = &memory->allocation[after];
	return address - (below->address + below->size) < above->address - address ? below : above;
}

const struct simt_allocation *simt_freed(const struct simt_memory *memory, uint64_t address)
{
	size_t known = memory->freed_count < FREED ? memory->freed_count : FREED;
	for (size_t k = 1; k <= known && !simt_find(memory, address); k++) {
		const struct simt_allocation *gone = &memory->freed[(memory->freed_count - k) % FREED];
		if (address - gone->address < gone->size)
			return gone;
	}
	return NULL;
}

bool simt_valid(const struct simt_memory *memory, uint64_t address, uint64_t size)
{
	const struct simt_allocation *allocation = simt_find(memory, address);
	if (!allocation)
		return size == 0 && simt_find(memory, address - 1); /* nothing, right behind an allocation */
	return size <= allocation->size - (address - allocation->address);
}

void *simt_host(const struct simt_memory *memory, uint64_t address)
{
	return memory->base + address;
}

/* --- what has been written --- */

bool simt_watch(struct simt_memory *memory)
{
	memory->written = reserve(memory->bytes);
	return memory->written;
}

bool simt_is_written(const struct simt_memory *memory, uint64_t address, uint64_t size)
{
	return !memory->written || !memchr(memory->written + address, 0, size);
}

void simt_mark_written(struct simt_memory *memory, uint64_t address, uint64_t size)
{
	if (memory->written)
		memset(memory->written + address, 1, size);
}

void simt_mark_unwritten(struct simt_memory *memory, uint64_t address, uint64_t size)
{
	uint8_t *low, *high;
	if (!memory->written)
		return;
	uint8_t *at = memory->written + address;
	if (release_pages(at, size, &low, &high)) {
		memset(at, 0, (size_t)(low - at));
		memset(high, 0, (size_t)(at + size - high));
	} else {
		memset(at, 0, size);
	}
}

void simt_copy_written(struct simt_memory *memory, uint64_t to, uint64_t from, uint64_t size)
{
	if (memory->written)
		memmove(memory->written + to, memory->written + from, size);
}

uint64_t simt_bytes_free(const struct simt_memory *memory)
{
	return simt_bytes_total(memory) - memory->heap_used;
}

uint64_t simt_bytes_total(const struct simt_memory *memory)
{
	return memory->heap.high - memory->heap.low;
}
