#include "host/team.h"

#include "base/host_clock.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Steps between two readings of the clock. */
enum { STEPS_PER_LOOK = 16 };

/* The faster alternative is found by measurement. For a stretch of time the caller's thread does all the work, then
 * all threads do, and so on. Times are in nanoseconds. The first stretch of all threads is short, because they may
 * be far slower when other processes keep the cores busy. */
enum { LOSSES = 3 };
static const uint64_t ALONE = 1000000, FIRST_TOGETHER = 10000000, TOGETHER = 60000000;
static const uint64_t FIRST_PAUSE = 500000000,
		      LONGEST_PAUSE = 32 * 1000000000ull; /* before the next try, when all threads were slower */

struct team_thread {
	struct team *team;
	struct worker *worker;
	uint64_t call; /* number of the first call that it waits for */
	pthread_t thread;
};

struct team {
	struct workers *workers;
	struct gate announced;
	uint64_t calls; /* number of announced calls */
	bool closing, told;
	bool together;       /* the threads exist */
	bool rests;          /* the caller's thread does all the work, for comparison */
	bool is_forced;      /* nothing is compared */
	uint32_t until_look; /* in steps */
	/* the current stretch of time: its begin, its planned length, and the work done before it */
	uint64_t since, length, done_before;
	double rate; /* work per nanosecond in the last stretch of all threads */
	/* consecutive stretches of all threads that were slower than the following stretch of one thread */
	uint32_t losses;
	uint64_t pause;                         /* before the next try, if this one fails */
	struct team_thread thread[MAX_WORKERS]; /* that of worker 0 is unused */
};

static void *run_thread(void *argument)
{
	struct team_thread *thread = argument;
	struct team *team = thread->team;
	for (uint64_t call = thread->call;; call++) {
		gate_await(&team->announced, call);
		if (team->closing)
			return NULL;
		worker_work(thread->worker, call);
	}
}

static void begin_stretch(struct team *team, uint64_t now, uint64_t length, uint64_t done)
{
	team->since = now;
	team->length = length;
	team->done_before = done;
}

/* Ends the threads of the first `count` workers, except the caller's. */
static void part(struct team *team, uint32_t count)
{
	team->closing = true;
	gate_set(&team->announced, ++team->calls);
	for (uint32_t i = 1; i < count; i++)
		pthread_join(team->thread[i].thread, NULL);
	team->closing = team->together = team->rests = false;
}

/* Prints why one thread simulates although several were requested. */
static void tell_why_alone(struct team *team, const char *why)
{
	if (!team->told)
		fprintf(stderr, "sluice: %s: simulating on one of %u threads\n", why, team->workers->count);
	team->told = true;
}

/* Signals belong to the program: none of its handlers may run in a thread that it does not know. */
static int start_thread(struct team_thread *thread)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = pthread_create(&thread->thread, NULL, run_thread, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Starts the threads. False: a thread could not be created. */
static bool gather(struct team *team)
{
	assert(!team->together && !team->closing);
	for (uint32_t i = 1; i < team->workers->count; i++) {
		team->thread[i] = (struct team_thread){
			.team = team, .worker = &team->workers->worker[i], .call = team->calls + 1};
		int error = start_thread(&team->thread[i]);
		if (error) {
			part(team, i);
			tell_why_alone(team, strerror(error));
			return false;
		}
	}
	team->together = true;
	return true;
}

static void give_up(struct team *team, uint64_t now, uint64_t done)
{
	part(team, team->workers->count);
	tell_why_alone(team, "one thread is faster now");
	begin_stretch(team, now, team->pause, done);
	team->pause = team->pause < LONGEST_PAUSE ? 2 * team->pause : LONGEST_PAUSE;
	team->losses = 0;
}

/* A single loss may be chance, because the work varies and a kernel's state is touched for the first time. */
static bool is_lost(struct team *team, double alone)
{
	team->losses = team->rate < alone ? team->losses + 1 : 0;
	return team->losses == LOSSES;
}

/* Ends a stretch of one thread: the one before a try of all threads, or the one after it, with which the try is
 * compared. Earlier work is not comparable, because a kernel's first cycles differ from later ones. */
static void end_alone(struct team *team, uint64_t now, double rate, uint64_t done)
{
	if (!team->together) {
		bool is_there = gather(team);
		begin_stretch(team, host_nanoseconds(), is_there ? FIRST_TOGETHER : UINT64_MAX, done);
	} else if (is_lost(team, rate)) {
		give_up(team, now, done);
	} else {
		team->rests = false;
		begin_stretch(team, now, team->losses ? FIRST_TOGETHER : TOGETHER, done);
	}
}

static void end_together(struct team *team, uint64_t now, double rate, uint64_t done)
{
	team->rate = rate;
	team->rests = true;
	begin_stretch(team, now, ALONE, done);
}

/* Called at intervals: ends the current stretch when its time is over. */
static void look_at_stretch(struct team *team, uint64_t done)
{
	uint64_t now = host_nanoseconds(), passed = now - team->since;
	bool all = team->together && !team->rests;
	team->until_look = STEPS_PER_LOOK;
	if (!team->since)
		begin_stretch(team, now, ALONE, done);
	else if (passed >= team->length)
		(all ? end_together : end_alone)(team, now, (double)(done - team->done_before) / (double)passed, done);
}

struct team *team_open(struct workers *workers, struct arena *arena)
{
	if (workers->count == 1)
		return NULL;
	struct team *team = arena_alloc(arena, sizeof *team);
	team->workers = workers;
	team->pause = FIRST_PAUSE;
	team->until_look = STEPS_PER_LOOK;
	gate_open(&team->announced, workers->count);
	return team;
}

void team_close(struct team *team)
{
	if (team)
		gate_close(&team->announced);
}

bool team_is_together(const struct team *team)
{
	return team && team->together && !team->rests;
}

static void work_together(struct team *team)
{
	struct worker *worker = team->workers->worker;
	gate_set(&team->announced, ++team->calls);
	worker_work(&worker[0], team->calls);
	for (uint32_t i = 1; i < team->workers->count; i++)
		gate_await(&worker[i].done, team->calls);
}

void team_work(struct team *team, struct workers *workers, bool alone)
{
	if (team_is_together(team) && !alone)
		work_together(team);
	else
		workers_work(workers);
	if (team)
		workers_exchange(workers);
}

void team_force_threads(struct team *team)
{
	if (!team)
		return;
	team->is_forced = true;
	team->until_look = 1;
}

void team_judge(struct team *team, uint64_t done)
{
	if (!team || --team->until_look > 0)
		return;
	if (!team->is_forced)
		look_at_stretch(team, done);
	else if (!team->together)
		gather(team);
}

void team_end_threads(struct team *team)
{
	if (!team)
		return;
	if (team->together)
		part(team, team->workers->count);
	team->until_look = team->is_forced ? 1 : STEPS_PER_LOOK;
	team->since = 0;
}
