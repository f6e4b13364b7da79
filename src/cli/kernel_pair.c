#include "cli/kernel_pair.h"

#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

error_t cli_parse_pair(int key, char *value, struct argp_state *state)
{
	struct kernel_pair *pair = state->input;
	switch (key) {
	case ARGP_KEY_ARG:
		if (pair->count == 2)
			cli_usage(state, "expected two kernels, found '%s' too", value);
		if (!strrchr(value, ':'))
			cli_usage(state, "expected FILE.cu:KERNEL, not '%s'", value);
		pair->which[pair->count++] = value;
		return 0;
	case ARGP_KEY_END:
		if (pair->count != 2)
			cli_usage(state, "expected two kernels: FILE.cu:KERNEL FILE.cu:KERNEL");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

char *cli_split_kernel(const char *which, const char **kernel)
{
	const char *colon = strrchr(which, ':');
	char *file = strndup(which, (size_t)(colon - which));
	if (!file)
		abort();
	*kernel = colon + 1;
	return file;
}
