/* store: every finished run, in an SQLite file.
 *
 * A run is kept in one transaction when it has ended, so that what ends a process or the computer loses runs under way
 * and no others, and several processes can use the file at a time.
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
	/* Digests: of the library that simulates, of the compiled program, of all the machine's keys with their values. */
	const char *library, *binary, *description;
};

struct run_result {
	const char *verdict;             /* "PASS" or why not */
	const char *output;              /* the end of what it printed, when it failed */
	const char *stats;               /* JSON, "" when there are none */
	const char *revision, *finished; /* of the source, "" when unknown; UTC, set by the store */
	double seconds;
};

struct store;

enum { STORE_MESSAGE = 512 };

/* Opens the file, or makes it unless `only_read`. NULL with a message that names the file. */
struct store *store_open(const char *path, bool only_read, char message[STORE_MESSAGE]);
void store_close(struct store *store);

/* Keeps a run in the place of an equal one. False with a message that names the file. */
bool store_put(struct store *store, const struct run_config *config, const struct run_result *result,
               char message[STORE_MESSAGE]);

/* The statistics of a run that passed, or was cut by its limit of instructions, from malloc, or NULL, with a message when reading failed and "" when there is
 * none. With `any_build` the newest, whatever the digests. */
char *store_find(struct store *store, const struct run_config *config, bool any_build, char message[STORE_MESSAGE]);

/* A column and the value that it must have. */
struct store_filter {
	const char *column; /* of run_config or run_result: "program" */
	const char *value;
};

/* Calls back for each run that has all values, in the order in which they were kept. False with a message. */
bool store_each(struct store *store, const struct store_filter *filters, size_t count,
                void (*row)(void *context, const struct run_config *config, const struct run_result *result),
                void *context, char message[STORE_MESSAGE]);

#endif
