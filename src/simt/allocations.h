/* allocations: the live allocations of one part of the address space, by address.
 *
 * A treap whose nodes also know how wide the widest gap inside their subtree is, so that finding an address, the first
 * gap that is wide enough, and both changes take time that grows with the logarithm of their number.
 */
#ifndef SLUICE_SIMT_ALLOCATIONS_H
#define SLUICE_SIMT_ALLOCATIONS_H

#include "simt/memory.h"

struct allocation_node;

struct allocations {
	uint64_t low, high; /* where they may lie; multiples of SIMT_ALLOCATION_ALIGN */
	uint64_t gap;       /* bytes that stay free behind each; a multiple of it too */
	struct allocation_node *root;
};

/* What an allocation occupies: never nothing, so that addresses differ. */
uint64_t allocation_footprint(uint64_t size);

/* First fit: the lowest address, a multiple of `align`, where `size` bytes are free. 0 when there is none. */
uint64_t allocations_place(const struct allocations *allocations, uint64_t size, uint64_t align);
/* Where allocations_place() said. */
void allocations_insert(struct allocations *allocations, struct simt_allocation allocation);
/* The allocation that begins at `address`. */
void allocations_remove(struct allocations *allocations, uint64_t address);
void allocations_free(struct allocations *allocations);

/* The last that begins at or below the address, the first that begins above it; NULL when there is none. */
const struct simt_allocation *allocations_below(const struct allocations *allocations, uint64_t address);
const struct simt_allocation *allocations_above(const struct allocations *allocations, uint64_t address);

#endif
