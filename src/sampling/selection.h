/* selection: the launches of a run that the user wants simulated in cycles (docs/how-to/part-of-a-run.md). The others
 * run functionally. Results do not depend on the selection.
 *
 * A launch is selected by its number in the run, from 1, or by its kernel's name. Launches directly before it can be
 * simulated too, so that they warm the caches. A region selects only launches between two calls of the program, and a
 * range those in a range with that name.
 */
#ifndef SLUICE_SAMPLING_SELECTION_H
#define SLUICE_SAMPLING_SELECTION_H

#include "base/diag.h"
#include "sampling/ranges.h"

#include <stddef.h>

/* Ways in which a launch can run. */
enum launch_choice {
	LAUNCH_SELECTED, /* in cycles; part of the totals. Without a selection, all launches are */
	LAUNCH_WARMS,    /* in cycles, to warm the caches; not part of the totals */
	LAUNCH_LEFT_OUT, /* functionally; not part of the totals */
};

/* One item of the list: the numbers from first to last, or the launches of a kernel by name. */
struct selection_item {
	uint64_t first, last;
	char *name;       /* or NULL */
	bool is_numbered; /* only launch `number` of those with that name, from 1 */
	uint64_t number;
	uint64_t seen; /* launches with that name so far */
};

struct selection {
	struct selection_item *item;
	size_t items;        /* 0: all launches of the region */
	uint32_t warm;       /* number of launches before a selected one that are simulated too */
	bool by_region;      /* only launches of the region are selected */
	bool is_in_region;
	struct range_wishes ranges; /* only launches in one of these are selected; none: all */
	bool stops;          /* the run ends after the last selected launch */
	bool is_over;        /* that launch has run */
	char *text;          /* the list as given, for the statistics; or NULL */
};

/* The user's wishes. */
struct selection_wish {
	const char *kernels; /* "N", "N-M", "NAME", "NAME:K", separated by commas; NULL: all */
	uint32_t warm;
	bool by_region, stops;
	const char *ranges; /* "NAME", "NAME@DOMAIN", "NAME:K", separated by commas; NULL: all */
};

/* Reads the wishes. Reports mistakes in `diag`. */
void selection_open(struct selection *selection, const struct selection_wish *wish, struct diag *diag);
void selection_close(struct selection *selection);

/* True when it leaves out any launch. */
static inline bool selection_is_used(const struct selection *selection)
{
	return selection->items || selection->by_region || selection->ranges.items;
}

/* Chooses how the next launch runs: its number in the run, from 1, its kernel's symbol and name in the source, and the
 * ranges that it is in. */
enum launch_choice selection_choose(struct selection *selection, uint64_t number, const char *symbol, const char *shown,
                                    const struct range_list *ranges);
/* The program enters or leaves the region. */
void selection_region(struct selection *selection, bool enters);
/* True when no later launch is wanted. */
bool selection_is_over(const struct selection *selection);

#endif
