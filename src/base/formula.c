#include "base/formula.h"

#include "base/edit_distance.h"
#include "base/table.h"
#include "base/vector.h"

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
	unsigned needs;    /* sources of a name's values */
	bool largest;      /* maximum over all launches, else the sum */
	bool empty_shares; /* for a division: 0 / 0 is 0 */
	/* selected value of a mechanism's vector; SCALAR: not a vector */
	enum { SCALAR, ELEMENT, SUM, MEAN, MEDIAN } of;
	const char *element, *vector; /* label or number of the element; "NAME[]" */
	const struct formula *left, *right;
};

/* Statistics of a launch other than counters. */
static const struct statistic {
	const char *name;
	bool largest;           /* else the sum */
	const char *key, *dims; /* its key in a kernel; or the key whose three numbers are multiplied */
	bool of_code;           /* it follows from the compiled program and its inputs, whatever the machine */
} statistics[] = {
	{"cycles", false, "cycles", NULL, false},
	{"thread_instructions", false, "thread_instructions", NULL, true},
	{"warp_instructions", false, "warp_instructions", NULL, true},
	{"host_seconds", false, "host_seconds", NULL, false},
	{"launches", false, NULL, NULL, true},
	{"blocks", false, NULL, "grid", true},
	{"threads", false, NULL, NULL, true},
	{"registers", true, "registers", NULL, false},
	{"spill_bytes", true, "spill_bytes", NULL, false},
	{"shared_bytes", true, "shared_bytes", NULL, false},
	{"blocks_per_sm", true, "blocks_per_sm", NULL, false},
	{"block_threads", true, NULL, "block", true},
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

static const struct statistic *find_statistic(const char *name)
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
	if (find_statistic(name))
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

static void check_vector(struct parser *parser, struct formula *name)
{
	size_t size = strlen(name->name) + 3;
	char *vector = arena_alloc(parser->arena, size);
	snprintf(vector, size, "%s[]", name->name);
	name->vector = vector;
	if (parser->failed || name->needs & FORMULA_MECHANISM)
		return;
	snprintf(parser->message, FORMULA_MESSAGE, "'%s' is not a vector", name->name);
	parser->failed = true;
}

/* A counter of the own group may be named without the group. */
static const char *whole_name(struct parser *parser, const char *word)
{
	const char *own = parser->names->own;
	if (!own || strchr(word, '.') || find_statistic(word))
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
	static const char *const names[] = {[SUM] = "sum", [MEAN] = "mean", [MEDIAN] = "median"};
	for (int of = SUM; of <= MEDIAN; of++)
		if (strcmp(names[of], word) == 0)
			return of;
	return SCALAR;
}

/* Parses a counter, or largest(), sum(), mean() or median() of one. */
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
		const struct statistic *statistic = find_statistic(formula->name);
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

static double product(const json_t *kernel, const char *key)
{
	double result = 1;
	for (size_t i = 0; i < 3; i++)
		result *= json_number_value(json_array_get(json_object_get(kernel, key), i));
	return result;
}

/* NAN when the kernel does not have the key, or has null there. */
static double of_launch(const json_t *kernel, const struct formula *formula, const struct statistic *statistic)
{
	const char *name = formula->name;
	const json_t *value = NULL;
	if (formula->needs & FORMULA_ENERGY)
		value = json_object_get(json_object_get(kernel, "energy"), strchr(name, '.') + 1);
	else if (!statistic)
		value = json_object_get(json_object_get(kernel, "counters"), name);
	else if (statistic->key)
		value = json_object_get(kernel, statistic->key);
	else if (statistic->dims)
		return product(kernel, statistic->dims);
	else
		return strcmp(name, "launches") == 0 ? 1 : product(kernel, "grid") * product(kernel, "block");
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The index of an element in a vector: the one with that label, else with that number. SIZE_MAX: none. */
static size_t find_element(const json_t *vector, const char *element)
{
	const json_t *labels = json_object_get(vector, "labels");
	char *end;
	for (size_t i = 0; i < json_array_size(labels); i++) {
		const char *label = json_string_value(json_array_get(labels, i));
		if (label && strcmp(label, element) == 0)
			return i;
	}
	unsigned long number = strtoul(element, &end, 10);
	bool is_number = isdigit((unsigned char)*element) && !*end;
	return is_number && number < json_array_size(json_object_get(vector, "values")) ? number : SIZE_MAX;
}

static double total(const json_t *values)
{
	double sum = 0;
	for (size_t i = 0; i < json_array_size(values); i++)
		sum += json_number_value(json_array_get(values, i));
	return sum;
}

/* A launch's contribution to the value of a vector and, for a mean, to its weight. A label that a launch does not
 * have contributes nothing. NAN when the launch has no such vector. */
static double of_vector(const json_t *kernel, const struct formula *formula, double *weight)
{
	const json_t *vector = json_object_get(json_object_get(kernel, "vectors"), formula->name);
	const json_t *values = json_object_get(vector, "values"), *sum = json_object_get(vector, "sum");
	size_t element = formula->of == ELEMENT ? find_element(vector, formula->element) : 0;
	if (!vector)
		return NAN;
	if (formula->of == ELEMENT) {
		*weight += element != SIZE_MAX;
		return json_number_value(json_array_get(values, element));
	}
	*weight += sum ? total(values) : (double)json_array_size(values);
	return formula->of == MEAN && sum ? json_number_value(sum) : total(values);
}

static double combine(double result, double value, bool largest)
{
	if (isnan(result) || isnan(value))
		return NAN;
	return largest ? fmax(result, value) : result + value;
}

static double of_machine(const struct formula *formula, const json_t *stats, char *message)
{
	const json_t *value = json_object_get(json_object_get(stats, "configuration"), formula->name);
	if (json_is_number(value))
		return json_number_value(value);
	snprintf(message, FORMULA_MESSAGE, "the statistics have no '%s'", formula->name);
	return NAN;
}

/* Adds a launch's histogram to the total: the number of values in each bin, and the bins' minimums. Returns 0, or
 * NAN when the launch has no such histogram. */
static double add_bins(const json_t *kernel, const struct formula *formula, struct vector *count, struct vector *from)
{
	const json_t *vector = json_object_get(json_object_get(kernel, "vectors"), formula->name);
	const json_t *values = json_object_get(vector, "values"), *bins = json_object_get(vector, "bins");
	uint32_t length = (uint32_t)json_array_size(bins);
	if (!length || (count->length && count->length != length))
		return NAN;
	if (!count->length) {
		*count = vector_new(length);
		*from = vector_new(length);
	}
	for (uint32_t i = 0; i < length; i++) {
		count->value[i] += (uint64_t)json_integer_value(json_array_get(values, i));
		from->value[i] = (uint64_t)json_integer_value(json_array_get(bins, i));
	}
	return 0;
}

bool formula_counts(const json_t *launch)
{
	const char *selected = json_string_value(json_object_get(launch, "selected"));
	return !selected || strcmp(selected, "yes") == 0;
}

static double look_up(const struct formula *formula, const json_t *stats, const char *kernel, char *message)
{
	const char *name = formula->name;
	if (formula->needs & FORMULA_MACHINE)
		return of_machine(formula, stats, message);
	const json_t *kernels = json_object_get(stats, "kernels");
	const struct statistic *statistic = find_statistic(name);
	double result = 0, weight = 0, median;
	struct vector count = {0}, from = {0};
	size_t launches = 0;
	for (size_t i = 0; i < json_array_size(kernels); i++) {
		const json_t *launch = json_array_get(kernels, i);
		const char *symbol = json_string_value(json_object_get(launch, "name"));
		if (!formula_counts(launch) || (kernel && (!symbol || !formula_kernel_is(symbol, kernel))))
			continue;
		double value = formula->of == SCALAR   ? of_launch(launch, formula, statistic)
		               : formula->of == MEDIAN ? add_bins(launch, formula, &count, &from)
		                                       : of_vector(launch, formula, &weight);
		result = combine(result, value, formula->largest || (statistic && statistic->largest));
		launches++;
	}
	median = vector_median(count.value, from.value, count.length);
	vector_free(&count);
	vector_free(&from);
	if (!launches)
		snprintf(message, FORMULA_MESSAGE, "no kernel %s ran", kernel ? kernel : "at all");
	else if (isnan(result))
		snprintf(message, FORMULA_MESSAGE, "the statistics have no %s'%s'",
		         formula->of == MEDIAN ? "histogram " : "", name);
	else if (formula->of == MEDIAN)
		return median;
	else if (formula->of == ELEMENT && !weight)
		snprintf(message, FORMULA_MESSAGE, "'%s' has no element '%s'", name, formula->element);
	else if (formula->of != MEAN || weight)
		return formula->of == MEAN ? result / weight : result;
	return NAN;
}

static double value_of(const struct formula *formula, const json_t *stats, const char *kernel, char *message)
{
	if (formula->operation == 'n')
		return formula->number;
	if (formula->operation == 'v')
		return look_up(formula, stats, kernel, message);
	double left = value_of(formula->left, stats, kernel, message);
	double right = value_of(formula->right, stats, kernel, message);
	switch (formula->operation) {
	case '+':
		return left + right;
	case '-':
		return left - right;
	case '*':
		return left * right;
	default:
		if (right == 0 && left == 0)
			return formula->empty_shares ? 0 : NAN;
		if (right == 0)
			snprintf(message, FORMULA_MESSAGE, "division by 0");
		return right == 0 ? NAN : left / right;
	}
}

double formula_value(const struct formula *formula, const json_t *stats, const char *kernel,
                     char message[FORMULA_MESSAGE])
{
	*message = '\0';
	return value_of(formula, stats, kernel, message);
}
