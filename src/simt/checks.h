/* checks: interface between the files that implement simt/check.h. */
#ifndef SLUICE_SIMT_CHECKS_H
#define SLUICE_SIMT_CHECKS_H

#include "simt/access.h"
#include "simt/check.h"
#include "simt/program.h"

#include <pthread.h>

struct record;
struct heap;
struct message;

struct simt_checks {
	unsigned kinds;
	pthread_mutex_t lock;
	struct race_global *global_races; /* of the running launches */
	struct race_streams *streams;     /* works of streams, or NULL */
	struct record *record;
	size_t records, capacity;
	struct heap *heap; /* where kernels have called malloc, with SIMT_CHECK_LEAKS */
};

enum { CHECK_SOURCES = SIMT_MAX_SOURCES, CHECK_DESTINATIONS = 4 };

/* The original instruction of a checked program, and what the checks know of it. */
struct simt_unchecked {
	simt_exec *exec, *commit;
	simt_exec *load; /* a load that may read out of bounds: the function for its other lanes */
	/* Bytes per lane of the rows of sources and destinations; 0 if absent, or a predicate. */
	uint8_t src_pitch[CHECK_SOURCES], dst_pitch[CHECK_DESTINATIONS];
	uint8_t width; /* bytes of a source that the instruction uses; 0: all */
	uint8_t carry; /* enum carry */
	bool feeds_exchange; /* a plain load whose value a compare-and-swap of the same location uses */
	const struct simt_variable *variable; /* the shared array whose symbol forms its address, or NULL */
};

/* How unwritten bytes in a source propagate. */
enum carry {
	CARRY_NONE,  /* the instruction uses them */
	CARRY_BITS,  /* moved: the instruction applied to a mask of the bits gives the mask of the result */
	CARRY_UNION, /* a result byte is unwritten if that byte of any source is */
};

static inline const struct simt_unchecked *unchecked(const struct simt_warp *warp, const struct simt_inst *inst)
{
	return &warp->block->launch->program->unchecked[inst->pc];
}

/* Checks of a resident block. */
struct block_checks {
	struct race *race;           /* or NULL */
	struct unwritten *unwritten; /* or NULL */
	struct race_warp *race_warp; /* or NULL */
	void *reads;                 /* what launch->reads created for the block */
};

/* Called when a block begins, when all its threads have exited, and when its memory is freed. block->checks is NULL
 * without launch->checks. */
void checks_block_start(struct simt_block *block);
void checks_block_end(struct simt_block *block);
void checks_block_free(struct simt_block *block);
/* Called after a system call of a lane, with its first argument. The result may be the address of memory that had
 * another owner before. */
void checks_system_call(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t argument,
                        uint64_t result);

/* Returns the instruction's index in the kernel's body, or UINT32_MAX for a function that the kernel calls. */
static inline uint32_t check_index(const struct simt_program *program, const struct simt_inst *inst)
{
	uint32_t index = inst->pc - program->functions[0].pc;
	return index < program->functions[0].ptx->body_count ? index : UINT32_MAX;
}

/* --- findings --- */

enum finding_kind {
	FINDING_RACE,
	FINDING_GLOBAL_RACE,
	FINDING_TEXTURE, /* a texture read of what the launch wrote earlier, even if ordered */
	FINDING_SOURCE, /* a DMA transfer and a write to its source */
	FINDING_INIT,
	FINDING_SHARED_INIT,
	FINDING_LOCAL_INIT,
	FINDING_READ,
	FINDING_STRAY,
	FINDING_SYMBOL,    /* an access through one shared array that lands outside it */
	FINDING_MASK,      /* a lane missing in its own member mask: `address` is the mask */
	FINDING_LANE,      /* a shuffle from a lane that does not participate: `size` is that lane */
	FINDING_MASKS,     /* a lane whose mask names a lane with another mask: `size` is that lane */
	FINDING_WARP_RACE, /* between two lanes of one warp, shared memory */
	FINDING_WARP_GLOBAL_RACE,
};

/* One access of a finding, as an example of all of them. */
struct finding_access {
	const struct simt_inst *inst; /* NULL: there is no second access */
	uint32_t warp, lane;          /* for a DMA transfer lane is its buffer */
};

struct finding {
	enum finding_kind kind;
	struct finding_access access[2];
	struct dim3 block[2]; /* of the two accesses, for races on global memory */
	uint64_t address; /* shared memory: the offset */
	uint32_t size;
};

/* Records a finding, or counts it again if its pair of lines is known. */
void finding_add(const struct simt_block *block, const struct finding *finding);

/* Parts of messages: what an instruction does, and a location in global memory. */
const char *finding_access_name(const struct simt_inst *inst);
void finding_add_allocation(struct message *out, const struct simt_memory *memory, uint64_t address, uint64_t size);

/* --- race.c, race_dma.c --- */

/* Create, free, and reset for a new block the state of the race check. */
struct race *race_open(void);
void race_close(struct race *race);
void race_start(struct simt_block *block);
/* Checks a memory access before it is made. */
void race_access(struct simt_warp *warp, const struct simt_step *step, const struct reach *reach);
/* Checks a lane's access to an image before it is made. `same`: a write that leaves the value unchanged. */
void race_image(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address, uint32_t size,
                bool same);
void race_fence(struct simt_warp *warp);
/* Called when the warp reaches a barrier, when the barrier releases warps, and when the warp has ended. */
void race_arrive(struct simt_warp *warp, uint32_t barrier);
void race_release(struct simt_block *block, uint32_t barrier, uint64_t released);
void race_exit(struct simt_warp *warp);
/* Called when the warp reaches a command of a DMA buffer, and when the buffer's next transfer begins. */
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

/* Execution function of bulk copies. */
simt_exec checked_bulk;

/* --- check_symbol.c --- */

/* Sets `variable` of all instructions of a program. */
void symbols_find(const struct simt_program *program, struct simt_unchecked *list);
/* Checks a memory access before it is made. */
void symbols_access(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step);
/* Returns the offset after a variable's last byte. */
uint64_t simt_variable_end(const struct simt_launch *launch, const struct simt_variable *variable);

/* --- check_lane.c --- */

/* lane_has_mask() returns whether the instruction has a member mask; lane_masks() returns the lanes' masks. */
bool lane_has_mask(const struct simt_inst *inst);
const uint32_t *lane_masks(const struct simt_warp *warp, const struct simt_inst *inst);
/* Checks such an instruction before it runs. */
void lane_check(struct simt_warp *warp, const struct simt_inst *inst, const struct simt_step *step);
/* Returns the lane that a shuffle reads for `lane` (exec_lane.c). */
unsigned shuffle_from(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane);

/* --- race_warp.c --- */

/* Create, free, and reset for a new block the state of the check for races within a warp. */
struct race_warp *race_warp_open(void);
void race_warp_close(struct race_warp *race);
void race_warp_start(struct simt_block *block);
/* Checks a memory access before it is made. */
void race_warp_access(struct simt_warp *warp, const struct simt_step *step);
/* Orders earlier actions of these lanes before all their later ones. */
void race_warp_order(struct simt_warp *warp, uint32_t lanes);
void race_warp_fence(struct simt_warp *warp);

/* --- heap.c --- */

/* Records that a lane has allocated device memory at an address. */
void heap_note(struct simt_warp *warp, const struct simt_inst *inst, uint64_t address);
void heap_free(struct heap *heap);

/* --- stray_reads.c --- */

/* Returns true for a load of device memory, whose lanes may read out of bounds. */
bool stray_may(const struct simt_inst *inst);
/* Executes such a load. */
void stray_load(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

/* --- unwritten.c --- */

/* Create, free, and reset for a new block the state of the check for unwritten memory. */
struct unwritten *unwritten_open(unsigned kinds);
void unwritten_close(struct unwritten *unwritten);
void unwritten_start(struct simt_block *block);
/* Called for a memory access before it is made, and for its commit. */
void unwritten_access(struct simt_warp *warp, const struct simt_step *step);
void unwritten_commit(struct simt_warp *warp, const struct simt_step *step);
/* The simulator has written at a generic address, for a lane. */
void unwritten_stored(struct simt_warp *warp, unsigned lane, uint64_t address, uint32_t bytes);
/* DMA has filled shared memory. `written`: its source bytes had been written. */
void unwritten_filled(struct simt_block *block, uint64_t offset, uint32_t bytes, bool written);
/* Record a bulk copy within shared memory, and one to global memory. Unwritten bytes become unwritten in the
 * destination too. */
void unwritten_moved(struct simt_block *block, uint64_t to, uint64_t from, uint64_t bytes);
void unwritten_sent(struct simt_block *block, uint64_t to, uint64_t from, uint32_t bytes);
/* Returns the number of unwritten bytes in a range; 0 without the check. */
uint32_t unwritten_bytes(const struct simt_block *block, enum ptx_space space, uint64_t address, uint32_t bytes);
/* Checks a lane's read of an image, of `size` bytes. Reports it if all of them are unwritten; for an atomic, if any
 * is. */
void unwritten_image(struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, uint64_t address,
                     uint32_t size);
/* Checks any other instruction before it runs. */
void unwritten_step(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step);

#endif
