/* checks: what the files behind simt/check.h share. */
#ifndef SLUICE_SIMT_CHECKS_H
#define SLUICE_SIMT_CHECKS_H

#include "simt/access.h"
#include "simt/check.h"
#include "simt/program.h"

#include <pthread.h>

struct record;
struct heap;

struct simt_checks {
	unsigned kinds;
	pthread_mutex_t lock;
	struct race_global *global_races; /* of the launches that run */
	struct record *record;
	size_t records, capacity;
	struct heap *heap; /* where kernels have called malloc, with SIMT_CHECK_LEAKS */
};

enum { CHECK_SOURCES = SIMT_MAX_SOURCES, CHECK_DESTINATIONS = 4 };

/* An instruction of a checked program as it was, and what the checks must know of it. */
struct simt_unchecked {
	simt_exec *exec, *commit;
	simt_exec *load; /* of a load that may go astray: what is done for its other lanes */
	/* Bytes of a lane of the rows of sources and destinations; 0 where there is none, or a predicate. */
	uint8_t src_pitch[CHECK_SOURCES], dst_pitch[CHECK_DESTINATIONS];
	uint8_t width; /* of a source, bytes that the instruction looks at; 0: all */
	uint8_t carry; /* enum carry */
	bool feeds_exchange; /* a plain load whose value a compare-and-swap of the same place is tried with */
	const struct simt_variable *variable; /* the shared array through whose symbol it makes its address, or NULL */
};

/* What becomes of bytes that nobody wrote when an instruction has them in a source. */
enum carry {
	CARRY_NONE,  /* they are used */
	CARRY_BITS,  /* moved: the instruction done to a mask of the bits gives the mask of the result */
	CARRY_UNION, /* a result byte has them where any source has */
};

static inline const struct simt_unchecked *unchecked(const struct simt_warp *warp, const struct simt_inst *inst)
{
	return &warp->block->launch->program->unchecked[inst->pc];
}

/* Of a resident block. */
struct block_checks {
	struct race *race;           /* or NULL */
	struct unwritten *unwritten; /* or NULL */
	struct race_warp *race_warp; /* or NULL */
	void *reads;                 /* what launch->reads made of the block */
};

/* What a block does when it begins, when all its threads have exited, and when its room is given back; block->checks is
 * NULL without launch->checks. */
void checks_block_start(struct simt_block *block);
void checks_block_end(struct simt_block *block);
void checks_block_free(struct simt_block *block);
/* A call of the system has been made: what it returns may be the address of memory that had another owner before. */
void checks_system_call(struct simt_warp *warp, const struct simt_inst *inst, uint64_t result);

/* The instruction's index in the kernel's body, or UINT32_MAX: it is in a function that the kernel calls. */
static inline uint32_t check_index(const struct simt_program *program, const struct simt_inst *inst)
{
	uint32_t index = inst->pc - program->functions[0].pc;
	return index < program->functions[0].ptx->body_count ? index : UINT32_MAX;
}

/* --- findings --- */

enum finding_kind {
	FINDING_RACE,
	FINDING_GLOBAL_RACE,
	FINDING_TEXTURE, /* a read through a texture of what the launch wrote before, though ordered */
	FINDING_SOURCE, /* a transfer by DMA, and who writes what it reads */
	FINDING_INIT,
	FINDING_SHARED_INIT,
	FINDING_LOCAL_INIT,
	FINDING_READ,
	FINDING_STRAY,
	FINDING_SYMBOL,    /* an access through one shared array that lands outside it */
	FINDING_MASK,      /* a lane that its own member mask does not name: `address` is the mask */
	FINDING_LANE,      /* a shuffle from a lane, `size`, that takes no part */
	FINDING_WARP_RACE, /* of two lanes of one warp: shared memory */
	FINDING_WARP_GLOBAL_RACE,
};

/* One access of a finding, as an example of all. */
struct finding_access {
	const struct simt_inst *inst; /* NULL: there is no second one */
	uint32_t warp, lane;          /* of a transfer by DMA: lane is its buffer */
};

struct finding {
	enum finding_kind kind;
	struct finding_access access[2];
	struct dim3 block[2]; /* of the accesses: races on global memory */
	uint64_t address; /* shared: offset */
	uint32_t size;
};

void finding_add(const struct simt_block *block, const struct finding *finding);

/* --- race.c, race_dma.c --- */

struct race *race_open(void);
void race_close(struct race *race);
void race_start(struct simt_block *block);
/* A memory access, before it is made. */
void race_access(struct simt_warp *warp, const struct simt_step *step, const struct reach *reach);
/* A lane's access to an image, before it is made. `same`: a write that changes nothing. */
void race_image(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address, uint32_t size,
                bool same);
void race_fence(struct simt_warp *warp);
/* The warp comes to a barrier; the barrier lets warps go; the warp has ended. */
void race_arrive(struct simt_warp *warp, uint32_t barrier);
void race_release(struct simt_block *block, uint32_t barrier, uint64_t released);
void race_exit(struct simt_warp *warp);
/* The warp comes to a command of a DMA buffer; the buffer's next transfer begins. */
void race_command(struct simt_warp *warp, const struct simt_inst *inst, uint32_t buffer);
void race_transfer(struct simt_block *block, uint32_t buffer);

static inline bool has_race_check(const struct simt_block *block)
{
	return UNLIKELY(block->checks != NULL) && block->checks->race;
}

/* --- check_image.c --- */

/* Execution functions of the instructions on textures and surfaces that access memory. */
simt_exec checked_image, checked_image_commit;

/* --- check_bulk.c --- */

/* Execution function of the instructions that copy in bulk. */
simt_exec checked_bulk;

/* --- check_symbol.c --- */

/* Fills in `variable` of all instructions of a program. */
void symbols_find(const struct simt_program *program, struct simt_unchecked *list);
/* A memory access, before it is made. */
void symbols_access(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step);
/* The offset behind a variable's last byte. */
uint64_t simt_variable_end(const struct simt_launch *launch, const struct simt_variable *variable);

/* --- check_lane.c --- */

/* Whether it has a member mask, and the lanes' masks. */
bool lane_has_mask(const struct simt_inst *inst);
const uint32_t *lane_masks(const struct simt_warp *warp, const struct simt_inst *inst);
/* Such an instruction, before it runs. */
void lane_check(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step);
/* The lane that a shuffle's lane reads (exec_lane.c). */
unsigned shuffle_from(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane);

/* --- race_warp.c --- */

struct race_warp *race_warp_open(void);
void race_warp_close(struct race_warp *race);
void race_warp_start(struct simt_block *block);
/* A memory access, before it is made. */
void race_warp_access(struct simt_warp *warp, const struct simt_step *step);
/* What these lanes did before is ordered before all that they do afterwards. */
void race_warp_order(struct simt_warp *warp, uint32_t lanes);
void race_warp_fence(struct simt_warp *warp);

/* --- heap.c --- */

/* A lane has allocated device memory, at an address. */
void heap_note(struct simt_warp *warp, const struct simt_inst *inst, uint64_t address);
void heap_free(struct heap *heap);

/* --- stray.c --- */

/* Whether lanes of it may read beside every allocation: a load of device memory. */
bool stray_may(const struct simt_inst *inst);
/* Such a load. */
void stray_load(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

/* --- unwritten.c --- */

struct unwritten *unwritten_open(unsigned kinds);
void unwritten_close(struct unwritten *unwritten);
void unwritten_start(struct simt_block *block);
/* A memory access, before it is made, and its commit. */
void unwritten_access(struct simt_warp *warp, const struct simt_step *step);
void unwritten_commit(struct simt_warp *warp, const struct simt_step *step);
/* DMA has put bytes into shared memory, which had been written where they come from, or not. */
void unwritten_filled(struct simt_block *block, uint64_t offset, uint32_t bytes, bool written);
/* A copy in bulk within shared memory, and one to global memory: unwritten bytes stay unwritten. */
void unwritten_moved(struct simt_block *block, uint64_t to, uint64_t from, uint64_t bytes);
void unwritten_sent(struct simt_block *block, uint64_t to, uint64_t from, uint32_t bytes);
/* The number of unwritten bytes; 0 without the check. */
uint32_t unwritten_bytes(const struct simt_block *block, enum ptx_space space, uint64_t address, uint32_t bytes);
/* A lane's read of an image, of that many bytes: told if nobody wrote any of them, or, where it is an atomic, all. */
void unwritten_image(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address,
                     uint32_t size);
/* Any other instruction, before it runs. */
void unwritten_step(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

#endif
