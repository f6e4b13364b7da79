/* worker_sms: the partition of SMs that one of the host's workers simulates, and their bursts. */
#ifndef SLUICE_GPU_WORKER_SMS_H
#define SLUICE_GPU_WORKER_SMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gpu;

struct worker_sms {
	_Alignas(64) uint32_t first_sm; /* aligned, so that other threads' partitions lie in other cache lines */
	uint32_t end_sm, first_cluster, end_cluster;
	_Atomic uint32_t claimed; /* its SMs before this index have been claimed, by any worker */
	/* results of its bursts */
	/* one of its SMs sleeps until the request crossbar has space; always true when SMs do not run ahead */
	bool waits_for_network;
	uint64_t next;        /* time at which the first SM wants to tick */
	uint64_t next_commit; /* time at which an SM has stores to make */
	uint64_t next_room;   /* time at which an SM has space for a waiting block; UINT64_MAX: none */
	uint64_t last_ticked;
	uint64_t ticks; /* total ticks of SMs */
};

/* Divides the machine's SMs, or its clusters, among gpu->workers. */
void worker_sms_open(struct gpu *gpu);

/* The worker that has an SM. The first worker has all other units. */
struct worker *worker_of_sm(const struct gpu *gpu, uint32_t sm);

/* Gives SMs that other workers have claimed back to their own workers, which tick them when they do not run ahead. */
void worker_sms_take_back(const struct gpu *gpu);

/* All SMs may be claimed from now on. */
void worker_sms_offer(struct gpu *gpu);

/* Ticks the worker's SMs that are due in the step in progress. Each runs ahead in the window while it can. */
void worker_sms_run(void *machine, uint32_t worker);

#endif
