#include "cli/run/cuda_program.h"

#include "base/arena.h"
#include "base/file.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char library[] = "libcudart.so", driver[] = "libcuda.so.1";

static bool has(const char *text, size_t length, const char *word)
{
	return memmem(text, length, word, strlen(word)) != NULL;
}

/* Returns the loader that the program names. NULL: it is statically linked, or its headers are invalid. */
static const char *loader_of(const char *image, size_t length)
{
	const Elf64_Ehdr *header = (const void *)image;
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phoff > length || header->e_phnum * sizeof(Elf64_Phdr) > length - header->e_phoff)
		return NULL;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr part;
		memcpy(&part, image + header->e_phoff + i * sizeof part, sizeof part);
		bool inside = part.p_offset < length && part.p_filesz <= length - part.p_offset;
		if (part.p_type == PT_INTERP && inside && part.p_filesz && !image[part.p_offset + part.p_filesz - 1])
			return image + part.p_offset;
	}
	return NULL;
}

/* Returns the list of libraries that the loader would load for the program, from malloc, or NULL. The program is not
 * run. */
static char *list_libraries(const char *loader, const char *program, size_t *length)
{
	static const char list[] = "LD_TRACE_LOADED_OBJECTS"; /* as ldd does; lists also libraries that are not found */
	const char *const words[] = {loader, program, NULL};
	int ends[2];
	pid_t child;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	setenv(list, "1", 1);
	int error = posix_spawn(&child, loader, &actions, NULL, (char *const *)words, environ);
	unsetenv(list);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	FILE *stream = error ? NULL : fdopen(ends[0], "r");
	char *text = stream ? file_read_stream(stream, length) : NULL;
	if (stream)
		fclose(stream);
	else
		close(ends[0]);
	int status;
	if (error || waitpid(child, &status, 0) != child || status == 0)
		return text;
	free(text);
	return NULL;
}

/* Returns the file that a line "NAME => FILE (ADDRESS)" gives for the library, or NULL. */
static char *listed_file(const char *line)
{
	const char *arrow = strstr(line, " => "), *end = strchr(line, '\n');
	if (!arrow || (end && arrow > end))
		return NULL;
	arrow += strlen(" => ");
	size_t length = strcspn(arrow, "\n");
	const char *address = memmem(arrow, length, " (0x", 4);
	return *arrow == '/' ? strndup(arrow, address ? (size_t)(address - arrow) : length) : NULL;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

/* Judges a line that names the runtime or the driver, which is the same library. */
static enum cuda_program judge_line(const char *line, const char *folder)
{
	char *file = listed_file(line), *own;
	if (asprintf(&own, "%s/%s", folder, library) < 0)
		abort();
	enum cuda_program kind = !file                     ? CUDA_PROGRAM_MISSING
	                         : is_same_file(file, own) ? CUDA_PROGRAM_OURS
	                                                   : CUDA_PROGRAM_OTHER;
	free(own);
	free(file);
	return kind;
}

static enum cuda_program judge(const char *image, size_t length, const char *program, const char *folder)
{
	size_t listed = 0;
	const char *loader = loader_of(image, length);
	char *list = loader ? list_libraries(loader, program, &listed) : NULL;
	bool is_static = has(image, length, ".nvFatBinSegment");
	const char *line = list ? strstr(list, library) : NULL;
	const char *driver_line = list && !line ? strstr(list, driver) : NULL;
	enum cuda_program kind = CUDA_PROGRAM_NONE;
	if (line || driver_line)
		kind = judge_line(line ? line : driver_line, folder);
	else if (has(image, length, library) || (loader && !list))
		kind = CUDA_PROGRAM_OURS; /* loaded later, or unknown */
	else if (is_static)
		kind = CUDA_PROGRAM_STATIC;
	/* both libraries may be links to one file, of which the loader lists only the first name */
	if (driver_line && is_static && !has(image, length, library) && kind == CUDA_PROGRAM_OURS)
		kind = CUDA_PROGRAM_DRIVER;
	free(list);
	return kind;
}

enum cuda_program cuda_program_kind(const char *program, const char *folder)
{
	size_t length;
	char *image = strchr(program, '/') ? file_read(program, &length) : NULL;
	enum cuda_program kind = CUDA_PROGRAM_OURS;
	if (image && length >= sizeof(Elf64_Ehdr) && memcmp(image, ELFMAG, SELFMAG) == 0)
		kind = judge(image, length, program, folder);
	free(image);
	return kind;
}
