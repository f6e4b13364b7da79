/* Writes host code as C++ (-cuda). clang compiles CUDA directly to objects, without C++ in between. So the text is one
 * statement with the assembler code of that object. */
#include "cli/cc/cc.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char before[] = "__asm__(\"";
/* The compiler's output after the statement is code, so return to .text from our last section. */
static const char after[] = "\\n.text\\n\");\n";

/* Writes each line of the text as a line of a string literal. `out` has space for six times the text. Returns the end
 * of the output. */
static char *quote(char *out, const char *text, size_t length)
{
	static const char line_break[] = "\\n\"\n\"";
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n') {
			memcpy(out, line_break, sizeof line_break - 1);
			out += sizeof line_break - 1;
			continue;
		}
		if (text[i] == '\\' || text[i] == '"')
			*out++ = '\\';
		*out++ = text[i];
	}
	return out;
}

bool cc_write_host_text(const struct cc *cc, const char *assembly, const char *file)
{
	size_t length;
	char *text = file_read(assembly, &length);
	if (!text) {
		cli_error(cc->name, "cannot read %s: %s", assembly, file_reason());
		return false;
	}
	char *whole = base_calloc(6, length + sizeof before + sizeof after), *end = whole + sizeof before - 1;
	memcpy(whole, before, sizeof before - 1);
	end = quote(end, text, length);
	memcpy(end, after, sizeof after - 1);
	end += sizeof after - 1;
	bool fine = cc_write_file(cc, file, whole, (size_t)(end - whole));
	free(whole);
	free(text);
	return fine;
}
