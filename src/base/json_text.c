#include "base/json_text.h"

#include "base/arena.h"

#include <stdlib.h>

json_t *json_text(const char *bytes)
{
	json_t *string = json_string(bytes);
	if (string)
		return string;
	char *copy = base_strdup(bytes);
	for (char *at = copy; *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	string = json_string(copy);
	free(copy);
	return string;
}
