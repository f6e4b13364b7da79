/* sluice effort: compares the development effort of two kernels in lines of code. */
#include "cli/commands.h"

#include "cli/kernel_pair.h"
#include "cli/source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct argp effort_argp = {
	.parser = cli_parse_pair,
	.args_doc = "A.cu:KERNEL B.cu:KERNEL",
	.doc = "Compare two kernels in code lines: the lines between the braces of a kernel's body that hold code. "
	       "Empty lines, comments and lines with only braces do not count, nor do the functions that the kernel "
	       "calls. The improvement is the second kernel's line count divided by the first's.",
};

static bool count_lines(const char *command, const char *which, uint32_t *lines)
{
	const char *name;
	char *file = cli_split_kernel(which, &name);
	struct cli_source source;
	struct diag diag = {0};
	bool fine = false, found = false;
	if (!cli_source_open(&source, command, file, NULL)) {
		free(file);
		return false;
	}
	struct source_module *module = source_analyze(file, &source.options, &diag);
	cli_source_close(&source);
	for (uint32_t i = 0; module && i < module->kernel_count && !found; i++)
		if (strcmp(module->kernels[i].name, name) == 0) {
			found = true;
			fine = source_effort(&module->kernels[i], lines, &diag);
		}
	if (module && !found) {
		cli_error(command, "%s has no kernel '%s'; it has:", file, name);
		for (uint32_t i = 0; i < module->kernel_count; i++)
			fprintf(stderr, "  %s\n", module->kernels[i].name);
	}
	if (diag.text)
		fputs(diag.text, stderr);
	diag_free(&diag);
	source_free(module);
	free(file);
	return fine;
}

int command_effort(int argc, char **argv)
{
	struct kernel_pair pair = {0};
	uint32_t lines[2];
	if (cli_parse(&effort_argp, argc, argv, 0, &pair) != 0)
		return CLI_USAGE;
	for (int i = 0; i < 2; i++)
		if (!count_lines(argv[0], pair.which[i], &lines[i]))
			return CLI_FAILED;
	for (int i = 0; i < 2; i++)
		printf("%6u code lines  %s\n", lines[i], pair.which[i]);
	if (lines[0])
		printf("%6.2f improvement\n", (double)lines[1] / lines[0]);
	return 0;
}
