/* race_streams: interface of races between works of streams to --check global-race of a launch. */
#ifndef SLUICE_SIMT_RACE_STREAMS_H
#define SLUICE_SIMT_RACE_STREAMS_H

#include "simt/race.h"

struct race_streams;

/* Adds a launch of the present work. Returns its number; 0: no work is followed, also with `streams` NULL. */
uint32_t race_streams_add(struct race_streams *streams, const struct simt_launch *launch);
/* Checks and records an access of one of the launch's lanes, before it is made. */
void race_streams_touch(struct race_streams *streams, uint32_t party, const struct access *access);
/* Handles an atomic access of the launch to a location. It observes an earlier work's release there, and with `leaves`
 * it releases. */
void race_streams_synchronize(struct race_streams *streams, uint32_t party, uint64_t address, bool leaves);
/* The memory has a new owner: forgets all earlier accesses to it. */
void race_streams_forget(struct race_streams *streams, uint64_t address, uint64_t size);
uint64_t race_streams_found(const struct race_streams *streams);
void race_streams_close(struct race_streams *streams);

#endif
