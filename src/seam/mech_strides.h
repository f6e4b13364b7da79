/* mech_strides: strides that a table predicts by, from execution to execution of a warp or from warp to warp, and what is asked for then. For
 * prefetchers into L1, which include it beside seam/mech.h. */
#ifndef SLUICE_SEAM_MECH_STRIDES_H
#define SLUICE_SEAM_MECH_STRIDES_H

#include "seam/mech_lines.h"
#include "seam/mech_table.h"

/* How far a row is to be trusted: the states of Baer and Chen (Supercomputing 1991), whose names these are. */
enum mech_confidence { MECH_INITIAL, MECH_TRANSIENT, MECH_STEADY, MECH_NO_PREDICTION };

/* A row of their reference prediction table. */
struct mech_reference {
	struct mech_key key; /* whose: the warp's slot, or nobody's alone */
	uint64_t address;    /* of the load's last execution: that of its lowest transaction */
	uint32_t warp;       /* who made it: a slot */
	int64_t stride;      /* bytes from one to the next; 0: none is known */
	enum mech_confidence confidence;
};

/* What training has done: counters. */
struct mech_training {
	uint64_t trained;  /* rows that became steady */
	uint64_t wrong;    /* executions of loads with steady rows that came elsewhere */
	uint64_t replaced; /* rows that went for another load's or warp's */
};

/* What to ask for: so many strides or warps ahead, and so many from there on. */
struct mech_ahead {
	uint32_t distance, degree;
	bool retry; /* where L1 has no room; else they are dropped */
};

/* An execution `steps` strides behind the last. A steady stride survives one that comes elsewhere. */
static inline void mech_reference_add(struct mech_reference *row, int64_t steps, uint64_t address,
                                      struct mech_training *training)
{
	/* by state, and whether it came where it was expected */
	static const enum mech_confidence next[4][2] = {{MECH_TRANSIENT, MECH_STEADY},
	                                            {MECH_NO_PREDICTION, MECH_STEADY},
	                                            {MECH_INITIAL, MECH_STEADY},
	                                            {MECH_NO_PREDICTION, MECH_TRANSIENT}};
	int64_t bytes = (int64_t)(address - row->address);
	bool expected = (uint64_t)row->stride * (uint64_t)steps == (uint64_t)bytes, steady = row->confidence == MECH_STEADY;
	if (!expected && !steady)
		row->stride = bytes % steps == 0 ? bytes / steps : 0;
	row->confidence = next[row->confidence][expected];
	row->address = address;
	training->trained += row->stride && row->confidence == MECH_STEADY && !steady;
	training->wrong += steady && !expected;
}

/* Its stride, where it is to be trusted: `early`, whenever it has not proved wrong, as Baer and Chen do; else when it is steady. Else 0. */
static inline int64_t mech_reference_stride(const struct mech_reference *row, bool early)
{
	return row->confidence == MECH_STEADY || (early && row->confidence != MECH_NO_PREDICTION) ? row->stride : 0;
}

/* The row of the load, which is the last to go then; NULL where there was none: it has one from now on, which has seen this execution. */
static inline struct mech_reference *mech_reference_find(struct mech_table *table, const struct mech_memory *load,
                                                         uint32_t whose, struct mech_training *training)
{
	struct mech_reference *row = (struct mech_reference *)mech_table_find(table, load->pc, whose);
	if (row) {
		mech_table_touch(table, row);
		return row;
	}
	training->replaced += mech_table_is_full(table);
	row = (struct mech_reference *)mech_table_claim(table, load->pc, whose);
	row->address = load->transaction[0].address;
	row->warp = load->warp;
	return NULL;
}

/* A warp's own strides, from one execution of the load to the next: gives that to prefetch by, or 0. */
static inline int64_t mech_train_own(struct mech_table *table, const struct mech_memory *load, bool early,
                                     struct mech_training *training)
{
	struct mech_reference *row = mech_reference_find(table, load, load->warp, training);
	if (!row)
		return 0;
	mech_reference_add(row, 1, load->transaction[0].address, training);
	return mech_reference_stride(row, early);
}

/* Strides from one warp to the warp of the next number, which have come in any order: the same. A warp that comes again says nothing of strides,
 * but it is what the next warp is measured by. */
static inline int64_t mech_train_across(struct mech_table *table, const struct mech_memory *load, bool early,
                                        struct mech_training *training)
{
	struct mech_reference *row = mech_reference_find(table, load, MECH_NOWHERE, training);
	if (!row)
		return 0;
	if (row->warp == load->warp)
		row->address = load->transaction[0].address;
	else
		mech_reference_add(row, (int64_t)load->warp - row->warp, load->transaction[0].address, training);
	row->warp = load->warp;
	return mech_reference_stride(row, early);
}

/* For a warp, on the load's behalf. */
static inline struct mech_request mech_request_for(const struct mech_memory *load, uint32_t warp, bool retry)
{
	struct mech_request request;
	memset(&request, 0, sizeof request);
	request.to = MECH_TO_L1;
	request.pc = load->pc;
	request.block = load->block;
	request.once = !retry;
	request.bound = true;
	request.warp = warp;
	return request;
}

/* Asks for the lines of the warp's next executions; gives their number. */
static inline uint32_t mech_ask_own(struct mech_sm *sm, const struct mech_memory *load, int64_t stride,
                                    const struct mech_ahead *ahead)
{
	const struct mech_request like = mech_request_for(load, load->warp, ahead->retry);
	uint32_t lines = 0;
	for (uint32_t i = 0; i < ahead->degree; i++)
		lines += mech_send_moved(sm, &like, load, stride * (int64_t)(ahead->distance + i), NULL);
	return lines;
}

static inline bool mech_has_warp(struct mech_sm *sm, uint32_t slot)
{
	struct mech_warp warp;
	if (slot >= sm->machine->warps)
		return false;
	mech_look_at_warp(sm, slot, &warp);
	return warp.live;
}

/* Asks for the lines of the warps of the next numbers, whatever block they are of; gives their number. *nobody counts those warps that there are
 * not. */
static inline uint32_t mech_ask_across(struct mech_sm *sm, const struct mech_memory *load, int64_t stride,
                                       const struct mech_ahead *ahead, uint64_t *nobody)
{
	uint32_t lines = 0;
	for (uint32_t i = 0; i < ahead->degree; i++) {
		uint32_t on = ahead->distance + i;
		const struct mech_request like = mech_request_for(load, load->warp + on, ahead->retry);
		if (mech_has_warp(sm, like.warp))
			lines += mech_send_moved(sm, &like, load, stride * (int64_t)on, NULL);
		else
			++*nobody;
	}
	return lines;
}

/* Of a load that trains: of global memory, with no more transactions than `most`, as far as the buffer in front of L1 does not answer it. `transaction`
 * has room for MECH_MAX_ACCESSES. False: it trains nothing. */
static inline bool mech_trains(const struct mech_memory *load, uint32_t most, struct mech_transaction *transaction,
                               struct mech_memory *seen)
{
	if (load->kind != MECH_LOAD || load->local || load->transactions > most)
		return false;
	*seen = mech_past_buffer(load, transaction);
	return seen->transactions != 0;
}

/* Bits of a row: pc, address and stride of 32 bits, as of the machines of these papers; its state; the order of use. */
static inline uint32_t mech_reference_bits(uint32_t rows)
{
	return 3 * 32 + 2 + mech_bits_of(rows);
}

#endif
