/* store: every finished run, in an SQLite file.
 *
 * A run is kept in one transaction when it has ended, so that what ends a process or the computer loses runs under way
 * and no others, and several processes can use the file at a time. The file has a version (lab/store_schema.h); one that
 * an older sluice has written is brought up to date when it is first written to.
 */
#ifndef SLUICE_LAB_STORE_H
#define SLUICE_LAB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What decides a run's figures. Lists are joined by spaces; no text is NULL. */
struct run_config {
	const char *program, *variant, *size;
	uint64_t seed;
	const char *arguments, *machine, *options, *mechanisms;
	/* Digests: of the library that simulates, of the compiled program, of all the machine's keys with their values, of the
	 * input files ("": none are named). */
	const char *library, *binary, *description, *inputs;
};

struct run_result {
	const char *verdict;             /* "PASS" or why not */
	const char *output;              /* the end of what it printed, when it failed */
	const char *stats;               /* JSON, "" when there are none */
	const char *revision, *finished; /* of the source, "" when unknown; UTC, NULL to the store: now */
	double seconds;
	uint64_t peak;    /* bytes of memory that its largest process held; 0: not known */
	const char *host; /* where it ran, "" (NULL to the store) when unknown */
	uint64_t id;      /* its number in the file, set by the store */
};

struct store;

enum { STORE_MESSAGE = 512 };

/* Opens the file, or makes it unless `only_read`. NULL with a message that names the file. */
struct store *store_open(const char *path, bool only_read, char message[STORE_MESSAGE]);
void store_close(struct store *store);

/* Between them runs are kept together, or none: for many at a time. False with a message. */
bool store_begin(struct store *store, char message[STORE_MESSAGE]);
bool store_commit(struct store *store, char message[STORE_MESSAGE]);
void store_rollback(struct store *store);

/* Keeps a run in the place of an equal one. False with a message that names the file. */
bool store_put(struct store *store, const struct run_config *config, const struct run_result *result,
               char message[STORE_MESSAGE]);

/* The statistics of a run that passed, or was cut by its limit of instructions, from malloc, or NULL, with a message when reading failed and "" when there is
 * none. With `any_build` the newest, whatever the digests. */
char *store_find(struct store *store, const struct run_config *config, bool any_build, char message[STORE_MESSAGE]);

/* The verdict of that very run, from malloc, or NULL as above. */
char *store_verdict(struct store *store, const struct run_config *config, char message[STORE_MESSAGE]);

/* Calls back for that very run, if it is there. False with a message. */
bool store_each_same(struct store *store, const struct run_config *config,
                     void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                     void *context, char message[STORE_MESSAGE]);

/* Whether SQLite finds the file whole. False with a message. */
bool store_is_whole(struct store *store, char message[STORE_MESSAGE]);

/* A column and the value that it must have. */
struct store_filter {
	const char *column; /* of run_config or run_result: "program" */
	const char *value;
};

/* How long every run took that counts, and the memory that it took: called back without output and statistics. False with a
 * message. */
bool store_each_cost(struct store *store,
                     void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                     void *context, char message[STORE_MESSAGE]);

/* Calls back for each run that has all values, in the order in which they were kept. False with a message. */
bool store_each(struct store *store, const struct store_filter *filters, size_t count,
                void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                void *context, char message[STORE_MESSAGE]);

#endif
