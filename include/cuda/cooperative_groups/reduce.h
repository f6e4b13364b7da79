/* cooperative_groups/reduce: combines the values of all threads of a tile or coalesced group. Every thread receives the
 * result. */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H_
#define _COOPERATIVE_GROUPS_REDUCE_H_

#include "../sluice/macros_off.h"

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)

#include "../sluice/groups/operators.h"

namespace cooperative_groups
{
template <unsigned int Size, class T, class Operator>
SLUICE_GROUP T reduce(const sluice::groups::warp_tile<Size> &group, T value, Operator &&combine)
{
#pragma unroll
	for (unsigned int bit = Size / 2; bit; bit /= 2)
		value = combine(value, group.shfl_xor(value, bit));
	return value;
}

template <unsigned int Size, class T, class Operator>
SLUICE_GROUP T reduce(const sluice::groups::wide_tile<Size> &group, T value, Operator &&combine)
{
#pragma unroll
	for (unsigned int bit = 16; bit; bit /= 2)
		value = combine(value, sluice::groups::from_lane(~0u, value, sluice::groups::lane() ^ bit));
	group.give(value);
	value = group.template given<T>(0);
	for (unsigned int warp = 1; warp < group.WARPS; warp++)
		value = combine(value, group.template given<T>(warp));
	return value;
}

/* Each step combines ranks twice as far apart. After the last step rank 0 has the result. */
template <class T, class Operator> SLUICE_GROUP T reduce(const coalesced_group &group, T value, Operator &&combine)
{
	for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
		T other = group.shfl_down(value, distance);
		if (group.thread_rank() + distance < group.size())
			value = combine(value, other);
	}
	return group.shfl(value, 0);
}

/* Stores the result in *to, or in an atomic object. Both are complete on return. */
template <class Group, class T, class Operator>
SLUICE_GROUP void reduce_store_async(const Group &group, T *to, T value, Operator &&combine)
{
	T result = reduce(group, value, combine);
	if (group.thread_rank() == 0)
		*to = result;
}
template <class Group, class Atomic, class T, class Operator>
SLUICE_GROUP auto reduce_store_async(const Group &group, Atomic &to, T value, Operator &&combine)
	-> decltype(to.store(value))
{
	T result = reduce(group, value, combine);
	if (group.thread_rank() == 0)
		to.store(result);
}
} // namespace cooperative_groups

namespace sluice
{
namespace groups
{
/* Sets *atomic = combine(*atomic, value). Returns the previous value. */
template <class Atomic, class T, class Operator> SLUICE_GROUP T update(Atomic &atomic, T value, Operator &combine)
{
	T before = atomic.load();
	while (!atomic.compare_exchange_weak(before, (T)combine(before, value)))
		;
	return before;
}
} // namespace groups
} // namespace sluice

namespace cooperative_groups
{
/* Combines the result with the atomic object. Complete on return. */
template <class Group, class Atomic, class T, class Operator>
SLUICE_GROUP void reduce_update_async(const Group &group, Atomic &to, T value, Operator &&combine)
{
	T result = reduce(group, value, combine);
	if (group.thread_rank() == 0)
		sluice::groups::update(to, result, combine);
}
} // namespace cooperative_groups

#endif

#include "../sluice/macros_on.h"

#endif
