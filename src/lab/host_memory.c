#include "lab/host_memory.h"

#include <stdbool.h>
#include <stdio.h>

/* The number in a file that holds one; UINT64_MAX where there is none, or "max". */
static uint64_t number_in(const char *path)
{
	unsigned long long number;
	FILE *file = fopen(path, "r");
	if (!file)
		return UINT64_MAX;
	bool read = fscanf(file, "%llu", &number) == 1;
	fclose(file);
	return read ? number : UINT64_MAX;
}

static uint64_t host_free(void)
{
	char line[128];
	unsigned long long kilobytes;
	uint64_t found = UINT64_MAX;
	FILE *file = fopen("/proc/meminfo", "r");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1)
			found = (uint64_t)kilobytes * 1024;
	if (file)
		fclose(file);
	return found;
}

/* Of the control group that a container or a batch system has put us into, as it shows itself there. */
static uint64_t group_free(void)
{
	uint64_t most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
	if (most == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	return most > used ? most - used : 0;
}

uint64_t host_memory_free(void)
{
	uint64_t host = host_free(), group = group_free(), least = host < group ? host : group;
	return least == UINT64_MAX ? least : least / 10 * 9;
}
