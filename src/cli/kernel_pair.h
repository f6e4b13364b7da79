/* kernel_pair: two kernels to compare, given as FILE:KERNEL each. */
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

/* Returns the file name, from malloc, and sets *kernel to the kernel's name after the colon. */
char *cli_split_kernel(const char *which, const char **kernel);

#endif
