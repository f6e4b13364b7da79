/* source_file: finds our headers and the compiler for the analyzer of CUDA sources. */
#include "cli/source_file.h"

#include "base/file.h"
#include "cli/cc/cc.h"
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

static bool find_options(const char *command, char *toolkit, struct source_options *options)
{
	const char *compiler = getenv("SLUICE_CLANG");
	if (!cc_toolkit_folder(command, toolkit))
		return false;
	*options = (struct source_options){.toolkit = toolkit, .compiler = compiler && *compiler ? compiler : NULL};
	return true;
}

/* The rewritten copies, shown in place of the files. */
struct rewritten_copies {
	struct cc cc;
	struct argument_list flags; /* for the compiler */
	char *temporary;            /* TMPDIR's previous value; NULL: unset */
};

static void add_flags(struct rewritten_copies *copies, const char *const *flags)
{
	for (; flags && *flags; flags++) {
		cc_add(&copies->flags, *flags);
		if (strncmp(*flags, "-I", 2) == 0)
			cc_add(&copies->cc.folders, *flags + 2);
	}
}

bool cli_source_open(struct cli_source *source, const char *command, const char *file, const char *const *flags)
{
	const char *temporary = getenv("TMPDIR");
	if (!file_is_replaceable(file)) { /* the file is read twice: here and by the compiler */
		cli_error(command, "cannot read %s: it is not an ordinary file", file);
		return false;
	}
	if (!find_options(command, source->toolkit, &source->options))
		return false;
	struct rewritten_copies *copies = source->copies = base_calloc(1, sizeof *copies);
	copies->cc.name = command;
	copies->temporary = temporary ? base_strdup(temporary) : NULL;
	if (!cc_open_temporary(&copies->cc)) {
		cli_source_close(source);
		return false;
	}
	add_flags(copies, flags);
	const char *overlay = cc_rewrite_launches(&copies->cc, file);
	if (overlay) {
		cc_add(&copies->flags, "-ivfsoverlay");
		cc_add(&copies->flags, overlay);
	}
	source->options.flags = copies->flags.list;
	return true;
}

void cli_source_close(struct cli_source *source)
{
	struct rewritten_copies *copies = source->copies;
	cc_close_temporary(&copies->cc);
	if (copies->temporary)
		setenv("TMPDIR", copies->temporary, 1);
	else
		unsetenv("TMPDIR");
	free(copies->temporary);
	free(copies->flags.list);
	free(copies->cc.folders.list);
	arena_free(&copies->cc.arena);
	free(copies);
}
