/* run_journal: the journals of a sweep's runs (docs/how-to/journal.md), in the sweep's folder: journals/ID, one per
 * run. journals/ID.cuts has what time limits have cut: the number of starts in a row that added no launch, and the
 * seconds of all cut starts. */
#ifndef SLUICE_LAB_RUN_JOURNAL_H
#define SLUICE_LAB_RUN_JOURNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns the command line of a run that goes on from its journal and adds to it: one block, to be freed. `words`
 * begins with "sluice run". The folder is an absolute path. */
char **run_journal_words(char *const *words, const char *folder, const char *id);

/* Returns the number of launches in the run's journal. */
size_t run_journal_launches(const char *folder, const char *id);

/* Whether a process has the journal open: a node that seems to have failed may still run it. */
bool run_journal_is_open(const char *folder, const char *id);

struct run_cuts {
	size_t in_vain; /* starts in a row that added no launch */
	double seconds; /* of all starts that were cut */
};
struct run_cuts run_journal_cuts(const char *folder, const char *id);
/* Returns false with errno set. */
bool run_journal_set_cuts(const char *folder, const char *id, const struct run_cuts *cuts);

/* Removes the run's journal and cuts. */
void run_journal_remove(const char *folder, const char *id);
/* Removes all journals but those of the runs that `keeps` returns true for. Call when no run is running. */
void run_journal_remove_all(const char *folder, bool (*keeps)(void *context, const char *id), void *context);

#endif
