/* teleport: what the controller at the dispatcher and the SM's side share. */
#ifndef SLUICE_MECH_TELEPORT_TELEPORT_H
#define SLUICE_MECH_TELEPORT_TELEPORT_H

#include "seam/mech.h"

/* Section 5.2: I fills the buffer at once and asks memory for nothing; S fills it at once and asks memory too; R waits for
 * memory; all three have an ideal buffer. Real is R with the buffer in shared memory. */
enum teleport_model { TELEPORT_REAL, TELEPORT_R, TELEPORT_S, TELEPORT_I };

enum teleport_arbitration { TELEPORT_FIRST, TELEPORT_CORES_FIRST, TELEPORT_ALTERNATE };

/* What a request asks for: packets as instructions' transactions, or whole lines, as the earlier form of the mechanism. */
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
	uint32_t rate;      /* rows or requests a cycle */
	uint32_t field_bits; /* of a row's products and offsets */
	bool look_stale;    /* counts hits on data that other SMs have written */
};

#define TELEPORT_COUNTERS(X)                                                                                           \
	X(demand, "requests", "loads, stores and atomics of global memory, by transaction", COMBINE_SUM)               \
	X(demand_hits, "requests", "of these, loads and stores that found their data in the buffer", COMBINE_SUM)      \
	X(demand_merged, "requests", "of these, loads that waited for their data on the way to the buffer", COMBINE_SUM)   \
	X(loaded_blocks, "blocks", "for which the controller had something to load", COMBINE_SUM)                      \
	X(held_block_cycles, "cycles", "that blocks waited for their data, summed over blocks", COMBINE_SUM)           \
	X(largest_block_bytes, "bytes", "the most that one block had in the buffer", COMBINE_LARGEST)                  \
	X(rows, "rows", "of the preload table, the most of a kernel", COMBINE_LARGEST)                                 \
	X(dropped_rows, "rows", "for which the table had no entry, the most of a kernel", COMBINE_LARGEST)             \
	X(unfit_rows, "rows", "whose numbers the table's fields cannot hold, the most of a kernel", COMBINE_LARGEST)         \
	X(stale_hits, "requests",                                                                                      \
	  "hits of loads on sectors that another SM has written since they came (look_stale)", COMBINE_SUM)            \
	X(blocked_cycles, "cycles", "in which the controller could not send for want of room in the queue",            \
	  COMBINE_SUM)                                                                                                 \
	X(kernels_without_rows, "kernels", "of whose reads nothing could be calculated, or whose blocks left no room", \
	  COMBINE_SUM)

struct teleport_stats {
#define X(name, unit, meaning, combination) uint64_t name;
	TELEPORT_COUNTERS(X)
#undef X
};

struct controller;
struct teleport_stale;

/* A slot's block, at its SM: the packets that it waits for (section 3.2.3). */
struct teleport_block {
	uint64_t number, started;
	uint32_t asked, arrived;
	bool is_resident, all_asked, waits;
};

/* What an SM did in a cycle, for stale.c, which takes them in this order. */
enum teleport_event_kind { TELEPORT_WRITTEN, TELEPORT_FOUND, TELEPORT_FILLED, TELEPORT_EVENTS };

struct teleport_event {
	enum teleport_event_kind kind;
	uint32_t bytes;
	uint64_t address;
};

enum { TELEPORT_LOG = 8 }; /* events of a cycle, in which the load/store unit takes two accesses and an answer at most */

struct teleport_log {
	uint32_t events;
	struct teleport_event event[TELEPORT_LOG];
};

struct teleport_sm {
	struct teleport_block block[MECH_MAX_BLOCKS];
	struct teleport_log log; /* of this cycle */
};

/* Lets the block go when all that was asked for has come. */
void teleport_release_if_loaded(struct mech_sm *sm, uint32_t slot, uint64_t cycle);

/* controller.c; the GPU's state is a pointer to the controller */
void teleport_gpu_open(struct mech_gpu *gpu);
void teleport_gpu_kernel_begin(struct mech_gpu *gpu);
void teleport_gpu_block(struct mech_gpu *gpu, const struct mech_block *block);
uint64_t teleport_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle);
bool teleport_may_end(struct mech_gpu *gpu, const struct mech_end *end);
/* The kernel has rows: its blocks are loaded. */
bool teleport_loads(const struct mech_gpu *gpu);

/* stale.c, with look_stale only: notes what an SM did in this cycle; puts a cycle together; what was filled at once */
void teleport_note(struct mech_sm *sm, enum teleport_event_kind kind, uint64_t address, uint32_t bytes);
void teleport_stale_cycle(struct mech_gpu *gpu, uint64_t cycle);
void teleport_stale_fill(struct mech_gpu *gpu, uint32_t sm, uint64_t address, uint64_t bytes, uint64_t cycle);
struct teleport_stale *teleport_stale_open(struct mech_gpu *gpu); /* of a kernel */
struct teleport_stale *teleport_stale_of(const struct mech_gpu *gpu); /* controller.c */

/* rows.c: the rows that the table's fields can hold; gives how many */
uint32_t teleport_fitting_rows(const struct mech_gpu *gpu, const struct mech_rows *rows, struct mech_row *fitting);

/* costs.c: section 6, and what that hardware consumes */
uint32_t teleport_costs(const void *config, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS]);
uint32_t teleport_energies(const void *config, const struct mech_machine *machine,
                           struct mech_energy energy[MECH_MAX_ENERGIES]);

#endif
