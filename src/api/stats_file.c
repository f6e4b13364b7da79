#include "api/stats_file.h"

#include "base/arena.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is written at once, in memory. */
struct piece {
	FILE *file;
	char *text;
	size_t length;
};

static void piece_open(struct piece *piece)
{
	piece->file = open_memstream(&piece->text, &piece->length);
	if (!piece->file)
		abort();
}

static bool write_all(int descriptor, const char *text, size_t length, off_t at)
{
	while (length) {
		ssize_t written = pwrite(descriptor, text, length, at);
		if (written < 0 && errno != EINTR)
			return false;
		if (written < 0)
			continue;
		text += written;
		length -= (size_t)written;
		at += written;
	}
	return true;
}

/* Puts the piece behind the last kernel; its first `lasting` bytes stay there when more is added. */
static void piece_put(struct piece *piece, struct stats_file *file, size_t lasting)
{
	fclose(piece->file);
	if (write_all(file->descriptor, piece->text, piece->length, file->end))
		file->end += (off_t)lasting;
	else
		file->error = errno;
	free(piece->text);
}

/* The kernels that are not in the file yet: at the process's end also one that it interrupts. */
static void put_missing(struct stats_file *file, const struct records *records, FILE *into)
{
	for (; file->kernels < records->count; file->kernels++)
		records_json_kernel(records, &records->record[file->kernels], into);
}

bool stats_file_open(struct stats_file *file, const struct records *records, const char *path)
{
	struct file_new made;
	struct piece piece;
	if (!file_new_open(&made, path))
		return false;
	*file = (struct stats_file){.descriptor = made.descriptor, .process = getpid()};
	piece_open(&piece);
	records_json_head(records, piece.file);
	put_missing(file, records, piece.file);
	size_t lasting = (size_t)ftell(piece.file);
	records_json_open_end(piece.file);
	piece_put(&piece, file, lasting);
	if (file->error) {
		errno = file->error;
		file_new_drop(&made);
		return false;
	}
	if (!file_new_place(&made))
		return false;
	file->path = xstrdup(path);
	return true;
}

void stats_file_add(struct stats_file *file, const struct records *records)
{
	struct piece piece;
	if (!file->path || file->error || file->process != getpid())
		return;
	piece_open(&piece);
	put_missing(file, records, piece.file);
	size_t lasting = (size_t)ftell(piece.file);
	records_json_open_end(piece.file);
	piece_put(&piece, file, lasting);
}

void stats_file_note(const struct stats_file *file, const char *ended)
{
	char line[RECORDS_ENDED_LINE];
	if (!file->path || file->process != getpid())
		return;
	records_json_ended(line, ended);
	/* nothing can be done about an error in the handler of a signal */
	if (!write_all(file->descriptor, line, sizeof line, RECORDS_ENDED_AT))
		return;
}

bool stats_file_finish(struct stats_file *file, const struct records *records)
{
	struct piece piece;
	if (!file->error) {
		piece_open(&piece);
		put_missing(file, records, piece.file);
		records_json_end(records, piece.file);
		piece_put(&piece, file, 0);
	}
	stats_file_note(file, records->ended);
	if (!file->error && fsync(file->descriptor) != 0)
		file->error = errno;
	errno = file->error;
	return !file->error;
}

void stats_file_close(struct stats_file *file)
{
	if (file->path)
		close(file->descriptor);
	free(file->path);
	file->path = NULL;
}
