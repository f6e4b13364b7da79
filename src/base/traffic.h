/* traffic: what all rooms call the same of memory accesses and prefetches. Mechanisms know these as MECH_... (seam/mech.h). */
#ifndef SLUICE_BASE_TRAFFIC_H
#define SLUICE_BASE_TRAFFIC_H

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

/* How an access ended. */
enum access_result {
	ACCESS_HIT,    /* of a cache */
	ACCESS_MISS,   /* ..., which sends for its line */
	ACCESS_MERGED, /* ... on a line that is on its way */
	ACCESS_BUFFER_HIT,    /* of the buffer in front of L1 */
	ACCESS_BUFFER_MERGED, /* ..., where it waits for bytes on their way */
	ACCESS_PAST_L1,       /* it went past both */
	ACCESS_REFUSED,       /* nothing was done: it is tried again */
};

/* What became of a line, or a part of one, that was fetched for no instruction. Each has one fate. */
enum prefetch_fate {
	PREFETCH_USEFUL,        /* an instruction found it */
	PREFETCH_LATE,          /* ... came when it was still on its way */
	PREFETCH_EARLY_EVICTED, /* it went before anyone came */
	PREFETCH_REDUNDANT,     /* nobody came */
};

#endif
