#include "cudart/stream_work.h"

#include "cudart/capture.h"
#include "cudart/stream_order.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_QUEUED = 1024, /* works; then all run */
	MOST_QUERIES = 100, /* in a row that find nothing to run; then all work runs */
};

bool launches_block(void)
{
	const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
	return blocking && strcmp(blocking, "1") == 0;
}

bool streams_queue(const struct runtime *runtime)
{
	return runtime->streams && runtime->gpu && !launches_block() && !sluice_queue_refused(runtime->gpu);
}

/* Removes streams whose work has ended. Returns the list. */
static struct stream_works *current(struct runtime *runtime)
{
	struct stream_works *works = &runtime->works;
	size_t kept = 0;
	for (size_t i = 0; i < works->count; i++)
		if (!sluice_queue_has_ended(runtime->gpu, works->list[i].last))
			works->list[kept++] = works->list[i];
	works->count = kept;
	return works;
}

/* True when the next work of a stream follows the last one of another. */
static bool follows(uint64_t stream, bool is_blocking, const struct stream_work *other)
{
	if (other->stream == stream)
		return true;
	return stream ? is_blocking && other->stream == 0 : other->is_blocking;
}

/* Finds where the stream's next work stands. The list lives until the next call. */
static struct sluice_place place_in(struct runtime *runtime, cudaStream_t stream)
{
	struct stream_works *works = current(runtime);
	struct sluice_place place = {.stream = stream_number(runtime, stream),
	                             .priority = stream_priority(runtime, stream)};
	bool is_blocking = stream_is_blocking(runtime, stream);
	works->after = base_realloc(works->after, (works->count + 1) * sizeof *works->after);
	for (size_t i = 0; i < works->count; i++)
		if (follows(place.stream, is_blocking, &works->list[i]))
			works->after[place.after_count++] = works->list[i].last;
	place.after = works->after;
	return place;
}

/* Stores the stream's last work. */
static void note(struct runtime *runtime, cudaStream_t stream, uint64_t number)
{
	struct stream_works *works = &runtime->works;
	uint64_t of = stream_number(runtime, stream);
	size_t i = 0;
	while (i < works->count && works->list[i].stream != of)
		i++;
	if (i == works->capacity) {
		works->capacity = works->capacity ? 2 * works->capacity : 16;
		works->list = base_realloc(works->list, works->capacity * sizeof *works->list);
	}
	works->count += i == works->count;
	works->list[i] = (struct stream_work){of, number, stream_is_blocking(runtime, stream)};
	runtime->idle_queries = 0;
	idle_host_watch(runtime);
	if (sluice_queue_length(runtime->gpu) >= MOST_QUEUED)
		streams_finish(runtime);
}

enum sluice_status stream_launch(struct runtime *runtime, cudaStream_t stream, sluice_kernel *kernel,
                                 const struct sluice_grid *grid, struct sluice_error *error)
{
	uint64_t number;
	const struct sluice_place place = place_in(runtime, stream);
	enum sluice_status status = sluice_queue_launch(runtime->gpu, kernel, grid, &place, &number, error);
	if (status == SLUICE_OK)
		note(runtime, stream, number);
	return status;
}

uint64_t stream_call(struct runtime *runtime, cudaStream_t stream, void (*call)(void *user, bool run), void *user)
{
	const struct sluice_place place = place_in(runtime, stream);
	uint64_t number = sluice_queue_call(runtime->gpu, call, user, &place);
	note(runtime, stream, number);
	return number;
}

uint64_t stream_copy(struct runtime *runtime, cudaStream_t stream, bool to_host, size_t bytes,
                     void (*call)(void *user, bool run), void *user)
{
	const struct sluice_place place = place_in(runtime, stream);
	uint64_t number = sluice_queue_copy(runtime->gpu, to_host, bytes, call, user, &place);
	note(runtime, stream, number);
	return number;
}

static void do_nothing(void *user, bool run)
{
	(void)user;
	(void)run;
}

/* Also in a program whose work is not queued. */
cudaError_t stream_pass_copy(struct runtime *runtime, cudaStream_t stream, bool to_host, size_t bytes)
{
	if (!sluice_copies_take_time(runtime->gpu))
		return stream_wait(runtime, stream);
	const struct sluice_place place = place_in(runtime, stream);
	return stream_wait_for(runtime, sluice_queue_copy(runtime->gpu, to_host, bytes, do_nothing, NULL, &place));
}

/* In the legacy stream a wait orders the other streams' work, even if its event is complete. */
void stream_follow(struct runtime *runtime, cudaStream_t stream, uint64_t work)
{
	if (!streams_queue(runtime)) {
		order_follow(runtime, stream, work);
		return;
	}
	struct sluice_place place = place_in(runtime, stream);
	if (sluice_queue_has_ended(runtime->gpu, work) && (place.stream || !place.after_count))
		return;
	runtime->works.after[place.after_count++] = work;
	note(runtime, stream, sluice_queue_call(runtime->gpu, do_nothing, NULL, &place));
}

uint64_t stream_mark(struct runtime *runtime, cudaStream_t stream)
{
	return streams_queue(runtime) ? stream_call(runtime, stream, do_nothing, NULL) : order_mark(runtime, stream);
}

bool stream_is_idle(struct runtime *runtime, uint64_t number)
{
	const struct stream_works *works = current(runtime);
	for (size_t i = 0; i < works->count; i++)
		if (works->list[i].stream == number)
			return false;
	return true;
}

/* Reports, once, that work of different streams runs in turn. */
static void tell_in_turn(struct runtime *runtime, const char *more)
{
	const char *reason = runtime->gpu ? sluice_queue_refused(runtime->gpu) : NULL;
	if (runtime->works.told || !reason)
		return;
	runtime_message("kernels of different streams run in turn: %s%s", reason, more);
	sluice_queue_note_in_turn(runtime->gpu);
	runtime->works.told = true;
}

void stream_explain_turns(struct runtime *runtime, enum sluice_status status, const struct sluice_error *error)
{
	const char *reason = sluice_queue_children_refused(runtime->gpu);
	bool polls = strchr(error->message, '\n') && (status == SLUICE_STALLED || status == SLUICE_STOPPED);
	if (polls && runtime->streams)
		tell_in_turn(runtime, ". A kernel that polls for a later kernel or copy of another stream never ends");
	if (!reason || runtime->works.told_children)
		return;
	runtime_message("launches by kernels run after the kernel that launched them: %s%s", reason,
	                polls ? ". A kernel that polls for a store of such a launch never ends" : "");
	runtime->works.told_children = true;
}

/* Reports the failure of a queued launch, which later calls return as the sticky error. */
static cudaError_t settle(struct runtime *runtime, enum sluice_status status, const struct sluice_error *error)
{
	progress_end(runtime);
	if (status == SLUICE_OK)
		return runtime->error;
	if (status == SLUICE_STOPPED && runtime->ending) { /* no error is reported, only what the kernel waited for */
		if (strchr(error->message, '\n'))
			runtime_message("%s", error->message);
		runtime_leave(runtime, cudaErrorLaunchTimeout);
		runtime_end();
	}
	runtime_report(runtime, "kernel launch", error);
	runtime->untold = true;
	return runtime->error;
}

bool streams_have_work(const struct runtime *runtime)
{
	return runtime->gpu && sluice_queue_length(runtime->gpu);
}

cudaError_t stream_wait_for(struct runtime *runtime, uint64_t work)
{
	struct sluice_error error = {0};
	if (!streams_have_work(runtime) || sluice_queue_has_ended(runtime->gpu, work))
		return runtime->error;
	progress_begin(runtime);
	return settle(runtime, sluice_queue_wait(runtime->gpu, work, &error), &error);
}

cudaError_t stream_wait(struct runtime *runtime, cudaStream_t stream)
{
	if (!streams_have_work(runtime))
		return runtime->error;
	/* work numbers grow, but a stream's predecessors can be in several streams */
	const struct sluice_place place = place_in(runtime, stream);
	cudaError_t result = runtime->error;
	for (size_t i = 0; i < place.after_count && result == cudaSuccess; i++)
		result = stream_wait_for(runtime, place.after[i]);
	return result;
}

cudaError_t streams_finish(struct runtime *runtime)
{
	struct sluice_error error = {0};
	if (!streams_have_work(runtime))
		return runtime->error;
	progress_begin(runtime);
	return settle(runtime, sluice_queue_finish(runtime->gpu, &error), &error);
}

cudaError_t streams_query(struct runtime *runtime)
{
	if (!streams_have_work(runtime) || ++runtime->idle_queries < MOST_QUERIES)
		return runtime->error;
	runtime->idle_queries = 0;
	return streams_finish(runtime);
}

void stream_tell_in_turn(struct runtime *runtime, cudaStream_t stream)
{
	struct stream_works *works = &runtime->works;
	uint64_t number = 1 + stream_number(runtime, stream);
	if (stream_is_branch(runtime, stream))
		return;
	if (!works->launched_in)
		works->launched_in = number;
	if (works->launched_in != number)
		tell_in_turn(runtime, "");
}

void streams_free(struct runtime *runtime)
{
	free(runtime->works.list);
	free(runtime->works.after);
	runtime->works = (struct stream_works){0};
}
