/* trace: what the files of this mechanism share. */
#ifndef SLUICE_MECH_TRACE_TRACE_H
#define SLUICE_MECH_TRACE_TRACE_H

#include "seam/mech.h"

struct trace_config {
	bool warps, requests, prefetches, banks;
	uint32_t every; /* cycles between two looks at a warp */
	char sms[OPTION_TEXT_SIZE];
};

/* Events: row, name, its tracks' name and first number, meaning, arguments. A part's tracks of one name are numbered from 0 for readers. */
enum { TRACKS_OF_WARPS = 0, TRACKS_OF_REQUESTS = 1 << 8, TRACKS_OF_PREFETCHES = 1 << 10, TRACKS_OF_BANKS = 1 << 12 };
#define TRACE_EVENTS(X)                                                                                                \
	X(LOAD, load, "warp", TRACKS_OF_WARPS, "a warp waits for a load or an atomic", "pc", NULL)                     \
	X(ARITHMETIC, arithmetic, "warp", TRACKS_OF_WARPS, "... for an arithmetic result", "pc", NULL)                 \
	X(BARRIER, barrier, "warp", TRACKS_OF_WARPS, "... at a barrier", "pc", NULL)                                   \
	X(FENCE, fence, "warp", TRACKS_OF_WARPS, "... at a fence", "pc", NULL)                                         \
	X(HELD, held, "warp", TRACKS_OF_WARPS, "... held by a mechanism", "pc", NULL)                                  \
	X(FETCH, fetch, "warp", TRACKS_OF_WARPS, "... for its next instruction", "pc", NULL)                           \
	X(READY, ready, "warp", TRACKS_OF_WARPS, "... for its turn, or for room in its pipe", "pc", NULL)              \
	X(FROM_L2, from_l2, "request", TRACKS_OF_REQUESTS, "from the SM until its data came, which L2 had", "address", "pc") \
	X(FROM_DRAM, from_dram, "request", TRACKS_OF_REQUESTS, "... which came from DRAM", "address", "pc")            \
	X(STORED, store, "request", TRACKS_OF_REQUESTS, "a store, from the SM to its acknowledgement", "address", "pc") \
	X(ATOMIC, atomic, "request", TRACKS_OF_REQUESTS, "an atomic, from the SM to its answer", "address", "pc")      \
	X(CODE, code, "request", TRACKS_OF_REQUESTS, "a line of code, from the SM until it came", "address", NULL)     \
	X(PREFETCHED, prefetched, "request", TRACKS_OF_REQUESTS, "a mechanism's, from the SM until its data came", "address", "pc") \
	X(IN_SLICE, in_slice, "request", TRACKS_OF_REQUESTS, "in the slice, from the network and back into it", "address", "pc") \
	X(USED, used, "prefetch", TRACKS_OF_PREFETCHES, "a prefetched line, from when it was sent for to its first use", "address", "pc") \
	X(UNUSED, unused, "prefetch", TRACKS_OF_PREFETCHES, "... until it went unused", "address", "pc")               \
	X(ROW_OPEN, row, "bank", TRACKS_OF_BANKS, "a row of DRAM is open in its bank", "row", "columns")

enum trace_event {
#define X(id, name, tracks, first, meaning, one, two) TRACE_##id,
	TRACE_EVENTS(X)
#undef X
		TRACE_EVENT_COUNT
};

/* What is on its way, or lies somewhere, with the track that shows it until then: the first that was free. */
enum { TRACE_OPEN = 512 };
struct trace_open {
	uint64_t begin, address;
	uint32_t pc, warp, kind;
	bool is_open;
};
struct trace_lanes {
	struct trace_open open[TRACE_OPEN];
	uint32_t used; /* lanes from which on none is open */
};

struct trace_warp {
	bool live, waits;
	uint32_t event;  /* what it waits for, */
	uint64_t since;  /* from this cycle on; without `waits`: the cycle behind its last issue */
	uint32_t pc;
};

struct trace_sm {
	bool looks; /* at this SM */
	struct trace_warp *warp; /* by slot */
	uint64_t next; /* look at the warps */
	struct trace_lanes requests, prefetches;
};

struct trace_bank {
	bool is_open;
	uint32_t row, columns;
	uint64_t since; /* cycle of the command clock */
};

struct trace_partition {
	struct trace_bank *bank;
	struct trace_lanes requests;
};

struct trace_stats {
	uint64_t unseen;
};

/* Of SMs, and of slices: a new one gets the first free lane; it is drawn when it ends, as that event. `unseen` counts those without one. */
void trace_open(struct trace_lanes *lanes, const struct trace_open *open, struct trace_stats *stats);
/* The lane of the oldest that is alike in address, kind, pc and warp; TRACE_OPEN: none is. */
uint32_t trace_find(const struct trace_lanes *lanes, const struct trace_open *wanted);
void trace_close(struct trace_lanes *lanes, uint32_t lane, struct mech_output *output, enum trace_event event,
                 uint32_t first_track, uint64_t cycle);

/* warps.c */
void trace_warp_issue(struct mech_sm *sm, const struct mech_issue *issue);
void trace_warps_begin(struct mech_sm *sm, const struct mech_block *block);
void trace_warps_end(struct mech_sm *sm, const struct mech_block *block);
uint64_t trace_warps_look(struct mech_sm *sm, uint64_t cycle);

#endif
