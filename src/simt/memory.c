#include "simt/allocations.h"
#include "simt/translations.h"

#include "base/arena.h"
#include "base/digest.h"
#include "base/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FREED = 64 }; /* number of recently freed allocations that are remembered */

/* Range of mapped host memory. Local memory begins above it (sm/local_memory.h). */
static const uint64_t map_host_low = UINT64_C(1) << 36, map_host_high = UINT64_C(1) << 40;
enum { SHARE_PAGE = 4096, WIDEST_ACCESS = 16 };
enum { GAP_SHARE = 8 }; /* fraction of all memory that is reserved for gaps: 1 / GAP_SHARE */

struct simt_memory {
	uint8_t *base;    /* host address of device address 0 */
	uint8_t *written; /* one byte per byte of memory, or NULL */
	uint64_t bytes;
	struct allocations statics, heap, shared; /* the live allocations */
	struct translations translations;         /* `shared`, by host address, and mappings of the heap */
	bool reuse;                               /* freed memory is reused */
	uint64_t allocated;                       /* number of heap allocations ever made */
	uint64_t heap_used;                       /* rounded sizes; without reuse, of all allocations ever made */
	uint64_t gap_room;                        /* bytes of the heap reserved for gaps, which programs do not see */
	uint64_t heap_top; /* end of the part of the heap that was ever allocated, including gaps */
	struct simt_allocation freed[FREED];
	size_t freed_count; /* ever freed; the newest is at (freed_count - 1) % FREED */
};

static uint64_t round_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

/* Reserves zero-filled memory whose pages the host supplies on first use. */
static void *reserve(uint64_t bytes)
{
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return base == MAP_FAILED ? NULL : base;
}

/* Places mapped host memory after the machine's own memory. */
static void place_shares(struct simt_memory *memory)
{
	uint64_t behind = round_up(memory->bytes, map_host_low);
	memory->shared = (struct allocations){.low = behind, .high = behind < map_host_high ? map_host_high : behind};
}

struct simt_memory *simt_memory_open(uint64_t heap_base, uint64_t heap_bytes, bool reuse)
{
	uint64_t low = round_up(heap_base, SIMT_ALLOCATION_ALIGN);
	uint64_t bytes = low + round_up(heap_bytes, SIMT_ALLOCATION_ALIGN);
	void *base = reserve(bytes);
	if (!base)
		return NULL;
	struct simt_memory *memory = base_calloc(1, sizeof *memory);
	memory->base = base;
	memory->bytes = bytes;
	memory->reuse = reuse;
	memory->statics = (struct allocations){.low = SIMT_STATIC_BASE, .high = low};
	memory->heap = (struct allocations){.low = low, .high = bytes};
	memory->heap_top = low;
	place_shares(memory);
	return memory;
}

bool simt_memory_keep_gaps(struct simt_memory *memory)
{
	uint64_t room = memory->bytes / GAP_SHARE / SIMT_ALLOCATION_ALIGN * SIMT_ALLOCATION_ALIGN;
	void *base = reserve(memory->bytes + room);
	if (!base)
		return false;
	munmap(memory->base, memory->bytes);
	memory->base = base;
	memory->bytes += room;
	memory->heap.high = memory->bytes;
	memory->gap_room = room;
	place_shares(memory);
	memory->statics.gap = memory->heap.gap = memory->shared.gap = SIMT_GAP;
	return true;
}

void simt_memory_close(struct simt_memory *memory)
{
	if (!memory)
		return;
	munmap(memory->base, memory->bytes);
	if (memory->written)
		munmap(memory->written, memory->bytes);
	allocations_free(&memory->statics);
	allocations_free(&memory->heap);
	allocations_free(&memory->shared);
	translations_free(&memory->translations);
	free(memory);
}

/* Returns the part of memory that contains an address. */
static const struct allocations *part_of(const struct simt_memory *memory, uint64_t address)
{
	return address < memory->heap.low    ? &memory->statics
	       : address < memory->heap.high ? &memory->heap
	                                     : &memory->shared;
}

/* Returns an address after everything that was ever allocated. */
static uint64_t place_behind(const struct simt_memory *memory, uint64_t size)
{
	uint64_t room = memory->heap.high - memory->heap_top;
	return size <= room && allocation_footprint(size) + memory->heap.gap <= room ? memory->heap_top : 0;
}

static uint64_t place_in_heap(const struct simt_memory *memory, uint64_t size)
{
	return memory->reuse ? allocations_place(&memory->heap, size, SIMT_ALLOCATION_ALIGN)
	                     : place_behind(memory, size);
}

uint64_t simt_alloc_for(struct simt_memory *memory, uint64_t size, enum simt_owner owner)
{
	if (memory->gap_room &&
	    (size > simt_bytes_free(memory) || allocation_footprint(size) > simt_bytes_free(memory)))
		return 0;
	uint64_t gap = memory->heap.gap, address = place_in_heap(memory, size);
	if (!address && gap) { /* the gaps of many small allocations have filled the reserved space */
		memory->heap.gap = 0;
		address = place_in_heap(memory, size);
		memory->heap.gap = gap;
		gap = 0;
	}
	if (!address)
		return 0;
	uint64_t footprint = allocation_footprint(size), end = address + footprint + gap;
	allocations_insert(
		&memory->heap,
		(struct simt_allocation){
			.address = address, .size = size, .owner = owner, .number = ++memory->allocated, .gap = gap});
	memory->heap_used += footprint;
	memory->heap_top = end > memory->heap_top ? end : memory->heap_top;
	return address;
}

uint64_t simt_alloc(struct simt_memory *memory, uint64_t size)
{
	return simt_alloc_for(memory, size, SIMT_HOST);
}

uint64_t simt_alloc_static(struct simt_memory *memory, uint64_t size, uint64_t align)
{
	uint64_t at_least = align > SIMT_ALLOCATION_ALIGN ? align : SIMT_ALLOCATION_ALIGN;
	uint64_t address = allocations_place(&memory->statics, size, at_least);
	if (!address)
		return 0;
	allocations_insert(&memory->statics,
	                   (struct simt_allocation){
				   .address = address, .size = size, .owner = SIMT_MODULE, .gap = memory->statics.gap});
	simt_mark_written(memory, address, size);
	return address;
}

/* Returns to the host all pages that lie entirely inside the range, and sets [*low, *high) to them; they then read
 * as zero. */
static bool release_pages(uint8_t *at, uint64_t size, uint8_t **low, uint8_t **high)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	*low = at + (page - (uintptr_t)at % page) % page;
	*high = at + size - (uintptr_t)(at + size) % page;
	return *low < *high && madvise(*low, (size_t)(*high - *low), MADV_DONTNEED) == 0;
}

/* Makes the range read as zero. */
static void clear(uint8_t *at, uint64_t size)
{
	uint8_t *low, *high;
	if (release_pages(at, size, &low, &high)) {
		memset(at, 0, (size_t)(low - at));
		memset(high, 0, (size_t)(at + size - high));
	} else {
		memset(at, 0, size);
	}
}

/* Memory that kernels have freed is cleared: what a later allocation finds does not depend on the order of frees. The
 * host's is only returned to the host. */
bool simt_free(struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *found = allocations_below(part_of(memory, address), address);
	if (!found || found->address != address)
		return false;
	const struct simt_allocation gone = *found;
	uint64_t bytes = allocation_footprint(gone.size);
	uint8_t *low, *high;
	if (gone.owner == SIMT_KERNEL)
		clear(memory->base + address, bytes);
	else
		release_pages(memory->base + address, bytes, &low, &high); /* a failure only costs memory */
	simt_mark_unwritten(memory, address, gone.size);
	memory->freed[memory->freed_count++ % FREED] = gone;
	memory->heap_used -= gone.owner == SIMT_MODULE || !memory->reuse ? 0 : bytes;
	allocations_remove(gone.owner == SIMT_MODULE ? &memory->statics : &memory->heap, address);
	return true;
}

/* --- mapped host memory --- */

uint64_t simt_map_host_place(const struct simt_memory *memory, uint64_t size)
{
	return allocations_place(&memory->shared, size, SHARE_PAGE);
}

uint64_t simt_allocation_gap(const struct simt_memory *memory)
{
	return memory->shared.gap;
}

/* The machine's address preserves only those properties of the host's address that programs rely on: page alignment
 * and access alignment. */
uint64_t simt_map_host(struct simt_memory *memory, void *host, uint64_t size)
{
	uint64_t address = (uintptr_t)host, offset = address % WIDEST_ACCESS;
	uint64_t align = address % SHARE_PAGE ? SIMT_ALLOCATION_ALIGN : SHARE_PAGE;
	uint64_t place = size <= map_host_high ? allocations_place(&memory->shared, offset + size, align) : 0;
	struct translation translation = {address, size, place + offset};
	if (!place || !size || !translations_add(&memory->translations, translation))
		return 0;
	allocations_insert(&memory->shared, (struct simt_allocation){.address = translation.device,
	                                                             .size = size,
	                                                             .owner = SIMT_SHARE,
	                                                             .host = address,
	                                                             .gap = memory->shared.gap});
	return simt_named(memory, translation.device);
}

/* Returns true for the machine's own memory, false for mapped host memory. */
static bool is_own(const struct simt_memory *memory, uint64_t address)
{
	return address < memory->bytes;
}

bool simt_unmap_host(struct simt_memory *memory, const void *host)
{
	const struct translation *translation = translations_find(&memory->translations, (uintptr_t)host);
	if (!translation || translation->address != (uintptr_t)host || is_own(memory, translation->device))
		return false;
	allocations_remove(&memory->shared, translation->device);
	translations_remove(&memory->translations, translation);
	return true;
}

/* Returns true when an address is the same for programs and the machine, so that no mapping can use it. This holds
 * for windows, variables and allocations. */
static bool is_taken(const struct simt_memory *memory, uint64_t address)
{
	bool is_window = address >= SIMT_SHARED_WINDOW && address < SIMT_WINDOWS_END;
	return is_window || (address >= memory->statics.low && address < memory->bytes);
}

/* --- mappings --- */

bool simt_map(struct simt_memory *memory, uint64_t address, uint64_t size, uint64_t device)
{
	const uint64_t low = memory->statics.low < SIMT_SHARED_WINDOW ? memory->statics.low : SIMT_SHARED_WINDOW;
	bool is_free = size && address <= UINT64_MAX - size && (address >= memory->bytes || address + size <= low);
	bool is_aligned = (address | size | device) % WIDEST_ACCESS == 0;
	return is_free && is_aligned && simt_valid(memory, device, size) &&
	       translations_add(&memory->translations, (struct translation){address, size, device});
}

struct simt_mapping simt_find_mapping(const struct simt_memory *memory, uint64_t address)
{
	const struct translation *translation = translations_find(&memory->translations, address);
	if (!translation || !is_own(memory, translation->device))
		return (struct simt_mapping){0};
	return (struct simt_mapping){translation->address, translation->size, translation->device};
}

bool simt_unmap(struct simt_memory *memory, uint64_t address)
{
	const struct translation *translation = translations_find(&memory->translations, address);
	if (!translation || translation->address != address || !is_own(memory, translation->device))
		return false;
	translations_remove(&memory->translations, translation);
	return true;
}

uint64_t simt_address(const struct simt_memory *memory, uint64_t address)
{
	const struct translation *translation =
		is_taken(memory, address) ? NULL : translations_find(&memory->translations, address);
	return translation ? translation->device + (address - translation->address) : address;
}

uint64_t simt_named(const struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *found = is_own(memory, address) ? NULL : simt_find(memory, address);
	if (!found || is_taken(memory, found->host) || is_taken(memory, found->host + found->size - 1))
		return address;
	return found->host + (address - found->address);
}

const struct simt_allocation *simt_find(const struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *below = allocations_below(part_of(memory, address), address);
	return below && address - below->address < below->size ? below : NULL;
}

static const struct simt_allocation *last_below(const struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *found = allocations_below(&memory->shared, address);
	found = found ? found : allocations_below(&memory->heap, address);
	return found ? found : allocations_below(&memory->statics, address);
}

const struct simt_allocation *simt_next(const struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *found = allocations_above(&memory->statics, address);
	found = found ? found : allocations_above(&memory->heap, address);
	return found ? found : allocations_above(&memory->shared, address);
}

/* Returns the distance from a program's address to an allocation, in the shorter direction. Addresses wrap around:
 * a small negative address is near the lowest allocation. */
static uint64_t distance(const struct simt_memory *memory, const struct simt_allocation *allocation, uint64_t address)
{
	uint64_t begin = simt_named(memory, allocation->address), end = begin + allocation->size;
	if (address - begin < allocation->size)
		return 0;
	return begin - address < address - end ? begin - address : address - end;
}

/* Returns the mapped host memory next to the program's address on one side, or NULL. */
static const struct simt_allocation *translation_beside(const struct simt_memory *memory, uint64_t address, bool above)
{
	const struct translation *translation = translations_beside(&memory->translations, address, above);
	return translation ? simt_find(memory, translation->device) : NULL;
}

const struct simt_allocation *simt_nearest(const struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *beside[] = {
		simt_next(memory, address),
		last_below(memory, address),
		last_below(memory, UINT64_MAX),
		simt_next(memory, 0),
		translation_beside(memory, address, true),
		translation_beside(memory, address, false),
	};
	const struct simt_allocation *best = NULL;
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
		if (beside[i] && (!best || distance(memory, beside[i], address) < distance(memory, best, address)))
			best = beside[i];
	return best;
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

const char *simt_free_problem(const struct simt_memory *memory, uint64_t address, enum simt_owner owner)
{
	static const char *const owned[] = {
		[SIMT_HOST] = "which the host has allocated and must free",
		[SIMT_KERNEL] = "which a kernel has allocated and must free",
		[SIMT_MODULE] = "which is a variable of the program",
		[SIMT_SHARE] = "which is host memory",
	};
	const struct simt_allocation *below = allocations_below(part_of(memory, address), address),
				     *freed = simt_freed(memory, address);
	if (below && below->address == address)
		return below->owner == owner ? NULL : owned[below->owner];
	if (freed)
		return freed->address == address ? "which has been freed already" : "which lay inside freed memory";
	return simt_find(memory, address) ? "which lies inside an allocation" : "where no allocation begins";
}

bool simt_in_memory(const struct simt_memory *memory, uint64_t address, uint64_t size)
{
	return address >= memory->statics.low && address < memory->bytes && memory->bytes - address >= size;
}

bool simt_valid(const struct simt_memory *memory, uint64_t address, uint64_t size)
{
	const struct simt_allocation *allocation = simt_find(memory, address);
	if (!allocation)
		return size == 0 && simt_find(memory, address - 1); /* zero bytes directly after an allocation */
	return size <= allocation->size - (address - allocation->address);
}

bool simt_touches(const struct simt_memory *memory, uint64_t address, uint64_t size)
{
	const struct simt_allocation *last = allocations_below(part_of(memory, address + size - 1), address + size - 1);
	return last && address < last->address + last->size;
}

void *simt_host(const struct simt_memory *memory, uint64_t address)
{
	if (is_own(memory, address))
		return memory->base + address;
	const struct simt_allocation *translation = simt_find(memory, address);
	return (void *)(uintptr_t)(translation->host + (address - translation->address));
}

/* --- written bytes --- */

bool simt_watch(struct simt_memory *memory)
{
	memory->written = reserve(memory->bytes);
	return memory->written;
}

static bool is_watched(const struct simt_memory *memory, uint64_t address)
{
	return memory->written && is_own(memory, address);
}

bool simt_is_written(const struct simt_memory *memory, uint64_t address, uint64_t size)
{
	return !is_watched(memory, address) || !memchr(memory->written + address, 0, size);
}

void simt_mark_written(struct simt_memory *memory, uint64_t address, uint64_t size)
{
	if (is_watched(memory, address))
		memset(memory->written + address, 1, size);
}

void simt_mark_unwritten(struct simt_memory *memory, uint64_t address, uint64_t size)
{
	if (is_watched(memory, address))
		clear(memory->written + address, size);
}

void simt_copy_written(struct simt_memory *memory, uint64_t to, uint64_t from, uint64_t size)
{
	if (memory->written)
		memmove(memory->written + to, memory->written + from, size);
}

/* --- snapshots --- */

void simt_memory_digest(const struct simt_memory *memory, struct digest *digest)
{
	for (size_t i = 0; i < memory->translations.count; i++) {
		const struct translation *translation = &memory->translations.translation[i];
		digest_add_value(digest, translation->address);
		digest_add_value(digest, translation->size);
		digest_add_value(digest, translation->device);
	}
}

/* Returns the first allocation of kernels that begins above the address, or NULL. */
static const struct simt_allocation *next_of_kernels(const struct simt_memory *memory, uint64_t address)
{
	const struct simt_allocation *next = allocations_above(&memory->heap, address);
	while (next && next->owner != SIMT_KERNEL)
		next = allocations_above(&memory->heap, next->address);
	return next;
}

static void save_of_kernels(const struct simt_memory *memory, struct snapshot *snapshot)
{
	uint64_t count = 0;
	const struct simt_allocation *next;
	for (uint64_t at = 0; (next = next_of_kernels(memory, at)) != NULL; at = next->address)
		count++;
	snapshot_value(snapshot, count);
	for (uint64_t at = 0; (next = next_of_kernels(memory, at)) != NULL; at = next->address) {
		struct simt_allocation saved = *next;
		snapshot_value(snapshot, saved);
	}
}

/* The saved allocation that begins at the address, among those that are not below it. */
static bool is_saved(const struct simt_allocation *allocation, const struct simt_allocation *saved, uint64_t count)
{
	for (uint64_t i = 0; i < count && saved[i].address <= allocation->address; i++)
		if (saved[i].address == allocation->address && saved[i].size == allocation->size)
			return true;
	return false;
}

/* Allocations that are still there keep their contents. */
static void restore_of_kernels(struct simt_memory *memory, struct snapshot *snapshot)
{
	const struct simt_allocation *next;
	uint64_t count = 0, passed = 0;
	snapshot_value(snapshot, count);
	if (count > (snapshot->size - snapshot->at) / sizeof *next)
		count = 0;
	struct simt_allocation *saved = base_calloc(count + 1, sizeof *saved);
	snapshot_array(snapshot, saved, count, sizeof *saved);
	while ((next = next_of_kernels(memory, 0)) != NULL) {
		while (passed < count && saved[passed].address < next->address)
			passed++;
		if (is_saved(next, saved + passed, count - passed))
			allocations_remove(&memory->heap, next->address);
		else
			simt_free(memory, next->address);
	}
	for (uint64_t i = 0; i < count; i++)
		allocations_insert(&memory->heap, saved[i]);
	free(saved);
}

void simt_memory_snapshot(struct simt_memory *memory, struct snapshot *snapshot)
{
	if (snapshot->restores)
		restore_of_kernels(memory, snapshot);
	else
		save_of_kernels(memory, snapshot);
	snapshot_value(snapshot, memory->allocated);
	snapshot_value(snapshot, memory->heap_used);
	snapshot_value(snapshot, memory->heap_top);
	snapshot_value(snapshot, memory->freed);
	snapshot_value(snapshot, memory->freed_count);
}

uint64_t simt_bytes_free(const struct simt_memory *memory)
{
	return simt_bytes_total(memory) - memory->heap_used;
}

uint64_t simt_bytes_total(const struct simt_memory *memory)
{
	return memory->heap.high - memory->heap.low - memory->gap_room;
}
