/* Chrome's Trace Event Format. */
#include "output/timeline_format.h"

#include <inttypes.h>

/* Prints a quoted string. */
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

static void name_process(const struct timeline_file *file, uint32_t process)
{
	char name[32];
	uint32_t index;
	enum seam_unit unit = timeline_unit_at(file, process, &index);
	fprintf(file->piece.file,
	        "%s\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}"
	        ",\n{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}",
	        process ? "," : "", process, timeline_unit_name(unit, index, name), process, process);
}

static void head(struct timeline_file *file)
{
	fputs("{\"otherData\":{\"unit\":\"a microsecond is a core cycle\"},\"traceEvents\":[", file->piece.file);
	for (uint32_t process = 0; process < timeline_units(file); process++)
		name_process(file, process);
}

/* Returns the thread that shows a mechanism's track in a unit. Names it at first use. */
static uint32_t thread_of(struct timeline_file *file, uint32_t process, const struct shown *shown, uint32_t track)
{
	char name[96];
	bool is_new;
	uint32_t thread = timeline_track(file, shown, track, &is_new);
	if (!is_new)
		return thread;
	timeline_track_name(shown, track, name, sizeof name);
	fprintf(file->piece.file,
	        ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}"
	        ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
	        process, thread, name, process, thread, timeline_track_order(shown, track));
	return thread;
}

static void print_event(struct timeline_file *file, const struct shown *shown, const struct mech_event *event)
{
	uint32_t process = timeline_unit_number(file, shown->unit, shown->index);
	uint32_t thread = thread_of(file, process, shown, event->track);
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

static void print_count(struct timeline_file *file, const struct shown_count *count)
{
	fprintf(file->piece.file,
	        ",\n{\"pid\":0,\"ts\":%" PRIu64 ",\"ph\":\"C\",\"name\":\"%s\",\"args\":{\"%s\":%.6g}}", count->cycle,
	        count->name, count->unit, count->value);
}

const struct timeline_format timeline_json = {
	.suffix = "", .closing = "\n]}\n", .head = head, .event = print_event, .count = print_count};
