#include "lab/report.h"

#include "base/diag.h"
#include "base/file.h"
#include "lab/lines.h"
#include "lab/picture.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* True when a picture is whole. gnuplot does not report failed writes. */
static bool is_whole(const char *path, const char *ending)
{
	char end[12] = "";
	FILE *file = file_open(path);
	bool fine = file && fseek(file, 1 - (long)sizeof end, SEEK_END) == 0 &&
	            fread(end, 1, sizeof end - 1, file) == sizeof end - 1 && strstr(end, ending);
	if (file)
		fclose(file);
	return fine;
}

/* Draws both pictures of a script under temporary names. When both are whole, moves them to their paths. */
static bool draw(const char *command, const char *script, const char *stem)
{
	static const struct {
		const char *kind, *ending;
	} pictures[] = {{"svg", "</svg>"}, {"pdf", "%%EOF"}};
	enum { PICTURES = sizeof pictures / sizeof *pictures };
	char setting[64], suffix[32], path[PATH_MAX], new[PATH_MAX + sizeof suffix];
	snprintf(suffix, sizeof suffix, ".%ld", (long)getpid());
	snprintf(setting, sizeof setting, "suffix = \"%s\"", suffix);
	char *words[] = {"gnuplot", "-e", setting, (char *)script, NULL};
	pid_t pid;
	int status, error = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);
	if (error) {
		diag_say(command, "no pictures: cannot start gnuplot: %s", strerror(error));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	bool fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	for (size_t i = 0; i < PICTURES; i++) {
		snprintf(new, sizeof new, "%s.%s%s", stem, pictures[i].kind, suffix);
		fine = fine && is_whole(new, pictures[i].ending);
	}
	for (size_t i = 0; i < PICTURES; i++) {
		snprintf(path, sizeof path, "%s.%s", stem, pictures[i].kind);
		snprintf(new, sizeof new, "%s%s", path, suffix);
		fine = fine && rename(new, path) == 0;
		if (!fine)
			unlink(new);
	}
	if (!fine)
		diag_say(command, "gnuplot failed on %s", script);
	return fine;
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
	return report_close(&place, file, command, path) && draw(command, path, stem);
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
