#include "simt/allocations.h"

#include "base/arena.h"

#include <stdlib.h>

struct allocation_node {
	struct simt_allocation allocation;
	uint64_t priority;           /* at least the children's priorities */
	uint64_t begin, end, widest; /* the span of the subtree, and the widest gap in it */
	struct allocation_node *lower, *upper;
};

static uint64_t round_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

uint64_t allocation_footprint(uint64_t size)
{
	return round_up(size ? size : 1, SIMT_ALLOCATION_ALIGN);
}

static uint64_t end_of(const struct simt_allocation *allocation)
{
	return allocation->address + allocation_footprint(allocation->size) + allocation->gap;
}

/* Any order that is independent of the addresses keeps the tree shallow. */
static uint64_t priority_of(uint64_t address)
{
	address ^= address >> 32;
	address *= 0x9e3779b97f4a7c15;
	return address ^ address >> 29;
}

static uint64_t wider(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Recomputes begin, end and widest after a change below the node. */
static void update(struct allocation_node *node)
{
	const struct allocation_node *lower = node->lower, *upper = node->upper;
	uint64_t own_begin = node->allocation.address, own_end = end_of(&node->allocation);
	node->begin = lower ? lower->begin : own_begin;
	node->end = upper ? upper->end : own_end;
	node->widest = 0;
	if (lower)
		node->widest = wider(lower->widest, own_begin - lower->end);
	if (upper)
		node->widest = wider(node->widest, wider(upper->widest, upper->begin - own_end));
}

/* Searches the gaps between `low` and `high`; `node` is the tree of the allocations there. */
static uint64_t place(const struct allocation_node *node, uint64_t low, uint64_t high, uint64_t size, uint64_t align)
{
	if (!node) {
		uint64_t at = round_up(low, align);
		return at <= high && size <= high - at ? at : 0;
	}
	if (size > wider(node->widest, wider(node->begin - low, high - node->end)))
		return 0;
	uint64_t at = place(node->lower, low, node->allocation.address, size, align);
	return at ? at : place(node->upper, end_of(&node->allocation), high, size, align);
}

uint64_t allocations_place(const struct allocations *allocations, uint64_t size, uint64_t align)
{
	uint64_t low = allocations->low, high = allocations->high;
	return size > high - low
	               ? 0
	               : place(allocations->root, low, high, allocation_footprint(size) + allocations->gap, align);
}

/* Splits a tree at an address. */
static void split(struct allocation_node *node, uint64_t address, struct allocation_node **lower,
                  struct allocation_node **upper)
{
	if (!node) {
		*lower = *upper = NULL;
		return;
	}
	if (node->allocation.address < address) {
		split(node->upper, address, &node->upper, upper);
		*lower = node;
	} else {
		split(node->lower, address, lower, &node->lower);
		*upper = node;
	}
	update(node);
}

static struct allocation_node *merge(struct allocation_node *lower, struct allocation_node *upper)
{
	if (!lower || !upper)
		return lower ? lower : upper;
	if (lower->priority > upper->priority) {
		lower->upper = merge(lower->upper, upper);
		update(lower);
		return lower;
	}
	upper->lower = merge(lower, upper->lower);
	update(upper);
	return upper;
}

static struct allocation_node *insert(struct allocation_node *root, struct allocation_node *added)
{
	uint64_t address = added->allocation.address;
	if (!root || added->priority > root->priority) {
		split(root, address, &added->lower, &added->upper);
		root = added;
	} else if (address < root->allocation.address) {
		root->lower = insert(root->lower, added);
	} else {
		root->upper = insert(root->upper, added);
	}
	update(root);
	return root;
}

void allocations_insert(struct allocations *allocations, struct simt_allocation allocation)
{
	struct allocation_node *node = base_calloc(1, sizeof *node);
	node->allocation = allocation;
	node->priority = priority_of(allocation.address);
	allocations->root = insert(allocations->root, node);
}

static struct allocation_node *removed(struct allocation_node *root, uint64_t address)
{
	if (root->allocation.address == address) {
		struct allocation_node *rest = merge(root->lower, root->upper);
		free(root);
		return rest;
	}
	if (address < root->allocation.address)
		root->lower = removed(root->lower, address);
	else
		root->upper = removed(root->upper, address);
	update(root);
	return root;
}

void allocations_remove(struct allocations *allocations, uint64_t address)
{
	allocations->root = removed(allocations->root, address);
}

static void free_tree(struct allocation_node *node)
{
	if (!node)
		return;
	free_tree(node->lower);
	free_tree(node->upper);
	free(node);
}

void allocations_free(struct allocations *allocations)
{
	free_tree(allocations->root);
}

const struct simt_allocation *allocations_below(const struct allocations *allocations, uint64_t address)
{
	const struct allocation_node *node = allocations->root, *best = NULL;
	while (node) {
		bool is_below = node->allocation.address <= address;
		best = is_below ? node : best;
		node = is_below ? node->upper : node->lower;
	}
	return best ? &best->allocation : NULL;
}

const struct simt_allocation *allocations_above(const struct allocations *allocations, uint64_t address)
{
	const struct allocation_node *node = allocations->root, *best = NULL;
	while (node) {
		bool is_above = node->allocation.address > address;
		best = is_above ? node : best;
		node = is_above ? node->lower : node->upper;
	}
	return best ? &best->allocation : NULL;
}
