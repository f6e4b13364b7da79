#include "base/config_file.h"

#include "base/arena.h"
#include "base/config_find.h"
#include "base/file.h"
#include "base/edit_distance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

enum { PATH_SIZE = 128, MESSAGE_SIZE = 512 };

/* A key set by the file that is not an option, by its full dotted path. */
struct seen_key {
	const char *path;
	uint32_t line;
	struct seen_key *next;
};

/* The files being read, from the newest to the one that the user named. It serves to find a base that leads back to
 * itself by any path. */
struct reading {
	const char *path;
	dev_t device;
	ino_t file;
	const struct reading *outer;
};

/* The destination, which a file and its bases have in common. */
struct target {
	const struct base_option *table;
	size_t count;
	void *config;
	const char *const *folders; /* for bases, in addition to the file's own; or NULL */
	bool *given;                /* by option: true if some file has set it; or NULL */
};

struct reader {
	const struct target *target;
	struct diag *diag;
	struct arena arena;
	struct diag_source source;
	struct reading reading;
	yaml_parser_t parser;
	struct seen_key *seen;
	uint32_t *option_line;  /* by option: line in which the file has set it, or 0 */
	size_t next_option;     /* index after the last found option */
	size_t line;            /* number of the last found line, from 0 */
	const char *line_start; /* its start in the text */
	bool failed;            /* the YAML itself is invalid: no more events */
	struct diag before;     /* copy of `diag` from before the first event of the file */
};

static bool read_file(const char *path, const struct reading *outer, const struct target *target, struct diag *diag);
static void read_mapping(struct reader *reader, const char *prefix);

/* The start of a line. Searched from the last found line on, because nearly all queries ascend. */
static const char *find_line(struct reader *reader, size_t line)
{
	const char *end = reader->source.text + reader->source.length;
	if (!reader->line_start || line < reader->line) {
		reader->line = 0;
		reader->line_start = reader->source.text;
	}
	for (; reader->line < line && reader->line_start < end; reader->line++) {
		const char *newline = memchr(reader->line_start, '\n', (size_t)(end - reader->line_start));
		reader->line_start = newline ? newline + 1 : end;
	}
	return reader->line_start;
}

/* libyaml counts columns in characters, diagnostics in bytes. */
static struct diag_place place_of(struct reader *reader, yaml_mark_t mark)
{
	const char *text = find_line(reader, mark.line), *end = reader->source.text + reader->source.length;
	const char *at = text;
	for (size_t column = 0; column < mark.column && at < end; column++)
		for (at++; at < end && ((unsigned char)*at & 0xc0) == 0x80;)
			at++;
	return (struct diag_place){(uint32_t)mark.line + 1, (uint32_t)(at - text) + 1};
}

static bool next_event(struct reader *reader, yaml_event_t *event)
{
	if (reader->failed)
		return false;
	if (yaml_parser_parse(&reader->parser, event))
		return true;
	reader->failed = true;
	diag_take_back(reader->diag, &reader->before); /* invalid text can cause further messages */
	const yaml_parser_t *parser = &reader->parser;
	if (parser->error == YAML_READER_ERROR) {
		diag_error(reader->diag, &reader->source, diag_place_of(&reader->source, parser->problem_offset),
		           "not YAML: %s", parser->problem);
		return false;
	}
	diag_error(reader->diag, &reader->source, place_of(reader, parser->problem_mark), "not YAML: %s%s%s",
	           parser->context ? parser->context : "", parser->context ? ", " : "", parser->problem);
	return false;
}

/* Skips the rest of a value whose first event is given. */
static void skip_value(struct reader *reader, yaml_event_type_t first)
{
	uint32_t depth = first == YAML_MAPPING_START_EVENT || first == YAML_SEQUENCE_START_EVENT;
	yaml_event_t event;
	while (depth && next_event(reader, &event)) {
		if (event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT)
			depth++;
		else if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT)
			depth--;
		yaml_event_delete(&event);
	}
}

/* The first option whose name begins with "path.", which makes the path a section; or NULL. */
static const struct base_option *first_inside(const struct base_option *table, size_t count, const char *path)
{
	size_t length = strlen(path);
	for (size_t i = 0; i < count; i++)
		if (strncmp(table[i].name, path, length) == 0 && table[i].name[length] == '.')
			return &table[i];
	return NULL;
}

/* Writes the option, or section of an option, that is nearest to a name; "" when none is near. */
static void nearest_key(const struct base_option *table, size_t count, const char *name, char nearest[PATH_SIZE])
{
	uint32_t best = EDIT_DISTANCE_FAR;
	*nearest = '\0';
	for (size_t i = 0; i < count; i++) {
		for (const char *end = table[i].name; *end; end++) {
			if (end[1] && end[1] != '.')
				continue;
			char prefix[PATH_SIZE];
			snprintf(prefix, sizeof prefix, "%.*s", (int)(end + 1 - table[i].name), table[i].name);
			if (edit_distance_is_nearer(name, prefix, &best))
				memcpy(nearest, prefix, sizeof prefix);
		}
	}
}

/* "unknown option 'l1d.stes'; did you mean 'l1d.sets'?" */
static void unknown_key(const struct base_option *table, size_t count, const char *name, char message[MESSAGE_SIZE])
{
	char nearest[PATH_SIZE];
	nearest_key(table, count, name, nearest);
	if (*nearest)
		snprintf(message, MESSAGE_SIZE, "unknown option '%s'; did you mean '%s'?", name, nearest);
	else
		snprintf(message, MESSAGE_SIZE, "unknown option '%s'", name);
}

/* The option of that name, searched from after the last found one on, because nearly all files have them in the
 * table's order. */
static const struct base_option *find_option(struct reader *reader, const char *name)
{
	const struct target *target = reader->target;
	size_t next = reader->next_option;
	const struct base_option *found = base_option_find(target->table + next, target->count - next, name);
	if (!found)
		found = base_option_find(target->table, next, name);
	if (found)
		reader->next_option = (size_t)(found - target->table) + 1;
	return found;
}

/* The stored line number of a key. */
static uint32_t *line_of(struct reader *reader, const struct base_option *option, const char *path)
{
	if (option)
		return &reader->option_line[option - reader->target->table];
	for (struct seen_key *key = reader->seen; key; key = key->next)
		if (strcmp(key->path, path) == 0)
			return &key->line;
	struct seen_key *key = arena_alloc(&reader->arena, sizeof *key);
	*key = (struct seen_key){arena_string(&reader->arena, path, strlen(path)), 0, reader->seen};
	reader->seen = key;
	return &key->line;
}

/* Records a key, which is an option's or not (NULL). False, with an error, when the file has it already. */
static bool remember(struct reader *reader, const struct base_option *option, const char *path, struct diag_place place)
{
	uint32_t *line = line_of(reader, option, path);
	if (*line) {
		diag_error(reader->diag, &reader->source, place, "'%s' is set a second time; the first is in line %u",
		           path, *line);
		return false;
	}
	*line = place.line;
	return true;
}

static void set_option(struct reader *reader, const struct base_option *option, const yaml_event_t *value)
{
	char message[MESSAGE_SIZE];
	struct diag_place place = place_of(reader, value->start_mark);
	if (value->type == YAML_SCALAR_EVENT) {
		const char *text = (const char *)value->data.scalar.value;
		if (!base_option_set(option, reader->target->config, text, message, sizeof message))
			diag_error(reader->diag, &reader->source, place, "%s", message);
		if (reader->target->given)
			reader->target->given[option - reader->target->table] = true;
	} else if (value->type == YAML_ALIAS_EVENT) {
		diag_error(reader->diag, &reader->source, place, "%s: expected one value; aliases are not allowed",
		           option->name);
	} else {
		diag_error(reader->diag, &reader->source, place, "%s: expected one value, not a %s", option->name,
		           value->type == YAML_SEQUENCE_START_EVENT ? "list" : "mapping");
	}
}

static void read_section(struct reader *reader, const char *path, const yaml_event_t *value)
{
	if (value->type == YAML_MAPPING_START_EVENT) {
		read_mapping(reader, path);
		return;
	}
	diag_error(reader->diag, &reader->source, place_of(reader, value->start_mark),
	           "%s: expected its options, indented below it or in { }", path);
	skip_value(reader, value->type);
}

/* The path of a base. A path is relative to the file that names it. A name is searched in that file's folder, then
 * in the folders. The result is in the arena; NULL after a message. */
static const char *find_base(struct reader *reader, const char *name, struct diag_place place)
{
	enum { MOST = 8 };
	const char *path = reader->reading.path, *slash = strrchr(path, '/'), *folders[MOST + 2] = {0};
	char *own = arena_string(&reader->arena, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	char nearest[CONFIG_NAME_SIZE];
	if (config_is_path(name)) {
		size_t size = strlen(own) + strlen(name) + 2;
		char *joined = arena_alloc(&reader->arena, size);
		snprintf(joined, size, "%s%s%s", *name == '/' ? "" : own, *name == '/' ? "" : "/", name);
		return joined;
	}
	folders[0] = own;
	for (size_t i = 0; reader->target->folders && reader->target->folders[i] && i < MOST; i++)
		folders[i + 1] = reader->target->folders[i];
	char *found = config_find(name, folders);
	if (found) {
		const char *kept = arena_string(&reader->arena, found, strlen(found));
		free(found);
		return kept;
	}
	config_nearest(name, folders, nearest);
	diag_error(reader->diag, &reader->source, place, "base: there is no '%s'%s%s%s", name,
	           *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
	return NULL;
}

static void read_base(struct reader *reader, const yaml_event_t *value, struct diag_place key, bool is_first)
{
	struct diag_place place = place_of(reader, value->start_mark);
	struct stat status;
	if (!is_first) {
		diag_error(reader->diag, &reader->source, key,
		           "'base' must be the first key: the keys after it change the base");
		return;
	}
	const char *name = value->type == YAML_SCALAR_EVENT ? (const char *)value->data.scalar.value : "";
	if (!*name) {
		diag_error(reader->diag, &reader->source, place, "base: expected the name or the path of a file");
		return;
	}
	const char *path = find_base(reader, name, place);
	if (!path)
		return;
	if (stat(path, &status) != 0) {
		diag_error(reader->diag, &reader->source, place, "base: cannot read %s: %s", path, file_reason());
		return;
	}
	for (const struct reading *reading = &reader->reading; reading; reading = reading->outer) {
		if (reading->device == status.st_dev && reading->file == status.st_ino) {
			diag_error(reader->diag, &reader->source, place, "base: '%s' is based on itself", name);
			return;
		}
	}
	read_file(path, &reader->reading, reader->target, reader->diag);
}

/* Reads one key of a mapping and its value. */
static void read_pair(struct reader *reader, const char *prefix, const yaml_event_t *key, bool is_first)
{
	struct diag_place place = place_of(reader, key->start_mark);
	const char *name = key->type == YAML_SCALAR_EVENT ? (const char *)key->data.scalar.value : "";
	char path[PATH_SIZE], message[MESSAGE_SIZE];
	bool is_name =
		*name && (size_t)snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", name) < sizeof path;
	if (!is_name) {
		diag_error(reader->diag, &reader->source, place, "expected the name of an option");
		skip_value(reader, key->type);
	}
	yaml_event_t value;
	if (!next_event(reader, &value))
		return;
	const struct target *target = reader->target;
	const struct base_option *option = is_name ? find_option(reader, path) : NULL;
	if (!is_name || !remember(reader, option, path, place)) {
		skip_value(reader, value.type);
	} else if (option) {
		set_option(reader, option, &value);
		skip_value(reader, value.type);
	} else if (first_inside(target->table, target->count, path)) {
		read_section(reader, path, &value);
	} else if (strcmp(path, "base") == 0) {
		read_base(reader, &value, place, is_first);
		skip_value(reader, value.type);
	} else {
		unknown_key(target->table, target->count, path, message);
		diag_error(reader->diag, &reader->source, place, "%s", message);
		skip_value(reader, value.type);
	}
	yaml_event_delete(&value);
}

/* Reads the pairs of a mapping whose start has been read. The nesting is bounded, because a path names a section at
 * every level. */
static void read_mapping(struct reader *reader, const char *prefix)
{
	yaml_event_t event;
	for (bool is_first = true; next_event(reader, &event); is_first = false) {
		bool ends = event.type == YAML_MAPPING_END_EVENT;
		if (!ends)
			read_pair(reader, prefix, &event, is_first);
		yaml_event_delete(&event);
		if (ends)
			break;
	}
}

static void read_stream(struct reader *reader)
{
	uint32_t documents = 0;
	yaml_event_t event;
	for (bool ends = false; !ends && next_event(reader, &event);) {
		struct diag_place place = place_of(reader, event.start_mark);
		ends = event.type == YAML_STREAM_END_EVENT;
		if (event.type == YAML_DOCUMENT_START_EVENT && ++documents > 1) {
			diag_error(reader->diag, &reader->source, place, "expected one document, found a second");
			ends = true;
		} else if (event.type == YAML_MAPPING_START_EVENT) {
			read_mapping(reader, "");
		} else if (event.type == YAML_SEQUENCE_START_EVENT ||
		           (event.type == YAML_SCALAR_EVENT && event.data.scalar.length > 0)) {
			diag_error(reader->diag, &reader->source, place, "expected 'NAME: VALUE' lines");
			skip_value(reader, event.type);
		}
		yaml_event_delete(&event);
	}
}

static bool read_file(const char *path, const struct reading *outer, const struct target *target, struct diag *diag)
{
	struct reader reader = {
		.target = target, .diag = diag, .reading = {.path = path, .outer = outer}, .before = *diag};
	struct stat status = {0};
	uint32_t before = diag->errors;
	char *text = stat(path, &status) == 0 ? file_read(path, &reader.source.length) : NULL;
	reader.reading.device = status.st_dev;
	reader.reading.file = status.st_ino;
	reader.source.name = path;
	reader.source.text = text;
	reader.option_line = arena_array(&reader.arena, target->count, sizeof *reader.option_line);
	if (!text) {
		diag_plain(diag, "cannot read %s: %s", path, file_reason());
	} else {
		if (!yaml_parser_initialize(&reader.parser))
			abort();
		yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, reader.source.length);
		read_stream(&reader);
		yaml_parser_delete(&reader.parser);
	}
	free(text);
	arena_free(&reader.arena);
	return diag->errors == before;
}

bool config_file_read(const char *path, const struct base_option *table, size_t count, void *config, struct diag *diag)
{
	const struct target target = {.table = table, .count = count, .config = config};
	return read_file(path, NULL, &target, diag);
}

/* True when keys differ only after their last dot: sm.l1d.sets and sm.l1d.ways. */
static bool in_group(const char *one, const char *other)
{
	const char *dot = strrchr(one, '.');
	size_t length = dot ? (size_t)(dot - one) + 1 : 0;
	return strncmp(one, other, length) == 0 && !strchr(other + length, '.');
}

/* Reports all options that no file has set, in one message. */
static void report_missing(const char *path, const struct target *target, struct diag *diag)
{
	const struct diag_source source = {.name = path};
	char *list = NULL;
	size_t length = 0, missing = 0;
	FILE *file = open_memstream(&list, &length);
	if (!file)
		abort();
	bool *done = base_calloc(target->count, sizeof *done);
	memcpy(done, target->given, target->count * sizeof *done);
	for (size_t i = 0; i < target->count; i++) {
		const char *begin = missing ? "\n  " : "  ";
		for (size_t j = i; !done[i] && j < target->count; j++) {
			if (done[j] || (j > i && !in_group(target->table[i].name, target->table[j].name)))
				continue;
			fprintf(file, "%s%s", begin, target->table[j].name);
			begin = ", ";
			done[j] = j > i;
			missing++;
		}
	}
	free(done);
	fclose(file);
	if (missing)
		diag_error(diag, &source, (struct diag_place){0},
		           "%zu of its %zu keys have no value; give them, or begin the file with 'base: OTHER', whose "
		           "values apply to all keys that the file does not set:\n%s",
		           missing, target->count, list);
	free(list);
}

bool config_file_read_whole(const char *path, const char *const *folders, const struct base_option *table, size_t count,
                            void *config, struct diag *diag)
{
	const struct target target = {table, count, config, folders, base_calloc(count, sizeof(bool))};
	bool fine = read_file(path, NULL, &target, diag);
	if (fine)
		report_missing(path, &target, diag);
	fine = fine && !diag->errors;
	free(target.given);
	return fine;
}

bool config_assign(const char *assignment, const struct base_option *table, size_t count, void *config,
                   struct diag *diag)
{
	char name[PATH_SIZE], message[MESSAGE_SIZE];
	const char *equals = strchr(assignment, '=');
	size_t length = equals ? (size_t)(equals - assignment) : 0;
	if (length == 0 || length >= sizeof name) {
		diag_plain(diag, "expected KEY=VALUE, not '%s'", assignment);
		return false;
	}
	memcpy(name, assignment, length);
	name[length] = '\0';
	const struct base_option *option = base_option_find(table, count, name);
	const struct base_option *inside = option ? NULL : first_inside(table, count, name);
	if (option && base_option_set(option, config, equals + 1, message, sizeof message))
		return true;
	if (inside)
		snprintf(message, sizeof message, "'%s' is a group of options, such as '%s'", name, inside->name);
	else if (!option)
		unknown_key(table, count, name, message);
	diag_hide_all(message);
	diag_plain(diag, "%s", message);
	return false;
}

static void write_value(FILE *file, const struct base_option *option, const void *config)
{
	char value[2 * BASE_OPTION_TEXT_SIZE];
	base_option_print(option, config, value, sizeof value);
	if (option->type != BASE_OPTION_TEXT) {
		fputs(value, file);
		return;
	}
	/* In single quotes only the quote itself is special, and is doubled. */
	fputc('\'', file);
	for (const char *at = value; *at; at++)
		fputs(*at == '\'' ? "''" : (char[]){*at, '\0'}, file);
	fputc('\'', file);
}

/* Writes the options whose names begin with the first `prefix` bytes of `first`'s name. These end in a dot, or are 0
 * bytes. */
static void write_section(FILE *file, const struct base_option *table, size_t count, const void *config,
                          const struct base_option *first, size_t prefix, int depth)
{
	for (const struct base_option *option = first; option < table + count; option++) {
		if (strncmp(option->name, first->name, prefix) != 0)
			continue;
		const char *name = option->name + prefix, *dot = strchr(name, '.');
		if (!dot) {
			fprintf(file, "%*s%s: ", 2 * depth, "", name);
			write_value(file, option, config);
			fputc('\n', file);
			continue;
		}
		size_t inner = (size_t)(dot + 1 - option->name);
		const struct base_option *other = first;
		while (strncmp(other->name, option->name, inner) != 0)
			other++;
		if (other != option)
			continue; /* an earlier option has opened this section */
		fprintf(file, "%*s%.*s:\n", 2 * depth, "", (int)(dot - name), name);
		write_section(file, table, count, config, option, inner, depth + 1);
	}
}

void config_file_write(FILE *file, const struct base_option *table, size_t count, const void *config)
{
	write_section(file, table, count, config, table, 0, 0);
}
