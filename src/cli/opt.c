/* sluice opt: reads PTX, runs passes over it, writes PTX. */
#include "base/file.h"
#include "cli/commands.h"
#include "cli/kernel_ptx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_PASS = 256, KEY_PRINT_AFTER, KEY_DOT, KEY_LIST, KEY_MECH };

struct opt {
	const char *name; /* "sluice opt" */
	const char *file, *output;
	struct cli_options passes, shown; /* values of --pass and --print-after */
	struct sluice_rewriting how;
	bool list;
};

static const struct argp_option opt_options[] = {
	{"output", 'o', "FILE", 0, "Write the PTX to FILE; default: standard output", 0},
	{"pass", KEY_PASS, "NAME[:KEY=VALUE,...],...", 0, "Passes, which run in the given order; may be repeated", 0},
	{"print-after", KEY_PRINT_AFTER, "NAME", 0, "Print the PTX after this pass to standard error; may be repeated",
         0},
	{"dot", KEY_DOT, NULL, 0,
         "Instead of PTX, write each function's control flow for Graphviz, with dominators, loops and live registers",
         0},
	{"mech", KEY_MECH, "NAME", 0, "Also offer the passes of this mechanism or shared object", 0},
	{"list", KEY_LIST, NULL, 0, "List the passes: what they require and preserve, options, counters", 0},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct opt *opt = state->input;
	switch (key) {
	case 'o':
		opt->output = cli_text("--output", value, state);
		return 0;
	case KEY_PASS:
		cli_add_word(&opt->passes, value);
		return 0;
	case KEY_PRINT_AFTER:
		cli_add_word(&opt->shown, value);
		return 0;
	case KEY_DOT:
		opt->how.is_dot = true;
		return 0;
	case KEY_MECH:
		opt->how.mechanism = cli_text("--mech", value, state);
		return 0;
	case KEY_LIST:
		opt->list = true;
		return 0;
	case ARGP_KEY_ARG:
		if (opt->file)
			cli_usage(state, "expected one file, found '%s' too", value);
		opt->file = value;
		return 0;
	case ARGP_KEY_END:
		if (!opt->file && !opt->list)
			cli_usage(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp opt_argp = {
	.options = opt_options,
	.parser = parse_option,
	.args_doc = "FILE.ptx|FILE.cu\n--list",
	.doc = "Rewrite PTX by passes, as 'sluice run --pass' does before a kernel is decoded. The written PTX parses "
	       "back to itself.\v"
	       "The counters of the passes go to standard error. docs/tutorials/your-pass.md explains how to write "
	       "one.",
};

static int write_output(const struct opt *opt, const char *text, size_t length)
{
	struct file_new new;
	FILE *file = opt->output ? file_new_stream(&new, opt->output) : stdout;
	bool fine = file && fwrite(text, 1, length, file) == length && fflush(file) == 0;
	if (file && opt->output)
		fine = file_new_finish(&new, file) && fine;
	if (!fine)
		cli_error(opt->name, "cannot write %s: %s", opt->output ? opt->output : "standard output",
		          file_write_reason());
	return fine ? 0 : CLI_FAILED;
}

/* Returns the exit status for the library's result. */
static int finish(const struct opt *opt, enum sluice_status status, const struct sluice_error *error)
{
	if (status == SLUICE_OK)
		return 0;
	cli_library_error(opt->name, error);
	return status == SLUICE_BAD_SETTING ? CLI_USAGE : CLI_FAILED;
}

/* Writes nothing when there is an error. */
static int rewrite(const struct opt *opt)
{
	size_t length, written;
	char *text = NULL, *output = NULL;
	struct sluice_error error = {0};
	int status = cli_read_ptx_text(opt->name, opt->file, NULL, &text, &length);
	if (!text)
		return status;
	FILE *memory = open_memstream(&output, &written);
	if (!memory)
		abort();
	status = finish(opt, sluice_rewrite(text, length, opt->file, &opt->how, memory, &error), &error);
	fclose(memory);
	if (status == 0)
		status = write_output(opt, output, written);
	free(output);
	free(text);
	return status;
}

int command_opt(int argc, char **argv)
{
	struct opt opt = {.name = argv[0], .how = {SLUICE_SIZED(rewriting), .log = stderr}};
	struct sluice_error error = {0};
	if (cli_parse(&opt_argp, argc, argv, 0, &opt) != 0)
		return CLI_USAGE;
	opt.how.passes = opt.passes.list;
	opt.how.print_after = opt.shown.list;
	int status =
		opt.list ? finish(&opt, sluice_passes_write(opt.how.mechanism, stdout, &error), &error) : rewrite(&opt);
	free(opt.passes.list);
	free(opt.shown.list);
	return status;
}
