/* Links device code of several files (-dc, -rdc=true). Each object contains its PTX; the texts are linked (join.c) and
 * registered by an additional object, the stub. clang's relocatable objects call a function with an individual name,
 * __cudaRegisterLinkedBinary_NAME. The stub defines these functions. */
#include "cli/cc/cc.h"

#include "base/diag.h"
#include "base/file.h"
#include "cli/cc/object.h"
#include "ptx/linker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char registers[] = "__cudaRegisterLinkedBinary_";

struct linking {
	struct cc *cc;
	struct linker linker;
	struct argument_list wanted, there; /* registration functions that objects call; those that they define */
	struct argument_list read;          /* absolute paths */
};

static void take_code(void *user, const char *file, const char *text, size_t length)
{
	struct linking *linking = user;
	linker_add(&linking->linker, file, arena_string(&linking->cc->arena, text, length), length);
}

static bool holds(const struct argument_list *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->list[i], word) == 0)
			return true;
	return false;
}

static void take_symbol(void *user, const char *name, bool defined)
{
	struct linking *linking = user;
	struct argument_list *words = defined ? &linking->there : &linking->wanted;
	if (strncmp(name, registers, sizeof registers - 1) == 0 && !holds(words, name))
		cc_add(words, arena_string(&linking->cc->arena, name, strlen(name)));
}

/* Reads a file the first time that it is named: command lines may name a library several times. */
static void read_file(struct linking *linking, const char *path)
{
	const struct object_reader reader = {linking, take_code, take_symbol};
	char whole[PATH_MAX];
	size_t length;
	if (!realpath(path, whole) || holds(&linking->read, whole))
		return;
	cc_add(&linking->read, arena_string(&linking->cc->arena, whole, strlen(whole)));
	char *image = file_read(path, &length);
	if (image)
		object_read(path, image, length, &reader);
	free(image); /* the linker reports unreadable files */
}

/* Reads -lNAME in the folders of -L: an archive may contain device code. */
static void read_library(struct linking *linking, const struct argument_list *words, const char *name)
{
	struct cc *cc = linking->cc;
	char *file = cc_joined(cc, cc_joined(cc, "/lib", name), ".a");
	for (size_t i = 0; i + 1 < words->count; i++) {
		if (strcmp(words->list[i], "-L") != 0)
			continue;
		char *path = cc_joined(cc, words->list[i + 1], file);
		if (access(path, R_OK) == 0) {
			read_file(linking, path);
			return;
		}
	}
}

static void read_all(struct linking *linking, const struct argument_list *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->list[i];
		if (strncmp(word, "-l", 2) == 0)
			read_library(linking, words,
			             word[2]                ? word + 2
			             : i + 1 < words->count ? words->list[i + 1]
			                                    : "");
		else if (*word != '-')
			read_file(linking, word);
	}
}

static size_t count_lacking(const struct linking *linking)
{
	size_t count = 0;
	for (size_t i = 0; i < linking->wanted.count; i++)
		count += !holds(&linking->there, linking->wanted.list[i]);
	return count;
}

/* Writes the stub's source. The code is in nvcc's section; the wrapper has its address. Registration ends after all
 * objects have registered their variables. */
static void write_stub(const struct linking *linking, FILE *file, const char *ptx)
{
	fprintf(file,
	        "void **__cudaRegisterFatBinary(void *);\n"
	        "void __cudaRegisterFatBinaryEnd(void **);\n"
	        "__asm__(\".section .nv_fatbin, \\\"a\\\"\\n.balign 8\\nsluice_linked_code: .incbin \\\"%s\\\"\\n.byte "
	        "0\\n"
	        ".previous\");\n"
	        "extern const char sluice_linked_code[] __attribute__((visibility(\"hidden\")));\n"
	        "static struct {\n\tint magic, version;\n\tconst void *data;\n\tvoid *unused;\n} wrapper\n"
	        "\t__attribute__((section(\".nvFatBinSegment\"))) = {0x466243b1, 1, sluice_linked_code, 0};\n"
	        "static void **handle;\nstatic int left = %zu;\n",
	        ptx, count_lacking(linking));
	for (size_t i = 0; i < linking->wanted.count; i++)
		if (!holds(&linking->there, linking->wanted.list[i]))
			fprintf(file,
			        "__attribute__((visibility(\"hidden\"))) void %s(void (*globals)(void **), void *own, "
			        "void "
			        "*id, void *unused)\n"
			        "{\n\t(void)own, (void)id, (void)unused;\n"
			        "\tif (!handle)\n\t\thandle = __cudaRegisterFatBinary(&wrapper);\n"
			        "\tglobals(handle);\n"
			        "\tif (!--left)\n\t\t__cudaRegisterFatBinaryEnd(handle);\n}\n",
			        linking->wanted.list[i]);
}

static bool write_files(struct linking *linking, const char **stub)
{
	struct cc *cc = linking->cc;
	const char *ptx = cc_new_temporary(cc, "-linked.ptx");
	*stub = cc_new_temporary(cc, "-linked.c");
	FILE *code = fopen(ptx, "w"), *source = fopen(*stub, "w");
	bool fine = code && source;
	if (!fine)
		cli_error(cc->name, "cannot write %s: %s", code ? *stub : ptx, strerror(errno));
	fine = fine && linker_write(&linking->linker, code);
	if (fine)
		write_stub(linking, source, ptx);
	if (code)
		fclose(code);
	if (source)
		fclose(source);
	return fine;
}

static void print_message(void *user, const char *text)
{
	const struct cc *cc = user;
	diag_say(cc->name, "%s", text);
}

bool cc_link_device(struct cc *cc, const struct argument_list *files, const char **stub)
{
	struct linking linking = {.cc = cc};
	linker_open(&linking.linker, print_message, cc);
	read_all(&linking, files);
	*stub = NULL;
	bool fine = !count_lacking(&linking) || write_files(&linking, stub);
	linker_close(&linking.linker);
	free(linking.wanted.list);
	free(linking.there.list);
	free(linking.read.list);
	return fine;
}
