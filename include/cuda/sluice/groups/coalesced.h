/* groups/coalesced: coalesced_group, any set of lanes of a warp. */
#ifndef SLUICE_CUDA_GROUPS_COALESCED_H
#define SLUICE_CUDA_GROUPS_COALESCED_H

#include "group.h"

namespace cooperative_groups
{
class coalesced_group : public thread_group
{
      public:
	SLUICE_GROUP void sync() const
	{
		__syncwarp(lanes);
	}
	SLUICE_GROUP unsigned int size() const
	{
		return (unsigned int)__popc(lanes);
	}
	SLUICE_GROUP unsigned int num_threads() const
	{
		return size();
	}
	SLUICE_GROUP unsigned int thread_rank() const
	{
		return sluice::groups::rank_in(lanes);
	}
	SLUICE_GROUP unsigned int meta_group_rank() const
	{
		return meta_rank;
	}
	SLUICE_GROUP unsigned int meta_group_size() const
	{
		return meta_size;
	}

	template <class T> SLUICE_GROUP T shfl(T value, unsigned int rank) const
	{
		return sluice::groups::from_lane(lanes, value, sluice::groups::lane_of(lanes, rank % size()));
	}
	/* A source rank outside the group selects the thread's own value. */
	template <class T> SLUICE_GROUP T shfl_up(T value, unsigned int delta) const
	{
		return from_rank(value, delta > thread_rank() ? thread_rank() : thread_rank() - delta);
	}
	template <class T> SLUICE_GROUP T shfl_down(T value, unsigned int delta) const
	{
		return from_rank(value, delta >= size() - thread_rank() ? thread_rank() : thread_rank() + delta);
	}
	SLUICE_GROUP int any(int predicate) const
	{
		return __any_sync(lanes, predicate);
	}
	SLUICE_GROUP int all(int predicate) const
	{
		return __all_sync(lanes, predicate);
	}
	SLUICE_GROUP unsigned int ballot(int predicate) const
	{
		return sluice::groups::by_rank(lanes, __ballot_sync(lanes, predicate));
	}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
	template <class T> SLUICE_GROUP unsigned int match_any(T value) const
	{
		return sluice::groups::by_rank(lanes, sluice::groups::match_any(lanes, value));
	}
	template <class T> SLUICE_GROUP unsigned int match_all(T value, int &all) const
	{
		return sluice::groups::by_rank(lanes, sluice::groups::match_all(lanes, value, &all));
	}
#endif

      private:
	SLUICE_GROUP explicit coalesced_group(unsigned int lanes, unsigned int meta_rank = 0,
	                                      unsigned int meta_size = 1)
	    : thread_group(LANES, lanes, meta_rank, meta_size)
	{
	}
	template <class T> SLUICE_GROUP T from_rank(T value, unsigned int rank) const
	{
		return sluice::groups::from_lane(lanes, value, sluice::groups::lane_of(lanes, rank));
	}
	friend SLUICE_GROUP coalesced_group coalesced_threads();
	friend SLUICE_GROUP coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size);
	template <class Label>
	friend SLUICE_GROUP coalesced_group labeled_partition(const coalesced_group &parent, Label label);
	template <unsigned int Size, class Parent, class Label>
	friend SLUICE_GROUP coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &parent,
	                                                      Label label);
	friend SLUICE_GROUP coalesced_group binary_partition(const coalesced_group &parent, bool predicate);
	template <unsigned int Size, class Parent>
	friend SLUICE_GROUP coalesced_group binary_partition(const thread_block_tile<Size, Parent> &parent,
	                                                     bool predicate);
};

SLUICE_GROUP coalesced_group coalesced_threads()
{
	return coalesced_group(__activemask());
}
} // namespace cooperative_groups

#endif
