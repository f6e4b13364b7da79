#include "base/demangle.h"

#include "base/arena.h"

#include <string.h>

/* Of libstdc++, by the C++ ABI; its header is C++ alone. */
char *__cxa_demangle(const char *symbol, char *room, size_t *size, int *status);

char *demangle(const char *symbol)
{
	int status;
	/* It takes what does not begin so for the name of a type: "i" would be "int". */
	char *name = strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
	return name ? name : xstrdup(symbol);
}
