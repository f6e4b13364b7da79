/* kernel_pair: the two kernels, FILE:KERNEL each, that a command compares. */
#ifndef SLUICE_CLI_KERNEL_PAIR_H
#define SLUICE_CLI_KERNEL_PAIR_H

#include <argp.h>
#include <stdint.h>

struct kernel_pair {
	const char *which[2];
	uint32_t count;
};

/* An argp parser whose input is a struct kernel_pair. */
error_t cli_parse_pair(int key, char *value, struct argp_state *state);

/* The file, from malloc; *kernel becomes the name behind it. */
char *cli_split_kernel(const char *which, const char **kernel);

#endif
