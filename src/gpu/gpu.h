/* gpu: the whole machine: its units connected by ports, its clocks, and the run of one kernel from launch to the
 * last reply. */
#ifndef SLUICE_GPU_GPU_H
#define SLUICE_GPU_GPU_H

#include "gpu/reply_side.h"
#include "gpu/clocks.h"
#include "gpu/cycle.h"
#include "gpu/machine.h"
#include "gpu/occupancy.h"
#include "gpu/worker_sms.h"
#include "gpu/visit.h"
#include "host/team.h"
#include "host/worker.h"
#include "memory/crossbar.h"
#include "memory/dram.h"
#include "memory/slice.h"
#include "seam/seam.h"
#include "simt/simt.h"
#include "sm/sm.h"

/* All groups of counters. A row has the group's name and the kind of its counters (KIND_stats, KIND_counters). Then
 * follow the struct of the units that count them, and the field in that struct. Collecting, adding, resetting,
 * describing and all outputs are generated from it. */
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

extern const struct base_counter_group gpu_counter_groups[];
extern const size_t gpu_counter_group_count;

/* The kind of unit that counts a group: a cache has the scope of the unit that it belongs to. */
enum base_scope gpu_counter_scope(size_t group);

struct gpu {
	struct machine machine;
	struct arena arena;
	struct simt_memory *memory;
	struct seam_attached attached[MECH_MAX]; /* the mechanisms; their configurations must live as long */
	uint32_t attachments;
	struct seam *seam;
	struct sm *sm;
	struct cluster *cluster;
	uint32_t clusters; /* 0: each SM has its own port to the networks */
	uint32_t ports;    /* number of ports of SMs, or of clusters, to the networks */
	struct crossbar to_slices, to_sms;
	struct slice *slice;
	uint32_t slices;
	struct dram_channel *channel;
	/* clocks of the request side, which has the core's clock; the reply side has its own (gpu/cycle.c) */
	struct clock clock[CLOCKS];
	uint64_t now;  /* time of the step in progress */
	uint64_t step; /* number of that step */
	struct reply_side reply_side;
	struct window window;
	uint64_t last_ticked; /* time of the last tick of the request side's units, except SMs */
	uint64_t kernels; /* number of kernels launched so far */
	uint32_t last_sm; /* the SM that got the last block */
	bool keeps_blocks;        /* gpu_keep_blocks() was called */
	bool has_unfinished_work; /* the units have it, because the last kernel did not run to its end */
	struct visits visits;
	/* the host's threads, and the partition of SMs of each */
	struct arena host;
	struct workers workers;
	struct worker_sms *worker_sms;
	struct team *team;
};

/* Reasons for which a kernel ended. */
enum gpu_end {
	GPU_DONE,
	GPU_FAULT,
	GPU_STALLED,
	GPU_STOPPED, /* before its end: in the cycle in which it reached its limit, or by the launch's `stop` */
	GPU_MISTAKE, /* a mistake of a mechanism */
};

struct occupancy;

/* A kernel's own counts while others ran at the same time. */
struct gpu_kernel_stats {
	uint64_t blocks, warp_instructions, thread_instructions;
};

struct gpu_run {
	/* input */
	struct simt_launch launch; /* program, grid, block, params, ...; memory and sm_count are filled in */
	uint32_t blocks_per_sm;    /* from occupancy_of() */
	const struct occupancy *occupancy;
	uint64_t stream;  /* chooses its SMs, with the policy of partitions */
	int32_t priority; /* of its stream: blocks of kernels with a greater one are placed first */
	/* the kernel ends after the cycle in which it has issued this number; 0: no limit */
	uint64_t max_thread_instructions;
	void (*progress)(void *user, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
	                 uint64_t warp_instructions);
	void *progress_user;
	struct seam_analyses analyses; /* static analyses for mechanisms; zero: nothing is known */
	const uint32_t *line;          /* by pc: line of the CUDA source; NULL: not known */
	struct gpu_visitor visitor;
	bool l1_may_be_stale;    /* launches ran functionally before it and may have overwritten data that L1 holds */
	struct sampler *sampler; /* may decide that enough blocks were simulated (sampler.h); NULL: all are simulated */
	struct {
		bool allowed; /* SMs may run ahead (gpu/cycle.c) */
		/* by pc: loads before which an SM must not be ahead, because they may alias stores of others; NULL:
		 * none */
		uint64_t *waiting_loads;
	} run_ahead;
	struct profile *profile; /* profile of the program, to which the launch's is added; NULL: none is recorded */
	/* output */
	enum gpu_end end;
	struct simt_fault fault;
	struct simt_polls polls; /* GPU_STOPPED, GPU_STALLED: the warps that were polling */
	bool livelock;           /* GPU_STALLED: warps executed, but only polled */
	/* GPU_STALLED: which warp waits on which resource; GPU_MISTAKE: the mechanism's mistake */
	char message[4096];
	uint64_t cycles; /* core cycles from launch to the last reply; in a session, to the end of its last block */
	uint64_t started, first_block; /* core cycles of its launch and its first block; without a block: of its end */
	struct gpu_kernel_stats own;   /* only of a kernel in a session */
	uint32_t place;        /* of the kernel among those that run together (gpu/dispatch.h); alone: 0 */
	uint32_t blocks_limit; /* limit on blocks per SM that was used */
	struct gpu_stats stats;
};

/* Opens a machine. The machine must have passed machine_check(), the mechanisms seam_check(), and one of them must
 * own the warp order. `threads` host threads simulate it, at least one. Results and statistics do not depend on
 * their number. Returns NULL with errno set when the host cannot allocate the device memory. */
struct gpu *gpu_open(const struct machine *machine, const struct seam_attached *attached, uint32_t attachments,
                     uint32_t threads);

/* The description of a machine for mechanisms. */
struct mech_machine gpu_mech_machine(const struct machine *machine);

void gpu_close(struct gpu *gpu);

/* SMs keep the lives of the blocks of each kernel (sm/blocks.h). */
void gpu_keep_blocks(struct gpu *gpu);

void gpu_run(struct gpu *gpu, struct gpu_run *run);

/* Where a session's kernels come from. */
struct gpu_feed {
	void *user;
	/* Returns a kernel that may start in this cycle, or NULL. Called at the beginning, when kernels have ended and
	 * at an alarm, until it returns NULL. It returns at least one kernel at the beginning. It returns none without
	 * room: then `concurrent` kernels run. */
	struct gpu_run *(*next)(void *user, bool has_room);
	/* Returns a core cycle, later than the present one, at which `next` is called again; UINT64_MAX: none. Called
	 * after `next`. NULL: none. */
	uint64_t (*alarm)(void *user);
	/* The kernel has run to its end, and its stores are visible. */
	void (*ended)(void *user, struct gpu_run *run);
	/* The kernel has ended, or the session ends early: its mechanisms' parts can be read (seam_part_of_kernel()).
	 * Called before `ended`. NULL: not called. */
	void (*counted)(void *user, struct gpu_run *run);
	/* Points to what is set during a step when a kernel may have become ready; `next` is then called after the
	 * step, and clears it. NULL: never. */
	const bool *has_new;
	/* True: the session is suspended, although kernels run. Called at the beginning and after calls of `next`.
	 * NULL: never. */
	bool (*has_enough)(void *user);
};

struct gpu_session_state; /* together.c */

/* Kernels that run together, from the first one's launch to the last reply. */
struct gpu_session {
	/* input */
	struct gpu_feed feed;
	uint32_t concurrent; /* most kernels that run at the same time, at most gpu_kernels_at_once() */
	struct gpu_visitor visitor;
	bool l1_may_be_stale;    /* as in struct gpu_run */
	const atomic_bool *stop; /* set at any time to end the session early; NULL: never */
	/* as in struct gpu_run; `blocks`: of the kernels that have started so far */
	void (*progress)(void *user, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
	                 uint64_t warp_instructions);
	void *progress_user;
	struct gpu_session_state *state; /* of a session that has begun and is not over; initially NULL */
	/* output of a session that is over */
	enum gpu_end end;
	struct gpu_run *failed; /* GPU_FAULT: the kernel with the fault */
	struct simt_fault fault;
	struct simt_polls polls;
	bool livelock;
	char message[4096];
	uint64_t start, cycles; /* core cycle of the beginning; core cycles from there to the last reply */
	uint64_t blocks;        /* of all kernels */
	struct gpu_stats stats; /* of all kernels */
};

/* How many kernels can run at the same time, by launch.concurrent and the mechanisms. */
uint32_t gpu_kernels_at_once(const struct gpu *gpu);

/* Runs kernels that overlap. Their runs need no visitor, sampler, profile or limit of instructions; SMs do not run
 * ahead. Kernels in progress when a session ends early have its end, except that a faulty kernel stops the others.
 * Returns false when the feed has enough: another call continues the session. Until it is over, no other kernel may
 * run. */
bool gpu_run_together(struct gpu *gpu, struct gpu_session *session);
/* Ends a suspended session before its time. Its statistics can be read, as of a stopped one. */
void gpu_cut_session(struct gpu *gpu, struct gpu_session *session);

/* The core cycle that the machine has reached. */
uint64_t gpu_core_cycle(const struct gpu *gpu);
/* The host has written or read these bytes: with memory.copies_fill_l2, L2 now has them. */
void gpu_copied(struct gpu *gpu, uint64_t address, uint64_t bytes);
/* Lets time pass until a core cycle. No kernel may run. */
void gpu_wait_until(struct gpu *gpu, uint64_t cycle);

/* If the last kernel did not run to its end, resets all units and the mechanisms' states. Until then that kernel's
 * statistics can be read. gpu_run() calls it first. A caller that reads the seam before gpu_run() must call it. */
void gpu_renew(struct gpu *gpu);

/* Simulated seconds since gpu_open(). */
double gpu_seconds(const struct gpu *gpu);

/* Checks the relations between counters after a kernel that ran to its end or was stopped. False with the text of
 * the first one that does not hold. */
bool gpu_check_stats(const struct gpu *gpu, const struct gpu_run *run, char *text, size_t size);
bool gpu_check_session(const struct gpu *gpu, const struct gpu_session *session, char *text, size_t size);

/* The mechanism that prevents a warp from issuing, or NULL. */
const char *gpu_kept_by(const struct sm *sm, uint32_t slot);
/* The mechanism that excluded the warp from competing in its last call, although it could issue; or NULL. */
const char *gpu_left_out_by(const struct sm *sm, uint32_t slot);
/* Writes, for every resident warp and every busy unit, what it waits for. */
void gpu_explain_deadlock(const struct gpu *gpu, char *text, size_t size);

#endif
