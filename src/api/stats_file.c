#include "api/stats_file.h"

#include "base/arena.h"
#include "base/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whose turn it is to write. Once a signal's handler has had it the process ends, and a write that began now could be cut. */
enum turn { TURN_FREE, TURN_TAKEN, TURN_LAST };

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

/* Takes the turn, to give it back or as the last one, where it is free; returns what it was. */
static int take_turn(struct stats_file *file, int as)
{
	int turn = TURN_FREE;
	atomic_compare_exchange_strong(&file->turn, &turn, as);
	return turn;
}

/* For a signal's handler: waits until what another thread writes is whole, unless that takes very long. False when another
 * handler was first. */
static bool take_last_turn(struct stats_file *file)
{
	int turn = take_turn(file, TURN_LAST);
	for (int milliseconds = 0; turn == TURN_TAKEN && milliseconds < 5000; milliseconds++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		turn = take_turn(file, TURN_LAST);
	}
	return turn != TURN_LAST;
}

/* After a write that failed midway, on a full disk say: what ended the file had its room. */
static void put_end_back(struct stats_file *file)
{
	struct piece piece;
	piece_open(&piece);
	records_json_open_end(piece.file);
	fclose(piece.file);
	if (ftruncate(file->descriptor, file->end) == 0)
		write_all(file->descriptor, piece.text, piece.length, file->end);
	free(piece.text);
}

/* A write that no signal may cut: no handler runs in this thread until its end, and those of other threads wait. False when
 * one of these has had the last turn. */
static bool begin_write(struct stats_file *file, sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	if (take_turn(file, TURN_TAKEN) == TURN_FREE)
		return true;
	pthread_sigmask(SIG_SETMASK, before, NULL);
	return false;
}

static void end_write(struct stats_file *file, const sigset_t *before)
{
	atomic_store(&file->turn, TURN_FREE);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Puts the piece behind the last kernel; its first `lasting` bytes stay there when more is added. */
static void piece_put(struct piece *piece, struct stats_file *file, size_t lasting)
{
	sigset_t before;
	fclose(piece->file);
	if (begin_write(file, &before)) {
		if (write_all(file->descriptor, piece->text, piece->length, file->end)) {
			file->end += (off_t)lasting;
		} else {
			file->error = errno;
			put_end_back(file);
		}
		end_write(file, &before);
	}
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

static bool put_ended(const struct stats_file *file, const char *ended)
{
	char line[RECORDS_ENDED_LINE];
	records_json_ended(line, ended);
	return write_all(file->descriptor, line, sizeof line, RECORDS_ENDED_AT);
}

void stats_file_note(struct stats_file *file, const char *ended)
{
	/* nothing can be done about an error in the handler of a signal */
	if (file->path && file->process == getpid() && take_last_turn(file))
		put_ended(file, ended);
}

bool stats_file_finish(struct stats_file *file, const struct records *records)
{
	struct piece piece;
	sigset_t before;
	if (file->process != getpid())
		return true;
	if (!file->error) {
		piece_open(&piece);
		put_missing(file, records, piece.file);
		records_json_end(records, piece.file);
		piece_put(&piece, file, 0);
	}
	if (begin_write(file, &before)) {
		if (!put_ended(file, records->ended) && !file->error)
			file->error = errno;
		end_write(file, &before);
	}
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
