/* session: the steps that runs of one kernel and of several have in common. */
#ifndef SLUICE_GPU_SESSION_H
#define SLUICE_GPU_SESSION_H

#include "gpu/gpu.h"

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
/* Brings all units' counters up to the end. */
void session_end(struct gpu *gpu, enum gpu_end end, uint64_t start, uint64_t cycles);

/* True when a warp has a fault. */
bool session_faulted(const struct gpu *gpu, struct simt_fault *fault);
/* The warp instructions, and thread instructions, since the beginning. */
uint64_t session_instructions(const struct gpu *gpu, uint64_t *threads);
/* Finds the warps that poll. */
void session_find_polls(const struct gpu *gpu, const struct dispatch *dispatch, struct simt_polls *polls,
                        bool is_livelock);

#endif
