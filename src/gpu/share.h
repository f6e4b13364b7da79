/* share: the units of the machine that one of the host's workers simulates: some SMs, all those of a cluster, and some whole memory partitions, so that
 * DRAM, whose clock is another one, never crosses; two of the shares have a crossbar. */
#ifndef SLUICE_GPU_SHARE_H
#define SLUICE_GPU_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;

struct share {
	_Alignas(64) uint32_t first_sm; /* apart from other threads' shares */
	uint32_t end_sm, first_cluster, end_cluster, first_slice, end_slice, first_channel, end_channel;
	bool request_network, reply_network;
	/* what a step tells */
	bool ticked;          /* one of its units did */
	bool commits;         /* an SM has stores to make */
	bool starved;         /* an SM has room for a block */
	uint64_t last_ticked; /* time of the last tick of all */
	uint64_t next;        /* not ticked: the earliest time at which one of its units wants to */
};

/* Divides the machine's units among gpu->workers. */
void share_open(struct gpu *gpu);

/* Which worker a unit is with. */
struct worker *share_of_sm(const struct gpu *gpu, uint32_t sm);
struct worker *share_of_slice(const struct gpu *gpu, uint32_t slice);
struct worker *share_of_request_network(const struct gpu *gpu);
struct worker *share_of_reply_network(const struct gpu *gpu);

/* Tick those units of the share whose time has come, in the step in progress; each kind has its clock (cycle.c). */
void share_tick_sms(struct gpu *gpu, struct share *share);
void share_tick_networks(struct gpu *gpu, struct share *share);
void share_tick_channels(struct gpu *gpu, struct share *share);
void share_tick_slices(struct gpu *gpu, struct share *share);

/* The earliest time at which one of them wants to tick. */
uint64_t share_wake_of_sms(const struct gpu *gpu, const struct share *share);
uint64_t share_wake_of_networks(const struct gpu *gpu, const struct share *share);
uint64_t share_wake_of_channels(const struct gpu *gpu, const struct share *share);
uint64_t share_wake_of_slices(const struct gpu *gpu, const struct share *share);

#endif
