#include "cli/kernel_ptx.h"

#include "base/arena.h"
#include "base/formula.h"
#include "cli/commands.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs 'sluice cc' in a separate process, because it changes the environment and signals. Returns its exit status. */
static int run_cc(const char *file, const char *const *flags, const char *output)
{
	const char *const own[] = {"sluice cc", "--ptx", file, "-o", output};
	enum { OWN = sizeof own / sizeof *own };
	size_t count = 0;
	int status;
	while (flags && flags[count])
		count++;
	char **words = base_calloc(OWN + count + 1, sizeof *words);
	memcpy(words, own, sizeof own);
	if (count)
		memcpy(words + OWN, flags, count * sizeof *words);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		exit(command_cc((int)(OWN + count), words));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	free(words);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CLI_FAILED;
}

/* Compiles CUDA source to a temporary file, and reads its text. */
static int compile(const char *command, const char *file, const char *const *flags, char **text, size_t *length)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/sluice-ptx-XXXXXX", folder && *folder ? folder : "/tmp") >=
	    (int)sizeof path) {
		cli_error(command, "TMPDIR is too long");
		return CLI_FAILED;
	}
	int handle = mkstemp(path);
	if (handle < 0) {
		cli_error(command, "cannot make %s: %s", path, strerror(errno));
		return CLI_FAILED;
	}
	close(handle);
	int status = run_cc(file, flags, path);
	if (status == 0 && !(*text = cli_read_file(path, length))) {
		cli_error(command, "cannot read %s: %s", path, file_reason());
		status = CLI_FAILED;
	}
	unlink(path);
	return status;
}

int cli_read_ptx_text(const char *command, const char *file, const char *const *flags, char **text, size_t *length)
{
	size_t name = strlen(file);
	if (name > 3 && strcmp(file + name - 3, ".cu") == 0)
		return compile(command, file, flags, text, length);
	*text = cli_read_file(file, length);
	if (*text && !memchr(*text, '\0', *length))
		return 0;
	if (*text)
		cli_error(command, "%s is not text: expected PTX or CUDA source", file);
	else
		cli_error(command, "cannot read %s: %s", file, file_reason());
	free(*text);
	*text = NULL;
	return CLI_USAGE;
}

int cli_read_ptx(const char *command, const char *file, const char *const *flags, struct ptx_module **module)
{
	size_t length;
	struct diag diag = {0};
	char *text = NULL;
	int status = cli_read_ptx_text(command, file, flags, &text, &length);
	*module = text ? ptx_parse(file, text, length, &diag) : NULL;
	if (diag.text)
		fputs(diag.text, stderr);
	diag_free(&diag);
	free(text);
	return status == 0 && !*module ? CLI_FAILED : status;
}

const struct ptx_function *cli_find_kernel(const struct ptx_module *module, const char *name)
{
	for (const struct ptx_function *function = module->functions; function; function = function->next)
		if (function->is_entry && function->has_body && formula_kernel_is(function->name, name))
			return function;
	return NULL;
}
