/* groups/wide_tile: tiles of 2 to 16 warps. They synchronize at the block's named barriers and exchange values in
 * shared memory. */
#ifndef SLUICE_CUDA_GROUPS_WIDE_TILE_H
#define SLUICE_CUDA_GROUPS_WIDE_TILE_H

#include "tile.h"

namespace sluice
{
namespace groups
{
enum { WARP_SLOT = 32 }; /* bytes through which a warp passes values to the others */

/* Returns the slot of a warp of the block. */
SLUICE_GROUP void *warp_slot(unsigned int warp)
{
	static __shared__ unsigned long long slots[32 * WARP_SLOT / 8];
	return slots + warp * (WARP_SLOT / 8);
}

/* A block has 15 barriers besides that of __syncthreads(). In a block of up to 512 threads they suffice for tiles of
 * all sizes. In a larger block they suffice for tiles of at least 128 threads; the two warps of a 64-thread tile count
 * their meetings in shared memory. */
enum { MOST_BY_BARRIERS = 512 };

SLUICE_GROUP bool is_crowded()
{
	return cooperative_groups::thread_block::size() > MOST_BY_BARRIERS;
}

SLUICE_GROUP unsigned int tile_barrier(unsigned int size, unsigned int tile)
{
	return (is_crowded() ? 2 * MOST_BY_BARRIERS : MOST_BY_BARRIERS) / size + tile;
}

SLUICE_GROUP unsigned int *meetings_of(unsigned int warp)
{
	static __shared__ unsigned int meetings[32];
	return meetings + warp;
}

SLUICE_GROUP void meet_other_warp()
{
	unsigned int warp = cooperative_groups::thread_block::thread_rank() / 32;
	__syncwarp();
	if (lane() == 0) {
		__threadfence_block();
		unsigned int mine = atomicAdd(meetings_of(warp), 1u) + 1;
		while ((int)(atomicAdd(meetings_of(warp ^ 1), 0u) - mine) < 0)
			;
		__threadfence_block();
	}
	__syncwarp();
}

/* Called before a group is divided into tiles of that size. The first barrier makes sure that earlier meetings are
 * over, the second that new ones start after the reset. */
template <unsigned int Size, class Parent> SLUICE_GROUP void prepare_meetings(const Parent &parent)
{
	if (Size != 64 || !is_crowded())
		return;
	parent.sync();
	if (lane() == 0)
		*meetings_of(cooperative_groups::thread_block::thread_rank() / 32) = 0;
	parent.sync();
}

SLUICE_GROUP void meet_tile(unsigned int size)
{
	if (size == 64 && is_crowded())
		meet_other_warp();
	else
		__barrier_sync_count(tile_barrier(size, cooperative_groups::thread_block::thread_rank() / size), size);
}

template <unsigned int Size> class wide_tile : public cooperative_groups::thread_group
{
      public:
	static constexpr unsigned int WARPS = Size / 32;

	static SLUICE_GROUP void sync()
	{
		meet_tile(Size);
	}
	static SLUICE_GROUP constexpr unsigned int size()
	{
		return Size;
	}
	static SLUICE_GROUP constexpr unsigned int num_threads()
	{
		return Size;
	}
	static SLUICE_GROUP unsigned int thread_rank()
	{
		return cooperative_groups::thread_block::thread_rank() & (Size - 1);
	}
	SLUICE_GROUP unsigned int meta_group_rank() const
	{
		return meta_rank;
	}
	SLUICE_GROUP unsigned int meta_group_size() const
	{
		return meta_size;
	}
	template <class T> SLUICE_GROUP T shfl(T value, int rank) const
	{
		static_assert(sizeof(T) <= WARP_SLOT, "at most 32 bytes move between threads");
		unsigned int from = (unsigned int)rank & (Size - 1);
		T *slot = (T *)warp_slot(first_warp());
		sync();
		if (thread_rank() == from)
			*slot = value;
		sync();
		return *slot;
	}
	SLUICE_GROUP int any(int predicate) const
	{
		return count(predicate) != 0;
	}
	SLUICE_GROUP int all(int predicate) const
	{
		return count(predicate) == Size;
	}

	/* The first lane of each warp passes a value to all warps of the tile. */
	template <class T> SLUICE_GROUP void give(T value) const
	{
		static_assert(sizeof(T) <= WARP_SLOT, "at most 32 bytes move between threads");
		sync();
		if (lane() == 0)
			*(T *)warp_slot(first_warp() + thread_rank() / 32) = value;
		sync();
	}
	template <class T> SLUICE_GROUP T given(unsigned int warp) const
	{
		return *(const T *)warp_slot(first_warp() + warp);
	}

      protected:
	SLUICE_GROUP wide_tile(unsigned int meta_rank, unsigned int meta_size)
	    : thread_group(WIDE_TILE, Size, meta_rank, meta_size)
	{
	}

      private:
	static SLUICE_GROUP unsigned int first_warp()
	{
		return cooperative_groups::thread_block::thread_rank() / Size * WARPS;
	}
	static SLUICE_GROUP unsigned int count_of_both(int predicate)
	{
		unsigned int mine = __popc(__ballot_sync(0xffffffffu, predicate));
		sync();
		if (lane() == 0)
			*(unsigned int *)warp_slot(first_warp() + thread_rank() / 32) = mine;
		sync();
		return *(unsigned int *)warp_slot(first_warp()) + *(unsigned int *)warp_slot(first_warp() + 1);
	}
	static SLUICE_GROUP unsigned int count(int predicate)
	{
		unsigned int tile = cooperative_groups::thread_block::thread_rank() / Size, result;
		if (Size == 64 && is_crowded())
			return count_of_both(predicate);
		asm volatile("{ .reg .pred holds; setp.ne.s32 holds, %1, 0; bar.red.popc.u32 %0, %2, %3, holds; }"
		             : "=r"(result)
		             : "r"(predicate), "r"(tile_barrier(Size, tile)), "r"(Size)
		             : "memory");
		return result;
	}
};
} // namespace groups
} // namespace sluice

#endif
