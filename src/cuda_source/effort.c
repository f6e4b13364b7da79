/* effort: development effort, in code lines. */
#include "cuda_source/source.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns true when a line contains more than braces and comments. `comment`: a comment is open at its start, and
 * on return at its end. */
static bool is_code(const char *text, bool *comment)
{
	bool code = false;
	char quote = '\0';
	for (; *text; text++) {
		if (*comment) {
			if (text[0] == '*' && text[1] == '/') {
				*comment = false;
				text++;
			}
			continue;
		}
		if (!quote && text[0] == '/' && text[1] == '/')
			break;
		if (!quote && text[0] == '/' && text[1] == '*') {
			*comment = true;
			text++;
			continue;
		}
		if (quote && *text == '\\' && text[1])
			text++;
		else if (*text == quote)
			quote = '\0';
		else if (!quote && (*text == '"' || *text == '\''))
			quote = *text;
		code |= !isspace((unsigned char)*text) && *text != '{' && *text != '}';
	}
	return code;
}

/* Returns true when there is code between the braces of a body on a single line. */
static bool holds_code(const char *text)
{
	const char *open = strchr(text, '{'), *close = strrchr(text, '}');
	for (const char *at = open ? open + 1 : close; at && at < close; at++)
		if (!isspace((unsigned char)*at))
			return true;
	return false;
}

bool source_effort(const struct source_kernel *kernel, uint32_t *lines, struct diag *diag)
{
	FILE *file = file_open(kernel->file);
	if (!file) {
		diag_plain(diag, "cannot read %s: %s", kernel->file, file_reason());
		return false;
	}
	char *text = NULL;
	size_t capacity = 0;
	bool comment = false;
	*lines = 0;
	for (uint32_t number = 1; number <= kernel->body_last && getline(&text, &capacity, file) >= 0; number++) {
		bool code = is_code(text, &comment);
		if (number > kernel->body_first && number < kernel->body_last)
			*lines += code;
		else if (number == kernel->body_first && number == kernel->body_last)
			*lines += holds_code(text);
	}
	free(text);
	fclose(file);
	return true;
}
