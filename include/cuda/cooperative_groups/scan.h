/* cooperative_groups/scan: prefix scans over a tile or coalesced group. An inclusive scan includes the thread's own
 * value. An exclusive scan does not, and gives the first thread a zero value. */
#ifndef _COOPERATIVE_GROUPS_SCAN_H_
#define _COOPERATIVE_GROUPS_SCAN_H_

#include "../sluice/macros_off.h"

#include "reduce.h"

#if defined(__CUDA__) && defined(__clang__)

namespace sluice
{
namespace groups
{
/* Scans within a warp: `size` threads, of which this one has number `rank`. */
template <class Group, class T, class Operator>
SLUICE_GROUP T scan_lanes(const Group &group, unsigned int rank, unsigned int size, T value, Operator &combine)
{
	for (unsigned int distance = 1; distance < size; distance *= 2) {
		T other = group.shfl_up(value, distance);
		if (rank >= distance)
			value = combine(other, value);
	}
	return value;
}

/* The thread's warp as a group with shuffles. */
struct whole_warp {
	template <class T> SLUICE_GROUP T shfl_up(T value, unsigned int delta) const
	{
		return from_lane(~0u, value, lane() < delta ? lane() : lane() - delta);
	}
};
} // namespace groups
} // namespace sluice

namespace cooperative_groups
{
template <unsigned int Size, class T, class Operator>
SLUICE_GROUP T inclusive_scan(const sluice::groups::warp_tile<Size> &group, T value, Operator &&combine)
{
	return sluice::groups::scan_lanes(group, group.thread_rank(), Size, value, combine);
}
template <class T, class Operator>
SLUICE_GROUP T inclusive_scan(const coalesced_group &group, T value, Operator &&combine)
{
	return sluice::groups::scan_lanes(group, group.thread_rank(), group.size(), value, combine);
}
template <unsigned int Size, class T, class Operator>
SLUICE_GROUP T inclusive_scan(const sluice::groups::wide_tile<Size> &group, T value, Operator &&combine)
{
	unsigned int lane = sluice::groups::lane(), own = group.thread_rank() / 32;
	value = sluice::groups::scan_lanes(sluice::groups::whole_warp(), lane, 32, value, combine);
	group.give(sluice::groups::from_lane(~0u, value, 31));
	if (own == 0)
		return value;
	T before = group.template given<T>(0);
	for (unsigned int warp = 1; warp < own; warp++)
		before = combine(before, group.template given<T>(warp));
	return combine(before, value);
}
} // namespace cooperative_groups

namespace sluice
{
namespace groups
{
/* Shifts the values of an inclusive scan to the next rank. */
template <unsigned int Size, class T> SLUICE_GROUP T shifted(const warp_tile<Size> &group, T value)
{
	T before = group.shfl_up(value, 1);
	return group.thread_rank() ? before : T();
}
template <class T> SLUICE_GROUP T shifted(const cooperative_groups::coalesced_group &group, T value)
{
	T before = group.shfl_up(value, 1);
	return group.thread_rank() ? before : T();
}
template <unsigned int Size, class T> SLUICE_GROUP T shifted(const wide_tile<Size> &group, T value)
{
	T before = whole_warp().shfl_up(value, 1);
	group.give(from_lane(~0u, value, 31));
	if (lane() == 0 && group.thread_rank())
		before = group.template given<T>(group.thread_rank() / 32 - 1);
	return group.thread_rank() ? before : T();
}
} // namespace groups
} // namespace sluice

namespace cooperative_groups
{
template <class Group, class T> SLUICE_GROUP T inclusive_scan(const Group &group, T value)
{
	return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operator>
SLUICE_GROUP T exclusive_scan(const Group &group, T value, Operator &&combine)
{
	return sluice::groups::shifted(group, inclusive_scan(group, value, combine));
}
template <class Group, class T> SLUICE_GROUP T exclusive_scan(const Group &group, T value)
{
	return exclusive_scan(group, value, plus<T>());
}

/* Scans that start from an atomic object's value and add the total to it. */
template <class Group, class Atomic, class T, class Operator>
SLUICE_GROUP T inclusive_scan_update(const Group &group, Atomic &to, T value, Operator &&combine)
{
	T scanned = inclusive_scan(group, value, combine), before = T();
	unsigned int last = (unsigned int)group.size() - 1;
	if (group.thread_rank() == last)
		before = sluice::groups::update(to, scanned, combine);
	return combine(group.shfl(before, last), scanned);
}
template <class Group, class Atomic, class T, class Operator>
SLUICE_GROUP T exclusive_scan_update(const Group &group, Atomic &to, T value, Operator &&combine)
{
	T scanned = inclusive_scan(group, value, combine), before = T();
	unsigned int last = (unsigned int)group.size() - 1;
	if (group.thread_rank() == last)
		before = sluice::groups::update(to, scanned, combine);
	before = group.shfl(before, last);
	scanned = sluice::groups::shifted(group, scanned);
	return group.thread_rank() ? combine(before, scanned) : before;
}
template <class Group, class Atomic, class T>
SLUICE_GROUP T inclusive_scan_update(const Group &group, Atomic &to, T value)
{
	return inclusive_scan_update(group, to, value, plus<T>());
}
template <class Group, class Atomic, class T>
SLUICE_GROUP T exclusive_scan_update(const Group &group, Atomic &to, T value)
{
	return exclusive_scan_update(group, to, value, plus<T>());
}
} // namespace cooperative_groups

#endif

#include "../sluice/macros_on.h"

#endif
