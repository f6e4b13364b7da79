/* The module that is linked with libclang. It is loaded when the first source is parsed: to link LLVM takes longer than most commands do. */
#include "cuda_source/inner.h"

#include <dlfcn.h>

bool source_parse(struct tree *tree, const char *file, const char *text, size_t length, struct diag *diag)
{
	/* It stays: LLVM does not outlive a second loading. */
	void *module = dlopen("libsluice_clang.so", RTLD_NOW | RTLD_NODELETE);
	source_parser *const *parse = module ? dlsym(module, "source_parse_here") : NULL;
	if (!parse) {
		diag_plain(diag, "cannot analyze %s: %s", file, dlerror());
		return false;
	}
	bool fine = (*parse)(tree, file, text, length, diag);
	dlclose(module);
	return fine;
}
