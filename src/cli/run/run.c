/* sluice run: sets the runtime's environment variables and becomes the program.
 *
 * Machine and options are checked first, so that a mistake is reported before the program has done anything.
 */
#include "cli/run/run.h"

#include "cli/launch_plan/launch_plan.h"
#include "cli/run/sampling.h"
#include "cli/run/supervise.h"
#include "cli/run/trace.h"
#include "cli/run/trace_in.h"

#include "base/arena.h"
#include "base/config_find.h"
#include "base/file.h"
#include "cli/run/cuda_program.h"
#include "sluice_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KEY_STATS = 256,
	KEY_STATS_FORMAT,
	KEY_FUNCTIONAL,
	KEY_THREADS,
	KEY_MAX_INSTRUCTIONS,
	KEY_TIMEOUT,
	KEY_STRAY_READS,
	KEY_NO_PROGRESS,
	KEY_CHECK,
	KEY_MECH,
	KEY_PASS,
	KEY_SAMPLE,
	KEY_SAMPLE_LAUNCHES,
	KEY_SAMPLE_BLOCKS,
	KEY_SAMPLE_ERROR,
	KEY_WARM,
	KEY_REGION,
	KEY_RANGE,
	KEY_STOP_AFTER,
	KEY_TIMELINE,
	KEY_TIMELINE_EVENTS,
	KEY_PROFILE,
	KEY_UNITS,
	KEY_TRACE,
	KEY_TRACE_CYCLES,
	KEY_TRACE_SM,
	KEY_TRACE_WHAT,
	KEY_TRACE_EVERY,
	KEY_ENERGY,
	KEY_TRACE_IN,
	KEY_PTX,
	KEY_LAUNCH,
	KEY_TRACE_OUT,
	KEY_JOURNAL,
	KEY_RESUME,
	KEY_KERNEL
};

static const struct argp_option run_options[] = {
	{"machine", 'm', "MACHINE", 0, "Machine: a name ('sluice machine list') or a YAML file; default gtx480", 0},
	{"option", 'o', "KEY=VALUE", 0,
         "Change one key of the machine ('sluice machine show' prints the keys); may be repeated", 0},
	{"mech", KEY_MECH, "NAME[:KEY=VALUE,...]", 0,
         "Attach a mechanism ('sluice mech list', or your shared object); may be repeated", 0},
	{"pass", KEY_PASS, "NAME[:KEY=VALUE,...],...", 0,
         "Rewrite the PTX by passes before it is decoded ('sluice opt --list'); may be repeated", 0},
	{"energy", KEY_ENERGY, "TABLE", OPTION_ARG_OPTIONAL,
         "Add the kernels' energy to the statistics, by a table of energies; default the machine's", 0},
	{NULL, 0, NULL, 0, "Statistics, traces and profiles:", 1},
	{"stats", KEY_STATS, "FILE", 0,
         "Write the statistics to FILE, with - to standard output; default: to standard error", 0},
	{"stats-format", KEY_STATS_FORMAT, "FORMAT", 0, "table, json or gpgpusim; default table, json with --stats", 0},
	{"sample", KEY_SAMPLE, "N[:FILE]", 0,
         "Write the counters' increments of every N core cycles to a CSV file; default samples.csv", 0},
	{"units", KEY_UNITS, NULL, 0,
         "Add the counters of each SM, L2 slice and DRAM channel to JSON statistics, and warp instructions by SM to "
         "samples",
         0},
	{"profile", KEY_PROFILE, "FILE", 0,
         "Write the cost of each PTX instruction, as JSON ('sluice profile', 'sluice annotate --profile')", 0},
	{"timeline", KEY_TIMELINE, "FILE", 0,
         "Write when kernels, blocks and mechanisms' events began and ended: JSON for Perfetto, or FILE.csv", 0},
	{"timeline-events", KEY_TIMELINE_EVENTS, "N", 0, "At most N events in the timeline; default 10 million", 0},
	{"trace", KEY_TRACE, "FILE", 0,
         "Write the activity of blocks, warps, requests, prefetches and DRAM banks for ui.perfetto.dev: "
         "FILE.perfetto, FILE.pftrace or FILE.perfetto-trace, compressed if .zst follows",
         0},
	{"trace-cycles", KEY_TRACE_CYCLES, "A-B", 0, "Trace only these core cycles", 0},
	{"trace-sm", KEY_TRACE_SM, "LIST", 0, "Trace only these SMs, as in 0-3,7", 0},
	{"trace-what", KEY_TRACE_WHAT, "WORDS", 0,
         "Trace only these: blocks, warps, requests, transfers, banks, counters", 0},
	{"trace-every", KEY_TRACE_EVERY, "N", 0, "Trace each counter's value every N core cycles; default 500", 0},
	{"trace-out", KEY_TRACE_OUT, "FOLDER", 0,
         "Write an instruction trace of each kernel, for --trace-in: a kernelslist.g and one file per kernel", 0},
	{NULL, 0, NULL, 0, "Faster runs:", 2},
	{"functional", KEY_FUNCTIONAL, NULL, 0, "Results only, without cycles", 0},
	{"sample-launches", KEY_SAMPLE_LAUNCHES, "K", OPTION_ARG_OPTIONAL,
         "Simulate at most K of the similar launches in cycles, and estimate the others' cycles; default 32", 0},
	{"sample-blocks", KEY_SAMPLE_BLOCKS, "FRACTION", OPTION_ARG_OPTIONAL,
         "Simulate only the first blocks of a large launch in cycles, at least FRACTION of them, and estimate the "
         "rest; default 0",
         0},
	{"sample-error", KEY_SAMPLE_ERROR, "SHARE", 0,
         "Largest estimated error that --sample-blocks may have, such as 0.03 or 3%, which is the default", 0},
	{"kernel", KEY_KERNEL, "WHICH", 0,
         "Simulate only these launches in cycles, and run the others functionally: a launch's number, FIRST-LAST, NAME "
         "or "
         "NAME:NUMBER; several with commas. With --trace-in: run only these kernels, a number, FIRST-LAST or a name",
         0},
	{"warm", KEY_WARM, "N", 0, "Simulate the N launches before those of --kernel too, so that they warm the caches",
         0},
	{"region", KEY_REGION, NULL, 0, "Simulate only launches between cudaProfilerStart and cudaProfilerStop", 0},
	{"range", KEY_RANGE, "NAME", 0,
         "Simulate only launches in this NVTX range of the program: NAME, NAME@DOMAIN, or NAME:NUMBER for one pass; "
         "several with commas; may be repeated",
         0},
	{"stop-after", KEY_STOP_AFTER, NULL, 0,
         "End the run after the last launch of --kernel, --region or --range, with status 124", 0},
	{"threads", KEY_THREADS, "N", 0, "Simulate on N threads of this computer; no simulated number depends on it",
         0},
	{NULL, 0, NULL, 0, "Checks and limits:", 3},
	{"journal", KEY_JOURNAL, "FOLDER", 0,
         "Write what each launch did to FOLDER, so that --resume can continue the run if it is killed", 0},
	{"resume", KEY_RESUME, NULL, 0, "Do not simulate the launches that the journal has", 0},
	{"check", KEY_CHECK, "WHAT", 0,
         "Look for mistakes: bounds, leaks, race, global-race, warp-race, init, shared-init, masks, divergence, all of "
         "these, "
         "footprint; see man sluice",
         0},
	{"stray-reads", KEY_STRAY_READS, "WHAT", 0,
         "Effect of a kernel's read outside every allocation of device memory: fault (default), or warn and read 0", 0},
	{"max-instructions", KEY_MAX_INSTRUCTIONS, "N", 0, "Stop the run after N thread instructions, with status 124",
         0},
	{"timeout", KEY_TIMEOUT, "SECONDS", 0, "Stop a process that takes longer, with status 124", 0},
	{"no-progress", KEY_NO_PROGRESS, NULL, 0, "No progress line on the terminal", 0},
	{0},
};

static const char *check_format(const char *format, const struct argp_state *state)
{
	if (strcmp(format, "table") != 0 && strcmp(format, "json") != 0 && strcmp(format, "gpgpusim") != 0)
		cli_usage(state, "--stats-format: expected table, json or gpgpusim, not '%s'", format);
	return format;
}

static const char *check_stray_reads(const char *what, const struct argp_state *state)
{
	if (strcmp(what, "warn") != 0 && strcmp(what, "fault") != 0)
		cli_usage(state, "--stray-reads: expected warn or fault, not '%s'", what);
	return what;
}

/* Adds a value to a list with commas, from malloc. */
static void add_to_list(char **list, const char *what)
{
	char *all;
	if (asprintf(&all, "%s%s%s", *list ? *list : "", *list ? "," : "", what) < 0)
		abort();
	free(*list);
	*list = all;
}

/* Returns a mechanism's name or, for a shared object, its absolute path. From malloc. */
static char *full_name(const char *mechanism)
{
	return sluice_mechanism_path(mechanism) ? run_absolute(mechanism) : base_strdup(mechanism);
}

/* Parses "N[:FILE]". */
static void set_samples(struct run *run, const char *value, const struct argp_state *state)
{
	const char *colon = strchr(value, ':');
	char *number = strndup(value, colon ? (size_t)(colon - value) : strlen(value));
	run->sample_every = cli_number("--sample", number, 1, state);
	run->sample_file = colon ? cli_text("--sample", colon + 1, state) : "samples.csv";
	free(number);
}

/* --units adds to other outputs. */
static void check_units(const struct run *run, const struct argp_state *state)
{
	const char *by_environment = getenv("SLUICE_STATS"); /* in sweeps */
	bool has_stats = run->stats || (by_environment && *by_environment);
	bool json = run->stats_format ? strcmp(run->stats_format, "json") == 0 : has_stats;
	if (run->units && !json && !run->sample_every)
		cli_usage(state,
		          "--units adds to statistics in JSON and to samples; give --stats FILE or --sample too");
}

/* Statistics, traces and profiles. */
static error_t parse_output(struct run *run, int key, char *value, struct argp_state *state)
{
	switch (key) {
	case KEY_STATS:
		run->stats = cli_text("--stats", value, state);
		return 0;
	case KEY_STATS_FORMAT:
		run->stats_format = check_format(value, state);
		return 0;
	case KEY_SAMPLE:
		set_samples(run, value, state);
		return 0;
	case KEY_UNITS:
		run->units = true;
		return 0;
	case KEY_PROFILE:
		run->profile_file = cli_text("--profile", value, state);
		return 0;
	case KEY_TIMELINE:
		run->timeline_file = cli_text("--timeline", value, state);
		return 0;
	case KEY_TIMELINE_EVENTS:
		run->timeline_events = cli_number("--timeline-events", value, 1, state);
		return 0;
	case KEY_TRACE:
		run->trace.file = cli_text("--trace", value, state);
		return 0;
	case KEY_TRACE_CYCLES:
		run_trace_cycles(&run->trace, value, state);
		return 0;
	case KEY_TRACE_SM:
		run_trace_sms(&run->trace, value, state);
		return 0;
	case KEY_TRACE_WHAT:
		run_trace_what(&run->trace, value, state);
		return 0;
	case KEY_TRACE_EVERY:
		run->trace.every = cli_number_to("--trace-every", value, 1, UINT32_MAX, state);
		return 0;
	case KEY_TRACE_OUT:
		run->trace_out = cli_text("--trace-out", value, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Faster runs, checks and limits. */
static error_t parse_limit(struct run *run, int key, char *value, struct argp_state *state)
{
	switch (key) {
	case KEY_FUNCTIONAL:
		run->functional = true;
		return 0;
	case KEY_SAMPLE_LAUNCHES:
		run_sampling_launches(&run->sampling, value, state);
		return 0;
	case KEY_SAMPLE_BLOCKS:
		run_sampling_blocks(&run->sampling, value, state);
		return 0;
	case KEY_SAMPLE_ERROR:
		run_sampling_error(&run->sampling, value, state);
		return 0;
	case KEY_KERNEL:
		run->kernels = cli_text("--kernel", value, state);
		return 0;
	case KEY_WARM:
		run->warm = cli_number_to("--warm", value, 1, UINT32_MAX, state);
		return 0;
	case KEY_REGION:
		run->only_region = true;
		return 0;
	case KEY_RANGE:
		add_to_list(&run->ranges, cli_text("--range", value, state));
		return 0;
	case KEY_STOP_AFTER:
		run->stops_after = true;
		return 0;
	case KEY_THREADS:
		cli_number_to("--threads", value, 1, UINT32_MAX, state);
		run->threads = value;
		return 0;
	case KEY_CHECK:
		add_to_list(&run->check, cli_text("--check", value, state));
		return 0;
	case KEY_STRAY_READS:
		run->stray_reads = check_stray_reads(value, state);
		return 0;
	case KEY_MAX_INSTRUCTIONS:
		cli_number("--max-instructions", value, 1, state);
		run->max_instructions = value;
		return 0;
	case KEY_TIMEOUT:
		cli_number_to("--timeout", value, 1, INT32_MAX, state);
		run->timeout = value;
		return 0;
	case KEY_NO_PROGRESS:
		run->no_progress = true;
		return 0;
	case KEY_JOURNAL:
		run->journal = cli_text("--journal", value, state);
		return 0;
	case KEY_RESUME:
		run->resumes = true;
		return 0;
	default:
		return parse_output(run, key, value, state);
	}
}

/* The machine and what is attached to it. */
static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct run *run = state->input;
	switch (key) {
	case 'm':
		run->machine = value;
		return 0;
	case 'o':
		cli_add_option(&run->options, value, state);
		return 0;
	case KEY_MECH:
		cli_add_word(&run->mechanisms, full_name(value));
		return 0;
	case KEY_PASS:
		cli_add_word(&run->passes, value);
		return 0;
	case KEY_ENERGY:
		run->energy = value ? cli_text("--energy", value, state) : "default";
		return 0;
	case ARGP_KEY_END:
		run_trace_apply(run, state);
		run_sampling_check(run, state);
		check_units(run, state);
		if (run->resumes && !run->journal)
			cli_usage(state, "--resume needs --journal FOLDER");
		return ARGP_ERR_UNKNOWN;
	default:
		return parse_limit(run, key, value, state);
	}
}

const struct argp run_argp = {.options = run_options, .parser = parse_option};

struct command {
	struct run run;
	char **program;
	const char *trace_in;     /* instead of a program: an instruction trace folder */
	const char *ptx, *launch; /* instead of a program: a PTX file, and the plan of its launches */
	const char *misplaced;    /* a word after the program that looks like one of our options */
};

static bool is_machine(const char *name)
{
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = name};
	sluice_gpu *gpu = NULL;
	bool is = name && sluice_open(&gpu, &settings, NULL) == SLUICE_OK;
	sluice_close(gpu);
	return is;
}

static bool is_ours(const char *word, const char *next)
{
	if (strcmp(word, "-m") == 0)
		return is_machine(next);
	if (strcmp(word, "-o") == 0)
		return next && strchr(next, '.') && strchr(next, '=');
	for (const struct argp_option *option = run_options; option->name || option->doc; option++) {
		if (!option->name)
			continue; /* a heading */
		size_t length = strlen(option->name);
		if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, option->name, length) == 0 &&
		    (!word[2 + length] || word[2 + length] == '='))
			return true;
	}
	return false;
}

/* Takes the program and all words after it. Without "--", a later word that looks like one of our options is probably a
 * mistake. The run would silently differ from what was meant. */
static void take_program(struct command *command, struct argp_state *state)
{
	char **program = &state->argv[state->next - 1];
	bool meant = strcmp(program[-1], "--") == 0;
	command->program = program;
	for (char **word = program + 1; *word && !meant && !command->misplaced; word++)
		if (is_ours(word[0], word[1]))
			command->misplaced = *word;
	state->next = state->argc;
}

static void check_trace_in(const struct command *command, const struct argp_state *state)
{
	if (command->trace_in && command->program)
		cli_usage(state, "--trace-in runs traces instead of a program; remove '%s'", command->program[0]);
	const struct run *run = &command->run;
	if (command->trace_in && (run->warm || run->only_region || run->ranges || run->stops_after || run->journal))
		cli_usage(state, "--warm, --region, --range, --stop-after and --journal are for programs, not for "
		                 "--trace-in");
}

static void check_launch_plan(const struct command *command, const struct argp_state *state)
{
	if (!command->ptx && !command->launch)
		return;
	if (!command->ptx || !command->launch)
		cli_usage(state, "--ptx FILE and --launch PLAN belong together");
	if (command->program || command->trace_in)
		cli_usage(state, "--ptx runs kernels of a PTX file; remove %s",
		          command->program ? command->program[0] : "--trace-in");
	if (command->run.timeout)
		cli_usage(state, "--timeout is for programs; --max-instructions also ends a run of --ptx");
}

static error_t parse_command(int key, char *value, struct argp_state *state)
{
	struct command *command = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &command->run;
		return 0;
	case KEY_TRACE_IN:
		command->trace_in = cli_text("--trace-in", value, state);
		return 0;
	case KEY_PTX:
		command->ptx = cli_text("--ptx", value, state);
		return 0;
	case KEY_LAUNCH:
		command->launch = cli_text("--launch", value, state);
		return 0;
	case ARGP_KEY_ARG:
		take_program(command, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!command->trace_in && !command->ptx && !command->launch)
			cli_usage(state, "no program given");
		return 0;
	case ARGP_KEY_END:
		check_trace_in(command, state);
		check_launch_plan(command, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option command_options[] = {
	{"trace-in", KEY_TRACE_IN, "FOLDER", 0,
         "Run the kernels of a folder of instruction traces, Accel-Sim's or those of --trace-out, instead of a program",
         0},
	{"ptx", KEY_PTX, "FILE", 0, "Run kernels of a PTX file, as --launch says, instead of a program", 0},
	{"launch", KEY_LAUNCH, "PLAN", 0,
         "With --ptx: a YAML file of tensors, launches and expected results (docs/how-to/triton.md)", 0},
	{0},
};

static const struct argp command_argp = {
	.options = command_options,
	.parser = parse_command,
	.children = (const struct argp_child[]){{&run_argp, 0, NULL, 0}, {0}},
	.args_doc = "[--] PROGRAM [ARGUMENT...]\n--trace-in=FOLDER\n--ptx=FILE --launch=PLAN",
	.doc = "Run a CUDA program on a simulated machine.\v"
	       "The exit status is the program's; 124 when --max-instructions or --timeout cut it short, 127 when it "
	       "is not found, "
	       "126 when it cannot be started, 2 when an "
	       "option or the machine is wrong.",
};

/* Returns a hint on what a new user may have meant by a program that does not start, or "". */
static const char *advice(const char *file)
{
	size_t length = strlen(file);
	if (length > 3 && strcmp(file + length - 3, ".cu") == 0)
		return "; 'sluice cc' compiles CUDA source to a program";
	if (length > 5 && strcmp(file + length - 5, ".yaml") == 0)
		return "; write a table of energies after '=': --energy=FILE";
	struct stat status;
	if (stat(file, &status) == 0 && S_ISDIR(status.st_mode))
		return "; it is a folder";
	if (!strchr(file, '/') && access(file, X_OK) == 0)
		return "; write ./ before the name of a program in this folder";
	return "";
}

static int become(const struct run *run, const char *file, char *const *program)
{
	execvp(file, program);
	int error = errno;
	cli_error(run->name, "cannot start %s: %s%s", file, strerror(error), advice(file));
	return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

int run_become(const struct run *run, const char *file, char *const *program)
{
	fflush(NULL);
	return run->timeout ? run_supervised(run, become, file, program) : become(run, file, program);
}

void run_free(struct run *run)
{
	free(run->options.list);
	for (size_t i = 0; i < run->mechanisms.count; i++)
		free((char *)run->mechanisms.list[i]);
	free(run->mechanisms.list);
	free(run->passes.list);
	free(run->timeline_filter);
	free(run->check);
	free(run->ranges);
}

/* Preloads our runtime, so that it replaces the one that the program's RPATH names. */
static void preload(const struct run *run, const char *program, const char *folder)
{
	const char *others = getenv("LD_PRELOAD");
	char *value;
	if (asprintf(&value, "%s%s%s/libcudart.so", others ? others : "", others && *others ? ":" : "", folder) < 0)
		abort();
	run_set("LD_PRELOAD", value);
	free(value);
	cli_error(run->name, "note: the RPATH of %s names another CUDA runtime; Sluice's is loaded instead", program);
}

/* Refuses a program that cannot use our runtime, because running it would show nothing about it. For one without CUDA
 * prints a note. Returns 0 or the exit status. */
static int meet_runtime(const struct run *run, const char *program)
{
	static const char *const reasons[] = {
		[CUDA_PROGRAM_MISSING] = "it needs a libcudart.so of a CUDA version other than 11, 12 and 13",
		[CUDA_PROGRAM_STATIC] =
			"it has CUDA's own runtime inside (static cudart); link it with 'nvcc -cudart shared', "
			"or build it with the nvcc of 'sluice toolkit'",
	};
	char folder[PATH_MAX];
	if (!cli_library_folder(folder))
		return 0; /* already reported */
	enum cuda_program kind = cuda_program_kind(program, folder);
	switch (kind) {
	case CUDA_PROGRAM_OURS:
		return 0;
	case CUDA_PROGRAM_OTHER:
		preload(run, program, folder);
		return 0;
	case CUDA_PROGRAM_DRIVER:
		cli_error(run->name,
		          "note: %s has CUDA's own runtime inside (static cudart); its driver calls are simulated, "
		          "calls of that runtime fail",
		          program);
		return 0;
	case CUDA_PROGRAM_NONE:
		cli_error(run->name,
		          "note: %s does not load libcudart.so, so Sluice simulates nothing of it; 'sluice cc' makes "
		          "a program that does, as does nvcc with -cudart shared",
		          program);
		return 0;
	case CUDA_PROGRAM_MISSING:
	case CUDA_PROGRAM_STATIC:
		break;
	}
	cli_error(run->name, "%s cannot be simulated: %s", program, reasons[kind]);
	return CLI_CANNOT_RUN;
}

/* Sets up everything, then becomes the program. */
static int run_program(struct command *command)
{
	int status = run_prepare(&command->run) ? 0 : CLI_USAGE;
	if (status == 0 && command->misplaced)
		cli_error(command->run.name,
		          "note: %s follows %s, so that program gets it; write options of sluice run before the "
		          "program (with -- before the program, this note is not printed)",
		          command->misplaced, command->program[0]);
	if (status == 0)
		status = meet_runtime(&command->run, command->program[0]);
	run_free(&command->run);
	return status == 0 ? run_become(&command->run, command->program[0], command->program) : status;
}

int command_run(int argc, char **argv)
{
	struct command command = {.run = {.name = argv[0]}};
	if (cli_parse(&command_argp, argc, argv, ARGP_IN_ORDER, &command) != 0)
		return CLI_USAGE;
	if (command.trace_in)
		return run_trace_in(&command.run, argv, command.trace_in);
	if (command.ptx)
		return run_launch_plan(&command.run, argv, command.ptx, command.launch);
	command.run.program = command.program;
	return run_program(&command);
}
