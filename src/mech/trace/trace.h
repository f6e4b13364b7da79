/* trace: types and functions shared by the files of this mechanism. */
#ifndef SLUICE_MECH_TRACE_TRACE_H
#define SLUICE_MECH_TRACE_TRACE_H

#include "seam/mech.h"

struct trace_config {
	bool warps, requests, prefetches, banks;
	uint32_t every; /* cycles between two samples of a warp's state */
	char sms[BASE_OPTION_TEXT_SIZE];
};

/* First track number of each kind of track. */
enum { TRACKS_OF_WARPS = 0, TRACKS_OF_REQUESTS = 1 << 8, TRACKS_OF_PREFETCHES = 1 << 10, TRACKS_OF_BANKS = 1 << 12 };
/* Events: id, name, meaning, arguments. */
#define TRACE_EVENTS(X)                                                                                                \
	X(LOAD, load, "a warp waits for a load or an atomic", "pc", NULL)                     \
	X(ARITHMETIC, arithmetic, "a warp waits for an arithmetic result", "pc", NULL)        \
	X(BARRIER, barrier, "a warp waits at a barrier", "pc", NULL)                          \
	X(FENCE, fence, "a warp waits at a fence", "pc", NULL)                                \
	X(HELD, held, "a warp is held by a mechanism", "pc", NULL)                            \
	X(FETCH, fetch, "a warp waits for its next instruction", "pc", NULL)                  \
	X(READY, ready, "a warp waits for its turn, or for space in its pipe", "pc", NULL)    \
	X(FROM_L2, from_l2, "a load that hit in L2, from leaving the SM to its reply", "address", "pc") \
	X(FROM_DRAM, from_dram, "a load that L2 fetched from DRAM, from leaving the SM to its reply", "address", "pc") \
	X(STORED, store, "a store, from leaving the SM to its acknowledgement", "address", "pc") \
	X(ATOMIC, atomic, "an atomic, from leaving the SM to its reply", "address", "pc") \
	X(CODE, code, "a line of code, from leaving the SM to its reply", "address", NULL) \
	X(PREFETCHED, prefetched, "a mechanism's request, from leaving the SM to its reply", "address", "pc") \
	X(IN_SLICE, in_slice, "a request in the L2 slice, from the network and back into it", "address", "pc") \
	X(USED, used, "a prefetched line, from its request to its first use", "address", "pc")          \
	X(UNUSED, unused, "a prefetched line, from its request to its eviction without a use", "address", "pc") \
	X(ROW_OPEN, row, "a DRAM row is open in its bank", "row", "columns")

enum trace_event {
#define X(id, name, meaning, one, two) TRACE_##id,
	TRACE_EVENTS(X)
#undef X
		TRACE_EVENT_COUNT
};

/* A request in flight, or a prefetched line in L1. Its track on the timeline is the lane: the first one that was
 * free when the entry was opened. */
enum { TRACE_OPEN = 512 };
struct trace_open {
	uint64_t begin, address;
	uint32_t pc, warp, kind;
	bool is_open;
};
struct trace_lanes {
	struct trace_open open[TRACE_OPEN];
	uint32_t used; /* no entry is open at this index or above */
};

struct trace_warp {
	bool live, waits;
	uint32_t event;  /* what it waits for */
	uint64_t since;  /* cycle in which the wait began; if `waits` is false: the cycle after the warp's last issue */
	uint32_t pc;
};

struct trace_sm {
	bool looks; /* whether this SM is traced */
	struct trace_warp *warp; /* by warp slot */
	uint64_t next; /* cycle of the next sample of the warps */
	struct trace_lanes requests, prefetches;
};

struct trace_bank {
	bool is_open;
	uint32_t row, columns;
	uint64_t since; /* in cycles of the DRAM command clock */
};

struct trace_partition {
	struct trace_bank *bank;
	struct trace_lanes requests;
};

struct trace_stats {
	uint64_t unseen;
};

/* Lanes of an SM or of a slice. trace_open() puts an entry into the first free lane; if none is free, it increments
 * `unseen` and drops the entry. trace_close() draws the entry as an event of the given kind and frees its lane. */
void trace_open(struct trace_lanes *lanes, const struct trace_open *open, struct trace_stats *stats);
/* Returns the lane of the oldest open entry with the same address, kind, pc and warp; TRACE_OPEN when there is none. */
uint32_t trace_find(const struct trace_lanes *lanes, const struct trace_open *wanted);
void trace_close(struct trace_lanes *lanes, uint32_t lane, struct mech_output *output, enum trace_event event,
                 uint32_t first_track, uint64_t cycle);

/* warps.c */
void trace_warp_issue(struct mech_sm *sm, const struct mech_issue *issue);
void trace_warps_begin(struct mech_sm *sm, const struct mech_block *block);
void trace_warps_end(struct mech_sm *sm, const struct mech_block *block);
uint64_t trace_warps_look(struct mech_sm *sm, uint64_t cycle);

#endif
