/* limits: what limits a kernel, from its statistics and the parameters of the machine: occupancy, use of each unit
 * against its peak, roofline, bytes on each link, and rules with an upper bound of what their removal gains. The input
 * is the JSON that a run writes (docs/reference/statistics.md), at the run's end or long after it. The machine does not
 * use this module. The command and the report show what it computes here (docs/how-to/limits.md). */
#ifndef SLUICE_LIMITS_LIMITS_H
#define SLUICE_LIMITS_LIMITS_H

#include "gpu/gpu.h"
#include "gpu/occupancy.h"

#include <jansson.h>
#include <stdio.h>

enum { LIMITS_MESSAGE = 256, LIMITS_TEXT = 512, LIMITS_RULES = 8, LIMITS_LINKS = 8, LIMITS_COMPUTES = 3 };

/* Units whose use is compared with their peak. */
enum limits_unit {
	LIMITS_ISSUE,
	LIMITS_SP,
	LIMITS_SFU,
	LIMITS_INT,
	LIMITS_DP,
	LIMITS_TENSOR,
	LIMITS_SHARED,
	LIMITS_L1,
	LIMITS_REQUESTS,
	LIMITS_REPLIES,
	LIMITS_L2,
	LIMITS_DRAM,
	LIMITS_UNITS
};

struct limits_use {
	const char *name;   /* NULL: the machine has no such unit */
	const char *what;   /* of which `used` is the part: "cycles of the pins with data" */
	double count, peak; /* counted events, and the most that fit into the kernel's time */
	double used;        /* count / peak, at most 1 */
};

/* Warps of an SM. */
struct limits_occupancy {
	struct occupancy fits; /* without a grid's or mechanism's limit; of a launch only */
	bool is_known;         /* `fits`, `blocks_per_sm` and `waves` */
	uint32_t blocks_per_sm;
	double slots;                 /* warp slots of an SM */
	double theoretical, achieved; /* of these slots; achieved: mean while the SM has a block */
	double waves;                 /* blocks of the grid / blocks that the machine holds at once */
};

/* A kind of arithmetic and its roof. */
struct limits_compute {
	const char *name;
	double operations, peak; /* in the kernel; per second at most */
};
enum limits_level { LIMITS_LEVEL_L1, LIMITS_LEVEL_L2, LIMITS_LEVEL_DRAM, LIMITS_LEVELS };
struct limits_memory {
	const char *name;
	double bytes, peak; /* in the kernel; per second at most */
};
struct limits_roofline {
	struct limits_compute compute[LIMITS_COMPUTES];
	struct limits_memory memory[LIMITS_LEVELS];
	double seconds;
};

struct limits_link {
	const char *from, *to;
	double bytes;
};

/* A finding. `gain` is an upper bound of the speedup without it (rules.c). */
struct limits_rule {
	const char *name;
	char text[LIMITS_TEXT];
	double measured; /* the quantity that the text states, a fraction of 1 */
	double gain;
};

/* The subject of an analysis: a launch that ran alone, a session, or the totals. */
struct limits_account {
	struct machine machine;
	struct gpu_stats stats;
	double cycles;
	bool is_sum;    /* of launches after each other, to which no rule applies */
	bool is_launch; /* the next fields are known */
	uint32_t block_threads, registers, shared_bytes, blocks_per_sm;
	double blocks;       /* of the grid */
	const json_t *units; /* counters by unit; NULL: not stored */
};

struct limits {
	struct limits_use use[LIMITS_UNITS];
	enum limits_unit busiest;
	double load_store_occupied; /* part of the cycles in which the load/store unit had an instruction */
	struct limits_occupancy occupancy;
	struct limits_roofline roofline;
	struct limits_link link[LIMITS_LINKS];
	size_t links;
	double l1_hits, l2_hits; /* hits / accesses; negative without accesses */
	struct limits_rule rule[LIMITS_RULES];
	size_t rules;
};

/* Reads the machine from "configuration". False with a message. */
bool limits_read_machine(const json_t *configuration, struct machine *machine, char message[LIMITS_MESSAGE]);
/* Reads an element of "kernels" or "sessions", or "totals". False, with a message, if it has no counters of cycles. The
 * machine must be set. */
bool limits_read_account(const json_t *object, struct limits_account *account, char message[LIMITS_MESSAGE]);
void limits_of(const struct limits_account *account, struct limits *limits);

/* The parts of limits_of(). */
void limits_measure_use(const struct limits_account *account, struct limits *limits);
void limits_measure_occupancy(const struct limits_account *account, struct limits *limits);
void limits_measure_roofline(const struct limits_account *account, struct limits *limits);
void limits_measure_links(const struct limits_account *account, struct limits *limits);
void limits_apply_rules(const struct limits_account *account, struct limits *limits);

const char *limits_occupancy_name(enum occupancy_limit limit);
json_t *limits_json(const struct limits *limits);
void limits_print(const struct limits *limits, FILE *file);

/* A result. `object` is the subject in the statistics; `title` is for people. */
struct limits_of_one {
	const char *kind; /* "kernel", "session" or "totals" */
	const char *title;
	const json_t *object;
	double cycles;
	const struct limits *limits;
};
/* Calls `visit` for each launch and session of a run's statistics whose limits can be known, and for the totals of
 * several launches. If there are none, `message` has the reason. */
void limits_of_run(const json_t *stats, void (*visit)(void *user, const struct limits_of_one *one), void *user,
                   char message[LIMITS_MESSAGE]);
/* Returns {"of", "name", "cycles", "limits"}. */
json_t *limits_of_one_json(const struct limits_of_one *one);

#endif
