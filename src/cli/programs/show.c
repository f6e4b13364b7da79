/* sluice programs list and show. */
#include "cli/programs/programs.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void print_words(const struct words *words, const char *between)
{
	for (size_t i = 0; i < words->count; i++)
		printf("%s%s", i ? between : "", words->word[i]);
}

/* Prints "BFS", or "HSP (shared)" with the variant when it is not the first. */
static void print_alias(const struct program *program, const struct program_alias *alias)
{
	fputs(alias->name, stdout);
	if (strcmp(alias->variant, program->variants.word[0]) != 0)
		printf(" (%s)", alias->variant);
}

/* Prints "teleport BFS; sharing DCT1, DCT2 (dct2)" after `before`; nothing for a program of no paper. */
static void print_papers(const struct program *program, const char *before)
{
	for (size_t i = 0; i < PROGRAM_PAPERS; i++) {
		const struct program_aliases *aliases = &program->papers[i];
		if (!aliases->count)
			continue;
		printf("%s%s ", before, program_papers[i]);
		for (size_t k = 0; k < aliases->count; k++) {
			fputs(k ? ", " : "", stdout);
			print_alias(program, &aliases->list[k]);
		}
		before = "; ";
	}
}

static json_t *aliases_json(const struct program_aliases *aliases)
{
	json_t *object = json_object();
	for (size_t i = 0; i < aliases->count; i++)
		json_object_set_new(object, aliases->list[i].name, json_string(aliases->list[i].variant));
	return object;
}

static json_t *words_json(const struct words *words)
{
	json_t *array = json_array();
	for (size_t i = 0; i < words->count; i++)
		json_array_append_new(array, json_string(words->word[i]));
	return array;
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
	if (number != PROGRAM_UNSTATED)
		json_object_set_new(object, key, json_integer((json_int_t)number));
}

static json_t *kernel_json(const struct program_kernel *kernel)
{
	json_t *object = json_object(), *published = json_object();
	json_object_set_new(object, "name", json_string(kernel->name));
	json_object_set_new(object, "variants", words_json(&kernel->variants));
	set_number(object, "block", kernel->block);
	set_number(object, "shared", kernel->shared);
	set_number(object, "variables", kernel->variables);
	set_number(object, "local", kernel->local);
	set_number(published, "threads", kernel->threads);
	set_number(published, "instructions", kernel->instructions);
	json_object_set_new(object, "published", published);
	return object;
}

static json_t *program_json(struct program_request *request, const struct program *program)
{
	const char *binary = program_request_binary(request, program);
	json_t *object = json_object(), *papers = json_object(), *kernels = json_array();
	for (size_t i = 0; i < PROGRAM_PAPERS; i++)
		if (program->papers[i].count)
			json_object_set_new(papers, program_papers[i], aliases_json(&program->papers[i]));
	for (size_t i = 0; i < program->kernel_count; i++)
		json_array_append_new(kernels, kernel_json(&program->kernels[i]));
	json_object_set_new(object, "name", json_string(program->name));
	json_object_set_new(object, "about", json_string(program->about));
	json_object_set_new(object, "papers", papers);
	json_object_set_new(object, "variants", words_json(&program->variants));
	json_object_set_new(object, "kernels", kernels);
	json_object_set_new(object, "binary", binary ? json_string(binary) : json_null());
	return object;
}

static int list_json(struct program_request *request)
{
	json_t *list = json_array();
	for (size_t i = 0; i < request->known.count; i++)
		if (program_request_covers(request, &request->known.list[i]))
			json_array_append_new(list, program_json(request, &request->known.list[i]));
	json_dumpf(list, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(list);
	return 0;
}

int programs_list(struct program_request *request)
{
	if (request->names.count || request->own) {
		cli_error(request->name, "takes no names, found '%s'; 'sluice programs show NAME' shows one",
		          request->names.count ? request->names.word[0] : request->own[0]);
		return CLI_USAGE;
	}
	if (request->json)
		return list_json(request);
	int width = 0;
	for (size_t i = 0; i < request->known.count; i++)
		if ((int)strlen(request->known.list[i].name) > width)
			width = (int)strlen(request->known.list[i].name);
	for (size_t i = 0; i < request->known.count; i++) {
		const struct program *program = &request->known.list[i];
		if (!program_request_covers(request, program))
			continue;
		printf("%-*s  %s\n%*s  variants ", width, program->name, program->about, width, "");
		print_words(&program->variants, ", ");
		print_papers(program, "; papers ");
		putchar('\n');
	}
	return 0;
}

static void print_kernel(const struct program_kernel *kernel)
{
	const char *before = ": ";
	printf("  kernel     %s", kernel->name);
	if (kernel->variants.count) {
		fputs(kernel->variants.count == 1 ? ", variant " : ", variants ", stdout);
		print_words(&kernel->variants, ", ");
	}
	const struct {
		uint64_t number;
		const char *what;
	} facts[] = {
		{kernel->block, "threads per block"},
		{kernel->shared, "bytes of shared memory"},
		{kernel->variables, kernel->variables == 1 ? "shared variable" : "shared variables"},
		{kernel->local, kernel->local == 1 ? "local memory access" : "local memory accesses"},
		{kernel->threads, "threads published"},
		{kernel->instructions, "thread instructions published"},
	};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (facts[i].number == PROGRAM_UNSTATED)
			continue;
		printf("%s%llu %s", before, (unsigned long long)facts[i].number, facts[i].what);
		before = ", ";
	}
	putchar('\n');
}

static void show(struct program_request *request, const struct program *program)
{
	char room[PATH_MAX];
	const char *binary = program_request_binary(request, program);
	printf("%s: %s\n  variants   ", program->name, program->about);
	print_words(&program->variants, ", ");
	print_papers(program, "\n  papers     ");
	putchar('\n');
	for (size_t i = 0; i < program->kernel_count; i++)
		print_kernel(&program->kernels[i]);
	printf("  source     %s/%s/%s.cu\n", programs_folder(room), program->name, program->name);
	printf("  program    %s\n", binary ? binary : "not compiled yet: 'sluice programs run' does it");
	printf("  arguments  sluice programs run %s -- --help\n", program->name);
}

int programs_show(struct program_request *request)
{
	if (!request->names.count) {
		cli_error(request->name, "no program given; 'sluice programs list' lists all programs");
		return CLI_USAGE;
	}
	for (size_t i = 0; i < request->names.count; i++)
		if (!program_request_find(request, request->names.word[i]))
			return CLI_USAGE;
	for (size_t i = 0; i < request->names.count; i++)
		show(request, program_request_find(request, request->names.word[i]));
	return 0;
}
