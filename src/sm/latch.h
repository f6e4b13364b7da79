/* latch: passes instructions in order from one stage of the SM's pipeline to the next. It is a queue of `width`
 * entries between two stages, as a pipeline register is, and not a hardware latch.
 *
 * The consumer ticks before the producer. Freed space can therefore be refilled in the same cycle, so a latch of
 * width one passes one instruction per cycle. A pushed instruction is visible in the next cycle.
 */
#ifndef SLUICE_SM_LATCH_H
#define SLUICE_SM_LATCH_H

#include "base/invariant.h"
#include "sm/op.h"

struct latch {
	struct op *first, *last; /* linked by op.next */
	uint32_t count, width;
};

static inline bool latch_has_room(const struct latch *latch)
{
	return latch->count < latch->width;
}

static inline void latch_push(struct latch *latch, struct op *op)
{
	invariant(latch_has_room(latch));
	if (latch->count++)
		latch->last->next = op;
	else
		latch->first = op;
	latch->last = op;
}

/* Inserts an instruction at its position in issue order. */
static inline void latch_insert(struct latch *latch, struct op *op)
{
	if (!latch->count || latch->last->number < op->number) {
		latch_push(latch, op);
		return;
	}
	invariant(latch_has_room(latch));
	struct op **at = &latch->first;
	while ((*at)->number < op->number)
		at = &(*at)->next;
	op->next = *at;
	*at = op;
	latch->count++;
}

/* Takes the oldest instruction, which must exist. */
static inline struct op *latch_pop(struct latch *latch)
{
	invariant(latch->count);
	struct op *op = latch->first;
	latch->first = op->next;
	latch->count--;
	return op;
}

#endif
