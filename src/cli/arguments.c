/* Command lines: parsing, and messages about them. argp prints words as they are, so control characters are hidden
 * before. */
#include "cli/commands.h"

#include "base/arena.h"
#include "base/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_usage(const struct argp_state *state, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = diag_format(format, arguments);
	va_end(arguments);
	argp_error(state, "%s", text);
	free(text);
}

static bool takes_value(const struct argp *argp, int key)
{
	for (const struct argp_option *option = argp->options;
	     option && (option->name || option->key || option->doc || option->group); option++)
		if (option->key == key && option->arg)
			return true;
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		if (takes_value(child->argp, key))
			return true;
	return false;
}

static bool has_controls(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (iscntrl((unsigned char)text[i]))
			return true;
	return false;
}

/* Returns an option whose name has control characters as it is shown: still an unknown option. Returns NULL for any
 * other word. */
static char *shown_option(struct arena *arena, const struct argp *argp, const char *word)
{
	bool is_long = strncmp(word, "--", 2) == 0;
	size_t length = is_long ? strcspn(word, "=") : strlen(word);
	if (*word != '-' || !has_controls(word, length))
		return NULL;
	for (const char *letter = word + 1; !is_long && !iscntrl((unsigned char)*letter); letter++)
		if (takes_value(argp, *letter))
			return NULL; /* the rest is its value */
	char *name = arena_string(arena, word, length);
	diag_hide_all(name);
	size_t size = length + strlen(word) + 2;
	char *shown = arena_alloc(arena, size);
	/* "-?" would print the help */
	snprintf(shown, size, "%s%s%s", is_long ? "" : "-", name, word + length);
	return shown;
}

error_t cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	static struct arena arena; /* for values that are words of the command line */
	char **words = arena_array(&arena, (size_t)argc + 1, sizeof *words),
	     **shown = arena_array(&arena, (size_t)argc + 1, sizeof *shown);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		words[i] = argv[i];
		shown[i] = shown_option(&arena, argp, argv[i]);
		argv[i] = shown[i] ? shown[i] : argv[i];
	}
	error_t result = argp_parse(argp, argc, argv, flags, NULL, input);
	/* arguments of a program, which argp may have moved */
	for (int i = 1; i < argc; i++)
		for (int k = 1; k < argc; k++)
			if (shown[k] && argv[i] == shown[k])
				argv[i] = words[k];
	return result;
}
