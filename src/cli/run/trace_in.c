/* Loads the runtime and makes this process its program: the runtime opens the machine, handles signals and time limits,
 * and writes statistics, for programs and for instruction traces alike. */
#include "cli/run/trace_in.h"

#include "base/file.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef int run_trace(const char *path, const char *kernel);

/* Returns the runtime's cudaRunTrace(). NULL after a message. */
static run_trace *load(const struct run *run)
{
	void *library = run_load_runtime(run->name), *found = library ? dlsym(library, "cudaRunTrace") : NULL;
	if (library && !found)
		cli_error(run->name, "%s", dlerror());
	return (run_trace *)(uintptr_t)found;
}

int run_trace_in(struct run *run, char *const *arguments, const char *folder)
{
	const char *kernel = run->kernels;
	run->program = arguments;
	run->kernels = NULL; /* the runtime would select among launches of a program */
	if (access(folder, R_OK) != 0) {
		cli_error(run->name, "cannot read %s: %s", folder, file_reason());
		run_free(run);
		return CLI_FAILED;
	}
	bool fine = run_prepare(run);
	run_free(run);
	run_trace *all = fine ? load(run) : NULL;
	if (!all)
		return fine ? CLI_CANNOT_RUN : CLI_USAGE;
	exit(all(folder, kernel) == 0 ? EXIT_SUCCESS
	                              /* exit here: the runtime still has to write, also to standard output */
	                              : CLI_FAILED);
}
