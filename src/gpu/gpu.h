/* gpu: the whole machine: its units, wired by ports, its clocks, and the run of one kernel from launch to the last reply. */
#ifndef SLUICE_GPU_GPU_H
#define SLUICE_GPU_GPU_H

#include "gpu/answering.h"
#include "gpu/clocks.h"
#include "gpu/cycle.h"
#include "gpu/machine.h"
#include "gpu/occupancy.h"
#include "gpu/share.h"
#include "gpu/visit.h"
#include "host/team.h"
#include "host/worker.h"
#include "memory/crossbar.h"
#include "memory/dram.h"
#include "memory/slice.h"
#include "seam/seam.h"
#include "simt/simt.h"
#include "sm/sm.h"

/* All groups of counters: a group's name, the kind of its counters (KIND_stats, KIND_counters), the struct of the units that
 * count them and where they lie in it. Collecting, adding up, resetting, describing and all outputs follow. */
#define GPU_COUNTER_GROUPS(X)                                                                                          \
	X(sm, sm, sm, stats)                                                                                           \
	X(l1d, cache, sm, l1.data.stats)                                                                               \
	X(l1i, cache, sm, fetch.l1i.stats)                                                                             \
	X(l1t, cache, sm, texture.stats)                                                                               \
	X(l1c, cache, sm, l1.constant.stats)                                                                           \
	X(l2, cache, slice, cache.stats)                                                                               \
	X(slice, slice, slice, stats)                                                                                  \
	X(request_network, crossbar, gpu, to_slices.stats)                                                             \
	X(reply_network, crossbar, gpu, to_sms.stats)                                                                  \
	X(cluster, cluster, cluster, stats)                                                                            \
	X(dram, dram, dram_channel, stats)

/* All counters of a kernel, summed over the units that count them. */
struct gpu_stats {
#define X(name, kind, unit, place) struct kind##_stats name;
	GPU_COUNTER_GROUPS(X)
#undef X
};

extern const struct counter_group gpu_counter_groups[];
extern const size_t gpu_counter_group_count;

struct gpu {
	struct machine machine;
	struct arena arena;
	struct simt_memory *memory;
	struct seam_attached attached[MECH_MAX]; /* mechanisms; their configurations live as long */
	uint32_t attachments;
	struct seam *seam;
	struct sm *sm;
	struct cluster *cluster;
	uint32_t clusters; /* 0: each SM has a port to the networks of its own */
	uint32_t ports;    /* of SMs, or of clusters, to the networks */
	struct crossbar to_slices, to_sms;
	struct slice *slice;
	uint32_t slices;
	struct dram_channel *channel;
	/* the side that asks, which has the core's clock; and the one that answers (gpu/cycle.c) */
	struct clock clock[CLOCKS];
	uint64_t now;  /* time of the step in progress, */
	uint64_t step; /* and its number */
	struct answering answering;
	struct window window;
	uint64_t last_ticked; /* time of the last tick of the asking side's units but SMs */
	uint64_t kernels; /* launched so far */
	uint32_t last_sm; /* that got a block */
	bool is_clogged;  /* the units are full of what will never end: the last kernel did not */
	struct visits visits;
	/* the host's threads, and the units of each */
	struct arena host;
	struct workers workers;
	struct share *share;
	struct team *team;
};

/* Why a kernel ended. */
enum gpu_end {
	GPU_DONE,
	GPU_FAULT,
	GPU_STALLED,
	GPU_STOPPED, /* before its end: in the cycle in which it reached its limit, or by the launch's `stop` */
	GPU_MISTAKE, /* of a mechanism */
};

struct occupancy;

struct gpu_run {
	/* in */
	struct simt_launch launch;        /* program, grid, block, params, ...; memory and sm_count are filled in */
	uint32_t blocks_per_sm;           /* from occupancy_of(), */
	const struct occupancy *occupancy; /* which matters where a mechanism says how many fit into shared memory */
	uint64_t max_thread_instructions; /* the kernel ends behind the cycle in which it has issued as many; 0: none */
	void (*progress)(void *user, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
	                 uint64_t warp_instructions);
	void *progress_user;
	struct seam_analyses analyses; /* what mechanisms may ask for; zero: nothing is known */
	const uint32_t *line;          /* by pc: of the CUDA source; NULL: not known */
	struct gpu_visitor visitor;
	bool is_behind_others;   /* launches have run functionally before it: what L1 has of data may be what they have written over */
	struct sampler *sampler; /* who may say that enough blocks were simulated (sampler.h); NULL: all are */
	struct {
		bool may;        /* SMs may go on alone (gpu/cycle.c) ... */
		uint64_t *waits; /* ... but for these loads, by pc: they can meet stores of other SMs; NULL: none */
	} alone;
	struct profile *profile; /* of the program: the launch's is added; NULL: none is kept */
	/* out */
	enum gpu_end end;
	struct simt_fault fault;
	struct simt_polls polls; /* GPU_STOPPED, GPU_STALLED: who polled then */
	bool livelock;           /* GPU_STALLED: warps ran, and did nothing but poll */
	char message[4096];    /* GPU_STALLED: who waits for whom; GPU_MISTAKE: what a mechanism did */
	uint64_t cycles;       /* core cycles from launch to the last reply */
	uint32_t blocks_limit; /* blocks an SM that were allowed */
	struct gpu_stats stats;
};

/* The machine must have passed machine_check(), the mechanisms seam_check(); one of them owns the warp order. `threads` host
 * threads, at least one, simulate it: results and statistics are the same for any number. NULL with errno set when the host
 * has no room for device memory. */
struct gpu *gpu_open(const struct machine *machine, const struct seam_attached *attached, uint32_t attachments,
                     uint32_t threads);

/* What mechanisms know of a machine. */
struct mech_machine gpu_mech_machine(const struct machine *machine);

/* After gpu_run(): what mechanism `number` counted. `stats` has its stats_size bytes, zero; `by_pc` room for the program's
 * instructions, zero, or NULL. */
void gpu_mech_stats(const struct gpu *gpu, uint32_t number, void *stats, struct mech_requests *requests,
                    struct seam_load *by_pc);
/* One of its vectors; vector_free() it. */
void gpu_mech_vector(const struct gpu *gpu, uint32_t number, uint32_t vector, struct vector *sum);
void gpu_close(struct gpu *gpu);

void gpu_run(struct gpu *gpu, struct gpu_run *run);

/* Begins with empty units, and mechanisms' states that are zero, where the last kernel did not run to its end; until then its
 * figures are there. gpu_run() does it first of all; who looks at the seam before that, does it himself. */
void gpu_renew(struct gpu *gpu);

/* Simulated seconds since gpu_open(). */
double gpu_seconds(const struct gpu *gpu);

/* Checks what must hold between counters after a kernel that ran to its end or was stopped; false with the first broken one's text. */
bool gpu_check_stats(const struct gpu *gpu, const struct gpu_run *run, char *text, size_t size);

/* The mechanism that keeps a warp from issuing, or NULL. */
const char *gpu_kept_by(const struct sm *sm, uint32_t slot);
/* The mechanism that did not let the warp compete when it was asked last, though it could issue; or NULL. */
const char *gpu_left_out_by(const struct sm *sm, uint32_t slot);
/* Says of every resident warp and every busy unit what it waits for. */
void gpu_explain_deadlock(const struct gpu *gpu, char *text, size_t size);

#endif
