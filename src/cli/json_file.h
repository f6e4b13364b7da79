/* A file of JSON that a command reads. */
#ifndef SLUICE_CLI_JSON_FILE_H
#define SLUICE_CLI_JSON_FILE_H

#include <jansson.h>

/* What is in the file ("-": standard input), or NULL after a message of the command's. */
json_t *cli_read_json(const char *command, const char *path);

#endif
