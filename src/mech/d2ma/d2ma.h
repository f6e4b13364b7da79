/* d2ma: types and functions shared by the files of this folder. The mechanism is the DMA engine of an SM (D. A.
 * Jamshidi, M. Samadi, S. Mahlke: D2MA: Accelerating Coarse-Grained Data Transfer for GPUs, PACT 2014). README.md
 * lists the decisions where the paper is silent.
 *
 *   d2ma.c        options, counters, the engine's hooks
 *   controller.c  one controller per resident block: its buffers, from a command to ignition and the transfer's end
 *   (4.1)
 *   agen.c        address generation: from a transfer to requests for segments and constants of its halo (4.2)
 *   wait.c        which instructions wait for a transfer, and the cycles in which all of an SM's warps do (4.3, 5.2)
 *   costs.c       bits, area, power and energy (5.5) */
#ifndef SLUICE_MECH_D2MA_D2MA_H
#define SLUICE_MECH_D2MA_D2MA_H

#include "base/dma.h"
#include "seam/mech.h"
#include "seam/mech_stall.h"

enum d2ma_order { D2MA_OLDEST, D2MA_YOUNGEST, D2MA_ROUND_ROBIN };
enum d2ma_sync { D2MA_BY_ADDRESS, D2MA_BY_BARRIER };

struct d2ma_config {
	uint32_t segment; /* index into 128, 64, 32 bytes */
	uint32_t order;   /* enum d2ma_order */
	uint32_t sync;    /* enum d2ma_sync */
	uint32_t entries; /* transfers of a block in progress at a time */
	uint32_t interval; /* cycles per piece */
	uint32_t latency; /* cycles from a command's issue to the engine */
	uint32_t mshrs;   /* the engine's own; 0: it uses L1's */
	bool before_demand;
};

#define D2MA_COUNTERS(X)                                                                                               \
	X(transfers, "transfers", "transfers ignited")                                                                 \
	X(completed, "transfers", "transfers whose data have all arrived")                                             \
	X(drained, "transfers", "transfers whose block ended before them")                                             \
	X(reignited, "transfers", "transfers of a reused buffer: all live warps of the block had issued the command")  \
	X(commands, "instructions", "warp commands that ask for a transfer")                                           \
	X(repeated, "instructions", "commands that another warp had already given: nothing is done")                   \
	X(bytes, "bytes", "bytes of elements fetched or written by completed transfers, including the halo")           \
	X(segments, "requests", "requests for segments, which bypass L1")                                              \
	X(constants, "words", "words of halos written with the constant")                                              \
	X(transfer_cycles, "cycles", "cycles of completed transfers from ignition until all data arrived")             \
	X(queued_cycles, "cycles", "cycles of completed transfers from ignition until address generation")             \
	X(agen_cycles, "cycles", "cycles of completed transfers in address generation")                                \
	X(mem_cycles, "cycles", "cycles of completed transfers from then on until all data arrived")                   \
	X(agen_kept_cycles, "cycles", "cycles in which address generation waited for an MSHR or the network")          \
	X(squashed_loads, "instructions", "shared loads refused at issue because a transfer was not complete")         \
	X(squashed_stores, "instructions", "shared stores and atomics refused at issue for the same reason")           \
	X(held_commands, "instructions", "commands refused at issue because the buffer's last one was not ignited")    \
	X(stalled_cycles, "cycles", "SM cycles with a warp waiting for a transfer, and all others for data or at barriers")

struct d2ma_stats {
#define X(name, unit, meaning) uint64_t name;
	D2MA_COUNTERS(X)
#undef X
};

enum d2ma_vector { D2MA_TRANSFER_TIME, D2MA_AGEN_TIME, D2MA_MEM_TIME, D2MA_VECTORS };
enum d2ma_event { D2MA_AGEN, D2MA_MEM, D2MA_COMP, D2MA_EVENTS };

enum d2ma_state {
	D2MA_EMPTY,      /* no command yet */
	D2MA_CONFIGURED, /* a transfer has been commanded, but no entry is free yet */
	D2MA_IGNITING,   /* waits for address generation */
	D2MA_GENERATING,
	D2MA_IN_FLIGHT, /* all addresses have been generated, and data are in flight */
	D2MA_DONE,
};

/* An entry of the buffer management table. Commands are numbered from 1. After the first, a command counts when all
 * live warps have issued it. */
struct d2ma_buffer {
	enum d2ma_state state;
	/* the transfer ignited last; the one commanded last; the one that some warps have issued but not all */
	struct dma_transfer now, last, next;
	bool has_next;
	uint32_t commanded, ignited;
	uint64_t serial;  /* number of its transfer among the SM's */
	uint32_t coming;  /* its unanswered requests */
	uint64_t ignition, begin, generated, end; /* cycles of the current transfer's steps, as they happen */
};

struct d2ma_controller {
	bool resident;
	uint32_t first_warp, warps; /* slots */
	struct d2ma_buffer buffer[DMA_BUFFERS];
};

enum d2ma_waits { D2MA_FOR_NOTHING, D2MA_FOR_DATA, D2MA_FOR_IGNITION };

struct d2ma_warp {
	struct dma_warp dma;
	enum d2ma_waits waits; /* reason for which it is held */
};

struct d2ma_cursor {
	uint32_t line, at; /* position of a transfer's element, including the halo */
};

struct d2ma_agen {
	/* busy: has a transfer; constants: is at its constants */
	bool busy, constants;
	uint32_t slot, number;      /* of the buffer */
	struct d2ma_cursor cursor;
	uint64_t next; /* cycle */
	struct mech_stall stall;
	uint32_t words, word[MECH_MAX_WORDS];
};

/* The engine. */
struct d2ma_sm {
	struct d2ma_controller *controller; /* by block slot */
	struct d2ma_warp *warp;             /* by warp slot */
	struct d2ma_agen agen;
	uint64_t serials;
	uint32_t unfinished; /* buffers with a transfer commanded or in progress */
	uint32_t partial;    /* buffers with a command that only some warps have issued */
	uint32_t in_flight;  /* segments */
	uint32_t resident, held; /* warps of resident blocks; held warps among them */
	uint32_t awake;      /* slot of a warp that did not wait at the last check */
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

/* Handles a command issued by a warp of the block in the slot. */
void d2ma_command(struct mech_sm *sm, uint32_t slot, uint32_t warp, enum dma_command command,
                  const uint64_t value[DMA_MAX_FIELDS], uint64_t cycle);
/* Call after warps have exited: a command that was waiting for them may now count. */
void d2ma_warps_have_exited(struct mech_sm *sm, uint64_t cycle);
/* Call when a buffer's addresses have all been generated or another of its requests is answered. Completes the
 * transfer if both are done. */
void d2ma_come_on(struct mech_sm *sm, uint32_t slot, uint32_t number, uint64_t cycle);
void d2ma_block_ends(struct mech_sm *sm, uint32_t slot, uint64_t cycle);

/* agen.c */

/* Returns the cycle of its next step, or MECH_NEVER. */
uint64_t d2ma_agen_tick(struct mech_sm *sm, uint64_t cycle);
/* Abandons the transfer in progress if it belongs to the block in the slot, which ends. */
void d2ma_agen_leave(struct mech_sm *sm, uint32_t slot, uint64_t cycle);

/* wait.c */

/* Whether an instruction on shared memory, or a command, may issue. If not, the warp is held. */
bool d2ma_may_access(struct mech_sm *sm, const struct mech_issue *issue);
bool d2ma_may_command(struct mech_sm *sm, const struct mech_issue *issue);
/* Wakes the block's warps that are held for this reason. */
void d2ma_wake(struct mech_sm *sm, uint32_t slot, enum d2ma_waits reason);
/* For sync=barrier: call after another warp has issued the command or exited. Wakes the warps that need not wait any
 * longer. */
void d2ma_wake_at_barrier(struct mech_sm *sm, uint32_t slot);
/* Counts the cycles in which all of the SM's warps waited. */
void d2ma_count_stalls(struct mech_sm *sm, uint64_t cycle);

/* costs.c */
uint32_t d2ma_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);
uint32_t d2ma_energies(const void *config, const struct mech_machine *machine,
                       struct mech_energy energy[MECH_MAX_ENERGIES]);

#endif
