/* Excludes other CUDA toolkits. Makefiles, CPATH and LIBRARY_PATH may name their folders, whose headers would precede
 * ours and whose libraries cannot run here. */
#include "cli/cc/cc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool holds(const char *folder, const char *file)
{
	char path[2 * PATH_MAX];
	return snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path && access(path, F_OK) == 0;
}

static bool is_inside(const char *real, const char *folder)
{
	char own[PATH_MAX];
	size_t length = realpath(folder, own) ? strlen(own) : 0;
	return length && strncmp(real, own, length) == 0 && real[length] == '/';
}

bool cc_is_foreign_folder(const struct cc *cc, const char *folder)
{
	static const char *const signs[] = {"cuda_runtime.h",     "cuda_runtime_api.h", "libcudart.so",
	                                    "libcudart_static.a", "libcuda.so",         "libcudadevrt.a"};
	static const char *const ours[] = {"/include", "/lib64"}; /* in a build, links to folders outside */
	char real[PATH_MAX], own[PATH_MAX];
	if (!realpath(folder, real) || is_inside(real, cc->toolkit))
		return false;
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
		char path[2 * PATH_MAX];
		snprintf(path, sizeof path, "%s%s", cc->toolkit, ours[i]);
		if (realpath(path, own) && strcmp(own, real) == 0)
			return false;
	}
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (holds(folder, signs[i]))
			return true;
	return false;
}

/* An empty entry means the current folder. */
static void clean(const struct cc *cc, const char *variable)
{
	const char *value = getenv(variable);
	if (!value)
		return;
	char *kept = base_calloc(strlen(value) + 2, 1), *copy = base_strdup(value), *rest = copy;
	bool first = true;
	for (char *folder; (folder = strsep(&rest, ":"));) {
		if (cc_is_foreign_folder(cc, *folder ? folder : "."))
			continue;
		strcat(strcat(kept, first ? "" : ":"), folder);
		first = false;
	}
	if (first)
		unsetenv(variable);
	else
		setenv(variable, kept, 1);
	free(kept);
	free(copy);
}

void cc_clean_environment(const struct cc *cc)
{
	static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",
	                                        "COMPILER_PATH"};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		clean(cc, variables[i]);
}

void cc_add_environment_folders(struct cc *cc)
{
	static const char *const variables[] = {"CPATH", "CPLUS_INCLUDE_PATH"};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		char *rest = getenv(variables[i]) ? cc_joined(cc, getenv(variables[i]), "") : NULL;
		for (char *folder; (folder = strsep(&rest, ":"));)
			cc_add(&cc->system_folders, *folder ? folder : ".");
	}
	cc_add(&cc->system_folders, "/usr/include");
}
