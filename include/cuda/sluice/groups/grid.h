/* groups/grid: all threads of a launch. Blocks that wait for each other must be resident together, which only a
 * cooperative launch guarantees. */
#ifndef SLUICE_CUDA_GROUPS_GRID_H
#define SLUICE_CUDA_GROUPS_GRID_H

#include "group.h"

/* The runtime finds the variable by its name (src/cudart/launch.c) and sets it to {1, 0, 0} before a cooperative
 * launch. All files of a program share it. */
extern "C" {
struct sluice_grid_state {
	unsigned int cooperative;
	unsigned int arrived;  /* blocks that have arrived at the current barrier */
	unsigned int meetings; /* completed barriers */
};
__device__ __attribute__((weak)) struct sluice_grid_state sluice_grid_state;
}

namespace sluice
{
namespace groups
{
/* Reads a value that other blocks may have written recently. */
SLUICE_GROUP unsigned int read_fresh(const unsigned int *pointer)
{
	unsigned int value;
	asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(value) : "l"(pointer) : "memory");
	return value;
}

/* A barrier of all blocks, called by the first thread of each. The last block to arrive releases the others. */
SLUICE_GROUP void meet_blocks(unsigned int blocks)
{
	unsigned int meeting = read_fresh(&sluice_grid_state.meetings);
	__threadfence();
	if (atomicInc(&sluice_grid_state.arrived, blocks - 1) == blocks - 1)
		atomicAdd(&sluice_grid_state.meetings, 1u);
	else
		while (read_fresh(&sluice_grid_state.meetings) == meeting)
			;
	__threadfence();
}
} // namespace groups
} // namespace sluice

namespace cooperative_groups
{
class grid_group : public thread_group
{
      public:
	struct arrival_token {
	};

	static SLUICE_GROUP bool is_valid()
	{
		return sluice::groups::read_fresh(&sluice_grid_state.cooperative);
	}
	static SLUICE_GROUP void sync()
	{
		if (!is_valid())
			__assertfail("grid_group::sync() in a launch that is not cooperative", __FILE__, __LINE__,
			             __func__, sizeof(char));
		__syncthreads();
		if (thread_block::thread_rank() == 0)
			sluice::groups::meet_blocks((unsigned int)num_blocks());
		__syncthreads();
	}
	/* They behave like those of thread_block. */
	SLUICE_GROUP arrival_token barrier_arrive() const
	{
		__threadfence();
		return arrival_token();
	}
	SLUICE_GROUP void barrier_wait(arrival_token &&) const
	{
		sync();
	}
	static SLUICE_GROUP dim3 group_dim()
	{
		return gridDim;
	}
	static SLUICE_GROUP dim3 dim_blocks()
	{
		return gridDim;
	}
	static SLUICE_GROUP dim3 block_index()
	{
		return blockIdx;
	}
	static SLUICE_GROUP unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	static SLUICE_GROUP unsigned long long block_rank()
	{
		return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	}
	static SLUICE_GROUP unsigned long long size()
	{
		return num_blocks() * thread_block::size();
	}
	static SLUICE_GROUP unsigned long long num_threads()
	{
		return size();
	}
	static SLUICE_GROUP unsigned long long thread_rank()
	{
		return block_rank() * thread_block::size() + thread_block::thread_rank();
	}

      protected:
	SLUICE_GROUP grid_group() : thread_group(GRID)
	{
	}
	friend SLUICE_GROUP grid_group this_grid();
};

/* For machines with clusters, which are not supported. */
class cluster_group
{
public:
	SLUICE_GROUP void sync() {}
	SLUICE_GROUP unsigned int block_rank() { return 0; }
	template <class T> SLUICE_GROUP T *map_shared_rank(T *, int) { return nullptr; }
};
__attribute__((unavailable("sluice: clusters are not supported"))) SLUICE_GROUP cluster_group this_cluster()
{
	return {};
}

SLUICE_GROUP grid_group this_grid()
{
	return grid_group();
}

/* The grids of all devices; there is one device. */
class multi_grid_group : public grid_group
{
      public:
	static SLUICE_GROUP unsigned int grid_rank()
	{
		return 0;
	}
	static SLUICE_GROUP unsigned int num_grids()
	{
		return 1;
	}

      private:
	SLUICE_GROUP multi_grid_group()
	{
	}
	friend SLUICE_GROUP multi_grid_group this_multi_grid();
};

SLUICE_GROUP multi_grid_group this_multi_grid()
{
	return multi_grid_group();
}
} // namespace cooperative_groups

#endif
