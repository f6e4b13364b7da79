/* Converts the options of a run to the runtime's environment variables, after checking them. */
#include "cli/run/sampling.h"

#include "base/arena.h"
#include "base/config_find.h"
#include "base/file.h"
#include "sluice_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

char *run_absolute(const char *path)
{
	char folder[PATH_MAX], *result;
	if (*path == '/' || !getcwd(folder, sizeof folder))
		return base_strdup(path);
	if (asprintf(&result, "%s/%s", folder, file_behind_dots(path)) < 0)
		abort();
	return result;
}

void run_set(const char *variable, const char *value)
{
	if (value && setenv(variable, value, 1) != 0) {
		perror("sluice run: setenv");
		exit(CLI_FAILED);
	}
}

void *run_load_runtime(const char *name)
{
	char folder[PATH_MAX], path[PATH_MAX + 16];
	if (!cli_library_folder(folder)) {
		cli_error(name, "found no libcudart.so of Sluice");
		return NULL;
	}
	snprintf(path, sizeof path, "%s/libcudart.so", folder);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		cli_error(name, "%s", dlerror());
	return library;
}

/* Puts a text before a variable's value. */
static void prepend(const char *variable, const char *text, char separator)
{
	const char *old = getenv(variable);
	char *value;
	int length = old && *old ? asprintf(&value, "%s%c%s", text, separator, old) : asprintf(&value, "%s", text);
	if (length < 0)
		abort();
	run_set(variable, value);
	free(value);
}

/* Returns the words of the environment, one per line, followed by ours, which take precedence. */
static struct cli_options all_words(const struct cli_options *own, char *inherited)
{
	struct cli_options all = {0};
	size_t room = own->count + 1;
	for (const char *at = inherited; at && *at; at++)
		room += *at == '\n';
	all.list = base_calloc(room + 1, sizeof *all.list);
	char *rest = inherited;
	for (char *option; rest && (option = strsep(&rest, "\n"));)
		if (*option)
			all.list[all.count++] = option;
	for (size_t i = 0; i < own->count; i++)
		all.list[all.count++] = own->list[i];
	return all;
}

static void export_words(const char *variable, const struct cli_options *options)
{
	size_t size = 1;
	for (size_t i = 0; i < options->count; i++)
		size += strlen(options->list[i]) + 1;
	char *joined = base_calloc(size, 1), *end = joined;
	for (size_t i = 0; i < options->count; i++)
		end += sprintf(end, "%s%s", i ? "\n" : "", options->list[i]);
	if (options->count)
		run_set(variable, joined);
	free(joined);
}

/* Reports an error by errno. */
static bool fails_to_write(const struct run *run)
{
	cli_error(run->name, "cannot write %s: %s", run->stats, file_write_reason());
	return false;
}

/* Writes statistics without kernels; they remain when the program never uses the runtime. */
static bool begin_stats(const struct run *run, sluice_gpu *gpu)
{
	struct sluice_error error = {0};
	bool is_json = !run->stats_format || strcmp(run->stats_format, "json") == 0;
	if (!run->stats || strcmp(run->stats, "-") == 0)
		return true;
	if (is_json && file_is_replaceable(run->stats)) {
		if (sluice_stats_keep(gpu, run->stats, &error) != SLUICE_OK)
			return fails_to_write(run);
		sluice_stats_note_end(gpu, "not begun");
		return true;
	}
	if (file_is_database(run->stats)) {
		errno = EEXIST;
		return fails_to_write(run);
	}
	/* the runtime opens a FIFO only once: its reader ends when the first writer closes it */
	if (file_is_fifo(run->stats))
		return true;
	int file = open(run->stats, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0)
		return fails_to_write(run);
	close(file);
	return true;
}

/* Exports the path of a file that the runtime writes, valid in any folder that the program changes to. */
static void export_file(const char *variable, const char *file)
{
	char *path = file ? run_absolute(file) : NULL;
	run_set(variable, path);
	free(path);
}

static void export_number(const char *variable, uint64_t number)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, number);
	run_set(variable, number ? text : NULL);
}

static void export_selection(const struct run *run)
{
	run_set("SLUICE_KERNELS", run->kernels);
	export_number("SLUICE_WARM", run->warm);
	run_set("SLUICE_RANGES", run->ranges);
	run_set("SLUICE_REGION", run->only_region ? "yes" : NULL);
	run_set("SLUICE_STOP_AFTER", run->stops_after ? "yes" : NULL);
}

static void export_traces(const struct run *run)
{
	export_number("SLUICE_SAMPLE", run->sample_every);
	export_file("SLUICE_SAMPLE_FILE", run->sample_file);
	export_file("SLUICE_TIMELINE", run->timeline_file);
	export_number("SLUICE_TIMELINE_EVENTS", run->timeline_events);
	run_set("SLUICE_TIMELINE_FILTER", run->timeline_filter);
	export_file("SLUICE_PROFILE", run->profile_file);
	run_set("SLUICE_UNITS", run->units ? "yes" : NULL);
	export_file("SLUICE_TRACE_OUT", run->trace_out);
}

/* With equal addresses of host memory, a run that is resumed finds the launches of the journal. */
static void export_journal(const struct run *run)
{
	export_file("SLUICE_JOURNAL", run->journal);
	run_set("SLUICE_RESUME", run->resumes ? "yes" : NULL);
	if (run->journal)
		personality(ADDR_NO_RANDOMIZE);
}

/* Exports the table's path, valid in any folder that the program changes to. */
static void export_energy(const struct run *run)
{
	char *path = run->energy && config_is_path(run->energy) ? run_absolute(run->energy) : NULL;
	run_set("SLUICE_ENERGY", path ? path : run->energy);
	free(path);
}

static void export_stats(const struct run *run)
{
	run_set("SLUICE_STATS_FORMAT", run->stats_format ? run->stats_format : run->stats ? "json" : NULL);
	if (run->stats && strcmp(run->stats, "-") == 0)
		run_set("SLUICE_STATS", run->stats); /* standard output */
	else
		export_file("SLUICE_STATS", run->stats);
}

/* Checks machine and options. Returns false after a message. */
static bool try_machine(const struct run *run, const char *machine, const struct cli_options *options,
                        const struct cli_options *mechanisms, const struct cli_options *passes)
{
	sluice_gpu *gpu;
	struct sluice_error error = {0};
	struct sluice_settings settings = {
		SLUICE_SIZED(settings),
		.machine = machine,
		.options = options->list,
		.mechanisms = mechanisms->list,
		.passes = passes->list,
		.functional = run->functional,
		.threads = (uint32_t)(run->threads ? strtoul(run->threads, NULL, 10) : 0),
		.check = run->check,
		.max_instructions = run->max_instructions ? strtoull(run->max_instructions, NULL, 10) : 0,
		.program = (const char *const *)run->program,
		.sample_file = run->sample_file,
		.sample_every = run->sample_every,
		.timeline_file = run->timeline_file,
		.timeline_events = run->timeline_events,
		.timeline_filter = run->timeline_filter,
		.profile_file = run->profile_file,
		.energy = run->energy,
		.trace_out = run->trace_out,
		.sample_launches = run->sampling.launches,
		.sample_blocks = run->sampling.chooses_blocks ? &run->sampling.blocks : NULL,
		.sample_error = run->sampling.error,
		.kernels = run->kernels,
		.warm_launches = (uint32_t)run->warm,
		.only_region = run->only_region,
		.ranges = run->ranges,
		.units = run->units,
		.stop_after_kernels = run->stops_after};
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK) {
		cli_library_error(run->name, &error);
		return false;
	}
	cli_warnings(run->name, gpu);
	bool fine = !run->journal || sluice_journal_check(gpu, &error) == SLUICE_OK;
	if (!fine)
		cli_library_error(run->name, &error);
	fine = fine && begin_stats(run, gpu);
	sluice_close(gpu);
	return fine;
}

static void export_library(const struct run *run)
{
	char folder[PATH_MAX];
	if (cli_library_folder(folder))
		prepend("LD_LIBRARY_PATH", folder, ':');
	else
		cli_error(run->name, "warning: found no libcudart.so of Sluice; the program may load another one");
}

static char *copy_of(const char *variable)
{
	const char *value = getenv(variable);
	return value ? base_strdup(value) : NULL;
}

bool run_prepare(const struct run *run)
{
	char *inherited_options = copy_of("SLUICE_OPTIONS"), *inherited_mechanisms = copy_of("SLUICE_MECHANISMS"),
	     *inherited_passes = copy_of("SLUICE_PASSES");
	struct cli_options options = all_words(&run->options, inherited_options);
	struct cli_options mechanisms = all_words(&run->mechanisms, inherited_mechanisms);
	struct cli_options passes = all_words(&run->passes, inherited_passes);
	const char *machine = run->machine ? run->machine : getenv("SLUICE_MACHINE");
	bool fine = try_machine(run, machine, &options, &mechanisms, &passes);
	if (fine) {
		char *path = run->machine && config_is_path(run->machine) ? run_absolute(run->machine) : NULL;
		export_stats(run);
		export_traces(run);
		run_sampling_export(&run->sampling);
		export_selection(run);
		export_journal(run);
		run_set("SLUICE_MACHINE", path ? path : run->machine);
		free(path);
		export_words("SLUICE_OPTIONS", &options);
		export_words("SLUICE_MECHANISMS", &mechanisms);
		export_words("SLUICE_PASSES", &passes);
		run_set("SLUICE_FUNCTIONAL", run->functional ? "1" : NULL);
		run_set("SLUICE_THREADS", run->threads);
		run_set("SLUICE_MAX_INSTRUCTIONS", run->max_instructions);
		run_set("SLUICE_CHECK", run->check);
		run_set("SLUICE_TIMEOUT", run->timeout);
		run_set("SLUICE_STRAY_READS", run->stray_reads);
		export_energy(run);
		run_set("SLUICE_PROGRESS", run->no_progress ? "0" : NULL);
		export_library(run);
	}
	free(options.list);
	free(mechanisms.list);
	free(passes.list);
	free(inherited_options);
	free(inherited_mechanisms);
	free(inherited_passes);
	return fine;
}
