#include "trace/lines.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct trace_command *add_command(struct trace_list *list)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 64;
		list->command = base_realloc(list->command, list->capacity * sizeof *list->command);
	}
	struct trace_command *command = &list->command[list->count++];
	*command = (struct trace_command){0};
	return command;
}

/* "MemcpyHtoD,0x7f00,1024" */
static bool read_copy(struct trace_list *list, const struct trace_lines *lines, struct diag *diag)
{
	const char *address = lines->text + strlen("MemcpyHtoD,");
	char *end, *rest;
	struct trace_command *command = add_command(list);
	command->kind = TRACE_COPY;
	command->address = strtoull(address, &end, 16);
	if (end == address || *end != ',' || *address == '-') {
		trace_error(lines, diag, address, "expected MemcpyHtoD,ADDRESS,BYTES");
		return false;
	}
	command->bytes = strtoull(end + 1, &rest, 10);
	if (rest == end + 1 || end[1] == '-' || rest[strspn(rest, " ")]) {
		trace_error(lines, diag, end + 1, "expected a number of bytes");
		return false;
	}
	return true;
}

static void add_kernel(struct trace_list *list, const struct trace_lines *lines)
{
	const char *slash = strrchr(lines->name, '/');
	int folder = slash ? (int)(slash - lines->name) + 1 : 0;
	size_t length = lines->length;
	while (length && lines->text[length - 1] == ' ')
		length--;
	char *path;
	if (asprintf(&path, "%.*s%.*s", folder, lines->name, (int)length, lines->text) < 0)
		abort();
	struct trace_command *command = add_command(list);
	command->kind = TRACE_LAUNCH;
	command->path = arena_string(&list->arena, path, strlen(path));
	free(path);
}

static bool begins(const struct trace_lines *lines, const char *word)
{
	return strncmp(lines->text, word, strlen(word)) == 0;
}

static bool read_line(struct trace_list *list, const struct trace_lines *lines, struct diag *diag)
{
	if (begins(lines, "MemcpyHtoD,"))
		return read_copy(list, lines, diag);
	if (begins(lines, "kernel"))
		add_kernel(list, lines);
	else if (lines->length && *lines->text != '#' && !begins(lines, "Memcpy")) {
		trace_error(lines, diag, lines->text,
		            "expected MemcpyHtoD,ADDRESS,BYTES or the name of a kernel's trace");
		return false;
	}
	return true;
}

static char *list_path(const char *path)
{
	struct stat status;
	char *list;
	if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
		return base_strdup(path);
	size_t length = strlen(path);
	if (asprintf(&list, "%s%skernelslist.g", path, length && path[length - 1] == '/' ? "" : "/") < 0)
		abort();
	return list;
}

bool trace_list_read(struct trace_list *list, const char *path, struct diag *diag)
{
	char *name = list_path(path);
	struct trace_lines lines;
	uint32_t errors = diag->errors;
	if (trace_lines_open(&lines, name, diag)) {
		while (trace_lines_next(&lines, diag) && read_line(list, &lines, diag))
			;
		trace_lines_close(&lines);
	}
	free(name);
	return diag->errors == errors;
}

void trace_list_free(struct trace_list *list)
{
	free(list->command);
	arena_free(&list->arena);
	*list = (struct trace_list){0};
}
