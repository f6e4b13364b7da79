/* Runs compilers for `sluice cc`, with a separate folder for temporary files, because clang 14 does not
 * remove its empty folders.
 *
 * A child process does the work. Its parent waits, passes signals on, and removes the folder. So a signal can end the
 * command at any time: while it scans a source, between two compilers, or during one. A command that reads many sources
 * has one such parent; the folder of each source is inside the folder that the parent removes.
 */
#include "cli/cc/cc.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status, (void)kind, (void)walk;
	return remove(path);
}

/* Fills the set with the signals that the waiting process passes on, and the one that reports the child's end. */
static void fill_signals(sigset_t *signals)
{
	static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigemptyset(signals);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaddset(signals, numbers[i]);
}

/* The folder that the waiting parent removes; "" while there is no such parent. */
static char root[PATH_MAX];

static bool make_root(struct cc *cc)
{
	const char *parent = getenv("TMPDIR"), *told = parent && *parent ? " (TMPDIR names its parent folder)" : "";
	bool fits = snprintf(root, sizeof root, "%s/sluice-cc-XXXXXX", *told ? parent : "/tmp") < (int)sizeof root;
	errno = fits ? errno : ENAMETOOLONG;
	if (fits && mkdtemp(root))
		return true;
	cli_error(cc->name, "cannot make the folder %s: %s%s", root, strerror(errno), told);
	*root = '\0';
	return false;
}

/* Makes the folder of this source, inside the root. */
static bool make_temporary(struct cc *cc)
{
	char *folder = cc_joined(cc, root, "/XXXXXX");
	if (!mkdtemp(folder)) {
		cli_error(cc->name, "cannot make the folder %s: %s", folder, strerror(errno));
		return false;
	}
	setenv("TMPDIR", folder, 1);
	cc->temporary = folder;
	return true;
}

static void remove_folder(const char *folder)
{
	nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void cc_close_temporary(struct cc *cc)
{
	if (cc->temporary)
		remove_folder(cc->temporary);
	cc->temporary = NULL;
}

const char *cc_new_temporary(struct cc *cc, const char *suffix)
{
	char name[32];
	snprintf(name, sizeof name, "/%u", cc->temporaries++);
	return cc_joined(cc, cc_joined(cc, cc->temporary, name), suffix);
}

bool cc_write_file(const struct cc *cc, const char *path, const char *text, size_t length)
{
	struct file_new output;
	sigset_t signals, before;
	fill_signals(&signals);
	/* a signal takes effect after this, when the file is complete */
	sigprocmask(SIG_BLOCK, &signals, &before);
	FILE *file = file_new_stream(&output, path);
	if (file)
		fwrite(text, 1, length, file);
	bool fine = file && file_new_finish(&output, file);
	if (!fine)
		cli_error(cc->name, "cannot write %s: %s", path, strerror(errno));
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fine;
}

/* Prints a word with shell quoting. */
static void print_word(const char *word)
{
	bool plain = *word && !word[strcspn(word, " \t\n\"'\\$&;()<>|*?`#~")];
	if (plain) {
		fputs(word, stderr);
		return;
	}
	fputc('\'', stderr);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, stderr);
	fputc('\'', stderr);
}

/* True for words that nvcc 11.5 and later print in quotes: files and folders. */
static bool is_path(const char *word)
{
	return word[0] != '-' || strncmp(word, "-L", 2) == 0 || strncmp(word, "-I", 2) == 0;
}

/* Prints a word as nvcc does. Scripts that read its last line remove double quotes. */
static void print_nvcc_word(const char *word)
{
	if (!is_path(word)) {
		print_word(word);
		return;
	}
	fputc('"', stderr);
	for (; *word; word++) {
		if (strchr("\"\\$`", *word))
			fputc('\\', stderr);
		fputc(*word, stderr);
	}
	fputc('"', stderr);
}

static void print_command(const struct cc *cc, const struct argument_list *command)
{
	if (cc->as_nvcc)
		fputs("#$ ", stderr);
	for (size_t i = 0; i < command->count; i++) {
		if (i)
			fputc(' ', stderr);
		if (i && cc->as_nvcc)
			print_nvcc_word(command->list[i]);
		else
			print_word(command->list[i]);
	}
	fputc('\n', stderr);
}

static int start(const struct cc *cc, struct argument_list *command, const char *log, const sigset_t *mask,
                 pid_t *child)
{
	const char *given = getenv("SLUICE_CLANG");
	bool is_clang = !command->list[0];
	const char *const clangs[] = {given && *given ? given : "clang++-14", given && *given ? NULL : "clang++", NULL};
	const char *const other[] = {command->list[0], NULL};
	const char *const *names = is_clang ? clangs : other;
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t files;
	int error = ENOENT;
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&files);
	if (log)
		posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (size_t i = 0; names[i] && error == ENOENT; i++) {
		command->list[0] = names[i];
		if (cc->verbose)
			print_command(cc, command);
		error = cc->dry_run ? 0
		                    : posix_spawnp(child, command->list[0], &files, &attributes,
		                                   (char *const *)command->list, environ);
	}
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	if (!error)
		return 0;
	cli_error(cc->name, "cannot start %s: %s%s", command->list[0], strerror(error),
	          is_clang && error == ENOENT ? "; Debian's package clang-14 contains the compiler" : "");
	return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

/* Returns the child's exit status. The signals are blocked. */
static int await(pid_t child)
{
	sigset_t signals;
	int status, number;
	fill_signals(&signals);
	for (;;) {
		sigwait(&signals, &number);
		if (number != SIGCHLD)
			kill(child, number);
		else if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}

int cc_run_logged(struct cc *cc, struct argument_list *command, const char *log)
{
	pid_t child;
	sigset_t signals, before;
	fflush(NULL);
	fill_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	int status = start(cc, command, log, &before, &child);
	if (status == 0 && !cc->dry_run)
		status = await(child);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

int cc_run(struct cc *cc, struct argument_list *command)
{
	return cc_run_logged(cc, command, NULL);
}

/* Ends processes that a compiler left running when a signal ended it. This process has adopted them. */
static void end_orphans(void)
{
	char path[64];
	long orphan;
	snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
	for (;;) {
		FILE *file = fopen(path, "r");
		bool found = file && fscanf(file, "%ld", &orphan) == 1;
		if (file)
			fclose(file);
		if (!found)
			return;
		kill((pid_t)orphan, SIGTERM);
		waitpid((pid_t)orphan, NULL, 0);
	}
}

/* Gets the status of the command's output file. Returns false when nothing is linked or there is no file. */
static bool look_at_program(const struct cc *cc, struct stat *status)
{
	*status = (struct stat){0};
	return cc->links && stat(cc->output ? cc->output : "a.out", status) == 0 && S_ISREG(status->st_mode);
}

/* Removes a partly written output. Compilers do so themselves, but linkers do not. */
static void remove_begun(const struct cc *cc, const struct stat *before)
{
	struct stat now;
	if (look_at_program(cc, &now) &&
	    (now.st_ino != before->st_ino || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
	     now.st_mtim.tv_nsec != before->st_mtim.tv_nsec))
		unlink(cc->output ? cc->output : "a.out");
}

/* Waits for the child that does the work, and exits with its status. */
static _Noreturn void stand_by(struct cc *cc, pid_t child, const struct stat *program)
{
	int status = await(child);
	if (status > 128) {
		end_orphans();
		remove_begun(cc, program);
	}
	remove_folder(root);
	_exit(status);
}

/* Makes the root and forks. Returns in the child. Returns false after a message. */
static bool begin_work(struct cc *cc)
{
	sigset_t signals, before;
	fflush(NULL);
	signal(SIGCHLD, SIG_DFL); /* if SIGCHLD is ignored, the child's end is not reported */
	fill_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	bool fine = make_root(cc);
	struct stat program;
	look_at_program(cc, &program);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t child = fine ? fork() : 0;
	if (child > 0)
		stand_by(cc, child, &program);
	if (child < 0) {
		cli_error(cc->name, "cannot start a process: %s", strerror(errno));
		remove_folder(root);
		*root = '\0';
		fine = false;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fine;
}

bool cc_open_temporary(struct cc *cc)
{
	return (*root || begin_work(cc)) && make_temporary(cc);
}
