/* sluice mix: compares the PTX instructions of two kernels by kind. */
#include "cli/commands.h"

#include "cli/kernel_pair.h"
#include "cli/kernel_ptx.h"
#include "ptx/mix.h"

#include <stdio.h>
#include <stdlib.h>

static const struct argp mix_argp = {
	.parser = cli_parse_pair,
	.args_doc = "A:KERNEL B:KERNEL",
	.doc = "Compare the PTX instructions of two kernels, counted by kind in the code. A and B are FILE.cu, which "
	       "is compiled, or FILE.ptx. KERNEL is the kernel's name in the source or in PTX.",
};

static bool count(const char *command, const char *which, struct ptx_mix *mix)
{
	const char *name;
	char *file = cli_split_kernel(which, &name);
	struct ptx_module *module;
	cli_read_ptx(command, file, NULL, &module);
	const struct ptx_function *kernel = module ? cli_find_kernel(module, name) : NULL;
	if (kernel)
		ptx_mix_count(kernel, mix);
	else if (module) {
		cli_error(command, "%s has no kernel '%s'; it has:", file, name);
		for (const struct ptx_function *known = module->functions; known; known = known->next)
			if (known->is_entry && known->has_body)
				fprintf(stderr, "  %s\n", known->name);
	}
	if (module)
		ptx_free(module);
	free(file);
	return kernel;
}

int command_mix(int argc, char **argv)
{
	struct kernel_pair pair = {0};
	struct ptx_mix mixes[2];
	if (cli_parse(&mix_argp, argc, argv, 0, &pair) != 0)
		return CLI_USAGE;
	for (int i = 0; i < 2; i++)
		if (!count(argv[0], pair.which[i], &mixes[i]))
			return CLI_FAILED;
	printf("A  %s\nB  %s\n\n%-6s %6s %6s\n", pair.which[0], pair.which[1], "", "A", "B");
	for (int kind = 0; kind < PTX_MIX_KIND_COUNT; kind++)
		printf("%-6s %6u %6u  %s\n", ptx_mix_kind_name(kind), mixes[0].kind[kind], mixes[1].kind[kind],
		       ptx_mix_kind_meaning(kind));
	printf("%-6s %6u %6u", "total", mixes[0].instructions, mixes[1].instructions);
	if (mixes[0].instructions)
		printf("  B over A: %.2f", (double)mixes[1].instructions / mixes[0].instructions);
	putchar('\n');
	return 0;
}
