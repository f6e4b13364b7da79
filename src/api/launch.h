/* launch: the steps of a launch: checks, its record, and the ways to run it. */
#ifndef SLUICE_API_LAUNCH_H
#define SLUICE_API_LAUNCH_H

#include "api/api.h"
#include "api/device_launch.h"

/* The parameters of a requested launch. */
struct launch_request {
	sluice_dim grid, block;
	uint32_t dynamic_shared_bytes;
	void *const *arguments;
	bool cooperative;
	unsigned depth;     /* nesting level: number of ancestor kernels */
	bool waited_for;    /* the launching block waits for it */
	uint32_t carve_out; /* as in struct simt_launch */
};

/* A launch that has passed its checks. */
struct checked_launch {
	sluice_kernel *kernel; /* its version for the block size */
	struct launch_request request;
	struct occupancy occupancy;
	uint64_t shared; /* bytes of shared memory per block */
};

/* A checked launch with a copy of its arguments. */
struct launch {
	sluice_gpu *gpu;
	struct checked_launch checked;
	uint8_t *params;
	struct device_runtime runtime;
	struct launch_progress progress;
	struct launch_analyses known;
	struct gpu_run *run;
	struct range_list ranges; /* in which it was launched; the record takes them */
	bool knows_ranges;
	size_t number; /* index of its record, after launch_begin_record() */
	uint64_t launched_by; /* as in its record */
	double begin;  /* host seconds */
};

/* CUDA's limits of a grid, and the machine's of a block. */
bool launch_allows_grid(sluice_dim grid);
bool launch_allows_block(const struct machine *machine, sluice_dim block);
/* launch_check.c: fails when the launch can never run. */
enum sluice_status launch_check(sluice_gpu *gpu, sluice_kernel *kernel, const struct launch_request *request,
                                struct checked_launch *checked, struct sluice_error *error);
/* The same for a launch from a trace, whose registers are never spilled. */
enum sluice_status launch_check_replay(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid, sluice_dim block,
                                       struct checked_launch *checked, struct sluice_error *error);

/* launch.c: the steps of a launch. The first checks it; NULL with a message: it cannot run. */
struct launch *launch_open(sluice_gpu *gpu, sluice_kernel *kernel, const struct launch_request *request,
                           struct sluice_error *error);
/* The same for a grid that the launch's kernel launched. */
struct launch *launch_open_child(const struct launch *parent, const struct device_launch *child, bool waited_for,
                                 struct sluice_error *error);
/* Begins the launch's record. */
void launch_begin_record(struct launch *launch);
/* Completes it. */
void launch_end_record(struct launch *launch, const struct sluice_error *error);
/* Both, and between them runs the launch alone. Then runs the grids that it launched. */
enum sluice_status launch_run_alone(struct launch *launch, struct sluice_error *error);
void launch_close(struct launch *launch);
/* Calls the user's progress function, at most ten times per second. */
void launch_pass_progress(void *user, uint64_t done, uint64_t blocks, uint64_t cycles, uint64_t warp_instructions);

/* The following ways to run a launch complete its record, given by its index. */

/* Runs the launch cycle by cycle. */
enum sluice_status launch_timed(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                struct sluice_error *error);
/* Completes its record when it has run: the machine's counters are those of the launch. */
enum sluice_status launch_keep_timed(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                     struct sluice_error *error);
/* launch_prepare_functional() fills in what the machine determines of a functional launch. launch_run_functional() does
 * so and runs it. launch_keep_functional() stores the result in the launch's
 * record. */
void launch_prepare_functional(sluice_gpu *gpu, struct simt_launch *launch, uint32_t blocks_per_sm);
void launch_run_functional(sluice_gpu *gpu, struct simt_launch *launch, uint32_t blocks_per_sm, struct simt_run *run);
enum sluice_status launch_keep_functional(sluice_gpu *gpu, const struct simt_launch *launch, const struct simt_run *run,
                                          size_t number, struct sluice_error *error);

/* sampled_launch.c: runs one launch of a run that simulates only some launches. */
enum sluice_status launch_sampled(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                  struct sluice_error *error);
/* sampled_blocks.c: simulates only the first blocks of the launch, if these are enough for an estimate. */
enum sluice_status launch_sampled_blocks(sluice_gpu *gpu, sluice_kernel *kernel, struct gpu_run *run, size_t number,
                                         struct sluice_error *error);

/* launch_end.c: how a launch ended. */

/* Stores the counters of units and mechanisms in the record of a launch and in the totals by unit. With `kernel` NULL
 * and `launch` 0 it stores them in the record of a session. */
void launch_keep_counters(sluice_gpu *gpu, sluice_kernel *kernel, uint64_t launch, struct record *record);
/* Stores when the kernel ran, and how it ended. */
void launch_keep_times(const sluice_gpu *gpu, const struct gpu_run *run, struct record *record);
/* Stores how the launch ended in its record. */
void launch_set_end(const sluice_gpu *gpu, struct record *record, enum gpu_end end);
/* The messages. They return the status. */
enum sluice_status launch_report_fault(const struct simt_launch *launch, const struct simt_fault *fault,
                                       struct sluice_error *error);
enum sluice_status launch_report_stop(const sluice_gpu *gpu, const struct simt_launch *launch,
                                      const struct simt_polls *found, const struct record *record,
                                      struct sluice_error *error);
enum sluice_status launch_report_livelock(const sluice_gpu *gpu, const struct simt_launch *launch,
                                          const struct simt_polls *found, const struct record *record,
                                          struct sluice_error *error);

#endif
