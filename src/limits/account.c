/* Reads the machine and the counters back from a run's JSON. */
#include "limits/limits.h"

#include <stdlib.h>
#include <string.h>

/* The text of a value, as base_option_set() takes it. */
static void value_text(const json_t *value, char *text, size_t size)
{
	if (json_is_string(value))
		snprintf(text, size, "%s", json_string_value(value));
	else if (json_is_boolean(value))
		snprintf(text, size, "%s", json_is_true(value) ? "true" : "false");
	else if (json_is_integer(value))
		snprintf(text, size, "%lld", (long long)json_integer_value(value));
	else
		snprintf(text, size, "%.17g", json_number_value(value));
}

bool limits_read_machine(const json_t *configuration, struct machine *machine, char message[LIMITS_MESSAGE])
{
	*machine = (struct machine){0};
	for (size_t i = 0; i < machine_option_count; i++) {
		const struct base_option *option = &machine_options[i];
		const json_t *value = json_object_get(configuration, option->name);
		char text[2 * BASE_OPTION_TEXT_SIZE], reason[128];
		if (!value) {
			snprintf(message, LIMITS_MESSAGE,
			         "its machine has no key %s: it is of another version of Sluice", option->name);
			return false;
		}
		value_text(value, text, sizeof text);
		if (!base_option_set(option, machine, text, reason, sizeof reason)) {
			snprintf(message, LIMITS_MESSAGE, "its machine's %s: %s", option->name, reason);
			return false;
		}
	}
	struct diag diag = {0};
	bool fine = machine_check(machine, &diag);
	if (fine)
		machine_derive(machine);
	else
		snprintf(message, LIMITS_MESSAGE, "its machine is invalid: %s", diag.text ? diag.text : "");
	diag_free(&diag);
	return fine;
}

static bool read_counters(const json_t *counters, struct gpu_stats *stats, char message[LIMITS_MESSAGE])
{
	for (size_t g = 0; g < gpu_counter_group_count; g++) {
		const struct base_counter_group *group = &gpu_counter_groups[g];
		for (size_t i = 0; i < *group->count; i++) {
			const struct base_counter *row = &group->rows[i];
			char name[128];
			snprintf(name, sizeof name, "%s.%s", group->name, row->name);
			const json_t *value = json_object_get(counters, name);
			if (!json_is_integer(value)) {
				snprintf(message, LIMITS_MESSAGE,
				         value ? "it has no counters of cycles"
				               : "it has no counter %s: it is of another version of Sluice",
				         name);
				return false;
			}
			*(uint64_t *)((char *)stats + group->offset + row->offset) =
				(uint64_t)json_integer_value(value);
		}
	}
	return true;
}

static double product_of(const json_t *dim)
{
	double product = 1;
	for (size_t i = 0; i < json_array_size(dim); i++)
		product *= json_number_value(json_array_get(dim, i));
	return product;
}

static uint32_t number_of(const json_t *object, const char *key)
{
	return (uint32_t)json_integer_value(json_object_get(object, key));
}

bool limits_read_account(const json_t *object, struct limits_account *account, char message[LIMITS_MESSAGE])
{
	const json_t *block = json_object_get(object, "block");
	account->stats = (struct gpu_stats){0};
	if (!read_counters(json_object_get(object, "counters"), &account->stats, message))
		return false;
	account->cycles = json_number_value(json_object_get(object, "cycles"));
	account->is_launch = block;
	account->block_threads = (uint32_t)product_of(block);
	account->blocks = product_of(json_object_get(object, "grid"));
	account->registers = number_of(object, "registers");
	account->shared_bytes = number_of(object, "shared_bytes");
	account->blocks_per_sm = number_of(object, "blocks_per_sm");
	account->units = json_object_get(object, "units");
	if (account->cycles <= 0)
		snprintf(message, LIMITS_MESSAGE, "it ran in no cycle");
	return account->cycles > 0;
}
