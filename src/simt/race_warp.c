/* race_warp: finds races between lanes of one warp: conflicting accesses that are not ordered by a barrier of the
 * block or of the warp's lanes.
 *
 * Each lane has a vector clock over the warp's lanes. An instruction with a member mask joins the clocks of its
 * lanes. A barrier, a fence, an mbarrier, and an atomic that acquires or releases join the clocks of the whole
 * warp, whichever lanes execute them.
 *
 * The last accesses to a word are stored in a table of fixed size, where newer words displace older ones. A race
 * with a displaced access is missed.
 */
#include "simt/checks.h"
#include "simt/race.h"

#include "base/arena.h"

#include <stdlib.h>

enum { WORDS = 1024, KEPT = 8 }; /* words per warp; accesses per word */

struct cost_history {
	uint32_t time, pc;
	uint8_t lane, bytes; /* bytes: mask of the word's bytes */
	uint8_t kind;        /* enum base_access_kind */
	uint8_t value[4];    /* the bytes that a write has left */
};

struct word {
	uint64_t key;          /* address / 4, with the space above it */
	uint32_t block, count; /* block: sequence number of the block that created it */
	struct cost_history past[KEPT];
};

struct lanes {
	uint32_t known[WARP_SIZE][WARP_SIZE];
	bool has_fenced, stored; /* has_fenced: a fence has been executed; stored: a plain store since the last fence */
	struct word word[WORDS];
};

struct race_warp {
	struct lanes *warp;
	uint32_t warps, block; /* block: number of blocks begun so far */
};

/* A lane's access to a part of a word. */
struct touch {
	struct simt_warp *warp;
	const struct simt_step *step;
	uint64_t address; /* address of the access, in its space */
	enum ptx_space space;
	struct cost_history past;
};

struct race_warp *race_warp_open(void)
{
	return base_calloc(1, sizeof(struct race_warp));
}

void race_warp_close(struct race_warp *race)
{
	if (!race)
		return;
	free(race->warp);
	free(race);
}

void race_warp_start(struct simt_block *block)
{
	struct race_warp *race = block->checks->race_warp;
	if (race->warps < block->warps) {
		free(race->warp);
		race->warps = block->warps;
		race->warp = base_calloc(race->warps, sizeof *race->warp);
	}
	race->block++;
	for (uint32_t w = 0; w < block->warps; w++) {
		struct lanes *clocks = &race->warp[w];
		memset(clocks->known, 0, sizeof clocks->known);
		clocks->has_fenced = clocks->stored = false;
		for (unsigned i = 0; i < WARP_SIZE; i++)
			clocks->known[i][i] = 1;
	}
}

void race_warp_order(struct simt_warp *warp, uint32_t lanes)
{
	struct lanes *clocks = &warp->block->checks->race_warp->warp[warp->index];
	uint32_t joined[WARP_SIZE] = {0};
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		for (unsigned i = 0; i < WARP_SIZE; i++) {
			uint32_t time = clocks->known[__builtin_ctz(rest)][i];
			joined[i] = time > joined[i] ? time : joined[i];
		}
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		memcpy(clocks->known[lane], joined, sizeof joined);
		clocks->known[lane][lane]++;
	}
}

void race_warp_fence(struct simt_warp *warp)
{
	struct lanes *clocks = &warp->block->checks->race_warp->warp[warp->index];
	clocks->has_fenced = true;
	clocks->stored = false;
	race_warp_order(warp, ALL_LANES);
}

/* As in race.c: a volatile store is a flag when only a fence lies between it and the preceding plain stores. */
static enum base_access_kind kind_of(const struct simt_warp *warp, const struct simt_inst *inst)
{
	const struct lanes *clocks = &warp->block->checks->race_warp->warp[warp->index];
	enum ptx_order order = inst->ptx->order;
	bool is_strong = order != PTX_ORDER_NONE && order != PTX_WEAK;
	if (inst->kind == SIMT_ATOMIC)
		return ATOMIC;
	if (inst->kind == SIMT_LOAD)
		return is_strong || unchecked(warp, inst)->feeds_exchange ? ATOMIC_READ : READ;
	bool is_flag = order != PTX_VOLATILE || (clocks->has_fenced && !clocks->stored);
	return is_strong && is_flag ? ATOMIC : WRITE;
}

/* Returns true when the instruction acquires or releases. mbarrier instructions do so unless they state otherwise. */
static bool synchronizes(const struct simt_inst *inst)
{
	enum ptx_order order = inst->ptx->order;
	bool by_order = order == PTX_ACQUIRE || order == PTX_RELEASE || order == PTX_ACQ_REL || order == PTX_SC;
	return by_order || (inst->ptx->mbarrier != PTX_MBARRIER_NONE && order == PTX_ORDER_NONE);
}

/* Two writes that leave the same value do not conflict. */
static bool leave_the_same(const struct cost_history *a, const struct cost_history *b)
{
	if (a->kind != WRITE || b->kind != WRITE)
		return false;
	for (unsigned k = 0; k < 4; k++)
		if ((a->bytes & b->bytes) >> k & 1 && a->value[k] != b->value[k])
			return false;
	return true;
}

static void report(const struct touch *touch, const struct cost_history *other)
{
	const struct simt_warp *warp = touch->warp;
	const struct simt_inst *inst = touch->step->inst;
	finding_add(warp->block,
	            &(struct finding){
			    .kind = touch->space == PTX_SHARED ? FINDING_WARP_RACE : FINDING_WARP_GLOBAL_RACE,
			    .access = {{&warp->code[other->pc], warp->index, other->lane},
	                               {inst, warp->index, touch->past.lane}},
			    .address = touch->address,
			    .size = inst->size,
		    });
}

static bool races(const struct lanes *clocks, const struct cost_history *now, const struct cost_history *then)
{
	return now->lane != then->lane && now->bytes & then->bytes && race_conflicts(now->kind, then->kind) &&
	       then->time > clocks->known[now->lane][then->lane] && !leave_the_same(now, then);
}

/* Checks the access to a word; reports one finding for all its bytes. */
static void touch_word(const struct touch *touch, uint64_t key)
{
	const struct race_warp *race = touch->warp->block->checks->race_warp;
	struct lanes *clocks = &race->warp[touch->warp->index];
	struct word *word = &clocks->word[key % WORDS];
	if (word->key != key || word->block != race->block)
		*word = (struct word){.key = key, .block = race->block};
	uint32_t known = word->count < KEPT ? word->count : KEPT;
	for (uint32_t k = 0; k < known; k++)
		if (races(clocks, &touch->past, &word->past[k])) {
			report(touch, &word->past[k]);
			break;
		}
	word->past[word->count++ % KEPT] = touch->past;
}

/* Returns byte `at` of the value that the lane stores. */
static uint8_t stored_byte(const struct simt_warp *warp, const struct simt_inst *inst, unsigned lane, unsigned at)
{
	unsigned bytes = inst->size / inst->vector, element = at / bytes;
	unsigned pitch = unchecked(warp, inst)->src_pitch[1 + element];
	const uint8_t *row = source(warp, inst, 1 + element);
	return row[lane * pitch + at % bytes];
}

static void touch_lane(struct touch *touch, unsigned lane)
{
	const struct simt_inst *inst = touch->step->inst;
	const struct lanes *clocks = &touch->warp->block->checks->race_warp->warp[touch->warp->index];
	for (unsigned at = 0; at < inst->size;) {
		uint64_t address = touch->address + at;
		touch->past = (struct cost_history){.time = clocks->known[lane][lane],
		                                    .pc = inst->pc,
		                                    .lane = (uint8_t)lane,
		                                    .kind = (uint8_t)kind_of(touch->warp, inst)};
		do {
			unsigned byte = (touch->address + at) % 4;
			touch->past.bytes |= (uint8_t)(1u << byte);
			if (touch->past.kind == WRITE)
				touch->past.value[byte] = stored_byte(touch->warp, inst, lane, at);
			at++;
		} while (at < inst->size && (touch->address + at) % 4);
		touch_word(touch, (uint64_t)(touch->space == PTX_SHARED ? 1 : 2) << 62 | address / 4);
	}
}

static void touch_all(struct simt_warp *warp, const struct simt_step *step)
{
	for (uint32_t rest = step->lanes; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		uint64_t address = step->address[lane];
		enum ptx_space space = step->mixed_spaces ? generic_space(address) : (enum ptx_space)step->space;
		if (space == PTX_SHARED || space == PTX_GLOBAL)
			touch_lane(&(struct touch){.warp = warp,
			                           .step = step,
			                           .address = address - (step->mixed_spaces ? window_of(space) : 0),
			                           .space = space},
			           lane);
	}
}

void race_warp_access(struct simt_warp *warp, const struct simt_step *step)
{
	struct lanes *clocks = &warp->block->checks->race_warp->warp[warp->index];
	const struct simt_inst *inst = step->inst;
	if (step->space == PTX_LOCAL && !step->mixed_spaces)
		return;
	if (inst->async == SIMT_NOT_ASYNC)
		touch_all(warp, step);
	if (inst->kind == SIMT_STORE && inst->ptx->order != PTX_VOLATILE)
		clocks->stored = true;
	if (synchronizes(inst))
		race_warp_order(warp, ALL_LANES);
}
