/* journal_file: the folder of a journal, with a file for each launch (docs/how-to/journal.md). A file appears complete
 * or not at all, and is checked when it is read. */
#ifndef SLUICE_OUTPUT_JOURNAL_FILE_H
#define SLUICE_OUTPUT_JOURNAL_FILE_H

#include "base/digest.h"
#include "base/snapshot.h"

#include <sys/types.h>

enum { JOURNAL_KERNEL = 256, JOURNAL_MESSAGE = 512, JOURNAL_SETUP = 4 };

/* A launch, in parts: it is the same launch when all are the same. */
struct journal_identity {
	struct digest before; /* all launches before it */
	struct digest code;   /* the module's PTX */
	struct digest shape;  /* grid, block, shared memory */
	struct digest arguments;
	struct digest memory; /* allocations and contents before it, and textures */
	char kernel[JOURNAL_KERNEL];
};

/* The parts of a run that must not change in a journal: the simulator, the machine, the mechanisms, other options. */
struct journal_setup {
	struct digest part[JOURNAL_SETUP];
};
extern const char *const journal_setup_names[JOURNAL_SETUP];

struct journal_file {
	char *folder;
	int lock;      /* descriptor */
	pid_t process; /* the process that writes; a forked child does not */
};

/* Opens the folder, which is created if necessary, and locks it until journal_file_close(). A folder with launches must
 * be resumed, by a run with the same setup. Returns false with a message. */
bool journal_file_open(struct journal_file *file, const char *folder, bool resumes, const struct journal_setup *setup,
                       char message[JOURNAL_MESSAGE]);
void journal_file_close(struct journal_file *file);

/* Writes launch `number`. Returns false with a message; all other files are as before. */
bool journal_file_write(const struct journal_file *file, uint64_t number, const struct journal_identity *identity,
                        const struct snapshot *content, char message[JOURNAL_MESSAGE]);

enum journal_found { JOURNAL_FOUND, JOURNAL_ABSENT, JOURNAL_DAMAGED };
/* Reads launch `number` and what it did. JOURNAL_DAMAGED: with a message. Free the content with snapshot_free(). */
enum journal_found journal_file_read(const struct journal_file *file, uint64_t number,
                                     struct journal_identity *identity, struct snapshot *content,
                                     char message[JOURNAL_MESSAGE]);

#endif
