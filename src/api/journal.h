/* journal: what each launch in cycles did, in a folder, so that a run that was killed goes on where it was
 * (docs/how-to/journal.md). The program runs again from its begin. A launch that is the same as in the journal is not
 * simulated: its stores, its output, its counters and the machine's state after it are read.
 *
 * With a journal, the machine is saved, reopened and restored after every launch. So a run that is resumed cannot
 * differ from one that is not: both begin each launch with what was saved, and with nothing else.
 */
#ifndef SLUICE_API_JOURNAL_H
#define SLUICE_API_JOURNAL_H

#include "api/launch.h"
#include "output/journal_file.h"
#include "simt/memory.h"

/* The contents of device memory and of mapped host memory, by pages of allocations. */
struct journal_memory {
	struct journal_piece {
		uint64_t address, size;
		size_t page; /* index of its first page */
	} * piece;
	struct digest *page;
	size_t pieces, pages, piece_room, page_room;
	struct digest all;
};

struct journal {
	struct journal_file file;
	struct digest history;        /* of all launches in cycles so far */
	struct journal_memory before; /* before the launch in progress */
	bool resumes;                 /* launches are looked up */
	bool differs;                 /* a launch has differed: the user knows */
	bool is_broken;               /* a launch could not be written: no further ones are */
};

/* journal_memory.c */

/* Reads the digests of all memory. The addresses of host memory count: kernels may have stored them. */
void journal_memory_read(struct journal_memory *memory, struct simt_memory *device);
void journal_memory_free(struct journal_memory *memory);
/* Saves the pages that differ from `before`. */
void journal_memory_save(const struct journal_memory *before, struct simt_memory *device, struct snapshot *snapshot);
/* Writes saved pages into the memory. Returns false when they do not fit into its allocations. */
bool journal_memory_restore(struct simt_memory *device, struct snapshot *snapshot);

/* journal_identity.c */

/* Computes the setup. */
struct journal_setup journal_setup_of(const sluice_gpu *gpu);
/* Computes what the launch does. `before` is read, too. */
void journal_identify(const struct journal *journal, const struct launch *launch, struct journal_identity *identity);
/* Describes the first difference, such as "its arguments differ"; NULL: there is none. */
const char *journal_difference(const struct journal_identity *one, const struct journal_identity *other);

/* journal.c */

/* Opens the journal that the settings name, if they name one. */
enum sluice_status journal_open(sluice_gpu *gpu, const struct sluice_settings *settings, struct sluice_error *error);
void journal_close(sluice_gpu *gpu);
/* Runs a launch in cycles, or applies what the journal has of it. */
enum sluice_status journal_launch(struct launch *launch, struct sluice_error *error);

#endif
