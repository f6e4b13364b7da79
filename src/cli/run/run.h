/* run: declarations shared by `sluice run` and `sluice programs run`. */
#ifndef SLUICE_CLI_RUN_H
#define SLUICE_CLI_RUN_H

#include "cli/commands.h"

/* The request of --trace and its options. */
enum { RUN_TRACE_WORDS = 6 };
struct run_trace {
	const char *file;                     /* NULL: no trace */
	bool chooses, shows[RUN_TRACE_WORDS]; /* set by --trace-what; otherwise everything is shown */
	uint64_t first, last;                 /* core cycles; last 0: to the end */
	uint64_t every;                       /* core cycles between counter values; 0: the default */
	char sms[48];                         /* "": all */
};

/* Selects the part of a run that is simulated in cycles (docs/how-to/sampling.md). */
struct run_sampling {
	uint32_t launches; /* per group; 0: all */
	bool chooses_blocks;
	double blocks, error; /* fractions; error 0: the default */
};

/* The options of a run. Zero-initialize; run_free() afterwards. */
struct run {
	const char *name; /* name of the command, for messages */
	const char *machine, *stats, *stats_format, *threads, *max_instructions, *timeout;
	char *const *program;  /* command line, for the statistics; or NULL */
	uint64_t sample_every; /* core cycles per sample; 0: no samples */
	const char *sample_file;
	const char *timeline_file;
	char *timeline_filter; /* selection of timeline events; or NULL */
	struct run_trace trace;
	const char *profile_file;
	bool units;               /* counters of each unit in statistics and samples */
	uint64_t timeline_events; /* 0: the library's default */
	const char *energy;       /* an energy table; or NULL */
	struct run_sampling sampling;
	const char *kernels; /* the launches to simulate; with --trace-in, the kernels to run; or NULL */
	uint64_t warm;       /* launches before them that are simulated too */
	bool only_region, stops_after;
	char *ranges;            /* all values of --range, joined; or NULL */
	const char *journal;     /* folder; or NULL */
	bool resumes;            /* launches that the journal has are not simulated */
	const char *trace_out;   /* folder for instruction traces; or NULL */
	char *check;             /* all values of --check, joined */
	const char *stray_reads; /* "warn" or "fault"; or NULL */
	struct cli_options options;
	struct cli_options mechanisms; /* each from malloc */
	struct cli_options passes;
	bool functional, no_progress;
};

/* Parses only the options, into a struct run; a child of the commands' own parsers. */
extern const struct argp run_argp;

/* Returns an absolute path, which stays valid when the program changes its folder. From malloc. */
char *run_absolute(const char *path);

/* Sets an environment variable; NULL leaves it unchanged. */
void run_set(const char *variable, const char *value);

/* Loads our runtime into this process. NULL after a message. */
void *run_load_runtime(const char *name);

/* Checks machine and options, and sets the runtime's environment variables. Returns false after a message. */
bool run_prepare(const struct run *run);

/* Replaces this process by the program. Returns the exit status if that fails. */
int run_become(const struct run *run, const char *file, char *const *program);

void run_free(struct run *run);

#endif
