/* slice: one L2 slice with its queues, between the crossbars and a memory channel.
 *
 *     request crossbar -> delay (raster-operation pipeline) -> input queue -> L2 -> miss queue -> port to DRAM
 *     port from DRAM -> fill -> L2 -> reply queue -> reply crossbar
 *
 * The order of its actions in a cycle, and their preconditions, are those of GPGPU-Sim's
 * memory_sub_partition::cache_cycle(), with those of gpgpu_sim::cycle() at its two ends. The delay is GPGPU-Sim's
 * rop_latency. tests/micro/latency.cu and bandwidth.cu compare latency and rate with closed forms
 * (docs/explanation/microbenchmarks.md).
 *
 * Sleeping and settling, here and in the other units (sm/sm.h, slice_entry.h, dram.h): a unit ticks only when it may
 * have work. At the end of a tick it computes the first time at which it can act without input, and sleeps until then
 * (`wake`). An input, or freed space that it waits for, wakes it earlier, perhaps in vain. In the cycles between, each
 * refused item would be refused again, and each waiting item would go on waiting. These cycles therefore change nothing
 * but counters of cycles. Settling adds them to these counters: at the next tick, at a kernel's end, and when counters
 * are read in between.
 */
#ifndef SLUICE_MEMORY_SLICE_H
#define SLUICE_MEMORY_SLICE_H

#include "base/port.h"
#include "memory/address_map.h"
#include "memory/cache.h"
#include "memory/packet.h"
#include "memory/slice_entry.h"

struct slice_config {
	bool by_sectors; /* requests are split into sectors, each looked up and answered separately */
	uint32_t delay;  /* cycles between the crossbar and the input queue */
	uint32_t input_queue, reply_queue, to_dram_queue, from_dram_queue;
};

#define SLICE_COUNTERS(X)                                                                                              \
	X(entered, "requests",                                                                                         \
	  "requests from the crossbar, without prefetches into L2; a request that is split counts once per sector")    \
	X(input_full, "cycles", "cycles in which a packet waited at the crossbar because the input queue was full")    \
	X(reply_blocked, "cycles", "cycles in which a reply waited for space in the crossbar")                         \
	X(busy_cycles, "cycles", "cycles in which the slice had a request")                                            \
	X(atomics, "requests", "atomic requests performed")

struct slice_stats {
#define X(name, unit, meaning) uint64_t name;
	SLICE_COUNTERS(X)
#undef X
};

/* Counts of an instruction of the running program in a slice. */
struct slice_inst {
	uint64_t accesses, hits, dram_bytes;
};

struct slice {
	struct slice_config config;
	uint32_t index;
	struct request_pool *pool;
	const struct address_map *map;
	struct slice_entry entry; /* including the delay line */
	struct crossbar *replies; /* crossbar for its replies, which enter at input `index` */
	struct request_queue input, reply;
	struct cache cache;
	struct port *to_dram;
	struct port from_dram;
	bool reply_refused, access_refused; /* refused in the last tick; another unit has to act first */
	uint64_t refused_at; /* cache.changes when the oldest access in the input queue was refused */
	/* at the end of the last tick: holds a request downstream of the delay line */
	bool busy;
	uint64_t period, settled; /* period of the L2 clock; cycles already counted */
	uint64_t wake; /* time of its next event (`next`), or earlier when an input has arrived that it may wait for */
	uint64_t next;
	/* Called for every request that the cache has accepted; NULL: no observer. */
	void (*look)(void *user, const struct request *request, enum base_access_result result, struct cache_watch *watch,
	             uint64_t cycle);
	/* Called for packets that arrive from the crossbar and that enter it; NULL: no observer. */
	void (*packet_in)(void *user, const struct base_packet *packet);
	void (*packet_out)(void *user, const struct base_packet *packet);
	void *look_user;
	/* by instruction; the element after the last one is for requests without an instruction; NULL: not counted */
	struct slice_inst *by_pc;
	uint32_t instructions; /* of the program */
	struct slice_stats stats;
};

void slice_open(struct slice *slice, uint32_t index, const struct slice_config *config,
                const struct cache_config *cache, const struct address_map *map, struct request_pool *pool,
                uint64_t period, struct arena *arena);

/* Adds the cycles up to `cycle` in which the slice slept to its counters, except the entry's. */
void slice_settle(struct slice *slice, uint64_t cycle);

/* Makes the requests that entered the delay line since the last call visible to the slice. */
void slice_look_at_entry(struct slice *slice);

/* Simulates one cycle of everything downstream of the delay line. The entry has its own ticks. */
void slice_tick(struct slice *slice, uint64_t cycle, uint64_t now);

/* Shows a packet to one of the slice's observers. */
void slice_show_packet(const struct slice *slice, void (*look)(void *user, const struct base_packet *packet),
                       const struct request *request, uint64_t cycle);

extern const struct base_counter slice_counters[];
extern const size_t slice_counter_count;

#endif
