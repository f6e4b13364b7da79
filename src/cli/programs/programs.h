/* programs: what the files of `sluice programs` share. */
#ifndef SLUICE_CLI_PROGRAMS_H
#define SLUICE_CLI_PROGRAMS_H

#include "cli/programs/program_file.h"
#include "cli/run/run.h"

/* What the command was asked, and the programs there are. */
struct program_request {
	const char *name; /* "sluice programs run" */
	const char *paper, *size, *variant, *seed;
	struct words names; /* of programs, as given */
	char **own;         /* the program's own arguments, NULL-terminated, or NULL */
	uint64_t parallel;
	bool json, all;
	struct run run;
	struct programs known;
	struct arena arena;
};

int programs_list(struct program_request *request);
int programs_show(struct program_request *request);
int programs_run(struct program_request *request);

/* Whether the paper that was asked for has the program; any program when none was. */
bool program_request_covers(const struct program_request *request, const struct program *program);

/* The program of that name or abbreviation; NULL after an error message. */
const struct program *program_request_find(const struct program_request *request, const char *name);

/* The variant that the papers mean by the name by which the program was found; its first where these differ. */
const char *program_request_variant(const struct program_request *request, const struct program *program, const char *name);

/* The path of the compiled program, in the request's arena, or NULL while there is none. */
char *program_request_binary(struct program_request *request, const struct program *program);

/* The same; what is missing is compiled. NULL after an error message. */
char *programs_compiled(struct program_request *request, const struct program *program);

/* Where compiled programs are, relative to the command: in a build tree, in an installation. NULL-terminated. */
extern const char *const program_binary_places[];

/* The folder that the program's folder lies in. */
const char *programs_folder(char *room);

#endif
