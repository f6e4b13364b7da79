#include "base/config_file.h"

#include "base/arena.h"
#include "base/slip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { PATH_SIZE = 128, MESSAGE_SIZE = 512 };

/* A key that the file has set, a section or an option, by its full dotted path. */
struct seen_key {
	const char *path;
	uint32_t line;
	struct seen_key *next;
};

/* The files being read, from the newest to the one the user named: to find a base that leads back to itself. */
struct reading {
	const char *path;
	const struct reading *outer;
};

struct reader {
	const struct option *table;
	size_t count;
	void *config;
	struct diag *diag;
	struct arena arena;
	struct source source;
	struct reading reading;
	yaml_parser_t parser;
	struct seen_key *seen;
	bool failed; /* the YAML itself is broken: no more events */
};

static bool read_file(const char *path, const struct reading *outer, const struct option *table, size_t count,
                      void *config, struct diag *diag);
static void read_mapping(struct reader *reader, const char *prefix);

/* libyaml counts columns in characters, diagnostics in bytes. */
static struct place place_of(const struct reader *reader, yaml_mark_t mark)
{
	const char *text = reader->source.text, *end = text + reader->source.length;
	for (size_t line = 0; line < mark.line && text < end; text++)
		line += *text == '\n';
	const char *at = text;
	for (size_t column = 0; column < mark.column && at < end; column++)
		for (at++; at < end && ((unsigned char)*at & 0xc0) == 0x80;)
			at++;
	return (struct place){(uint32_t)mark.line + 1, (uint32_t)(at - text) + 1};
}

static bool next_event(struct reader *reader, yaml_event_t *event)
{
	if (reader->failed)
		return false;
	if (yaml_parser_parse(&reader->parser, event))
		return true;
	reader->failed = true;
	const yaml_parser_t *parser = &reader->parser;
	if (parser->error == YAML_READER_ERROR) {
		diag_error(reader->diag, &reader->source, (struct place){0}, "not YAML: %s at byte %zu",
		           parser->problem, parser->problem_offset);
		return false;
	}
	diag_error(reader->diag, &reader->source, place_of(reader, parser->problem_mark), "not YAML: %s%s%s",
	           parser->context ? parser->context : "", parser->context ? ", " : "", parser->problem);
	return false;
}

/* Passes over the rest of a value whose first event is given. */
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
static const struct option *first_inside(const struct option *table, size_t count, const char *path)
{
	size_t length = strlen(path);
	for (size_t i = 0; i < count; i++)
		if (strncmp(table[i].name, path, length) == 0 && table[i].name[length] == '.')
			return &table[i];
	return NULL;
}

/* The option, or the section of one, that is nearest to a name; "" when none is near. */
static void nearest_key(const struct option *table, size_t count, const char *name, char nearest[PATH_SIZE])
{
	uint32_t best = SLIP_FAR;
	*nearest = '\0';
	for (size_t i = 0; i < count; i++) {
		for (const char *end = table[i].name; *end; end++) {
			if (end[1] && end[1] != '.')
				continue;
			char prefix[PATH_SIZE];
			snprintf(prefix, sizeof prefix, "%.*s", (int)(end + 1 - table[i].name), table[i].name);
			if (slip_nearer(name, prefix, &best))
				memcpy(nearest, prefix, sizeof prefix);
		}
	}
}

/* "unknown option 'l1d.stes'; did you mean 'l1d.sets'?" */
static void unknown_key(const struct option *table, size_t count, const char *name, char message[MESSAGE_SIZE])
{
	char nearest[PATH_SIZE];
	nearest_key(table, count, name, nearest);
	if (*nearest)
		snprintf(message, MESSAGE_SIZE, "unknown option '%s'; did you mean '%s'?", name, nearest);
	else
		snprintf(message, MESSAGE_SIZE, "unknown option '%s'", name);
}

/* Remembers a key; false, with an error, when the file has it already. */
static bool remember(struct reader *reader, const char *path, struct place place)
{
	for (const struct seen_key *key = reader->seen; key; key = key->next) {
		if (strcmp(key->path, path) == 0) {
			diag_error(reader->diag, &reader->source, place,
			           "'%s' is set a second time; the first is in line %u", path, key->line);
			return false;
		}
	}
	struct seen_key *key = arena_alloc(&reader->arena, sizeof *key);
	*key = (struct seen_key){arena_string(&reader->arena, path, strlen(path)), place.line, reader->seen};
	reader->seen = key;
	return true;
}

static void set_option(struct reader *reader, const struct option *option, const yaml_event_t *value)
{
	char message[MESSAGE_SIZE];
	struct place place = place_of(reader, value->start_mark);
	if (value->type == YAML_SCALAR_EVENT) {
		const char *text = (const char *)value->data.scalar.value;
		if (!option_set(option, reader->config, text, message, sizeof message))
			diag_error(reader->diag, &reader->source, place, "%s", message);
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

static void read_base(struct reader *reader, const yaml_event_t *value, struct place key, bool is_first)
{
	struct place place = place_of(reader, value->start_mark);
	if (!is_first) {
		diag_error(reader->diag, &reader->source, key,
		           "'base' must be the first key: what is written after it changes the base");
		return;
	}
	const char *name = value->type == YAML_SCALAR_EVENT ? (const char *)value->data.scalar.value : "";
	if (!*name || strchr(name, '/')) {
		diag_error(reader->diag, &reader->source, place,
		           "base: expected the name of a file in the same folder");
		return;
	}
	const char *slash = strrchr(reader->reading.path, '/');
	size_t folder = slash ? (size_t)(slash + 1 - reader->reading.path) : 0, size = folder + strlen(name) + 6;
	char *path = arena_alloc(&reader->arena, size);
	snprintf(path, size, "%.*s%s.yaml", (int)folder, reader->reading.path, name);
	for (const struct reading *reading = &reader->reading; reading; reading = reading->outer) {
		if (strcmp(reading->path, path) == 0) {
			diag_error(reader->diag, &reader->source, place, "base: '%s' is based on itself", name);
			return;
		}
	}
	FILE *probe = fopen(path, "r");
	if (!probe) {
		diag_error(reader->diag, &reader->source, place, "base: cannot read %s: %s", path, strerror(errno));
		return;
	}
	fclose(probe);
	read_file(path, &reader->reading, reader->table, reader->count, reader->config, reader->diag);
}

/* One key of a mapping and its value. */
static void read_pair(struct reader *reader, const char *prefix, const yaml_event_t *key, bool is_first)
{
	struct place place = place_of(reader, key->start_mark);
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
	const struct option *option = is_name ? option_find(reader->table, reader->count, path) : NULL;
	if (!is_name || !remember(reader, path, place)) {
		skip_value(reader, value.type);
	} else if (option) {
		set_option(reader, option, &value);
		skip_value(reader, value.type);
	} else if (first_inside(reader->table, reader->count, path)) {
		read_section(reader, path, &value);
	} else if (strcmp(path, "base") == 0) {
		read_base(reader, &value, place, is_first);
		skip_value(reader, value.type);
	} else {
		unknown_key(reader->table, reader->count, path, message);
		diag_error(reader->diag, &reader->source, place, "%s", message);
		skip_value(reader, value.type);
	}
	yaml_event_delete(&value);
}

/* The pairs of a mapping whose start has been read. The nesting is bounded: a path names a section at every level. */
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
		struct place place = place_of(reader, event.start_mark);
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

/* The whole file in the arena, or NULL with errno set. */
static char *slurp(struct arena *arena, const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	char *text = NULL;
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) {
		text = arena_alloc(arena, (size_t)size + 1);
		*length = fread(text, 1, (size_t)size, file);
		if (ferror(file))
			text = NULL;
	}
	int error = errno;
	fclose(file);
	errno = error;
	return text;
}

static bool read_file(const char *path, const struct reading *outer, const struct option *table, size_t count,
                      void *config, struct diag *diag)
{
	struct reader reader = {
		.table = table, .count = count, .config = config, .diag = diag, .reading = {path, outer}};
	uint32_t before = diag->errors;
	reader.source.name = path;
	reader.source.text = slurp(&reader.arena, path, &reader.source.length);
	if (!reader.source.text) {
		diag_plain(diag, "cannot read %s: %s", path, strerror(errno));
	} else {
		if (!yaml_parser_initialize(&reader.parser))
			abort();
		yaml_parser_set_input_string(&reader.parser, (const unsigned char *)reader.source.text,
		                             reader.source.length);
		read_stream(&reader);
		yaml_parser_delete(&reader.parser);
	}
	arena_free(&reader.arena);
	return diag->errors == before;
}

bool config_file_read(const char *path, const struct option *table, size_t count, void *config, struct diag *diag)
{
	return read_file(path, NULL, table, count, config, diag);
}

bool config_assign(const char *assignment, const struct option *table, size_t count, void *config, struct diag *diag)
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
	const struct option *option = option_find(table, count, name);
	const struct option *inside = option ? NULL : first_inside(table, count, name);
	if (option && option_set(option, config, equals + 1, message, sizeof message))
		return true;
	if (inside)
		snprintf(message, sizeof message, "'%s' is a group of options, such as '%s'", name, inside->name);
	else if (!option)
		unknown_key(table, count, name, message);
	diag_plain(diag, "%s", message);
	return false;
}

static void write_value(FILE *file, const struct option *option, const void *config)
{
	char value[2 * OPTION_TEXT_SIZE];
	option_print(option, config, value, sizeof value);
	if (option->type != OPTION_TEXT) {
		fputs(value, file);
		return;
	}
	/* Single quotes: nothing but a quote itself, written twice, is special inside. */
	fputc('\'', file);
	for (const char *at = value; *at; at++)
		fputs(*at == '\'' ? "''" : (char[]){*at, '\0'}, file);
	fputc('\'', file);
}

/* The options whose names begin with the first `prefix` bytes of `first`'s, which ends in a dot (or has 0 bytes). */
static void write_section(FILE *file, const struct option *table, size_t count, const void *config,
                          const struct option *first, size_t prefix, int depth)
{
	for (const struct option *option = first; option < table + count; option++) {
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
		const struct option *other = first;
		while (strncmp(other->name, option->name, inner) != 0)
			other++;
		if (other != option)
			continue; /* an earlier option has opened this section */
		fprintf(file, "%*s%.*s:\n", 2 * depth, "", (int)(dot - name), name);
		write_section(file, table, count, config, option, inner, depth + 1);
	}
}

void config_file_write(FILE *file, const struct option *table, size_t count, const void *config)
{
	write_section(file, table, count, config, table, 0, 0);
}
