#include "api/timeline_file.h"

#include "base/arena.h"
#include "base/csv.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* The names of the machine's own events. */
static const struct mech_event_row block_row = {"block", "from a block's start to its end", {"number", "warps"}};
static const struct mech_event_row kernel_row = {"kernel", "a launch", {"launch", NULL}};

/* A track of a unit that has got its number, and its name in the file. */
struct track {
	uint64_t key;
	uint32_t number;
};

static int compare(const void *one, const void *other)
{
	const struct track *a = one, *b = other;
	return (a->key > b->key) - (a->key < b->key);
}

static const char *unit_name(enum seam_unit unit, uint32_t index, char name[32])
{
	static const char *const names[] = {
		[SEAM_OF_GPU] = "GPU", [SEAM_OF_SM] = "SM", [SEAM_OF_PARTITION] = "L2 slice"};
	if (unit == SEAM_OF_GPU)
		return names[unit];
	snprintf(name, 32, "%s %u", names[unit], index);
	return name;
}

/* Processes: the GPU, then SMs, then slices. */
static uint32_t process_of(const struct timeline_file *file, enum seam_unit unit, uint32_t index)
{
	return unit == SEAM_OF_GPU ? 0 : unit == SEAM_OF_SM ? 1 + index : 1 + file->records->machine->sms + index;
}

/* A text in quotes. */
static void print_text(const char *text, FILE *file)
{
	fputc('"', file);
	for (; *text; text++) {
		bool is_plain = *text >= ' ' && *text <= '~';
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		fputc(is_plain ? *text : '?', file);
	}
	fputc('"', file);
}

static void name_process(const struct timeline_file *file, enum seam_unit unit, uint32_t index)
{
	char name[32];
	uint32_t process = process_of(file, unit, index);
	fprintf(file->piece.file,
	        "%s\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}"
	        ",\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}",
	        process ? "," : "", process, unit_name(unit, index, name), process, process);
}

static void print_head(const struct timeline_file *file)
{
	if (file->is_csv) {
		fputs("kernel,cycle_begin,cycle_end,unit,track,name,args\n", file->piece.file);
		return;
	}
	fputs("{\"otherData\":{\"unit\":\"a microsecond is a core cycle\"},\"traceEvents\":[", file->piece.file);
	name_process(file, SEAM_OF_GPU, 0);
	for (uint32_t i = 0; i < file->records->machine->sms; i++)
		name_process(file, SEAM_OF_SM, i);
	for (uint32_t i = 0; i < file->gpu->slices; i++)
		name_process(file, SEAM_OF_PARTITION, i);
}

/* Of a process's tracks: blocks first, then one mechanism's after the other. */
static uint32_t sort_index(uint32_t number, uint32_t track)
{
	uint32_t mechanism = number == MECH_MAX ? 0 : number + 1;
	return mechanism << 16 | (track < UINT16_MAX ? track : UINT16_MAX);
}

/* The thread that stands for a track of a mechanism in a unit. It is named when it is first seen. */
static uint32_t thread_of(struct timeline_file *file, uint32_t process, uint32_t number, const char *name,
                          uint32_t track)
{
	const struct track wanted = {.key = (uint64_t)process << 40 | (uint64_t)number << 32 | track};
	struct track **place = tsearch(&wanted, &file->tracks, compare);
	if (!place)
		abort();
	if (*place != &wanted)
		return (*place)->number;
	*place = xcalloc(1, sizeof **place);
	**place = (struct track){wanted.key, ++file->track_count};
	fprintf(file->piece.file,
	        ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s %u\"}}"
	        ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
	        process, file->track_count, name, track, process, file->track_count, sort_index(number, track));
	return file->track_count;
}

/* What an event is of, and what it is called. */
struct shown {
	enum seam_unit unit;
	uint32_t index, number;
	const char *mechanism; /* NULL: the machine's own */
	const struct mech_event_row *row;
	const char *kernel; /* of a launch, its name; else NULL */
};

static void print_csv(const struct timeline_file *file, const struct shown *shown, const struct mech_event *event)
{
	FILE *into = file->piece.file;
	char unit[32];
	const char *separator = "";
	fprintf(into, "%zu,%" PRId64 ",%" PRId64 ",%s,%u,", file->records->count, (int64_t)(event->begin - file->start),
	        (int64_t)(event->end - file->start), unit_name(shown->unit, shown->index, unit), event->track);
	if (shown->kernel)
		csv_text(shown->kernel, into);
	else
		fprintf(into, "%s%s%s", shown->mechanism ? shown->mechanism : "", shown->mechanism ? "." : "",
		        shown->row->name);
	fputc(',', into);
	for (uint32_t i = 0; i < 2; i++)
		if (shown->row->arguments[i]) {
			fprintf(into, "%s%s=%" PRIu64, separator, shown->row->arguments[i], event->arguments[i]);
			separator = " ";
		}
	fputc('\n', into);
}

static void print_json(struct timeline_file *file, const struct shown *shown, const struct mech_event *event)
{
	const char *track = shown->mechanism ? shown->mechanism : shown->row->name;
	uint32_t process = process_of(file, shown->unit, shown->index);
	uint32_t thread = thread_of(file, process, shown->number, track, event->track);
	FILE *into = file->piece.file;
	fprintf(into, ",\n{\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"name\":", process, thread, event->begin);
	print_text(shown->kernel ? shown->kernel : shown->row->name, into);
	if (event->end > event->begin)
		fprintf(into, ",\"ph\":\"X\",\"dur\":%" PRIu64, event->end - event->begin);
	else
		fputs(",\"ph\":\"i\",\"s\":\"t\"", into);
	fprintf(into, ",\"args\":{\"kernel\":%zu", file->records->count);
	for (uint32_t i = 0; i < 2; i++)
		if (shown->row->arguments[i])
			fprintf(into, ",\"%s\":%" PRIu64, shown->row->arguments[i], event->arguments[i]);
	fputs("}}", into);
}

static void print_event(struct timeline_file *file, const struct shown *shown, const struct mech_event *event)
{
	if (!file->left)
		return;
	if (file->is_csv)
		print_csv(file, shown, event);
	else
		print_json(file, shown, event);
	if (!--file->left)
		fprintf(stderr, "sluice: the timeline is full: what happens from now on is not in it\n");
}

/* The core cycle in which a cycle of L2 begins. */
static uint64_t core_cycle(const struct timeline_file *file, uint64_t l2_cycle)
{
	return l2_cycle * file->gpu->clock[CLOCK_L2].period / file->gpu->clock[CLOCK_CORE].period;
}

static void show(void *user, enum seam_unit unit, uint32_t index, uint32_t number, const struct mech *mech,
                 const struct mech_event *drawn)
{
	struct timeline_file *file = user;
	struct mech_event event = *drawn;
	const struct shown shown = {.unit = unit,
	                            .index = index,
	                            .number = number,
	                            .mechanism = mech ? mech->name : NULL,
	                            .row = mech ? &mech->events[event.row] : &block_row};
	if (unit == SEAM_OF_PARTITION) {
		event.begin = core_cycle(file, event.begin);
		event.end = core_cycle(file, event.end);
	}
	print_event(file, &shown, &event);
}

bool timeline_file_open(struct timeline_file *file, struct gpu *gpu, const struct records *records, const char *path,
                        uint64_t most)
{
	size_t length = strlen(path);
	*file = (struct timeline_file){.records = records, .gpu = gpu};
	file->is_csv = length >= 4 && strcmp(path + length - 4, ".csv") == 0;
	piece_open(&file->piece);
	print_head(file);
	if (!kept_file_open(&file->file, path, &file->piece, file->is_csv ? "" : "\n]}\n"))
		return false;
	file->left = most;
	return true;
}

void timeline_file_begin(struct timeline_file *file)
{
	file->start = file->gpu->clock[CLOCK_CORE].cycle;
	seam_draw(file->gpu->seam, kept_file_is_ours(&file->file) ? file->left : 0);
}

/* What is made of events, and of a launch where one has ended, goes into the file in one write. */
static void take(struct timeline_file *file, const struct shown *launch, const struct mech_event *event)
{
	const struct seam_drawer drawer = {file, show};
	if (!kept_file_is_ours(&file->file) || !file->left)
		return;
	piece_open(&file->piece);
	seam_take_events(file->gpu->seam, &drawer);
	if (launch)
		print_event(file, launch, event);
	kept_file_add(&file->file, &file->piece);
	seam_draw(file->gpu->seam, file->left);
}

void timeline_file_take(struct timeline_file *file)
{
	take(file, NULL, NULL);
}

void timeline_file_end(struct timeline_file *file, const struct record *record, uint64_t cycles)
{
	const struct shown launch = {
		.unit = SEAM_OF_GPU, .number = MECH_MAX, .row = &kernel_row, .kernel = record->shown};
	const struct mech_event event = {
		.begin = file->start, .end = file->start + cycles, .arguments = {record->launch, 0}};
	seam_cut_blocks(file->gpu->seam, file->start + cycles);
	take(file, &launch, &event);
}

void timeline_file_close(struct timeline_file *file)
{
	tdestroy(file->tracks, free);
	kept_file_close(&file->file);
}
