/* Reads the runs of a results file (lab/store.h). */
#include "cli/report/report.h"
#include "lab/store_rows.h"

#include <stdio.h>
#include <string.h>

struct reader {
	struct collection *collection;
	const char *path;
	size_t runs, unread; /* `unread`: runs whose statistics could not be read */
};

/* Columns that are not shown as facts. */
static bool is_inner(const char *name)
{
	return strcmp(name, "id") == 0 || strcmp(name, "stats") == 0;
}

/* Writes "matmul tiled small". */
static void make_label(const struct store_row *row, char *label, size_t size)
{
	static const char *const parts[] = {"program", "variant", "size"};
	*label = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const char *text = store_row_text(row, parts[i]);
		size_t length = strlen(label);
		if (*text)
			snprintf(label + length, size - length, "%s%s", length ? " " : "", text);
	}
}

static void take_run(void *context, const struct store_row *row)
{
	struct reader *reader = context;
	char label[256];
	make_label(row, label, sizeof label);
	json_t *run = report_run(reader->collection, label);
	json_object_set_new(run, "kept", json_true());
	for (size_t i = 0; i < row->count; i++)
		if (row->value[i] && !is_inner(row->name[i]))
			report_fact(reader->collection, run, row->name[i], row->value[i]);
	const char *text = store_row_text(row, "stats");
	json_t *stats = *text ? json_loads(text, 0, NULL) : NULL;
	if (json_is_object(stats))
		report_statistics(reader->collection, run, stats);
	else
		reader->unread += *text != '\0';
	json_decref(stats);
	reader->runs++;
}

bool report_take_store(struct collection *collection, const char *path)
{
	struct reader reader = {.collection = collection, .path = path};
	const struct run_filters *filters = &collection->filters;
	char message[STORE_MESSAGE];
	collection->last = NULL;
	if (!store_rows_each(path, filters->filter, filters->count, take_run, &reader, message)) {
		cli_error(collection->command, "%s; 'sluice figure NAME' makes such a file", message);
		return false;
	}
	if (!reader.runs) {
		cli_error(collection->command,
		          filters->count ? "%s: no run meets all filters; 'sluice results' lists the runs"
		                         : "%s: it has no runs; 'sluice figure NAME' makes some",
		          path);
		return false;
	}
	if (reader.unread)
		cli_error(collection->command,
		          "%s: statistics of %zu runs are not JSON; these runs are shown without "
		          "them",
		          path, reader.unread);
	return true;
}
