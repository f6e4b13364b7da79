/* groups/generic: thread_group's functions, for groups whose kind is known only at run time, and the functions that
 * take any group. */
#ifndef SLUICE_CUDA_GROUPS_GENERIC_H
#define SLUICE_CUDA_GROUPS_GENERIC_H

#include "grid.h"
#include "partition.h"

namespace cooperative_groups
{
SLUICE_GROUP void thread_group::sync() const
{
	switch (kind) {
	case BLOCK:
		thread_block::sync();
		break;
	case LANES:
		__syncwarp(lanes);
		break;
	case WIDE_TILE:
		sluice::groups::meet_tile(lanes);
		break;
	case GRID:
		grid_group::sync();
		break;
	}
}

SLUICE_GROUP unsigned long long thread_group::size() const
{
	switch (kind) {
	case BLOCK:
		return thread_block::size();
	case LANES:
		return (unsigned long long)__popc(lanes);
	case WIDE_TILE:
		return lanes;
	default:
		return grid_group::size();
	}
}

SLUICE_GROUP unsigned long long thread_group::thread_rank() const
{
	switch (kind) {
	case BLOCK:
		return thread_block::thread_rank();
	case LANES:
		return sluice::groups::rank_in(lanes);
	case WIDE_TILE:
		return thread_block::thread_rank() % lanes;
	default:
		return grid_group::thread_rank();
	}
}

template <class Group> SLUICE_GROUP void sync(const Group &group)
{
	group.sync();
}
template <class Group> SLUICE_GROUP auto thread_rank(const Group &group) -> decltype(group.thread_rank())
{
	return group.thread_rank();
}
template <class Group> SLUICE_GROUP auto group_size(const Group &group) -> decltype(group.size())
{
	return group.size();
}
template <class Group> SLUICE_GROUP auto num_threads(const Group &group) -> decltype(group.size())
{
	return group.size();
}

/* The group's first thread calls the function. */
template <class Group, class Function, class... Arguments>
SLUICE_GROUP void invoke_one(const Group &group, Function &&function, Arguments &&...arguments)
{
	if (group.thread_rank() == 0)
		std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}
/* All threads receive the result, whose type must be default-constructible. */
template <class Group, class Function, class... Arguments>
SLUICE_GROUP auto invoke_one_broadcast(const Group &group, Function &&function, Arguments &&...arguments) ->
	typename std::decay<decltype(function(std::forward<Arguments>(arguments)...))>::type
{
	typename std::decay<decltype(function(std::forward<Arguments>(arguments)...))>::type result{};
	if (group.thread_rank() == 0)
		result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
	return group.shfl(result, 0);
}
} // namespace cooperative_groups

#endif
