/* program_file: what the program.yaml beside each of the papers' programs says. */
#ifndef SLUICE_CLI_PROGRAM_FILE_H
#define SLUICE_CLI_PROGRAM_FILE_H

#include "base/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_PAPERS = 5 };
extern const char *const program_papers[PROGRAM_PAPERS + 1]; /* short names; NULL-terminated */

#define PROGRAM_UNSTATED UINT64_MAX

/* What a paper fixes of a kernel; PROGRAM_UNSTATED where it fixes nothing. */
struct program_kernel {
	const char *name;
	struct words variants; /* in which it runs; none: in all */
	uint64_t block, shared, variables, local;
	uint64_t threads, instructions; /* published, of threads, at the paper's size */
	struct place place;             /* in program.yaml */
};

/* What a paper calls a program, and the variant that it means by that. */
struct program_alias {
	const char *name, *variant;
	struct place place; /* in program.yaml */
};

struct program_aliases {
	struct program_alias *list;
	size_t count;
};

struct program {
	const char *name, *about;
	struct program_aliases papers[PROGRAM_PAPERS];
	struct words variants; /* the first is the default */
	struct program_kernel *kernels;
	size_t kernel_count;
};

/* All programs, by name. Zero-initialise; programs_free() afterwards. */
struct programs {
	struct arena arena;
	struct program *list;
	size_t count;
};

/* Reads the text of one, of the folder of that name, into the document's arena. False when its diag got errors. */
bool program_read(struct program *program, struct document *document, const char *folder_name);

/* Reads every NAME/program.yaml of the folder. False after messages, which begin with the file's name or, where there
 * is none, the command's. */
bool programs_read(struct programs *programs, const char *folder, const char *command);
void programs_free(struct programs *programs);

#endif
