#include "lab/plan.h"

#include "attach/attach.h"
#include "base/config_find.h"
#include "base/diag.h"
#include "base/file.h"
#include "lab/gantt.h"
#include "sluice_runtime.h"

#include <errno.h>
#include <limits.h>
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

/* Checks that the counters of mechanisms named in the column's cells exist. Returns false after a message. */
static bool check_counters(const struct plan *plan, size_t c, const sluice_gpu *gpu)
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
		fprintf(stderr, "%s: in column %s: no %s '%s'; %s has it\n", plan->source->command,
		        experiment->columns[c].name, energy ? "component" : "counter", name,
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
			fprintf(stderr, "%s: cannot read %s: %s\n", plan->source->command, path, file_reason());
		fine = digest && fine;
		fputs(digest ? digest : "", file);
	}
	fclose(file);
	if (fine)
		return text;
	free(text);
	return NULL;
}

/* Reports what is wrong with a column, with its place in the file for a product. Columns with the same error, or
 * with an error from the same value, are reported once. */
static void tell_column(struct plan *plan, const struct experiment_column *column, const char *message)
{
	struct diag_place place = product_place(plan->experiment, column, message);
	bool again = plan->told.text && plan->experiment->file &&
	             (strcmp(plan->told.text, message) == 0 ||
	              (place.line == plan->told.place.line && place.column == plan->told.place.column));
	if (again)
		return;
	plan->told.text = arena_string(&plan->arena, message, strlen(message));
	plan->told.place = place;
	if (plan->experiment->file && place.line)
		fprintf(stderr, "%s:%u:%u: error: in column %s: %s\n", plan->experiment->file, place.line, place.column,
		        column->name, message);
	else if (plan->experiment->file)
		fprintf(stderr, "%s: error: in column %s: %s\n", plan->experiment->file, column->name, message);
	else
		fprintf(stderr, "%s: in column %s: %s\n", plan->source->command, column->name, message);
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
			fprintf(stderr, "%s: %s: cannot read its file %s: %s\n", plan->source->command, row->name,
			        row->files.word[i], file_reason());
			return NULL;
		}
		digest = digest_add(digest, row->files.word[i + 1], strlen(row->files.word[i + 1]) + 1);
		digest = digest_add(digest, contents, strlen(contents));
	}
	return row->files.count ? digest_text(&plan->arena, digest) : "";
}

static const struct words no_words;

/* Returns the digest of a program, compiled if necessary. Returns NULL after a message, which is printed once per
 * program. */
static const char *digest_program(struct plan *plan, struct plan_program *program)
{
	const struct plan_source *source = plan->source;
	const char *name = program->name, *what = program->binary ? program->binary : name;
	for (size_t i = 0; i < plan->missing_count; i++)
		if (strcmp(plan->missing[i], what) == 0)
			return NULL;
	if (!program->binary && source->compile)
		program->binary = source->compile(source->context, name);
	else if (!program->binary)
		fprintf(stderr, "%s: %s is not compiled yet; 'sluice programs run %s' does it\n", source->command, name,
		        name);
	const char *digest = program->binary ? digest_once(plan, program->binary) : NULL;
	if (digest)
		return digest;
	if (program->binary)
		fprintf(stderr, "%s: cannot read %s: %s\n", source->command, program->binary, file_reason());
	plan->missing[plan->missing_count++] = what;
	return NULL;
}

/* Adds a run that is not in the plan yet. Returns false after a message. */
static bool add_run(struct plan *plan, struct plan_program *program, const struct experiment_column *column,
                    const struct experiment_row *row, struct run_config *config)
{
	config->binary = digest_program(plan, program);
	if (!config->binary)
		return false;
	struct planned *planned = &plan->runs[plan->count];
	*planned = (struct planned){.config = *config,
	                            .binary = program->binary,
	                            .own = program->own,
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
	config.options = join(&plan->arena, &column->options, &no_words);
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

/* Returns false after a message. */
static bool find_program(const struct plan *plan, const struct experiment_row *row, const char *variant,
                         struct plan_program *program)
{
	if (!row->path)
		return plan->source->find(plan->source->context, row->program, variant, program);
	*program = (struct plan_program){.name = row->program, .variant = "", .binary = row->path, .own = true};
	return true;
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
			fine = find_program(plan, &experiment->rows[r], variant, &program) &&
			       plan_cell(plan, &program, r, c, common) && fine;
		}
	}
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
	plan->runs = arena_array(&plan->arena, cells + 1, sizeof *plan->runs);
	plan->cells = arena_array(&plan->arena, cells + 1, sizeof *plan->cells);
	plan->found_size = 16;
	while (plan->found_size < 2 * cells)
		plan->found_size *= 2;
	plan->found = arena_array(&plan->arena, plan->found_size, sizeof *plan->found);
	for (size_t i = 0; i < plan->found_size; i++)
		plan->found[i] = PLAN_NOTHING;
	plan->digests = arena_array(&plan->arena, count_files(experiment), sizeof *plan->digests);
	plan->missing = arena_array(&plan->arena, cells + 1, sizeof *plan->missing);
	plan->drawn = arena_array(&plan->arena, experiment->column_count + 1, sizeof *plan->drawn);
	const char **descriptions = arena_array(&plan->arena, experiment->column_count + 1, sizeof *descriptions);
	bool fine = true;
	for (size_t c = 0; c < experiment->column_count; c++) {
		descriptions[c] = describe(plan, c);
		fine = descriptions[c] && fine;
	}
	fine = fine && (experiment->show != SHOW_TIMELINE || gantt_check_events(plan));
	common.library = plan_digest_file(&plan->arena, source->library);
	if (!common.library) {
		fprintf(stderr, "%s: cannot read %s: %s\n", source->command, source->library, file_reason());
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
