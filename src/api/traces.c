#include "api/traces.h"

#include "api/error.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct record *running(const struct traces *traces)
{
	return &traces->records->record[traces->records->count - 1];
}

static uint64_t visit(void *user, uint64_t cycle)
{
	struct traces *traces = user;
	uint64_t next = samples_next(&traces->samples);
	if (cycle && cycle >= next) {
		samples_take(&traces->samples, traces->gpu, running(traces), cycle);
		next = samples_next(&traces->samples);
	}
	if (traces->interval) {
		if (cycle >= traces->next_interval) {
			traces->on_interval(traces->interval_user, cycle);
			traces->next_interval = cycle + traces->interval - cycle % traces->interval;
		}
		next = earlier(next, traces->next_interval);
	}
	if (!traces->timeline.left)
		return next;
	if (cycle && cycle >= timeline_file_next_count(&traces->timeline))
		timeline_file_count(&traces->timeline, cycle);
	next = earlier(next, timeline_file_next_count(&traces->timeline));
	if (cycle >= traces->drained + TIMELINE_EVERY) {
		timeline_file_take(&traces->timeline);
		traces->drained = cycle;
	}
	return earlier(next, traces->drained + TIMELINE_EVERY);
}

static void ended(void *user, uint64_t cycles)
{
	struct traces *traces = user;
	if (traces->samples.every)
		samples_take(&traces->samples, traces->gpu, running(traces), cycles);
	if (timeline_file_next_count(&traces->timeline) != UINT64_MAX)
		timeline_file_count(&traces->timeline, cycles);
	if (traces->timeline.left)
		timeline_file_end(&traces->timeline, running(traces), cycles);
}

struct gpu_visitor traces_begin(struct traces *traces)
{
	traces->drained = 0;
	traces->next_interval = traces->interval;
	samples_begin(&traces->samples);
	if (traces->timeline.left)
		timeline_file_begin(&traces->timeline);
	if (!traces->samples.every && !traces->timeline.left && !traces->interval)
		return (struct gpu_visitor){0};
	return (struct gpu_visitor){traces, visit, ended};
}

static enum sluice_status check_file(const char *what, const char *path, const struct sluice_settings *settings,
                                     struct sluice_error *error)
{
	if (settings->functional)
		return api_fail(error, SLUICE_BAD_SETTING, "%s: a functional run has no cycles", what);
	if (!file_is_replaceable(path))
		return api_fail(error, SLUICE_IO, "%s: %s is no ordinary file", what, path);
	if (file_is_database(path)) {
		errno = EEXIST;
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
	}
	return SLUICE_OK;
}

static enum sluice_status open_samples(struct traces *traces, const struct sluice_settings *settings,
                                       struct sluice_error *error)
{
	const char *path = settings->sample_file;
	if (!settings->sample_every)
		return api_fail(error, SLUICE_BAD_SETTING, "samples: expected a number of cycles from 1 on");
	enum sluice_status status = check_file("samples", path, settings, error);
	if (status == SLUICE_OK && !samples_open(&traces->samples, traces->records, path, settings->sample_every))
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
	return status;
}

static enum sluice_status open_timeline(struct traces *traces, const struct sluice_settings *settings,
                                        struct sluice_error *error)
{
	enum { MOST = 10000000 };
	const char *path = settings->timeline_file;
	uint64_t most = settings->timeline_events ? settings->timeline_events : MOST;
	enum sluice_status status = check_file("timeline", path, settings, error);
	char message[256];
	if (status != SLUICE_OK || timeline_file_open(&traces->timeline, traces->gpu, traces->records, path, most,
	                                              settings->timeline_wish, message, sizeof message))
		return status;
	if (*message)
		return api_fail(error, SLUICE_BAD_SETTING, "timeline: %s", message);
	return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
}

static enum sluice_status open_profile(struct traces *traces, const struct sluice_settings *settings,
                                       struct sluice_error *error)
{
	const char *path = settings->profile_file;
	enum sluice_status status = check_file("profile", path, settings, error);
	if (status == SLUICE_OK && !profile_file_open(&traces->profile, traces->records, path))
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
	return status;
}

enum sluice_status traces_open(struct traces *traces, struct gpu *gpu, const struct records *records,
                               const struct sluice_settings *settings, struct sluice_error *error)
{
	enum sluice_status status = SLUICE_OK;
	*traces = (struct traces){.gpu = gpu, .records = records};
	if (settings->sample_file)
		status = open_samples(traces, settings, error);
	if (status == SLUICE_OK && settings->timeline_file)
		status = open_timeline(traces, settings, error);
	if (status == SLUICE_OK && settings->profile_file)
		status = open_profile(traces, settings, error);
	return status;
}

static bool finish(struct kept_file *file, const char **path)
{
	*path = file->path;
	return !file->path || file->process != getpid() || kept_file_sync(file);
}

bool traces_finish(struct traces *traces, const char **path)
{
	if (!finish(&traces->samples.file, path) || !finish(&traces->timeline.file, path))
		return false;
	*path = traces->profile.path;
	return profile_file_finish(&traces->profile);
}

void traces_stop(struct traces *traces)
{
	kept_file_change_last(&traces->samples.file, "", 0, 0);
	kept_file_change_last(&traces->timeline.file, "", 0, 0);
}

void traces_close(struct traces *traces)
{
	samples_close(&traces->samples);
	timeline_file_close(&traces->timeline);
	profile_file_close(&traces->profile);
}
