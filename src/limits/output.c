/* limits as JSON and as text. */
#include "limits/limits.h"

#include <math.h>

static const char *const unit_keys[LIMITS_UNITS] = {"issue",  "sp", "sfu",      "int",     "fp64", "tensor",
                                                    "shared", "l1", "requests", "replies", "l2",   "dram"};

void limits_of(const struct limits_account *account, struct limits *limits)
{
	*limits = (struct limits){0};
	limits_measure_use(account, limits);
	limits_measure_occupancy(account, limits);
	limits_measure_roofline(account, limits);
	limits_measure_links(account, limits);
	limits_apply_rules(account, limits);
}

/* --- JSON --- */

static void set_number(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, json_real(value));
}

static void set_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_string(text));
}

static json_t *occupancy_json(const struct limits_occupancy *occupancy)
{
	json_t *object = json_object();
	set_number(object, "warp_slots", occupancy->slots);
	set_number(object, "achieved", occupancy->achieved);
	if (!occupancy->is_known)
		return object;
	set_number(object, "theoretical", occupancy->theoretical);
	json_object_set_new(object, "blocks_that_fit", json_integer(occupancy->fits.blocks));
	set_text(object, "limited_by", limits_occupancy_name(occupancy->fits.limit));
	json_object_set_new(object, "blocks_per_sm", json_integer(occupancy->blocks_per_sm));
	set_number(object, "waves", occupancy->waves);
	return object;
}

static json_t *use_json(const struct limits *limits)
{
	json_t *list = json_array();
	for (enum limits_unit unit = 0; unit < LIMITS_UNITS; unit++) {
		const struct limits_use *use = &limits->use[unit];
		json_t *row = json_object();
		if (use->name) {
			set_text(row, "unit", unit_keys[unit]);
			set_text(row, "name", use->name);
			set_text(row, "of", use->what);
			set_number(row, "count", use->count);
			set_number(row, "peak", use->peak);
			set_number(row, "used", use->used);
			json_array_append(list, row);
		}
		json_decref(row);
	}
	return list;
}

static json_t *roofline_json(const struct limits_roofline *roofline)
{
	json_t *object = json_object(), *compute = json_array(), *memory = json_array();
	for (size_t i = 0; i < LIMITS_COMPUTES; i++) {
		const struct limits_compute *of = &roofline->compute[i];
		json_t *row = json_object();
		set_text(row, "name", of->name);
		set_number(row, "operations", of->operations);
		set_number(row, "rate", of->operations / roofline->seconds);
		set_number(row, "peak", of->peak);
		json_array_append_new(compute, row);
	}
	for (size_t i = 0; i < LIMITS_LEVELS; i++) {
		const struct limits_memory *of = &roofline->memory[i];
		json_t *row = json_object();
		set_text(row, "name", of->name);
		set_number(row, "bytes", of->bytes);
		set_number(row, "rate", of->bytes / roofline->seconds);
		set_number(row, "peak", of->peak);
		json_array_append_new(memory, row);
	}
	set_number(object, "seconds", roofline->seconds);
	json_object_set_new(object, "compute", compute);
	json_object_set_new(object, "memory", memory);
	return object;
}

static json_t *links_json(const struct limits *limits)
{
	json_t *list = json_array();
	for (size_t i = 0; i < limits->links; i++) {
		json_t *row = json_object();
		set_text(row, "from", limits->link[i].from);
		set_text(row, "to", limits->link[i].to);
		set_number(row, "bytes", limits->link[i].bytes);
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *rules_json(const struct limits *limits)
{
	json_t *list = json_array();
	for (size_t i = 0; i < limits->rules; i++) {
		json_t *row = json_object();
		set_text(row, "name", limits->rule[i].name);
		set_text(row, "text", limits->rule[i].text);
		set_number(row, "measured", limits->rule[i].measured);
		set_number(row, "gain", limits->rule[i].gain);
		json_array_append_new(list, row);
	}
	return list;
}

json_t *limits_json(const struct limits *limits)
{
	json_t *object = json_object();
	json_object_set_new(object, "rules", rules_json(limits));
	json_object_set_new(object, "occupancy", occupancy_json(&limits->occupancy));
	json_object_set_new(object, "use", use_json(limits));
	set_number(object, "load_store_occupied", limits->load_store_occupied);
	json_object_set_new(object, "roofline", roofline_json(&limits->roofline));
	json_object_set_new(object, "links", links_json(limits));
	json_object_set_new(object, "l1_hits", limits->l1_hits < 0 ? json_null() : json_real(limits->l1_hits));
	json_object_set_new(object, "l2_hits", limits->l2_hits < 0 ? json_null() : json_real(limits->l2_hits));
	return object;
}

/* --- text --- */

enum { BAR = 40, WIDE = 78 };

/* Prints words, with a break before those that would pass the right margin. */
static void print_words(FILE *file, const char *text, int indent)
{
	int at = indent;
	fprintf(file, "%*s", indent, "");
	while (*text) {
		int length = 0;
		while (text[length] && text[length] != ' ')
			length++;
		if (at > indent && at + 1 + length > WIDE) {
			fprintf(file, "\n%*s", indent, "");
			at = indent;
		}
		at += fprintf(file, "%s%.*s", at > indent ? " " : "", length, text);
		text += length;
		while (*text == ' ')
			text++;
	}
	fputc('\n', file);
}

/* Prints a value with a prefix of thousands: "1.34 TFLOP/s". */
static void print_scaled(FILE *file, double value, const char *unit)
{
	static const char prefixes[] = " kMGTPE";
	size_t i = 0;
	while (value >= 999.5 && prefixes[i + 1]) {
		value /= 1000;
		i++;
	}
	int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	fprintf(file, "%.*f %.*s%s", i ? digits : (value == floor(value) ? 0 : 2), value, i > 0, &prefixes[i], unit);
}

static void print_rules(const struct limits *limits, FILE *file)
{
	for (size_t i = 0; i < limits->rules; i++) {
		const struct limits_rule *rule = &limits->rule[i];
		fprintf(file, "  %-22s at most %.2f x\n", rule->name, rule->gain);
		print_words(file, rule->text, 4);
	}
}

static void print_occupancy(const struct limits_occupancy *occupancy, FILE *file)
{
	fprintf(file, "  %-22s achieved %.1f %%", "occupancy", 100 * occupancy->achieved);
	if (occupancy->is_known)
		fprintf(file, ", theoretical %.1f %%: %u blocks fit (%s), %u placed per SM; %.2f waves",
		        100 * occupancy->theoretical, occupancy->fits.blocks,
		        limits_occupancy_name(occupancy->fits.limit), occupancy->blocks_per_sm, occupancy->waves);
	fputc('\n', file);
}

static void print_bar(FILE *file, const char *name, double used)
{
	int length = (int)lround(used * BAR);
	fprintf(file, "  %-22s %5.1f %%", name, 100 * used);
	if (length)
		fprintf(file, "  %.*s", length, "########################################");
	fputc('\n', file);
}

static void print_use(const struct limits *limits, FILE *file)
{
	fputs("  of the peak\n", file);
	for (enum limits_unit unit = 0; unit < LIMITS_UNITS; unit++)
		if (limits->use[unit].name)
			print_bar(file, limits->use[unit].name, limits->use[unit].used);
	print_bar(file, "load/store occupied", limits->load_store_occupied);
}

static void print_rate(FILE *file, const char *name, double amount, double seconds, double peak, const char *unit)
{
	fprintf(file, "  %-22s ", name);
	print_scaled(file, amount / seconds, unit);
	fputs(" of ", file);
	print_scaled(file, peak, unit);
}

static void print_roofline(const struct limits_roofline *roofline, FILE *file)
{
	double seconds = roofline->seconds;
	for (size_t i = 0; i < LIMITS_COMPUTES; i++) {
		const struct limits_compute *compute = &roofline->compute[i];
		if (compute->operations <= 0)
			continue;
		print_rate(file, compute->name, compute->operations, seconds, compute->peak, "FLOP/s");
		for (size_t k = 0; k < LIMITS_LEVELS; k++)
			if (roofline->memory[k].bytes > 0)
				fprintf(file, "%s%.3g FLOP/byte of %s", k ? ", " : "; ",
				        compute->operations / roofline->memory[k].bytes, roofline->memory[k].name);
		fputc('\n', file);
	}
	for (size_t k = 0; k < LIMITS_LEVELS; k++) {
		print_rate(file, roofline->memory[k].name, roofline->memory[k].bytes, seconds, roofline->memory[k].peak,
		           "B/s");
		fputc('\n', file);
	}
}

static void print_links(const struct limits *limits, FILE *file)
{
	for (size_t i = 0; i < limits->links; i++) {
		char name[48];
		snprintf(name, sizeof name, "%s to %s", limits->link[i].from, limits->link[i].to);
		fprintf(file, "  %-22s ", name);
		print_scaled(file, limits->link[i].bytes, "B");
		fputc('\n', file);
	}
	if (limits->l1_hits >= 0)
		fprintf(file, "  %-22s %.1f %%\n", "L1 hits", 100 * limits->l1_hits);
	if (limits->l2_hits >= 0)
		fprintf(file, "  %-22s %.1f %%\n", "L2 hits", 100 * limits->l2_hits);
}

void limits_print(const struct limits *limits, FILE *file)
{
	print_rules(limits, file);
	print_occupancy(&limits->occupancy, file);
	print_use(limits, file);
	print_roofline(&limits->roofline, file);
	print_links(limits, file);
}
