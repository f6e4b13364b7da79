/* groups/partition: divides groups into smaller groups. */
#ifndef SLUICE_CUDA_GROUPS_PARTITION_H
#define SLUICE_CUDA_GROUPS_PARTITION_H

#include "coalesced.h"
#include "wide_tile.h"

namespace sluice
{
namespace groups
{
/* One part of a partition of lanes: its set, its number, and the number of parts. */
struct part {
	unsigned int lanes, number, count;
};

/* Groups lanes with the same label. Parts are numbered in the order of their first lanes. */
template <class Label> SLUICE_GROUP part part_by_label(unsigned int lanes, Label label)
{
	part mine = {0, 0, 0};
	for (unsigned int rest = lanes; rest; mine.count++) {
		Label first = from_lane(lanes, label, (unsigned int)__ffs((int)rest) - 1);
		unsigned int same = __ballot_sync(lanes, label == first);
		if (label == first) {
			mine.lanes = same;
			mine.number = mine.count;
		}
		rest &= ~same;
	}
	return mine;
}

/* Divides the set by rank into chunks. */
SLUICE_GROUP part part_by_rank(unsigned int lanes, unsigned int size)
{
	unsigned int rank = rank_in(lanes), count = (unsigned int)__popc(lanes);
	part mine = {0, rank / size, (count + size - 1) / size};
	for (unsigned int i = 0, rest = lanes; rest; i++, rest &= rest - 1)
		mine.lanes |= i / size == mine.number ? rest & -rest : 0;
	return mine;
}

/* Part 1 has the lanes for which the predicate holds; part 0 the others. */
SLUICE_GROUP part part_by_predicate(unsigned int lanes, bool predicate)
{
	unsigned int yes = __ballot_sync(lanes, predicate) & lanes;
	part mine = {predicate ? yes : lanes & ~yes, predicate, 2};
	return mine;
}
} // namespace groups
} // namespace sluice

namespace cooperative_groups
{
/* The parent is a block or a larger tile. */
template <unsigned int Size, class Parent>
SLUICE_GROUP thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
	sluice::groups::prepare_meetings<Size>(parent);
	return thread_block_tile<Size, Parent>((unsigned int)parent.thread_rank() / Size,
	                                       ((unsigned int)parent.size() + Size - 1) / Size);
}

SLUICE_GROUP coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
	sluice::groups::part mine = sluice::groups::part_by_rank(parent.lanes, size);
	return coalesced_group(mine.lanes, mine.number, mine.count);
}

/* Divides any group except the grid into chunks of at most a warp. */
SLUICE_GROUP thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
	unsigned int rank = (unsigned int)parent.thread_rank(), count = (unsigned int)parent.size();
	if (parent.kind == thread_group::LANES) {
		sluice::groups::part mine = sluice::groups::part_by_rank(parent.lanes, size);
		return thread_group(thread_group::LANES, mine.lanes, mine.number, mine.count);
	}
	unsigned int lanes = 0xffffffffu >> (32 - size) << (sluice::groups::lane() & ~(size - 1));
	return thread_group(thread_group::LANES, lanes, rank / size, (count + size - 1) / size);
}

template <class Label> SLUICE_GROUP coalesced_group labeled_partition(const coalesced_group &parent, Label label)
{
	sluice::groups::part mine = sluice::groups::part_by_label(parent.lanes, label);
	return coalesced_group(mine.lanes, mine.number, mine.count);
}
template <unsigned int Size, class Parent, class Label>
SLUICE_GROUP coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &parent, Label label)
{
	sluice::groups::part mine = sluice::groups::part_by_label(parent.mask(), label);
	return coalesced_group(mine.lanes, mine.number, mine.count);
}

SLUICE_GROUP coalesced_group binary_partition(const coalesced_group &parent, bool predicate)
{
	sluice::groups::part mine = sluice::groups::part_by_predicate(parent.lanes, predicate);
	return coalesced_group(mine.lanes, mine.number, mine.count);
}
template <unsigned int Size, class Parent>
SLUICE_GROUP coalesced_group binary_partition(const thread_block_tile<Size, Parent> &parent, bool predicate)
{
	sluice::groups::part mine = sluice::groups::part_by_predicate(parent.mask(), predicate);
	return coalesced_group(mine.lanes, mine.number, mine.count);
}
} // namespace cooperative_groups

#endif
