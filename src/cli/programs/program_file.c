#include "cli/programs/program_file.h"

#include "base/file.h"
#include "cli/commands.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const program_papers[PROGRAM_PAPERS + 1] = {"teleport", "prefetch-cta", "d2ma", "caps", "sharing", NULL};

/* Reads abbreviations: one, or a list, for the default variant; or a mapping to variants. */
static void read_aliases(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct program_aliases *aliases = into;
	struct words names = {0};
	if (value->type != YAML_MAPPING_NODE) {
		document_read_words(document, key, value, &names);
		aliases->list = arena_array(document->arena, names.count, sizeof *aliases->list);
		for (size_t i = 0; i < names.count; i++)
			aliases->list[aliases->count++] =
				(struct program_alias){.name = names.word[i], .place = document_place(value)};
		return;
	}
	const yaml_node_pair_t *pair = value->data.mapping.pairs.start, *end = value->data.mapping.pairs.top;
	aliases->list = arena_array(document->arena, (size_t)(end - pair), sizeof *aliases->list);
	for (; pair < end; pair++) {
		const char *name = document_pair_key(document, value, pair);
		const yaml_node_t *variant = document_node(document, pair->value);
		if (name)
			aliases->list[aliases->count++] = (struct program_alias){
				name, document_text(document, name, variant), document_place(variant)};
	}
}

static void read_papers(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct document_key keys[PROGRAM_PAPERS + 1] = {0};
	for (size_t i = 0; i < PROGRAM_PAPERS; i++)
		keys[i] = (struct document_key){program_papers[i], read_aliases, i * sizeof(struct program_aliases)};
	document_read(document, key, value, keys, into);
}

static void read_published(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"threads", document_read_number, offsetof(struct program_kernel, threads)},
		{"instructions", document_read_number, offsetof(struct program_kernel, instructions)},
		{0},
	};
	document_read(document, key, value, keys, into);
}

static void read_kernel(struct document *document, const char *name, const yaml_node_t *value,
                        struct program_kernel *kernel)
{
	static const struct document_key keys[] = {
		{"variant", document_read_words, offsetof(struct program_kernel, variants)},
		{"block", document_read_number, offsetof(struct program_kernel, block)},
		{"shared", document_read_number, offsetof(struct program_kernel, shared)},
		{"variables", document_read_number, offsetof(struct program_kernel, variables)},
		{"local", document_read_number, offsetof(struct program_kernel, local)},
		{"published", read_published, 0},
		{0},
	};
	*kernel = (struct program_kernel){.name = name,
	                                  .block = PROGRAM_UNSTATED,
	                                  .shared = PROGRAM_UNSTATED,
	                                  .variables = PROGRAM_UNSTATED,
	                                  .local = PROGRAM_UNSTATED,
	                                  .threads = PROGRAM_UNSTATED,
	                                  .instructions = PROGRAM_UNSTATED,
	                                  .place = document_place(value)};
	document_read(document, name, value, keys, kernel);
}

static void read_kernels(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct program *program = into;
	if (!document_is_mapping(document, key, value))
		return;
	const yaml_node_pair_t *pair = value->data.mapping.pairs.start, *end = value->data.mapping.pairs.top;
	program->kernels = arena_array(document->arena, (size_t)(end - pair), sizeof *program->kernels);
	for (; pair < end; pair++) {
		const char *name = document_pair_key(document, value, pair);
		if (name)
			read_kernel(document, name, document_node(document, pair->value),
			            &program->kernels[program->kernel_count++]);
	}
}

/* Aliases without a variant mean the first one. */
static void check_aliases(struct document *document, const struct program *program, struct program_aliases *aliases)
{
	for (size_t i = 0; i < aliases->count; i++) {
		struct program_alias *alias = &aliases->list[i];
		if (!alias->variant)
			alias->variant = program->variants.word[0];
		else if (!words_have(&program->variants, alias->variant))
			diag_error(&document->diag, &document->source, alias->place, "%s: there is no variant '%s'",
			           alias->name, alias->variant);
	}
}

/* Checks the consistency of the file's parts. */
static void check_program(struct document *document, const yaml_node_t *root, struct program *program,
                          const char *folder_name)
{
	if (!program->name || strcmp(program->name, folder_name) != 0)
		document_error(document, root, "name: expected '%s', the folder's name", folder_name);
	if (!program->about)
		document_error(document, root, "about: expected what the program computes");
	if (!program->variants.count)
		document_error(document, root, "variants: expected the program's variants, the default first");
	for (size_t i = 0; i < PROGRAM_PAPERS && program->variants.count; i++)
		check_aliases(document, program, &program->papers[i]);
	for (size_t k = 0; k < program->kernel_count; k++) {
		const struct program_kernel *kernel = &program->kernels[k];
		for (size_t i = 0; i < kernel->variants.count; i++)
			if (!words_have(&program->variants, kernel->variants.word[i]))
				diag_error(&document->diag, &document->source, kernel->place,
				           "%s: there is no variant '%s'", kernel->name, kernel->variants.word[i]);
	}
}

bool program_read(struct program *program, struct document *document, const char *folder_name)
{
	static const struct document_key keys[] = {
		{"name", document_read_text, offsetof(struct program, name)},
		{"about", document_read_text, offsetof(struct program, about)},
		{"papers", read_papers, offsetof(struct program, papers)},
		{"variants", document_read_words, offsetof(struct program, variants)},
		{"kernels", read_kernels, 0},
		{0},
	};
	*program = (struct program){0};
	if (!document_load(document))
		return false;
	const yaml_node_t *root = yaml_document_get_root_node(&document->yaml);
	document_read(document, "program", root, keys, program);
	if (!document->diag.errors)
		check_program(document, root, program, folder_name);
	yaml_document_delete(&document->yaml);
	return !document->diag.errors;
}

static bool read_file(struct programs *programs, const char *name, const char *path, const char *command)
{
	struct document document = {.arena = &programs->arena, .source = {.name = path}};
	char *text = file_read(path, &document.source.length);
	if (!text) {
		cli_error(command, "cannot read %s: %s", path, file_reason());
		return false;
	}
	document.source.text = text;
	bool fine = program_read(&programs->list[programs->count], &document, name);
	if (fine)
		programs->count++;
	else
		fputs(document.diag.text, stderr);
	diag_free(&document.diag);
	free(text);
	return fine;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name); /* the same order in every locale */
}

bool programs_read(struct programs *programs, const char *folder, const char *command)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_visible, by_name);
	bool fine = count >= 0;
	if (!fine)
		cli_error(command, "cannot read the programs in %s: %s", folder, strerror(errno));
	programs->list = arena_array(&programs->arena, count > 0 ? (size_t)count : 1, sizeof *programs->list);
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];
		const char *name = entries[i]->d_name;
		snprintf(path, sizeof path, "%s/%s/program.yaml", folder, name);
		if (access(path, F_OK) == 0)
			fine = read_file(programs, name, path, command) && fine;
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return fine;
}

void programs_free(struct programs *programs)
{
	arena_free(&programs->arena);
}
