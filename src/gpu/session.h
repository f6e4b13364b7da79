/* session: the steps that runs of one kernel and of several have in common. */
#ifndef SLUICE_GPU_SESSION_H
#define SLUICE_GPU_SESSION_H

#include "gpu/gpu.h"
#include "gpu/livelock.h"

struct dispatch;

/* How the machine begins. */
struct session_start {
	struct cycle_start cycles;
	bool l1_may_be_stale;
	bool several;            /* kernels may run together */
	uint64_t *waiting_loads; /* as in struct gpu_run */
};

/* Fills in what the machine determines of a launch. */
void session_prepare(struct gpu *gpu, struct gpu_run *run);
/* Shows a launch to the mechanisms. */
void session_show_launch(struct gpu *gpu, const struct gpu_run *run);
/* Sets all units' clocks to the beginning. */
void session_begin(struct gpu *gpu, const struct session_start *with, uint64_t start);
/* Brings all units' counters up to the end, and ends the kernels that are left. `counted`: as in struct gpu_feed. */
struct session_finish {
	enum gpu_end end;
	uint64_t start, cycles;
	void (*counted)(void *user, struct gpu_run *run);
	void *user;
};
void session_end(struct gpu *gpu, const struct dispatch *dispatch, const struct session_finish *with);
/* After the end: writes the reason of a mechanism's mistake, which changes *end, or of a deadlock, and notes whether
 * units have unfinished work. */
void session_explain(struct gpu *gpu, enum gpu_end *end, bool is_livelock, char *message, size_t size);

/* True when a warp has a fault. */
bool session_faulted(const struct gpu *gpu, struct simt_fault *fault);
/* The warp instructions, and thread instructions, since the beginning. */
uint64_t session_instructions(const struct gpu *gpu, uint64_t *threads);
/* Checks that are made only at intervals: faults, limits, progress. */
struct session_watch {
	uint64_t next; /* step of the next check */
	uint64_t last_count, last_change; /* instructions and packets so far, and the cycle in which they last grew */
	struct livelock livelock;
};

enum { SESSION_WATCH_STEPS = 256 };

/* True when no instruction has issued and no packet has moved for machine.watchdog cycles. */
bool session_is_stuck(const struct gpu *gpu, struct session_watch *watch, uint64_t warp_instructions);
/* Finds the warps that poll. */
void session_find_polls(const struct gpu *gpu, const struct dispatch *dispatch, struct simt_polls *polls,
                        bool is_livelock);

#endif
