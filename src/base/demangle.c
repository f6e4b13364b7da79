#include "base/demangle.h"

#include "base/arena.h"

#include <string.h>

/* From libstdc++, by the C++ ABI; its header can be included only in C++. */
char *__cxa_demangle(const char *symbol, char *room, size_t *size, int *status);

char *demangle(const char *symbol)
{
	int status;
	/* Other names would be taken for types: "i" would be "int". */
	char *name = strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
	return name ? name : base_strdup(symbol);
}
