/* teleport: types and functions shared by the controller at the dispatcher and the SM's side. */
#ifndef SLUICE_MECH_TELEPORT_TELEPORT_H
#define SLUICE_MECH_TELEPORT_TELEPORT_H

#include "seam/mech.h"

/* Machine models of section 5.2. I fills the buffer at dispatch and sends no requests. S fills it at dispatch and
 * sends requests too. R waits for memory. All three have an ideal buffer. Real is R with the buffer in shared
 * memory. */
enum teleport_model { TELEPORT_REAL, TELEPORT_R, TELEPORT_S, TELEPORT_I };

enum teleport_arbitration { TELEPORT_FIRST, TELEPORT_CORES_FIRST, TELEPORT_ALTERNATE };

/* Sizes of requests: packets sized like instructions' transactions, or whole lines, as in the mechanism's earlier
 * form. */
enum teleport_request { TELEPORT_PACKETS, TELEPORT_LINES };

struct teleport_config {
	uint32_t model;
	uint32_t buffer_kb, sets;
	uint32_t table_entries;
	uint32_t arbitration;
	bool overlap;       /* a block runs while its lines arrive (section 3.2.4) */
	uint32_t request;   /* enum teleport_request */
	bool urgent;        /* memory controllers prefer its requests */
	uint32_t loops;     /* enum mech_loops */
	uint32_t rate;      /* rows or requests per cycle */
	uint32_t field_bits; /* width of a row's products and offsets */
	bool look_stale;    /* count hits on data that other SMs have written since */
};

#define TELEPORT_COUNTERS(X)                                                                                           \
	X(demand, "requests", "loads, stores and atomics of global memory, by transaction", BASE_COMBINE_SUM)               \
	X(demand_hits, "requests", "loads and stores that found their data in the buffer", BASE_COMBINE_SUM)                \
	X(demand_merged, "requests", "loads that waited for data in flight to the buffer", BASE_COMBINE_SUM)                \
	X(loaded_blocks, "blocks", "blocks for which the controller had something to load", BASE_COMBINE_SUM)               \
	X(held_block_cycles, "cycles", "cycles that blocks waited for their data, summed over blocks", BASE_COMBINE_SUM)    \
	X(largest_block_bytes, "bytes", "largest amount that one block had in the buffer", BASE_COMBINE_LARGEST)            \
	X(largest_block_row_bytes, "bytes", "largest amount in one block's rows, not extended to requests",             \
	  BASE_COMBINE_LARGEST)                                                                                             \
	X(rows, "rows", "rows of the preload table, the largest number of a kernel", BASE_COMBINE_LARGEST)                  \
	X(dropped_rows, "rows", "rows without a free table entry, the largest number of a kernel", BASE_COMBINE_LARGEST)    \
	X(unfit_rows, "rows", "rows too large for the table's fields, the largest number of a kernel", BASE_COMBINE_LARGEST) \
	X(stale_hits, "requests",                                                                                      \
	  "load hits on sectors that another SM has written since their fill (look_stale)", BASE_COMBINE_SUM)               \
	X(blocked_cycles, "cycles", "cycles in which the controller could not send because the queue was full",        \
	  BASE_COMBINE_SUM)                                                                                                 \
	X(kernels_without_rows, "kernels", "kernels without computable reads, or without space for the buffer",        \
	  BASE_COMBINE_SUM)

struct teleport_stats {
#define X(name, unit, meaning, combination) uint64_t name;
	TELEPORT_COUNTERS(X)
#undef X
};

struct controller;
struct teleport_stale;

/* The SM's state of the block in a slot: the packets that it waits for (section 3.2.3). */
struct teleport_block {
	uint64_t number, started;
	uint32_t asked, arrived;
	bool is_resident, all_asked, waits;
};

/* Events of an SM in a cycle, for stale.c, which processes the kinds in this order. */
enum teleport_event_kind { TELEPORT_WRITTEN, TELEPORT_FOUND, TELEPORT_FILLED, TELEPORT_EVENTS };

struct teleport_event {
	enum teleport_event_kind kind;
	uint32_t bytes;
	uint64_t address;
};

enum { TELEPORT_LOG = 8 }; /* events per cycle: the load/store unit handles at most two accesses and one reply */

struct teleport_log {
	uint32_t events;
	struct teleport_event event[TELEPORT_LOG];
};

struct teleport_sm {
	struct teleport_block block[MECH_MAX_BLOCKS];
	struct teleport_log log; /* of the current cycle */
};

/* Releases the block in the slot if all its requests have been sent and answered. */
void teleport_release_if_loaded(struct mech_sm *sm, uint32_t slot, uint64_t cycle);

/* controller.c. The mechanism's GPU state is a pointer to the controller. */
void teleport_gpu_open(struct mech_gpu *gpu);
void teleport_gpu_kernel_begin(struct mech_gpu *gpu);
void teleport_gpu_keep(struct mech_gpu *gpu, struct mech_kept *kept);
void teleport_gpu_block(struct mech_gpu *gpu, const struct mech_block *block);
uint64_t teleport_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle);
bool teleport_may_end(struct mech_gpu *gpu, const struct mech_end *end);
/* Whether the kernel has rows, so that its blocks are loaded. */
bool teleport_loads(const struct mech_gpu *gpu);

/* stale.c, only with look_stale. teleport_note() logs an event of an SM in this cycle. teleport_stale_cycle()
 * evaluates all SMs' logs of a cycle. teleport_stale_fill() records a fill that bypassed the log. */
void teleport_note(struct mech_sm *sm, enum teleport_event_kind kind, uint64_t address, uint32_t bytes);
void teleport_stale_cycle(struct mech_gpu *gpu, uint64_t cycle);
void teleport_stale_fill(struct mech_gpu *gpu, uint32_t sm, uint64_t address, uint64_t bytes, uint64_t cycle);
struct teleport_stale *teleport_stale_open(struct mech_gpu *gpu); /* lives as long as the kernel */
struct teleport_stale *teleport_stale_of(const struct mech_gpu *gpu); /* controller.c */

/* rows.c: copies to `fitting` the rows that the table's fields can hold. Returns their number. */
uint32_t teleport_fitting_rows(const struct mech_gpu *gpu, const struct mech_rows *rows, struct mech_row *fitting);

/* costs.c: hardware costs of section 6, and the hardware's energy. */
uint32_t teleport_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);
uint32_t teleport_energies(const void *config, const struct mech_machine *machine,
                           struct mech_energy energy[MECH_MAX_ENERGIES]);

#endif
