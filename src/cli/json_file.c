#include "cli/json_file.h"

#include "base/file.h"
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *cli_read_json(const char *command, const char *path)
{
	json_error_t error;
	size_t length;
	json_t *root = NULL;
	char *text = cli_read_file(path, &length);
	if (!text)
		cli_error(command, "cannot read %s: %s", path, file_reason());
	else if (strspn(text, " \t\r\n") == length)
		cli_error(command, "%s: the file is empty; a run that is killed early may leave such a file", path);
	else if (!(root = json_loadb(text, length, 0, &error)))
		cli_json_error(path, error.line, error.column, error.text);
	free(text);
	return root;
}
