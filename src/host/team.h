/* team: the threads that run a machine's workers.
 *
 * The caller's own thread is worker 0. Each other worker has its own thread while a kernel runs. Between kernels
 * these threads do not exist, so the program may fork or end its threads without knowledge of them. The caller's
 * thread makes all of a kernel's first steps, so that a short kernel needs no other threads. Then all threads work.
 * At intervals the caller's thread does all the work for a moment, for comparison. If all threads together were
 * slower, it continues so for a while. When other processes keep the cores busy, a step of several threads takes as
 * long as the host's scheduler delays one of them. That is thousands of times longer than a step of one thread.
 */
#ifndef SLUICE_HOST_TEAM_H
#define SLUICE_HOST_TEAM_H

#include "host/worker.h"

struct team;

/* NULL with one worker, which needs no team. */
struct team *team_open(struct workers *workers, struct arena *arena);
void team_close(struct team *team);

/* All workers do their work. Returns when the last one has finished and their items have been delivered. `alone`:
 * there is so little work that the caller's thread does it all. */
void team_work(struct team *team, struct workers *workers, bool alone);

/* True when threads exist for the next step. */
bool team_is_together(const struct team *team);

/* To be called after a step. `done` is the total work done so far, in units of about equal cost. */
void team_judge(struct team *team, uint64_t done);

/* Makes all threads work from the first step on, even if that is slower; for tests. */
void team_force_threads(struct team *team);

/* Ends all threads except the caller's until the next step, which may be much later. */
void team_end_threads(struct team *team);

#endif
