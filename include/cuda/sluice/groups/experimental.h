/* groups/experimental: tiles of several warps under their names before CUDA 12, for programs that define
 * _CG_ABI_EXPERIMENTAL. Part of cooperative_groups.h. */
#ifndef SLUICE_GROUPS_EXPERIMENTAL_H
#define SLUICE_GROUPS_EXPERIMENTAL_H

namespace cooperative_groups
{
namespace experimental
{
template <unsigned int BytesOfValue = 8, unsigned int MaxBlockSize = 1024> struct block_tile_memory {
	char unused;
};
template <unsigned int BytesOfValue, unsigned int MaxBlockSize>
SLUICE_GROUP thread_block this_thread_block(block_tile_memory<BytesOfValue, MaxBlockSize> &)
{
	return cooperative_groups::this_thread_block();
}
using cooperative_groups::tiled_partition;
} // namespace experimental
} // namespace cooperative_groups

#endif
