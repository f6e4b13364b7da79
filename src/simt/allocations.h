/* allocations: the live allocations of one part of the address space, ordered by address.
 *
 * A treap. Each node also stores the widest gap inside its subtree. Finding an address, finding the first gap that
 * is wide enough, inserting and removing all take logarithmic time.
 */
#ifndef SLUICE_SIMT_ALLOCATIONS_H
#define SLUICE_SIMT_ALLOCATIONS_H

#include "simt/memory.h"

struct allocation_node;

struct allocations {
	uint64_t low, high; /* range of addresses; multiples of SIMT_ALLOCATION_ALIGN */
	uint64_t gap;       /* free bytes after each allocation; a multiple of SIMT_ALLOCATION_ALIGN too */
	struct allocation_node *root;
};

/* Returns the bytes that an allocation occupies. Never 0, so that addresses differ. */
uint64_t allocation_footprint(uint64_t size);

/* First fit: returns the lowest address, a multiple of `align`, with `size` free bytes. Returns 0 when there is
 * none. */
uint64_t allocations_place(const struct allocations *allocations, uint64_t size, uint64_t align);
/* Inserts an allocation at an address that allocations_place() returned. */
void allocations_insert(struct allocations *allocations, struct simt_allocation allocation);
/* Removes the allocation that begins at `address`. */
void allocations_remove(struct allocations *allocations, uint64_t address);
void allocations_free(struct allocations *allocations);

/* Return the last allocation that begins at or below the address, and the first that begins above it; NULL when
 * there is none. */
const struct simt_allocation *allocations_below(const struct allocations *allocations, uint64_t address);
const struct simt_allocation *allocations_above(const struct allocations *allocations, uint64_t address);

#endif
