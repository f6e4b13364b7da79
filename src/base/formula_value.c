/* The value of a formula in the statistics of a run. */
#include "base/formula_private.h"

#include "base/vector.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Values by unit, over all launches. */
struct values {
	double *value;
	size_t count;
};

/* Adds the values of a launch to those of the launches before. Returns 0, or NAN when the launch has none. */
static double add_values(const json_t *launch, const struct formula *formula, struct values *values)
{
	const json_t *own = json_object_get(json_object_get(launch, "units"), formula->name);
	size_t count = json_array_size(own);
	if (!own)
		return NAN;
	if (count > values->count) {
		values->value = base_realloc(values->value, count * sizeof *values->value);
		memset(values->value + values->count, 0, (count - values->count) * sizeof *values->value);
		values->count = count;
	}
	for (size_t i = 0; i < count; i++) {
		double value = json_number_value(json_array_get(own, i));
		values->value[i] = formula->largest ? fmax(values->value[i], value) : values->value[i] + value;
	}
	return 0;
}

/* The selected one of at least one value; NAN: there is no such unit. */
static double of_values(const struct formula *formula, const struct values *values)
{
	double least = INFINITY, most = -INFINITY, sum = 0;
	for (size_t i = 0; i < values->count; i++) {
		least = fmin(least, values->value[i]);
		most = fmax(most, values->value[i]);
		sum += values->value[i];
	}
	if (formula->of == ELEMENT) {
		unsigned long number = strtoul(formula->element, NULL, 10);
		return number < values->count ? values->value[number] : NAN;
	}
	return formula->of == LEAST ? least : formula->of == MOST ? most : sum / (double)values->count;
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
	if (!json_is_number(value))
		snprintf(message, FORMULA_MESSAGE, "the statistics have no '%s'", formula->name);
	return json_is_number(value) ? json_number_value(value) : NAN;
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

/* Element i of the launches and sessions, if it counts. A value that only a session knows of kernels that ran together
 * is taken from there, unless one kernel is meant. */
static const json_t *contribution(const json_t *stats, const char *kernel, bool by_session, size_t i)
{
	const json_t *kernels = json_object_get(stats, "kernels"), *launch = json_array_get(kernels, i);
	const char *symbol = json_string_value(json_object_get(launch, "name"));
	if (!launch)
		return by_session ? json_array_get(json_object_get(stats, "sessions"), i - json_array_size(kernels))
		                  : NULL;
	bool counts = by_session ? !json_object_get(launch, "session")
	                         : !kernel || (symbol && formula_kernel_is(symbol, kernel));
	return counts && formula_counts(launch) ? launch : NULL;
}

/* The selected value by unit. */
static double look_up_values(const struct formula *formula, const json_t *stats, const char *kernel, char *message)
{
	size_t most = json_array_size(json_object_get(stats, "kernels")) +
	              json_array_size(json_object_get(stats, "sessions"));
	struct values values = {0};
	double result = 0;
	for (size_t i = 0; i < most; i++) {
		const json_t *launch = contribution(stats, kernel, !kernel, i);
		if (launch)
			result += add_values(launch, formula, &values);
	}
	bool has_values = !isnan(result) && values.count;
	result = has_values ? of_values(formula, &values) : NAN;
	if (!has_values)
		snprintf(message, FORMULA_MESSAGE, "the statistics have no values of '%s' by unit", formula->name);
	else if (isnan(result))
		snprintf(message, FORMULA_MESSAGE, "'%s' has no unit %s; it has %zu", formula->name, formula->element,
		         values.count);
	free(values.value);
	return result;
}

static double look_up(const struct formula *formula, const json_t *stats, const char *kernel, char *message)
{
	const char *name = formula->name;
	if (formula->needs & FORMULA_MACHINE)
		return of_machine(formula, stats, message);
	if (formula->needs & FORMULA_UNITS)
		return look_up_values(formula, stats, kernel, message);
	const struct statistic *statistic = formula_statistic(name);
	bool by_session = !kernel && (!statistic || statistic->of_session);
	double result = 0, weight = 0;
	struct vector count = {0}, from = {0};
	size_t launches = 0, most = json_array_size(json_object_get(stats, "kernels")) +
	                            json_array_size(json_object_get(stats, "sessions"));
	for (size_t i = 0; i < most; i++) {
		const json_t *launch = contribution(stats, kernel, by_session, i);
		if (!launch)
			continue;
		double value = formula->of == SCALAR   ? of_launch(launch, formula, statistic)
		               : formula->of == MEDIAN ? add_bins(launch, formula, &count, &from)
		                                       : of_vector(launch, formula, &weight);
		result = combine(result, value, formula->largest || (statistic && statistic->largest));
		launches++;
	}
	double median = vector_median(count.value, from.value, count.length);
	vector_free(&count);
	vector_free(&from);
	const char *kind = formula->of == MEDIAN ? "histogram " : "";
	if (!launches)
		snprintf(message, FORMULA_MESSAGE, "no kernel %s ran", kernel ? kernel : "at all");
	else if (isnan(result))
		snprintf(message, FORMULA_MESSAGE, "the statistics have no %s'%s'", kind, name);
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
