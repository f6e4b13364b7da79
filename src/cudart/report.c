/* Output for the user besides the program's own: progress line and statistics. */
#include "cudart/runtime.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds. Shorter kernels show no progress line. */
static const double PROGRESS_DELAY = 1.0;
/* Progress file: seconds between two updates, characters per line. */
static const double PROGRESS_PAUSE = 1.0;
enum { PROGRESS_LINE = 192 };

static double host_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Writes one line, "KERNEL BLOCKS_DONE BLOCKS CYCLE NAME", over the previous one, at most once per second. Kernels are
 * numbered from 1. A failed write is ignored. */
static void write_progress(struct runtime *runtime, const char *kernel, uint64_t blocks_done, uint64_t blocks,
                           uint64_t cycles)
{
	char line[PROGRESS_LINE + 1];
	double now = host_seconds();
	if (now - runtime->progress_written < PROGRESS_PAUSE)
		return;
	runtime->progress_written = now;
	int length = snprintf(line, sizeof line, "%llu %llu %llu %llu %.80s", (unsigned long long)runtime->launches,
	                      (unsigned long long)blocks_done, (unsigned long long)blocks, (unsigned long long)cycles,
	                      kernel);
	memset(line + length, ' ', sizeof line - (size_t)length);
	line[PROGRESS_LINE - 1] = '\n';
	int file = open(runtime->progress_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0 || pwrite(file, line, PROGRESS_LINE, 0) != PROGRESS_LINE)
		runtime->progress_file = NULL;
	if (file >= 0)
		close(file);
}

void progress_begin(struct runtime *runtime)
{
	if (runtime->shows_progress)
		runtime->kernel_started = host_seconds();
	if (runtime->progress_file)
		write_progress(runtime, "", 0, 0, 0);
}

void progress_show(void *user, const char *kernel, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
                   uint64_t warp_instructions)
{
	struct runtime *runtime = user;
	if (runtime->progress_file)
		write_progress(runtime, kernel, blocks_done, blocks, cycles);
	double seconds = host_seconds() - runtime->kernel_started;
	if (!runtime->shows_progress || seconds < PROGRESS_DELAY)
		return;
	char left[32] = "";
	if (blocks_done) {
		double rest = seconds * (double)(blocks - blocks_done) / (double)blocks_done;
		snprintf(left, sizeof left, ", %ld:%02ld left", (long)rest / 60, (long)rest % 60);
	}
	fprintf(stderr, "\r\033[K%.60s: block %llu of %llu, cycle %llu, %.2f M warp instructions/s%s", kernel,
	        (unsigned long long)blocks_done, (unsigned long long)blocks, (unsigned long long)cycles,
	        (double)warp_instructions / seconds / 1e6, left);
	runtime->line_shown = true;
}

void progress_end(struct runtime *runtime)
{
	if (runtime->line_shown)
		fputs("\r\033[K", stderr);
	runtime->line_shown = false;
}

static enum sluice_stats_format stats_format(const char *path)
{
	const char *name = getenv("SLUICE_STATS_FORMAT");
	if (!name || !*name)
		return path ? SLUICE_STATS_JSON : SLUICE_STATS_TABLE;
	if (strcmp(name, "json") == 0)
		return SLUICE_STATS_JSON;
	if (strcmp(name, "gpgpusim") == 0)
		return SLUICE_STATS_GPGPUSIM;
	if (strcmp(name, "table") != 0)
		runtime_message("SLUICE_STATS_FORMAT: expected table, json or gpgpusim, not '%s'; writing a table",
		                name);
	return SLUICE_STATS_TABLE;
}

static bool write_to(struct runtime *runtime, FILE *file, enum sluice_stats_format format)
{
	struct sluice_error error = {0};
	if (sluice_stats_write(runtime->gpu, file, format, &error) == SLUICE_OK)
		return true;
	runtime_message("statistics: %s", error.message);
	return false;
}

/* Writes the file completely or not at all. A terminal, a pipe or a similar file is written directly. */
static bool write_file(struct runtime *runtime, const char *path, enum sluice_stats_format format)
{
	struct file_new made;
	FILE *file = file_new_stream(&made, path);
	bool fine = file && write_to(runtime, file, format);
	if (fine)
		fine = file_new_finish(&made, file);
	else if (file)
		file_new_abandon(&made, file);
	if (!fine)
		runtime_message("cannot write %s: %s", path, file_write_reason());
	return fine;
}

static const char *stats_path(void)
{
	const char *path = getenv("SLUICE_STATS");
	return path && *path ? path : NULL;
}

/* "-" is standard output. */
static bool is_standard_output(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* JSON is written while kernels run, so the file of an aborted run has all completed kernels. */
bool keep_statistics(struct runtime *runtime)
{
	struct sluice_error error = {0};
	const char *path = stats_path();
	runtime->stats_format = stats_format(path);
	runtime->keeps_stats = path && !is_standard_output(path) && runtime->stats_format == SLUICE_STATS_JSON &&
	                       file_is_replaceable(path);
	if (!runtime->keeps_stats || sluice_stats_keep(runtime->gpu, path, &error) == SLUICE_OK)
		return true;
	runtime_message("%s", error.message);
	return false;
}

bool write_statistics(struct runtime *runtime, const char *how)
{
	const char *path = stats_path();
	struct sluice_error error = {0};
	if (sluice_stats_end(runtime->gpu, how, &error) != SLUICE_OK) {
		runtime_message("%s", error.message);
		return false;
	}
	if (runtime->keeps_stats)
		return true;
	enum sluice_stats_format format = runtime->stats_format;
	if (path && !is_standard_output(path))
		return write_file(runtime, path, format);
	if (!path && !runtime->launches)
		return true;
	fflush(stdout);
	return write_to(runtime, path ? stdout : stderr, format);
}
