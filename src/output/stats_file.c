#include "output/stats_file.h"

#include <unistd.h>

/* Writes the kernels that are not in the file yet. At the process's end they include an interrupted one. */
static void put_missing(struct stats_file *file, const struct records *records, FILE *into)
{
	for (; file->kernels < records->count; file->kernels++)
		records_json_kernel(records, &records->record[file->kernels], into);
}

bool stats_file_open(struct stats_file *file, const struct records *records, const char *path)
{
	struct piece piece;
	*file = (struct stats_file){0};
	piece_open(&piece);
	records_json_head(records, piece.file);
	put_missing(file, records, piece.file);
	return append_file_open(&file->file, path, &piece, records_json_closing);
}

void stats_file_add(struct stats_file *file, const struct records *records)
{
	struct piece piece;
	if (!append_file_is_ours(&file->file))
		return;
	piece_open(&piece);
	put_missing(file, records, piece.file);
	append_file_add(&file->file, &piece);
}

void stats_file_note(struct stats_file *file, const char *ended)
{
	char line[RECORDS_ENDED_LINE];
	records_json_ended(line, ended);
	append_file_change_last(&file->file, line, sizeof line, RECORDS_ENDED_AT);
}

bool stats_file_finish(struct stats_file *file, const struct records *records)
{
	struct piece piece;
	char line[RECORDS_ENDED_LINE];
	if (file->file.process != getpid())
		return true;
	if (!file->file.error) {
		piece_open(&piece);
		put_missing(file, records, piece.file);
		records_json_end(records, piece.file);
		append_file_complete(&file->file, &piece);
	}
	records_json_ended(line, records->ended);
	append_file_change(&file->file, line, sizeof line, RECORDS_ENDED_AT);
	return append_file_sync(&file->file);
}

void stats_file_close(struct stats_file *file)
{
	append_file_close(&file->file);
}
