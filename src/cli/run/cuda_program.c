#include "cli/run/cuda_program.h"

#include "base/arena.h"
#include "base/file.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char library[] = "libcudart.so";

static bool has(const char *text, size_t length, const char *word)
{
	return memmem(text, length, word, strlen(word)) != NULL;
}

/* The loader that the program asks for, or NULL: it is linked statically, or its headers are none. */
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

/* What the loader would load for the program, from malloc, or NULL. The program does not run. */
static char *list_libraries(const char *loader, const char *program, size_t *length)
{
	const char *const words[] = {loader, "--list", program, NULL};
	int ends[2];
	pid_t child;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int error = posix_spawn(&child, loader, &actions, NULL, (char *const *)words, environ);
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

bool cuda_program_meets_runtime(const char *program)
{
	size_t length, listed = 0;
	char *image = strchr(program, '/') ? file_read(program, &length) : NULL;
	bool meets = true;
	if (image && length >= sizeof(Elf64_Ehdr) && memcmp(image, ELFMAG, SELFMAG) == 0 &&
	    !has(image, length, library)) {
		const char *loader = loader_of(image, length);
		char *list = loader ? list_libraries(loader, program, &listed) : NULL;
		meets = loader && (!list || has(list, listed, library));
		free(list);
	}
	free(image);
	return meets;
}
