/* groups/tile: thread_block_tile for tiles within a warp. */
#ifndef SLUICE_CUDA_GROUPS_TILE_H
#define SLUICE_CUDA_GROUPS_TILE_H

#include "group.h"

namespace sluice
{
namespace groups
{
template <unsigned int Size> class wide_tile;

/* `Size` consecutive lanes; the first one is a multiple of `Size`. */
template <unsigned int Size> class warp_tile : public cooperative_groups::thread_group
{
      public:
	static SLUICE_GROUP unsigned int first_lane()
	{
		return lane() & ~(Size - 1);
	}
	static SLUICE_GROUP unsigned int mask()
	{
		return 0xffffffffu >> (32 - Size) << first_lane();
	}
	static SLUICE_GROUP void sync()
	{
		__syncwarp(mask());
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
		return lane() & (Size - 1);
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
		return by_words(value, [=](unsigned int word) { return __shfl_sync(mask(), word, rank, (int)Size); });
	}
	template <class T> SLUICE_GROUP T shfl_up(T value, unsigned int delta) const
	{
		return by_words(value,
		                [=](unsigned int word) { return __shfl_up_sync(mask(), word, delta, (int)Size); });
	}
	template <class T> SLUICE_GROUP T shfl_down(T value, unsigned int delta) const
	{
		return by_words(value,
		                [=](unsigned int word) { return __shfl_down_sync(mask(), word, delta, (int)Size); });
	}
	template <class T> SLUICE_GROUP T shfl_xor(T value, unsigned int bits) const
	{
		return by_words(value,
		                [=](unsigned int word) { return __shfl_xor_sync(mask(), word, (int)bits, (int)Size); });
	}
	SLUICE_GROUP int any(int predicate) const
	{
		return __any_sync(mask(), predicate);
	}
	SLUICE_GROUP int all(int predicate) const
	{
		return __all_sync(mask(), predicate);
	}
	SLUICE_GROUP unsigned int ballot(int predicate) const
	{
		return __ballot_sync(mask(), predicate) >> first_lane();
	}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
	template <class T> SLUICE_GROUP unsigned int match_any(T value) const
	{
		return groups::match_any(mask(), value) >> first_lane();
	}
	template <class T> SLUICE_GROUP unsigned int match_all(T value, int &all) const
	{
		return groups::match_all(mask(), value, &all) >> first_lane();
	}
#endif

      protected:
	SLUICE_GROUP warp_tile(unsigned int meta_rank, unsigned int meta_size)
	    : thread_group(LANES, mask(), meta_rank, meta_size)
	{
	}
};
} // namespace groups
} // namespace sluice

namespace cooperative_groups
{
/* A partition of a parent; the parent's type is an optional argument. */
template <unsigned int Size, class Parent = void>
class thread_block_tile
    : public std::conditional<(Size <= 32), sluice::groups::warp_tile<Size>, sluice::groups::wide_tile<Size>>::type
{
	using tile = typename std::conditional<(Size <= 32), sluice::groups::warp_tile<Size>,
	                                       sluice::groups::wide_tile<Size>>::type;
	static_assert(Size && Size <= 512 && (Size & (Size - 1)) == 0,
	              "a tile has a power of two of threads, at most 512");

      public:
	template <class Other>
	SLUICE_GROUP thread_block_tile(const thread_block_tile<Size, Other> &other)
	    : tile(other.meta_group_rank(), other.meta_group_size())
	{
	}

      private:
	SLUICE_GROUP thread_block_tile(unsigned int meta_rank, unsigned int meta_size) : tile(meta_rank, meta_size)
	{
	}
	template <unsigned int Wanted, class Of>
	friend SLUICE_GROUP thread_block_tile<Wanted, Of> tiled_partition(const Of &parent);
};
} // namespace cooperative_groups

#endif
