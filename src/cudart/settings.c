/* The settings of the process's GPU, from the environment and the command line. */
#include "cudart/environment.h"
#include "cudart/runtime.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Splits a text into words, each ended by `end`; the last one may end with the text. Returns a NULL-terminated list
 * that points into the text. */
static const char **split(char *text, size_t length, char end)
{
	size_t count = 1, n = 0;
	for (size_t i = 0; i < length; i++)
		count += text[i] == end;
	const char **list = base_calloc(count + 1, sizeof *list);
	for (size_t i = 0; i < length; i++) {
		if (i == 0 || text[i - 1] == '\0')
			list[n++] = text + i;
		if (text[i] == end)
			text[i] = '\0';
	}
	return list;
}

/* Splits a text from the environment into lines that are not empty, as split() does. */
static const char **split_lines(char *text)
{
	const char **list = split(text, strlen(text), '\n');
	size_t kept = 0;
	for (size_t i = 0; list[i]; i++)
		if (*list[i])
			list[kept++] = list[i];
	list[kept] = NULL;
	return list;
}

/* Reads the program's own command line, for the statistics. */
static void read_command_line(struct runtime *runtime)
{
	FILE *file = fopen("/proc/self/cmdline", "r");
	size_t capacity = 0;
	if (!file)
		return;
	ssize_t length = getdelim(&runtime->command_line, &capacity, EOF, file);
	fclose(file);
	if (length > 0)
		runtime->program = split(runtime->command_line, (size_t)length, '\0');
}

/* A finding of a check is not an error of a call, but the process will end with a failure status. */
static void report_finding(void *user, const char *text)
{
	struct runtime *runtime = user;
	progress_end(runtime);
	runtime_message("%s", text);
	runtime->failed = true;
}

static void report_stray_read(void *user, const char *text)
{
	progress_end(user);
	runtime_message("warning: %s", text);
}

/* True when reads may be out of bounds. Sets *fine to false after a message. */
static bool lets_reads_stray(bool *fine)
{
	const char *text = environment("SLUICE_STRAY_READS");
	bool warn = text && strcmp(text, "warn") == 0;
	if (!text || warn || strcmp(text, "fault") == 0)
		return warn;
	runtime_message("SLUICE_STRAY_READS: expected warn or fault, not '%s'", text);
	*fine = false;
	return false;
}

/* Returns the lines of an environment variable, with their text in `*text`. NULL when it is not set. */
static const char **read_lines(const char *variable, char **text)
{
	const char *value = environment(variable);
	if (!value)
		return NULL;
	*text = base_strdup(value);
	return split_lines(*text);
}

/* Returns the library's settings from the environment. Sets *numbers to false after a message. */
static struct sluice_settings read_settings(struct runtime *runtime, bool *numbers)
{
	double sample_error;
	struct sluice_settings settings = {
		SLUICE_SIZED(settings),
		.machine = environment("SLUICE_MACHINE"),
		.options = runtime->option,
		.mechanisms = runtime->mechanism,
		.passes = runtime->pass,
		.functional = environment_flag("SLUICE_FUNCTIONAL", false, numbers),
		.threads = (uint32_t)environment_number("SLUICE_THREADS", UINT32_MAX, numbers),
		.max_instructions = environment_number("SLUICE_MAX_INSTRUCTIONS", UINT64_MAX, numbers),
		.progress = runtime->shows_progress || runtime->progress_file ? progress_show : NULL,
		.progress_user = runtime,
		.check = environment("SLUICE_CHECK"),
		.finding = report_finding,
		.finding_user = runtime,
		.stray_read = lets_reads_stray(numbers) ? report_stray_read : NULL,
		.stray_read_user = runtime,
		.program = runtime->program,
		.sample_file = environment("SLUICE_SAMPLE_FILE"),
		.sample_every = environment_number("SLUICE_SAMPLE", UINT64_MAX, numbers),
		.timeline_file = environment("SLUICE_TIMELINE"),
		.timeline_events = environment_number("SLUICE_TIMELINE_EVENTS", UINT64_MAX, numbers),
		.timeline_filter = environment("SLUICE_TIMELINE_FILTER"),
		.profile_file = environment("SLUICE_PROFILE"),
		.energy = environment("SLUICE_ENERGY"),
		.trace_out = environment("SLUICE_TRACE_OUT"),
		.sample_launches = (uint32_t)environment_number("SLUICE_SAMPLE_LAUNCHES", UINT32_MAX, numbers),
		.sample_blocks = environment_share("SLUICE_SAMPLE_BLOCKS", &runtime->sample_blocks, numbers),
		.kernels = environment("SLUICE_KERNELS"),
		.warm_launches = (uint32_t)environment_number("SLUICE_WARM", UINT32_MAX, numbers),
		.units = environment_flag("SLUICE_UNITS", false, numbers),
		.only_region = environment_flag("SLUICE_REGION", false, numbers),
		.ranges = environment("SLUICE_RANGES"),
		.stop_after_kernels = environment_flag("SLUICE_STOP_AFTER", false, numbers),
		.journal = environment("SLUICE_JOURNAL"),
		.resume = environment_flag("SLUICE_RESUME", false, numbers),
	};
	if (environment_share("SLUICE_SAMPLE_ERROR", &sample_error, numbers))
		settings.sample_error = sample_error;
	return settings;
}

struct sluice_settings runtime_settings(struct runtime *runtime, bool *fine)
{
	read_command_line(runtime);
	environment_look_through();
	runtime->option = read_lines("SLUICE_OPTIONS", &runtime->options);
	runtime->mechanism = read_lines("SLUICE_MECHANISMS", &runtime->mechanisms);
	runtime->pass = read_lines("SLUICE_PASSES", &runtime->passes);
	*fine = !runtime->bad_timeout;
	bool progress = environment_flag("SLUICE_PROGRESS", true, fine);
	runtime->shows_progress = isatty(STDERR_FILENO) && progress;
	runtime->progress_file = environment("SLUICE_PROGRESS_FILE");
	return read_settings(runtime, fine);
}
