/* translations: mapped host memory, which kernels access in place, and mapped device memory, which programs access by
 * other addresses.
 *
 * Mapped host memory has two addresses. The program uses the host's address on both sides. Caches and DRAM see the
 * machine's address, which does not depend on where the host placed the memory. An access converts the program's
 * address to the machine's (access.h). A mapping of device memory is converted in the same way; its second address
 * is that of device memory.
 */
#ifndef SLUICE_SIMT_TRANSLATIONS_H
#define SLUICE_SIMT_TRANSLATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct translation {
	uint64_t address; /* the program's address; for host memory also the host's */
	uint64_t size;
	uint64_t device; /* the machine's address */
};

/* Sorted by address, without overlaps. */
struct translations {
	struct translation *translation;
	size_t count, capacity;
};

/* Returns false when it overlaps an entry. */
bool translations_add(struct translations *translations, struct translation added);
void translations_remove(struct translations *translations, const struct translation *translation);
void translations_free(struct translations *translations);
/* Returns the entry that holds the address, or NULL. */
const struct translation *translations_find(const struct translations *translations, uint64_t address);
/* Returns the first entry that begins above the address, or the last that does not. Returns NULL when there is none. */
const struct translation *translations_beside(const struct translations *translations, uint64_t address, bool above);

#endif
