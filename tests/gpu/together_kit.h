/* Helps with tests of kernels that run at the same time: lists of kernels for a session. */
#ifndef SLUICE_TESTS_TOGETHER_KIT_H
#define SLUICE_TESTS_TOGETHER_KIT_H

#include "gpu_kit.h"

enum { MOST = 32 };

/* Kernels of a session. Each waits for the end of another one, or for none. */
struct job {
	struct gpu_run run;
	struct occupancy occupancy;
	struct ptx_module *module;
	struct simt_program *program;
	uint64_t param;
	int after; /* the job that must have ended, or -1 */
	bool started, ended;
};

struct jobs {
	struct job job[MOST];
	int count, ends, seen;
	uint32_t concurrent; /* most that run at the same time */
};

static inline struct jobs *new_jobs(void)
{
	struct jobs *jobs = calloc(1, sizeof *jobs);
	assert_non_null(jobs);
	jobs->concurrent = MOST;
	return jobs;
}

static inline struct gpu_run *next_job(void *user, bool has_room)
{
	struct jobs *jobs = user;
	for (int i = 0; i < jobs->count && has_room; i++) {
		struct job *job = &jobs->job[i];
		if (job->started || (job->after >= 0 && !jobs->job[job->after].ended))
			continue;
		job->started = true;
		return &job->run;
	}
	return NULL;
}

static inline void job_ended(void *user, struct gpu_run *run)
{
	struct jobs *jobs = user;
	for (int i = 0; i < jobs->count; i++)
		if (&jobs->job[i].run == run) {
			assert_true(jobs->job[i].started && !jobs->job[i].ended);
			assert_int_equal(run->end, GPU_DONE);
			jobs->job[i].ended = true;
			jobs->ends++;
			return;
		}
	fail_msg("an unknown kernel has ended");
}

/* Adds a kernel; its parameter is `param`. */
static inline struct job *add(struct gpu_kit *kit, struct jobs *jobs, const char *body, uint32_t blocks, uint32_t threads,
                       uint32_t registers, uint32_t shared, uint64_t param)
{
	struct job *job = &jobs->job[jobs->count++];
	assert_true(jobs->count <= MOST);
	kit_load(kit, body);
	*job = (struct job){.module = kit->module, .program = kit->program, .param = param, .after = -1};
	kit->program = NULL; /* the job owns it */
	job->occupancy = occupancy_of(&kit->machine, threads, registers, shared);
	job->run.occupancy = &job->occupancy;
	job->run.blocks_per_sm = job->occupancy.blocks;
	job->run.launch = (struct simt_launch){.program = job->program,
	                                       .grid = {blocks, 1, 1},
	                                       .block = {threads, 1, 1},
	                                       .dynamic_shared_bytes = shared,
	                                       .code = 4096 * (uint64_t)jobs->count,
	                                       .params = (const uint8_t *)&job->param};
	return job;
}

static inline void free_jobs(struct jobs *jobs)
{
	for (int i = 0; i < jobs->count; i++) {
		simt_program_free(jobs->job[i].program);
		ptx_free(jobs->job[i].module);
	}
	free(jobs);
}

/* Runs all jobs, which end in any way. */
static inline void start_all(struct gpu_kit *kit, struct jobs *jobs, struct gpu_session *session)
{
	*session = (struct gpu_session){.feed = {.user = jobs, .next = next_job, .ended = job_ended},
	                                .concurrent = jobs->concurrent};
	gpu_run_together(kit->gpu, session);
}

static inline void run_all(struct gpu_kit *kit, struct jobs *jobs, struct gpu_session *session)
{
	char text[256];
	start_all(kit, jobs, session);
	if (session->end != GPU_DONE)
		fail_msg("the session ended by %d: %s", session->end, session->message);
	assert_int_equal(jobs->ends, jobs->count);
	if (!gpu_check_session(kit->gpu, session, text, sizeof text))
		fail_msg("%s", text);
	uint64_t warps = 0, threads = 0, blocks = 0;
	for (int i = 0; i < jobs->count; i++) {
		const struct gpu_run *run = &jobs->job[i].run;
		warps += run->own.warp_instructions;
		threads += run->own.thread_instructions;
		blocks += run->own.blocks;
		assert_true(run->started >= session->start && run->first_block >= run->started);
		assert_true(run->started + run->cycles <= session->start + session->cycles);
	}
	assert_int_equal(warps, session->stats.sm.warp_instructions);
	assert_int_equal(threads, session->stats.sm.thread_instructions);
	assert_int_equal(blocks, session->stats.sm.blocks);
}

static const char long_loop[] = "mov.u32 %r1, 0;\n"
				"AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 bra AGAIN;\n"
				"st.global.u32 [%rd0], %r1; exit;";

#endif
