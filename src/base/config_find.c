#include "base/config_find.h"

#include "base/edit_distance.h"
#include "base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char suffix[] = ".yaml";

static bool ends_in_suffix(const char *name)
{
	return file_has_suffix(name, strlen(name), suffix);
}

bool config_is_path(const char *name)
{
	return strchr(name, '/') || ends_in_suffix(name);
}

char *config_find(const char *name, const char *const *folders)
{
	for (; *folders; folders++) {
		char *path;
		if (asprintf(&path, "%s/%s%s", *folders, name, suffix) < 0)
			abort();
		if (access(path, F_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

void config_nearest(const char *name, const char *const *folders, char nearest[CONFIG_NAME_SIZE])
{
	uint32_t best = EDIT_DISTANCE_FAR;
	*nearest = '\0';
	for (; *folders; folders++) {
		DIR *files = opendir(*folders);
		for (const struct dirent *file; files && (file = readdir(files));) {
			char candidate[sizeof file->d_name];
			if (!ends_in_suffix(file->d_name))
				continue;
			size_t length = strlen(file->d_name) - (sizeof suffix - 1);
			snprintf(candidate, sizeof candidate, "%.*s", (int)length, file->d_name);
			if (length < CONFIG_NAME_SIZE && edit_distance_is_nearer(name, candidate, &best))
				memcpy(nearest, candidate, length + 1);
		}
		if (files)
			closedir(files);
	}
}
