/* The limits of kernels in stored statistics, as tables or as JSON. src/limits/ computes it. */
#include "cli/stats_limits.h"

#include "cli/commands.h"
#include "limits/limits.h"

#include <fnmatch.h>
#include <string.h>

struct printer {
	const char *const *patterns;
	json_t *list; /* of objects, with --json; else NULL */
	size_t printed;
};

static bool is_chosen(const char *name, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (fnmatch(*patterns, name, 0) == 0)
			return true;
	return false;
}

/* A name without its parameters, as one types it: "void add<int>(int*)" as "add". */
static void short_name(const char *name, char text[128])
{
	const char *end = name + strcspn(name, "<("), *begin = end;
	while (begin > name && begin[-1] != ' ')
		begin--;
	snprintf(text, 128, "%.*s", (int)(end - begin), begin);
}

static bool is_wanted(const struct printer *printer, const struct limits_of_one *one)
{
	const char *name = json_string_value(json_object_get(one->object, "demangled"));
	char called[128];
	if (!*printer->patterns)
		return true;
	if (!name) /* a session, or all launches */
		return is_chosen(one->title, printer->patterns);
	short_name(name, called);
	return is_chosen(name, printer->patterns) || is_chosen(called, printer->patterns);
}

static void print_one(void *user, const struct limits_of_one *one)
{
	struct printer *printer = user;
	if (!is_wanted(printer, one))
		return;
	printer->printed++;
	if (printer->list) {
		json_array_append_new(printer->list, limits_of_one_json(one));
		return;
	}
	printf("%s%s, %.0f cycles\n", printer->printed > 1 ? "\n" : "", one->title, one->cycles);
	limits_print(one->limits, stdout);
}

int stats_print_limits(const char *command, const char *file, const json_t *root, const char *const *patterns,
                       bool as_json)
{
	struct printer printer = {.patterns = patterns, .list = as_json ? json_array() : NULL};
	char message[LIMITS_MESSAGE] = "";
	limits_of_run(root, print_one, &printer, message);
	if (!printer.printed)
		cli_error(command, "%s: no limits: %s", file,
		          *message ? message
		                   : "no kernel has that name, or it ran only together with others ('session*')");
	else if (as_json && json_dumpf(printer.list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0)
		putchar('\n');
	json_decref(printer.list);
	return printer.printed ? 0 : CLI_FAILED;
}
