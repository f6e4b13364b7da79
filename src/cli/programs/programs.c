/* sluice programs: lists, shows and runs the programs of the papers.
 *
 * Each program is described in programs/NAME/program.yaml; `make programs` compiles it.
 */
#include "cli/programs/programs.h"

#include "base/edit_distance.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { KEY_PAPER = 512, KEY_JSON, KEY_ALL, KEY_SIZE, KEY_VARIANT, KEY_SEED };

static void add_name(struct program_request *request, const char *name)
{
	struct words *names = &request->names;
	names->word = base_realloc(names->word, (names->count + 1) * sizeof *names->word);
	names->word[names->count++] = name;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct program_request *request = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		if (state->child_inputs)
			state->child_inputs[0] = &request->run;
		return 0;
	case KEY_PAPER:
		request->paper = cli_choice("--paper", value, program_papers, state);
		return 0;
	case KEY_JSON:
		request->json = true;
		return 0;
	case KEY_ALL:
		request->all = true;
		return 0;
	case KEY_SIZE:
		request->size = cli_choice("--size", value, cli_sizes, state);
		return 0;
	case KEY_VARIANT:
		request->variant = value;
		return 0;
	case KEY_SEED:
		cli_number("--seed", value, 0, state);
		request->seed = value;
		return 0;
	case 'j':
		request->parallel = cli_number("-j", value, 1, state);
		return 0;
	case ARGP_KEY_ARG:
		if (!state->quoted) {
			add_name(request, value);
			return 0;
		}
		request->own = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

#define PAPER_OPTION                                                                                                   \
	{                                                                                                              \
		"paper", KEY_PAPER, "PAPER", 0, "Only programs of teleport, prefetch-cta, d2ma, caps or sharing", 0    \
	}

static const struct argp list_argp = {
	.options =
		(const struct argp_option[]){PAPER_OPTION, {"json", KEY_JSON, NULL, 0, "All facts, as JSON", 0}, {0}},
	.parser = parse_option,
	.doc = "List the programs: what each computes, its variants, and the papers that use it. For each paper, show "
	       "its abbreviation of the program, and the variant that it means unless that is the first.",
};

static const struct argp show_argp = {
	.options = (const struct argp_option[]){PAPER_OPTION, {0}},
	.parser = parse_option,
	.args_doc = "NAME...",
	.doc = "Show a program, with its kernels as the papers describe them, and the paths of its source and of the "
	       "compiled program. A NAME is the program's name or a paper's abbreviation of it.",
};

static const struct argp_option run_options[] = {
	{"all", KEY_ALL, NULL, 0, "Run every variant of the named programs, or of all programs, and print a table", 0},
	PAPER_OPTION,
	{"size", KEY_SIZE, "SIZE", 0, "tiny, small or paper; default tiny", 0},
	{"variant", KEY_VARIANT, "VARIANT", 0,
         "Run this variant; default the one that NAME means, else the first; with --all every one", 0},
	{"seed", KEY_SEED, "N", 0, "Seed of the inputs; default 1", 0},
	{"jobs", 'j', "N", 0, "With --all: run N at a time; default 1", 0},
	{0},
};

static const struct argp run_programs_argp = {
	.options = run_options,
	.parser = parse_option,
	.children = (const struct argp_child[]){{&run_argp, 0, "On which machine, as with sluice run:", 1}, {0}},
	.args_doc = "NAME [-- ARGUMENT...]\n--all [NAME...] [-- ARGUMENT...]",
	.doc = "Run a program on a simulated machine, as 'sluice run' does, or run several, verify their results and "
	       "print a table. A NAME is the program's name, or a paper's abbreviation, which also chooses the "
	       "paper's variant. Arguments after -- go to the program. A program that is not compiled yet is compiled "
	       "first.\v"
	       "With --all, --stats names a folder for the statistics of each run, PROGRAM-VARIANT.json. The exit "
	       "status is the program's; with --all it is 1 when a program did not end with status 0 or did not print "
	       "PASS.",
};

bool program_request_covers(const struct program_request *request, const struct program *program)
{
	for (size_t i = 0; i < PROGRAM_PAPERS; i++)
		if (!request->paper || strcmp(request->paper, program_papers[i]) == 0)
			if (!request->paper || program->papers[i].count)
				return true;
	return false;
}

/* Returns the program's alias of that name in one of the requested papers; NULL: none. */
static const struct program_alias *find_alias(const struct program_request *request, const struct program *program,
                                              size_t paper, const char *name)
{
	const struct program_aliases *aliases = &program->papers[paper];
	if (request->paper && strcmp(request->paper, program_papers[paper]) != 0)
		return NULL;
	for (size_t i = 0; i < aliases->count; i++)
		if (strcasecmp(aliases->list[i].name, name) == 0)
			return &aliases->list[i];
	return NULL;
}

/* True for the program's name in upper or lower case, or an abbreviation in the requested papers. */
static bool answers_to(const struct program_request *request, const struct program *program, const char *name)
{
	bool answers = strcasecmp(program->name, name) == 0;
	for (size_t i = 0; i < PROGRAM_PAPERS; i++)
		answers |= find_alias(request, program, i, name) != NULL;
	return answers;
}

const char *program_request_variant(const struct program_request *request, const struct program *program,
                                    const char *name)
{
	const char *variant = NULL, *first = program->variants.word[0];
	bool is_own_name = !request->paper && strcasecmp(program->name, name) == 0;
	for (size_t i = 0; i < PROGRAM_PAPERS && !is_own_name; i++) {
		const struct program_alias *alias = find_alias(request, program, i, name);
		if (alias && variant && strcmp(variant, alias->variant) != 0)
			return first;
		variant = alias ? alias->variant : variant;
	}
	return variant ? variant : first;
}

/* Reports that no program, or more than one, has the name. */
static const struct program *cannot_find(const struct program_request *request, const char *name, size_t found)
{
	char several[512] = "";
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	for (size_t i = 0; i < request->known.count; i++) {
		const struct program *program = &request->known.list[i];
		size_t length = strlen(several);
		if (!program_request_covers(request, program))
			continue;
		if (answers_to(request, program, name))
			snprintf(several + length, sizeof several - length, "%s%s", length ? ", " : "", program->name);
		if (edit_distance_is_nearer(name, program->name, &best))
			nearest = program->name;
	}
	if (found)
		cli_error(request->name, "'%s' may mean each of %s; say which", name, several);
	else if (nearest)
		cli_error(request->name, "no program '%s'; did you mean '%s'?", name, nearest);
	else
		cli_error(request->name, "no program '%s'; 'sluice programs list' lists all programs", name);
	return NULL;
}

const struct program *program_request_find(const struct program_request *request, const char *name)
{
	const struct program *found = NULL;
	size_t count = 0;
	for (size_t i = 0; i < request->known.count; i++) {
		const struct program *program = &request->known.list[i];
		if (!program_request_covers(request, program))
			continue;
		if (strcmp(program->name, name) == 0)
			return program;
		if (answers_to(request, program, name)) {
			found = program;
			count++;
		}
	}
	return count == 1 ? found : cannot_find(request, name, count);
}

const char *programs_folder(char *room)
{
	static const char *const installed[] = {CLI_INSTALLED_PROGRAMS, NULL};
	return cli_data_folder("SLUICE_PROGRAMS", installed, "program.h", CLI_SOURCE_PROGRAMS, room);
}

static bool exists(const char *path)
{
	return access(path, X_OK) == 0;
}

const char *const program_binary_places[] = {"programs", CLI_INSTALLED_LIBRARIES "/programs", NULL};

char *program_request_binary(struct program_request *request, const struct program *program)
{
	const char *own = getenv("SLUICE_PROGRAMS");
	char folder[PATH_MAX], path[2 * PATH_MAX];
	bool found = false;
	if (own && *own) {
		snprintf(path, sizeof path, "%s/%s/%s", own, program->name, program->name);
		found = exists(path);
	}
	if (!found && cli_find_folder(program_binary_places, program->name, folder)) {
		snprintf(path, sizeof path, "%s/%s", folder, program->name);
		found = exists(path);
	}
	return found ? arena_string(&request->arena, path, strlen(path)) : NULL;
}

static const struct action {
	const char *name, *title;
	const struct argp *argp;
	int (*run)(struct program_request *request);
	const char *meaning;
} actions[] = {
	{"list", "sluice programs list", &list_argp, programs_list, "List them; the default"},
	{"show", "sluice programs show", &show_argp, programs_show, "Show one: kernels, source, compiled program"},
	{"run", "sluice programs run", &run_programs_argp, programs_run,
         "Run one, or every one with --all, and verify"},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static int print_help(void)
{
	fputs("Usage: sluice programs [list|show|run] [OPTION...] ...\n"
	      "The programs of the papers: CUDA programs that check their results.\n"
	      "\n",
	      stdout);
	for (size_t i = 0; i < ACTIONS; i++)
		printf("  %-6s %s\n", actions[i].name, actions[i].meaning);
	fputs("\n'sluice programs list --help' and so on explain the options of each.\n", stdout);
	return 0;
}

static int unknown(const char *command, const char *word)
{
	static const char *const known[] = {"list", "show", "run", NULL};
	return cli_unknown_word(command, "list, show or run", word, known);
}

static int act(const struct action *action, int argc, char **argv)
{
	struct program_request request = {.name = action->title, .parallel = 1, .run.name = action->title};
	char room[PATH_MAX];
	int status = CLI_USAGE;
	argv[0] = (char *)action->title;
	if (cli_parse(action->argp, argc, argv, ARGP_IN_ORDER, &request) == 0 &&
	    programs_read(&request.known, programs_folder(room), action->title))
		status = action->run(&request);
	programs_free(&request.known);
	arena_free(&request.arena);
	run_free(&request.run);
	free(request.names.word);
	return status;
}

int command_programs(int argc, char **argv)
{
	if (argc < 2 || (argv[1][0] == '-' && strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-?") != 0))
		return act(&actions[0], argc, argv);
	if (argv[1][0] == '-')
		return print_help();
	for (size_t i = 0; i < ACTIONS; i++)
		if (strcmp(argv[1], actions[i].name) == 0)
			return act(&actions[i], argc - 1, argv + 1);
	return unknown(argv[0], argv[1]);
}
