#include "output/recorders.h"

#include "attach/error.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct record *running(const struct recorders *recorders)
{
	return &recorders->records->record[recorders->records->count - 1];
}

static uint64_t take_due(void *user, uint64_t cycle)
{
	struct recorders *recorders = user;
	uint64_t next = samples_next(&recorders->samples);
	if (cycle && cycle >= next) {
		samples_take(&recorders->samples, recorders->gpu, running(recorders), cycle);
		next = samples_next(&recorders->samples);
	}
	if (recorders->interval) {
		if (cycle >= recorders->next_interval) {
			recorders->on_interval(recorders->interval_user, cycle);
			recorders->next_interval = cycle + recorders->interval - cycle % recorders->interval;
		}
		next = min_u64(next, recorders->next_interval);
	}
	if (!recorders->timeline.left)
		return next;
	if (cycle && cycle >= timeline_file_next_count(&recorders->timeline))
		timeline_file_count(&recorders->timeline, cycle);
	next = min_u64(next, timeline_file_next_count(&recorders->timeline));
	if (cycle >= recorders->drained + TIMELINE_EVERY) {
		timeline_file_take(&recorders->timeline);
		recorders->drained = cycle;
	}
	return min_u64(next, recorders->drained + TIMELINE_EVERY);
}

static void ended(void *user, uint64_t cycles)
{
	struct recorders *recorders = user;
	if (recorders->samples.every)
		samples_take(&recorders->samples, recorders->gpu, running(recorders), cycles);
	if (timeline_file_next_count(&recorders->timeline) != UINT64_MAX)
		timeline_file_count(&recorders->timeline, cycles);
	if (recorders->timeline.left)
		timeline_file_end(&recorders->timeline, running(recorders), cycles);
}

bool recorders_are_open(const struct recorders *recorders)
{
	return recorders->samples.every || recorders->timeline.left || recorders->profile.path;
}

struct gpu_visitor recorders_begin(struct recorders *recorders)
{
	recorders->drained = 0;
	recorders->next_interval = recorders->interval;
	samples_begin(&recorders->samples);
	if (recorders->timeline.left)
		timeline_file_begin(&recorders->timeline);
	if (!recorders->samples.every && !recorders->timeline.left && !recorders->interval)
		return (struct gpu_visitor){0};
	return (struct gpu_visitor){recorders, take_due, ended};
}

static enum sluice_status check_file(const char *what, const char *path, const struct sluice_settings *settings,
                                     struct sluice_error *error)
{
	if (settings->functional)
		return api_fail(error, SLUICE_BAD_SETTING, "%s: a functional run has no cycles", what);
	if (!file_is_replaceable(path))
		return api_fail(error, SLUICE_IO, "%s: %s is not an ordinary file", what, path);
	if (file_is_database(path)) {
		errno = EEXIST;
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
	}
	return SLUICE_OK;
}

static enum sluice_status open_samples(struct recorders *recorders, const struct sluice_settings *settings,
                                       struct sluice_error *error)
{
	const char *path = settings->sample_file;
	if (!settings->sample_every)
		return api_fail(error, SLUICE_BAD_SETTING, "samples: expected a number of cycles of at least 1");
	enum sluice_status status = check_file("samples", path, settings, error);
	if (status == SLUICE_OK && !samples_open(&recorders->samples, recorders->records, path, settings->sample_every))
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
	return status;
}

static enum sluice_status open_timeline(struct recorders *recorders, const struct sluice_settings *settings,
                                        struct sluice_error *error)
{
	enum { MOST = 10000000 };
	const char *path = settings->timeline_file;
	uint64_t most = settings->timeline_events ? settings->timeline_events : MOST;
	enum sluice_status status = check_file("timeline", path, settings, error);
	char message[256];
	if (status != SLUICE_OK || timeline_file_open(&recorders->timeline, recorders->gpu, recorders->records, path,
	                                              most, settings->timeline_filter, message, sizeof message))
		return status;
	if (*message)
		return api_fail(error, SLUICE_BAD_SETTING, "timeline: %s", message);
	return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
}

static enum sluice_status open_profile(struct recorders *recorders, const struct sluice_settings *settings,
                                       struct sluice_error *error)
{
	const char *path = settings->profile_file;
	enum sluice_status status = check_file("profile", path, settings, error);
	if (status == SLUICE_OK && !profile_file_open(&recorders->profile, recorders->records, path))
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
	return status;
}

enum sluice_status recorders_open(struct recorders *recorders, struct gpu *gpu, const struct records *records,
                                  const struct sluice_settings *settings, struct sluice_error *error)
{
	enum sluice_status status = SLUICE_OK;
	*recorders = (struct recorders){.gpu = gpu, .records = records};
	if (settings->sample_file)
		status = open_samples(recorders, settings, error);
	if (status == SLUICE_OK && settings->timeline_file)
		status = open_timeline(recorders, settings, error);
	if (status == SLUICE_OK && settings->profile_file)
		status = open_profile(recorders, settings, error);
	return status;
}

static bool finish(struct append_file *file, const char **path)
{
	*path = file->path;
	return !file->path || file->process != getpid() || append_file_sync(file);
}

bool recorders_finish(struct recorders *recorders, const char **path)
{
	if (!finish(&recorders->samples.file, path) || !finish(&recorders->timeline.file, path))
		return false;
	*path = recorders->profile.path;
	return profile_file_finish(&recorders->profile);
}

void recorders_stop(struct recorders *recorders)
{
	append_file_change_last(&recorders->samples.file, "", 0, 0);
	append_file_change_last(&recorders->timeline.file, "", 0, 0);
}

void recorders_close(struct recorders *recorders)
{
	samples_close(&recorders->samples);
	timeline_file_close(&recorders->timeline);
	profile_file_close(&recorders->profile);
}
