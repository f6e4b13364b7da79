/* join: several PTX texts made one, as a linker does: what is .extern in one is what another defines. */
#ifndef SLUICE_PTX_JOIN_H
#define SLUICE_PTX_JOIN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

struct join_module;
struct join_piece;

struct join {
	void (*tell)(void *user, const char *text); /* what is wrong, a line each */
	void *user;
	struct arena arena;
	struct join_module *modules, **next_module;
	struct join_piece *pieces, **next_piece;
	unsigned module_count, file_count;
	unsigned version, target; /* the newest: 10 * major + minor; NN of sm_NN */
};

/* `file` is what messages call the text; it and the text must last as long as the join. */
void join_open(struct join *join, void (*tell)(void *user, const char *text), void *user);
void join_add(struct join *join, const char *file, const char *text, size_t length);
/* Writes the one text. False after messages: a symbol is defined twice, or nowhere. */
bool join_write(struct join *join, FILE *file);
void join_close(struct join *join);

#endif
