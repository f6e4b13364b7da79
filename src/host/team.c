#include "host/team.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Steps between two looks at the clock: of one thread, and of several, which may last thousands of times longer. */
enum { LOOK_ALONE = 16, LOOK_TOGETHER = 16 };

/* Which is quicker is found by trying: for a while the caller's thread does all, then all threads do, and so on. Nanoseconds; the first stretch of all
 * threads is short, since they may be slower by far where other work keeps the cores busy. */
enum { LOSSES = 3 };
static const uint64_t ALONE = 1000000, FIRST_TOGETHER = 10000000, TOGETHER = 60000000;
static const uint64_t FIRST_PAUSE = 500000000,
		      LONGEST_PAUSE = 32 * 1000000000ull; /* before the next try, when all threads were slower */

struct seat {
	struct team *team;
	struct worker *worker;
	uint64_t call; /* the one that it waits for first */
	pthread_t thread;
};

struct team {
	struct workers *workers;
	struct gate announced;
	uint64_t calls; /* announced so far */
	bool closing, told;
	bool together;       /* the threads are there, */
	bool rests;          /* but the caller's does all, for comparison */
	bool insists;        /* nothing is compared */
	uint32_t until_look; /* steps */
	/* the stretch of time in progress: its beginning, how long it is to last, and what was done before it */
	uint64_t since, length, done_before;
	double rate;     /* work a nanosecond of the last stretch of all */
	uint32_t losses; /* stretches of all, one behind the other, that were slower than that of one behind them */
	uint64_t pause;  /* before the next try, when this one fails */
	struct seat seat[MAX_WORKERS];
};

static void *work(void *argument)
{
	struct seat *seat = argument;
	struct team *team = seat->team;
	for (uint64_t call = seat->call;; call++) {
		gate_await(&team->announced, call);
		if (team->closing)
			return NULL;
		worker_work(seat->worker, call);
	}
}

static void begin_stretch(struct team *team, uint64_t now, uint64_t length, uint64_t done)
{
	team->since = now;
	team->length = length;
	team->done_before = done;
}

/* Ends the first `count` threads. */
static void part(struct team *team, uint32_t count)
{
	team->closing = true;
	gate_set(&team->announced, ++team->calls);
	for (uint32_t i = 1; i < count; i++)
		pthread_join(team->seat[i].thread, NULL);
	team->closing = team->together = team->rests = false;
}

/* What one thread says when several were asked for. */
static void tell(struct team *team, const char *why)
{
	if (!team->told)
		fprintf(stderr, "sluice: %s: simulating on one of %u threads\n", why, team->workers->count);
	team->told = true;
}

/* Signals are the program's business: none of its handlers runs in a thread that it does not know. */
static int start_thread(struct seat *seat)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = pthread_create(&seat->thread, NULL, work, seat);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* False: there was no thread to be had. */
static bool gather(struct team *team)
{
	assert(!team->together && !team->closing);
	for (uint32_t i = 1; i < team->workers->count; i++) {
		team->seat[i] =
			(struct seat){.team = team, .worker = &team->workers->worker[i], .call = team->calls + 1};
		int error = start_thread(&team->seat[i]);
		if (error) {
			part(team, i);
			tell(team, strerror(error));
			return false;
		}
	}
	team->together = true;
	return true;
}

static void give_up(struct team *team, uint64_t now, uint64_t done)
{
	part(team, team->workers->count);
	tell(team, "one thread is faster now");
	begin_stretch(team, now, team->pause, done);
	team->pause = team->pause < LONGEST_PAUSE ? 2 * team->pause : LONGEST_PAUSE;
	team->losses = 0;
}

/* Once may be by chance: the work is not all the same, and all of a kernel's state is touched for the first time. */
static bool is_lost(struct team *team, double alone)
{
	team->losses = team->rate < alone ? team->losses + 1 : 0;
	return team->losses == LOSSES;
}

/* A stretch of one thread is over: before a try of all, or behind one, with which it is compared. What was done before it does not compare: a kernel's
 * first cycles are other work than those that follow. */
static void end_alone(struct team *team, uint64_t now, double rate, uint64_t done)
{
	if (!team->together) {
		bool is_there = gather(team);
		begin_stretch(team, gate_clock(), is_there ? FIRST_TOGETHER : UINT64_MAX, done);
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

/* Now and then. */
static void look(struct team *team, uint64_t done)
{
	uint64_t now = gate_clock(), passed = now - team->since;
	bool all = team->together && !team->rests;
	team->until_look = all ? LOOK_TOGETHER : LOOK_ALONE;
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
	team->until_look = LOOK_ALONE;
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

void team_insist(struct team *team)
{
	if (!team)
		return;
	team->insists = true;
	team->until_look = 1;
}

void team_judge(struct team *team, uint64_t done)
{
	if (!team || --team->until_look > 0)
		return;
	if (!team->insists)
		look(team, done);
	else if (!team->together)
		gather(team);
}

void team_rest(struct team *team)
{
	if (!team)
		return;
	if (team->together)
		part(team, team->workers->count);
	team->until_look = team->insists ? 1 : LOOK_ALONE;
	team->since = 0;
}
