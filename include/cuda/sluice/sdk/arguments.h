/* sluice/sdk/arguments.h: finds command-line arguments and input files as the helpers of CUDA's samples do. C and
 * C++. */
#ifndef SLUICE_SDK_ARGUMENTS_H
#define SLUICE_SDK_ARGUMENTS_H

#include "../macros_off.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns the text after the '=' of the first argument "-name=..." or "--name=..."; upper and lower case are equal.
 * Returns "" for a bare "-name", NULL when no argument has the name. */
static inline char *sdk_argument(int count, const char **arguments, const char *name)
{
	size_t length = strlen(name);
	for (int i = 1; i < count; i++) {
		const char *at = arguments[i];
		while (*at == '-')
			at++;
		if (at == arguments[i] || strncasecmp(at, name, length) != 0)
			continue;
		if (at[length] == '\0' || at[length] == '=')
			return (char *)at + length + (at[length] == '=');
	}
	return NULL;
}

static inline int sdk_is_readable(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file)
		fclose(file);
	return file != NULL;
}

/* Finds `name` in the data folders of samples: the current folder, data/, and the folders of `program` (NULL: unknown).
 * Returns the path, which the caller frees; NULL when there is no such file. */
static inline char *sdk_find_file(const char *name, const char *program)
{
	static const char *const folders[] = {"", "data/", "../", "../data/", "../../data/", "../../../data/",
	                                      "%/", "%/data/", "../%/data/", "../../src/%/data/", "../../../src/%/data/"};
	const char *slash = program ? strrchr(program, '/') : NULL;
	const char *own = slash ? slash + 1 : program ? program : "";
	char *path = (char *)malloc(strlen(name) + strlen(own) + 64);
	for (size_t i = 0; path && i < sizeof folders / sizeof *folders; i++) {
		const char *mark = strchr(folders[i], '%');
		size_t before = mark ? (size_t)(mark - folders[i]) : strlen(folders[i]);
		sprintf(path, "%.*s%s%s%s", (int)before, folders[i], mark ? own : "", mark ? mark + 1 : "", name);
		if (sdk_is_readable(path))
			return path;
	}
	free(path);
	return NULL;
}

#include "../macros_on.h"

#endif
