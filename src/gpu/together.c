/* together: the run of kernels that overlap, from the first one's launch to the last reply or an earlier end. SMs stay
 * in step, because a kernel may read what another one stores. */
#include "gpu/dispatch.h"
#include "gpu/livelock.h"
#include "gpu/session.h"
#include "gpu/stats.h"

struct gpu_session_state {
	struct gpu *gpu;
	struct gpu_session *session;
	struct dispatch dispatch;
	uint64_t done;  /* blocks that had ended when ended kernels were last looked for */
	bool is_ending; /* a kernel without blocks waits for its mechanisms' requests */
	struct session_watch watch;
};

static uint64_t cycle_of(const struct gpu *gpu)
{
	return gpu->clock[CLOCK_CORE].cycle;
}

static void start_kernel(struct gpu_session_state *r, struct gpu_run *run)
{
	session_prepare(r->gpu, run);
	dispatch_place(&r->dispatch, run);
	session_show_launch(r->gpu, run);
	dispatch_limit(r->gpu, run);
	seam_kernel_begin(r->gpu->seam, run->place, run->blocks_limit);
	run->started = cycle_of(r->gpu);
	dispatch_add(&r->dispatch, r->gpu, run);
}

/* Starts kernels while there are some that may start. */
static void start_kernels(struct gpu_session_state *r)
{
	const struct gpu_feed *feed = &r->session->feed;
	for (;;) {
		bool has_room = r->dispatch.kernels < r->session->concurrent;
		struct gpu_run *run = feed->next(feed->user, has_room);
		assert(!run || has_room);
		if (!run)
			break;
		start_kernel(r, run);
	}
	r->dispatch.alarm = feed->alarm ? feed->alarm(feed->user) : UINT64_MAX;
	assert(r->dispatch.alarm > cycle_of(r->gpu));
}

static void begin(struct gpu_session_state *r)
{
	struct gpu *gpu = r->gpu;
	struct gpu_session *session = r->session;
	struct gpu_run *first = session->feed.next(session->feed.user, true);
	const struct session_start with = {.l1_may_be_stale = session->l1_may_be_stale, .several = true};
	assert(first);
	seam_begin_session(gpu->seam);
	session_begin(gpu, &with, session->start);
	start_kernel(r, first);
	start_kernels(r);
}

/* Sums what the kernel's blocks have done on all SMs. */
static void collect(const struct gpu *gpu, uint32_t place, struct gpu_run *run)
{
	uint64_t last = run->started;
	run->own = (struct gpu_kernel_stats){0};
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		const struct sm_kernel *kernel = &gpu->sm[i].blocks.kernel[place];
		run->own.blocks += kernel->ended;
		run->own.warp_instructions += kernel->warp_instructions;
		run->own.thread_instructions += kernel->thread_instructions;
		last = max_u64(last, kernel->last_end + 1);
	}
	run->cycles = last - run->started;
}

/* Its blocks have ended, and nothing of it is in flight. Lines in the caches that its mechanisms have requested, and
 * no instruction has used, were requested in vain. */
static void end_kernel(struct gpu_session_state *r, struct gpu_run *run)
{
	struct gpu *gpu = r->gpu;
	const struct gpu_feed *feed = &r->session->feed;
	uint32_t senders = seam_senders_of(gpu->seam, run->place);
	for (uint32_t i = 0; senders && i < gpu->machine.sms; i++) {
		cache_end_prefetches(&gpu->sm[i].l1.data, senders);
		seam_end_requests(gpu->sm[i].seam, senders);
	}
	for (uint32_t i = 0; senders && i < gpu->slices; i++)
		cache_end_prefetches(&gpu->slice[i].cache, senders);
	seam_kernel_end(gpu->seam, run->place);
	if (feed->counted)
		feed->counted(feed->user, run);
	collect(gpu, run->place, run);
	run->end = GPU_DONE;
	gpu->last_ticked = max_u64(gpu->last_ticked, gpu->now); /* the session does not end before this */
	run->first_block = r->dispatch.grid[run->place].first_block;
	dispatch_remove(&r->dispatch, gpu, run->place);
	feed->ended(feed->user, run);
}

/* Ends the kernels whose blocks have ended. Their stores are visible. */
static bool end_kernels(struct gpu_session_state *r)
{
	bool any = false;
	uint64_t done = dispatch_done(r->gpu);
	if (done == r->done && !r->is_ending)
		return false;
	r->done = done;
	r->is_ending = false;
	for (uint32_t place = 0; place < SM_MAX_KERNELS; place++) {
		struct gpu_run *run = r->dispatch.grid[place].run;
		if (!run || !dispatch_has_ended(&r->dispatch, r->gpu, place))
			continue;
		if (!seam_kernel_may_end(r->gpu->seam, place, cycle_of(r->gpu))) {
			r->is_ending = true;
			continue;
		}
		end_kernel(r, run);
		any = true;
	}
	return any;
}

/* The kernel whose instruction it is. */
static struct gpu_run *run_with(const struct dispatch *dispatch, const struct simt_inst *inst)
{
	for (uint32_t place = 0; place < SM_MAX_KERNELS; place++) {
		struct gpu_run *run = dispatch->grid[place].run;
		if (!run)
			continue;
		const struct simt_program *program = run->launch.program;
		if (inst >= program->code && inst < program->code + program->count)
			return run;
	}
	return dispatch->grid[dispatch->order[0]].run;
}

/* True when a warp has a fault, which ends the session. */
static bool ends_by_fault(struct gpu_session_state *r)
{
	struct gpu_session *session = r->session;
	if (!session_faulted(r->gpu, &session->fault))
		return false;
	session->end = GPU_FAULT;
	session->failed = run_with(&r->dispatch, session->fault.inst);
	return true;
}

static bool must_stop(struct gpu_session_state *r)
{
	struct gpu *gpu = r->gpu;
	struct gpu_session *session = r->session;
	uint64_t cycle = cycle_of(gpu), threads;
	if (ends_by_fault(r))
		return true;
	if (seam_mistake(gpu->seam)) {
		session->end = GPU_MISTAKE;
		return true;
	}
	uint64_t warps = session_instructions(gpu, &threads);
	if (session_is_stuck(gpu, &r->watch, warps)) {
		session->end = GPU_STALLED;
		return true;
	}
	struct livelock *livelock = &r->watch.livelock;
	session->livelock = cycle >= livelock->next && r->dispatch.alarm == UINT64_MAX && /* it could end the polling */
	                    livelock_look(livelock, gpu, &r->dispatch, cycle);
	bool is_stopped = session->stop && atomic_load_explicit(session->stop, memory_order_relaxed);
	if (is_stopped || session->livelock) {
		session->end = is_stopped ? GPU_STOPPED : GPU_STALLED;
		session_find_polls(gpu, &r->dispatch, &session->polls, session->livelock);
		return true;
	}
	r->watch.next = gpu->step + SESSION_WATCH_STEPS;
	if (session->progress)
		session->progress(session->progress_user, dispatch_done(gpu), r->dispatch.blocks,
		                  cycle - session->start, warps);
	return false;
}

static bool has_enough(const struct gpu_session_state *r)
{
	const struct gpu_feed *feed = &r->session->feed;
	return feed->has_enough && feed->has_enough(feed->user);
}

/* True when a kernel may start that could not start before. */
static bool may_start(struct gpu_session_state *r)
{
	const bool *has_new = r->session->feed.has_new;
	return end_kernels(r) || cycle_of(r->gpu) >= r->dispatch.alarm || (has_new && *has_new);
}

/* Returns false when the feed has enough. */
static bool run_to_end(struct gpu_session_state *r)
{
	struct gpu *gpu = r->gpu;
	r->session->end = GPU_DONE;
	for (;;) {
		if (!cycle_window(gpu, &r->dispatch)) {
			if (!end_kernels(r) && r->dispatch.kernels) {
				if (!ends_by_fault(r))
					r->session->end = GPU_STALLED;
				return true;
			}
			start_kernels(r);
			if (!r->dispatch.kernels)
				return true;
			if (has_enough(r))
				return false;
			continue;
		}
		if (may_start(r)) {
			start_kernels(r);
			if (r->dispatch.kernels && has_enough(r))
				return false;
		}
		if (gpu->step >= r->watch.next && must_stop(r))
			return true;
	}
}

static void open_session(struct gpu *gpu, struct gpu_session *session)
{
	struct gpu_session_state *r = session->state = base_calloc(1, sizeof *r);
	gpu_renew(gpu);
	*r = (struct gpu_session_state){.gpu = gpu, .session = session};
	stats_reset(gpu);
	dispatch_begin(&r->dispatch);
	uint64_t start = session->start = cycle_of(gpu);
	begin(r);
	r->watch = (struct session_watch){.next = gpu->step, .last_change = start + gpu->machine.launch_cycles};
	livelock_begin(&r->watch.livelock, gpu, r->watch.last_change);
	visits_begin(gpu, &session->visitor, start);
}

/* Collects what the kernels that have not ended did so far. */
static void collect_unfinished(const struct gpu_session_state *r)
{
	for (uint32_t place = 0; place < SM_MAX_KERNELS; place++) {
		struct gpu_run *run = r->dispatch.grid[place].run;
		if (!run)
			continue;
		collect(r->gpu, place, run);
		run->cycles = cycle_of(r->gpu) - run->started;
		run->first_block =
			r->dispatch.grid[place].next ? r->dispatch.grid[place].first_block : cycle_of(r->gpu);
		run->end = r->session->end == GPU_FAULT && run != r->session->failed ? GPU_STOPPED : r->session->end;
	}
}

static void close_session(struct gpu_session_state *r)
{
	struct gpu *gpu = r->gpu;
	struct gpu_session *session = r->session;
	collect_unfinished(r);
	livelock_end(&r->watch.livelock);
	cycle_settle(gpu);
	session->cycles = cycle_end(gpu, session->start) - session->start;
	session_end(gpu, &r->dispatch,
	            &(struct session_finish){.end = session->end,
	                                     .start = session->start,
	                                     .cycles = session->cycles,
	                                     .counted = session->feed.counted,
	                                     .user = session->feed.user});
	session->blocks = r->dispatch.blocks;
	stats_collect(gpu, &session->stats);
	visits_end(gpu, session->cycles);
	session_explain(gpu, &session->end, session->livelock, session->message, sizeof session->message);
	free(r);
	session->state = NULL;
}

uint32_t gpu_kernels_at_once(const struct gpu *gpu)
{
	const struct mech *why;
	uint32_t most = seam_kernels_at_once(gpu->attached, gpu->attachments, &why);
	return most < gpu->machine.concurrent ? most : gpu->machine.concurrent;
}

bool gpu_run_together(struct gpu *gpu, struct gpu_session *session)
{
	if (!session->state)
		open_session(gpu, session);
	else
		start_kernels(session->state);
	if (has_enough(session->state) || !run_to_end(session->state))
		return false;
	close_session(session->state);
	return true;
}

void gpu_cut_session(struct gpu *gpu, struct gpu_session *session)
{
	assert(session->state && session->state->gpu == gpu);
	session->end = GPU_STOPPED;
	close_session(session->state);
}
