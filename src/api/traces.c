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
	if (cycle && cycle >= samples_next(&traces->samples))
		samples_take(&traces->samples, traces->gpu, running(traces), cycle);
	return samples_next(&traces->samples);
}

static void ended(void *user, uint64_t cycles)
{
	struct traces *traces = user;
	samples_take(&traces->samples, traces->gpu, running(traces), cycles);
}

struct gpu_visitor traces_begin(struct traces *traces)
{
	samples_begin(&traces->samples);
	if (!traces->samples.every)
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
	return SLUICE_OK;
}

enum sluice_status traces_open(struct traces *traces, struct gpu *gpu, const struct records *records,
                               const struct sluice_settings *settings, struct sluice_error *error)
{
	const char *path = settings->sample_file;
	*traces = (struct traces){.gpu = gpu, .records = records};
	if (!path)
		return SLUICE_OK;
	if (!settings->sample_every)
		return api_fail(error, SLUICE_BAD_SETTING, "samples: expected a number of cycles from 1 on");
	enum sluice_status status = check_file("samples", path, settings, error);
	if (status == SLUICE_OK && !samples_open(&traces->samples, records, path, settings->sample_every))
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, strerror(errno));
	return status;
}

bool traces_finish(struct traces *traces, const char **path)
{
	*path = traces->samples.file.path;
	return !*path || traces->samples.file.process != getpid() || kept_file_sync(&traces->samples.file);
}

void traces_stop(struct traces *traces)
{
	kept_file_change_last(&traces->samples.file, "", 0, 0);
}

void traces_close(struct traces *traces)
{
	samples_close(&traces->samples);
}
