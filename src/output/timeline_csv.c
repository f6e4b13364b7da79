#include "output/timeline_format.h"

#include "base/csv.h"

#include <inttypes.h>

static void head(struct timeline_file *file)
{
	fputs("kernel,cycle_begin,cycle_end,unit,track,name,args\n", file->piece.file);
}

static void print_event(struct timeline_file *file, const struct shown *shown, const struct mech_event *event)
{
	FILE *into = file->piece.file;
	char unit[32];
	const char *separator = "";
	fprintf(into, "%zu,%" PRId64 ",%" PRId64 ",%s,%u,", file->records->count, (int64_t)(event->begin - file->start),
	        (int64_t)(event->end - file->start), timeline_unit_name(shown->unit, shown->index, unit), event->track);
	if (shown->kernel)
		csv_text(shown->kernel, into);
	else
		fprintf(into, "%s%s%s", shown->mech ? shown->mech->name : "", shown->mech ? "." : "", shown->row->name);
	fputc(',', into);
	for (uint32_t i = 0; i < 2; i++)
		if (shown->row->arguments[i]) {
			fprintf(into, "%s%s=%" PRIu64, separator, shown->row->arguments[i], event->arguments[i]);
			separator = " ";
		}
	fputc('\n', into);
}

const struct timeline_format timeline_csv = {.suffix = ".csv", .closing = "", .head = head, .event = print_event};
