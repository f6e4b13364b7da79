/* sluice annotate: prints a CUDA source with the static analyzer's results for each read. */
#include "cli/commands.h"

#include "base/arena.h"
#include "cli/profile/source.h"
#include "cli/source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_HTML = 256, KEY_TABLE, KEY_PROFILE };

struct annotate {
	const char *file;
	const char *profile; /* NULL: show the analyzer's results */
	const char **flags;  /* NULL-terminated */
	size_t flag_count;
	enum source_format format;
};

static const struct argp_option annotate_options[] = {
	{"html", KEY_HTML, NULL, 0, "Print an HTML page", 0},
	{"table", KEY_TABLE, NULL, 0, "Print a table of the reads of each kernel and their counts, without the source",
         0},
	{"profile", KEY_PROFILE, "RUN.json", 0,
         "Show the cost of each line in a run, from the file of 'sluice run --profile'; without FILE.cu, for all its "
         "sources",
         0},
	{0, 'I', "FOLDER", 0, "Also look for included files in FOLDER", 0},
	{0, 'D', "NAME[=VALUE]", 0, "Define a macro", 0},
	{0},
};

static void add_flag(struct annotate *annotate, int key, const char *value)
{
	size_t size = strlen(value) + 3;
	char *flag = base_malloc(size);
	annotate->flags = base_realloc(annotate->flags, (annotate->flag_count + 2) * sizeof *annotate->flags);
	snprintf(flag, size, "-%c%s", key, value);
	annotate->flags[annotate->flag_count++] = flag;
	annotate->flags[annotate->flag_count] = NULL;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct annotate *annotate = state->input;
	switch (key) {
	case KEY_HTML:
		annotate->format = SOURCE_HTML;
		return 0;
	case KEY_TABLE:
		annotate->format = SOURCE_TABLE;
		return 0;
	case KEY_PROFILE:
		annotate->profile = cli_text("--profile", value, state);
		return 0;
	case 'I':
	case 'D':
		add_flag(annotate, key, value);
		return 0;
	case ARGP_KEY_ARG:
		if (annotate->file)
			cli_usage(state, "expected one file, found '%s' too", value);
		annotate->file = value;
		return 0;
	case ARGP_KEY_END:
		if (!annotate->file && !annotate->profile)
			cli_usage(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp annotate_argp = {
	.options = annotate_options,
	.parser = parse_option,
	.args_doc = "FILE.cu",
	.doc = "Show a CUDA source with each read of a kernel's arrays below its line. For each read it says whether "
	       "the range that a block reads can be computed before the block runs (static, quasi-static). Otherwise "
	       "it says why not: operator, indirect, control, induction. It also prints the distance in bytes from "
	       "block to block and from thread to thread. 'relaxed' also counts the variable of a loop whose bounds "
	       "are known at launch.",
};

int command_annotate(int argc, char **argv)
{
	struct annotate annotate = {.format = SOURCE_TEXT};
	struct cli_source file;
	struct diag diag = {0};
	if (cli_parse(&annotate_argp, argc, argv, 0, &annotate) != 0)
		return CLI_USAGE;
	if (annotate.profile)
		return profile_source_print(argv[0], annotate.profile, annotate.file, annotate.format == SOURCE_HTML)
		               ? 0
		               : CLI_FAILED;
	int status = CLI_FAILED;
	if (cli_source_open(&file, argv[0], annotate.file, annotate.flags)) {
		if (source_print(annotate.file, &file.options, annotate.format, stdout, &diag))
			status = 0;
		cli_source_close(&file);
	}
	if (diag.text)
		fputs(diag.text, stderr);
	diag_free(&diag);
	for (size_t i = 0; i < annotate.flag_count; i++)
		free((char *)annotate.flags[i]);
	free(annotate.flags);
	return status;
}
