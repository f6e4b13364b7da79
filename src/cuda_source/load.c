/* load: loads the module that is linked with libclang when the first source is parsed. Linking LLVM takes longer
 * than most commands run. */
#include "cuda_source/private.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens the module in ../lib/sluice relative to the program, or in the linker's search paths. Search paths are not
 * sufficient under sanitizers, which intercept dlopen() and hide its caller. Returns NULL on failure; dlerror() has
 * the reason. */
static void *open_module(void)
{
	static const char name[] = "libsluice_clang.so", folder[] = "/../lib/sluice/";
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof folder - sizeof name);
	char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
	if (slash)
		snprintf(slash, sizeof folder + sizeof name, "%s%s", folder, name);
	bool is_there = slash && access(path, R_OK) == 0;
	return dlopen(is_there ? path : name,
	              RTLD_NOW | RTLD_NODELETE); /* it stays loaded: LLVM cannot be loaded a second time */
}

bool source_parse(struct tree *tree, const char *file, const char *text, size_t length, struct diag *diag)
{
	void *module = open_module();
	source_parser *const *parse = module ? dlsym(module, "source_parse_here") : NULL;
	if (!parse) {
		diag_plain(diag, "cannot analyze %s: %s", file, dlerror());
		return false;
	}
	bool fine = (*parse)(tree, file, text, length, diag);
	dlclose(module);
	return fine;
}
