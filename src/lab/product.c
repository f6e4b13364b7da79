/* Reads axes and filters of a file. */
#include "lab/product_private.h"

#include "base/edit_distance.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	enum product_kind kind;
} known[] = {
	{"machine", PRODUCT_MACHINE}, {"mechanisms", PRODUCT_MECHANISMS},
	{"program", PRODUCT_PROGRAM}, {"variant", PRODUCT_VARIANT},
	{"command", PRODUCT_COMMAND}, {"arguments", PRODUCT_ARGUMENTS},
	{"size", PRODUCT_SIZE},       {"seed", PRODUCT_SEED},
};
enum { KNOWN = sizeof known / sizeof *known };

static bool is_word(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* Finds the kind of an axis by its name. Returns false after an error. */
static bool find_kind(struct document *document, const yaml_node_t *node, const char *name, enum product_kind *kind)
{
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	for (size_t i = 0; i < KNOWN; i++) {
		*kind = known[i].kind;
		if (strcmp(known[i].name, name) == 0)
			return true;
		if (edit_distance_is_nearer(name, known[i].name, &best))
			nearest = known[i].name;
	}
	*kind = strrchr(name, ':')  ? PRODUCT_MECHANISM_OPTION
	        : strchr(name, '.') ? PRODUCT_OPTION
	        : is_word(name)     ? PRODUCT_WORD
	                            : PRODUCT_POINT;
	if (*kind == PRODUCT_WORD && nearest) {
		document_error(document, node, "unknown axis '%s'; did you mean '%s'?", name, nearest);
		return false;
	}
	if (*kind != PRODUCT_POINT)
		return true;
	document_error(
		document, node,
		"unknown axis '%s'; expected machine, mechanisms, program, variant, command, arguments, size, seed, a "
		"key of the machine, MECHANISM:OPTION, or your own word",
		name);
	return false;
}

/* Splits "./a -n '3 4'" into words at blanks, except within quotes. */
static void split_command(struct document *document, const yaml_node_t *node, const char *text, struct words *words)
{
	words->word = arena_array(document->arena, strlen(text) / 2 + 2, sizeof *words->word);
	while (*(text += strspn(text, " \t\n"))) {
		char *word = arena_alloc(document->arena, strlen(text) + 1), *end = word, quote = 0;
		for (; *text && (quote || !strchr(" \t\n", *text)); text++)
			if (quote ? *text == quote : *text == '"' || *text == '\'')
				quote = quote ? 0 : *text;
			else
				*end++ = *text;
		if (quote)
			document_error(document, node, "a quote %c is not closed", quote);
		words->word[words->count++] = word;
	}
}

const char *product_join(struct document *document, const struct words *words, const char *between, bool quotes)
{
	size_t size = 1;
	for (size_t i = 0; i < words->count; i++)
		size += strlen(between) + WORD_ROOM(words->word[i]);
	char *text = arena_alloc(document->arena, size), *end = text;
	for (size_t i = 0; i < words->count; i++) {
		end = stpcpy(end, i ? between : "");
		end = quotes ? word_put(end, words->word[i]) : stpcpy(end, words->word[i]);
	}
	return text;
}

static void check_size(struct document *document, const yaml_node_t *node, const char *size)
{
	if (strcmp(size, "tiny") != 0 && strcmp(size, "small") != 0 && strcmp(size, "paper") != 0)
		document_error(document, node, "size: expected tiny, small or paper, not '%s'", size);
}

static void check_seed(struct document *document, const yaml_node_t *node, const char *seed)
{
	if (strspn(seed, "0123456789") != strlen(seed) || strlen(seed) > 18)
		document_error(document, node, "seed: expected a whole number, not '%s'", seed);
}

/* Reads one value of a kind; returns its label, or NULL after an error. */
static const char *read_setting(struct document *document, const yaml_node_t *node, struct product_setting *setting)
{
	size_t errors = document->diag.errors;
	setting->place = document_place(node);
	bool is_line = setting->kind == PRODUCT_ARGUMENTS || setting->kind == PRODUCT_COMMAND;
	(is_line ? document_read_arguments : document_read_list)(document, setting->name, node, &setting->words);
	struct words *words = &setting->words;
	if (document->diag.errors != errors)
		return NULL;
	bool listed = is_line || setting->kind == PRODUCT_MECHANISMS;
	if (!listed && words->count != 1) {
		document_error(document, node, "%s: expected one value", setting->name);
		return NULL;
	}
	bool is_text = node->type == YAML_SCALAR_NODE; /* a list's words may contain blanks */
	const char *label = setting->kind == PRODUCT_MECHANISMS
	                            ? product_join(document, words, "+", false)
	                            : product_join(document, words, " ", listed && !is_text);
	if (setting->kind == PRODUCT_MECHANISMS && strcmp(label, "none") == 0)
		words->count = 0;
	if (is_text && is_line) {
		*words = (struct words){0};
		split_command(document, node, label, words);
	}
	if (setting->kind == PRODUCT_COMMAND && (!words->count || !strchr(words->word[0], '/')))
		document_error(document, node,
		               "command: expected the path of a compiled program first, such as ./a, not '%s'", label);
	if (setting->kind == PRODUCT_SIZE)
		check_size(document, node, label);
	if (setting->kind == PRODUCT_SEED)
		check_seed(document, node, label);
	return document->diag.errors == errors ? label : NULL;
}

/* "small: {sm.l1d.sets: 16, sm.l1d.ways: 2}" */
static void read_point(struct document *document, const yaml_node_t *node, struct product_value *value)
{
	if (!document_is_mapping(document, value->label, node))
		return;
	const yaml_node_pair_t *pair = node->data.mapping.pairs.start, *end = node->data.mapping.pairs.top;
	value->settings = arena_array(document->arena, (size_t)(end - pair) + 1, sizeof *value->settings);
	for (; pair < end; pair++) {
		const yaml_node_t *key = document_node(document, pair->key);
		struct product_setting *setting = &value->settings[value->count];
		setting->name = document_pair_key(document, node, pair);
		if (!setting->name || !find_kind(document, key, setting->name, &setting->kind))
			continue;
		if (product_is_of_rows(setting->kind))
			document_error(document, key,
			               "a point sets only what columns have: machine, mechanisms, keys of the "
			               "machine, MECHANISM:OPTION");
		else if (read_setting(document, document_node(document, pair->value), setting))
			value->count++;
	}
}

static void read_points(struct document *document, const yaml_node_t *node, struct product_axis *axis)
{
	const yaml_node_pair_t *pair = node->data.mapping.pairs.start, *end = node->data.mapping.pairs.top;
	axis->kind = PRODUCT_POINT;
	axis->values = arena_array(document->arena, (size_t)(end - pair) + 1, sizeof *axis->values);
	for (; pair < end; pair++) {
		struct product_value *value = &axis->values[axis->count];
		value->label = document_pair_key(document, node, pair);
		value->place = document_place(document_node(document, pair->key));
		if (!value->label)
			continue;
		read_point(document, document_node(document, pair->value), value);
		axis->count++;
	}
}

static void read_values(struct document *document, const yaml_node_t *node, struct product_axis *axis)
{
	bool is_list = node->type == YAML_SEQUENCE_NODE;
	const yaml_node_item_t *item = is_list ? node->data.sequence.items.start : NULL;
	size_t count = is_list ? (size_t)(node->data.sequence.items.top - item) : 1;
	axis->values = arena_array(document->arena, count + 1, sizeof *axis->values);
	for (size_t i = 0; i < count; i++) {
		const yaml_node_t *one = is_list ? document_node(document, item[i]) : node;
		struct product_value *value = &axis->values[axis->count];
		*value = (struct product_value){.place = document_place(one)};
		value->settings = arena_alloc(document->arena, sizeof *value->settings);
		*value->settings = (struct product_setting){.name = axis->name, .kind = axis->kind};
		value->count = 1;
		value->label = read_setting(document, one, value->settings);
		for (size_t other = 0; value->label && other < axis->count; other++)
			if (strcmp(axis->values[other].label, value->label) == 0) {
				document_error(document, one, "%s: '%s' is listed twice", axis->name, value->label);
				value->label = NULL;
			}
		axis->count += value->label != NULL;
	}
	if (!count)
		document_error(document, node, "%s: expected a list of values", axis->name);
}

void product_read_axes(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct product_axes *axes = into;
	if (!document_is_mapping(document, key, value))
		return;
	const yaml_node_pair_t *pair = value->data.mapping.pairs.start, *end = value->data.mapping.pairs.top;
	axes->list = arena_array(document->arena, (size_t)(end - pair) + 1, sizeof *axes->list);
	for (; pair < end; pair++) {
		const yaml_node_t *name = document_node(document, pair->key),
				  *node = document_node(document, pair->value);
		struct product_axis *axis = &axes->list[axes->count];
		*axis = (struct product_axis){.name = document_pair_key(document, value, pair),
		                              .place = document_place(name)};
		if (!axis->name)
			continue;
		if (node->type == YAML_MAPPING_NODE)
			read_points(document, node, axis);
		else if (find_kind(document, name, axis->name, &axis->kind))
			read_values(document, node, axis);
		axes->count++;
	}
}

void product_read_match(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct product_match *match = into;
	match->place = document_place(value);
	if (!document_is_mapping(document, key, value))
		return;
	const yaml_node_pair_t *pair = value->data.mapping.pairs.start, *end = value->data.mapping.pairs.top;
	match->list = arena_array(document->arena, (size_t)(end - pair) + 1, sizeof *match->list);
	for (; pair < end; pair++) {
		struct product_condition *condition = &match->list[match->count];
		condition->axis = document_pair_key(document, value, pair);
		condition->place = document_place(document_node(document, pair->key));
		if (!condition->axis)
			continue;
		document_read_list(document, condition->axis, document_node(document, pair->value), &condition->labels);
		match->count++;
	}
}

void product_read_exclude(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	struct product_matches *matches = into;
	bool is_list = value->type == YAML_SEQUENCE_NODE;
	const yaml_node_item_t *item = is_list ? value->data.sequence.items.start : NULL;
	size_t count = is_list ? (size_t)(value->data.sequence.items.top - item) : 1;
	matches->list = arena_array(document->arena, count + 1, sizeof *matches->list);
	for (size_t i = 0; i < count; i++)
		product_read_match(document, key, is_list ? document_node(document, item[i]) : value,
		                   &matches->list[matches->count++]);
}
