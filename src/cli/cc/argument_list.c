/* Lists of words, from which `sluice cc` builds commands. */
#include "cli/cc/cc.h"

#include <stdlib.h>
#include <string.h>

void cc_add(struct argument_list *words, const char *word)
{
	words->list = base_realloc(words->list, (words->count + 2) * sizeof *words->list);
	words->list[words->count++] = word;
	words->list[words->count] = NULL;
}

void cc_add_all(struct argument_list *words, const char *const *more)
{
	for (; more && *more; more++)
		cc_add(words, *more);
}

char *cc_joined(struct cc *cc, const char *first, const char *second)
{
	size_t length = strlen(first);
	char *text = arena_alloc(&cc->arena, length + strlen(second) + 1);
	strcpy(text + length, second);
	return memcpy(text, first, length);
}
