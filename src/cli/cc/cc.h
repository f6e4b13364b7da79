/* cc: what the files of `sluice cc` share: the words of the command line, the steps that they become, and running those.
 *
 * cc.c takes the command line apart, flags.c translates nvcc's flags, outer.c keeps other toolkits out, steps.c compiles each
 * source and links, words.c makes lists of words, mend.c, assembler.c and alignment.c mend sources that clang does not take, device_link.c links device code, process.c runs
 * compilers, container.c writes fat binaries, host_text.c host code as C++, nvcc.c is what nvcc prints.
 */
#ifndef SLUICE_CLI_CC_H
#define SLUICE_CLI_CC_H

#include "cli/commands.h"

#include "base/arena.h"

#include <limits.h>

struct ptxas_option;

enum { CC_DEFAULT_ARCHITECTURE = 70 };

struct words {
	const char **list; /* NULL-terminated */
	size_t count;
};

enum language { LANGUAGE_NONE /* for the linker */, LANGUAGE_CUDA, LANGUAGE_C, LANGUAGE_CXX };

/* A file named on the command line. */
struct input {
	size_t place; /* its word in `user` */
	enum language language;
};

struct cc {
	struct arena arena;       /* the words we make */
	const char *name;         /* "sluice cc" or "nvcc" */
	bool as_nvcc;             /* called by nvcc's name: prints what nvcc prints */
	char toolkit[PATH_MAX];   /* the folder that serves as CUDA_HOME */
	struct words user;        /* what goes to every step, in the command line's order, with the inputs in their places */
	struct words device;      /* what goes to steps that compile CUDA alone */
	struct words host;        /* to those that compile C or C++, and to the link */
	struct words folders;     /* of -I, for what is included */
	struct input *inputs;     /* in order */
	size_t input_count;
	enum language forced;     /* -x; LANGUAGE_NONE: by the file's name */
	const char *device_ptx;   /* --device-ptx, or NULL */
	const char *container;    /* ".fatbin" or ".cubin": what becomes of --ptx's text, or NULL: a file of its own */
	const char *output;       /* -o, or NULL */
	const char *output_folder; /* -odir, or NULL */
	const char *source;       /* the last CUDA source named */
	const char *wrong_input;  /* a file that cannot be one, such as PTX, or NULL */
	unsigned sources;         /* CUDA sources */
	unsigned architecture;    /* the newest nvcc-style one given, or 0 */
	unsigned asked_architecture; /* the newest that words name, known or not; 0: none */
	bool own_architecture;    /* clang's spelling of one was given */
	const char *changes_ptx;  /* an option of ptxas's that changes the PTX, or NULL */
	const struct ptxas_option
		*awaits_value; /* the one that was the last word for ptxas: its value is the next one */
	bool assembly, device_only, emits_llvm; /* clang's -S, --cuda-device-only, -emit-llvm */
	bool preprocesses;      /* -E, -M or -MM */
	const char *host_level; /* the last -O word, or NULL */
	const char *lists;      /* how the architectures that are to be printed begin, or NULL */
	bool host_text;         /* -cuda: C++ with the host's code, for another compiler */
	bool links, ptx, verbose, help, version, dry_run;
	bool shuffles;                   /* the source that is compiled may take values from other lanes */
	bool relocatable;                /* device code that is linked later: -dc, -rdc=true */
	bool links_device, makes_archive; /* -dlink, -lib */
	char *temporary;                 /* a folder for this command's files, while it runs */
	unsigned temporaries;            /* files named in it so far */
};

void cc_add(struct words *words, const char *word);
void cc_add_all(struct words *words, const char *const *more); /* NULL-terminated */

/* Both texts in one, which lasts as long as the command. */
char *cc_joined(struct cc *cc, const char *first, const char *second);

bool cc_has_suffix(const char *text, const char *suffix);

/* False after a message when the option `word` has no value. */
bool cc_needs_value(const struct cc *cc, const char *word, const char *value);

/* Takes the word `word`, whose successor is `next` or NULL; ++*i when that belonged to it. False after an error message. */
bool cc_take(struct cc *cc, const char *word, const char *next, int *i);

/* Whether the word is a flag of nvcc's that clang does not have, or has by another name. */
bool cc_is_nvcc_flag(const char *word, const char *next);
/* The same as cc_take() for a word that is one. */
bool cc_take_nvcc_flag(struct cc *cc, const char *word, const char *next, int *i);
/* Clang's spelling of an architecture that is older than any that it compiles for here: it is as nvcc's. False: it is something else. */
bool cc_take_old_architecture(struct cc *cc, const char *word);
/* Says once that what was asked for is older than what is compiled for. */
void cc_note_architecture(const struct cc *cc);

/* The folder that serves as CUDA_HOME, with room for PATH_MAX bytes; false after a message. */
bool cc_find_toolkit(const char *name, char *toolkit);

/* Whether a folder belongs to another CUDA toolkit than ours. */
bool cc_is_outer_folder(const struct cc *cc, const char *folder);
/* Removes such folders from the variables that compilers and linkers look into. */
void cc_clean_environment(const struct cc *cc);

/* Compiles and links what the command line says; the exit status. */
int cc_run_steps(struct cc *cc);

/* A name for a file in the command's own folder. */
const char *cc_new_temporary(struct cc *cc, const char *suffix);
/* Writes a file of the command's; false after a message. */
bool cc_write_file(const struct cc *cc, const char *path, const char *text, size_t length);

/* An overlay file that shows clang the sources with launches written `<< <`, assembler and alignments as it wants them, or NULL when none has any. Sets
 * cc->shuffles. */
const char *cc_mend_launches(struct cc *cc, const char *source);

/* Links the device code of objects and archives among the words. *stub is then the source of an object that belongs to the
 * link, or NULL where none of them has any. False after messages. */
bool cc_link_device(struct cc *cc, const struct words *files, const char **stub);

/* Writes the PTX of one file into another as a fat binary. False after a message. */
bool cc_write_container(struct cc *cc, const char *ptx, const char *file);

/* Writes the assembler text of one file into another as C++ that any compiler of the host makes the same object of. False after a
 * message. */
bool cc_write_host_text(const struct cc *cc, const char *assembly, const char *file);

/* Makes the folder for temporary files. It returns in a child process, which goes on with the command. The parent waits, removes the
 * folder, also where a signal ended the child, and ends with the child's status. False after a message. */
bool cc_open_temporary(struct cc *cc);
void cc_close_temporary(struct cc *cc);
/* Runs a command whose first word is found by PATH, or clang, where it is NULL. The exit status. */
int cc_run(struct cc *cc, struct words *command);

/* The architectures that nvcc's flags may name: each behind the prefix. */
void cc_print_architectures(const char *prefix, const char *between);

/* What `nvcc --version` prints, and the variables with which -v begins. */
void cc_print_version(void);
void cc_print_variables(struct cc *cc);

#endif
