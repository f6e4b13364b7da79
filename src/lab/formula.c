#include "lab/formula.h"

#include "base/slip.h"
#include "gpu/gpu.h"
#include "lab/facts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

struct formula {
	char operation; /* + - * /, 'n' a number, 'v' a name */
	double number;
	const char *name;
	unsigned needs; /* of a name */
	bool largest;   /* of all launches, else the sum */
	const struct formula *left, *right;
};

/* Figures of a launch that are no counters. */
static const struct figure {
	const char *name;
	bool largest;           /* else the sum */
	const char *key, *dims; /* its key in a kernel; or the one whose three numbers are multiplied */
} figures[] = {
	{"cycles", false, "cycles", NULL},
	{"thread_instructions", false, "thread_instructions", NULL},
	{"warp_instructions", false, "warp_instructions", NULL},
	{"host_seconds", false, "host_seconds", NULL},
	{"launches", false, NULL, NULL},
	{"blocks", false, NULL, "grid"},
	{"threads", false, NULL, NULL},
	{"registers", true, "registers", NULL},
	{"spill_bytes", true, "spill_bytes", NULL},
	{"shared_bytes", true, "shared_bytes", NULL},
	{"blocks_per_sm", true, "blocks_per_sm", NULL},
	{"block_threads", true, NULL, "block"},
};
enum { FIGURES = sizeof figures / sizeof *figures };

struct parser {
	struct arena *arena;
	const char *at;
	char *message;
	int depth;
	bool failed;
};

static const struct formula *parse_sum(struct parser *parser);

static void fail(struct parser *parser, const char *expected)
{
	if (!parser->failed && *parser->at)
		snprintf(parser->message, FORMULA_MESSAGE, "expected %s at '%.40s'", expected, parser->at);
	else if (!parser->failed)
		snprintf(parser->message, FORMULA_MESSAGE, "expected %s at the end", expected);
	parser->failed = true;
}

static struct formula *node(struct parser *parser, char operation)
{
	struct formula *node = arena_alloc(parser->arena, sizeof *node);
	node->operation = operation;
	return node;
}

static char next(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
	return *parser->at;
}

static const struct figure *find_figure(const char *name)
{
	for (size_t i = 0; i < FIGURES; i++)
		if (strcmp(figures[i].name, name) == 0)
			return &figures[i];
	return NULL;
}

static void consider(const char *name, const char *known, uint32_t *best, char nearest[128])
{
	if (slip_nearer(name, known, best))
		snprintf(nearest, 128, "%s", known);
}

/* A name that is looked for, and the nearest to it. */
struct search {
	const char *name;
	char nearest[128];
	uint32_t best;
	bool group_known;
};

static bool has_counter(struct search *search, const struct counter_group *group)
{
	char full[128];
	size_t length = strlen(group->name);
	search->group_known |= strncmp(group->name, search->name, length) == 0 && search->name[length] == '.';
	for (size_t i = 0; i < *group->count; i++) {
		snprintf(full, sizeof full, "%s.%s", group->name, group->rows[i].name);
		if (strcmp(full, search->name) == 0)
			return true;
		consider(search->name, full, &search->best, search->nearest);
	}
	return false;
}

/* What the name needs: knows what the machine counts and the facts of sources. A group it does not know may be a
 * mechanism's. 0 after a message. */
static unsigned check_name(const char *name, char *message)
{
	struct search search = {.name = name, .best = SLIP_FAR};
	const char *nearest = search.nearest;
	if (find_figure(name))
		return FORMULA_RUN;
	for (size_t i = 0; i < FIGURES; i++)
		consider(name, figures[i].name, &search.best, search.nearest);
	for (size_t g = 0; g < gpu_counter_group_count; g++)
		if (has_counter(&search, &gpu_counter_groups[g]))
			return FORMULA_RUN;
	const struct counter_group *facts;
	for (size_t g = 0; (facts = facts_group(g)); g++)
		if (has_counter(&search, facts))
			return FORMULA_SOURCE | (facts_of_ptx(facts) ? FORMULA_PTX : 0);
	if (strchr(name, '.') && !search.group_known && !*nearest)
		return FORMULA_RUN | FORMULA_MECHANISM;
	if (*nearest)
		snprintf(message, FORMULA_MESSAGE, "no counter '%s'; did you mean '%s'?", name, nearest);
	else
		snprintf(message, FORMULA_MESSAGE, "no counter '%s'; 'sluice stats --describe' shows them", name);
	return 0;
}

/* NAME, or largest(NAME). */
static const struct formula *parse_name(struct parser *parser, bool inside)
{
	size_t length = 0;
	while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_' || parser->at[length] == '.')
		length++;
	struct formula *name = node(parser, 'v');
	name->name = arena_string(parser->arena, parser->at, length);
	parser->at += length;
	if (!inside && strcmp(name->name, "largest") == 0 && next(parser) == '(') {
		parser->at++;
		next(parser);
		*name = *parse_name(parser, true);
		name->largest = true;
		if (next(parser) == ')')
			parser->at++;
		else
			fail(parser, "')'");
		return name;
	}
	if (!parser->failed)
		name->needs = check_name(name->name, parser->message);
	parser->failed |= !name->needs;
	return name;
}

static const struct formula *parse_atom(struct parser *parser)
{
	char first = next(parser);
	if (isdigit((unsigned char)first)) {
		char *end;
		struct formula *number = node(parser, 'n');
		number->number = strtod(parser->at, &end);
		parser->at = end;
		return number;
	}
	if (isalpha((unsigned char)first))
		return parse_name(parser, false);
	if (first != '(' || ++parser->depth > DEEPEST) {
		fail(parser, "a number, a counter or '('");
		return NULL;
	}
	parser->at++;
	const struct formula *inner = parse_sum(parser);
	if (next(parser) == ')')
		parser->at++;
	else
		fail(parser, "')'");
	parser->depth--;
	return inner;
}

static const struct formula *parse_chain(struct parser *parser, const char *operations,
                                         const struct formula *(*part)(struct parser *parser))
{
	const struct formula *left = part(parser);
	while (!parser->failed && next(parser) && strchr(operations, *parser->at)) {
		struct formula *both = node(parser, *parser->at++);
		both->left = left;
		both->right = part(parser);
		left = both;
	}
	return left;
}

static const struct formula *parse_product(struct parser *parser)
{
	return parse_chain(parser, "*/", parse_atom);
}

static const struct formula *parse_sum(struct parser *parser)
{
	return parse_chain(parser, "+-", parse_product);
}

const struct formula *formula_parse(struct arena *arena, const char *text, char message[FORMULA_MESSAGE])
{
	struct parser parser = {.arena = arena, .at = text, .message = message};
	const struct formula *formula = parse_sum(&parser);
	if (!parser.failed && next(&parser))
		fail(&parser, "an operator");
	return parser.failed ? NULL : formula;
}

unsigned formula_needs(const struct formula *formula)
{
	if (formula->operation == 'n' || formula->operation == 'v')
		return formula->needs;
	return formula_needs(formula->left) | formula_needs(formula->right);
}

const char *formula_uncounted(const struct formula *formula, bool (*counts)(const void *user, const char *name),
                              const void *user)
{
	if (formula->operation == 'n')
		return NULL;
	if (formula->operation == 'v')
		return formula->needs & FORMULA_MECHANISM && !counts(user, formula->name) ? formula->name : NULL;
	const char *first = formula_uncounted(formula->left, counts, user);
	return first ? first : formula_uncounted(formula->right, counts, user);
}

bool formula_kernel_is(const char *symbol, const char *name)
{
	char *rest;
	size_t length = strlen(name);
	if (strcmp(symbol, name) == 0)
		return true;
	if (strncmp(symbol, "_Z", 2) != 0 || !isdigit((unsigned char)symbol[2]))
		return false;
	return strtoul(symbol + 2, &rest, 10) == length && strncmp(rest, name, length) == 0;
}

static double product(const json_t *kernel, const char *key)
{
	double result = 1;
	for (size_t i = 0; i < 3; i++)
		result *= json_number_value(json_array_get(json_object_get(kernel, key), i));
	return result;
}

/* NAN when the kernel does not have it, or has null there. */
static double of_launch(const json_t *kernel, const char *name, const struct figure *figure)
{
	const json_t *value = NULL;
	if (!figure)
		value = json_object_get(json_object_get(kernel, "counters"), name);
	else if (figure->key)
		value = json_object_get(kernel, figure->key);
	else if (figure->dims)
		return product(kernel, figure->dims);
	else
		return strcmp(name, "launches") == 0 ? 1 : product(kernel, "grid") * product(kernel, "block");
	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double combine(double result, double value, bool largest)
{
	if (isnan(result) || isnan(value))
		return NAN;
	return largest ? fmax(result, value) : result + value;
}

static double look_up(const struct formula *formula, const json_t *stats, const char *kernel, char *message)
{
	const char *name = formula->name;
	const json_t *kernels = json_object_get(stats, "kernels");
	const struct figure *figure = find_figure(name);
	double result = 0;
	size_t launches = 0;
	for (size_t i = 0; i < json_array_size(kernels); i++) {
		const json_t *launch = json_array_get(kernels, i);
		const char *symbol = json_string_value(json_object_get(launch, "name"));
		if (kernel && (!symbol || !formula_kernel_is(symbol, kernel)))
			continue;
		double value = of_launch(launch, name, figure);
		result = combine(result, value, formula->largest || (figure && figure->largest));
		launches++;
	}
	if (!launches)
		snprintf(message, FORMULA_MESSAGE, "no kernel %s ran", kernel ? kernel : "at all");
	else if (isnan(result))
		snprintf(message, FORMULA_MESSAGE, "the statistics have no '%s'", name);
	return launches ? result : NAN;
}

double formula_value(const struct formula *formula, const json_t *stats, const char *kernel,
                     char message[FORMULA_MESSAGE])
{
	if (formula->operation == 'n')
		return formula->number;
	if (formula->operation == 'v')
		return look_up(formula, stats, kernel, message);
	double left = formula_value(formula->left, stats, kernel, message);
	double right = formula_value(formula->right, stats, kernel, message);
	switch (formula->operation) {
	case '+':
		return left + right;
	case '-':
		return left - right;
	case '*':
		return left * right;
	default:
		if (right == 0)
			snprintf(message, FORMULA_MESSAGE, "division by 0");
		return right == 0 ? NAN : left / right;
	}
}
