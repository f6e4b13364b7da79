/* sluice mech: lists the mechanisms, describes one, and prints compiler flags for building mechanisms. */
#include "cli/commands.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct mech {
	const char *name; /* "sluice mech" */
	const char *word[2];
	size_t words;
	const char *machine;
	bool flags;
};

enum { KEY_CFLAGS = 256 };

static const struct argp_option mech_options[] = {
	{"machine", 'm', "MACHINE", 0, "show: the machine to attach the mechanism to; default gtx480", 0},
	{"cflags", KEY_CFLAGS, NULL, 0, "Print the compiler's options for building your mechanism", 0},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct mech *mech = state->input;
	switch (key) {
	case 'm':
		mech->machine = value;
		return 0;
	case KEY_CFLAGS:
		mech->flags = true;
		return 0;
	case ARGP_KEY_ARG:
		if (mech->words == 2)
			cli_usage(state, "too many arguments, from '%s' on", value);
		mech->word[mech->words++] = value;
		return 0;
	case ARGP_KEY_END:
		if (!mech->words && !mech->flags)
			cli_usage(state, "expected list or show");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp mech_argp = {
	.options = mech_options,
	.parser = parse_option,
	.args_doc = "list\nshow NAME[:KEY=VALUE,...]\n--cflags",
	.doc = "List the mechanisms that 'sluice run --mech' takes, or show one: where it comes from, its options "
	       "with ranges and defaults, its counters, the exclusive policies that it owns.\v"
	       "To build your mechanism: cc -shared -fPIC $(sluice mech --cflags) mine.c -o mine.so, then sluice run "
	       "--mech ./mine.so; docs/tutorials/your-mechanism.md explains one step by step.",
};

static int list(void)
{
	const char *name, *summary;
	for (size_t i = 0; (name = sluice_mechanism_name(i, &summary)); i++)
		printf("%-14s %s\n", name, summary);
	return 0;
}

static int show(const struct mech *mech)
{
	struct sluice_error error = {0};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = mech->machine};
	sluice_gpu *gpu;
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK) {
		cli_library_error(mech->name, &error);
		return CLI_USAGE;
	}
	bool shown = sluice_mechanism_describe(gpu, mech->word[1], stdout, &error) == SLUICE_OK;
	if (!shown)
		cli_library_error(mech->name, &error);
	sluice_close(gpu);
	return shown ? 0 : CLI_USAGE;
}

/* When a shell expands the flags into a compiler's command line, a blank would split the folder, and quotes have no
 * effect there. But file name patterns are expanded there, and a matching name stays one word. */
static void print_include(const char *folder)
{
	if (!strpbrk(folder, " \t")) {
		printf("-I%s\n", folder);
		return;
	}
	fputs("-I ", stdout);
	for (; *folder; folder++)
		putchar(*folder == ' ' || *folder == '\t' ? '?' : *folder);
	putchar('\n');
}

/* Prints the folders of the headers, in the source tree or installed. */
static int print_flags(const struct mech *mech)
{
	static const char *const places[] = {CLI_INSTALLED_HEADERS "/seam", NULL};
	char folder[PATH_MAX];
	if (cli_find_folder(places, "mech.h", folder)) {
		*strrchr(folder, '/') = '\0';
		print_include(folder);
	} else if (access(CLI_SOURCE_HEADERS "/seam/mech.h", R_OK) == 0) {
		print_include(CLI_SOURCE_HEADERS);
	} else {
		cli_error(mech->name, "found no seam/mech.h next to this program or in %s", CLI_SOURCE_HEADERS);
		return CLI_FAILED;
	}
	return 0;
}

int command_mech(int argc, char **argv)
{
	struct mech mech = {.name = argv[0]};
	if (cli_parse(&mech_argp, argc, argv, 0, &mech) != 0)
		return CLI_USAGE;
	if (mech.flags)
		return print_flags(&mech);
	if (strcmp(mech.word[0], "list") == 0 && mech.words == 1)
		return list();
	if (strcmp(mech.word[0], "show") == 0 && mech.words == 2)
		return show(&mech);
	if (strcmp(mech.word[0], "show") == 0)
		cli_error(mech.name, "show takes one NAME; 'sluice mech list' lists the names");
	else if (strcmp(mech.word[0], "list") == 0)
		cli_error(mech.name, "list takes no arguments");
	else
		cli_unknown_word(mech.name, "list or show NAME", mech.word[0],
		                 (const char *const[]){"list", "show", NULL});
	return CLI_USAGE;
}
