/* config: reads machines from GPGPU-Sim's configurations: gpgpusim.config, and the network file that it names.
 *
 * Options that the model supports are set, on top of gtx480 (version 3) or gtx480-v4 (files with options of version 4).
 * Options that it does not support, or supports only with another value, are listed.
 */
#ifndef SLUICE_GPGPUSIM_CONFIG_H
#define SLUICE_GPGPUSIM_CONFIG_H

#include "gpu/machine.h"

struct diag;

/* The result for the options of a configuration. */
struct gpgpusim_options {
	uint32_t honored, others;
	/* of the unsupported options: one line each, with the reason; from malloc, NULL when there are none */
	char *list;
	/* of those that can change cycles: each with its value, separated by commas; from malloc, NULL when there are
	 * none */
	char *moving;
};

/* True when the file name ends in ".config". */
bool gpgpusim_config_is(const char *path);

/* Returns the name of the base machine for the file, judged by its text. Returns NULL, with a message, when the file
 * cannot be read. */
const char *gpgpusim_config_base(const char *path, struct diag *diag);

/* Sets the machine's options from the file. Returns false, with messages, after errors. */
bool gpgpusim_config_read(const char *path, struct machine *machine, struct gpgpusim_options *options, struct diag *diag);

#endif
