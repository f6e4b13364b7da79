#include "attach/data_folder.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the file that contains this code: the shared library or the program. */
static bool find_module(char path[PATH_MAX])
{
	static const char here[] = "";
	Dl_info info;
	struct link_map *module = NULL;
	if (!dladdr1(here, &info, (void **)&module, RTLD_DL_LINKMAP) || !module)
		return false;
	return realpath(*module->l_name ? module->l_name : "/proc/self/exe", path);
}

void data_folder(const char *installed, const char *source, char path[PATH_MAX])
{
	enum { FURTHEST = 3 };
	char folder[PATH_MAX], *slash;
	bool found = find_module(folder);
	for (int up = 0; up <= FURTHEST && found && (slash = strrchr(folder, '/')); up++) {
		*slash = '\0';
		int length = snprintf(path, PATH_MAX, "%s/%s", folder, installed);
		if (length < PATH_MAX && access(path, R_OK) == 0)
			return;
	}
	snprintf(path, PATH_MAX, "%s", source);
}
