#include "base/document.h"

#include "base/edit_distance.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SHOWN = 511 }; /* maximum bytes shown of a message, which may contain long values */

bool document_load(struct document *document)
{
	yaml_parser_t parser;
	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_string(&parser, (const unsigned char *)document->source.text, document->source.length);
	bool loaded = yaml_parser_load(&parser, &document->yaml);
	const struct diag_place mark = {(uint32_t)parser.problem_mark.line + 1,
	                                (uint32_t)parser.problem_mark.column + 1};
	if (!loaded)
		diag_error(&document->diag, &document->source,
		           parser.error == YAML_READER_ERROR ? diag_place_of(&document->source, parser.problem_offset)
		                                             : mark,
		           "not YAML: %s", parser.problem ? parser.problem : "unreadable");
	yaml_parser_delete(&parser);
	if (!loaded || yaml_document_get_root_node(&document->yaml))
		return loaded;
	yaml_document_delete(&document->yaml);
	diag_error(&document->diag, &document->source, (struct diag_place){0}, "holds nothing");
	return false;
}

/* Splits a word that contains both kinds of quotes into pieces, each quoted by the kind that it does not contain. */
char *word_put(char *end, const char *word)
{
	if (*word && !word[strcspn(word, " \t\n'\"")])
		return stpcpy(end, word);
	do {
		const char *first = strpbrk(word, "'\"");
		char quote = first && *first == '\'' ? '"' : '\'';
		size_t length = strcspn(word, quote == '"' ? "\"" : "'");
		*end++ = quote;
		end = mempcpy(end, word, length);
		*end++ = quote;
		word += length;
	} while (*word);
	*end = '\0';
	return end;
}

bool words_have(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->word[i], word) == 0)
			return true;
	return false;
}

struct diag_place document_place(const yaml_node_t *node)
{
	return (struct diag_place){(uint32_t)node->start_mark.line + 1, (uint32_t)node->start_mark.column + 1};
}

struct diag_place document_place_of(const struct document_keys *keys, const char *name, struct diag_place otherwise)
{
	for (size_t i = 0; i < keys->count; i++)
		if (strcmp(keys->list[i].name, name) == 0)
			return keys->list[i].place;
	return otherwise;
}

const yaml_node_t *document_node(struct document *document, int number)
{
	return yaml_document_get_node(&document->yaml, number);
}

void document_error(struct document *document, const yaml_node_t *node, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *message = diag_format(format, arguments);
	va_end(arguments);
	diag_error(&document->diag, &document->source, document_place(node), "%.*s", MESSAGE_SHOWN, message);
	free(message);
}

const char *document_text(struct document *document, const char *key, const yaml_node_t *node)
{
	if (node->type == YAML_SCALAR_NODE && node->data.scalar.length > 0)
		return arena_string(document->arena, (const char *)node->data.scalar.value, node->data.scalar.length);
	document_error(document, node, "%s: expected one value", key);
	return NULL;
}

void document_read_text(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	*(const char **)into = document_text(document, key, value);
}

void document_read_number(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	const char *text = document_text(document, key, value);
	char *end;
	if (!text)
		return;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno)
		document_error(document, value, "%s: expected a whole number, not '%s'", key, text);
	else
		*(uint64_t *)into = number;
}

void document_read_real(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	const char *text = document_text(document, key, value);
	char *end;
	if (!text)
		return;
	double number = strtod(text, &end);
	if (*end || !isfinite(number) || number < 0)
		document_error(document, value, "%s: expected a number of at least 0, not '%s'", key, text);
	else
		*(double *)into = number;
}

void document_read_bool(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	const char *text = document_text(document, key, value);
	if (text && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
		document_error(document, value, "%s: expected yes or no, not '%s'", key, text);
	else if (text)
		*(bool *)into = strcmp(text, "yes") == 0;
}

static const char *read_word(struct document *document, const char *key, const yaml_node_t *node, bool may_be_empty)
{
	bool quoted = node->type == YAML_SCALAR_NODE && node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return may_be_empty && quoted && !node->data.scalar.length ? "" : document_text(document, key, node);
}

static void read_list(struct document *document, const char *key, const yaml_node_t *value, struct words *words,
                      bool may_be_empty)
{
	bool is_list = value->type == YAML_SEQUENCE_NODE;
	const yaml_node_item_t *item = is_list ? value->data.sequence.items.start : NULL;
	size_t count = is_list ? (size_t)(value->data.sequence.items.top - item) : 1;
	if (!count)
		document_error(document, value, "%s: expected one word or a list of them", key);
	words->word = arena_array(document->arena, count, sizeof *words->word);
	for (size_t i = 0; i < count; i++) {
		const yaml_node_t *node = is_list ? document_node(document, item[i]) : value;
		const char *word = read_word(document, key, node, is_list && may_be_empty);
		if (word)
			words->word[words->count++] = word;
	}
}

void document_read_list(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	read_list(document, key, value, into, false);
}

void document_read_arguments(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	if (value->type == YAML_SCALAR_NODE && !value->data.scalar.length)
		document_error(document, value, "%s: holds nothing; an empty argument is written ['']", key);
	else
		read_list(document, key, value, into, true);
}

void document_read_words(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct words all = {0}, *words = into;
	document_read_list(document, key, value, &all);
	words->word = arena_array(document->arena, all.count, sizeof *words->word);
	for (size_t i = 0; i < all.count; i++) {
		if (words_have(words, all.word[i]))
			document_error(document, value, "%s: '%s' is listed twice", key, all.word[i]);
		else
			words->word[words->count++] = all.word[i];
	}
}

static void unknown_key(struct document *document, const yaml_node_t *node, const char *name,
                        const struct document_key *keys)
{
	const char *nearest = NULL;
	char known[256] = "";
	uint32_t best = EDIT_DISTANCE_FAR;
	for (const struct document_key *key = keys; key->name; key++) {
		size_t length = strlen(known);
		if (!key->read)
			continue;
		snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", key->name);
		if (edit_distance_is_nearer(name, key->name, &best))
			nearest = key->name;
	}
	if (nearest)
		document_error(document, node, "unknown key '%s'; did you mean '%s'?", name, nearest);
	else
		document_error(document, node, "unknown key '%s'; expected one of %s", name, known);
}

const char *document_pair_key(struct document *document, const yaml_node_t *mapping, const yaml_node_pair_t *pair)
{
	const yaml_node_t *node = document_node(document, pair->key);
	const char *name = document_text(document, "key", node);
	for (const yaml_node_pair_t *other = mapping->data.mapping.pairs.start; name && other < pair; other++) {
		const yaml_node_t *earlier = document_node(document, other->key);
		if (earlier->type != YAML_SCALAR_NODE || strcmp((const char *)earlier->data.scalar.value, name) != 0)
			continue;
		document_error(document, node, "'%s' is set a second time; the first is in line %u", name,
		               document_place(earlier).line);
		name = NULL;
	}
	return name;
}

bool document_is_mapping(struct document *document, const char *what, const yaml_node_t *node)
{
	if (node->type == YAML_MAPPING_NODE)
		return true;
	document_error(document, node, "%s: expected 'NAME: VALUE' pairs", what);
	return false;
}

void document_read(struct document *document, const char *what, const yaml_node_t *mapping,
                   const struct document_key *keys, void *into)
{
	if (!document_is_mapping(document, what, mapping))
		return;
	const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start, *end = mapping->data.mapping.pairs.top;
	struct document_keys *places = NULL;
	for (const struct document_key *key = keys; key->name && !places; key++)
		places = key->read ? NULL : (struct document_keys *)((char *)into + key->offset);
	if (places)
		places->list = arena_array(document->arena, (size_t)(end - pair) + 1, sizeof *places->list);
	for (; pair < end; pair++) {
		const struct document_key *key = keys;
		const char *name = document_pair_key(document, mapping, pair);
		if (!name)
			continue;
		while (key->name && (!key->read || strcmp(key->name, name) != 0))
			key++;
		if (key->name && places)
			places->list[places->count++] =
				(struct document_key_place){name, document_place(document_node(document, pair->value))};
		if (key->name)
			key->read(document, name, document_node(document, pair->value), (char *)into + key->offset);
		else
			unknown_key(document, document_node(document, pair->key), name, keys);
	}
}

void *document_read_named(struct document *document, const char *key, const yaml_node_t *value,
                          const struct document_key *keys, const void *blank, size_t size, size_t place, size_t *count)
{
	if (!document_is_mapping(document, key, value))
		return NULL;
	const yaml_node_pair_t *pair = value->data.mapping.pairs.start, *end = value->data.mapping.pairs.top;
	char *list = arena_array(document->arena, (size_t)(end - pair) + 1, size);
	for (; pair < end; pair++) {
		const char *name = document_pair_key(document, value, pair);
		char *element = list + *count * size;
		if (!name)
			continue;
		memcpy(element, blank, size);
		*(const char **)element = name;
		*(struct diag_place *)(element + place) = document_place(document_node(document, pair->key));
		document_read(document, name, document_node(document, pair->value), keys, element);
		++*count;
	}
	return list;
}
