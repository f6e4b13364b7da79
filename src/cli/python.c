/* sluice python: prints the folder of the Python module. */
#include "cli/commands.h"

#include <limits.h>
#include <stdio.h>

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	cli_usage(state, "expected no arguments, not '%s'", value);
	return 0;
}

static const struct argp python_argp = {
	.parser = parse_option,
	.doc = "Print the folder of the Python module sluice.py, which runs programs and reads the files that runs "
	       "write.\v"
	       "For example: PYTHONPATH=$(sluice python) python3 mine.py; docs/how-to/analyzing.md has more.",
};

int command_python(int argc, char **argv)
{
	static const char *const installed[] = {CLI_INSTALLED_PYTHON, NULL};
	char room[PATH_MAX];
	cli_parse(&python_argp, argc, argv, ARGP_IN_ORDER, NULL);
	puts(cli_find_folder(installed, "sluice.py", room) ? room : CLI_SOURCE_PYTHON);
	return 0;
}
