/* The statistics of a run: written on request, or continuously to a file. */
#include "api/api.h"

#include "base/c_locale.h"
#include "base/file.h"
#include "sluice_runtime.h"

#include <errno.h>
#include <string.h>

enum sluice_status sluice_stats_write(sluice_gpu *gpu, FILE *file, enum sluice_stats_format format,
                                      struct sluice_error *error)
{
	IN_C_LOCALE;
	bool written = true;
	if (format == SLUICE_STATS_JSON)
		written = records_write_json(&gpu->records, file);
	else if (format == SLUICE_STATS_GPGPUSIM)
		records_write_gpgpusim(&gpu->records, file);
	else
		records_write_table(&gpu->records, file);
	if (!written || fflush(file) != 0 || ferror(file))
		return api_fail(error, SLUICE_IO, "cannot write statistics: %s", strerror(errno));
	return api_succeed(error);
}

enum sluice_status sluice_stats_keep(sluice_gpu *gpu, const char *path, struct sluice_error *error)
{
	stats_file_close(&gpu->stats_file);
	if (stats_file_open(&gpu->stats_file, &gpu->records, path))
		return api_succeed(error);
	return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
}

bool sluice_energy_has(const sluice_gpu *gpu, const char *name)
{
	static const char group[] = "energy.";
	const struct energy_account nothing = {0};
	if (!gpu->records.prices || strncmp(name, group, sizeof group - 1) != 0)
		return false;
	json_t *parts = energy_json(gpu->records.prices, &nothing);
	bool has = json_object_get(parts, name + sizeof group - 1);
	json_decref(parts);
	return has;
}

void sluice_stats_note_end(sluice_gpu *gpu, const char *how)
{
	stats_file_note(&gpu->stats_file, how);
	recorders_stop(&gpu->recorders);
}

enum sluice_status sluice_stats_end(sluice_gpu *gpu, const char *how, struct sluice_error *error)
{
	const char *path = gpu->stats_file.file.path;
	records_set_ended(&gpu->records, how);
	if (path && !stats_file_finish(&gpu->stats_file, &gpu->records))
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
	if (!recorders_finish(&gpu->recorders, &path))
		return api_fail(error, SLUICE_IO, "cannot write %s: %s", path, file_write_reason());
	return api_succeed(error);
}

void sluice_stats_describe(FILE *file)
{
	records_describe(file);
}
