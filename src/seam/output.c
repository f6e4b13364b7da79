/* output: what mechanisms print in addition to their counters: vectors. */
#include "seam/output.h"

#include "seam/private.h"

#include <stdlib.h>
#include <string.h>

/* Bins are powers of two, up to 4 million cycles. */
static const struct base_counter_vector request_rows[OUTPUT_REQUEST_VECTORS] = {
#define X(row, row_unit, row_meaning)                                                                                  \
	[OUTPUT_##row] = {.name = #row,                                                                                \
	                  .unit = row_unit,                                                                            \
	                  .meaning = row_meaning,                                                                      \
	                  .scope = BASE_SCOPE_SM,                                                                      \
	                  .kind = BASE_VECTOR_POWERS,                                                                  \
	                  .length = 24},
	MECH_REQUEST_HISTOGRAMS(X)
#undef X
};

uint32_t output_vectors(const struct mech *mech)
{
	return (uint32_t)mech->vector_count + (mech->sends ? OUTPUT_REQUEST_VECTORS : 0);
}

const struct base_counter_vector *output_row(const struct mech *mech, uint32_t vector)
{
	return vector < mech->vector_count ? &mech->vectors[vector] : &request_rows[vector - mech->vector_count];
}

/* Number of values of a row. A histogram has one more than its elements: the sum of the values entered. */
static uint32_t room_of(const struct base_counter_vector *row, uint32_t length)
{
	return length + (row->kind != BASE_VECTOR_COUNTERS);
}

uint32_t output_length(const struct seam_attached *attached, const struct mech_machine *machine, uint32_t vector)
{
	uint32_t fixed = output_row(attached->mech, vector)->length;
	return fixed ? fixed : attached->mech->vector_length(attached->config, machine, vector);
}

void output_lay_out(struct seam *seam, uint32_t number)
{
	const struct seam_attached *attached = &seam->attached[number];
	const struct mech *mech = attached->mech;
	struct output_layout *layout = &seam->layout[number];
	uint32_t vectors = output_vectors(mech);
	layout->length = arena_array(&seam->gpu.pools.machine.arena, vectors, sizeof *layout->length);
	layout->start = arena_array(&seam->gpu.pools.machine.arena, vectors, sizeof *layout->start);
	for (uint32_t v = 0; v < vectors; v++) {
		layout->start[v] = layout->room;
		layout->length[v] = output_length(attached, &seam->machine, v);
		layout->room += room_of(output_row(mech, v), layout->length[v]);
	}
}

/* --- mistakes --- */

#define WRONG(output, ...)                                                                                             \
	do {                                                                                                           \
		if ((output)->sm)                                                                                      \
			seam_wrong((output)->sm, __VA_ARGS__);                                                         \
		else if ((output)->partition)                                                                          \
			seam_wrong_partition((output)->partition, __VA_ARGS__);                                        \
		else                                                                                                   \
			seam_wrong_gpu((output)->gpu, __VA_ARGS__);                                                    \
	} while (0)

/* Only hooks of the GPU may touch the GPU's part, because several SMs may run at the same time. */
static bool is_touchable(const struct output *output, const char *service)
{
	if (!output->gpu || output->seam->gpu.hook)
		return true;
	WRONG(output, "%s() of the GPU's part outside a hook of the GPU", service);
	return false;
}

/* Returns NULL after a mistake. */
static const struct base_counter_vector *row_of(const struct output *output, const char *service, uint32_t vector)
{
	const struct mech *mech = output->mech;
	if (!is_touchable(output, service))
		return NULL;
	if (vector < mech->vector_count)
		return &mech->vectors[vector];
	WRONG(output, "%s() of vector %u; the mechanism has %zu", service, vector, mech->vector_count);
	return NULL;
}

/* --- the services --- */

static void count(struct mech_output *seen, uint32_t vector, uint32_t index, uint64_t amount)
{
	struct output *output = (struct output *)seen;
	const struct output_layout *layout = output->layout;
	const struct base_counter_vector *row = row_of(output, "mech_count", vector);
	if (!row)
		return;
	if (row->kind != BASE_VECTOR_COUNTERS)
		WRONG(output, "mech_count() of %s, which is a histogram; expected mech_observe()", row->name);
	else if (index >= layout->length[vector])
		WRONG(output, "counts in element %u of %s, which has %u", index, row->name, layout->length[vector]);
	else
		output->value[layout->start[vector] + index] += amount;
}

static void sort(struct output *output, const struct base_counter_vector *row, uint32_t vector, uint64_t value)
{
	const struct output_layout *layout = output->layout;
	uint64_t *bin = output->value + layout->start[vector];
	bin[vector_bin(row, layout->length[vector], value)]++;
	bin[layout->length[vector]] += value;
}

static void observe(struct mech_output *seen, uint32_t vector, uint64_t value)
{
	struct output *output = (struct output *)seen;
	const struct base_counter_vector *row = row_of(output, "mech_observe", vector);
	if (!row)
		return;
	if (row->kind == BASE_VECTOR_COUNTERS)
		WRONG(output, "mech_observe() of %s, which is not a histogram; expected mech_count()", row->name);
	else
		sort(output, row, vector, value);
}

void output_observe_request(struct output *output, enum output_request_vector vector, uint64_t value)
{
	uint32_t own = (uint32_t)output->mech->vector_count;
	sort(output, &request_rows[vector], own + vector, value);
}

static void draw(struct mech_output *seen, const struct mech_event *event)
{
	struct output *output = (struct output *)seen;
	const struct mech *mech = output->mech;
	if (!is_touchable(output, "mech_draw"))
		return;
	if (event->row >= mech->event_count)
		WRONG(output, "mech_draw() of event %u; the mechanism has %zu", event->row, mech->event_count);
	else if (event->end < event->begin)
		WRONG(output, "mech_draw() of %s, which ends in cycle %llu and begins in %llu",
		      mech->events[event->row].name, (unsigned long long)event->end, (unsigned long long)event->begin);
	else
		timeline_add(&output->timeline, event);
}

/* --- opening and clearing a part --- */

static struct mech_output *open_part(struct output *output, struct seam *seam, struct arena *arena, uint32_t number)
{
	output->seen = (struct mech_output){.count = count, .observe = observe, .draw = draw};
	output->seam = seam;
	output->number = number;
	output->mech = seam_attached_of(seam, number)->mech;
	output->layout = &seam->layout[number % seam->count];
	output->value = arena_array(arena, output->layout->room, sizeof *output->value);
	return &output->seen;
}

struct mech_output *output_open_sm(struct seam_sm *sm, uint32_t number)
{
	struct output *output = &sm->output[number];
	output->sm = &sm->part[number];
	return open_part(output, sm->seam, &sm->pools.machine.arena, number);
}

struct mech_output *output_open_partition(struct seam_partition *partition, uint32_t number)
{
	struct output *output = &partition->output[number];
	output->partition = &partition->part[number];
	return open_part(output, partition->seam, &partition->pools.machine.arena, number);
}

struct mech_output *output_open_gpu(struct seam *seam, uint32_t number)
{
	struct output *output = &seam->gpu.output[number];
	output->gpu = &seam->gpu.part[number];
	return open_part(output, seam, &seam->gpu.pools.machine.arena, number);
}

void output_clear(struct output *output)
{
	uint32_t room = output->layout->room;
	if (room)
		memset(output->value, 0, room * sizeof *output->value);
}

/* --- sums over the parts --- */

static void add_part(const struct output *output, uint32_t vector, struct vector *sum)
{
	const struct output_layout *layout = output->layout;
	const struct base_counter_vector *row = output_row(output->mech, vector);
	uint32_t length = layout->length[vector];
	uint64_t *value = output->value + layout->start[vector];
	const struct vector part = {length, value, row->kind == BASE_VECTOR_COUNTERS ? 0 : value[length], NULL};
	vector_add(row, sum, &part);
}

/* Gives the elements the names that they have in this launch. Elements without a name that have counted nothing are
 * removed. */
static void name_elements(const struct seam *seam, uint32_t number, uint32_t vector, struct vector *sum)
{
	const struct mech_gpu *gpu = &seam->gpu.part[number];
	uint32_t left = 0;
	sum->label = base_calloc(sum->length + 1, sizeof *sum->label);
	for (uint32_t i = 0; i < sum->length; i++) {
		const char *name = gpu->mech->vector_label(gpu, vector, i);
		char numbered[16];
		snprintf(numbered, sizeof numbered, "%u", i);
		if (!name && !sum->value[i])
			continue;
		sum->label[left] = base_strdup(name ? name : numbered);
		sum->value[left++] = sum->value[i];
	}
	sum->length = left;
}

void seam_vector(const struct seam *seam, uint32_t number, uint32_t vector, struct vector *sum)
{
	const struct base_counter_vector *row = output_row(seam->gpu.output[number].mech, vector);
	*sum = vector_new(seam->gpu.output[number].layout->length[vector]);
	add_part(&seam->gpu.output[number], vector, sum);
	for (uint32_t s = 0; s < seam->machine.partitions; s++)
		add_part(&seam->partition[s].output[number], vector, sum);
	for (uint32_t s = 0; s < seam->machine.sms; s++)
		add_part(&seam->sm[s].output[number], vector, sum);
	if (row->named)
		name_elements(seam, number, vector, sum);
}
