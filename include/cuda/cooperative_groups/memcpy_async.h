/* cooperative_groups/memcpy_async: copies by all threads of a group. They are plain loads and stores, complete when the
 * threads have executed them. Waiting for them synchronizes the group. */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_

#include "../sluice/macros_off.h"

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)

namespace sluice
{
namespace groups
{
/* Each thread copies its part: every group.size()-th word. */
template <class Word, class Group>
SLUICE_GROUP void copy_share(const Group &group, void *to, const void *from, size_t bytes)
{
	for (size_t i = (size_t)group.thread_rank(); i < bytes / sizeof(Word); i += (size_t)group.size())
		((Word *)to)[i] = ((const Word *)from)[i];
}
template <class Group> SLUICE_GROUP void copy(const Group &group, void *to, const void *from, size_t bytes)
{
	size_t places = (size_t)to | (size_t)from | bytes;
	if (places % sizeof(int4) == 0)
		copy_share<int4>(group, to, from, bytes);
	else if (places % sizeof(int) == 0)
		copy_share<int>(group, to, from, bytes);
	else
		copy_share<char>(group, to, from, bytes);
}
} // namespace groups
} // namespace sluice

namespace cooperative_groups
{
/* Copies `bytes` bytes, given as a number or as an object that also states the alignment. */
template <class Group, class To, class From, class Bytes>
SLUICE_GROUP void memcpy_async(const Group &group, To *to, const From *from, const Bytes &bytes)
{
	sluice::groups::copy(group, to, from, (size_t)bytes);
}
/* Copies the smaller of both element counts. */
template <class Group, class T, class ToCount, class FromCount>
SLUICE_GROUP void memcpy_async(const Group &group, T *to, const ToCount &to_count, const T *from,
                               const FromCount &from_count)
{
	size_t room = (size_t)to_count, count = (size_t)from_count;
	sluice::groups::copy(group, to, from, (count < room ? count : room) * sizeof(T));
}

template <class Group> SLUICE_GROUP void wait(const Group &group)
{
	group.sync();
}
/* Waits until all copies except the last `Copies` are complete. */
template <unsigned int Copies, class Group> SLUICE_GROUP void wait_prior(const Group &group)
{
	group.sync();
}
} // namespace cooperative_groups

#endif

#include "../sluice/macros_on.h"

#endif
