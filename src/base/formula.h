/* formula: arithmetic over the figures of a run, "100 * l1d.hits / l1d.accesses".
 *
 * Names are those of the statistics that a run writes as JSON: counters of the groups that the caller knows; cycles,
 * thread_instructions, warp_instructions, host_seconds, launches, blocks and threads, which add up over the launches
 * looked at; registers, spill_bytes, shared_bytes, blocks_per_sm and block_threads, of which the largest counts; keys of the
 * machine's configuration, where the caller has them. largest(NAME) takes the largest of all launches instead of the sum.
 *
 * Of a mechanism's vector NAME[ELEMENT] is the element with that label, else number; sum(NAME) all elements; mean(NAME) the mean of
 * the values that a histogram has sorted, or of the elements; median(NAME), of a histogram alone, their median, as if the values in
 * its bin lay evenly from the bin's least to its greatest (the last bin has no greatest: its least). They are taken over all launches.
 */
#ifndef SLUICE_BASE_FORMULA_H
#define SLUICE_BASE_FORMULA_H

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* base/table.h has these, which files with argp.h cannot include */
struct counter_group;
struct option;

struct formula;

enum { FORMULA_MESSAGE = 256 };

/* What a formula takes figures from. */
enum {
	FORMULA_RUN = 1,
	FORMULA_SOURCE = 2,
	FORMULA_PTX = 4,
	FORMULA_MECHANISM = 8,
	FORMULA_MACHINE = 16,
	FORMULA_ENERGY = 32,
};

/* A name that stands for a formula of others. */
struct formula_alias {
	const char *name, *text;
};

/* The names that a formula may have. Zero-initialise. */
struct formula_names {
	struct formula_groups {
		const struct counter_group *group;
		size_t count;
		unsigned needs; /* of their counters */
	} groups[8];
	const struct option *keys; /* of a machine, behind counters of the same name; or NULL */
	size_t key_count;
	const char *own;                     /* a group whose counters may be named without it; or NULL */
	bool mechanisms;                     /* a group that is not known may be a mechanism's */
	bool energies;                       /* "energy.COMPONENT", whatever that is */
	const struct formula_alias *aliases; /* behind the last is one without a name; or NULL */
	bool empty_shares;                   /* 0 / 0 is 0, not NAN */
};

/* In the arena; NULL with a message when it is wrong, or a name is none of these. */
const struct formula *formula_parse(struct arena *arena, const char *text, const struct formula_names *names,
                                    char message[FORMULA_MESSAGE]);

/* A set of these; 0 where there are numbers alone. */
unsigned formula_needs(const struct formula *formula);

/* The first name that must be a mechanism's counter, or a component's energy, and of which `counts` says that there is none; or NULL. */
const char *formula_uncounted(const struct formula *formula, bool (*counts)(const void *user, const char *name),
                              const void *user);

/* Over all launches of a kernel, given by its C++ name, or of all kernels where it is NULL. NAN, with a message, where
 * it has no value: an unknown name, no such kernel, a division by 0. NAN without a message, which is then "", where there is
 * nothing to be a share of: 0 / 0, or the mean or median of an empty vector. */
double formula_value(const struct formula *formula, const json_t *stats, const char *kernel,
                     char message[FORMULA_MESSAGE]);

/* Whether a kernel of that symbol, "_Z3addPf", has the C++ name. */
bool formula_kernel_is(const char *symbol, const char *name);

#endif
