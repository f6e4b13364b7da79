/* mech_requests: requests of mechanisms for lines, and the accounts that the machine keeps of them. A mechanism
 * includes seam/mech.h, which includes this. */
#ifndef SLUICE_SEAM_MECH_REQUESTS_H
#define SLUICE_SEAM_MECH_REQUESTS_H

#include "base/traffic.h"

#include <stdbool.h>
#include <stdint.h>

enum mech_place {
	MECH_TO_L1,
	MECH_TO_BUFFER,  /* the prefetch buffer in front of L1 */
	MECH_TO_NOTHING, /* the data are dropped on arrival: only the traffic matters */
	MECH_TO_L2,      /* into L2 only */
	MECH_TO_SHARED,  /* a block's shared memory, bypassing L1 */
	/* A block's shared memory, with the sender's data. Nothing is fetched; `address` and `urgent` are ignored. */
	MECH_WRITE_SHARED,
	/* Global memory, with the sender's data, bypassing L1: a store packet leaves in the next cycle at the
	 * earliest. Its acknowledgement is the reply. */
	MECH_WRITE_GLOBAL,
};

struct mech_request {
	uint64_t address; /* a multiple of MECH_SECTOR */
	/* 1 to a line, within the line; to L1 or L2: only the whole sector of `address` is fetched. */
	uint32_t bytes;
	enum mech_place to;
	uint32_t pc; /* of the load that caused the request, or MECH_NO_PC */
	/* To the buffer or shared memory: the slot of the owning block. After that block has ended, the request is
	 * redundant. */
	uint32_t block;
	/* To shared memory: the position of the first byte in the block's shared memory; the others follow. When
	 * `words` is not 0: the data's 4-byte words go to the word numbers in `word`, each within the block's shared
	 * memory. */
	uint32_t shared;
	uint32_t words; /* up to MECH_MAX_WORDS */
	const uint32_t *word;
	/* MECH_WRITE_GLOBAL: the data lie in the block's shared memory from `shared` on. Its banks are read before
	 * the packet leaves. */
	bool from_shared;
	bool no_mshr;       /* to shared memory: it does not occupy an MSHR of L1 */
	bool before_demand; /* not to L1: it has priority over the load/store unit and L1's misses */
	uint64_t tag;       /* free for the sender: the reply contains it */
	bool urgent;        /* memory controllers serve it before others */
	/* To L1: the request is dropped when L1 has no MSHR, line or miss-queue entry for it; else it is retried each
	 * cycle. */
	bool once;
	bool bound;    /* to L1: bound to the warp in slot `warp`, which the hook `fill` reports */
	uint32_t warp; /* with `bound`: a slot */
};

struct mech_reply {
	struct mech_request request;
	bool filtered; /* the line was present or on its way: to L1, nothing was sent; to L2, nothing was fetched */
	bool outside;  /* the line is in no allocation: nothing was sent */
	uint64_t sent, cycle;
};

/* The outcome of an issued request, as its account counts it. */
#define MECH_USEFUL        BASE_PREFETCH_USEFUL
#define MECH_LATE          BASE_PREFETCH_LATE
#define MECH_EARLY_EVICTED BASE_PREFETCH_EARLY_EVICTED
#define MECH_REDUNDANT     BASE_PREFETCH_REDUNDANT

struct mech_outcome {
	uint64_t address, tag; /* of the request */
	uint32_t pc;
	enum base_prefetch_outcome outcome;
	uint64_t sent, came; /* cycles; came: the data's arrival, 0: not yet */
	uint64_t cycle;      /* of the outcome: when an instruction wanted the line, or when the line was replaced */
};

/* The account of a sender, in total and per load. asked = dropped + outside + filtered + refused + issued. When a
 * kernel has ended, issued = useful + late + early_evicted + redundant.
 *
 * A request outside every allocation, variable and local memory is not sent but counted as outside: prefetchers
 * naturally run past the ends of arrays. A request to L1 is filtered when its line is in L1, on its way there, or in
 * the buffer before L1. Requests to the buffer are never filtered. They are late only where loads wait for them (struct
 * mech_buffer); elsewhere an early instruction goes to L1. Requests to shared memory are never filtered, either. They
 * are useful when an instruction reads one of their words, and late when such an instruction issues before the word has
 * arrived. They are early evicted when other data or a store overwrote their last word before that. They are redundant
 * when no instruction came until the block's end. Writes to global memory and requests to nothing are redundant.
 *
 * A request to L2 is issued before it is known whether L2 has the line. If L2 has it or waits for it, the request
 * counts as redundant when its sender gets the reply, with `filtered` set. Else it takes a line and an MSHR as a miss
 * does. Its use is the first read, by an instruction or by a mechanism's request to L1, to the buffer or to nothing.
 * A store is no use, neither in L1 nor in L2; it removes the line where the cache evicts on stores. */
#define MECH_REQUEST_COUNTERS(X)                                                                                       \
	X(asked, "requests", "lines that the mechanism requested")                                                     \
	X(dropped, "requests", "requests dropped: the queue was full, or the kernel ended while they were in it")      \
	X(outside, "requests", "requests not sent: the line lies outside every allocation")                            \
	X(filtered, "requests", "requests not sent: the line was in L1, on its way there, or in the buffer before L1") \
	X(refused, "requests", "requests dropped because L1 could not accept them at their turn")                      \
	X(retries, "cycles", "cycles in which L1 could not accept a request, which was then retried, summed over SMs") \
	X(issued, "requests", "requests sent to memory")                                                               \
	X(useful, "requests", "requests whose line an instruction found in the cache")                                 \
	X(late, "requests", "requests still in flight when an instruction needed the line")                            \
	X(early_evicted, "requests", "requests whose line was replaced before an instruction needed it")               \
	X(redundant, "requests", "requests whose line no instruction needed, or that was present when it arrived")

/* Histograms of the account, which are among the mechanism's vectors: the first of useful and late requests, the
 * second of late ones. */
#define MECH_REQUEST_HISTOGRAMS(X)                                                                                     \
	X(prefetch_distance, "cycles", "cycles from sending a request to the instruction that needed its line")        \
	X(late_wait, "cycles", "cycles that the first instruction waited for a late line")

struct mech_requests {
#define MECH_COUNTER(name, unit, meaning) uint64_t name;
	MECH_REQUEST_COUNTERS(MECH_COUNTER)
#undef MECH_COUNTER
};

#endif
