/* host_memory: host memory that kernels can access: memory that the runtime allocates for both sides, registered
 * memory, and managed variables. Kernels access the host's own bytes (sluice_map_host()), so nothing is copied. */
#ifndef SLUICE_CUDART_HOST_MEMORY_H
#define SLUICE_CUDART_HOST_MEMORY_H

#include "cudart/runtime.h"
#include "sluice_runtime.h"

enum host_kind { HOST_PINNED, HOST_REGISTERED, HOST_MANAGED };

struct page_advice;

struct host_memory {
	uintptr_t address;
	size_t size;
	enum host_kind kind;
	unsigned flags;
	uint64_t device;            /* its device address; nearly always the same as `address` */
	size_t mapped;              /* bytes of pages mapped by the runtime; 0: the program owns the memory */
	struct page_advice *advice; /* of managed memory, by page; NULL: no advice given (managed.c) */
};

/* Returns the entry that contains the address, or NULL. */
struct host_memory *host_memory_find(const struct runtime *runtime, const void *pointer);
/* Allocates new pages. Returns an error after a message. */
cudaError_t host_memory_allocate(struct runtime *runtime, const char *call, struct host_memory wanted, void **pointer);
/* Ends the kernels' access. Pages that the runtime mapped are unmapped. */
void host_memory_remove(struct runtime *runtime, struct host_memory *memory);
/* Forgets all entries. The memory itself stays mapped, because the program's threads may still use it. */
void host_memory_free(struct runtime *runtime);

/* Maps pages at the address that the machine proposes, so that addresses are the same in every run. If that is taken,
 * the host chooses an address, and inaccessible pages follow as the gap (sluice_allocation_gap()). `*bytes` is the
 * requested size and becomes the size to unmap. Returns NULL when the host has no memory. */
void *host_memory_map(const struct runtime *runtime, size_t *bytes);
/* Adds an entry for memory that is already mapped for kernels. */
void host_memory_keep(struct runtime *runtime, struct host_memory known);

/* Hints on managed memory (managed.c). Returns an error unless all bytes are managed memory. */
cudaError_t managed_check(struct runtime *runtime, const char *call, const void *pointer, size_t size);
/* Stores where the pages were prefetched to: a device or cudaCpuDeviceId. */
cudaError_t managed_prefetch(struct runtime *runtime, const char *call, const void *pointer, size_t size, int device);
/* Converts a location of kind and number to a device number; the host is cudaCpuDeviceId. */
cudaError_t managed_location(const char *call, struct cudaMemLocation location, int *device);

/* Managed variables (managed_variable.c). The memory of a variable declared with __managed__ is the host variable of
 * that name. */
struct managed_variable;
/* True when the host variable is a managed variable. */
bool managed_is(const struct runtime *runtime, const void *host);
void managed_declare(struct symbol *symbol, size_t size, void **pointer);
/* Returns the list of variables for loading the binary's code, to be freed; NULL: out of memory. */
struct sluice_host_variable *managed_place(struct runtime *runtime, struct binary *binary);
/* Call after loading: registers the variables as managed memory. */
void managed_keep(struct runtime *runtime, const struct binary *binary);
void managed_free(struct binary *binary);
void managed_sections_free(struct runtime *runtime);

/* Finds the device allocation or host memory that contains an address usable by kernels. Returns false when there is
 * none. */
bool memory_find(struct runtime *runtime, const void *pointer, uint64_t *base, uint64_t *size);
#endif
