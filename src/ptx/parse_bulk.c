/* parse_bulk: opcodes of bulk copies, which consist of several words. */
#include "ptx/parse.h"

#include <stdio.h>
#include <string.h>

bool parse_bulk_copy(struct parser *p, const char *opcode, struct diag_place place, struct guard guard)
{
	static const char *const words[] = {"prefetch", "tensor", "commit_group", "wait_group"};
	char text[64];
	snprintf(text, sizeof text, "%s", opcode);
	for (unsigned k = 0; k < sizeof words / sizeof *words; k++)
		if (accept_dot(p, words[k]))
			snprintf(text + strlen(text), sizeof text - strlen(text), ".%s", words[k]);
	return parse_instruction(p, intern(p, text, (uint32_t)strlen(text)), place, guard);
}
