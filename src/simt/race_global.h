/* race_global: interface of --check global-race to race.c. */
#ifndef SLUICE_SIMT_RACE_GLOBAL_H
#define SLUICE_SIMT_RACE_GLOBAL_H

#include "simt/race.h"

struct race_global;

/* Returns the state of the block's launch, and creates it if absent. The list holds the launches that have begun
 * and not ended: one may run inside another. */
struct race_global *race_global_of(struct race_global **list, const struct simt_block *block);
/* Ends the launch, which orders all accesses before it. */
void race_global_end(struct race_global **list, const struct simt_launch *launch);
/* Ends all launches. */
void race_global_close(struct race_global *list);

/* Checks and records an access of one lane, before it is made. `access` is as in race.c, with the address as offset. */
void race_global_touch(struct race_global *global, struct access *access);
/* The memory has a new owner: forgets all earlier accesses to it. */
void race_global_forget(struct race_global *global, uint64_t address, uint64_t size);
/* Handles a lane's atomic access to a location: it acquires what other blocks released there. If `leaves`, it also
 * releases. `by_order`: the instruction itself releases and needs no fence. */
void race_global_synchronize(struct race_global *global, const struct simt_warp *warp, uint64_t address, bool leaves, bool by_order);
void race_global_arrive(const struct simt_warp *warp, uint32_t barrier);
void race_global_release(const struct simt_block *block, uint32_t barrier, uint64_t released);

#endif
