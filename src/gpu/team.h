/* team: the host threads behind a machine's workers. The caller's own thread is worker 0. */
#ifndef SLUICE_GPU_TEAM_H
#define SLUICE_GPU_TEAM_H

#include "gpu/worker.h"

struct team;

/* NULL with one worker: nothing to start. Ends the process with a message when the host gives no thread. */
struct team *team_open(struct worker *worker, uint32_t workers, struct arena *arena);
void team_close(struct team *team);

/* One step of all workers; returns when the last one is done. `worker` is worker 0, all there is without a team. */
void team_step(struct team *team, struct worker *worker, const struct step *step);

#endif
