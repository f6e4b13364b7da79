#include "energy/table.h"

#include "base/edit_distance.h"
#include "gpu/gpu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool energy_is_reserved(const char *component)
{
	static const char *const words[] = {"total", "dynamic", "constant",    "seconds",
	                                    "watts", "delay",   "instruction", "table"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i], component) == 0)
			return true;
	return false;
}

size_t energy_table_find(const struct energy_table *table, const char *component)
{
	size_t number = 0;
	while (number < table->component_count && strcmp(table->components[number].name, component) != 0)
		number++;
	return number;
}

const struct energy_scale *energy_table_scale(const struct energy_table *table, uint64_t node)
{
	static const struct energy_scale same = {.energy = 1, .power = 1};
	if (node == table->node)
		return &same;
	for (size_t i = 0; i < table->scale_count; i++)
		if (table->scales[i].node == node)
			return &table->scales[i];
	return NULL;
}

/* Reads a text and parses it as a formula. */
static void read_formula(struct document *document, const char *key, const yaml_node_t *value,
                         const struct formula_names *names, const char **text, const struct formula **formula)
{
	char message[FORMULA_MESSAGE];
	*text = document_text(document, key, value);
	*formula = *text ? formula_parse(document->arena, *text, names, message) : NULL;
	if (*text && !*formula)
		document_error(document, value, "%s: %s", key, message);
}

static void read_events(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	const struct formula_names names = {.groups = {{gpu_counter_groups, gpu_counter_group_count, FORMULA_RUN}},
	                                    .keys = machine_options,
	                                    .key_count = machine_option_count,
	                                    .empty_shares = true};
	struct energy_event *event = into;
	read_formula(document, key, value, &names, &event->text, &event->events);
}

/* Only the machine's keys are allowed, because a power does not depend on the program. */
static void read_each(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	const struct formula_names names = {.keys = machine_options, .key_count = machine_option_count};
	struct energy_power *power = into;
	read_formula(document, key, value, &names, &power->text, &power->each);
	if (power->each && formula_needs(power->each) & FORMULA_RUN)
		document_error(document, value, "%s: expected keys of the machine, which 'sluice machine show' lists",
		               key);
}

static void read_while(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	const char *text = document_text(document, key, value);
	bool always = text && strcmp(text, "always") == 0;
	if (text && !always && strcmp(text, "running") != 0)
		document_error(document, value, "%s: expected always or running, not '%s'", key, text);
	*(bool *)into = always;
}

static void read_component_list(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"meaning", document_read_text, offsetof(struct energy_component, meaning)}, {0}};
	const struct energy_component blank = {0};
	struct energy_table *table = into;
	table->components = document_read_named(document, key, value, keys, &blank, sizeof blank,
	                                        offsetof(struct energy_component, place), &table->component_count);
}

static void read_event_list(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"component", document_read_text, offsetof(struct energy_event, component)},
		{"events", read_events, 0},
		{"picojoules", document_read_real, offsetof(struct energy_event, picojoules)},
		{"node", document_read_number, offsetof(struct energy_event, node)},
		{"source", document_read_text, offsetof(struct energy_event, source)},
		{0},
	};
	const struct energy_event blank = {.picojoules = -1};
	struct energy_table *table = into;
	table->events = document_read_named(document, key, value, keys, &blank, sizeof blank,
	                                    offsetof(struct energy_event, place), &table->event_count);
}

static void read_power_list(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"component", document_read_text, offsetof(struct energy_power, component)},
		{"each", read_each, 0},
		{"watts", document_read_real, offsetof(struct energy_power, watts)},
		{"while", read_while, offsetof(struct energy_power, always)},
		{"node", document_read_number, offsetof(struct energy_power, node)},
		{"source", document_read_text, offsetof(struct energy_power, source)},
		{0},
	};
	const struct energy_power blank = {.watts = -1};
	struct energy_table *table = into;
	table->powers = document_read_named(document, key, value, keys, &blank, sizeof blank,
	                                    offsetof(struct energy_power, place), &table->power_count);
}

static void read_scale_list(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"energy", document_read_real, offsetof(struct energy_scale, energy)},
		{"power", document_read_real, offsetof(struct energy_scale, power)},
		{"source", document_read_text, offsetof(struct energy_scale, source)},
		{0},
	};
	const struct energy_scale blank = {.energy = -1, .power = -1};
	struct energy_table *table = into;
	table->scales = document_read_named(document, key, value, keys, &blank, sizeof blank,
	                                    offsetof(struct energy_scale, place), &table->scale_count);
}

/* --- consistency checks --- */

__attribute__((format(printf, 3, 4))) static void wrong(struct document *document, struct diag_place place,
                                                        const char *format, ...)
{
	char message[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	diag_error(&document->diag, &document->source, place, "%s", message);
}

static void check_components(struct document *document, const struct energy_table *table)
{
	for (size_t i = 0; i < table->component_count; i++) {
		const struct energy_component *component = &table->components[i];
		size_t length = strspn(component->name, "abcdefghijklmnopqrstuvwxyz0123456789_");
		if (component->name[length] || !isalpha((unsigned char)*component->name))
			wrong(document, component->place, "component '%s'; expected small letters, digits and _",
			      component->name);
		else if (energy_is_reserved(component->name))
			wrong(document, component->place,
			      "a component cannot have the name '%s': energy.%s has another meaning", component->name,
			      component->name);
		else if (!component->meaning)
			wrong(document, component->place, "component %s: expected a meaning", component->name);
	}
}

static void check_scales(struct document *document, struct energy_table *table)
{
	for (size_t i = 0; i < table->scale_count; i++) {
		struct energy_scale *scale = &table->scales[i];
		char *end;
		scale->node = strtoull(scale->name, &end, 10);
		if (!isdigit((unsigned char)*scale->name) || *end || !scale->node)
			wrong(document, scale->place, "scaling '%s'; expected a technology node in nm", scale->name);
		else if (scale->node == table->node)
			wrong(document, scale->place, "%s nm is the table's own node", scale->name);
		else if (scale->energy < 0 || scale->power < 0 || !scale->source)
			wrong(document, scale->place, "scaling %s: expected energy, power and a source", scale->name);
	}
}

/* The common part of events and powers. */
struct row {
	const char *kind, *name, *component, *source;
	uint64_t *node;
	struct diag_place place;
};

static void check_component(struct document *document, const struct energy_table *table, const struct row *row)
{
	const char *nearest = NULL;
	uint32_t best = EDIT_DISTANCE_FAR;
	if (energy_table_find(table, row->component) < table->component_count)
		return;
	for (size_t i = 0; i < table->component_count; i++)
		if (edit_distance_is_nearer(row->component, table->components[i].name, &best))
			nearest = table->components[i].name;
	wrong(document, row->place, "%s: no component '%s'%s%s%s", row->name, row->component,
	      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static void check_row(struct document *document, const struct energy_table *table, const struct row *row,
                      const char *missing)
{
	*row->node = *row->node ? *row->node : table->node;
	if (missing || !row->component || !row->source)
		wrong(document, row->place, "%s %s: expected %s", row->kind, row->name,
		      !row->component ? "a component"
		      : missing       ? missing
		                      : "a source: where the number comes from");
	else if (!energy_table_scale(table, *row->node))
		wrong(document, row->place,
		      "%s %s: its number is for %llu nm, and scaling has no factor from there to %llu", row->kind,
		      row->name, (unsigned long long)*row->node, (unsigned long long)table->node);
	else
		check_component(document, table, row);
}

static void check(struct document *document, struct energy_table *table)
{
	if (!table->title || !table->node || !table->component_count)
		wrong(document, (struct diag_place){0}, "expected %s",
		      !table->title  ? "a title"
		      : !table->node ? "node: the technology node in nm"
		                     : "components");
	check_components(document, table);
	check_scales(document, table);
	for (size_t i = 0; i < table->event_count; i++) {
		struct energy_event *event = &table->events[i];
		const struct row row = {"event",       event->name,  event->component,
		                        event->source, &event->node, event->place};
		check_row(document, table, &row,
		          !event->text            ? "events: a formula over counters"
		          : event->picojoules < 0 ? "picojoules"
		                                  : NULL);
	}
	for (size_t i = 0; i < table->power_count; i++) {
		struct energy_power *power = &table->powers[i];
		const struct row row = {"power",       power->name,  power->component,
		                        power->source, &power->node, power->place};
		check_row(document, table, &row, power->watts < 0 ? "watts" : NULL);
	}
}

bool energy_table_read(struct energy_table *table, struct document *document)
{
	static const struct document_key keys[] = {
		{"title", document_read_text, offsetof(struct energy_table, title)},
		{"node", document_read_number, offsetof(struct energy_table, node)},
		{"components", read_component_list, 0},
		{"events", read_event_list, 0},
		{"power", read_power_list, 0},
		{"scaling", read_scale_list, 0},
		{0},
	};
	*table = (struct energy_table){0};
	if (!document_load(document))
		return false;
	document_read(document, "table of energies", yaml_document_get_root_node(&document->yaml), keys, table);
	if (!document->diag.errors)
		check(document, table);
	yaml_document_delete(&document->yaml);
	return !document->diag.errors;
}
