/* ranges: the named ranges of a program (NVTX), and the launches that a user selects by them
 * (docs/how-to/part-of-a-run.md).
 *
 * Ranges belong to the process, because NVTX's do, and not to a GPU. A pushed range belongs to the host thread that
 * pushed it, until that thread pops it or ends. A started range belongs to all threads. A launch is in the pushed
 * ranges of its thread and in all started ranges. A range's name is "NAME", or "NAME@DOMAIN" in a domain.
 */
#ifndef SLUICE_SAMPLING_RANGES_H
#define SLUICE_SAMPLING_RANGES_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct range_name;

/* One pass of the program through a range. */
struct range {
	const struct range_name *name;
	uint64_t number; /* among the ranges of that name, from 1 */
	uint64_t order;  /* among all ranges, from 1 */
};

/* Ranges that are open, outermost (oldest) first. */
struct range_list {
	struct range *range;
	size_t count;
};

/* `domain` NULL: none. Push and pop return the number of pushed ranges around this one, in its domain and thread; a
 * pop without a push returns RANGES_NONE. Start returns the number that ends the range, never 0. */
enum { RANGES_NONE = -1 };
int ranges_push(const char *domain, const char *name);
int ranges_pop(const char *domain);
uint64_t ranges_start(const char *domain, const char *name);
/* False: no such range is open. */
bool ranges_end(uint64_t number);

/* True after the first range of the process. */
bool ranges_are_used(void);
/* The ranges that the calling thread is in. Free list->range. */
struct range_list ranges_now(void);
/* "NAME" or "NAME@DOMAIN"; lives as long as the process. */
const char *range_text(const struct range_name *name);

/* One item of the user's list: NAME, NAME@DOMAIN, or one of these with the number of the pass, ":K". */
struct range_wish {
	char *text;      /* the name, without the number */
	uint64_t number; /* 0: all passes */
};

struct range_wishes {
	struct range_wish *item;
	size_t items; /* 0: ranges select nothing */
	char *text;   /* the list as given, or NULL */
};

/* Reads a list that is separated by commas; NULL: none. Reports mistakes in `diag`. */
void range_wishes_open(struct range_wishes *wishes, const char *list, struct diag *diag);
void range_wishes_close(struct range_wishes *wishes);
/* True when one of the ranges is selected. */
bool range_wishes_hold(const struct range_wishes *wishes, const struct range_list *now);
/* True when each selected range has been left: with a number, that pass; without one, all passes so far. */
bool range_wishes_are_over(const struct range_wishes *wishes);
/* Prints a line for each selected range that the program never entered, with the ranges that it did enter. */
void range_wishes_print_missed(const struct range_wishes *wishes, FILE *file);

#endif
