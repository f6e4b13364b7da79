#include "output/append_file.h"

#include "base/arena.h"
#include "base/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The state of the write lock. TURN_LAST: a signal handler holds it and the process will end, so a new write could be
 * cut. */
enum turn { TURN_FREE, TURN_TAKEN, TURN_LAST };

void piece_open(struct piece *piece)
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

/* Takes the lock if it is free, with the state `as`. Returns the previous state. */
static int take_turn(struct append_file *file, int as)
{
	int turn = TURN_FREE;
	atomic_compare_exchange_strong(&file->turn, &turn, as);
	return turn;
}

/* For a signal handler: waits, up to 5 s, until another thread's write is complete. Returns false when another handler
 * was first. */
static bool take_last_turn(struct append_file *file)
{
	int turn = take_turn(file, TURN_LAST);
	for (int milliseconds = 0; turn == TURN_TAKEN && milliseconds < 5000; milliseconds++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		turn = take_turn(file, TURN_LAST);
	}
	return turn != TURN_LAST;
}

/* Restores the closing text after a write failed midway, for example on a full disk. Its space is already allocated. */
static void put_closing_back(const struct append_file *file)
{
	if (ftruncate(file->descriptor, file->end) == 0)
		write_all(file->descriptor, file->closing, strlen(file->closing), file->end);
}

/* Begins a write that no signal may cut. Blocks signals in this thread; handlers of other threads wait for the lock.
 * Returns false when such a handler has already ended writing. */
static bool begin_write(struct append_file *file, sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	if (take_turn(file, TURN_TAKEN) == TURN_FREE)
		return true;
	pthread_sigmask(SIG_SETMASK, before, NULL);
	return false;
}

static void end_write(struct append_file *file, const sigset_t *before)
{
	atomic_store(&file->turn, TURN_FREE);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Writes the piece after the text that stays. The first `lasting` bytes of it stay when more is added. */
static void write_piece(struct append_file *file, const struct piece *piece, size_t lasting)
{
	sigset_t before;
	if (!begin_write(file, &before))
		return;
	if (write_all(file->descriptor, piece->text, piece->length, file->end)) {
		file->end += (off_t)lasting;
	} else {
		file->error = errno;
		put_closing_back(file);
	}
	end_write(file, &before);
}

void append_file_add(struct append_file *file, struct piece *piece)
{
	fflush(piece->file);
	size_t lasting = piece->length;
	fputs(file->closing, piece->file);
	fclose(piece->file);
	write_piece(file, piece, lasting);
	free(piece->text);
}

void append_file_complete(struct append_file *file, struct piece *piece)
{
	fclose(piece->file);
	write_piece(file, piece, 0);
	free(piece->text);
}

bool append_file_open(struct append_file *file, const char *path, struct piece *begin, const char *closing)
{
	struct file_new made;
	if (!file_new_open(&made, path)) {
		fclose(begin->file);
		free(begin->text);
		return false;
	}
	*file = (struct append_file){.descriptor = made.descriptor, .closing = closing, .process = getpid()};
	append_file_add(file, begin);
	if (file->error) {
		errno = file->error;
		file_new_drop(&made);
		return false;
	}
	if (!file_new_place(&made))
		return false;
	file->path = base_strdup(path);
	return true;
}

bool append_file_is_ours(const struct append_file *file)
{
	return file->path && !file->error && file->process == getpid();
}

void append_file_change(struct append_file *file, const char *text, size_t length, off_t at)
{
	sigset_t before;
	if (!begin_write(file, &before))
		return;
	if (!write_all(file->descriptor, text, length, at) && !file->error)
		file->error = errno;
	end_write(file, &before);
}

void append_file_change_last(struct append_file *file, const char *text, size_t length, off_t at)
{
	/* an error in a signal handler cannot be handled */
	if (file->path && file->process == getpid() && take_last_turn(file))
		write_all(file->descriptor, text, length, at);
}

bool append_file_sync(struct append_file *file)
{
	if (!file->error && fsync(file->descriptor) != 0)
		file->error = errno;
	errno = file->error;
	return !file->error;
}

void append_file_close(struct append_file *file)
{
	if (file->path)
		close(file->descriptor);
	free(file->path);
	file->path = NULL;
}
