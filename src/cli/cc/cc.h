/* cc: what the files of `sluice cc` share: the words of the compiler's command line as they come together. */
#ifndef SLUICE_CLI_CC_H
#define SLUICE_CLI_CC_H

#include "cli/commands.h"

#include "base/arena.h"

struct ptxas_option;

struct words {
	const char **list; /* NULL-terminated */
	size_t count;
};

struct cc {
	struct arena arena;       /* the words we make */
	const char *name;         /* "sluice cc" */
	struct words user;        /* what goes to clang behind our flags */
	const char *device_ptx;   /* --device-ptx, or NULL */
	const char *output;       /* -o, or NULL */
	const char *source;       /* the last CUDA source named */
	const char *ptx_input;    /* a PTX file named like a source, or NULL */
	unsigned sources, inputs; /* CUDA sources; files of any kind */
	unsigned architecture;    /* the newest nvcc-style one given, or 0 */
	bool own_architecture;    /* clang's spelling of one was given */
	const char *changes_ptx;  /* an option of ptxas's that changes the PTX, or NULL */
	const struct ptxas_option
		*awaits_value; /* the one that was the last word for ptxas: its value is the next one */
	bool assembly, device_only, emits_llvm; /* clang's -S, --cuda-device-only, -emit-llvm */
	const char *host_level; /* the last -O word, or NULL */
	bool links, ptx, verbose, help;
};

void cc_add(struct words *words, const char *word);

/* Both texts in one, which lasts as long as the command. */
char *cc_joined(struct cc *cc, const char *first, const char *second);

/* False after a message when the option `word` has no value. */
bool cc_needs_value(const struct cc *cc, const char *word, const char *value);

/* Whether the word is a flag of nvcc's that clang does not have, or has by another name. */
bool cc_is_nvcc_flag(const char *word);

/* Takes argv[*i], which is one, and its value where that is the next word. False after an error message. */
bool cc_take_nvcc_flag(struct cc *cc, const char *word, const char *next, int *i);

#endif
