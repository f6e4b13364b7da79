/* programs: declarations shared by the files of `sluice programs`. */
#ifndef SLUICE_CLI_PROGRAMS_H
#define SLUICE_CLI_PROGRAMS_H

#include "cli/programs/program_file.h"
#include "cli/run/run.h"

/* The command's request, and the known programs. */
struct program_request {
	const char *name; /* "sluice programs run" */
	const char *paper, *size, *variant, *seed;
	struct words names; /* programs, as given */
	char **own;         /* arguments for the program, NULL-terminated, or NULL */
	uint64_t parallel;
	bool json, all;
	struct run run;
	struct programs known;
	struct arena arena;
};

/* The actions of `sluice programs`; each returns the exit status. */
int programs_list(struct program_request *request);
int programs_show(struct program_request *request);
int programs_run(struct program_request *request);

/* True when the requested paper uses the program, or no paper was requested. */
bool program_request_covers(const struct program_request *request, const struct program *program);

/* Returns the program of that name or abbreviation; NULL after a message. */
const struct program *program_request_find(const struct program_request *request, const char *name);

/* Returns the variant that the papers mean by `name`; the program's first variant when they differ. */
const char *program_request_variant(const struct program_request *request, const struct program *program, const char *name);

/* Returns the path of the compiled program, in the request's arena; NULL when it is not compiled. */
char *program_request_binary(struct program_request *request, const struct program *program);

/* Returns the same path; compiles the program if necessary. NULL after a message. */
char *programs_compiled(struct program_request *request, const struct program *program);

/* Folders of compiled programs relative to the command: in a build tree, in an installation. NULL-terminated. */
extern const char *const program_binary_places[];

/* Returns the folder that contains the programs' folders. */
const char *programs_folder(char *room);

#endif
