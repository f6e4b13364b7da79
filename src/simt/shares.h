/* shares: memory of the host that kernels access where it lies, and device memory that programs call by addresses of their own.
 *
 * A share has two addresses: the one that the program uses on both sides, which is the host's, and the machine's, which caches
 * and DRAM see and which does not depend on where the host's memory happens to lie. An access becomes one of the machine's when it
 * is made (access.h). So is one to a mapping, whose second address is that of device memory.
 */
#ifndef SLUICE_SIMT_SHARES_H
#define SLUICE_SIMT_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct share {
	uint64_t address; /* the program's; of the host's memory the host's too */
	uint64_t size;
	uint64_t device; /* the machine's */
};

/* By address; none overlaps another. */
struct shares {
	struct share *share;
	size_t count, capacity;
};

/* False when it overlaps one that is there. */
bool shares_add(struct shares *shares, struct share added);
void shares_remove(struct shares *shares, const struct share *share);
void shares_free(struct shares *shares);
/* The one that holds the address, or NULL. */
const struct share *shares_find(const struct shares *shares, uint64_t address);
/* The first that begins above the address, or the last that does not; NULL: there is none. */
const struct share *shares_beside(const struct shares *shares, uint64_t address, bool above);

#endif
