/* host_memory: the host's memory that kernels can access: what the runtime allocates for both sides, what programs register, and
 * managed variables. Its bytes are the host's own (sluice_share()), so that nothing is ever copied between the two.
 */
#ifndef SLUICE_CUDART_HOST_MEMORY_H
#define SLUICE_CUDART_HOST_MEMORY_H

#include "cudart/runtime.h"

enum host_kind { HOST_PINNED, HOST_REGISTERED, HOST_MANAGED };

struct page_advice;

struct host_memory {
	uintptr_t address;
	size_t size;
	enum host_kind kind;
	unsigned flags;
	uint64_t device;            /* what kernels call it: nearly always the same address */
	size_t mapped;              /* bytes of pages that are the runtime's; 0: the memory is the program's */
	struct page_advice *advice; /* of managed memory, by page; NULL: none was given (managed.c) */
};

/* The one that holds the address, or NULL. */
struct host_memory *host_memory_find(const struct runtime *runtime, const void *pointer);
/* Memory of new pages. Refusals are told. */
cudaError_t host_memory_allocate(struct runtime *runtime, const char *call, struct host_memory wanted, void **pointer);
/* Memory that is there. */
cudaError_t host_memory_add(struct runtime *runtime, const char *call, struct host_memory wanted);
/* Kernels cannot access it any more; pages of the runtime's go back to the host. */
void host_memory_remove(struct runtime *runtime, struct host_memory *memory);
/* Forgets all of it; the memory stays the program's, whose threads may be using it. */
void host_memory_free(struct runtime *runtime);

/* Maps pages at the address that the machine proposes, so that a program's addresses are the same in every run. If that is
 * taken, the host chooses an address, and inaccessible pages follow as the gap (sluice_allocation_gap()). `*bytes` is the size
 * asked for and becomes the size to unmap. Returns NULL where the host has no room. */
void *host_memory_map(const struct runtime *runtime, size_t *bytes);
/* Keeps what is shared already. */
void host_memory_keep(struct runtime *runtime, struct host_memory known);

/* Managed variables (managed_variable.c). Of one that is declared with __managed__ the memory is the host's variable of that name. */
struct managed_variable;
/* Whether a host variable is one of them. */
bool managed_is(const struct runtime *runtime, const void *host);
void managed_declare(struct symbol *symbol, size_t size, void **pointer);
/* The list for loading their binary's code, to be freed; NULL: there is no room. */
struct sluice_host_variable *managed_place(struct runtime *runtime, struct binary *binary);
/* Behind that: they are known as managed memory. */
void managed_keep(struct runtime *runtime, const struct binary *binary);
void managed_free(struct binary *binary);
void managed_sections_free(struct runtime *runtime);

/* What holds an address that kernels can use: an allocation of device memory, or the host's memory. */
bool memory_find(struct runtime *runtime, const void *pointer, uint64_t *base, uint64_t *size);
/* Fills device or the host's memory with the low `width` (1, 2 or 4) bytes of a value. */
cudaError_t memory_fill(struct runtime *runtime, const char *call, void *to, uint32_t value, uint32_t width,
                        size_t count);

#endif
