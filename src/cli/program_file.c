#include "cli/program_file.h"

#include "base/slip.h"
#include "cli/commands.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

const char *const program_papers[PROGRAM_PAPERS + 1] = {"teleport", "prefetch-cta", "d2ma", "caps", "sharing", NULL};

struct reader {
	struct arena *arena;
	struct diag diag;
	struct source source;
	yaml_document_t document;
	struct program *program;
};

/* How the value of a key is read into `into`. */
struct key {
	const char *name;
	void (*read)(struct reader *reader, const char *key, const yaml_node_t *value, void *into);
	size_t offset; /* in the struct that the mapping is read into */
};

bool words_have(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->word[i], word) == 0)
			return true;
	return false;
}

static struct place place_of(const yaml_node_t *node)
{
	return (struct place){(uint32_t)node->start_mark.line + 1, (uint32_t)node->start_mark.column + 1};
}

static const yaml_node_t *node_at(struct reader *reader, int number)
{
	return yaml_document_get_node(&reader->document, number);
}

__attribute__((format(printf, 3, 4))) static void fail(struct reader *reader, const yaml_node_t *node,
                                                       const char *format, ...)
{
	char message[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	diag_error(&reader->diag, &reader->source, place_of(node), "%s", message);
}

/* The text of a scalar, in the arena; NULL, with an error, when it is none or empty. */
static const char *text_of(struct reader *reader, const char *key, const yaml_node_t *node)
{
	if (node->type == YAML_SCALAR_NODE && node->data.scalar.length > 0)
		return arena_string(reader->arena, (const char *)node->data.scalar.value, node->data.scalar.length);
	fail(reader, node, "%s: expected one value", key);
	return NULL;
}

static void read_text(struct reader *reader, const char *key, const yaml_node_t *value, void *into)
{
	*(const char **)into = text_of(reader, key, value);
}

static void read_number(struct reader *reader, const char *key, const yaml_node_t *value, void *into)
{
	const char *text = text_of(reader, key, value);
	char *end;
	if (!text)
		return;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno)
		fail(reader, value, "%s: expected a whole number, not '%s'", key, text);
	else
		*(uint64_t *)into = number;
}

/* One word or a list of different ones. */
static void read_words(struct reader *reader, const char *key, const yaml_node_t *value, void *into)
{
	struct words *words = into;
	bool is_list = value->type == YAML_SEQUENCE_NODE;
	const yaml_node_item_t *item = is_list ? value->data.sequence.items.start : NULL;
	size_t count = is_list ? (size_t)(value->data.sequence.items.top - item) : 1;
	if (!count)
		fail(reader, value, "%s: expected one word or a list of them", key);
	words->word = arena_array(reader->arena, count, sizeof *words->word);
	for (size_t i = 0; i < count; i++) {
		const yaml_node_t *node = is_list ? node_at(reader, item[i]) : value;
		const char *word = text_of(reader, key, node);
		if (word && words_have(words, word))
			fail(reader, node, "%s: '%s' stands there twice", key, word);
		else if (word)
			words->word[words->count++] = word;
	}
}

static void unknown_key(struct reader *reader, const yaml_node_t *node, const char *name, const struct key *keys)
{
	const char *nearest = NULL;
	char known[256] = "";
	uint32_t best = SLIP_FAR;
	for (const struct key *key = keys; key->name; key++) {
		uint32_t distance = slip_distance(name, key->name);
		size_t length = strlen(known);
		snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", key->name);
		if (distance < best) {
			best = distance;
			nearest = key->name;
		}
	}
	if (nearest)
		fail(reader, node, "unknown key '%s'; did you mean '%s'?", name, nearest);
	else
		fail(reader, node, "unknown key '%s'; expected one of %s", name, known);
}

/* The name of a pair's key; NULL, with an error, when it is none or the mapping has it already. */
static const char *key_of(struct reader *reader, const yaml_node_t *mapping, const yaml_node_pair_t *pair)
{
	const yaml_node_t *node = node_at(reader, pair->key);
	const char *name = text_of(reader, "key", node);
	for (const yaml_node_pair_t *other = mapping->data.mapping.pairs.start; name && other < pair; other++) {
		const yaml_node_t *earlier = node_at(reader, other->key);
		if (earlier->type != YAML_SCALAR_NODE || strcmp((const char *)earlier->data.scalar.value, name) != 0)
			continue;
		fail(reader, node, "'%s' is set a second time; the first is in line %u", name, place_of(earlier).line);
		name = NULL;
	}
	return name;
}

static bool is_mapping(struct reader *reader, const char *what, const yaml_node_t *node)
{
	if (node->type == YAML_MAPPING_NODE)
		return true;
	fail(reader, node, "%s: expected 'NAME: VALUE' pairs", what);
	return false;
}

static void read_mapping(struct reader *reader, const char *what, const yaml_node_t *mapping, const struct key *keys,
                         void *into)
{
	if (!is_mapping(reader, what, mapping))
		return;
	const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start, *end = mapping->data.mapping.pairs.top;
	for (; pair < end; pair++) {
		const struct key *key = keys;
		const char *name = key_of(reader, mapping, pair);
		if (!name)
			continue;
		while (key->name && strcmp(key->name, name) != 0)
			key++;
		if (key->name)
			key->read(reader, name, node_at(reader, pair->value), (char *)into + key->offset);
		else
			unknown_key(reader, node_at(reader, pair->key), name, keys);
	}
}

static void read_papers(struct reader *reader, const char *key, const yaml_node_t *value, void *into)
{
	struct key keys[PROGRAM_PAPERS + 1] = {0};
	for (size_t i = 0; i < PROGRAM_PAPERS; i++)
		keys[i] = (struct key){program_papers[i], read_words, i * sizeof(struct words)};
	read_mapping(reader, key, value, keys, into);
}

static void read_published(struct reader *reader, const char *key, const yaml_node_t *value, void *into)
{
	static const struct key keys[] = {
		{"threads", read_number, offsetof(struct program_kernel, threads)},
		{"instructions", read_number, offsetof(struct program_kernel, instructions)},
		{0},
	};
	read_mapping(reader, key, value, keys, into);
}

static void read_kernel(struct reader *reader, const char *name, const yaml_node_t *value,
                        struct program_kernel *kernel)
{
	static const struct key keys[] = {
		{"variant", read_words, offsetof(struct program_kernel, variants)},
		{"block", read_number, offsetof(struct program_kernel, block)},
		{"shared", read_number, offsetof(struct program_kernel, shared)},
		{"variables", read_number, offsetof(struct program_kernel, variables)},
		{"published", read_published, 0},
		{0},
	};
	*kernel = (struct program_kernel){.name = name,
	                                  .block = PROGRAM_UNSTATED,
	                                  .shared = PROGRAM_UNSTATED,
	                                  .variables = PROGRAM_UNSTATED,
	                                  .threads = PROGRAM_UNSTATED,
	                                  .instructions = PROGRAM_UNSTATED,
	                                  .place = place_of(value)};
	read_mapping(reader, name, value, keys, kernel);
}

static void read_kernels(struct reader *reader, const char *key, const yaml_node_t *value, void *into)
{
	struct program *program = into;
	if (!is_mapping(reader, key, value))
		return;
	const yaml_node_pair_t *pair = value->data.mapping.pairs.start, *end = value->data.mapping.pairs.top;
	program->kernels = arena_array(reader->arena, (size_t)(end - pair), sizeof *program->kernels);
	for (; pair < end; pair++) {
		const char *name = key_of(reader, value, pair);
		if (name)
			read_kernel(reader, name, node_at(reader, pair->value),
			            &program->kernels[program->kernel_count++]);
	}
}

/* What must agree between the parts of a file. */
static void check_program(struct reader *reader, const yaml_node_t *root, const char *folder_name)
{
	const struct program *program = reader->program;
	if (!program->name || strcmp(program->name, folder_name) != 0)
		fail(reader, root, "name: expected '%s', as the folder is called", folder_name);
	if (!program->about)
		fail(reader, root, "about: expected what the program computes");
	if (!program->variants.count)
		fail(reader, root, "variants: expected the program's variants, the default first");
	for (const struct program_kernel *kernel = program->kernels, *end = kernel + program->kernel_count;
	     kernel < end; kernel++)
		for (size_t i = 0; i < kernel->variants.count; i++)
			if (!words_have(&program->variants, kernel->variants.word[i]))
				diag_error(&reader->diag, &reader->source, kernel->place,
				           "%s: there is no variant '%s'", kernel->name, kernel->variants.word[i]);
}

static void read_program(struct reader *reader, const char *folder_name)
{
	static const struct key keys[] = {
		{"name", read_text, offsetof(struct program, name)},
		{"about", read_text, offsetof(struct program, about)},
		{"papers", read_papers, offsetof(struct program, papers)},
		{"variants", read_words, offsetof(struct program, variants)},
		{"kernels", read_kernels, 0},
		{0},
	};
	const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
	if (!root) {
		diag_error(&reader->diag, &reader->source, (struct place){0}, "expected name, about and variants");
		return;
	}
	read_mapping(reader, "program", root, keys, reader->program);
	if (!reader->diag.errors)
		check_program(reader, root, folder_name);
}

/* False, with an error, when the text is no YAML. */
static bool load(struct reader *reader)
{
	yaml_parser_t parser;
	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_string(&parser, (const unsigned char *)reader->source.text, reader->source.length);
	bool loaded = yaml_parser_load(&parser, &reader->document);
	if (!loaded)
		diag_error(&reader->diag, &reader->source,
		           (struct place){(uint32_t)parser.problem_mark.line + 1,
		                          (uint32_t)parser.problem_mark.column + 1},
		           "not YAML: %s", parser.problem ? parser.problem : "unreadable");
	yaml_parser_delete(&parser);
	return loaded;
}

static bool read_file(struct programs *programs, const char *name, const char *path, const char *command)
{
	struct program *program = &programs->list[programs->count];
	struct reader reader = {.arena = &programs->arena, .program = program, .source = {.name = path}};
	char *text = cli_read_file(path, &reader.source.length);
	if (!text) {
		cli_error(command, "cannot read %s: %s", path, strerror(errno));
		return false;
	}
	reader.source.text = text;
	*program = (struct program){0};
	if (load(&reader)) {
		read_program(&reader, name);
		yaml_document_delete(&reader.document);
	}
	bool fine = !reader.diag.errors;
	if (!fine)
		fputs(reader.diag.text, stderr);
	else
		programs->count++;
	diag_free(&reader.diag);
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
