#include "cudart/backtrace.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PLACES = 8, WORDS = 512 };

extern char **environ;

/* Runs a program and stores its output in a buffer. Returns false when it cannot be run or fails. */
static bool run(char *const *arguments, char *text, size_t size)
{
	int ends[2], status = 1;
	pid_t child;
	posix_spawn_file_actions_t actions;
	if (pipe(ends) != 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	bool runs = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	size_t length = 0;
	for (ssize_t got; runs && length + 1 < size && (got = read(ends[0], text + length, size - 1 - length)) > 0;)
		length += (size_t)got;
	text[length] = '\0';
	close(ends[0]);
	return runs && waitpid(child, &status, 0) == child && status == 0 && length;
}

/* Returns the address relative to its file. */
static uint64_t in_file(const Dl_info *code, uintptr_t address)
{
	const Elf64_Ehdr *head = code->dli_fbase;
	return head->e_type == ET_DYN ? address - (uintptr_t)code->dli_fbase : address;
}

/* The text under construction: one line per caller. */
struct list {
	char *text;
	size_t size, length;
	int count;
};

/* True for functions of our headers, which only forward to a library call, and for a sanitizer's version of
 * backtrace(). */
static bool is_ours(const char *function, const char *file)
{
	static const char result[] = "cudaError ", sanitizer[] = "__interceptor_";
	if (strncmp(function, sanitizer, sizeof sanitizer - 1) == 0)
		return true;
	function += strncmp(function, result, sizeof result - 1) == 0 ? sizeof result - 1 : 0;
	return strncmp(function, "cuda", 4) == 0 || strncmp(file, "runtime_templates.h:", 20) == 0;
}

/* `file`: file and line, or "". */
static void add_caller(struct list *list, const char *function, const char *file)
{
	if (list->count == MOST_PLACES || is_ours(function, file))
		return;
	size_t room = list->size - list->length;
	int written = snprintf(list->text + list->length, room, "%s%s%s%s%s", list->count++ ? "\n  called by " : " at ",
	                       function, *file ? " (" : "", file, *file ? ")" : "");
	list->length += (size_t)written < room ? (size_t)written : room - 1;
}

static char *cut_line(char **rest)
{
	char *line = strsep(rest, "\n");
	return line ? line : "";
}

/* Parses addr2line's output: two lines per function, inlined functions first. The second line is the file's path and
 * the line number, or "??:0". */
static bool add_answer(struct list *list, char *answer)
{
	if (answer[0] == '?')
		return false;
	while (answer && *answer) {
		char *function = cut_line(&answer), *line = cut_line(&answer), *file = strrchr(line, '/');
		line[strcspn(line, " ")] = '\0';
		file = file ? file + 1 : line;
		bool is_known = file[0] != '?' && !strstr(file, ":?") && !strstr(file, ":0");
		add_caller(list, function, is_known ? file : "");
	}
	return true;
}

static void add_place(struct list *list, const Dl_info *code, uintptr_t address)
{
	static const char *const programs[] = {"addr2line", "llvm-addr2line"};
	char number[32], text[8 * WORDS];
	snprintf(number, sizeof number, "0x%" PRIx64, in_file(code, address));
	for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
		char *const arguments[] = {(char *)programs[k],     "-C",   "-f", "-i", "-e",
		                           (char *)code->dli_fname, number, NULL};
		if (run(arguments, text, sizeof text) && add_answer(list, text))
			return;
	}
	const char *file = strrchr(code->dli_fname, '/');
	file = file ? file + 1 : code->dli_fname;
	if (code->dli_sname)
		snprintf(text, sizeof text, "%s in %s", code->dli_sname, file);
	else
		snprintf(text, sizeof text, "%s+%s", file, number);
	add_caller(list, text, "");
}

void backtrace_text(void *const *frame, int frames, char *text, size_t size)
{
	Dl_info own, code;
	struct list list = {.text = text, .size = size};
	if (!dladdr((void *)(uintptr_t)backtrace_text, &own))
		return;
	for (int k = 0; k < frames && list.count < MOST_PLACES; k++) {
		uintptr_t call = (uintptr_t)frame[k] - 1;
		if (!dladdr((void *)call, &code) || code.dli_fbase == own.dli_fbase)
			continue;
		if (list.count && strstr(code.dli_fname, "/libc.so"))
			return; /* main's caller is not listed */
		add_place(&list, &code, call);
	}
}
