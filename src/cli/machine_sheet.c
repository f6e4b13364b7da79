#include "cli/machine_sheet.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sheet_add(struct sheet *sheet, const char *key, const char *value)
{
	sheet->entry = base_realloc(sheet->entry, (sheet->count + 1) * sizeof *sheet->entry);
	sheet->entry[sheet->count++] = (struct entry){base_strdup(key), base_strdup(value)};
}

/* Joins the nested keys of the library's YAML (two blanks per level, no comments) to dotted names. */
static void sheet_read(struct sheet *sheet, char *text)
{
	enum { LEVELS = 8 };
	char key[256] = "";
	size_t ends[LEVELS + 1] = {0}; /* end of the key's part at each level */
	for (char *line; (line = strsep(&text, "\n"));) {
		size_t level = strspn(line, " ") / 2;
		char *name = line + 2 * level, *colon = strchr(name, ':');
		if (!colon || level >= LEVELS)
			continue;
		const char *value = colon + 1 + strspn(colon + 1, " ");
		*colon = '\0';
		size_t end = ends[level];
		end += (size_t)snprintf(key + end, sizeof key - end, "%s%s", level ? "." : "", name);
		if (end >= sizeof key)
			continue;
		ends[level + 1] = end;
		if (*value)
			sheet_add(sheet, key, value);
	}
}

void sheet_take(struct sheet *sheet, const sluice_gpu *gpu)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	if (!memory)
		abort();
	sluice_machine_write(gpu, memory);
	fclose(memory);
	sheet_read(sheet, text);
	free(text);
}

const char *sheet_value(const struct sheet *sheet, const char *key)
{
	for (size_t i = 0; i < sheet->count; i++)
		if (strcmp(sheet->entry[i].key, key) == 0)
			return sheet->entry[i].value;
	return NULL;
}

void sheet_close(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++) {
		free(sheet->entry[i].key);
		free(sheet->entry[i].value);
	}
	free(sheet->entry);
}
