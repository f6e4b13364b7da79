/* mech_strides: strides that a table predicts, from execution to execution of a warp or from warp to warp, and the
 * requests they cause. For prefetchers into L1, which include it next to seam/mech.h. */
#ifndef SLUICE_SEAM_MECH_STRIDES_H
#define SLUICE_SEAM_MECH_STRIDES_H

#include "seam/mech_lines.h"
#include "seam/mech_table.h"

/* The confidence in a row: the states and names of Baer and Chen (Supercomputing 1991). */
enum mech_confidence { MECH_INITIAL, MECH_TRANSIENT, MECH_STEADY, MECH_NO_PREDICTION };

/* A row of their reference prediction table. */
struct mech_reference {
	struct mech_key key; /* whose: the warp's slot, or MECH_NOWHERE */
	uint64_t address;    /* lowest address of the load's last execution */
	uint32_t warp;       /* slot of the warp of that execution */
	int64_t stride;      /* bytes from one execution to the next; 0: not known */
	enum mech_confidence confidence;
};

/* Counters of training. */
struct mech_training {
	uint64_t trained;  /* rows that became steady */
	uint64_t wrong;    /* executions of loads with steady rows at another address */
	uint64_t replaced; /* rows replaced by those of another load or warp */
};

/* The requests to make: `degree` of them, from `distance` strides or warps ahead on. */
struct mech_ahead {
	uint32_t distance, degree;
	bool retry; /* when L1 has no free entry: retry; else the request is dropped */
};

/* Adds an execution `steps` strides after the last one. A steady stride survives one execution at another address. */
static inline void mech_reference_add(struct mech_reference *row, int64_t steps, uint64_t address,
                                      struct mech_training *training)
{
	/* by state, and whether the address was the expected one */
	static const enum mech_confidence next[4][2] = {{MECH_TRANSIENT, MECH_STEADY},
	                                                {MECH_NO_PREDICTION, MECH_STEADY},
	                                                {MECH_INITIAL, MECH_STEADY},
	                                                {MECH_NO_PREDICTION, MECH_TRANSIENT}};
	int64_t bytes = (int64_t)(address - row->address);
	bool expected = (uint64_t)row->stride * (uint64_t)steps == (uint64_t)bytes,
	     steady = row->confidence == MECH_STEADY;
	if (!expected && !steady)
		row->stride = bytes % steps == 0 ? bytes / steps : 0;
	row->confidence = next[row->confidence][expected];
	row->address = address;
	training->trained += row->stride && row->confidence == MECH_STEADY && !steady;
	training->wrong += steady && !expected;
}

/* Returns the stride if it is trusted, else 0. `early`: it is trusted until it proves wrong, as in Baer and Chen;
 * else only when it is steady. */
static inline int64_t mech_reference_stride(const struct mech_reference *row, bool early)
{
	return row->confidence == MECH_STEADY || (early && row->confidence != MECH_NO_PREDICTION) ? row->stride : 0;
}

/* Returns the load's row and makes it the most recently used one. NULL: the load had no row; now it has one that
 * contains this execution. */
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

/* Trains a warp's own strides, from one execution of the load to the next. Returns the stride to prefetch by, or 0. */
static inline int64_t mech_train_own(struct mech_table *table, const struct mech_memory *load, bool early,
                                     struct mech_training *training)
{
	struct mech_reference *row = mech_reference_find(table, load, load->warp, training);
	if (!row)
		return 0;
	mech_reference_add(row, 1, load->transaction[0].address, training);
	return mech_reference_stride(row, early);
}

/* Trains strides from one warp to the warp with the next number, in any order of arrival. Returns the stride to
 * prefetch by, or 0. A repeated execution by the same warp does not train, but the next warp is compared with it. */
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

/* Returns a request into L1 for a warp, caused by the load. */
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

/* Requests the lines of the warp's next executions. Returns their number. */
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

/* Requests the lines of the warps with the next numbers, of any block. Returns their number. *nobody counts the warps
 * that do not exist. */
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

/* True when a load trains: it reads global memory with at most `most` transactions, and the buffer before L1 does not
 * answer all of them. *seen is the part for L1. `transaction` has space for MECH_MAX_ACCESSES. */
static inline bool mech_trains(const struct mech_memory *load, uint32_t most, struct mech_transaction *transaction,
                               struct mech_memory *seen)
{
	if (load->kind != MECH_LOAD || load->local || load->transactions > most)
		return false;
	*seen = mech_past_buffer(load, transaction);
	return seen->transactions != 0;
}

/* Returns the bits of a row: pc, address and stride of 32 bits each; its state; the order of use. */
static inline uint32_t mech_reference_bits(uint32_t rows)
{
	return 3 * 32 + 2 + mech_bits_of(rows);
}

/* --- a prefetcher with one table of such rows --- */

/* Its options. */
struct mech_stride_config {
	uint32_t entries, transactions; /* rows of the table; the loads' transactions up to which they are tracked */
	struct mech_ahead ahead;
	bool early; /* mech_reference_stride() */
};

/* Its state of an SM. Its hooks sm_open, kernel_begin and costs are the functions below. */
struct mech_stride_state {
	struct mech_table table;
};

static inline void mech_stride_open(struct mech_sm *sm)
{
	const struct mech_stride_config *config = (const struct mech_stride_config *)sm->config;
	mech_table_open(&((struct mech_stride_state *)sm->state)->table, sm->pool, config->entries,
	                sizeof(struct mech_reference));
}

/* Clears the table, because another kernel's loads have the same pcs. */
static inline void mech_stride_begin(struct mech_sm *sm)
{
	mech_table_clear(&((struct mech_stride_state *)sm->state)->table);
}

/* A row also has a warp's number. */
static inline uint32_t mech_stride_costs(const void *options, const struct mech_machine *machine,
                                         struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct mech_stride_config *config = (const struct mech_stride_config *)options;
	uint32_t bits = mech_reference_bits(config->entries) + mech_bits_of(machine->warps);
	cost[0].what = "table of each SM";
	cost[0].unit = "bytes";
	cost[0].value = bits * config->entries / 8.0;
	return 1;
}

#endif
