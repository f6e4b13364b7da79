/* The module that is linked with libclang. It is loaded when the first source is parsed: to link LLVM takes longer than most commands do. */
#include "cuda_source/inner.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Beside the program, in ../lib/sluice; elsewhere where the linker's paths say. They alone do not do under sanitizers, which stand between dlopen() and
 * who calls it. NULL: dlerror() says why. */
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
	              RTLD_NOW | RTLD_NODELETE); /* it stays: LLVM does not outlive a second loading */
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
