/* store: every finished run, in an SQLite file.
 *
 * A run is stored in one transaction at its end. So when a process or the computer stops, only runs in progress are
 * lost, and several processes can use the file at once. The file has a version (lab/store_schema.h). A file written
 * by an older sluice is migrated at the first write. */
#ifndef SLUICE_LAB_STORE_H
#define SLUICE_LAB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything that determines a run's figures. Lists are joined by spaces; no text is NULL. */
struct run_config {
	const char *program, *variant, *size;
	uint64_t seed;
	const char *arguments, *machine, *options, *mechanisms;
	/* Digests of: the library that simulates, the compiled program, all keys of the machine with their values,
	 * the input files ("": none are named). */
	const char *library, *binary, *description, *inputs;
};

struct run_result {
	const char *verdict;             /* "PASS" or the reason of failure */
	const char *output;              /* the end of its output, when it failed */
	const char *stats;               /* JSON, "" when there are none */
	/* revision: of the source, "" when unknown; finished: UTC, NULL to the store: now */
	const char *revision, *finished;
	double seconds;
	uint64_t peak;    /* memory of its largest process, in bytes; 0: unknown */
	const char *host; /* where it ran, "" (NULL to the store) when unknown */
	uint64_t id;      /* its number in the file, set by the store */
};

struct store;

enum { STORE_MESSAGE = 512 };

/* Opens the file, or creates it unless `only_read`. Returns NULL with a message that names the file. */
struct store *store_open(const char *path, bool only_read, char message[STORE_MESSAGE]);
void store_close(struct store *store);

/* Runs put between begin and commit are stored together, or not at all: for many at a time. Return false with a
 * message. */
bool store_begin(struct store *store, char message[STORE_MESSAGE]);
bool store_commit(struct store *store, char message[STORE_MESSAGE]);
void store_rollback(struct store *store);

/* Stores a run, in place of an equal one. Returns false with a message that names the file. */
bool store_put(struct store *store, const struct run_config *config, const struct run_result *result,
               char message[STORE_MESSAGE]);

/* Returns the statistics, to be freed, of a run that passed or was cut by its limit of instructions. With
 * `any_build`, those of the newest such run with any digests. Returns NULL with a message when reading failed, and
 * with "" when there is no such run. */
char *store_find(struct store *store, const struct run_config *config, bool any_build, char message[STORE_MESSAGE]);
/* True when store_find() with `any_build` finds a run. Does not read its statistics. */
bool store_has_of_any_build(struct store *store, const struct run_config *config, char message[STORE_MESSAGE]);

/* Returns the verdict of this exact run, to be freed, or NULL as above. */
char *store_verdict(struct store *store, const struct run_config *config, char message[STORE_MESSAGE]);

/* Calls back for this exact run, if the store has it. Returns false with a message. */
bool store_each_same(struct store *store, const struct run_config *config,
                     void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                     void *context, char message[STORE_MESSAGE]);

/* Whether SQLite finds the file undamaged. Returns false with a message. */
bool store_is_whole(struct store *store, char message[STORE_MESSAGE]);

/* A column and its required value. */
struct store_filter {
	const char *column; /* of run_config or run_result: "program" */
	const char *value;
};

/* Calls back with the duration and memory of every run that counts, without output and statistics. Returns false
 * with a message. */
bool store_each_cost(struct store *store,
                     void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                     void *context, char message[STORE_MESSAGE]);

/* Calls back for each run that matches all filters, in the order of storing. Returns false with a message. */
bool store_each(struct store *store, const struct store_filter *filters, size_t count,
                void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                void *context, char message[STORE_MESSAGE]);

#endif
