/* tables: checks a mechanism's own description: its name, options, counters, vectors, opcodes and passes. */
#include "flow/pass.h"
#include "seam/seam.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 40 };

/* True for a name that can be typed at a shell and can precede or follow '.', '=', ',' and ':'. */
static bool is_name(const char *name, const char *others)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";
	if (!name || !*name || !strchr(letters, *name) || strlen(name) > MAX_NAME)
		return false;
	for (; *name; name++)
		if (!strchr(letters, *name) && !strchr(digits, *name) && !strchr(others, *name))
			return false;
	return true;
}

/* The position of an error in a mechanism's description. */
struct row {
	const char *kind; /* for example "option" */
	size_t number;
	const char *name;
	char *message;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct row *row, const char *format, ...)
{
	va_list arguments;
	int length = snprintf(row->message, row->size, "%s %zu (%s): ", row->kind, row->number,
	                      row->name ? row->name : "no name");
	va_start(arguments, format);
	if (length > 0 && (size_t)length < row->size)
		vsnprintf(row->message + length, row->size - (size_t)length, format, arguments);
	va_end(arguments);
	return false;
}

/* Checks what options and counters have in common: a unique name, and texts. */
static bool check_row(const struct row *row, const char *unit, const char *meaning, bool is_taken)
{
	if (!is_name(row->name, "_."))
		return refuse(row, "expected a name of at most %d small letters, digits, _ and .", MAX_NAME);
	if (is_taken)
		return refuse(row, "another one has this name");
	if (!unit || !meaning)
		return refuse(row, "no %s; expected a text, \"\" where there is none", unit ? "meaning" : "unit");
	return true;
}

static size_t size_of(enum base_option_type type)
{
	switch (type) {
	case BASE_OPTION_U32:
	case BASE_OPTION_ENUM:
		return sizeof(uint32_t);
	case BASE_OPTION_BOOL:
		return sizeof(bool);
	case BASE_OPTION_F64:
		return sizeof(double);
	case BASE_OPTION_TEXT:
		return BASE_OPTION_TEXT_SIZE;
	}
	return 0;
}

/* Checks that a default is within the table's limits and that its printed form can be parsed again. */
static bool check_default(const struct row *row, const struct mech *mech, const struct base_option *option)
{
	char value[BASE_OPTION_TEXT_SIZE], message[256];
	const char *field = (const char *)mech->defaults + option->offset;
	uint32_t choices = 0, index = 0;
	if (option->type == BASE_OPTION_TEXT && !memchr(field, '\0', BASE_OPTION_TEXT_SIZE))
		return refuse(row, "its default has no end");
	if (option->type == BASE_OPTION_ENUM) {
		memcpy(&index, field, sizeof index);
		while (option->choices[choices])
			choices++;
		return index < choices || refuse(row, "its default is %u; it has %u choices", index, choices);
	}
	void *config = base_calloc(1, mech->config_size);
	base_option_print(option, mech->defaults, value, sizeof value);
	bool good = base_option_set(option, config, value, message, sizeof message);
	free(config);
	return good || refuse(row, "its default does not fit: %s", message);
}

static bool check_option(const struct mech *mech, size_t number, char *message, size_t size)
{
	const struct base_option *option = &mech->options[number];
	const struct row row = {"option", number, option->name, message, size};
	bool is_taken = option->name && base_option_find(mech->options, number, option->name);
	if (!check_row(&row, option->unit, option->meaning, is_taken))
		return false;
	if (!size_of(option->type))
		return refuse(&row, "%d is not a value of enum base_option_type", (int)option->type);
	if (option->offset > mech->config_size || size_of(option->type) > mech->config_size - option->offset)
		return refuse(&row, "its field lies beyond the %zu bytes of config_size", mech->config_size);
	if (option->type == BASE_OPTION_ENUM && !option->choices)
		return refuse(&row, "no choices");
	return check_default(&row, mech, option);
}

/* Counters of requests are printed under the mechanism's name too, so their names are taken. */
static bool is_request_counter(const char *name)
{
	static const char *const names[] = {
#define X(name, unit, meaning) #name,
		MECH_REQUEST_COUNTERS(X) MECH_REQUEST_HISTOGRAMS(X)
#undef X
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* True when one of the first `count` vectors has this name. */
static bool has_vector(const struct mech *mech, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(mech->vectors[i].name, name) == 0)
			return true;
	return false;
}

static bool has_counter(const struct mech *mech, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(mech->counters[i].name, name) == 0)
			return true;
	return mech->sends && is_request_counter(name);
}

static bool check_counter(const struct mech *mech, size_t number, char *message, size_t size)
{
	const struct base_counter *counter = &mech->counters[number];
	const struct row row = {"counter", number, counter->name, message, size};
	bool is_taken = counter->name && has_counter(mech, number, counter->name);
	if (!check_row(&row, counter->unit, counter->meaning, is_taken))
		return false;
	if (counter->offset % sizeof(uint64_t) || counter->offset > mech->stats_size ||
	    sizeof(uint64_t) > mech->stats_size - counter->offset)
		return refuse(&row, "its field is not a uint64_t within the %zu bytes of stats_size", mech->stats_size);
	if ((unsigned)counter->scope > BASE_SCOPE_GPU || (unsigned)counter->combination > BASE_COMBINE_LARGEST)
		return refuse(&row, "its scope or combination does not exist");
	return true;
}

static bool has_labels(const struct base_counter_vector *vector)
{
	uint32_t count = 0;
	while (count < vector->length && vector->labels[count])
		count++;
	return count == vector->length && !vector->labels[count];
}

static bool check_vector(const struct mech *mech, size_t number, char *message, size_t size)
{
	const struct base_counter_vector *vector = &mech->vectors[number];
	const struct row row = {"vector", number, vector->name, message, size};
	bool is_taken = vector->name && (has_counter(mech, mech->counter_count, vector->name) ||
	                                 has_vector(mech, number, vector->name));
	if (!check_row(&row, vector->unit, vector->meaning, is_taken))
		return false;
	if ((unsigned)vector->scope > BASE_SCOPE_GPU || (unsigned)vector->kind > BASE_VECTOR_POWERS ||
	    (unsigned)vector->combination > BASE_COMBINE_LARGEST)
		return refuse(&row, "its scope, kind or combination does not exist");
	if (vector->length > MECH_MAX_VECTOR)
		return refuse(&row, "%u elements; expected up to %d", vector->length, MECH_MAX_VECTOR);
	if (!vector->length && !mech->vector_length)
		return refuse(&row, "no length, and no hook vector_length");
	if (vector->kind != BASE_VECTOR_COUNTERS && vector->combination != BASE_COMBINE_SUM)
		return refuse(&row, "bins of a histogram are combined by BASE_COMBINE_SUM");
	if (vector->kind == BASE_VECTOR_LINEAR && !vector->bin)
		return refuse(&row, "a bin of 0 values");
	if (vector->labels && (vector->kind != BASE_VECTOR_COUNTERS || !vector->length || !has_labels(vector)))
		return refuse(&row, "labels are for counters; expected one label per element, then NULL");
	if (vector->named && (vector->kind != BASE_VECTOR_COUNTERS || vector->labels || !mech->vector_label))
		return refuse(&row, ".named is for counters without labels, and needs the hook vector_label");
	return true;
}

static bool check_event(const struct mech *mech, size_t number, char *message, size_t size)
{
	const struct mech_event_row *event = &mech->events[number];
	const struct row row = {"event", number, event->name, message, size};
	bool is_taken = false;
	for (size_t i = 0; i < number && event->name; i++)
		is_taken |= strcmp(mech->events[i].name, event->name) == 0;
	if (!check_row(&row, "", event->meaning, is_taken))
		return false;
	for (size_t i = 0; i < 2; i++)
		if (event->arguments[i] && !is_name(event->arguments[i], "_"))
			return refuse(&row, "argument '%s'; expected small letters, digits and _", event->arguments[i]);
	return true;
}

static bool check_texts(const struct mech *mech, char *message, size_t size)
{
	if (!is_name(mech->name, "_"))
		snprintf(message, size,
		         "its name is '%s'; expected a letter, then small letters, digits and _, at most %d in all",
		         mech->name ? mech->name : "", MAX_NAME);
	else if (!mech->summary)
		snprintf(message, size, "mechanism %s has no summary; expected a text", mech->name);
	else if ((mech->option_count && !mech->options) || (mech->counter_count && !mech->counters))
		snprintf(message, size, "mechanism %s has no table of its %s", mech->name,
		         mech->option_count && !mech->options ? "options" : "counters");
	else if (mech->run_opcode && !mech->opcode_count)
		snprintf(message, size, "mechanism %s has the hook run_opcode but owns no opcode", mech->name);
	else if (mech->opcode_count && !mech->opcodes)
		snprintf(message, size, "mechanism %s has no table of its opcodes", mech->name);
	else if (mech->vector_count && !mech->vectors)
		snprintf(message, size, "mechanism %s has no table of its vectors", mech->name);
	else if (mech->event_count && !mech->events)
		snprintf(message, size, "mechanism %s has no table of its events", mech->name);
	else if (mech->policies >= MECH_POLICIES_END)
		snprintf(message, size, "mechanism %s has policies 0x%x; some of its bits are not in enum mech_policy",
		         mech->name, mech->policies);
	else if (mech->config_size && !mech->defaults)
		snprintf(message, size, "mechanism %s has a config_size but no defaults", mech->name);
	else
		return true;
	return false;
}

/* Checks that a mechanism which only looks has nothing that can change a run. */
static bool check_only_looks(const struct mech *mech, char *message, size_t size)
{
	const struct {
		bool has;
		const char *what;
	} changes[] = {{mech->policies, "an exclusive policy"},
	               {mech->sends, "requests"},
	               {mech->opcode_count, "opcodes"},
	               {mech->rewrite, "the hook rewrite"},
	               {mech->splits_copies, "splits_copies"},
	               {mech->energies, "energies"},
	               {mech->warps_that_compete, "the hook warps_that_compete"},
#define LOOK(scope, hook, event, when)
#define VETO(scope, hook, event, when) {mech->hook, "the hook " #hook},
	               MECH_SM_HOOKS(LOOK, VETO) MECH_PARTITION_HOOKS(LOOK, VETO) MECH_GPU_HOOKS(LOOK, VETO)
#undef LOOK
#undef VETO
	};
	for (size_t i = 0; mech->only_looks && i < sizeof changes / sizeof *changes; i++)
		if (changes[i].has) {
			snprintf(message, size, "mechanism %s only looks (.only_looks), but has %s", mech->name,
			         changes[i].what);
			return false;
		}
	return true;
}

/* True for an opcode that an execution unit times. */
static bool is_computed(enum ptx_opcode op)
{
	enum ptx_latency latency = ptx_op_latency(op);
	return ptx_op_unit(op) != PTX_UNIT_MEM && latency != PTX_LATENCY_BRANCH && latency != PTX_LATENCY_BARRIER;
}

static bool check_opcode(const struct mech *mech, size_t number, char *message, size_t size)
{
	const char *name = mech->opcodes[number];
	const struct row row = {"opcode", number, name, message, size};
	enum ptx_opcode op = name ? ptx_op_find(name) : PTX_OPCODES;
	if (op == PTX_OPCODES)
		return refuse(&row, "no opcode has this name");
	if (!is_computed(op))
		return refuse(&row, "no arithmetic unit runs it, so no mechanism can own its time");
	for (size_t i = 0; i < number; i++)
		if (strcmp(mech->opcodes[i], name) == 0)
			return refuse(&row, "it is listed twice");
	return mech->run_opcode || refuse(&row, "the mechanism has no hook run_opcode");
}

/* A pass's options and counters are checked like a mechanism's own. */
static bool check_pass(const struct mech *mech, size_t number, char *message, size_t size)
{
	const struct flow_pass *pass = mech->passes[number];
	const struct row row = {"pass", number, pass ? pass->name : NULL, message, size};
	if (!pass || !is_name(pass->name, "-_") || !is_name(pass->stem, "_"))
		return refuse(&row, "expected a name, and a stem, of small letters, digits, _ and, in the name, -");
	if (!pass->meaning || !pass->run)
		return refuse(&row, "no %s", pass->meaning ? "function run" : "meaning");
	const struct mech tables = {.options = pass->options,
	                            .option_count = pass->option_count,
	                            .config_size = pass->config_size,
	                            .defaults = pass->defaults,
	                            .counters = pass->counters,
	                            .counter_count = pass->counter_count,
	                            .stats_size = pass->counters_size};
	for (size_t i = 0; i < pass->option_count; i++)
		if (!check_option(&tables, i, message, size))
			return false;
	for (size_t i = 0; i < pass->counter_count; i++)
		if (!check_counter(&tables, i, message, size))
			return false;
	return true;
}

bool seam_check_tables(const struct mech *mech, char *message, size_t size)
{
	char text[384];
	bool good = check_texts(mech, message, size) && check_only_looks(mech, message, size);
	if (!good)
		return false;
	for (size_t i = 0; good && i < mech->option_count; i++)
		good = check_option(mech, i, text, sizeof text);
	for (size_t i = 0; good && i < mech->counter_count; i++)
		good = check_counter(mech, i, text, sizeof text);
	for (size_t i = 0; good && i < mech->pass_count; i++)
		good = check_pass(mech, i, text, sizeof text);
	for (size_t i = 0; good && i < mech->vector_count; i++)
		good = check_vector(mech, i, text, sizeof text);
	for (size_t i = 0; good && i < mech->opcode_count; i++)
		good = check_opcode(mech, i, text, sizeof text);
	for (size_t i = 0; good && i < mech->event_count; i++)
		good = check_event(mech, i, text, sizeof text);
	if (!good)
		snprintf(message, size, "mechanism %s: %s", mech->name, text);
	return good;
}
