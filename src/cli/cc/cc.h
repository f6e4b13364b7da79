/* cc: declarations shared by the files of `sluice cc`: the parsed command line, its steps, and running them.
 *
 * cc.c parses the command line; flags.c translates nvcc's flags; foreign_toolkits.c excludes other CUDA toolkits.
 * steps.c compiles each source and links; argument_list.c builds lists of words. rewrite.c, assembler.c, alignment.c,
 * pragma.c and template_word.c rewrite source constructs that clang rejects. device_link.c links device code;
 * process.c runs compilers; container.c writes fat binaries. host_text.c writes host code as C++; nvcc.c has nvcc's
 * own output.
 */
#ifndef SLUICE_CLI_CC_H
#define SLUICE_CLI_CC_H

#include "cli/commands.h"

#include "base/arena.h"

#include <limits.h>

struct ptxas_option;

enum { CC_DEFAULT_ARCHITECTURE = 70 };

struct argument_list {
	const char **list; /* NULL-terminated */
	size_t count;
};

enum language { LANGUAGE_NONE /* for the linker */, LANGUAGE_CUDA, LANGUAGE_C, LANGUAGE_CXX };

/* A file named on the command line. */
struct input {
	size_t place; /* index of its word in `user` */
	enum language language;
};

/* A place where clang has missed the word "template" (template_word.c). */
struct missing_template {
	const char *file; /* absolute path */
	unsigned line;
	const char *name; /* of the member template */
};

struct cc {
	struct arena arena;       /* holds the words that are created here */
	const char *name;         /* "sluice cc" or "nvcc" */
	bool as_nvcc;             /* called as nvcc: prints what nvcc prints */
	char toolkit[PATH_MAX];   /* the folder of headers and libraries */
	unsigned cuda;            /* the CUDA version of the headers: 11, 12 or 13; 0 until it is known */
	struct argument_list user;        /* words for every step, in command-line order, including the inputs */
	struct argument_list device;      /* words only for steps that compile CUDA */
	struct argument_list host;        /* words for steps that compile C or C++, and for the link */
	struct argument_list folders;     /* values of -I, for finding included files */
	struct argument_list system_folders; /* -isystem, CPATH: only libcu++ is rewritten there, as in /usr/include */
	struct input *inputs;     /* in order */
	size_t input_count;
	enum language forced;     /* -x; LANGUAGE_NONE: by file name */
	const char *device_ptx;   /* --device-ptx, or NULL */
	const char *container;    /* ".fatbin" or ".cubin": container for --ptx's text; NULL: a plain file */
	const char *output;       /* -o, or NULL */
	const char *output_folder; /* -odir, or NULL */
	const char *source;       /* the last CUDA source named */
	const char *wrong_input;  /* an unsupported input file, such as PTX, or NULL */
	unsigned sources;         /* number of CUDA sources */
	unsigned architecture;    /* the newest nvcc-style architecture given, or 0 */
	unsigned asked_architecture; /* the newest one named, even if unknown; 0: none */
	bool own_architecture;    /* an architecture was given in clang's spelling */
	const char *changes_ptx;  /* a ptxas option that changes the PTX, or NULL */
	const struct ptxas_option
		*awaits_value; /* the ptxas option whose value is the next word */
	bool assembly, device_only, emits_llvm; /* clang's -S, --cuda-device-only, -emit-llvm */
	bool preprocesses;      /* -E, -M or -MM */
	const char *host_level; /* the last -O word, or NULL */
	const char *lists;      /* prefix of the architectures to list, or NULL */
	bool host_text;         /* -cuda: write C++ with the host code, for another compiler */
	bool links, ptx, verbose, help, version, dry_run;
	bool shuffles;                   /* the current source may read values from other lanes */
	bool relocatable;                /* device code is linked later: -dc, -rdc=true */
	bool links_device, makes_archive; /* -dlink, -lib */
	struct missing_template *missing;
	size_t missing_count;
	char *temporary;                 /* folder for this command's temporary files, while it runs */
	unsigned temporaries;            /* number of files named in it so far */
};

/* Append one word, or all words of a list. */
void cc_add(struct argument_list *words, const char *word);
void cc_add_all(struct argument_list *words, const char *const *more); /* NULL-terminated */

/* Returns the concatenation of both texts, valid until the command ends. */
char *cc_joined(struct cc *cc, const char *first, const char *second);


/* Returns false after a message when the option `word` has no value. */
bool cc_needs_value(const struct cc *cc, const char *word, const char *value);

/* Parses `word`; `next` is the following word or NULL. Increments *i when `next` was its value. Returns false after a
 * message. */
bool cc_take(struct cc *cc, const char *word, const char *next, int *i);

/* True when the word is an nvcc flag that clang lacks or spells differently. */
bool cc_is_nvcc_flag(const char *word, const char *next);
/* Does the same as cc_take(), for an nvcc flag. */
bool cc_take_nvcc_flag(struct cc *cc, const char *word, const char *next, int *i);
/* Accepts clang's spelling of an architecture that is older than any supported one, and treats it like nvcc's. Returns
 * false for any other word. */
bool cc_take_old_architecture(struct cc *cc, const char *word);
/* Notes once that the requested architecture is older than the one that code is compiled for. */
void cc_note_architecture(const struct cc *cc);


/* Writes the folder that serves as CUDA_HOME to `toolkit` (PATH_MAX bytes). Returns false after a message. */
bool cc_toolkit_folder(const char *name, char *toolkit);
/* Finds the toolkit: sets cc->toolkit and cc->cuda. Returns false after a message. */
bool cc_find_toolkit(struct cc *cc);
/* Returns false after a message when the toolkit lacks a file that the command needs: a build was interrupted. */
bool cc_check_toolkit(struct cc *cc);
/* Finds the CUDA version that an option's value names: 11, 12 or 13. Returns false after a message. */
bool cc_find_cuda(const char *name, const char *option, const char *text, unsigned *number);
/* Returns the name of a CUDA version, "12", or of its release, "12.4". */
const char *cc_cuda_name(unsigned number);
const char *cc_cuda_release(unsigned number);

/* True when the folder belongs to another CUDA toolkit. */
bool cc_is_foreign_folder(const struct cc *cc, const char *folder);
/* Removes such folders from the environment variables that compilers and linkers search. */
void cc_clean_environment(const struct cc *cc);
/* Adds the folders of CPATH and CPLUS_INCLUDE_PATH to the system's, and /usr/include as the last one. */
void cc_add_environment_folders(struct cc *cc);

/* Runs the compile and link steps. Returns the exit status. */
int cc_run_steps(struct cc *cc);

/* Returns a new file name in the command's temporary folder. */
const char *cc_new_temporary(struct cc *cc, const char *suffix);
/* Writes a file. Returns false after a message. */
bool cc_write_file(const struct cc *cc, const char *path, const char *text, size_t length);

/* Rewrites launches written `<< <`, assembler and alignments in the source and its includes. Returns an overlay file
 * that shows clang the rewritten files, or NULL when nothing was changed. Sets cc->shuffles. */
const char *cc_rewrite_launches(struct cc *cc, const char *source);

/* Links the device code of objects and archives among the words. *stub is the source of an object to add to the link,
 * or NULL when there is no device code. Returns false after messages. */
bool cc_link_device(struct cc *cc, const struct argument_list *files, const char **stub);

/* Writes the PTX of one file to another file as a fat binary. Returns false after a message. */
bool cc_write_container(struct cc *cc, const char *ptx, const char *file);

/* Writes assembler text as C++ that any host compiler translates to the same object. Returns false after a message. */
bool cc_write_host_text(const struct cc *cc, const char *assembly, const char *file);

/* Creates the folder for temporary files. The first call forks: the child returns and continues the command. The parent
 * waits, removes all folders even if a signal ended the child, and exits with the child's status. Returns false after a
 * message. */
bool cc_open_temporary(struct cc *cc);
void cc_close_temporary(struct cc *cc);
/* Runs a command and returns the exit status. The first word is searched in PATH; NULL means clang. */
int cc_run(struct cc *cc, struct argument_list *command);
/* The same; messages of the command go to the file `log`, unless it is NULL. */
int cc_run_logged(struct cc *cc, struct argument_list *command, const char *log);

/* Finds the places in clang's messages where the word "template" is missing; changes the text. Returns true if a place
 * is new: then cc_rewrite_launches() adds the word there. */
bool cc_note_missing_templates(struct cc *cc, char *messages);

/* Prints the architectures that nvcc's flags may name, each after the prefix, in lines that begin with the indent. */
void cc_print_architectures(const char *prefix, const char *indent, size_t per_line);

/* Prints the output of `nvcc --version`, and the variables that begin nvcc's -v output. */
void cc_print_version(const struct cc *cc);
void cc_print_variables(struct cc *cc);

#endif
