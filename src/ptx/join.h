/* join: links several PTX texts into one text, as a linker does. An .extern symbol of one text is defined by
 * another. */
#ifndef SLUICE_PTX_JOIN_H
#define SLUICE_PTX_JOIN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

struct join_module;
struct join_piece;

struct join {
	void (*tell)(void *user, const char *text); /* receives error messages, one line each */
	void *user;
	struct arena arena;
	struct join_module *modules, **next_module;
	struct join_piece *pieces, **next_piece;
	unsigned module_count, file_count;
	unsigned version, target; /* the newest of all texts: 10 * major + minor; NN of sm_NN */
};

/* Adds a text, which messages call `file`. Both must outlive the join. */
void join_open(struct join *join, void (*tell)(void *user, const char *text), void *user);
void join_add(struct join *join, const char *file, const char *text, size_t length);
/* Writes the joined text. Returns false after messages: a symbol is defined twice, or not at all. */
bool join_write(struct join *join, FILE *file);
void join_close(struct join *join);

#endif
