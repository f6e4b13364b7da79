/* race: what the files behind --check race share: clocks and records (race.c), and transfers by DMA (race_dma.c). */
#ifndef SLUICE_SIMT_RACE_H
#define SLUICE_SIMT_RACE_H

#include "simt/checks.h"

enum {
	NONE = 0,       /* no node, no time */
	LANE_BITS = 5,  /* who: pc, clock, lane */
	CLOCK_BITS = 7,
	PC_BITS = 20,
};

_Static_assert(SIMT_MAX_WARPS + DMA_BUFFERS <= 1 << CLOCK_BITS && WARP_SIZE == 1 << LANE_BITS,
               "a warp of the block, or a DMA buffer, and a lane below the pc");

/* Weaker kinds first: one that conflicts with less. */
enum access_kind { ATOMIC_READ, READ, ATOMIC, WRITE, ACCESS_KINDS };

/* Reads and atomics behind the last write: a list. */
struct node {
	uint32_t time, who, next;
	enum access_kind kind;
};

/* A byte, or a word whose bytes have always been accessed together. */
struct cell {
	uint32_t time, who;         /* of the last write */
	uint32_t old_time, old_who; /* of the last that left another value */
	uint32_t list;
};

/* What a resident block has heard of others, as numbers of releases (race_global.c): each warp, and who came to each barrier. */
struct hearer {
	uint64_t heard[SIMT_MAX_WARPS], gathered[SIMT_WAITS];
};

/* Who has clocks: the warps of the block, and behind them, where the program has DMA, its buffers. */
struct race {
	uint32_t clocks, capacity;
	uint32_t begin, top; /* times: before all of this block, latest of all */
	uint32_t *known;     /* [clock][other]: the vector clock */
	uint32_t *fenced;    /* the same as it was at the warp's last fence */
	uint32_t *pending;   /* what atomics have read, known from the next fence on */
	uint32_t *barrier;   /* [barrier][clock]: what those who came to it knew */
	uint32_t *ended;     /* what the warps that ended knew */
	uint64_t has_fenced; /* warps with a fence behind them */
	uint64_t stored;     /* warps that have stored since their last fence */
	struct cell *cell;   /* by byte; of a whole word the first byte's */
	bool *is_split;      /* by word */
	uint32_t bytes;
	struct node *node; /* [0] is none */
	uint32_t nodes, node_capacity, free_node;
	struct location *location; /* by address */
	uint32_t *location_known;
	uint32_t locations;
	uint32_t fenced_at[SIMT_MAX_WARPS]; /* a warp's time at its last fence */
	struct race_global *global;         /* of all blocks, with --check global-race, or NULL */
	struct hearer hearer;
	struct race_dma *dma; /* the block's transfers, or NULL */
	struct race_dma *dma_room;
};

/* An access of one lane, or of a transfer: then `warp` is its buffer's clock, and `lane` the buffer. */
struct access {
	struct simt_block *block;
	const struct simt_inst *inst;
	uint32_t warp, lane, time, who;
	enum access_kind kind;
	uint64_t offset;
	uint32_t size;
	bool same;           /* a write that changes nothing */
	bool is_volatile;
	bool is_texture;     /* through the texture cache, which knows of no write since the launch */
	uint32_t last_rival; /* the access that the last finding was about: one finding for all bytes of it */
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

/* The clock goes on: what its owner does further is not covered by what it has given away. */
static inline uint32_t race_advance(struct race *race, uint32_t clock)
{
	uint32_t time = ++race_row(race->known, race, clock)[clock];
	race->top = time > race->top ? time : race->top;
	return time;
}

/* The access comes behind all that this one did. */
bool race_is_ordered(const struct race *race, uint32_t clock, uint32_t time, uint32_t who);
/* Accesses of kinds a and b to one place must be ordered. */
bool race_conflicts(enum access_kind a, enum access_kind b);
/* Whatever races with an access of kind b, and comes behind one of kind a that is ordered after it, is ordered or races with
 * that one too. */
bool race_covers(enum access_kind a, enum access_kind b);
/* The access, to all bytes of it. */
void race_touch(struct race *race, struct access *access);
void race_report(struct access *access, uint32_t rival);

/* Memory that a copy in bulk reads or writes; in shared memory the address is an offset. */
struct race_range {
	enum ptx_space space;
	enum access_kind kind;
	uint64_t address;
	uint32_t size;
};

/* A lane issues a copy in bulk with this range; the copy's end is signalled at the mbarrier. */
void race_bulk(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, const struct race_range *range);
void race_bulk_end(struct simt_warp *warp, uint64_t barrier);

/* --- race_dma.c --- */

void race_dma_start(struct race *race, struct simt_block *block);
/* race_is_ordered(), where the program has DMA: what `other` did in this block, which is another one. */
bool race_dma_is_ordered(const struct race *race, uint32_t clock, uint32_t time, uint32_t other);
/* A warp accesses what a transfer has written last: it has waited for the transfer's end. */
void race_wait_for_transfer(struct race *race, uint32_t warp, uint32_t time, uint32_t who);
/* The buffer's next transfer begins behind what all who came to it knew. */
void race_gather(struct race *race, uint32_t buffer, const uint32_t *gathered);
/* A lane stores to global memory. */
void race_store(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address);

#endif
