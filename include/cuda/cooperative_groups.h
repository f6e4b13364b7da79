/* cooperative_groups: objects for groups of cooperating threads: blocks, tiles of blocks, the active lanes of a warp,
 * the grid.
 *
 * Groups within a warp are sets of its lanes (sluice/groups/lanes.h). Tiles of several warps synchronize at named
 * barriers of the block. The grid synchronizes by counters in memory, which a cooperative launch enables
 * (sluice/groups/grid.h).
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "sluice/macros_off.h"

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300
#error "sluice: <cooperative_groups.h> needs shuffles, which devices have from -arch=sm_30 on"
#endif

#include <type_traits>
#include <utility>

#include "sluice/groups/group.h"
#include "sluice/groups/grid.h"
#include "sluice/groups/tile.h"
#include "sluice/groups/wide_tile.h"
#include "sluice/groups/coalesced.h"
#include "sluice/groups/partition.h"
#include "sluice/groups/generic.h"
#if defined(_CG_ABI_EXPERIMENTAL)
#include "sluice/groups/experimental.h"
#endif

#endif

#include "sluice/macros_on.h"

#endif
