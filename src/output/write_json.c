/* The JSON form of the statistics, a stable interface. Statistics that a functional run does not have are null. */
#include "attach/attach.h"
#include "output/record.h"
#include "output/units.h"

#include "base/arena.h"
#include "base/json_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *whole(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *dim(struct dim3 dim)
{
	return json_pack("[I, I, I]", (json_int_t)dim.x, (json_int_t)dim.y, (json_int_t)dim.z);
}

static void add_mech_counter(void *user, const struct record_counter *counter)
{
	char name[128];
	snprintf(name, sizeof name, "%s.%s", counter->mech->name, counter->name);
	json_object_set_new(user, name, whole(counter->value));
}

/* The launch was simulated only in part: its counters are unknown. */
static void add_unknown_mech_counter(void *user, const struct record_counter *counter)
{
	char name[128];
	snprintf(name, sizeof name, "%s.%s", counter->mech->name, counter->name);
	json_object_set_new(user, name, json_null());
}

static json_t *load(const struct record_load *load)
{
	json_t *object = json_object();
	json_object_set_new(object, "pc", whole(load->pc));
	json_object_set_new(object, "line", load->line ? whole(load->line) : json_null());
#define X(name, unit, meaning) json_object_set_new(object, #name, whole(load->sent.requests.name));
	MECH_REQUEST_COUNTERS(X)
#undef X
#define X(name, unit, meaning) json_object_set_new(object, #name, whole(load->sent.sum[OUTPUT_##name]));
	MECH_REQUEST_HISTOGRAMS(X)
#undef X
	return object;
}

/* Returns what each mechanism sent, by load. */
static json_t *loads(const struct records *records, const struct record *record)
{
	json_t *object = json_object();
	for (uint32_t i = 0; record->mech && i < records->attachments; i++) {
		if (!records->attached[i].mech->sends)
			continue;
		json_t *list = json_array();
		for (uint32_t k = 0; k < record->mech[i].loads; k++)
			json_array_append_new(list, load(&record->mech[i].load[k]));
		json_object_set_new(object, records->attached[i].mech->name, list);
	}
	return object;
}

static json_t *counters(const struct records *records, const struct record *record)
{
	json_t *object = json_object();
	for (size_t g = 0; g < gpu_counter_group_count; g++) {
		const struct base_counter_group *group = &gpu_counter_groups[g];
		for (size_t i = 0; i < *group->count; i++) {
			const struct base_counter *row = &group->rows[i];
			char name[128];
			snprintf(name, sizeof name, "%s.%s", group->name, row->name);
			json_object_set_new(object, name,
			                    record_knows(record, group, row)
			                            ? whole(base_counter_value(group, row, &record->stats))
			                            : json_null());
		}
	}
	record_mech_counters(records, record, record->sample.is_partial ? add_unknown_mech_counter : add_mech_counter,
	                     object);
	return object;
}

static json_t *vector_values(const struct vector *vector)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < vector->length; i++)
		json_array_append_new(list, whole(vector->value[i]));
	return list;
}

static json_t *vector_labels(const struct base_counter_vector *row, const struct vector *vector)
{
	char label[VECTOR_LABEL];
	json_t *list = json_array();
	for (uint32_t i = 0; i < vector->length; i++) {
		vector_label(row, vector, i, label);
		json_array_append_new(list, json_text(label));
	}
	return list;
}

/* Returns the smallest value of each bin. */
static json_t *vector_bins(const struct base_counter_vector *row, const struct vector *vector)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < vector->length; i++)
		json_array_append_new(list, whole(vector_bin_from(row, i)));
	return list;
}

static void add_vector(void *user, const struct mech *mech, const struct base_counter_vector *row,
                       const struct vector *vector)
{
	json_t *object = json_object();
	char name[128];
	snprintf(name, sizeof name, "%s.%s", mech->name, row->name);
	json_object_set_new(object, "unit", json_text(row->unit));
	if (row->kind == BASE_VECTOR_COUNTERS) {
		json_object_set_new(object, "labels", vector_labels(row, vector));
	} else {
		json_object_set_new(object, "bins", vector_bins(row, vector));
		json_object_set_new(object, "sum", whole(vector->sum));
	}
	json_object_set_new(object, "values", vector_values(vector));
	json_object_set_new(user, name, object);
}

/* Adds the mechanisms' vectors, if there are any. */
static void add_vectors(json_t *kernel, const struct records *records, const struct record *record)
{
	json_t *object = json_object();
	record_mech_vectors(records, record, add_vector, object);
	if (json_object_size(object))
		json_object_set_new(kernel, "vectors", object);
	else
		json_decref(object);
}

static json_t *cycle_stack(const struct record *record)
{
	struct stack_part parts[RECORD_STACK_PARTS];
	size_t count = record_stack(record, parts);
	json_t *object = json_object();
	for (size_t i = 0; i < count; i++)
		json_object_set_new(object, parts[i].name,
		                    record->functional || record->session ? json_null() : whole(parts[i].slots));
	return object;
}

static json_t *estimate(const struct estimate *cycles)
{
	json_t *object = json_object();
	json_object_set_new(object, "cycles", json_real(cycles->value));
	json_object_set_new(object, "error", cycles->unknown ? json_null() : json_real(estimate_error(cycles)));
	json_object_set_new(object, "confidence", json_real(ESTIMATE_CONFIDENCE));
	return object;
}

/* Adds how a launch was sampled. Estimates are kept apart from exact statistics. */
static void add_sample(json_t *kernel, const struct record *record)
{
	const struct record_sample *sample = &record->sample;
	json_t *object = json_object();
	json_object_set_new(object, "simulated", json_boolean(!sample->is_partial));
	json_object_set_new(object, "group", sample->group ? whole(sample->group) : json_null());
	if (sample->blocks) {
		json_object_set_new(object, "blocks", whole(sample->blocks));
		json_object_set_new(object, "cycles", whole(sample->cycles));
		json_object_set_new(object, "warp_instructions", whole(sample->work));
		json_object_set_new(object, "distance", json_real(sample->distance));
		json_object_set_new(kernel, "estimate", estimate(&sample->estimate));
	}
	json_object_set_new(kernel, "sample", object);
}

/* Returns the names of the ranges, outermost first. */
static json_t *ranges(const struct range_list *list)
{
	json_t *names = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(names, json_text(range_text(list->range[i].name)));
	return names;
}

static json_t *kernel(const struct records *records, const struct record *record)
{
	bool timed = !record->functional;
	json_t *object = json_object();
	json_object_set_new(object, "name", json_text(record->kernel));
	json_object_set_new(object, "demangled", json_text(record->shown));
	json_object_set_new(object, "launch", whole(record->launch));
	if (record->launched_by)
		json_object_set_new(object, "launched_by", whole(record->launched_by));
	json_object_set_new(object, "ended", json_string(record_end_name(record->end)));
	if (record->stopped_by)
		json_object_set_new(object, "stopped_by", json_text(record->stopped_by));
	if (record->message)
		json_object_set_new(object, "message", json_text(record->message));
	json_object_set_new(object, "grid", dim(record->grid));
	json_object_set_new(object, "block", dim(record->block));
	json_object_set_new(object, "registers", whole(record->registers));
	json_object_set_new(object, "spill_bytes", whole(record->spill_bytes));
	json_object_set_new(object, "shared_bytes", whole(record->shared_bytes));
	json_object_set_new(object, "blocks_per_sm", timed ? whole(record->blocks_per_sm) : json_null());
	json_object_set_new(object, "stream", whole(record->stream));
	if (record->session)
		json_object_set_new(object, "session", whole(record->session));
	json_object_set_new(object, "started", timed ? whole(record->started) : json_null());
	json_object_set_new(object, "first_block", timed ? whole(record->first_block) : json_null());
	json_object_set_new(object, "cycles", timed ? whole(record->cycles) : json_null());
	json_object_set_new(object, "thread_instructions", whole(record->stats.sm.thread_instructions));
	json_object_set_new(object, "warp_instructions", whole(record->stats.sm.warp_instructions));
	json_object_set_new(object, "ipc", timed ? json_real(record_derive(records, record).ipc) : json_null());
	json_object_set_new(object, "host_seconds", json_real(record->host_seconds));
	json_object_set_new(object, "cycle_stack", cycle_stack(record));
	json_object_set_new(object, "counters", counters(records, record));
	if (records->sampling)
		add_sample(object, record);
	if (records->selection)
		json_object_set_new(object, "selected", json_text(record_choice_name(record->choice)));
	if (record->knows_ranges)
		json_object_set_new(object, "ranges", ranges(&record->ranges));
	if (!record->sample.is_partial)
		add_vectors(object, records, record);
	if (records->attachments && record->mech && !record->sample.is_partial)
		json_object_set_new(object, "loads", loads(records, record));
	if (record->units && !record->sample.is_partial)
		json_object_set_new(object, "units", units_json(records, record));
	/* a launch that was cut off, or simulated in part, has only some */
	uint64_t blocks = record->units ? record->units->blocks : 0;
	if (blocks && blocks == (uint64_t)record->grid.x * record->grid.y * record->grid.z)
		json_object_set_new(object, "blocks", units_blocks_json(record));
	if (records->prices && record->energy.joules)
		json_object_set_new(object, "energy", energy_json(records->prices, &record->energy));
	return object;
}

void record_price(const struct records *records, struct record *record)
{
	char message[ENERGY_MESSAGE];
	if (!records->prices || record->choice != LAUNCH_SELECTED || record->session)
		return;
	json_t *object = kernel(records, record);
	if (!energy_add(records->prices, object, &record->energy, message)) {
		fprintf(stderr, "sluice: energy of kernel %s: %s\n", record->shown, message);
		energy_free(&record->energy);
	}
	json_decref(object);
}

/* Returns estimates for the whole run. */
static json_t *estimated_totals(const struct records *records)
{
	struct sampled_sum sum;
	sampling_sum(records, NULL, &sum);
	const struct record estimated = {.stats = sum.stats};
	const struct records plain = {0};
	json_t *object = estimate(&sum.cycles);
	json_object_set_new(object, "launches", whole(sum.launches));
	json_object_set_new(object, "simulated", whole(sum.simulated));
	json_object_set_new(object, "groups", whole(sum.groups));
	json_object_set_new(object, "counters", counters(&plain, &estimated));
	return object;
}

/* Deletes what only a single launch has. */
static void keep_sums(json_t *object)
{
	static const char *const others[] = {"name",         "demangled",     "launch",      "ended",  "grid",
	                                     "block",        "registers",     "spill_bytes", "stream", "session",
	                                     "shared_bytes", "blocks_per_sm", "first_block", "loads",  "sample",
	                                     "selected",     "launched_by"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		json_object_del(object, others[i]);
}

/* Returns what the kernels of a session did together. */
static json_t *session(const struct records *records, const struct record *record)
{
	json_t *object = kernel(records, record), *launches = json_array();
	keep_sums(object);
	for (size_t i = 0; i < records->count; i++)
		if (records->record[i].session == record->launch)
			json_array_append_new(launches, whole(records->record[i].launch));
	json_object_set_new(object, "session", whole(record->launch));
	json_object_set_new(object, "ended", json_string(record_end_name(record->end)));
	json_object_set_new(object, "launches", launches);
	return object;
}

/* Returns the sums over a stream's selected launches; without what is unknown of one that ran with others. */
static json_t *stream(const struct records *records, uint64_t number)
{
	struct record sum = {.kernel = "stream", .shown = "stream"};
	uint64_t launches = 0;
	for (size_t i = 0; i < records->count; i++) {
		const struct record *record = &records->record[i];
		if (record->stream != number || record->choice != LAUNCH_SELECTED)
			continue;
		record_add(records, &sum, record);
		sum.session |= record->session;
		launches++;
	}
	json_t *object = kernel(records, &sum);
	keep_sums(object);
	json_object_del(object, "started");
	json_object_del(object, "ipc");
	if (sum.session) {
		json_object_del(object, "units");
		json_object_del(object, "energy");
		json_object_del(object, "vectors");
	}
	json_object_set_new(object, "stream", whole(number));
	json_object_set_new(object, "launches", whole(launches));
	record_free(records, &sum);
	return object;
}

static int compare_streams(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

/* Writes the sums of each stream, if there are several. */
static void write_streams(const struct records *records, FILE *file)
{
	uint64_t *streams = base_calloc(records->count + 1, sizeof *streams);
	size_t written = 0;
	for (size_t i = 0; i < records->count; i++)
		streams[i] = records->record[i].stream;
	qsort(streams, records->count, sizeof *streams, compare_streams);
	for (size_t i = 0; records->count && streams[0] != streams[records->count - 1] && i < records->count; i++) {
		if (i && streams[i] == streams[i - 1])
			continue;
		json_t *object = stream(records, streams[i]);
		fputs(written++ ? ",\n  " : "\n \"streams\": [\n  ", file);
		json_dumpf(object, file, JSON_REAL_PRECISION(12));
		json_decref(object);
	}
	if (written)
		fputs("\n ],", file);
	free(streams);
}

/* Returns the sums of the kernels' statistics. */
static json_t *totals(const struct records *records)
{
	struct record total = records_total(records);
	json_t *object = kernel(records, &total);
	keep_sums(object);
	json_object_del(object, "started");
	json_object_del(object, "ipc");
	if (records->sampling)
		json_object_set_new(object, "estimate", estimated_totals(records));
	record_free(records, &total);
	return object;
}

/* Returns the attached mechanisms with all options: those that can change the run, or those that only observe. */
static json_t *mechanisms(const struct records *records, bool only_looks)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < records->attachments; i++) {
		char line[1024];
		if (records->attached[i].mech->only_looks != only_looks)
			continue;
		attachments_print(&records->attached[i], line, sizeof line);
		json_array_append_new(list, json_text(line));
	}
	return list;
}

static json_t *words(const struct words *words)
{
	json_t *list = json_array();
	for (size_t i = 0; i < words->count; i++)
		json_array_append_new(list, json_text(words->word[i]));
	return list;
}

json_t *records_configuration(const struct machine *machine)
{
	json_t *object = json_object();
	for (size_t i = 0; i < machine_option_count; i++) {
		const struct base_option *option = &machine_options[i];
		char value[BASE_OPTION_TEXT_SIZE];
		base_option_print(option, machine, value, sizeof value);
		json_object_set_new(object, option->name,
		                    option->type == BASE_OPTION_U32    ? whole(strtoull(value, NULL, 10))
		                    : option->type == BASE_OPTION_F64  ? json_real(strtod(value, NULL))
		                    : option->type == BASE_OPTION_BOOL ? json_boolean(strcmp(value, "true") == 0)
		                                                       : json_text(value));
	}
	return object;
}

static json_t *sampling(const struct sampling_wish *wish)
{
	json_t *object = json_object();
	if (wish->launches)
		json_object_set_new(object, "launches", whole(wish->launches));
	if (wish->blocks) {
		json_object_set_new(object, "blocks", json_real(wish->fraction));
		json_object_set_new(object, "error", json_real(wish->error));
	}
	return object;
}

static json_t *selection(const struct selection *selection)
{
	json_t *object = json_object();
	json_object_set_new(object, "kernels", selection->text ? json_text(selection->text) : json_null());
	json_object_set_new(object, "warm", whole(selection->warm));
	json_object_set_new(object, "region", json_boolean(selection->by_region));
	json_object_set_new(object, "stops", json_boolean(selection->stops));
	if (selection->ranges.text)
		json_object_set_new(object, "ranges", json_text(selection->ranges.text));
	return object;
}

/* Returns the run's inputs. */
static json_t *made_by(const struct records *records)
{
	json_t *program = json_array(), *root = json_object();
	for (const char *const *word = records->program; word && *word; word++)
		json_array_append_new(program, json_text(*word));
	json_object_set_new(root, "version", json_integer(1));
	json_object_set_new(root, "sluice", json_string(SLUICE_VERSION));
	json_object_set_new(root, "program", program);
	json_object_set_new(root, "machine", json_text(records->machine->name));
	json_object_set_new(root, "options", words(&records->options));
	json_object_set_new(root, "mechanisms", mechanisms(records, false));
	json_object_set_new(root, "observers", mechanisms(records, true));
	if (records->passes.count)
		json_object_set_new(root, "passes", words(&records->passes));
	json_object_set_new(root, "checks", records->checks ? json_text(records->checks) : json_null());
	json_object_set_new(root, "functional", json_boolean(records->functional));
	if (records->sampling)
		json_object_set_new(root, "sampling", sampling(records->sampling));
	if (records->selection)
		json_object_set_new(root, "selection", selection(records->selection));
	if (records->units_of)
		json_object_set_new(root, "units", units_scopes(records));
	json_object_set_new(root, "threads", whole(records->threads));
	json_object_set_new(root, "max_instructions",
	                    records->max_instructions ? whole(records->max_instructions) : json_null());
	json_object_set_new(root, "configuration", records_configuration(records->machine));
	return root;
}

void records_json_ended(char line[RECORDS_ENDED_LINE], const char *ended)
{
	static const char key[] = " \"ended\": \"", end[] = "\",";
	char *at = line;
	memset(line, ' ', RECORDS_ENDED_LINE);
	line[RECORDS_ENDED_LINE - 1] = '\n';
	memcpy(at, key, sizeof key - 1);
	at += sizeof key - 1;
	for (size_t i = 0; ended[i] && i < RECORDS_ENDED - 1; i++)
		*at++ = ended[i];
	memcpy(at, end, sizeof end - 1);
}

void records_json_head(const struct records *records, FILE *file)
{
	char line[RECORDS_ENDED_LINE];
	json_t *root = made_by(records);
	char *made = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	size_t length = strlen(made);
	records_json_ended(line, records->ended);
	fprintf(file, "{\n%.*s", RECORDS_ENDED_LINE, line);
	/* omits the outer braces and their newlines */
	fprintf(file, "%.*s,\n \"kernels\": [", (int)length - 4, made + 2);
	free(made);
	json_decref(root);
}

void records_json_kernel(const struct records *records, const struct record *record, FILE *file)
{
	json_t *object = kernel(records, record);
	fputs(record->launch > 1 ? ",\n  " : "\n  ", file);
	json_dumpf(object, file, JSON_REAL_PRECISION(12));
	json_decref(object);
}

const char records_json_closing[] = "\n ]\n}\n";

void records_json_end(const struct records *records, FILE *file)
{
	json_t *object = totals(records);
	fputs("\n ],", file);
	if (records->in_turn)
		fprintf(file, "\n \"in_turn\": \"%s\",", records->in_turn);
	copies_write_json(&records->copies, file);
	write_streams(records, file);
	for (size_t i = 0; i < records->sessions; i++) {
		json_t *together = session(records, &records->session[i]);
		fputs(i ? ",\n  " : "\n \"sessions\": [\n  ", file);
		json_dumpf(together, file, JSON_REAL_PRECISION(12));
		json_decref(together);
	}
	fputs(records->sessions ? "\n ],\n \"totals\": " : "\n \"totals\": ", file);
	json_dumpf(object, file, JSON_REAL_PRECISION(12));
	fputs("\n}\n", file);
	json_decref(object);
}

bool records_write_json(const struct records *records, FILE *file)
{
	records_json_head(records, file);
	for (size_t i = 0; i < records->count; i++)
		records_json_kernel(records, &records->record[i], file);
	records_json_end(records, file);
	return fflush(file) == 0 && !ferror(file);
}
