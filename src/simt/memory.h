/* memory: the device's address space, functionally.
 *
 *   0x0100_0000  generic window onto the block's shared memory
 *   0x0200_0000  generic window onto the thread's local memory
 *   0x0300_0000  generic window onto the kernel's parameters
 *   0x1000_0000  static: .global and .const variables of modules
 *   heap_base    allocations, in order, each rounded up to 256 bytes (0x8000_0000: GPGPU-Sim 3.2.2's)
 *   behind them  shares: the host's own memory (shares.h)
 *
 * A global address is its own generic address. The whole range up to the shares is reserved once and backed by the host lazily,
 * so an address there becomes a host pointer by one addition.
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
	SIMT_WINDOW_BYTES = 0x01000000, /* of each of them */
	SIMT_STATIC_BASE = 0x10000000,
	SIMT_ALLOCATION_ALIGN = 256,
	SIMT_GAP = 1024,
};

struct simt_memory;

enum simt_owner { SIMT_HOST, SIMT_KERNEL, SIMT_MODULE, SIMT_SHARE }; /* who has allocated and may free it */

struct simt_allocation {
	uint64_t address, size; /* size as asked for */
	enum simt_owner owner;
	uint64_t number; /* of the heap's, from 1, in the order in which they were made; of a module's 0 */
	uint64_t host;   /* of a share: where the host has it */
	uint64_t gap;    /* bytes behind it that are nobody's: simt_memory_keep_gaps() */
};

/* Reserves the address space: heap of `heap_bytes` from `heap_base`. Unless `reuse`, what was freed stays unused, and each
 * allocation lies behind all before it. NULL with errno set when the host refuses. */
struct simt_memory *simt_memory_open(uint64_t heap_base, uint64_t heap_bytes, bool reuse);
void simt_memory_close(struct simt_memory *memory);

/* At least SIMT_GAP bytes lie between two allocations, so that an access beyond the end of one is in no other. An allocation
 * for which only the gap lacks room has none. Before the first allocation; false with errno set when the host refuses. */
bool simt_memory_keep_gaps(struct simt_memory *memory);

/* A device address, 256-byte aligned, or 0 when it does not fit. First fit; zero-filled when never used before. */
uint64_t simt_alloc(struct simt_memory *memory, uint64_t size);
uint64_t simt_alloc_for(struct simt_memory *memory, uint64_t size, enum simt_owner owner);
uint64_t simt_alloc_static(struct simt_memory *memory, uint64_t size, uint64_t align);
/* False when `address` is not the start of a live allocation. */
bool simt_free(struct simt_memory *memory, uint64_t address);

/* Lets kernels access [host, host + size), which is not device memory and stays where it is until simt_unshare(). The address for
 * programs: the host's, unless device memory lies there; 0: it overlaps another share, or there is no room. */
uint64_t simt_share(struct simt_memory *memory, void *host, uint64_t size);
/* False when no share begins at `host`. */
bool simt_unshare(struct simt_memory *memory, const void *host);
/* Where the next share of that size will lie for the machine: host memory that lies there too has one address; 0: no room. */
uint64_t simt_share_place(const struct simt_memory *memory, uint64_t size);
/* Bytes that lie unused behind each of the host's allocations (simt_memory_keep_gaps()). */
uint64_t simt_allocation_gap(const struct simt_memory *memory);
/* Lets programs say [address, address + size) for memory that is allocated, from the machine's `device` on, until simt_unmap(). False: device memory
 * or a window of the machine's is there already, or a share or another of these. */
bool simt_map(struct simt_memory *memory, uint64_t address, uint64_t size, uint64_t device);
/* False when none begins there. */
bool simt_unmap(struct simt_memory *memory, uint64_t address);
/* The one that holds the address; its size is 0 when there is none. */
struct simt_mapping {
	uint64_t address, size, device;
};
struct simt_mapping simt_find_mapping(const struct simt_memory *memory, uint64_t address);
/* The machine's address of one that a program uses: another one in shares and mappings alone. */
uint64_t simt_address(const struct simt_memory *memory, uint64_t address);
/* And back: the program's address of one of the machine's. */
uint64_t simt_named(const struct simt_memory *memory, uint64_t address);

/* The live allocation that holds the address, which is the machine's, or NULL. */
const struct simt_allocation *simt_find(const struct simt_memory *memory, uint64_t address);
/* The live allocation that begins first above the address, or NULL. */
const struct simt_allocation *simt_next(const struct simt_memory *memory, uint64_t address);
/* The live allocation nearest to an address of the program's, going round at 2^64; NULL when there is none. */
const struct simt_allocation *simt_nearest(const struct simt_memory *memory, uint64_t address);
/* Why `owner` cannot free the address: "..., which ..." for a message; NULL: it can. */
const char *simt_free_problem(const struct simt_memory *memory, uint64_t address, enum simt_owner owner);
/* The allocation, lately freed, that held the address, which is in no live one; or NULL. */
const struct simt_allocation *simt_freed(const struct simt_memory *memory, uint64_t address);
/* True where allocations can be: not below the first place, and not beyond the end. */
bool simt_in_memory(const struct simt_memory *memory, uint64_t address, uint64_t size);
/* True when [address, address + size) lies in one live allocation. */
bool simt_valid(const struct simt_memory *memory, uint64_t address, uint64_t size);

/* True when some byte of [address, address + size) lies in a live allocation. */
bool simt_touches(const struct simt_memory *memory, uint64_t address, uint64_t size);

/* Host pointer of a device address; whoever uses it has checked it. The rest of its allocation lies behind it. */
void *simt_host(const struct simt_memory *memory, uint64_t address);

/* Which bytes of device memory have been written, for those who ask for it before the first allocation. What is
 * allocated counts as unwritten, static variables and shares as written. Without simt_watch() all counts as written. */
bool simt_watch(struct simt_memory *memory); /* false with errno set when the host refuses the room */
bool simt_is_written(const struct simt_memory *memory, uint64_t address, uint64_t size);
void simt_mark_written(struct simt_memory *memory, uint64_t address, uint64_t size);
void simt_mark_unwritten(struct simt_memory *memory, uint64_t address, uint64_t size);
/* As memmove() of what is known of the bytes. */
void simt_copy_written(struct simt_memory *memory, uint64_t to, uint64_t from, uint64_t size);

uint64_t simt_bytes_free(const struct simt_memory *memory);
uint64_t simt_bytes_total(const struct simt_memory *memory);

#endif
