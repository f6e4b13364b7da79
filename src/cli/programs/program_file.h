/* program_file: reads program.yaml, which describes each of the papers' programs. */
#ifndef SLUICE_CLI_PROGRAM_FILE_H
#define SLUICE_CLI_PROGRAM_FILE_H

#include "base/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_PAPERS = 5 };
extern const char *const program_papers[PROGRAM_PAPERS + 1]; /* short names, NULL-terminated */

#define PROGRAM_UNSTATED UINT64_MAX

/* A kernel as specified by a paper; PROGRAM_UNSTATED where the paper states no value. */
struct program_kernel {
	const char *name;
	struct words variants; /* variants that run it; none: all of them */
	uint64_t block, shared, variables, local;
	uint64_t threads, instructions; /* published number of threads and their instructions, at the paper's size */
	struct diag_place place;             /* in program.yaml */
};

/* A paper's name for a program, and the variant that it means. */
struct program_alias {
	const char *name, *variant;
	struct diag_place place; /* in program.yaml */
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

/* All programs, sorted by name. Zero-initialize; call programs_free() afterwards. */
struct programs {
	struct arena arena;
	struct program *list;
	size_t count;
};

/* Reads one program.yaml, from the folder of that name, into the document's arena. Returns false when the document's
 * diag has errors. */
bool program_read(struct program *program, struct document *document, const char *folder_name);

/* Reads every NAME/program.yaml of the folder. Returns false after messages, which begin with the file's name or,
 * without one, the command's. */
bool programs_read(struct programs *programs, const char *folder, const char *command);
void programs_free(struct programs *programs);

#endif
