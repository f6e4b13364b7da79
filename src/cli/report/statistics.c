/* A run whose statistics or profile are in their own file. */
#include "cli/report/report.h"

#include "base/file.h"
#include "base/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SOURCE = 1 << 20 }; /* bytes */

static const char *behind_slash(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Returns "saxpy" for "figures/saxpy.json". */
static json_t *run_of_file(struct collection *collection, const char *path)
{
	char label[256];
	snprintf(label, sizeof label, "%s", behind_slash(path));
	char *dot = strrchr(label, '.');
	if (dot && dot != label)
		*dot = '\0';
	return report_run(collection, label);
}

/* True for a fact that the papers' programs receive as an option. */
static bool is_told(const char *word, const char **name)
{
	static const char *const names[] = {"--size", "--variant", "--seed"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(word, names[i]) == 0) {
			*name = names[i] + 2;
			return true;
		}
	return false;
}

/* Joins the words of a list with spaces; for mechanisms only their names. */
static void join_words(const json_t *words, size_t from, bool names, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = from; i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));
		size_t length = strlen(text);
		if (word && length + 1 < size)
			snprintf(text + length, size - length, "%s%.*s", length ? " " : "",
			         (int)(names ? strcspn(word, ":") : strlen(word)), word);
	}
}

static void take_command(struct collection *collection, json_t *run, const json_t *words)
{
	const char *program = json_string_value(json_array_get(words, 0)), *name;
	char arguments[4096];
	if (program)
		report_fact(collection, run, "program", behind_slash(program));
	for (size_t i = 1; i + 1 < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));
		const char *value = json_string_value(json_array_get(words, i + 1));
		if (word && value && is_told(word, &name))
			report_fact(collection, run, name, value);
	}
	join_words(words, 1, false, arguments, sizeof arguments);
	report_fact(collection, run, "arguments", arguments);
}

static void take_text(struct collection *collection, json_t *run, const char *name, const json_t *value)
{
	if (json_is_string(value))
		report_fact(collection, run, name, json_string_value(value));
}

/* For a sampled run, which has no exact cycles: adds the estimate as a text, which is not compared with anything. */
static void take_estimate(struct collection *collection, json_t *run, const json_t *estimate)
{
	char text[128];
	double cycles = json_number_value(json_object_get(estimate, "cycles"));
	const json_t *error = json_object_get(estimate, "error");
	if (!estimate)
		snprintf(text, sizeof text, "in part; no estimate, because it did not end");
	else if (json_is_number(error))
		snprintf(text, sizeof text, "in part: about %.0f cycles, estimated error %.1f %%", cycles,
		         cycles > 0 ? 100 * json_number_value(error) / cycles : 0);
	else
		snprintf(text, sizeof text, "in part: about %.0f cycles, error not known", cycles);
	report_fact(collection, run, "sampled", text);
}

bool report_take_statistics(struct collection *collection, const char *path, json_t *root)
{
	char text[4096];
	if (json_integer_value(json_object_get(root, "version")) != 1) {
		cli_error(collection->command,
		          "%s: not statistics of version 1, as 'sluice run --stats FILE.json' writes them", path);
		return false;
	}
	json_t *run = run_of_file(collection, path);
	take_command(collection, run, json_object_get(root, "program"));
	take_text(collection, run, "machine", json_object_get(root, "machine"));
	take_text(collection, run, "verdict", json_object_get(root, "ended"));
	take_text(collection, run, "checks", json_object_get(root, "checks"));
	join_words(json_object_get(root, "options"), 0, false, text, sizeof text);
	report_fact(collection, run, "options", text);
	join_words(json_object_get(root, "mechanisms"), 0, true, text, sizeof text);
	report_fact(collection, run, "mechanisms", text);
	join_words(json_object_get(root, "observers"), 0, true, text, sizeof text);
	report_fact(collection, run, "observers", text);
	if (json_is_true(json_object_get(root, "functional")))
		report_fact(collection, run, "functional", "yes");
	if (json_object_get(root, "sampling"))
		take_estimate(collection, run, json_object_get(json_object_get(root, "totals"), "estimate"));
	report_statistics(collection, run, root);
	report_limits(collection, run, root);
	collection->last = run;
	return true;
}

/* Pages are passed on to others. So only files with a source file's name are included, whatever a profile names. */
static bool is_source(const char *path)
{
	static const char *const suffixes[] = {".cu", ".cuh", ".h",   ".hpp", ".hh", ".inl",
	                                       ".c",  ".cc",  ".cpp", ".cxx", ".ptx"};
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
		if (strcmp(dot, suffixes[i]) == 0)
			return true;
	return false;
}

/* Returns the lines of a source; NULL when it is missing or too large for a page. */
static json_t *source_lines(const char *path)
{
	size_t length;
	struct stat about;
	if (!is_source(path) || stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > MOST_SOURCE)
		return NULL;
	char *text = file_read(path, &length), *rest = text;
	json_t *lines = text ? json_array() : NULL;
	while (text && *rest) {
		char *line = strsep(&rest, "\n");
		json_array_append_new(lines, json_text(line));
		if (!rest)
			break;
	}
	free(text);
	return lines;
}

/* Returns the sources that the profile's instructions name, each once, in their current state. */
static json_t *sources_of(const json_t *kernels)
{
	json_t *sources = json_object(), *kernel, *inst;
	size_t k, i;
	json_array_foreach(kernels, k, kernel) json_array_foreach(json_object_get(kernel, "instructions"), i, inst)
	{
		const char *file = json_string_value(json_object_get(inst, "file"));
		if (file && !json_object_get(sources, file)) {
			json_t *lines = source_lines(file);
			json_object_set_new(sources, file, lines ? lines : json_null());
		}
	}
	return sources;
}

bool report_take_profile(struct collection *collection, const char *path, json_t *root)
{
	if (!json_is_array(json_object_get(root, "kernels"))) {
		cli_error(collection->command,
		          "%s: a profile without kernels; 'sluice run --profile FILE.json' writes one", path);
		return false;
	}
	json_t *run = collection->last;
	if (!run) {
		run = run_of_file(collection, path);
		take_command(collection, run, json_object_get(root, "program"));
		take_text(collection, run, "machine", json_object_get(root, "machine"));
	}
	json_object_set(run, "profile", json_object_get(root, "kernels"));
	json_object_set_new(run, "sources", sources_of(json_object_get(root, "kernels")));
	return true;
}
