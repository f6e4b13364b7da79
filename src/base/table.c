#include "base/table.h"

#include "base/edit_distance.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const true_words[] = {"true", "yes", "on", "1", NULL};
static const char *const false_words[] = {"false", "no", "off", "0", NULL};

const struct base_option *base_option_find(const struct base_option *table, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

const struct base_option *base_option_nearest(const struct base_option *table, size_t count, const char *name)
{
	const struct base_option *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	for (size_t i = 0; i < count; i++) {
		if (edit_distance_is_nearer(name, table[i].name, &best))
			nearest = &table[i];
	}
	return nearest;
}

static uint32_t word_index(const char *const *words, const char *word)
{
	for (uint32_t i = 0; words[i]; i++)
		if (strcasecmp(words[i], word) == 0)
			return i;
	return UINT32_MAX;
}

static bool has_range(const struct base_option *option)
{
	return option->min < option->max;
}

static void shortest_number(double value, char *text, size_t size)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, size, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			return;
	}
}

/* "l1d.sets: expected a whole number from 1 to 1024, not 'many'" */
static void expected_number(const struct base_option *option, const char *value, char *message, size_t size)
{
	const char *kind = option->type == BASE_OPTION_U32 ? "a whole number" : "a number";
	char range[80] = "", low[32], high[32];
	if (has_range(option)) {
		shortest_number(option->min, low, sizeof low);
		shortest_number(option->max, high, sizeof high);
		/* A whole number is easier to read without an exponent. */
		if (option->type == BASE_OPTION_U32) {
			snprintf(low, sizeof low, "%.0f", option->min);
			snprintf(high, sizeof high, "%.0f", option->max);
		}
		snprintf(range, sizeof range, " from %s to %s", low, high);
	}
	snprintf(message, size, "%s: expected %s%s%s%s, not '%s'", option->name, kind, range,
	         *option->unit ? " in " : "", option->unit, value);
}

static bool set_u32(const struct base_option *option, void *field, const char *value)
{
	char *end;
	errno = 0;
	/* strtoull accepts a sign and wraps around; our numbers begin with a digit. */
	if (!isdigit((unsigned char)*value))
		return false;
	bool is_hex = value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
	unsigned long long number = strtoull(value, &end, is_hex ? 16 : 10);
	if (*end || errno || number > UINT32_MAX)
		return false;
	if (has_range(option) && ((double)number < option->min || (double)number > option->max))
		return false;
	*(uint32_t *)field = (uint32_t)number;
	return true;
}

static bool set_f64(const struct base_option *option, void *field, const char *value)
{
	char *end;
	if (!*value || isspace((unsigned char)*value))
		return false;
	double number = strtod(value, &end);
	if (*end || !isfinite(number))
		return false;
	if (has_range(option) && (number < option->min || number > option->max))
		return false;
	*(double *)field = number;
	return true;
}

static bool set_enum(const struct base_option *option, void *field, const char *value, char *message, size_t size)
{
	uint32_t index = word_index(option->choices, value);
	if (index != UINT32_MAX) {
		*(uint32_t *)field = index;
		return true;
	}
	int length = snprintf(message, size, "%s: expected ", option->name);
	for (uint32_t i = 0; option->choices[i] && length >= 0 && (size_t)length < size; i++) {
		const char *before = i == 0 ? "" : option->choices[i + 1] ? ", " : " or ";
		length += snprintf(message + length, size - (size_t)length, "%s%s", before, option->choices[i]);
	}
	if (length >= 0 && (size_t)length < size)
		snprintf(message + length, size - (size_t)length, ", not '%s'", value);
	return false;
}

static bool set_bool(const struct base_option *option, void *field, const char *value, char *message, size_t size)
{
	bool is_true = word_index(true_words, value) != UINT32_MAX;
	if (!is_true && word_index(false_words, value) == UINT32_MAX) {
		snprintf(message, size, "%s: expected true or false, not '%s'", option->name, value);
		return false;
	}
	*(bool *)field = is_true;
	return true;
}

static bool set_text(const struct base_option *option, void *field, const char *value, char *message, size_t size)
{
	size_t length = strlen(value);
	if (length >= BASE_OPTION_TEXT_SIZE) {
		snprintf(message, size, "%s: expected a text of at most %d bytes, not %zu", option->name,
		         BASE_OPTION_TEXT_SIZE - 1, length);
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		if (iscntrl((unsigned char)value[i])) {
			snprintf(message, size, "%s: expected a text of one line without control characters",
			         option->name);
			return false;
		}
	}
	memset(field, 0, BASE_OPTION_TEXT_SIZE);
	memcpy(field, value, length);
	return true;
}

bool base_option_set(const struct base_option *option, void *config, const char *value, char *message,
                     size_t message_size)
{
	void *field = (char *)config + option->offset;
	bool fits = false;
	switch (option->type) {
	case BASE_OPTION_U32:
		fits = set_u32(option, field, value);
		break;
	case BASE_OPTION_F64:
		fits = set_f64(option, field, value);
		break;
	case BASE_OPTION_BOOL:
		return set_bool(option, field, value, message, message_size);
	case BASE_OPTION_ENUM:
		return set_enum(option, field, value, message, message_size);
	case BASE_OPTION_TEXT:
		return set_text(option, field, value, message, message_size);
	}
	if (!fits)
		expected_number(option, value, message, message_size);
	return fits;
}

void base_option_print(const struct base_option *option, const void *config, char *text, size_t size)
{
	const void *field = (const char *)config + option->offset;
	switch (option->type) {
	case BASE_OPTION_U32:
		snprintf(text, size, "%u", *(const uint32_t *)field);
		break;
	case BASE_OPTION_F64:
		shortest_number(*(const double *)field, text, size);
		break;
	case BASE_OPTION_BOOL:
		snprintf(text, size, "%s", *(const bool *)field ? "true" : "false");
		break;
	case BASE_OPTION_ENUM:
		snprintf(text, size, "%s", option->choices[*(const uint32_t *)field]);
		break;
	case BASE_OPTION_TEXT:
		snprintf(text, size, "%s", (const char *)field);
		break;
	}
}

const char *base_scope_name(enum base_scope scope)
{
	static const char *const names[] = {
		[BASE_SCOPE_SM] = "sm",           [BASE_SCOPE_SLICE] = "slice", [BASE_SCOPE_CHANNEL] = "channel",
		[BASE_SCOPE_NETWORK] = "network", [BASE_SCOPE_GPU] = "gpu",
	};
	assert((size_t)scope < sizeof names / sizeof *names);
	return names[scope];
}
