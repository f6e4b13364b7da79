/* linker: links several PTX texts into one text, as a linker does. An .extern symbol of one text is defined by
 * another. */
#ifndef SLUICE_PTX_LINKER_H
#define SLUICE_PTX_LINKER_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

struct linker_module;
struct linker_piece;

struct linker {
	void (*tell)(void *user, const char *text); /* receives error messages, one line each */
	void *user;
	struct arena arena;
	struct linker_module *modules, **next_module;
	struct linker_piece *pieces, **next_piece;
	unsigned module_count, file_count;
	unsigned version, target; /* the newest of all texts: 10 * major + minor; NN of sm_NN */
};

/* Adds a text, which messages call `file`. Both must outlive the linker. */
void linker_open(struct linker *linker, void (*tell)(void *user, const char *text), void *user);
void linker_add(struct linker *linker, const char *file, const char *text, size_t length);
/* Writes the joined text. Returns false after messages: a symbol is defined twice, or not at all. */
bool linker_write(struct linker *linker, FILE *file);
void linker_close(struct linker *linker);

#endif
