/* race_global: what the files behind --check global-race share with race.c. */
#ifndef SLUICE_SIMT_RACE_GLOBAL_H
#define SLUICE_SIMT_RACE_GLOBAL_H

#include "simt/race.h"

struct race_global;

struct race_global *race_global_open(void);
void race_global_close(struct race_global *global);

/* A block begins. */
void race_global_start(struct simt_block *block);
/* An access of one lane, before it is made; `access` as race.c has it, with the address for offset. */
void race_global_touch(struct race_global *global, struct access *access);
/* A lane's atomic access to a location: what it hears of other blocks, and where it leaves something, what it tells them. */
void race_global_synchronise(struct race_global *global, const struct simt_warp *warp, uint64_t address, bool leaves);
void race_global_arrive(const struct simt_warp *warp, uint32_t barrier);
void race_global_release(const struct simt_block *block, uint32_t barrier, uint64_t released);

#endif
