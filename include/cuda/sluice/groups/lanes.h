/* groups/lanes: sets of a warp's lanes, as masks, and functions that move values between lanes. */
#ifndef SLUICE_CUDA_GROUPS_LANES_H
#define SLUICE_CUDA_GROUPS_LANES_H

#define SLUICE_GROUP __device__ __forceinline__

namespace sluice
{
namespace groups
{
SLUICE_GROUP unsigned int lane()
{
	return (unsigned int)__nvvm_read_ptx_sreg_laneid();
}

/* Returns the number of lanes in the set before this one. */
SLUICE_GROUP unsigned int rank_in(unsigned int lanes)
{
	return (unsigned int)__popc(lanes & (unsigned int)__nvvm_read_ptx_sreg_lanemask_lt());
}

/* Returns the lane of that rank, which must be less than the size of the set. */
SLUICE_GROUP unsigned int lane_of(unsigned int lanes, unsigned int rank)
{
	if (lanes == 0xffffffffu)
		return rank;
	for (; rank; rank--)
		lanes &= lanes - 1;
	return (unsigned int)__ffs((int)lanes) - 1;
}

/* Returns bits by rank from bits by lane, for the lanes of the set. */
SLUICE_GROUP unsigned int by_rank(unsigned int lanes, unsigned int bits)
{
	if (lanes == 0xffffffffu)
		return bits;
	unsigned int packed = 0;
	for (unsigned int rank = 0; lanes; rank++, lanes &= lanes - 1)
		packed |= (bits & lanes & -lanes ? 1u : 0u) << rank;
	return packed;
}

/* Moves a trivially copyable value of at most 32 bytes, word by word. */
template <class T, class Move> SLUICE_GROUP T by_words(const T &value, Move move)
{
	static_assert(std::is_trivially_copyable<T>::value, "only bytes can move between threads");
	static_assert(sizeof(T) <= 32, "at most 32 bytes move between threads");
	unsigned int word[(sizeof(T) + 3) / 4] = {0};
	__builtin_memcpy(word, &value, sizeof(T));
#pragma unroll
	for (unsigned int i = 0; i < sizeof word / sizeof *word; i++)
		word[i] = move(word[i]);
	T result = value;
	__builtin_memcpy(&result, word, sizeof(T));
	return result;
}

/* Returns the value of one lane of the set. */
template <class T> SLUICE_GROUP T from_lane(unsigned int lanes, const T &value, unsigned int source)
{
	return by_words(value, [=](unsigned int word) { return __shfl_sync(lanes, word, (int)source, 32); });
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
/* Returns the bits of a value of up to 8 bytes, for match instructions. */
template <class T> SLUICE_GROUP unsigned long long bits_of(const T &value)
{
	static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "at most 8 bytes are matched");
	unsigned long long bits = 0;
	__builtin_memcpy(&bits, &value, sizeof(T));
	return bits;
}
template <class T> SLUICE_GROUP unsigned int match_any(unsigned int lanes, const T &value)
{
	return sizeof(T) <= 4 ? __match_any_sync(lanes, (unsigned int)bits_of(value))
	                      : __match_any_sync(lanes, bits_of(value));
}
template <class T> SLUICE_GROUP unsigned int match_all(unsigned int lanes, const T &value, int *all)
{
	return sizeof(T) <= 4 ? __match_all_sync(lanes, (unsigned int)bits_of(value), all)
	                      : __match_all_sync(lanes, bits_of(value), all);
}
#endif
} // namespace groups
} // namespace sluice

#endif
