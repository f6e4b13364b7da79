/* memory_snapshot: what the units of the memory system keep from one kernel to the next (base/snapshot.h). Nothing is
 * in flight: queues and ports are empty, so only their counts of time are state. */
#ifndef SLUICE_MEMORY_MEMORY_SNAPSHOT_H
#define SLUICE_MEMORY_MEMORY_SNAPSHOT_H

#include "base/snapshot.h"
#include "memory/crossbar.h"
#include "memory/dram.h"
#include "memory/slice.h"

void tags_snapshot(struct tags *tags, struct snapshot *snapshot);
void cache_snapshot(struct cache *cache, struct snapshot *snapshot);
void crossbar_snapshot(struct crossbar *crossbar, struct snapshot *snapshot);
void slice_snapshot(struct slice *slice, struct snapshot *snapshot);
void dram_snapshot(struct dram_channel *channel, struct snapshot *snapshot);

#endif
