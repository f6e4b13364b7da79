/* source_file: where the analyzer of CUDA sources finds our headers and the compiler. */
#include "cli/source_file.h"

#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cli_source_options(const char *command, char *toolkit, struct source_options *options)
{
	static const char *const places[] = {"../toolkit", CLI_INSTALLED_LIBRARIES "/toolkit", NULL};
	const char *given = getenv("SLUICE_TOOLKIT"), *compiler = getenv("SLUICE_CLANG");
	if (given && *given && !realpath(given, toolkit)) {
		cli_error(command, "SLUICE_TOOLKIT=%s: %s", given, strerror(errno));
		return false;
	}
	if ((!given || !*given) && !cli_find_folder(places, "version.json", toolkit)) {
		cli_error(command, "found no toolkit beside the program; set SLUICE_TOOLKIT to its folder");
		return false;
	}
	*options = (struct source_options){.toolkit = toolkit, .compiler = compiler && *compiler ? compiler : NULL};
	return true;
}
