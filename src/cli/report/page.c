/* Writes the page: report.html with the files that it names inserted, so that it needs no other file. */
#include "cli/report/report.h"

#include "base/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of report.html with this prefix is replaced by a file of the folder; "data" is replaced by the report's
 * data. */
static const char insertion[] = "<!--insert ";

/* Inside script tags, "</script" and "<!--" would be parsed as HTML. In JSON "<" occurs only in strings, where it can
 * be escaped. */
static int write_json(const char *buffer, size_t size, void *user)
{
	FILE *file = user;
	for (size_t i = 0; i < size; i++)
		if (buffer[i] == '<')
			fputs("\\u003c", file);
		else
			putc(buffer[i], file);
	return ferror(file) ? -1 : 0;
}

/* Returns false with errno set. */
static bool write_part(FILE *file, const char *folder, const char *name)
{
	char path[2 * PATH_MAX];
	size_t length;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	char *text = file_read(path, &length);
	if (!text)
		return false;
	fwrite(text, 1, length, file);
	free(text);
	return !ferror(file);
}

static bool write_line(FILE *file, const char *folder, char *line, const json_t *data)
{
	char *name = line + strlen(insertion);
	if (strncmp(line, insertion, strlen(insertion)) != 0)
		return fprintf(file, "%s\n", line) >= 0;
	name[strcspn(name, "-")] = '\0';
	if (strcmp(name, "data") == 0)
		return json_dump_callback(data, write_json, file, JSON_COMPACT | JSON_REAL_PRECISION(9)) == 0;
	return write_part(file, folder, name);
}

static bool write_page(FILE *file, const char *folder, const json_t *data)
{
	char path[PATH_MAX + 32], *line, *rest;
	size_t length;
	snprintf(path, sizeof path, "%s/report.html", folder);
	char *text = file_read(path, &length);
	bool fine = text;
	for (rest = text; fine && (line = strsep(&rest, "\n"));)
		fine = write_line(file, folder, line, data);
	free(text);
	return fine && fflush(file) == 0;
}

static bool write_file(const char *path, const char *folder, const json_t *data)
{
	struct file_new made;
	FILE *file = file_new_stream(&made, path);
	if (!file)
		return false;
	if (write_page(file, folder, data))
		return file_new_finish(&made, file);
	file_new_abandon(&made, file);
	return false;
}

bool report_write_page(const char *command, const char *path, const json_t *data)
{
	/* In a build tree, in an installation. */
	static const char *const places[] = {"../share/sluice/report", CLI_INSTALLED_REPORT, NULL};
	char folder[PATH_MAX];
	if (!cli_find_folder(places, "report.html", folder)) {
		cli_error(command,
		          "the parts of the page are missing (share/sluice/report); build or install Sluice again");
		return false;
	}
	if (write_file(path, folder, data))
		return true;
	cli_error(command, "cannot write %s: %s", path, file_write_reason());
	return false;
}
