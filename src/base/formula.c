#include "base/formula_private.h"

#include "base/edit_distance.h"
#include "base/table.h"
#include "base/vector.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

static const struct statistic statistics[] = {
	{"cycles", false, "cycles", NULL, false, true},
	{"thread_instructions", false, "thread_instructions", NULL, true, false},
	{"warp_instructions", false, "warp_instructions", NULL, true, false},
	{"host_seconds", false, "host_seconds", NULL, false, true},
	{"launches", false, NULL, NULL, true, false},
	{"blocks", false, NULL, "grid", true, false},
	{"threads", false, NULL, NULL, true, false},
	{"registers", true, "registers", NULL, false, false},
	{"spill_bytes", true, "spill_bytes", NULL, false, false},
	{"shared_bytes", true, "shared_bytes", NULL, false, false},
	{"blocks_per_sm", true, "blocks_per_sm", NULL, false, false},
	{"block_threads", true, NULL, "block", true, false},
};
enum { STATISTICS = sizeof statistics / sizeof *statistics };

/* Counters that follow from the program and its inputs too: what its threads executed. */
static const char *const counters_of_code[] = {"sm.load_lanes", "sm.store_lanes", "sm.shared_lanes",
                                               "sm.barriers",   "sm.branches",    "sm.divergent_branches"};

struct parser {
	struct arena *arena;
	const struct formula_names *names;
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

const struct statistic *formula_statistic(const char *name)
{
	for (size_t i = 0; i < STATISTICS; i++)
		if (strcmp(statistics[i].name, name) == 0)
			return &statistics[i];
	return NULL;
}

static void consider(const char *name, const char *known, uint32_t *best, char nearest[128])
{
	if (edit_distance_is_nearer(name, known, best))
		snprintf(nearest, 128, "%s", known);
}

/* A searched name, and the nearest known one. */
struct search {
	const char *name;
	char nearest[128];
	uint32_t best;
	bool group_known;
};

/* The text before the dot may be a mistyped name of the group; it may also be a mechanism's name. */
static bool may_mean(const char *name, const char *group)
{
	char typed[128];
	snprintf(typed, sizeof typed, "%.*s", (int)strcspn(name, "."), name);
	return edit_distance(typed, group) != EDIT_DISTANCE_FAR;
}

static bool has_counter(struct search *search, const struct base_counter_group *group)
{
	char full[128];
	bool near = may_mean(search->name, group->name);
	size_t length = strlen(group->name);
	search->group_known |= strncmp(group->name, search->name, length) == 0 && search->name[length] == '.';
	for (size_t i = 0; i < *group->count; i++) {
		snprintf(full, sizeof full, "%s.%s", group->name, group->rows[i].name);
		if (strcmp(full, search->name) == 0)
			return true;
		if (near)
			consider(search->name, full, &search->best, search->nearest);
	}
	return false;
}

static const struct formula_alias *find_alias(const struct formula_names *names, const char *name)
{
	for (const struct formula_alias *alias = names->aliases; alias && alias->name; alias++)
		if (strcmp(alias->name, name) == 0)
			return alias;
	return NULL;
}

static bool is_energy(const struct formula_names *names, const char *name)
{
	return names->energies && strncmp(name, "energy.", 7) == 0 && name[7];
}

/* The source of a machine's key; 0 after a message when it is not a number. */
static unsigned check_key(const struct base_option *key, char *message)
{
	if (key->type == BASE_OPTION_U32 || key->type == BASE_OPTION_F64)
		return FORMULA_MACHINE;
	snprintf(message, FORMULA_MESSAGE, "'%s' is not a number", key->name);
	return 0;
}

/* The sources of a group's counter; 0: it does not exist. */
static unsigned search_groups(struct search *search, const struct formula_names *names)
{
	size_t count = sizeof names->groups / sizeof *names->groups;
	for (const struct formula_groups *groups = names->groups; groups < names->groups + count; groups++)
		for (size_t i = 0; i < groups->count; i++)
			if (has_counter(search, &groups->group[i]))
				return groups->needs;
	return 0;
}

/* The sources of the name; 0 after a message. */
static unsigned check_name(const struct formula_names *names, const char *name, char *message)
{
	struct search search = {.name = name, .best = EDIT_DISTANCE_FAR};
	const char *nearest = search.nearest;
	if (formula_statistic(name))
		return FORMULA_RUN;
	for (size_t i = 0; i < STATISTICS; i++)
		consider(name, statistics[i].name, &search.best, search.nearest);
	unsigned needs = search_groups(&search, names);
	if (needs)
		return needs;
	const struct base_option *key = base_option_find(names->keys, names->key_count, name);
	if (key)
		return check_key(key, message);
	for (size_t i = 0; i < names->key_count; i++)
		consider(name, names->keys[i].name, &search.best, search.nearest);
	if (is_energy(names, name))
		return FORMULA_RUN | FORMULA_ENERGY;
	if (names->mechanisms && strchr(name, '.') && !search.group_known && !*nearest)
		return FORMULA_RUN | FORMULA_MECHANISM;
	if (*nearest)
		snprintf(message, FORMULA_MESSAGE, "no counter '%s'; did you mean '%s'?", name, nearest);
	else
		snprintf(message, FORMULA_MESSAGE, "no counter '%s'; 'sluice stats --describe' lists the counters",
		         name);
	return 0;
}

static const char *parse_word(struct parser *parser)
{
	size_t length = 0;
	while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_' || parser->at[length] == '.')
		length++;
	const char *word = arena_string(parser->arena, parser->at, length);
	parser->at += length;
	return word;
}

static void expect(struct parser *parser, char wanted, const char *what)
{
	if (next(parser) == wanted)
		parser->at++;
	else
		fail(parser, what);
}

/* Parses the brackets after a vector's name. */
static void parse_element(struct parser *parser, struct formula *name)
{
	size_t length = strcspn(++parser->at, "]");
	name->of = ELEMENT;
	name->element = arena_string(parser->arena, parser->at, length);
	parser->at += length;
	expect(parser, ']', "']'");
}

/* A counter of the machine that has values by unit. */
static bool has_units(const struct parser *parser, const struct formula *name)
{
	return parser->names->units && name->needs == FORMULA_RUN && !formula_statistic(name->name);
}

/* A counter's value that is selected by unit. The number of units is known only after a run. */
static bool is_by_unit(const struct parser *parser, const struct formula *name)
{
	bool is_number = name->of != ELEMENT || (*name->element && !name->element[strspn(name->element, "0123456789")]);
	return has_units(parser, name) && is_number && name->of != SUM && name->of != MEDIAN;
}

static void check_vector(struct parser *parser, struct formula *name)
{
	if (!parser->failed && is_by_unit(parser, name)) {
		name->needs |= FORMULA_UNITS;
		return;
	}
	size_t size = strlen(name->name) + 3;
	char *vector = arena_alloc(parser->arena, size);
	snprintf(vector, size, "%s[]", name->name);
	name->vector = vector;
	bool by_unit = name->of == LEAST || name->of == MOST;
	if (parser->failed || (name->needs & FORMULA_MECHANISM && !by_unit))
		return;
	const char *wrong = "'%s' is not a vector";
	if (by_unit)
		wrong = "'%s' has no values by unit";
	else if (has_units(parser, name) && name->of == ELEMENT)
		wrong = "%s[]: expected the number of a unit, from 0";
	snprintf(parser->message, FORMULA_MESSAGE, wrong, name->name);
	parser->failed = true;
}

/* A counter of the own group may be named without the group. */
static const char *whole_name(struct parser *parser, const char *word)
{
	const char *own = parser->names->own;
	if (!own || strchr(word, '.') || formula_statistic(word))
		return word;
	size_t size = strlen(own) + 1 + strlen(word) + 1;
	char *whole = arena_alloc(parser->arena, size);
	snprintf(whole, size, "%s.%s", own, word);
	return whole;
}

/* Parses NAME or NAME[ELEMENT]; `word` has been read. */
static struct formula *parse_counter(struct parser *parser, const char *word)
{
	struct formula *name = node(parser, 'v');
	name->name = whole_name(parser, word);
	if (*parser->at == '[')
		parse_element(parser, name);
	if (!parser->failed)
		name->needs = check_name(parser->names, name->name, parser->message);
	parser->failed |= !name->needs;
	return name;
}

/* The formula of an alias, which may not contain aliases itself. */
static const struct formula *parse_alias(struct parser *parser, const struct formula_alias *alias)
{
	struct parser inner = *parser;
	inner.at = alias->text;
	const struct formula *formula = parse_sum(&inner);
	parser->failed |= inner.failed;
	return formula;
}

/* The function of a whole vector with that name; SCALAR: there is none. */
static int function_of(const char *word)
{
	static const char *const names[] = {
		[SUM] = "sum", [MEAN] = "mean", [MEDIAN] = "median", [LEAST] = "min", [MOST] = "max"};
	for (int of = SUM; of <= MOST; of++)
		if (strcmp(names[of], word) == 0)
			return of;
	return SCALAR;
}

/* Parses a counter, or a function of one. */
static const struct formula *parse_name(struct parser *parser)
{
	const char *word = parse_word(parser);
	const struct formula_alias *alias = find_alias(parser->names, word);
	if (alias)
		return parse_alias(parser, alias);
	int of = function_of(word);
	bool largest = strcmp(word, "largest") == 0;
	bool is_function = (largest || of) && next(parser) == '(';
	struct formula *name;
	if (is_function) {
		parser->at++;
		next(parser);
		name = parse_counter(parser, parse_word(parser));
		name->largest = largest;
		if (!largest && name->of == ELEMENT)
			fail(parser, "a whole vector");
		if (!largest)
			name->of = of;
		expect(parser, ')', "')'");
	} else {
		name = parse_counter(parser, word);
	}
	if (name->of != SCALAR)
		check_vector(parser, name);
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
		return parse_name(parser);
	if (first != '(' || ++parser->depth > DEEPEST) {
		fail(parser, "a number, a counter or '('");
		return NULL;
	}
	parser->at++;
	const struct formula *inner = parse_sum(parser);
	expect(parser, ')', "')'");
	parser->depth--;
	return inner;
}

static const struct formula *parse_chain(struct parser *parser, const char *operations,
                                         const struct formula *(*part)(struct parser *parser))
{
	const struct formula *left = part(parser);
	while (!parser->failed && next(parser) && strchr(operations, *parser->at)) {
		struct formula *both = node(parser, *parser->at++);
		both->empty_shares = parser->names->empty_shares;
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

const struct formula *formula_parse(struct arena *arena, const char *text, const struct formula_names *names,
                                    char message[FORMULA_MESSAGE])
{
	struct parser parser = {.arena = arena, .names = names, .at = text, .message = message};
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

static bool is_counter_of_code(const char *name)
{
	for (size_t i = 0; i < sizeof counters_of_code / sizeof *counters_of_code; i++)
		if (strcmp(counters_of_code[i], name) == 0)
			return true;
	return false;
}

bool formula_is_of_code(const struct formula *formula)
{
	if (formula->operation == 'n')
		return true;
	if (formula->operation == 'v') {
		const struct statistic *statistic = formula_statistic(formula->name);
		return statistic ? statistic->of_code : is_counter_of_code(formula->name);
	}
	return formula_is_of_code(formula->left) && formula_is_of_code(formula->right);
}

const char *formula_uncounted(const struct formula *formula, bool (*counts)(const void *user, const char *name),
                              const void *user)
{
	if (formula->operation == 'n')
		return NULL;
	if (formula->operation == 'v') {
		const char *name = formula->vector ? formula->vector : formula->name;
		return formula->needs & (FORMULA_MECHANISM | FORMULA_ENERGY) && !counts(user, name) ? name : NULL;
	}
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
