/* lab_kit: common set-up of the lab's tests: experiments from text, temporary files for a store, and runs to store. */
#ifndef SLUICE_TESTS_LAB_KIT_H
#define SLUICE_TESTS_LAB_KIT_H

#include "lab/experiment.h"
#include "lab/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct lab_read {
	struct arena arena;
	struct document document;
	struct experiment experiment;
	bool fine;
};

/* Reads a text under the name x.yaml. Call lab_read_free() afterwards, also after an error. */
static inline void lab_read(struct lab_read *read, const char *text)
{
	*read = (struct lab_read){.document.source = {"x.yaml", text, strlen(text)}};
	read->document.arena = &read->arena;
	read->fine = experiment_read(&read->experiment, &read->document);
}

static inline void lab_read_free(struct lab_read *read)
{
	diag_free(&read->document.diag);
	arena_free(&read->arena);
}

/* Reads a text, and fails the test if the text has an error. */
static inline void lab_read_right(struct lab_read *read, const char *text)
{
	lab_read(read, text);
	if (!read->fine)
		fail_msg("%s", read->document.diag.text);
}

/* Reads a wrong text, and fails the test unless the message contains `message`. */
static inline void lab_read_wrong(const char *text, const char *message)
{
	struct lab_read read;
	lab_read(&read, text);
	assert_false(read.fine);
	if (!strstr(read.document.diag.text, message))
		fail_msg("expected '%s', got %s", message, read.document.diag.text);
	lab_read_free(&read);
}

/* Creates an empty file and returns its path; call unlink() and free() afterwards. */
static inline char *lab_temporary(void)
{
	char *path = strdup("/tmp/sluice-lab.XXXXXX");
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	return path;
}

/* Returns a run on machine "m"; all other texts are short or empty. */
static inline struct run_config lab_config(const char *program)
{
	return (struct run_config){.program = program,
	                           .variant = "",
	                           .size = "",
	                           .arguments = "",
	                           .machine = "m",
	                           .options = "",
	                           .mechanisms = "",
	                           .library = "l",
	                           .binary = "b",
	                           .description = "d",
	                           .inputs = ""};
}

/* Stores a run; texts that `result` does not set are empty. */
static inline void lab_put(struct store *store, const struct run_config *config, struct run_result result)
{
	char message[STORE_MESSAGE];
	result.output = result.output ? result.output : "";
	result.revision = result.revision ? result.revision : "r";
	if (!store_put(store, config, &result, message))
		fail_msg("%s", message);
}

#endif
