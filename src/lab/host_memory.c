#include "lab/host_memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

static FILE *open_below(const char *root, const char *name)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", root, name);
	return fopen(path, "r");
}

/* Returns the number that a file contains; UINT64_MAX when there is none, or "max". */
static uint64_t number_in(const char *root, const char *name)
{
	unsigned long long number;
	FILE *file = open_below(root, name);
	if (!file)
		return UINT64_MAX;
	bool read = fscanf(file, "%llu", &number) == 1;
	fclose(file);
	return read ? number : UINT64_MAX;
}

static uint64_t host_free(const char *root)
{
	char line[128];
	unsigned long long kilobytes;
	uint64_t found = UINT64_MAX;
	FILE *file = open_below(root, "proc/meminfo");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1)
			found = (uint64_t)kilobytes * 1024;
	if (file)
		fclose(file);
	return found;
}

/* Free memory of the control group of a container or a batch system, as seen from inside. */
static uint64_t group_free(const char *root)
{
	uint64_t most = number_in(root, "sys/fs/cgroup/memory.max");
	uint64_t used = number_in(root, "sys/fs/cgroup/memory.current");
	if (most == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	return most > used ? most - used : 0;
}

uint64_t host_memory_free(const char *root)
{
	uint64_t host = host_free(root), group = group_free(root), least = host < group ? host : group;
	return least == UINT64_MAX ? least : least / 10 * 9;
}
