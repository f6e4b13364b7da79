/* slice: one bank of L2 with its queues, between the crossbars and a memory channel.
 *
 *   request crossbar -> delay (raster-operation pipeline) -> input queue -> L2 -> miss queue -> port to DRAM
 *   port from DRAM -> fill -> L2 -> reply queue -> reply crossbar
 *
 * The order of what it does in a cycle, and what it wants before it does it, are GPGPU-Sim's memory_sub_partition::cache_cycle(),
 * with what gpgpu_sim::cycle() does at its two ends; the delay is its rop_latency. tests/micro/latency.cu and bandwidth.cu hold
 * latency and rate in closed form (docs/explanation/microbenchmarks.md).
 */
#ifndef SLUICE_MEMORY_SLICE_H
#define SLUICE_MEMORY_SLICE_H

#include "base/port.h"
#include "memory/address_map.h"
#include "memory/cache.h"
#include "memory/packet.h"
#include "memory/slice_entry.h"

struct slice_config {
	bool by_sectors; /* requests are split into sectors, each looked up and answered alone */
	uint32_t delay;  /* cycles between the crossbar and the input queue */
	uint32_t input_queue, reply_queue, to_dram_queue, from_dram_queue;
};

#define SLICE_COUNTERS(X)                                                                                              \
	X(entered, "requests", "from the crossbar; a request that is split counts for each sector, a prefetch into L2 not") \
	X(input_full, "cycles", "cycles that a packet waited at the crossbar because the input queue was full")        \
	X(reply_blocked, "cycles", "cycles that a reply waited for room in the crossbar")                              \
	X(busy_cycles, "cycles", "cycles with a request in the slice")                                                 \
	X(atomics, "requests", "atomic requests performed")

struct slice_stats {
#define X(name, unit, meaning) uint64_t name;
	SLICE_COUNTERS(X)
#undef X
};

/* What an instruction of the program that runs has asked of a slice. */
struct slice_inst {
	uint64_t accesses, hits, dram_bytes;
};

struct slice {
	struct slice_config config;
	uint32_t index;
	struct request_pool *pool;
	const struct address_map *map;
	struct slice_entry entry;   /* with the delay line */
	struct crossbar *replies;   /* where its replies go in, at input `index` */
	struct request_queue input, reply;
	struct cache cache;
	struct port *to_dram;
	struct port from_dram;
	bool reply_refused, access_refused; /* in the last tick: what waits for somebody else */
	uint64_t refused_at; /* cache.changes when the oldest access in the input queue was turned away */
	bool busy;                          /* at the end of the last tick: holds a request behind the delay line */
	uint64_t period, settled;                           /* of the L2 clock; cycles that are in the counters */
	uint64_t wake; /* `next`, the time of its next event, or sooner: something has come that it may wait for */
	uint64_t next;
	/* Hears of every request that the cache has taken; NULL: nobody wants to. */
	void (*look)(void *user, const struct request *request, enum access_result result, struct cache_watch *watch,
	             uint64_t cycle);
	/* The same of packets that come from the crossbar and go into it. */
	void (*packet_in)(void *user, const struct packet *packet);
	void (*packet_out)(void *user, const struct packet *packet);
	void *look_user;
	struct slice_inst *by_pc; /* and behind the last what is on behalf of none; NULL: nobody wants to know */
	uint32_t instructions;    /* of the program */
	struct slice_stats stats;
};

void slice_open(struct slice *slice, uint32_t index, const struct slice_config *config,
                const struct cache_config *cache, const struct address_map *map, struct request_pool *pool,
                uint64_t period, struct arena *arena);

/* Counts the cycles up to `cycle` that were slept through, but for the entry's; at a kernel's end too. */
void slice_settle(struct slice *slice, uint64_t cycle);

/* What has entered the delay line since it was called last is there, as far as the slice is concerned. */
void slice_look_at_entry(struct slice *slice);

/* One cycle of all that is behind the delay line; the entry has ticks of its own. */
void slice_tick(struct slice *slice, uint64_t cycle, uint64_t now);

/* Shows a packet to one of the slice's observers. */
void slice_show_packet(const struct slice *slice, void (*look)(void *user, const struct packet *packet),
                       const struct request *request, uint64_t cycle);

extern const struct counter slice_counters[];
extern const size_t slice_counter_count;

#endif
