/* d2ma: the DMA engine of an SM (D. A. Jamshidi, M. Samadi, S. Mahlke: D2MA: Accelerating Coarse-Grained Data Transfer for GPUs,
 * PACT 2014), what its files share. README.md says what the paper leaves open.
 *
 *   d2ma.c        options, counters, the engine's hooks
 *   controller.c  a controller a resident block: buffers, from a command to ignition, and on to the end of the transfer (4.1)
 *   agen.c        address generation: from a transfer to requests of segments and constants of its halo (4.2)
 *   wait.c        which instructions wait for a transfer, and how long all of an SM's warps do (4.3, 5.2)
 *   costs.c       bits, area, power and energy (5.5)
 */
#ifndef SLUICE_MECH_D2MA_D2MA_H
#define SLUICE_MECH_D2MA_D2MA_H

#include "base/dma.h"
#include "seam/mech.h"

enum d2ma_order { D2MA_OLDEST, D2MA_YOUNGEST, D2MA_ROUND_ROBIN };
enum d2ma_sync { D2MA_BY_ADDRESS, D2MA_BY_BARRIER };

struct d2ma_config {
	uint32_t segment; /* which of 128, 64, 32 bytes */
	uint32_t order;   /* enum d2ma_order */
	uint32_t sync;    /* enum d2ma_sync */
	uint32_t entries; /* transfers of a block that are under way at a time */
	uint32_t interval; /* cycles a piece */
	uint32_t latency; /* cycles from a command's issue to the engine */
	uint32_t mshrs;   /* of its own; 0: L1's */
	bool before_demand;
};

#define D2MA_COUNTERS(X)                                                                                               \
	X(transfers, "transfers", "ignited")                                                                           \
	X(completed, "transfers", "whose data are all there")                                                          \
	X(drained, "transfers", "whose block ended before")                                                            \
	X(reignited, "transfers", "of a buffer that had one before: all live warps of the block had come to it")       \
	X(commands, "instructions", "of warps that asked for a transfer")                                              \
	X(repeated, "instructions", "... that another warp had asked for: nothing is done")                            \
	X(bytes, "bytes", "of elements that completed transfers brought or wrote, the halo's included")                \
	X(segments, "requests", "of segments: so many lines are not in L1 beside shared memory")                       \
	X(constants, "words", "of halos written with the constant")                                                    \
	X(transfer_cycles, "cycles", "from ignition until the data are there, of completed transfers")                 \
	X(queued_cycles, "cycles", "... until address generation took them")                                           \
	X(agen_cycles, "cycles", "... in address generation")                                                          \
	X(mem_cycles, "cycles", "... from its end until the data were there")                                          \
	X(agen_kept_cycles, "cycles", "in which address generation waited for an MSHR or the network")                 \
	X(squashed_loads, "instructions", "on shared memory turned away at issue, since a transfer was not over")      \
	X(squashed_stores, "instructions", "... that write: stores and atomics")                                       \
	X(held_commands, "instructions", "commands turned away: the buffer's last one was not ignited")                \
	X(stalled_cycles, "cycles", "of an SM in which a warp waits for a transfer, and all others for data or at barriers")

struct d2ma_stats {
#define X(name, unit, meaning) uint64_t name;
	D2MA_COUNTERS(X)
#undef X
};

enum d2ma_vector { D2MA_TRANSFER_TIME, D2MA_AGEN_TIME, D2MA_MEM_TIME, D2MA_VECTORS };
enum d2ma_event { D2MA_AGEN, D2MA_MEM, D2MA_COMP, D2MA_EVENTS };

enum d2ma_state {
	D2MA_EMPTY,      /* nothing was asked for */
	D2MA_CONFIGURED, /* a transfer is wanted, and its entry not free yet */
	D2MA_IGNITING,   /* it waits for address generation */
	D2MA_GENERATING,
	D2MA_IN_FLIGHT, /* all addresses are generated, and data on their way */
	D2MA_DONE,
};

/* An entry of the buffer management table. Commands are counted from 1; a later one is commanded when all live warps have come to it. */
struct d2ma_buffer {
	enum d2ma_state state;
	struct dma_transfer now, last, next; /* ignited last; commanded last; that some warps have come to, and not all */
	bool has_next;
	uint32_t commanded, ignited;
	uint64_t serial;  /* of its transfer, of the SM's */
	uint32_t coming;  /* requests of it that are not answered */
	uint64_t ignition, begin, generated, end; /* cycles of the transfer, as far as it has come */
};

struct d2ma_controller {
	bool resident;
	uint32_t first_warp, warps; /* slots */
	struct d2ma_buffer buffer[DMA_BUFFERS];
};

enum d2ma_waits { D2MA_FOR_NOTHING, D2MA_FOR_DATA, D2MA_FOR_IGNITION };

struct d2ma_warp {
	struct dma_warp said;
	enum d2ma_waits waits; /* it is held */
};

struct d2ma_cursor {
	uint32_t line, at; /* of a transfer's element, the halo's included */
};

struct d2ma_agen {
	bool busy, constants, kept; /* it has a transfer, whose constants it is at; it could not send in the last cycle that it tried */
	uint32_t slot, number;      /* of the buffer */
	struct d2ma_cursor cursor;
	uint64_t next, kept_since; /* cycles */
	uint32_t words, word[MECH_MAX_WORDS];
};

/* The engine. */
struct d2ma_sm {
	struct d2ma_controller *controller; /* by block slot */
	struct d2ma_warp *warp;             /* by warp slot */
	struct d2ma_agen agen;
	uint64_t serials;
	uint32_t unfinished; /* buffers with a transfer that is wanted or under way */
	uint32_t partial;    /* buffers with a command that some warps have come to */
	uint32_t in_flight;  /* segments */
	uint32_t resident, held; /* warps of resident blocks; of these, that it holds */
	uint32_t awake;      /* a warp's slot */
	bool exits;          /* a warp's exit may have issued in this cycle */
	bool stalled;
	uint64_t stalled_since;
};

static inline struct d2ma_sm *d2ma_engine(const struct mech_sm *sm)
{
	return sm->state;
}

static inline bool d2ma_is_unfinished(const struct d2ma_buffer *buffer)
{
	return buffer->state != D2MA_EMPTY && buffer->state != D2MA_DONE;
}

/* controller.c */

/* A warp of the block in the slot issues a command. */
void d2ma_command(struct mech_sm *sm, uint32_t slot, uint32_t warp, enum dma_command command,
                  const uint64_t value[DMA_MAX_FIELDS], uint64_t cycle);
/* Warps have exited: what others have come to may be what all live ones have. */
void d2ma_warps_have_exited(struct mech_sm *sm, uint64_t cycle);
/* The buffer's addresses are generated, or another of its requests is answered. */
void d2ma_come_on(struct mech_sm *sm, uint32_t slot, uint32_t number, uint64_t cycle);
void d2ma_block_ends(struct mech_sm *sm, uint32_t slot, uint64_t cycle);

/* agen.c */

/* Returns the cycle in which it wants to go on, or MECH_NEVER. */
uint64_t d2ma_agen_tick(struct mech_sm *sm, uint64_t cycle);
/* The block ends: what is left of its transfer is not generated. */
void d2ma_agen_leave(struct mech_sm *sm, uint32_t slot, uint64_t cycle);

/* wait.c */

/* May an instruction on shared memory, or a command, issue? If not, the warp is held. */
bool d2ma_may_access(struct mech_sm *sm, const struct mech_issue *issue);
bool d2ma_may_command(struct mech_sm *sm, const struct mech_issue *issue);
/* Some of a block's warps have no reason to wait any more. */
void d2ma_wake(struct mech_sm *sm, uint32_t slot, enum d2ma_waits reason);
/* The same where they wait as at a barrier: one more warp has come, or ended. */
void d2ma_wake_at_barrier(struct mech_sm *sm, uint32_t slot);
/* Counts the cycles in which all of the SM's warps waited. */
void d2ma_count_stalls(struct mech_sm *sm, uint64_t cycle);

/* costs.c */
uint32_t d2ma_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);
uint32_t d2ma_energies(const void *config, const struct mech_machine *machine,
                       struct mech_energy energy[MECH_MAX_ENERGIES]);

#endif
