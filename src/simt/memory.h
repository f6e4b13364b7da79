/* memory: the functional model of the device's address space.
 *     0x0100_0000 generic window onto the block's shared memory
 *     0x0200_0000 generic window onto the thread's local memory
 *     0x0300_0000 generic window onto the kernel's parameters
 *     0x1000_0000 static: .global and .const variables of modules
 *     heap_base   allocations in order, each rounded up to 256 bytes (0x8000_0000: GPGPU-Sim 3.2.2's)
 *     after them  mapped host memory (translations.h)
 * A global address is also its own generic address. The whole range below the mapped host memory is reserved once,
 * and the host backs it lazily. An address there becomes a host pointer by one addition.
 */
#ifndef SLUICE_SIMT_MEMORY_H
#define SLUICE_SIMT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SIMT_SHARED_WINDOW = 0x01000000,
	SIMT_LOCAL_WINDOW = 0x02000000,
	SIMT_PARAM_WINDOW = 0x03000000,
	SIMT_WINDOWS_END = 0x04000000,
	SIMT_WINDOW_BYTES = 0x01000000, /* size of each window */
	SIMT_STATIC_BASE = 0x10000000,
	SIMT_ALLOCATION_ALIGN = 256,
	SIMT_GAP = 1024,
};

struct simt_memory;
struct snapshot;
struct digest;

enum simt_owner { SIMT_HOST, SIMT_KERNEL, SIMT_MODULE, SIMT_SHARE }; /* the owner that allocated it and may free it */

struct simt_allocation {
	uint64_t address, size; /* size as requested */
	enum simt_owner owner;
	uint64_t number; /* sequence number of a heap allocation, from 1; 0 for a module's */
	uint64_t host;   /* mapped host memory: its host address */
	uint64_t gap;    /* unused bytes after it: simt_memory_keep_gaps() */
};

/* Reserves the address space, with a heap of `heap_bytes` bytes from `heap_base`. Unless `reuse`, freed memory
 * stays unused and each allocation lies after all earlier ones. Returns NULL with errno set when the host refuses. */
struct simt_memory *simt_memory_open(uint64_t heap_base, uint64_t heap_bytes, bool reuse);
void simt_memory_close(struct simt_memory *memory);

/* Leaves at least SIMT_GAP bytes between two allocations, so that an access beyond the end of one lies in no other.
 * An allocation gets no gap when only the gap does not fit. Call it before the first allocation. Returns false with
 * errno set when the host refuses. */
bool simt_memory_keep_gaps(struct simt_memory *memory);

/* Allocates by first fit. Returns a device address, 256-byte aligned, or 0 when it does not fit. Memory that was
 * never used before is zero-filled. */
uint64_t simt_alloc(struct simt_memory *memory, uint64_t size);

/* simt_alloc() for another owner than the host. */
uint64_t simt_alloc_for(struct simt_memory *memory, uint64_t size, enum simt_owner owner);

/* Allocates a module's variable below the heap, aligned to at least SIMT_ALLOCATION_ALIGN bytes. Returns 0 when
 * it does not fit. */
uint64_t simt_alloc_static(struct simt_memory *memory, uint64_t size, uint64_t align);
/* Returns false when `address` is not the start of a live allocation. */
bool simt_free(struct simt_memory *memory, uint64_t address);

/* Maps host memory [host, host + size) into the device's address space. It is not device memory and stays where it
 * is until simt_unmap_host(). Returns the address for programs: the host address, unless device memory lies there.
 * Returns 0 when it overlaps other mapped host memory, or the address space is full. */
uint64_t simt_map_host(struct simt_memory *memory, void *host, uint64_t size);
/* Returns false when no mapped host memory begins at `host`. */
bool simt_unmap_host(struct simt_memory *memory, const void *host);
/* Returns the machine's address of the next mapping of that size. Host memory at the same address has only one
 * address. Returns 0 when the address space is full. */
uint64_t simt_map_host_place(const struct simt_memory *memory, uint64_t size);
/* Returns the number of unused bytes after each allocation of the host (simt_memory_keep_gaps()). */
uint64_t simt_allocation_gap(const struct simt_memory *memory);
/* Maps the addresses [address, address + size) of programs to allocated memory from the machine's address `device`,
 * until simt_unmap(). All three must be multiples of 16 bytes. Returns false when the range overlaps device memory,
 * a window, mapped host memory or another mapping. */
bool simt_map(struct simt_memory *memory, uint64_t address, uint64_t size, uint64_t device);
/* Returns false when no mapping begins at `address`. */
bool simt_unmap(struct simt_memory *memory, uint64_t address);
/* The mapping that holds the address; size 0: there is none. */
struct simt_mapping {
	uint64_t address, size, device;
};
struct simt_mapping simt_find_mapping(const struct simt_memory *memory, uint64_t address);
/* Returns the machine's address of a program's address. The two differ only in mapped host memory and mappings. */
uint64_t simt_address(const struct simt_memory *memory, uint64_t address);
/* Returns the program's address of a machine's address. */
uint64_t simt_named(const struct simt_memory *memory, uint64_t address);

/* Returns the live allocation that holds the address, which is a machine's address, or NULL. */
const struct simt_allocation *simt_find(const struct simt_memory *memory, uint64_t address);
/* Returns the first live allocation that begins above the address, or NULL. */
const struct simt_allocation *simt_next(const struct simt_memory *memory, uint64_t address);
/* Returns the live allocation nearest to a program's address, with wrap-around at 2^64. Returns NULL when there is
 * none. */
const struct simt_allocation *simt_nearest(const struct simt_memory *memory, uint64_t address);
/* Returns the reason why `owner` cannot free the address ("..., which ...", for a message). Returns NULL when it
 * can. */
const char *simt_free_problem(const struct simt_memory *memory, uint64_t address, enum simt_owner owner);
/* Returns the recently freed allocation that held the address, which is in no live allocation; or NULL. */
const struct simt_allocation *simt_freed(const struct simt_memory *memory, uint64_t address);
/* Returns true when the range lies between the lowest address of allocations and the end of memory. */
bool simt_in_memory(const struct simt_memory *memory, uint64_t address, uint64_t size);
/* Returns true when [address, address + size) lies in one live allocation. */
bool simt_valid(const struct simt_memory *memory, uint64_t address, uint64_t size);

/* Returns true when some byte of [address, address + size) lies in a live allocation. */
bool simt_touches(const struct simt_memory *memory, uint64_t address, uint64_t size);

/* Returns the host pointer of a device address, unchecked. The rest of its allocation follows it contiguously. */
void *simt_host(const struct simt_memory *memory, uint64_t address);

/* Tracks which bytes of device memory have been written. Call simt_watch() before the first allocation. New
 * allocations count as unwritten, static variables and mapped host memory as written. Without simt_watch() all
 * memory counts as written. */
bool simt_watch(struct simt_memory *memory); /* returns false with errno set when the host refuses the memory */
bool simt_is_written(const struct simt_memory *memory, uint64_t address, uint64_t size);
void simt_mark_written(struct simt_memory *memory, uint64_t address, uint64_t size);
void simt_mark_unwritten(struct simt_memory *memory, uint64_t address, uint64_t size);
/* Copies the written state of the bytes, as memmove() does with bytes. */
void simt_copy_written(struct simt_memory *memory, uint64_t to, uint64_t from, uint64_t size);

/* Adds all mappings, of host memory and of device memory, to the digest (base/digest.h). */
void simt_memory_digest(const struct simt_memory *memory, struct digest *digest);

/* Saves which allocations kernels have made, or restores them into a memory whose other allocations are the same
 * (base/snapshot.h). Contents are not saved; those of restored allocations are undefined. */
void simt_memory_snapshot(struct simt_memory *memory, struct snapshot *snapshot);

/* Return the free bytes and all bytes of the heap. Space reserved for gaps does not count. */
uint64_t simt_bytes_free(const struct simt_memory *memory);
uint64_t simt_bytes_total(const struct simt_memory *memory);

#endif
