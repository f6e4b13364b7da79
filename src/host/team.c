#include "host/team.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Steps between two looks at the clock: of one thread, and of several, which may last thousands of times longer. */
enum { LOOK_ALONE = 64, LOOK_TOGETHER = 16 };

/* When threads have waited for a core for more than this part of their time, all of what they gain is lost. Judged over a
 * stretch of time that no single hiccup of the host fills. */
enum { LOST_PART = 4 };
static const uint64_t STRETCH = 20000000, LONGEST_STRETCH = 200000000;             /* nanoseconds */
static const uint64_t FIRST_PAUSE = 500000000, LONGEST_PAUSE = 32 * 1000000000ull; /* before the next try */

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
	bool closing, together, told;
	uint32_t until_look; /* steps */
	uint64_t pause;      /* before the next try, when this one fails */
	uint64_t alone_until;
	uint64_t since,
		waited_before; /* the stretch of time that is judged: its beginning; what was waited before it */
	struct seat seat[MAX_WORKERS];
};

static void *work(void *argument)
{
	struct seat *seat = argument;
	struct team *team = seat->team;
	for (uint64_t call = seat->call;; call++) {
		seat->worker->waited += gate_await(&team->announced, call);
		if (team->closing)
			return NULL;
		worker_work(seat->worker, call);
	}
}

static uint64_t waited(const struct team *team)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < team->workers->count; i++)
		sum += team->workers->worker[i].waited;
	return sum;
}

static void begin_stretch(struct team *team, uint64_t now)
{
	team->since = now;
	team->waited_before = waited(team);
}

/* Ends the first `count` threads. */
static void part(struct team *team, uint32_t count)
{
	team->closing = true;
	gate_set(&team->announced, ++team->calls);
	for (uint32_t i = 1; i < count; i++)
		pthread_join(team->seat[i].thread, NULL);
	team->closing = team->together = false;
	team->until_look = LOOK_ALONE;
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

static void gather(struct team *team, uint64_t now)
{
	assert(!team->together && !team->closing);
	for (uint32_t i = 1; i < team->workers->count; i++) {
		team->seat[i] =
			(struct seat){.team = team, .worker = &team->workers->worker[i], .call = team->calls + 1};
		int error = start_thread(&team->seat[i]);
		if (error) {
			part(team, i);
			team->alone_until = UINT64_MAX;
			tell(team, strerror(error));
			return;
		}
	}
	team->together = true;
	team->until_look = LOOK_TOGETHER;
	begin_stretch(team, now);
}

/* Are they still better together? */
static void judge(struct team *team, uint64_t now)
{
	uint64_t passed = now - team->since, lost = waited(team) - team->waited_before;
	team->until_look = LOOK_TOGETHER;
	if (passed < STRETCH)
		return;
	if (lost > passed * team->workers->count / LOST_PART) {
		part(team, team->workers->count);
		team->alone_until = now + team->pause;
		team->pause = team->pause < LONGEST_PAUSE ? 2 * team->pause : LONGEST_PAUSE;
		tell(team, "other work keeps the cores busy");
	} else if (passed > LONGEST_STRETCH) {
		begin_stretch(team, now);
	}
}

/* Now and then. */
static void look(struct team *team)
{
	uint64_t now = gate_clock();
	if (team->together)
		judge(team, now);
	else if (now >= team->alone_until)
		gather(team, now);
	else
		team->until_look = LOOK_ALONE;
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

static void work_together(struct team *team)
{
	struct worker *worker = team->workers->worker;
	gate_set(&team->announced, ++team->calls);
	worker_work(&worker[0], team->calls);
	for (uint32_t i = 1; i < team->workers->count; i++)
		worker[0].waited += gate_await(&worker[i].done, team->calls);
}

void team_work(struct team *team, struct workers *workers, bool alone)
{
	if (team && team->together && !alone)
		work_together(team);
	else
		workers_work(workers);
	if (!team)
		return;
	workers_exchange(workers);
	if (--team->until_look == 0)
		look(team);
}

void team_rest(struct team *team)
{
	if (team && team->together)
		part(team, team->workers->count);
	if (team)
		team->until_look = LOOK_ALONE;
}
