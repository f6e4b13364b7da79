/* team: the threads behind a machine's workers.
 *
 * The caller's own thread is worker 0; each other worker has a thread of its own while a kernel runs, and between kernels
 * there are none: the program may fork or end its threads without knowing of ours. A kernel's first steps are all made by
 * the caller's thread, so that a short one needs no others. Then all threads work, and now and then the caller's does all for a moment: when
 * all were slower than that, it does so for a while. Where other work keeps the cores busy, a step of several threads lasts as long as the host's
 * scheduler lets one of them wait, thousands of times longer than the step of one. */
#ifndef SLUICE_HOST_TEAM_H
#define SLUICE_HOST_TEAM_H

#include "host/worker.h"

struct team;

/* NULL with one worker, which needs no team. */
struct team *team_open(struct workers *workers, struct arena *arena);
void team_close(struct team *team);

/* All workers do their work; returns when the last one is done and what they sent has arrived. `alone`: there is so little that the caller's
 * thread does it all. */
void team_work(struct team *team, struct workers *workers, bool alone);

/* Whether there are threads for what comes next. */
bool team_is_together(const struct team *team);

/* After a step; `done`: all that was ever done, in a unit of which each costs about the same. */
void team_judge(struct team *team, uint64_t done);

/* All threads work from the first step on, whether that is faster or not: for tests. */
void team_insist(struct team *team);

/* Until the next step, which need not be soon, there are no threads but the caller's. */
void team_rest(struct team *team);

#endif
