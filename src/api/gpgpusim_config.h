/* gpgpusim_config: machines as GPGPU-Sim's configurations describe them: gpgpusim.config, and the file of the network that it names.
 *
 * What the model has a place for is set, over gtx480 (version 3) or gtx480-v4 (of files with options that came with version 4); what it
 * has none for, or only for another value, is listed.
 */
#ifndef SLUICE_API_GPGPUSIM_CONFIG_H
#define SLUICE_API_GPGPUSIM_CONFIG_H

#include "gpu/machine.h"

struct diag;

/* What became of a configuration's options. */
struct gpgpusim_options {
	uint32_t honoured, others;
	char *list; /* of the others: a line each, with the reason; from malloc, NULL when there is none */
};

/* Whether the file is such a configuration, by its name: it ends in ".config". */
bool gpgpusim_config_is(const char *path);

/* The name of the machine that the file is read over, from its text. NULL, with a message, when it cannot be read. */
const char *gpgpusim_config_base(const char *path, struct diag *diag);

/* Sets what the file says. False, with messages, after errors. */
bool gpgpusim_config_read(const char *path, struct machine *machine, struct gpgpusim_options *options, struct diag *diag);

#endif
