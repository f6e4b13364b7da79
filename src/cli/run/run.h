/* run: what `sluice run` and `sluice programs run` share. */
#ifndef SLUICE_CLI_RUN_H
#define SLUICE_CLI_RUN_H

#include "cli/commands.h"

/* What --trace and its options ask for. */
enum { RUN_TRACE_WORDS = 6 };
struct run_trace {
	const char *file; /* NULL: no trace */
	bool chooses, shows[RUN_TRACE_WORDS]; /* by --trace-what; else all */
	uint64_t first, last;                 /* core cycles; last 0: to the end */
	uint64_t every;                       /* core cycles between values of counters; 0: the usual */
	char sms[48];                         /* "": all */
};

/* What of a run is simulated in cycles, where that is not all (docs/how-to/sampling.md). */
struct run_sampling {
	uint32_t launches; /* of a group; 0: all */
	bool chooses_blocks;
	double blocks, error; /* shares; error 0: the usual */
};

/* The options of a run. Zero-initialise; run_free() afterwards. */
struct run {
	const char *name; /* of the command, for its messages */
	const char *machine, *stats, *stats_format, *threads, *max_instructions, *timeout;
	char *const *program; /* the command line, for the statistics; or NULL */
	uint64_t sample_every; /* core cycles between samples; 0: none */
	const char *sample_file;
	const char *timeline_file;
	char *timeline_wish; /* what the timeline shows; or NULL */
	struct run_trace trace;
	const char *profile_file;
	uint64_t timeline_events; /* 0: as many as the library wants */
	const char *energy; /* a table of energies; or NULL */
	struct run_sampling sampling;
	const char *trace_out; /* a folder for traces of instructions; or NULL */
	char *check; /* what --check asked for, all of it */
	const char *stray_reads; /* "warn" or "fault"; or NULL */
	struct cli_options options;
	struct cli_options mechanisms; /* each from malloc */
	struct cli_options passes;
	bool functional, no_progress;
};

/* Parses the options alone, into a struct run: a child of the commands' own parsers. */
extern const struct argp run_argp;

/* A path that stays right when the program changes its folder. From malloc. */
char *run_absolute(const char *path);

/* Sets a variable of the environment; NULL leaves it as it is. */
void run_set(const char *variable, const char *value);

/* Tries machine and options out and sets what the runtime reads from the environment. False after an error message. */
bool run_prepare(const struct run *run);

/* Becomes the program. Returns the exit status when that is not possible. */
int run_become(const struct run *run, const char *file, char *const *program);

void run_free(struct run *run);

#endif
