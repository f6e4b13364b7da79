/* groups/wide_tile: tiles of 2 to 16 warps. They meet at the block's named barriers and exchange values in shared memory. */
#ifndef SLUICE_CUDA_GROUPS_WIDE_TILE_H
#define SLUICE_CUDA_GROUPS_WIDE_TILE_H

#include "tile.h"

namespace sluice
{
namespace groups
{
enum { WARP_SLOT = 32 }; /* bytes that a warp may give the others */

/* The slot of a warp of the block. */
SLUICE_GROUP void *warp_slot(unsigned int warp)
{
	static __shared__ unsigned long long slots[32 * WARP_SLOT / 8];
	return slots + warp * (WARP_SLOT / 8);
}

/* The barrier of a tile. A block has 15 beside that of __syncthreads(): enough for all tiles of all sizes up to 512 threads, and in
 * larger blocks for the tiles of one size, but for the sixteenth of 64 threads. */
SLUICE_GROUP unsigned int tile_barrier(unsigned int size, unsigned int tile)
{
	if (cooperative_groups::thread_block::size() <= 512)
		return 512 / size + tile;
	if (tile >= 15)
		__assertfail("a block has barriers for 15 tiles of 64 threads", __FILE__, __LINE__, __func__,
		             sizeof(char));
	return 1 + tile;
}

SLUICE_GROUP void meet_tile(unsigned int size)
{
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

	/* One value of each warp, given by its first lane: for all, those of the tile's warps. */
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
	static SLUICE_GROUP unsigned int count(int predicate)
	{
		unsigned int tile = cooperative_groups::thread_block::thread_rank() / Size, result;
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
