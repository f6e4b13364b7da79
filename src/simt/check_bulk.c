/* check_bulk: checks bulk copies for reads of unwritten memory and for races with other warps.
 *
 * A copy counts as an access of the issuing warp, at the time of the issue. The end of the copy is a release at
 * its mbarrier, which orders a warp that waits there after the copy. The issuing warp's own accesses before its wait
 * are not checked.
 */
#include "simt/bulk.h"
#include "simt/race.h"

enum { SIDES = 2 };

/* One side of a copy: its memory and its kind of access. */
struct side {
	enum { SIDE_GLOBAL, SIDE_SHARED, SIDE_SHARED_SOURCE } where;
	enum base_access_kind kind;
};

static const struct side sides[][SIDES] = {
	[BULK_TO_SHARED] = {{SIDE_GLOBAL, READ}, {SIDE_SHARED, WRITE}},
	[BULK_WITHIN] = {{SIDE_SHARED_SOURCE, READ}, {SIDE_SHARED, WRITE}},
	[BULK_FROM_SHARED] = {{SIDE_SHARED, READ}, {SIDE_GLOBAL, WRITE}},
	[BULK_REDUCE] = {{SIDE_SHARED, READ}, {SIDE_GLOBAL, ATOMIC}},
};

struct checked_copy {
	struct simt_warp *warp;
	const struct simt_inst *inst;
	uint32_t lane;
	const struct bulk_copy *copy;
};

static uint64_t place_of(const struct checked_copy *checked, const struct side *side, const struct bulk_row *row,
                         uint32_t at)
{
	const struct bulk_copy *copy = checked->copy;
	if (side->where == SIDE_GLOBAL)
		return simt_address(checked->warp->block->launch->memory, row->global + at);
	return side->where == SIDE_SHARED ? bulk_place(copy, row->place + at) : copy->global + at;
}

static enum ptx_space space_of(const struct side *side)
{
	return side->where == SIDE_GLOBAL ? PTX_GLOBAL : PTX_SHARED;
}

/* Reports a row without any written byte. Other rows pass their unwritten bytes on to the destination. A reduction
 * computes with every byte, so any unwritten byte of its rows is reported. */
static void tell_unwritten(const struct checked_copy *checked, const struct side *side, const struct bulk_row *row,
                           uint32_t unwritten)
{
	uint32_t bytes = row->end - row->first;
	if (unwritten == bytes || checked->copy->kind == BULK_REDUCE)
		finding_add(checked->warp->block,
		            &(struct finding){.kind = side->where == SIDE_GLOBAL ? FINDING_INIT : FINDING_SHARED_INIT,
		                              .access = {{checked->inst, checked->warp->index, checked->lane}},
		                              .address = place_of(checked, side, row, row->first),
		                              .size = bytes});
}

/* Checks a row on one side, chunk by chunk: a swizzled tile scatters the chunks in shared memory. */
static void check_row(const struct checked_copy *checked, const struct side *side, const struct bulk_row *row)
{
	const struct block_checks *checks = checked->warp->block->checks;
	bool fills = side->kind == WRITE && side->where == SIDE_SHARED; /* also fills elements outside the tensor */
	uint32_t end = fills ? row->bytes : row->end, unwritten = 0;
	for (uint32_t at = fills ? 0 : row->first, bytes; at < end; at += bytes) {
		uint32_t left = TENSOR_CHUNK - at % TENSOR_CHUNK;
		bytes = left < end - at ? left : end - at;
		uint64_t place = place_of(checked, side, row, at);
		if (checks->race)
			race_bulk(checked->warp, checked->inst, checked->lane,
			          &(struct race_range){space_of(side), side->kind, place, bytes});
		if (checks->unwritten && side->kind != WRITE)
			unwritten += unwritten_bytes(checked->warp->block, space_of(side), place, bytes);
	}
	if (unwritten)
		tell_unwritten(checked, side, row, unwritten);
}

static void check_copy(const struct checked_copy *checked)
{
	const struct bulk_copy *copy = checked->copy;
	for (uint32_t r = 0; r < bulk_rows(copy); r++) {
		const struct bulk_row row = bulk_row(copy, r);
		for (unsigned s = 0; s < SIDES; s++)
			check_row(checked, &sides[copy->kind][s], &row);
	}
	if (checked->warp->block->checks->race && (copy->kind == BULK_TO_SHARED || copy->kind == BULK_WITHIN))
		race_bulk_end(checked->warp, copy->barrier);
}

void checked_bulk(struct simt_warp *warp, const struct simt_inst *inst, struct simt_step *step)
{
	for (uint32_t left = step->lanes; left; left &= left - 1) {
		struct bulk_copy copy;
		struct bulk_mistake mistake;
		const struct checked_copy checked = {warp, inst, (uint32_t)__builtin_ctz(left), &copy};
		if (bulk_asked(warp, inst, checked.lane, &copy, &mistake) && copy.kind != BULK_PREFETCH)
			check_copy(&checked);
	}
	if (warp->block->checks->unwritten)
		unwritten_step(warp, inst, step);
	unchecked(warp, inst)->exec(warp, inst, step);
}
