/* Detects the type of a file by its contents. */
#include "cli/report/report.h"

#include "base/file.h"
#include "base/json_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char store_begins[] = "SQLite format 3";
static const char samples_begin[] = "kernel,name,cycle,cycles,";
static const char timeline_begins[] = "kernel,cycle_begin,cycle_end,";

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

bool report_is_store(const char *path)
{
	return file_begins(path, store_begins);
}

static bool take_json(struct collection *collection, const char *path, json_t *root)
{
	if (json_is_array(json_object_get(root, "traceEvents")))
		return report_take_trace(collection, path, root);
	if (json_object_get(root, "profile"))
		return report_take_profile(collection, path, root);
	if (json_is_array(json_object_get(root, "kernels")))
		return report_take_statistics(collection, path, root);
	cli_error(collection->command,
	          "%s: JSON, but not statistics, a profile or a timeline of Sluice ('sluice run --stats, --profile, "
	          "--timeline FILE')",
	          path);
	return false;
}

static bool take_text(struct collection *collection, const char *path, char *text, size_t length)
{
	json_error_t error;
	const char *first = text + strspn(text, " \t\r\n");
	if (!*first) {
		cli_error(collection->command,
		          "%s: the file is empty; a run that is killed early may leave such a "
		          "file",
		          path);
		return false;
	}
	if (begins(text, samples_begin))
		return report_take_samples(collection, path, text);
	if (begins(text, timeline_begins))
		return report_take_timeline(collection, path, text);
	if (*first != '{') {
		cli_error(collection->command,
		          "%s: not a file of results (results.db), statistics, a profile, samples or a timeline", path);
		return false;
	}
	json_t *root = json_loadb(text, length, 0, &error);
	if (!root) {
		cli_json_error(path, error.line, error.column, error.text);
		return false;
	}
	bool fine = take_json(collection, path, root);
	json_decref(root);
	return fine;
}

bool report_take(struct collection *collection, const char *path)
{
	size_t length;
	json_array_append_new(collection->files, json_text(path));
	if (report_is_store(path))
		return report_take_store(collection, path);
	char *text = cli_read_file(path, &length);
	if (!text) {
		cli_error(collection->command, "cannot read %s: %s%s", path, file_reason(),
		          strcmp(path, "results.db") == 0 ? "; 'sluice figure NAME' makes it" : "");
		return false;
	}
	bool fine = report_is_perfetto(text, length) ? report_take_perfetto(collection, path, text, length)
	                                             : take_text(collection, path, text, length);
	free(text);
	return fine;
}
