/* sluice init: creates the folder of a new study. */
#include "cli/commands.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The template folder, and its plan. */
#define STUDY      "study"
#define STUDY_FILE "plan.yaml"

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	const char **folder = state->input;
	switch (key) {
	case ARGP_KEY_ARG:
		if (*folder)
			cli_usage(state, "too many arguments, from '%s' on", value);
		*folder = cli_text("NAME", value, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		cli_usage(state, "expected the name of a folder");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp init_argp = {
	.parser = parse_option,
	.args_doc = "NAME",
	.doc = "Make a folder with a study that runs at once: a CUDA program, a mechanism, a plan of runs, a Makefile "
	       "and a README that says what to change first. An existing folder must be empty.\v"
	       "'make -C NAME' then builds and runs it, and ends with a picture.",
};

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void free_entries(struct dirent **entries, int count)
{
	while (count > 0)
		free(entries[--count]);
	free(entries);
}

/* Creates a folder, or accepts an empty one. */
static bool make_folder(const char *command, const char *folder)
{
	if (mkdir(folder, 0777) == 0)
		return true;
	if (errno != EEXIST) {
		cli_error(command, "cannot make %s: %s", folder, strerror(errno));
		return false;
	}
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_entry, NULL);
	if (count < 0)
		cli_error(command, "cannot make %s: %s", folder, strerror(errno));
	else if (count > 0)
		cli_error(command, "%s exists already and is not empty", folder);
	free_entries(entries, count);
	return count == 0;
}

static bool write_file(const char *path, const char *text, size_t length)
{
	FILE *file = fopen(path, "wx");
	if (!file)
		return false;
	bool written = fwrite(text, 1, length, file) == length;
	return fclose(file) == 0 && written;
}

static bool copy_file(const char *command, const char *from, const char *to, const char *name)
{
	char source[2 * PATH_MAX], target[2 * PATH_MAX];
	size_t length;
	snprintf(source, sizeof source, "%s/%s", from, name);
	snprintf(target, sizeof target, "%s/%s", to, name);
	char *text = file_read(source, &length);
	if (!text)
		cli_error(command, "cannot read %s: %s", source, file_reason());
	else if (!write_file(target, text, length))
		cli_error(command, "cannot write %s: %s", target, strerror(errno));
	else {
		free(text);
		return true;
	}
	free(text);
	return false;
}

static int copy_folder(const char *command, const char *from, const char *to)
{
	struct dirent **files = NULL;
	int count = scandir(from, &files, is_file, alphasort);
	bool fine = count > 0 && make_folder(command, to);
	char *word = cli_shell_word(to);
	if (count <= 0)
		cli_error(command, "cannot read %s: %s", from, strerror(errno));
	if (fine)
		printf("%s:", word);
	for (int i = 0; i < count && fine; i++) {
		fine = copy_file(command, from, to, files[i]->d_name);
		if (fine)
			printf(" %s", files[i]->d_name);
	}
	if (fine)
		printf("\nmake -C %s\n    builds and runs it; README.md says what to change first\n", word);
	free(word);
	free_entries(files, count);
	return fine ? 0 : CLI_FAILED;
}

int command_init(int argc, char **argv)
{
	static const char *const installed[] = {CLI_INSTALLED_TEMPLATES "/" STUDY, NULL};
	char room[PATH_MAX];
	const char *folder = NULL;
	cli_parse(&init_argp, argc, argv, ARGP_IN_ORDER, &folder);
	bool found = cli_find_folder(installed, STUDY_FILE, room);
	return copy_folder(argv[0], found ? room : CLI_SOURCE_TEMPLATES "/" STUDY, folder);
}
