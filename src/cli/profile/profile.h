/* profile: declarations shared by the actions of `sluice profile`. */
#ifndef SLUICE_CLI_PROFILE_PROFILE_H
#define SLUICE_CLI_PROFILE_PROFILE_H

#include "cli/profile/data.h"

enum { PROFILE_WORDS = 3 };

/* The command line's request. */
struct profile_wish {
	const char *command; /* for messages */
	const char *word[PROFILE_WORDS]; /* the action and its files */
	uint32_t words;
	const char *kernel; /* NULL: all */
	enum profile_by by;
	uint64_t top; /* 0: all */
	const char *output;
};

/* Each returns false after a message. */
bool profile_show(const struct profile_wish *wish);
bool profile_diff(const struct profile_wish *wish);
bool profile_callgrind(const struct profile_wish *wish);

/* Writes "matmul.cu:12", or the PTX of an instruction, cut to `size`. */
void profile_site_name(const struct profile_site *site, char *text, size_t size);

#endif
