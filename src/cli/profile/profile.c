/* sluice profile: shows, compares or exports (KCachegrind) the costs of a run's instructions and lines. */
#include "cli/profile/profile.h"

#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_KERNEL = 256, KEY_BY, KEY_TOP };

static const struct argp_option profile_options[] = {
	{"kernel", KEY_KERNEL, "NAME", 0, "Only this kernel", 0},
	{"by", KEY_BY, "WHAT", 0, "One row per line (default) or per instruction", 0},
	{"top", KEY_TOP, "N", 0, "The N with the highest cost; default 20, 0: all", 0},
	{"output", 'o', "FILE", 0, "callgrind: write to FILE; default callgrind.out.sluice", 0},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	static const char *const choices[] = {"line", "instruction", NULL};
	struct profile_wish *wish = state->input;
	switch (key) {
	case KEY_KERNEL:
		wish->kernel = cli_text("--kernel", value, state);
		return 0;
	case KEY_BY:
		wish->by = strcmp(cli_choice("--by", value, choices, state), "line") == 0 ? PROFILE_BY_LINE
		                                                                          : PROFILE_BY_INSTRUCTION;
		return 0;
	case KEY_TOP:
		wish->top = cli_number("--top", value, 0, state);
		return 0;
	case 'o':
		wish->output = cli_text("--output", value, state);
		return 0;
	case ARGP_KEY_ARG:
		if (wish->words == PROFILE_WORDS)
			cli_usage(state, "too many arguments, from '%s' on", value);
		wish->word[wish->words++] = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp profile_argp = {
	.options = profile_options,
	.parser = parse_option,
	.args_doc = "show FILE\ndiff FILE FILE\ncallgrind FILE",
	.doc = "Show the cost of each line, or of each PTX instruction, of a run's kernels, from the file of 'sluice "
	       "run --profile'. The cost is the scheduler slots in which it issued or that were lost at it, and the "
	       "causes. Or show how two runs differ, or write the file for KCachegrind.",
};

static const struct action {
	const char *name;
	uint32_t files;
	bool (*run)(const struct profile_wish *wish);
} actions[] = {{"show", 1, profile_show}, {"diff", 2, profile_diff}, {"callgrind", 1, profile_callgrind}};
enum { ACTIONS = sizeof actions / sizeof *actions };

int command_profile(int argc, char **argv)
{
	static const char *const names[ACTIONS + 1] = {"show", "diff", "callgrind", NULL};
	struct profile_wish wish = {.command = argv[0], .top = 20, .output = "callgrind.out.sluice"};
	if (cli_parse(&profile_argp, argc, argv, 0, &wish) != 0)
		return CLI_USAGE;
	const char *name = wish.words ? wish.word[0] : "";
	for (size_t i = 0; i < ACTIONS; i++) {
		if (strcmp(actions[i].name, name) != 0)
			continue;
		if (wish.words == 1 + actions[i].files)
			return actions[i].run(&wish) ? 0 : CLI_FAILED;
		cli_error(argv[0], "%s takes %s of 'sluice run --profile'", name,
		          actions[i].files == 1 ? "one file" : "two files");
		return CLI_USAGE;
	}
	return cli_unknown_word(argv[0], "show, diff or callgrind", name, names);
}
