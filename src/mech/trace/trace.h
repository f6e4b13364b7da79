/* trace: what the files of this mechanism share. */
#ifndef SLUICE_MECH_TRACE_TRACE_H
#define SLUICE_MECH_TRACE_TRACE_H

#include "seam/mech.h"

struct trace_config {
	bool warps, requests, prefetches, banks;
	uint32_t every; /* cycles between two looks at a warp */
	char sms[OPTION_TEXT_SIZE];
};

/* Where the tracks of each kind begin. */
enum { TRACKS_OF_WARPS = 0, TRACKS_OF_REQUESTS = 1 << 8, TRACKS_OF_PREFETCHES = 1 << 10, TRACKS_OF_BANKS = 1 << 12 };
/* Events: row, name, meaning, arguments. */
#define TRACE_EVENTS(X)                                                                                                \
	X(LOAD, load, "a warp waits for a load or an atomic", "pc", NULL)                     \
	X(ARITHMETIC, arithmetic, "... for an arithmetic result", "pc", NULL)                 \
	X(BARRIER, barrier, "... at a barrier", "pc", NULL)                                   \
	X(FENCE, fence, "... at a fence", "pc", NULL)                                         \
	X(HELD, held, "... held by a mechanism", "pc", NULL)                                  \
	X(FETCH, fetch, "... for its next instruction", "pc", NULL)                           \
	X(READY, ready, "... for its turn, or for room in its pipe", "pc", NULL)              \
	X(FROM_L2, from_l2, "from the SM until its data came, which L2 had", "address", "pc") \
	X(FROM_DRAM, from_dram, "... which came from DRAM", "address", "pc")            \
	X(STORED, store, "a store, from the SM to its acknowledgement", "address", "pc") \
	X(ATOMIC, atomic, "an atomic, from the SM to its answer", "address", "pc")      \
	X(CODE, code, "a line of code, from the SM until it came", "address", NULL)     \
	X(PREFETCHED, prefetched, "a mechanism's, from the SM until its data came", "address", "pc") \
	X(IN_SLICE, in_slice, "in the slice, from the network and back into it", "address", "pc") \
	X(USED, used, "a prefetched line, from when it was sent for to its first use", "address", "pc") \
	X(UNUSED, unused, "... until it went unused", "address", "pc")               \
	X(ROW_OPEN, row, "a row of DRAM is open in its bank", "row", "columns")

enum trace_event {
#define X(id, name, meaning, one, two) TRACE_##id,
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
