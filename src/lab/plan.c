#include "lab/plan.h"

#include "attach/attach.h"
#include "base/config_find.h"
#include "base/diag.h"
#include "base/file.h"
#include "lab/gantt.h"
#include "lab/run_energy.h"
#include "sluice_runtime.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a */
#define DIGEST_START 0xcbf29ce484222325u
#define DIGEST_PRIME 0x100000001b3u

static uint64_t digest_add(uint64_t digest, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		digest = (digest ^ (unsigned char)bytes[i]) * DIGEST_PRIME;
	return digest;
}

static const char *digest_text(struct arena *arena, uint64_t digest)
{
	char text[17];
	snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
	return arena_string(arena, text, 16);
}

const char *plan_digest_file(struct arena *arena, const char *path)
{
	char bytes[1 << 16];
	uint64_t digest = DIGEST_START;
	size_t got;
	FILE *file = file_open(path);
	if (!file)
		return NULL;
	while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
		digest = digest_add(digest, bytes, got);
	bool fine = !ferror(file);
	fclose(file);
	return fine ? digest_text(arena, digest) : NULL;
}

static const struct words no_words;
/* Its runs differ from those without. */
static const struct words by_unit = {.word = (const char *[]){"--units"}, .count = 1};

/* Joins all the words with spaces. */
static const char *join(struct arena *arena, const struct words *first, const struct words *second)
{
	size_t size = 1;
	const struct words *const both[] = {first, second};
	for (size_t b = 0; b < 2; b++)
		for (size_t i = 0; i < both[b]->count; i++)
			size += 1 + WORD_ROOM(both[b]->word[i]);
	char *text = arena_alloc(arena, size), *end = text;
	for (size_t b = 0; b < 2; b++)
		for (size_t i = 0; i < both[b]->count; i++) {
			if (end != text)
				*end++ = ' ';
			end = word_put(end, both[b]->word[i]);
		}
	return text;
}

/* Returns the words as a NULL-terminated list. */
static const char **list_of(struct arena *arena, const struct words *words)
{
	const char **list = arena_array(arena, words->count + 1, sizeof *list);
	if (words->count)
		memcpy(list, words->word, words->count * sizeof *list);
	return list;
}

static bool counts(const void *gpu, const char *name)
{
	return sluice_mechanisms_count(gpu, name) || sluice_energy_has(gpu, name);
}

/* A message, which may have several lines, about a column, whose name must not break the line. */
static const char *in_column(struct plan *plan, const struct experiment_column *column, const char *text)
{
	size_t length = strlen(column->name), size = sizeof "in column : " + length + strlen(text);
	char *both = arena_alloc(&plan->arena, size), *name = both + sizeof "in column " - 1;
	snprintf(both, size, "in column %s: %s", column->name, text);
	char after = name[length];
	name[length] = '\0';
	diag_hide_all(name);
	name[length] = after;
	return both;
}

void plan_tell(struct plan *plan, const struct experiment_column *column, struct diag_place place, const char *format,
               ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = diag_format(format, arguments);
	va_end(arguments);
	size_t length = strlen(text);
	if (length && text[length - 1] == '\n')
		text[--length] = '\0';
	bool again = false;
	for (const struct plan_told *told = plan->told; told; told = told->next)
		again |= strcmp(told->text, text) == 0 ||
		         (told->place.line == place.line && told->place.column == place.column);
	if (!again) {
		struct plan_told *told = arena_alloc(&plan->arena, sizeof *told);
		*told = (struct plan_told){arena_string(&plan->arena, text, length), place, plan->told};
		plan->told = told;
		const char *where = experiment_where(&plan->arena, plan->experiment, place);
		diag_say(where, "%s", column ? in_column(plan, column, text) : text);
	}
	free(text);
}

/* Checks that the counters of mechanisms named in the column's cells exist. Returns false after a message. */
static bool check_counters(struct plan *plan, size_t c, const sluice_gpu *gpu)
{
	const struct experiment *experiment = plan->experiment;
	for (size_t r = 0; r < experiment->row_count; r++) {
		const char *variant = experiment_variant(experiment, r, c);
		if (variant && experiment_is_nothing(variant))
			continue;
		const char *name = formula_uncounted(experiment_metric(experiment, r, c), counts, gpu);
		if (!name)
			continue;
		bool energy = strncmp(name, "energy.", 7) == 0;
		size_t length = strcspn(name, "["); /* "NAME[]" is a vector */
		plan_tell(plan, &experiment->columns[c], experiment_metric_place(experiment, r, c),
		          "no %s '%.*s'; %s has it",
		          energy         ? "component"
		          : name[length] ? "vector"
		                         : "counter",
		          (int)length, name,
		          energy ? "neither the table of energies nor a mechanism of the column"
		                 : "none of the column's mechanisms");
		return false;
	}
	return true;
}

/* Describes what is simulated: all keys of the machine, all options of mechanisms, and the contents of shared
 * objects. Returns NULL after a message. */
static char *description(struct plan *plan, const struct experiment_column *column, const sluice_gpu *gpu)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	if (!file)
		abort();
	sluice_machine_write(gpu, file);
	sluice_mechanisms_write(gpu, file);
	bool fine = true;
	for (size_t i = 0; i < column->mechanisms.count; i++) {
		const char *word = column->mechanisms.word[i];
		size_t bytes = sluice_mechanism_path(word);
		const char *path = arena_string(&plan->arena, word, bytes);
		const char *digest = bytes ? plan_digest_file(&plan->arena, path) : "";
		if (!digest)
			plan_tell(plan, column, experiment_column_place(plan->experiment, column, "mechanisms"),
			          "cannot read %s: %s", path, file_reason());
		fine = digest && fine;
		fputs(digest ? digest : "", file);
	}
	fclose(file);
	if (fine)
		return text;
	free(text);
	return NULL;
}

/* Whether a message names the word, or what stands before its '=' or ':'. */
static bool names(const char *message, const char *word)
{
	size_t length = sluice_mechanism_path(word);
	length = length ? length : strcspn(word, "=:");
	return length && memmem(message, strlen(message), word, length);
}

struct diag_place plan_column_place(const struct experiment *experiment, const struct experiment_column *column,
                                    const char *message)
{
	const struct words *const lists[] = {&column->options, &column->mechanisms};
	static const char *const keys[] = {"options", "mechanisms"};
	const struct diag_place none = {0};
	struct diag_place place = product_place(experiment, column, message);
	for (size_t i = 0; i < 2 && !place.line; i++)
		for (size_t w = 0; w < lists[i]->count && !place.line; w++)
			if (names(message, lists[i]->word[w]))
				place = document_place_of(&column->keys, keys[i], none);
	if (!place.line && names(message, column->machine))
		place = document_place_of(&column->keys, "machine",
		                          document_place_of(&experiment->keys, "machine", none));
	return place.line ? place : experiment_column_place(experiment, column, "");
}

/* Reports each of the library's messages about a column. */
static void tell_column(struct plan *plan, const struct experiment_column *column, const char *messages)
{
	static const char begin[] = "\nsluice: error: ";
	while (messages) {
		const char *next = strstr(messages, begin);
		size_t length = next ? (size_t)(next - messages) : strlen(messages);
		const char *message = arena_string(&plan->arena, messages, length);
		plan_tell(plan, column, plan_column_place(plan->experiment, column, message), "%s", message);
		messages = next ? next + sizeof begin - 1 : NULL;
	}
}

/* Returns why runs of the machine cannot keep a journal, or NULL. */
static const char *refuses_journal(struct plan *plan, const sluice_gpu *gpu)
{
	struct sluice_error error = {0};
	if (plan->experiment->show == SHOW_TIMELINE)
		return "a timeline would lack launches";
	if (sluice_journal_check(gpu, &error) == SLUICE_OK)
		return NULL;
	const char *message = diag_bare(error.message), *colon = strstr(message, "journal: ");
	message = colon ? colon + strlen("journal: ") : message;
	return arena_string(&plan->arena, message, strcspn(message, "\n"));
}

/* Returns the digest of what a column simulates, "" if nothing runs. Returns NULL after a message: the machine, a
 * mechanism, or a value shown in its cells does not exist. */
static const char *describe(struct plan *plan, size_t c)
{
	const struct experiment_column *column = &plan->experiment->columns[c];
	if (!column->machine)
		return "";
	sluice_gpu *gpu;
	struct sluice_error error = {0};
	const struct sluice_settings settings = {
		SLUICE_SIZED(settings), .machine = column->machine, .options = list_of(&plan->arena, &column->options),
		.mechanisms = list_of(&plan->arena, &column->mechanisms), .energy = experiment_table(plan->experiment)};
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK) {
		tell_column(plan, column, diag_bare(error.message));
		return NULL;
	}
	bool timeline = plan->experiment->show == SHOW_TIMELINE;
	bool fine = timeline ? gantt_look(plan, c, gpu) : check_counters(plan, c, gpu);
	char *text = fine ? description(plan, column, gpu) : NULL;
	plan->no_journal[c] = refuses_journal(plan, gpu);
	sluice_close(gpu);
	const char *digest = text ? digest_text(&plan->arena, digest_add(DIGEST_START, text, strlen(text))) : NULL;
	free(text);
	return digest;
}

/* Converts a path so that it is valid in another folder. */
static const char *absolute(struct plan *plan, const char *path)
{
	char folder[PATH_MAX], whole[2 * PATH_MAX];
	if (*path == '/' || !getcwd(folder, sizeof folder))
		return path;
	int length = snprintf(whole, sizeof whole, "%s/%s", folder, file_behind_dots(path));
	return arena_string(&plan->arena, whole, (size_t)length);
}

static void add(char **words, size_t *count, const char *option, const char *value)
{
	if (option)
		words[(*count)++] = (char *)option;
	words[(*count)++] = (char *)value;
}

static char **command_line(struct plan *plan, const struct planned *planned, const struct plan_program *program,
                           const struct experiment_column *column, const struct experiment_row *row)
{
	const struct run_config *config = &planned->config;
	char seed[24];
	size_t count = 0, most = 20 + 2 * column->options.count + 2 * column->mechanisms.count +
	                         column->arguments.count + row->arguments.count;
	char **words = arena_array(&plan->arena, most, sizeof *words);
	int length = snprintf(seed, sizeof seed, "%llu", (unsigned long long)config->seed);
	add(words, &count, plan->source->sluice, "run");
	bool moves = planned->files; /* into another folder */
	const char *machine = column->machine;
	add(words, &count, "-m", moves && config_is_path(machine) ? absolute(plan, machine) : machine);
	for (size_t i = 0; i < column->options.count; i++)
		add(words, &count, "-o", column->options.word[i]);
	for (size_t i = 0; i < column->mechanisms.count; i++)
		add(words, &count, "--mech",
		    moves && sluice_mechanism_path(column->mechanisms.word[i])
		            ? absolute(plan, column->mechanisms.word[i])
		            : column->mechanisms.word[i]);
	if (plan->has_units)
		add(words, &count, NULL, "--units");
	if (planned->timeline) {
		add(words, &count, "--timeline", planned->timeline);
		add(words, &count, "--timeline-events", GANTT_MOST_TEXT);
	}
	add(words, &count, "--", moves ? absolute(plan, program->binary) : program->binary);
	if (!program->own) {
		add(words, &count, "--size", config->size);
		add(words, &count, "--variant", config->variant);
		add(words, &count, "--seed", arena_string(&plan->arena, seed, (size_t)length));
	}
	for (size_t i = 0; i < row->arguments.count; i++)
		add(words, &count, NULL, row->arguments.word[i]);
	for (size_t i = 0; i < column->arguments.count; i++)
		add(words, &count, NULL, column->arguments.word[i]);
	return words;
}

/* Fields that make two runs of a plan equal; the library is the plan's, and the binary follows from the program. */
enum { NAMES = 9 };
static void names_of(const struct run_config *config, const char *names[NAMES])
{
	const char *const texts[NAMES] = {config->program,    config->variant,     config->size,
	                                  config->arguments,  config->machine,     config->options,
	                                  config->mechanisms, config->description, config->inputs};
	memcpy(names, texts, sizeof texts);
}

static bool is_same(const struct run_config *a, const struct run_config *b)
{
	const char *ours[NAMES], *theirs[NAMES];
	names_of(a, ours);
	names_of(b, theirs);
	for (size_t i = 0; i < NAMES; i++)
		if (strcmp(ours[i], theirs[i]) != 0)
			return false;
	return a->seed == b->seed;
}

/* Returns the entry in `found` of an equal run, or the free entry for this one. */
static size_t *find_run(const struct plan *plan, const struct run_config *config)
{
	const char *names[NAMES];
	uint64_t digest = DIGEST_START ^ config->seed;
	names_of(config, names);
	for (size_t i = 0; i < NAMES; i++)
		digest = digest_add(digest, names[i], strlen(names[i]) + 1);
	size_t place = (size_t)(digest ^ digest >> 32) & (plan->found_size - 1);
	while (plan->found[place] != PLAN_NOTHING && !is_same(&plan->runs[plan->found[place]].config, config))
		place = (place + 1) & (plan->found_size - 1);
	return &plan->found[place];
}

/* Returns the digest of a file, which is read once. Returns NULL with errno set. */
static const char *digest_once(struct plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->digest_count; i++)
		if (strcmp(plan->digests[i].path, path) == 0)
			return plan->digests[i].digest;
	const char *digest = plan_digest_file(&plan->arena, path);
	if (digest)
		plan->digests[plan->digest_count++] = (struct plan_digest){path, digest};
	return digest;
}

/* Returns the digest of a row's files with their names; "" when there are none; NULL after a message. */
static const char *digest_files(struct plan *plan, const struct experiment_row *row)
{
	uint64_t digest = DIGEST_START;
	for (size_t i = 0; i < row->files.count; i += 2) {
		const char *contents = digest_once(plan, row->files.word[i]);
		if (!contents) {
			struct diag_place of_all = experiment_key_place(plan->experiment, "files");
			plan_tell(plan, NULL, document_place_of(&row->keys, "files", of_all),
			          "cannot read the input file %s: %s", row->files.word[i], file_reason());
			return NULL;
		}
		digest = digest_add(digest, row->files.word[i + 1], strlen(row->files.word[i + 1]) + 1);
		digest = digest_add(digest, contents, strlen(contents));
	}
	return row->files.count ? digest_text(&plan->arena, digest) : "";
}

/* Returns the digest of a program, compiled if necessary. Returns NULL after a message, which is printed once per
 * program. */
static const char *digest_program(struct plan *plan, const struct experiment_row *row, struct plan_program *program)
{
	const struct plan_source *source = plan->source;
	const char *name = program->name, *what = program->binary ? program->binary : name;
	struct diag_place place = experiment_program_place(plan->experiment, row);
	if (words_have(&plan->missing, what))
		return NULL;
	if (!program->binary && source->compile)
		program->binary = source->compile(source->context, name);
	else if (!program->binary)
		plan_tell(plan, NULL, place, "%s is not compiled yet; 'sluice programs run %s' does it", name, name);
	const char *digest = program->binary ? digest_once(plan, program->binary) : NULL;
	if (digest)
		return digest;
	if (program->binary)
		plan_tell(plan, NULL, place, "cannot read %s: %s", program->binary, file_reason());
	plan->missing.word[plan->missing.count++] = what;
	return NULL;
}

/* Adds a run that is not in the plan yet. Returns false after a message. */
static bool add_run(struct plan *plan, struct plan_program *program, const struct experiment_column *column,
                    const struct experiment_row *row, struct run_config *config)
{
	config->binary = digest_program(plan, row, program);
	if (!config->binary)
		return false;
	struct planned *planned = &plan->runs[plan->count];
	*planned = (struct planned){.config = *config,
	                            .binary = program->binary,
	                            .own = program->own,
	                            .no_journal = plan->no_journal[column - plan->experiment->columns],
	                            .files = row->files.count ? &row->files : NULL};
	if (plan->experiment->show == SHOW_TIMELINE)
		planned->timeline = gantt_path(plan, plan->count);
	planned->words = command_line(plan, planned, program, column, row);
	plan->count++;
	return true;
}

static bool add_facts(struct plan *plan, const struct plan_program *program, struct run_config *config)
{
	const struct plan_source *source = plan->source;
	config->binary = "";
	config->size = "";
	json_t *facts = source->examine(source->context, program, experiment_needs(plan->experiment, FORMULA_PTX));
	if (facts)
		plan->runs[plan->count++] = (struct planned){.config = *config, .facts = facts};
	return facts;
}

/* Sets the number of a cell's run, which is added if it is new. Returns false after a message. */
static bool plan_cell(struct plan *plan, struct plan_program *program, size_t r, size_t c,
                      const struct run_config *common)
{
	const struct experiment_row *row = &plan->experiment->rows[r];
	const struct experiment_column *column = &plan->experiment->columns[c];
	struct run_config config = *common;
	config.program = program->name;
	config.variant = program->variant;
	config.size = program->own ? "" : row->size ? row->size : common->size;
	config.seed = program->own ? 0 : row->has_seed ? row->seed : common->seed;
	config.inputs = digest_files(plan, row);
	if (!config.inputs)
		return false;
	config.arguments = join(&plan->arena, &row->arguments, &column->arguments);
	config.machine = column->machine ? column->machine : "";
	config.options = join(&plan->arena, &column->options, plan->has_units ? &by_unit : &no_words);
	config.mechanisms = join(&plan->arena, &column->mechanisms, &no_words);
	size_t *found = find_run(plan, &config);
	bool is_new = *found == PLAN_NOTHING;
	if (is_new)
		*found = plan->count;
	plan->cells[r * plan->experiment->column_count + c] = *found;
	if (!is_new)
		return true;
	bool fine = column->machine ? add_run(plan, program, column, row, &config) : add_facts(plan, program, &config);
	if (!fine)
		*found = PLAN_NOTHING;
	return fine;
}

/* Returns false after a message, which is printed once per program and variant. */
static bool find_program(struct plan *plan, size_t r, size_t c, const char *variant, struct plan_program *program)
{
	const struct experiment *experiment = plan->experiment;
	const struct experiment_row *row = &experiment->rows[r];
	const struct experiment_column *column = &experiment->columns[c];
	*program = (struct plan_program){.name = row->program, .variant = "", .binary = row->path, .own = true};
	if (row->path)
		return true;
	struct words both = {.word = (const char *[]){row->program, variant ? variant : ""}, .count = 2};
	const char *what = join(&plan->arena, &both, &no_words);
	if (words_have(&plan->missing, what) || words_have(&plan->missing, row->program))
		return false;
	struct diag_place place = experiment_program_place(experiment, row);
	const struct diag_place of_variant = row->variants.count || !column->variant
	                                             ? experiment_variant_place(experiment, row)
	                                             : experiment_column_place(experiment, column, "variant");
	const char *const where[2] = {experiment_where(&plan->arena, experiment, place),
	                              experiment_where(&plan->arena, experiment, of_variant)};
	if (plan->source->find(plan->source->context, where, row->program, variant, program))
		return true;
	plan->missing.word[plan->missing.count++] = what;
	return false;
}

static bool plan_rows(struct plan *plan, const char *const *descriptions, struct run_config *common)
{
	const struct experiment *experiment = plan->experiment;
	bool fine = true;
	for (size_t r = 0; r < experiment->row_count; r++) {
		for (size_t c = 0; c < experiment->column_count; c++) {
			struct plan_program program;
			const char *variant = experiment_variant(experiment, r, c);
			plan->cells[r * experiment->column_count + c] = PLAN_NOTHING;
			if (variant && experiment_is_nothing(variant))
				continue;
			common->description = descriptions[c];
			fine = find_program(plan, r, c, variant, &program) && plan_cell(plan, &program, r, c, common) &&
			       fine;
		}
	}
	return fine;
}

/* Opens the table of energies that the file names. Returns false after a message. */
static bool check_energies(struct plan *plan)
{
	const struct experiment *experiment = plan->experiment;
	struct energies energies;
	struct diag diag = {0};
	if (!experiment->energy || !experiment_table(experiment))
		return true;
	bool fine = energies_open(&energies, experiment->energy, &diag);
	if (!fine && strcmp(diag_bare(diag.text), diag.text) == 0)
		fputs(diag.text, stderr); /* about the table's own file */
	else if (!fine)
		plan_tell(plan, NULL, experiment_key_place(experiment, "energy"), "%s", diag_bare(diag.text));
	energies_close(&energies);
	diag_free(&diag);
	return fine;
}

/* Upper bound of the number of files to read: each row's program and its input files. */
static size_t count_files(const struct experiment *experiment)
{
	size_t count = 1;
	for (size_t r = 0; r < experiment->row_count; r++)
		count += 1 + experiment->rows[r].files.count / 2;
	return count;
}

bool plan_make(struct plan *plan, const struct experiment *experiment, const struct plan_source *source)
{
	size_t cells = experiment->row_count * experiment->column_count;
	struct run_config common = {.size = source->size, .seed = source->seed};
	plan->experiment = experiment;
	plan->source = source;
	plan->has_units = experiment_has_units(experiment);
	plan->runs = arena_array(&plan->arena, cells + 1, sizeof *plan->runs);
	plan->cells = arena_array(&plan->arena, cells + 1, sizeof *plan->cells);
	plan->found_size = 16;
	while (plan->found_size < 2 * cells)
		plan->found_size *= 2;
	plan->found = arena_array(&plan->arena, plan->found_size, sizeof *plan->found);
	for (size_t i = 0; i < plan->found_size; i++)
		plan->found[i] = PLAN_NOTHING;
	plan->digests = arena_array(&plan->arena, count_files(experiment), sizeof *plan->digests);
	plan->missing.word = arena_array(&plan->arena, cells + 1, sizeof *plan->missing.word);
	plan->no_journal = arena_array(&plan->arena, experiment->column_count + 1, sizeof *plan->no_journal);
	plan->drawn = arena_array(&plan->arena, experiment->column_count + 1, sizeof *plan->drawn);
	const char **descriptions = arena_array(&plan->arena, experiment->column_count + 1, sizeof *descriptions);
	bool fine = check_energies(plan), wrong = !fine;
	for (size_t c = 0; c < experiment->column_count; c++) {
		descriptions[c] = fine ? describe(plan, c) : NULL;
		wrong |= !descriptions[c];
	}
	fine = !wrong && (experiment->show != SHOW_TIMELINE || gantt_check_events(plan));
	common.library = plan_digest_file(&plan->arena, source->library);
	if (!common.library) {
		diag_say(source->command, "cannot read %s: %s", source->library, file_reason());
		return false;
	}
	return fine && plan_rows(plan, descriptions, &common);
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		json_decref(plan->runs[i].facts);
	arena_free(&plan->arena);
}
