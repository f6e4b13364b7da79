/* race: interface between the files of --check race: clocks and records (race.c), and DMA transfers (race_dma.c). */
#ifndef SLUICE_SIMT_RACE_H
#define SLUICE_SIMT_RACE_H

#include "simt/checks.h"

enum {
	NONE = 0,       /* no node, no time */
	LANE_BITS = 5,  /* fields of `who`: pc, clock, lane */
	CLOCK_BITS = 7,
	PC_BITS = 20,
};

_Static_assert(SIMT_MAX_WARPS + DMA_BUFFERS <= 1 << CLOCK_BITS && WARP_SIZE == 1 << LANE_BITS,
               "a warp of the block, or a DMA buffer, and a lane below the pc");

/* Weaker kinds first; a weaker kind conflicts with fewer kinds. */
enum base_access_kind { ATOMIC_READ, READ, ATOMIC, WRITE, ACCESS_KINDS };

/* List entry for a read or atomic after the last write. */
struct node {
	uint32_t time, who, next;
	enum base_access_kind kind;
};

/* A byte, or a word whose bytes have always been accessed together. */
struct cell {
	uint32_t time, who;         /* of the last write */
	uint32_t old_time, old_who; /* of the last write that left another value */
	uint32_t list;
};

/* Releases that a resident block has observed of other blocks, as numbers (race_global.c): per warp, and per
 * barrier for the warps that arrived at it. */
struct hearer {
	uint64_t heard[SIMT_MAX_WARPS], gathered[SIMT_WAITS];
};

/* Owners of clocks: the warps of the block, and after them, if the program has DMA, its buffers. */
struct race {
	uint32_t clocks, capacity;
	uint32_t begin, top; /* times: before everything in this block; latest of all */
	uint32_t *known;     /* [clock][other]: the vector clocks */
	uint32_t *fenced;    /* the vector clocks at each warp's last fence */
	uint32_t *pending;   /* times that atomics have read; they become known at the next fence */
	uint32_t *barrier;   /* [barrier][clock]: joined clocks of the warps that arrived at it */
	uint32_t *ended;     /* joined clocks of the warps that ended */
	uint64_t has_fenced; /* warps that have executed a fence */
	uint64_t stored;     /* warps that have stored since their last fence */
	struct cell *cell;   /* by byte; for a whole word its first byte's */
	bool *is_split;      /* by word: its bytes have separate cells */
	uint32_t bytes;
	struct node *node; /* [0] means no node */
	uint32_t nodes, node_capacity, free_node;
	struct location *location; /* by address */
	uint32_t *location_known;
	uint32_t locations;
	uint32_t fenced_at[SIMT_MAX_WARPS]; /* a warp's time at its last fence */
	struct race_global *global;         /* state of all blocks, with --check global-race, or NULL */
	struct hearer hearer;
	struct race_dma *dma; /* the block's transfers, or NULL */
	struct race_dma *dma_room;
};

/* An access by one lane or by a transfer. For a transfer `warp` is its buffer's clock, and `lane` the buffer. */
struct access {
	struct simt_block *block;
	const struct simt_inst *inst;
	uint32_t warp, lane, time, who;
	enum base_access_kind kind;
	uint64_t offset;
	uint32_t size;
	bool same;           /* a write that leaves the value unchanged */
	bool is_volatile;
	bool is_texture;     /* through the texture cache, which does not observe writes of this launch */
	uint32_t last_rival; /* the access of the last finding: one finding covers all its bytes */
};

static inline uint32_t race_pack(uint32_t pc, uint32_t clock, uint32_t lane)
{
	return (pc & ((1u << PC_BITS) - 1)) << (CLOCK_BITS + LANE_BITS) | clock << LANE_BITS | lane;
}

static inline uint32_t who_clock(uint32_t who)
{
	return who >> LANE_BITS & ((1u << CLOCK_BITS) - 1);
}

static inline uint32_t who_lane(uint32_t who)
{
	return who & ((1u << LANE_BITS) - 1);
}

static inline uint32_t who_pc(uint32_t who)
{
	return who >> (CLOCK_BITS + LANE_BITS);
}

static inline uint32_t *race_row(uint32_t *rows, const struct race *race, uint32_t clock)
{
	return rows + (size_t)clock * race->clocks;
}

static inline void race_join(const struct race *race, uint32_t *to, const uint32_t *from)
{
	for (uint32_t w = 0; w < race->clocks; w++)
		to[w] = from[w] > to[w] ? from[w] : to[w];
}

/* Advances the clock: later actions of its owner are not covered by the times already passed on. */
static inline uint32_t race_advance(struct race *race, uint32_t clock)
{
	uint32_t time = ++race_row(race->known, race, clock)[clock];
	race->top = time > race->top ? time : race->top;
	return time;
}

/* Returns true when the access happens after the one of `time` and `who`. */
bool race_is_ordered(const struct race *race, uint32_t clock, uint32_t time, uint32_t who);
/* Returns true when accesses of kinds a and b to one location must be ordered. */
bool race_conflicts(enum base_access_kind a, enum base_access_kind b);
/* Returns true when an access of kind a makes the record of an earlier, ordered access of kind b redundant. Any
 * later access that races with b then also races with a. */
bool race_covers(enum base_access_kind a, enum base_access_kind b);
/* Checks and records the access, for all its bytes. */
void race_touch(struct race *race, struct access *access);

/* Reports a race of the access with the earlier access `rival`, which race_pack() has encoded. */
void race_report(struct access *access, uint32_t rival);

/* A range of memory that a bulk copy reads or writes. In shared memory the address is an offset. */
struct race_range {
	enum ptx_space space;
	enum base_access_kind kind;
	uint64_t address;
	uint32_t size;
};

/* Records the access of a bulk copy that a lane issues, and the release at its mbarrier when the copy ends. */
void race_bulk(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, const struct race_range *range);
void race_bulk_end(struct simt_warp *warp, uint64_t barrier);

/* --- race_dma.c --- */

void race_dma_start(struct race *race, struct simt_block *block);
/* race_is_ordered() for programs with DMA: `other` is a different clock of this block. */
bool race_dma_is_ordered(const struct race *race, uint32_t clock, uint32_t time, uint32_t other);
/* A warp accesses bytes that a transfer wrote last: it has waited for the transfer's end. */
void race_wait_for_transfer(struct race *race, uint32_t warp, uint32_t time, uint32_t who);
/* Joins what all warps that reached the buffer's next command knew: the transfer begins after it. */
void race_gather(struct race *race, uint32_t buffer, const uint32_t *gathered);
/* Records a lane's store to global memory. */
void race_store(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address);

#endif
