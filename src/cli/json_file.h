/* json_file: reads a JSON file for a command. */
#ifndef SLUICE_CLI_JSON_FILE_H
#define SLUICE_CLI_JSON_FILE_H

#include <jansson.h>

/* Returns the contents of the file ("-": standard input), or NULL after a message in the command's name. */
json_t *cli_read_json(const char *command, const char *path);

#endif
