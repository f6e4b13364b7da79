#include "lab/report.h"

#include "base/diag.h"
#include "lab/lines.h"
#include "lab/picture.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

double report_difference(const struct experiment_column *column, double ours, double published)
{
	return column->show == SHOW_PERCENT ? ours - published : 100 * (ours / published - 1);
}

const char *report_mean_name(enum experiment_mean mean)
{
	static const char *const names[] = {"", "geometric mean", "arithmetic mean"};
	return names[mean];
}

bool report_close(struct file_new *place, FILE *file, const char *command, const char *path)
{
	bool fine = file && file_new_finish(place, file);
	if (!fine)
		diag_say(command, "cannot write %s: %s", path, strerror(errno));
	return fine;
}

static bool draw(const char *command, const char *script)
{
	char *words[] = {"gnuplot", (char *)script, NULL};
	pid_t pid;
	int status, error = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
	if (error) {
		diag_say(command, "no pictures: cannot start gnuplot: %s", strerror(error));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	diag_say(command, "gnuplot failed on %s", script);
	return false;
}

bool report_write(const struct report_writer *writer, const char *command, const char *folder, const char *name)
{
	char stem[PATH_MAX - 8], path[PATH_MAX];
	if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
		diag_say(command, "cannot make the folder %s: %s", folder, strerror(errno));
		return false;
	}
	snprintf(stem, sizeof stem, "%s/%s", folder, name);
	snprintf(path, sizeof path, "%s.csv", stem);
	struct file_new place;
	FILE *file = file_new_stream(&place, path);
	if (file)
		writer->csv(writer->context, file);
	if (!report_close(&place, file, command, path))
		return false;
	snprintf(path, sizeof path, "%s.gp", stem);
	file = file_new_stream(&place, path);
	if (file)
		writer->script(writer->context, stem, file);
	return report_close(&place, file, command, path) && draw(command, path);
}

/* A figure of bars, and its plan. */
struct bars {
	const struct figure *figure;
	const struct plan *plan;
};

static void write_csv(const void *context, FILE *file)
{
	const struct bars *bars = context;
	report_csv(bars->figure, bars->plan, file);
}

static void write_script(const void *context, const char *path, FILE *file)
{
	const struct bars *bars = context;
	if (bars->figure->experiment->over)
		lines_script(bars->figure, path, file);
	else
		picture_script(bars->figure, path, file);
}

bool report_files(const struct figure *figure, const struct plan *plan, const char *folder, const char *name)
{
	const struct bars bars = {figure, plan};
	const struct report_writer writer = {&bars, write_csv, write_script};
	return report_write(&writer, plan->source->command, folder, name);
}
