/* dram: one memory channel. It schedules first-ready, first-come-first-served over banks with open rows (GDDR5).
 *
 * Times are in command-clock cycles. Each column command moves `atom_bytes` of a request. The channel issues at most
 * one command per cycle (two with dual_bus or row_beside_column). The scheduler tries banks round robin. In a bank it
 * stays with the open row while requests for that row wait, oldest first. Then it takes the row of the oldest urgent
 * request, or of the oldest request if none is urgent. After `urgent_limit` urgent requests of a bank have overtaken a
 * waiting ordinary one, the next row is the oldest request's.
 *
 * The rules are GPGPU-Sim's; dram.c names its functions. Urgent requests are ours (docs/explanation/timing-model.md): a
 * mechanism marks its own with mech_request.urgent. tests/memory/test_dram.c checks every timing to the cycle.
 * tests/memory/test_dram_random.c checks the commands of random traffic, and tests/micro/bandwidth.cu compares the
 * rates with closed forms.
 */
#ifndef SLUICE_MEMORY_DRAM_H
#define SLUICE_MEMORY_DRAM_H

#include "base/port.h"
#include "base/table.h"
#include "base/traffic.h"
#include "memory/address_map.h"
#include "memory/request.h"

struct dram_config {
	uint32_t queue; /* requests that the scheduler sees */
	uint32_t urgent_limit; /* urgent requests of a bank that may overtake an ordinary one */
	uint32_t return_queue;
	uint32_t atom_bytes;   /* per column command */
	uint32_t burst_cycles; /* command cycles for which a burst occupies the pins */
	uint32_t bank_groups;
	bool group_low_bits;    /* a bank's group: bank % groups, else bank / (banks / groups) */
	bool dual_bus;          /* a column command and a row command per cycle; else one command, of either kind */
	/* without dual_bus: in the cycle of an activate or precharge, a later bank in the turn may read or write */
	bool row_beside_column;
	uint32_t latency;       /* L2 clock cycles between the slice and the scheduler */
	uint32_t ccd, ccd_long, rrd, rcd, rcd_write, ras, rp, rc, cl, wl;
	uint32_t rtw, wtr;           /* read to write, write to read */
	uint32_t rtp, rtp_long, wtp; /* read or write to precharge */
};

#define DRAM_COUNTERS(X)                                                                                               \
	X(reads, "commands", "column reads, one per atom")                                                             \
	X(writes, "commands", "column writes, one per atom")                                                           \
	X(requests, "requests", "requests taken by the scheduler")                                                     \
	X(row_hits, "requests", "requests for the row that was open in their bank")                                    \
	X(activates, "commands", "rows opened")                                                                        \
	X(precharges, "commands", "rows closed")                                                                       \
	X(cycles, "cycles", "command-clock cycles, summed over channels")                                              \
	X(data_cycles, "cycles", "cycles in which data held the pins")                                                 \
	X(queue_full, "cycles", "cycles in which a request waited for a free entry in the scheduler's queue")

struct dram_stats {
#define X(name, unit, meaning) uint64_t name;
	DRAM_COUNTERS(X)
#undef X
};

#define DRAM_NO_ROW UINT32_MAX

enum { DRAM_MAX_BANKS = 64 }; /* one bit each in masks of a channel */

/* For each command, the first cycle in which one bank, one group or the channel allows it. */
struct dram_allowed {
	uint64_t from[BASE_DRAM_COMMANDS];
};

struct dram_bank {
	struct request *current;      /* being served */
	struct request *first, *last; /* waiting, in order of arrival */
	uint32_t open_row;            /* last row activated */
	uint32_t serving_row;         /* row the scheduler stays with, or DRAM_NO_ROW */
	uint32_t urgent;              /* number of urgent requests among those waiting */
	uint32_t overtakes;           /* urgent requests taken in succession while an ordinary one waited */
	bool active;
	uint8_t next; /* enum base_dram_command: next command of the current request */
	struct dram_allowed allowed;
	struct dram_allowed *group;
};

/* A burst in transit through the pins. */
struct dram_transfer {
	struct request *request;
	uint64_t at;
};

/* Callbacks that observe a channel's commands or replace its scheduler's choice; NULL: none. */
struct dram_watcher {
	void *user;
	void (*issued)(void *user, const struct base_dram_issue *issue);
	/* Returns the index of the request that its bank serves next, or UINT32_MAX for none in this cycle. */
	uint32_t (*next)(void *user, const struct base_dram_queue *queue);
};

struct dram_channel {
	struct dram_config config;
	uint32_t slices, banks;
	struct port *from_l2;       /* one per slice; this channel consumes */
	uint64_t offered;           /* slices whose port holds a request, as a mask */
	struct port **to_l2;        /* one per slice */
	struct request_queue delay; /* requests in transit to the scheduler */
	uint64_t delay_until;       /* L2 cycle in which the oldest of them arrives, or UINT64_MAX */
	struct dram_bank *bank;
	struct dram_allowed *group;
	uint64_t serving;      /* banks with a current request, as a mask */
	uint64_t waiting;      /* banks with waiting requests */
	uint32_t pending;      /* requests waiting in banks' queues */
	uint64_t command_from; /* no command is possible before this cycle */
	bool blocked;          /* a request waits for a free entry in the scheduler's queue */
	uint32_t next_bank;    /* round robin */
	uint32_t last_slice;
	uint32_t *credits_in_use; /* per slice; its first credit is its own, the others are shared */
	uint32_t shared_credits;  /* free */
	struct dram_allowed allowed;
	struct dram_transfer *transfer; /* ring */
	uint32_t transfer_head, transfers, transfer_capacity;
	uint64_t transfer_at; /* cycle of the oldest transfer, or UINT64_MAX */
	struct request_queue returned;
	struct request_pool *pool;
	uint64_t period, l2_period; /* of the clocks */
	uint64_t wake;
	uint64_t last_cycle;
	struct dram_watcher watcher;
	struct base_dram_waiting *seen; /* the queue as shown to the watcher */
	struct request **shown;    /* the requests of these entries */
	uint64_t arrivals;         /* number of arrivals so far, counted only when the watcher chooses */
	struct dram_stats stats;
};

void dram_open(struct dram_channel *channel, const struct dram_config *config, const struct address_map *map,
               struct request_pool *pool, uint64_t period, uint64_t l2_period, struct arena *arena);

/* Opens the port from one of its slices, with space for `capacity` requests. */
void dram_open_port(struct dram_channel *channel, uint32_t slice, uint32_t capacity, struct arena *arena);

void dram_watch(struct dram_channel *channel, const struct dram_watcher *watcher, struct arena *arena);

/* Calls the watcher's choice (dram_watch.c). Returns the next request of a bank that is not in `serving`, or NULL. */
struct request *dram_watch_next(struct dram_channel *channel);
void dram_watch_issued(const struct dram_channel *channel, enum base_dram_command command, uint32_t bank,
                       const struct request *request, uint64_t cycle);

/* Simulates one command cycle. `cycle` is the number of the command cycle; `l2_cycle` is the number of the L2 clock
 * cycle, the unit of `latency`. */
void dram_tick(struct dram_channel *channel, uint64_t cycle, uint64_t l2_cycle, uint64_t now);

/* Adds the cycles up to `cycle` in which the channel slept (slice.h, "Sleeping and settling"). */
void dram_settle(struct dram_channel *channel, uint64_t cycle);

extern const struct base_counter dram_counters[];
extern const size_t dram_counter_count;

#endif
