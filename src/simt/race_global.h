/* race_global: what the files behind --check global-race share with race.c. */
#ifndef SLUICE_SIMT_RACE_GLOBAL_H
#define SLUICE_SIMT_RACE_GLOBAL_H

#include "simt/race.h"

struct race_global;

/* What is known of a launch, of the list of those that have begun and not ended: one may run inside another. Made when it is not there. */
struct race_global *race_global_of(struct race_global **list, const struct simt_block *block);
/* The launch has ended, which orders all before it. */
void race_global_end(struct race_global **list, const struct simt_launch *launch);
/* All have. */
void race_global_close(struct race_global *list);

/* An access of one lane, before it is made; `access` as race.c has it, with the address for offset. */
void race_global_touch(struct race_global *global, struct access *access);
/* The memory is somebody else's now: what was done to it before is of no interest. */
void race_global_forget(struct race_global *global, uint64_t address, uint64_t size);
/* A lane's atomic access to a location: what it hears of other blocks, and where it leaves something, what it tells them; `by_order`:
 * the instruction releases, and needs no fence. */
void race_global_synchronise(struct race_global *global, const struct simt_warp *warp, uint64_t address, bool leaves, bool by_order);
void race_global_arrive(const struct simt_warp *warp, uint32_t barrier);
void race_global_release(const struct simt_block *block, uint32_t barrier, uint64_t released);

#endif
