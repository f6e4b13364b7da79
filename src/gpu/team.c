#include "gpu/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct team {
	struct worker *worker;
	uint32_t workers;
	struct step step; /* written by worker 0, then announced by its number */
	struct gate announced;
	bool closing;
	pthread_t thread[MAX_WORKERS];
};

struct seat {
	struct team *team;
	struct worker *worker;
};

static void *work(void *argument)
{
	struct seat seat = *(struct seat *)argument;
	struct team *team = seat.team;
	free(argument);
	for (uint64_t number = 1;; number++) {
		gate_await(&team->announced, number);
		if (team->closing)
			return NULL;
		worker_step(seat.worker, &team->step);
	}
}

struct team *team_open(struct worker *worker, uint32_t workers, struct arena *arena)
{
	if (workers == 1)
		return NULL;
	struct team *team = arena_alloc(arena, sizeof *team);
	team->worker = worker;
	team->workers = workers;
	gate_open(&team->announced, workers);
	for (uint32_t i = 1; i < workers; i++) {
		struct seat *seat = xmalloc(sizeof *seat);
		*seat = (struct seat){team, &worker[i]};
		int error = pthread_create(&team->thread[i], NULL, work, seat);
		if (error) {
			fprintf(stderr, "sluice: cannot start thread %u of %u: %s\n", i + 1, workers, strerror(error));
			exit(EXIT_FAILURE);
		}
	}
	return team;
}

void team_close(struct team *team)
{
	if (!team)
		return;
	team->closing = true;
	gate_set(&team->announced, UINT64_MAX);
	for (uint32_t i = 1; i < team->workers; i++)
		pthread_join(team->thread[i], NULL);
	gate_close(&team->announced);
}

void team_step(struct team *team, struct worker *worker, const struct step *step)
{
	if (team) {
		team->step = *step;
		gate_set(&team->announced, step->number);
	}
	worker_step(worker, step);
	for (uint32_t i = 1; team && i < team->workers; i++)
		gate_await(&team->worker[i].done, step->number);
}
