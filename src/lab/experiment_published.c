/* Reads the published numbers of an experiment, and the causes of differences from them. */
#include "lab/experiment.h"

#include "base/edit_distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct published experiment_published(struct document *document, struct experiment *experiment, struct diag_place place,
                                      const struct words *stated)
{
	size_t count = experiment->column_count;
	struct published list = {.number = arena_array(document->arena, count + 1, sizeof *list.number),
	                         .bound = arena_array(document->arena, count + 1, sizeof *list.bound)};
	for (size_t i = 0; i < count; i++)
		list.number[i] = NAN;
	if (stated->count && stated->count != count) {
		experiment_error(document, experiment, place, "expected %zu published numbers, one per column, not %zu",
		                 count, stated->count);
		return list;
	}
	for (size_t i = 0; i < stated->count; i++) {
		const char *word = stated->word[i], *digits = word;
		char *end;
		if (experiment_is_nothing(word))
			continue;
		if (*word == '<' || *word == '>')
			list.bound[i] = *digits++;
		digits += strspn(digits, " ");
		list.number[i] = strtod(digits, &end);
		if (*end || end == digits || !isfinite(list.number[i]))
			experiment_error(document, experiment, place,
			                 "published: expected a number, a bound such as \"> 2\", or ~ where there is "
			                 "none, not '%s'",
			                 word);
	}
	return list;
}

bool experiment_holds(char bound, double ours, double published)
{
	return (bound == '<' && ours < published) || (bound == '>' && ours > published);
}

void experiment_read_causes(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"", NULL, offsetof(struct experiment_cause, keys)},
		{"rows", document_read_words, offsetof(struct experiment_cause, rows)},
		{"columns", document_read_words, offsetof(struct experiment_cause, columns)},
		{"cause", document_read_text, offsetof(struct experiment_cause, cause)},
		{"proof", document_read_text, offsetof(struct experiment_cause, proof)},
		{"page", document_read_text, offsetof(struct experiment_cause, page)},
		{0},
	};
	struct experiment *experiment = into;
	if (value->type != YAML_SEQUENCE_NODE) {
		document_error(document, value, "%s: expected a list", key);
		return;
	}
	const yaml_node_item_t *first = value->data.sequence.items.start, *end = value->data.sequence.items.top;
	experiment->causes = arena_array(document->arena, (size_t)(end - first) + 1, sizeof *experiment->causes);
	for (const yaml_node_item_t *item = first; item < end; item++) {
		struct experiment_cause *cause = &experiment->causes[experiment->cause_count++];
		const yaml_node_t *node = document_node(document, *item);
		if (!document_is_mapping(document, key, node))
			continue;
		document_read(document, key, node, keys, cause);
		if (!cause->cause)
			document_error(document, node, "%s: expected a text for cause", key);
	}
}

/* A search for a name, and the nearest one for the message. */
struct names {
	const char *nearest;
	uint32_t best;
	bool found;
};

static void try_name(struct names *names, const char *wanted, const char *name)
{
	names->found |= strcmp(wanted, name) == 0;
	if (edit_distance_is_nearer(wanted, name, &names->best))
		names->nearest = name;
}

static void check_names(struct document *document, struct experiment *experiment, const struct experiment_cause *cause,
                        const struct words *words, bool rows)
{
	const char *what = rows ? "row" : "column";
	for (size_t w = 0; w < words->count; w++) {
		struct names names = {.best = EDIT_DISTANCE_FAR};
		const char *wanted = words->word[w];
		for (size_t i = 0; rows && i < experiment->row_count; i++) {
			try_name(&names, wanted, experiment->rows[i].name);
			if (experiment->rows[i].of)
				try_name(&names, wanted, experiment->rows[i].of);
		}
		for (size_t i = 0; !rows && i < experiment->column_count; i++)
			try_name(&names, wanted, experiment->columns[i].name);
		names.found |= rows && strcmp(wanted, EXPERIMENT_MEAN) == 0;
		if (!names.found)
			experiment_error(document, experiment,
			                 document_place_of(&cause->keys, rows ? "rows" : "columns",
			                                   experiment_key_place(experiment, "causes")),
			                 "causes: there is no %s '%s'%s%s%s", what, wanted,
			                 names.nearest ? "; did you mean '" : "", names.nearest ? names.nearest : "",
			                 names.nearest ? "'?" : "");
	}
}

void experiment_check_causes(struct document *document, struct experiment *experiment)
{
	for (size_t i = 0; i < experiment->cause_count; i++) {
		const struct experiment_cause *cause = &experiment->causes[i];
		check_names(document, experiment, cause, &cause->rows, true);
		check_names(document, experiment, cause, &cause->columns, false);
	}
}

const struct experiment_cause *experiment_cause_of(const struct experiment *experiment, const char *row,
                                                   const char *column)
{
	for (size_t i = 0; i < experiment->cause_count; i++) {
		const struct experiment_cause *cause = &experiment->causes[i];
		if ((!cause->rows.count || words_have(&cause->rows, row)) &&
		    (!cause->columns.count || words_have(&cause->columns, column)))
			return cause;
	}
	return NULL;
}
