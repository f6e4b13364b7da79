/* groups/group: thread_group, the base class of all groups, and thread_block. */
#ifndef SLUICE_CUDA_GROUPS_GROUP_H
#define SLUICE_CUDA_GROUPS_GROUP_H

#include "lanes.h"

namespace cooperative_groups
{
/* A group whose kind is known only at run time (generic.h). */
class thread_group
{
      public:
	SLUICE_GROUP void sync() const;
	SLUICE_GROUP unsigned long long size() const;
	SLUICE_GROUP unsigned long long num_threads() const
	{
		return size();
	}
	SLUICE_GROUP unsigned long long thread_rank() const;

      protected:
	enum kind_t { BLOCK, LANES, WIDE_TILE, GRID };
	kind_t kind;
	unsigned int lanes;                /* LANES: the set of lanes; WIDE_TILE: the number of threads */
	unsigned int meta_rank, meta_size; /* the group's number, and the number of groups, in its partition */

	SLUICE_GROUP thread_group(kind_t kind, unsigned int lanes = 0, unsigned int meta_rank = 0,
	                          unsigned int meta_size = 1)
	    : kind(kind), lanes(lanes), meta_rank(meta_rank), meta_size(meta_size)
	{
	}
	friend SLUICE_GROUP thread_group tiled_partition(const thread_group &parent, unsigned int size);
};

/* The memory that CUDA requires for tiles of several warps. Our tiles have their own memory. */
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
	char unused;
};

class thread_block : public thread_group
{
      public:
	/* In CUDA the wait completes when all threads have arrived. Here it completes when all threads wait, which
	 * every arrived thread does. */
	struct arrival_token {
	};
	static SLUICE_GROUP void sync()
	{
		__syncthreads();
	}
	SLUICE_GROUP arrival_token barrier_arrive() const
	{
		__threadfence_block();
		return arrival_token();
	}
	SLUICE_GROUP void barrier_wait(arrival_token &&) const
	{
		__syncthreads();
	}
	static SLUICE_GROUP unsigned int size()
	{
		return blockDim.x * blockDim.y * blockDim.z;
	}
	static SLUICE_GROUP unsigned int num_threads()
	{
		return size();
	}
	static SLUICE_GROUP unsigned int thread_rank()
	{
		return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	}
	static SLUICE_GROUP dim3 group_index()
	{
		return blockIdx;
	}
	static SLUICE_GROUP dim3 thread_index()
	{
		return threadIdx;
	}
	static SLUICE_GROUP dim3 group_dim()
	{
		return blockDim;
	}
	static SLUICE_GROUP dim3 dim_threads()
	{
		return blockDim;
	}

      private:
	SLUICE_GROUP thread_block() : thread_group(BLOCK)
	{
	}
	friend SLUICE_GROUP thread_block this_thread_block();
};

SLUICE_GROUP thread_block this_thread_block()
{
	return thread_block();
}
template <unsigned int MaxBlockSize> SLUICE_GROUP thread_block this_thread_block(block_tile_memory<MaxBlockSize> &)
{
	return this_thread_block();
}
} // namespace cooperative_groups

#endif
