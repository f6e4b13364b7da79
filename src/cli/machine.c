/* sluice machine: lists the machines, prints one in full, or compares two. */
#include "cli/commands.h"
#include "cli/machine_sheet.h"

#include "base/arena.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine {
	const char *name; /* "sluice machine" */
	const char *word[3];
	size_t words;
	struct cli_options options;
};

static const struct argp_option machine_options[] = {
	{"option", 'o', "KEY=VALUE", 0, "show: change one key; may be repeated", 0},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct machine *machine = state->input;
	switch (key) {
	case 'o':
		cli_add_option(&machine->options, value, state);
		return 0;
	case ARGP_KEY_ARG:
		if (machine->words == 3)
			cli_usage(state, "too many arguments, from '%s' on", value);
		machine->word[machine->words++] = value;
		return 0;
	case ARGP_KEY_NO_ARGS:
		cli_usage(state, "expected list, show or diff");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp machine_argp = {
	.options = machine_options,
	.parser = parse_option,
	.args_doc = "list\nshow MACHINE\ndiff MACHINE MACHINE",
	.doc = "List the machines, show one as YAML, or show the keys that differ between two.\v"
	       "A MACHINE is a listed name or a YAML file. The exit status of diff is 0 when there is no difference, "
	       "else 1.",
};

/* Opens a machine. Returns NULL, after a message, when there is none of that name. */
static sluice_gpu *open_machine(const struct machine *machine, const char *name, const char *const *options)
{
	sluice_gpu *gpu;
	struct sluice_error error = {0};
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = name, .options = options};
	if (sluice_open(&gpu, &settings, &error) == SLUICE_OK)
		return gpu;
	cli_library_error(machine->name, &error);
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the names of the folder's YAML files, sorted, from malloc. Returns NULL with errno set when the folder cannot
 * be read. */
static char **machine_names(const char *folder, size_t *count)
{
	DIR *files = opendir(folder);
	if (!files)
		return NULL;
	char **names = NULL;
	*count = 0;
	for (const struct dirent *file; (file = readdir(files));) {
		size_t length = strlen(file->d_name);
		if (length <= 5 || strcmp(file->d_name + length - 5, ".yaml") != 0)
			continue;
		names = base_realloc(names, (*count + 1) * sizeof *names);
		names[*count] = base_strdup(file->d_name);
		names[(*count)++][length - 5] = '\0';
	}
	closedir(files);
	if (*count)
		qsort(names, *count, sizeof *names, by_name);
	return names ? names : base_malloc(sizeof *names);
}

static int list(const struct machine *machine)
{
	char folder[PATH_MAX];
	sluice_machines_folder(folder, sizeof folder);
	size_t count;
	char **names = machine_names(folder, &count);
	if (!names) {
		cli_error(machine->name, "cannot read the machines in %s: %s", folder, strerror(errno));
		return CLI_FAILED;
	}
	int status = 0, width = (int)strlen("machine");
	for (size_t i = 0; i < count; i++)
		if ((int)strlen(names[i]) > width)
			width = (int)strlen(names[i]);
	printf("%-*s %4s %9s %6s %9s %9s %9s\n", width, "machine", "SMs", "core MHz", "warps", "shared", "L2",
	       "memory");
	for (size_t i = 0; i < count; i++) {
		sluice_gpu *gpu = open_machine(machine, names[i], NULL);
		struct sluice_machine_info info = {SLUICE_SIZED(machine_info)};
		if (!gpu) {
			status = CLI_FAILED;
		} else {
			sluice_machine_info(gpu, &info);
			printf("%-*s %4u %9u %6u %6u KB %6u KB %6llu MB\n", width, names[i], info.sm_count,
			       info.core_mhz, info.max_threads_per_sm / info.warp_size, info.shared_bytes_per_sm / 1024,
			       info.l2_bytes / 1024, (unsigned long long)info.memory_bytes >> 20);
			sluice_close(gpu);
		}
		free(names[i]);
	}
	free(names);
	return status;
}

static int show(const struct machine *machine)
{
	sluice_gpu *gpu = open_machine(machine, machine->word[1], machine->options.list);
	if (!gpu)
		return CLI_USAGE;
	const char *left_out = sluice_machine_left_out(gpu, NULL, NULL);
	sluice_machine_write(gpu, stdout);
	if (left_out)
		fprintf(stderr, "%s", left_out);
	sluice_close(gpu);
	return 0;
}

static bool sheet_open(const struct machine *machine, const char *name, struct sheet *sheet)
{
	sluice_gpu *gpu = open_machine(machine, name, NULL);
	if (!gpu)
		return false;
	sheet_take(sheet, gpu);
	sluice_close(gpu);
	return true;
}

/* All machines have the same keys, because the library writes all of them. */
static int print_differences(const char *a_name, const struct sheet *a, const char *b_name, const struct sheet *b)
{
	int differences = 0;
	for (size_t i = 0; i < a->count; i++) {
		const char *other = sheet_value(b, a->entry[i].key);
		if (other && strcmp(other, a->entry[i].value) == 0)
			continue;
		if (differences++ == 0)
			printf("%-36s %-20s %s\n", "", a_name, b_name);
		printf("%-36s %-20s %s\n", a->entry[i].key, a->entry[i].value, other ? other : "-");
	}
	return differences ? CLI_FAILED : 0;
}

static int diff(const struct machine *machine)
{
	struct sheet a = {0}, b = {0};
	int status = CLI_USAGE;
	if (sheet_open(machine, machine->word[1], &a) && sheet_open(machine, machine->word[2], &b))
		status = print_differences(machine->word[1], &a, machine->word[2], &b);
	sheet_close(&a);
	sheet_close(&b);
	return status;
}

static const struct action {
	const char *name;
	size_t words;
	const char *takes;
	int (*run)(const struct machine *machine);
} actions[] = {
	{"list", 1, "no arguments", list},
	{"show", 2, "one MACHINE", show},
	{"diff", 3, "two MACHINEs", diff},
};

static int act(const struct machine *machine)
{
	static const char *const known[] = {"list", "show", "diff", NULL};
	const char *word = machine->word[0];
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(actions[i].name, word) == 0) {
			if (machine->words == actions[i].words)
				return actions[i].run(machine);
			cli_error(machine->name, "%s takes %s", word, actions[i].takes);
			return CLI_USAGE;
		}
	}
	return cli_unknown_word(machine->name, "list, show or diff", word, known);
}

int command_machine(int argc, char **argv)
{
	struct machine machine = {.name = argv[0]};
	if (cli_parse(&machine_argp, argc, argv, 0, &machine) != 0)
		return CLI_USAGE;
	int status = act(&machine);
	free(machine.options.list);
	return status;
}
