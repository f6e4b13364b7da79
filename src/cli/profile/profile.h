/* profile: what the actions of `sluice profile` share. */
#ifndef SLUICE_CLI_PROFILE_PROFILE_H
#define SLUICE_CLI_PROFILE_PROFILE_H

#include "cli/profile/data.h"

enum { PROFILE_WORDS = 3 };

/* What the command line asks for. */
struct profile_wish {
	const char *command; /* for messages */
	const char *word[PROFILE_WORDS]; /* the action and its files */
	uint32_t words;
	const char *kernel; /* NULL: all */
	enum profile_by by;
	uint64_t top; /* 0: all */
	const char *output;
};

/* Each: false after an error message. */
bool profile_show(const struct profile_wish *wish);
bool profile_diff(const struct profile_wish *wish);
bool profile_callgrind(const struct profile_wish *wish);

/* "matmul.cu:12", or the PTX of an instruction, in at most so many letters. */
void profile_site_name(const struct profile_site *site, char *text, size_t size);

#endif
