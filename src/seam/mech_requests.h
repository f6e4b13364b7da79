/* mech_requests: lines that a mechanism asks for, and the accounts that the machine keeps of them. A mechanism includes seam/mech.h,
 * which includes this. */
#ifndef SLUICE_SEAM_MECH_REQUESTS_H
#define SLUICE_SEAM_MECH_REQUESTS_H

#include "base/traffic.h"

#include <stdbool.h>
#include <stdint.h>

enum mech_place {
	MECH_TO_L1,
	MECH_TO_BUFFER, /* the one that answers before L1 */
	MECH_TO_NOTHING, /* the data are dropped when they come: their traffic is all that is wanted */
	MECH_TO_L2, /* into L2 and no further */
	MECH_TO_SHARED,  /* shared memory of a block, past L1 */
	MECH_WRITE_SHARED, /* the same, with what the sender has: nothing is fetched, `address` and `urgent` say nothing */
	MECH_WRITE_GLOBAL, /* global memory, with what the sender has, past L1: a store's packet, made in the next cycle at the earliest, whose acknowledgement is the reply */
};

struct mech_request {
	uint64_t address; /* a multiple of MECH_SECTOR */
	uint32_t bytes;   /* 1 .. a line, within the line; to L1 or L2: the whole sector that address lies in is fetched, and no other */
	enum mech_place to;
	uint32_t pc;    /* of the load on whose behalf: one of the kernel's, or MECH_NO_PC */
	uint32_t block; /* to the buffer, to shared memory: slot of the block whose it is. One that has ended wants nothing: redundant */
	/* To shared memory: where the first byte goes, from the start of the block's, and all others behind it; or, where `words` is not 0,
	 * the words of 4 bytes that the data go to, by number from there, each within what the block has. */
	uint32_t shared;
	uint32_t words; /* to MECH_MAX_WORDS */
	const uint32_t *word;
	bool from_shared; /* WRITE_GLOBAL: what is written lies in the block's shared memory, from `shared` on, whose banks are read before the packet leaves */
	bool no_mshr; /* to shared memory: it keeps none of L1's MSHRs */
	bool before_demand; /* not to L1: its turn comes before those of the load/store unit and of L1's misses */
	uint64_t tag;   /* whatever the sender wants to find in the reply */
	bool urgent;    /* memory controllers serve it before others */
	bool once;      /* to L1: where L1 has no MSHR, no line or no place among its misses for it, it is dropped; else it is tried again each cycle */
	bool bound;     /* to L1: a warp is bound to it, which `fill` names: */
	uint32_t warp;  /* its slot */
};

struct mech_reply {
	struct mech_request request;
	bool filtered; /* the line was there, or on its way: nothing was sent; to L2, nothing was fetched */
	bool outside;  /* the line is no memory: nothing was sent */
	uint64_t sent, cycle;
};

/* What became of a request that was sent, as its account counts it. */
#define MECH_USEFUL        PREFETCH_USEFUL
#define MECH_LATE          PREFETCH_LATE
#define MECH_EARLY_EVICTED PREFETCH_EARLY_EVICTED
#define MECH_REDUNDANT     PREFETCH_REDUNDANT

struct mech_fate {
	uint64_t address, tag; /* of the request */
	uint32_t pc;
	enum prefetch_fate fate;
	uint64_t sent, came; /* came: its data; 0: they have not yet */
	uint64_t cycle;      /* of its fate: in which an instruction wanted the line, or it went */
};

/* The account of a sender, in all and per load. asked = dropped + outside + filtered + refused + issued, and when a kernel has ended
 * issued = useful + late + early_evicted + redundant. Prefetchers run past the ends of arrays by nature: a line in which no
 * allocation, variable or local memory has a byte is not sent but counted as outside. L1 knows what is on its way to it, and
 * what it would be asked for in vain, since the buffer in front of it has it: both is filtered. Requests to the buffer are never
 * filtered, and late only where loads wait for them (struct mech_buffer): else an instruction that is too early goes its usual
 * way. Nor are requests to shared memory: useful when an instruction reads a word of their data, late when one issues that reads a
 * word on its way, early evicted when others' data, or a store, came over the last of their words before, redundant when
 * nobody came until the block's end. What is written to global memory, or goes to nothing, is redundant.
 *
 * A request to L2 is sent before anybody knows whether L2 has its data: if it has, or waits for them, the request counts as issued, and as
 * redundant when its sender is told, with `filtered` set. Else it takes a line and an MSHR as a miss does. The first read of the data is its
 * use, of an instruction or of a mechanism's request to L1, to the buffer or to nothing; a store in L2 is none, as a store in L1 is none: it
 * takes the data away where the cache evicts on stores. */
#define MECH_REQUEST_COUNTERS(X)                                                                                       \
	X(asked, "requests", "lines that the mechanism asked for")                                                     \
	X(dropped, "requests", "turned away because the queue was full, or still in it at the kernel's end")           \
	X(outside, "requests", "not sent: the line lies outside every allocation")                                     \
	X(filtered, "requests", "not sent: the line was there or on its way")                                          \
	X(refused, "requests", "dropped because L1 had no room for them when their turn came")                         \
	X(retries, "cycles", "in which L1 had no room for one that was tried again")                                   \
	X(issued, "requests", "sent to memory")                                                                        \
	X(useful, "requests", "brought a line that an instruction then found")                                         \
	X(late, "requests", "still on their way when an instruction wanted the line")                                  \
	X(early_evicted, "requests", "brought a line that was replaced before an instruction wanted it")               \
	X(redundant, "requests", "brought a line that nobody wanted, or that was there when it came")

/* Histograms of the account, among the mechanism's vectors: of each useful and late request, of each late one. */
#define MECH_REQUEST_HISTOGRAMS(X)                                                                                     \
	X(prefetch_distance, "cycles", "from sending a request to the instruction that wanted its line")               \
	X(late_wait, "cycles", "that the first instruction waited for a line that was late")

struct mech_requests {
#define MECH_COUNTER(name, unit, meaning) uint64_t name;
	MECH_REQUEST_COUNTERS(MECH_COUNTER)
#undef MECH_COUNTER
};

#endif
