/* formula: arithmetic over the statistics of a run, for example "100 * l1d.hits / l1d.accesses".
 *
 * Names are those of the statistics that a run writes as JSON:
 * - counters of the groups that the caller knows;
 * - cycles, thread_instructions, warp_instructions, host_seconds, launches, blocks and threads, which are summed
 *   over the selected launches;
 * - registers, spill_bytes, shared_bytes, blocks_per_sm and block_threads, of which the maximum counts;
 * - keys of the machine's configuration, where the caller has them.
 *
 * largest(NAME) takes the maximum over all launches instead of the sum.
 *
 * For a mechanism's vector, NAME[ELEMENT] is the element with that label, or else with that number. sum(NAME) is the
 * sum of all elements. mean(NAME) is the mean of the values entered into a histogram, or of the elements.
 * median(NAME), only for a histogram, is the median of the values. It assumes that the values in its bin are evenly
 * spread from the bin's minimum to its maximum. In the last bin, which has no maximum, it is the minimum. All are
 * taken over all launches.
 *
 * For a counter of the machine's units, NAME[N] is the value of unit N, and min(NAME), mean(NAME) and max(NAME) are
 * over units. Launches are summed first. The statistics must have the values by unit (`sluice run --units`).
 */
#ifndef SLUICE_BASE_FORMULA_H
#define SLUICE_BASE_FORMULA_H

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* defined in base/table.h, which files that include argp.h cannot include */
struct base_counter_group;
struct base_option;

struct formula;

enum { FORMULA_MESSAGE = 256 };

/* The sources of a formula's values. */
enum {
	FORMULA_RUN = 1,
	FORMULA_SOURCE = 2,
	FORMULA_PTX = 4,
	FORMULA_MECHANISM = 8,
	FORMULA_MACHINE = 16,
	FORMULA_ENERGY = 32,
	FORMULA_UNITS = 64, /* values by unit */
};

/* A name that stands for a formula of other names. */
struct formula_alias {
	const char *name, *text;
};

/* The names that a formula may use. Zero-initialize. */
struct formula_names {
	struct formula_groups {
		const struct base_counter_group *group;
		size_t count;
		unsigned needs; /* sources of their counters */
	} groups[8];
	const struct base_option *keys; /* keys of a machine, which rank after counters of the same name; or NULL */
	size_t key_count;
	const char *own;                     /* a group whose counters may be named without it; or NULL */
	bool mechanisms;                     /* an unknown group may be a mechanism's */
	bool energies;                       /* "energy.COMPONENT", for any component */
	bool units;                          /* counters of the groups by unit */
	const struct formula_alias *aliases; /* ends with an element without a name; or NULL */
	bool empty_shares;                   /* 0 / 0 is 0, not NAN */
};

/* Parses a formula into the arena. NULL with a message when it is invalid or uses an unknown name. */
const struct formula *formula_parse(struct arena *arena, const char *text, const struct formula_names *names,
                                    char message[FORMULA_MESSAGE]);

/* The set of its sources; 0 for a formula of numbers only. */
unsigned formula_needs(const struct formula *formula);

/* False for a launch that was not selected (`sluice run --kernel`): formulas, and sums over launches, leave it out. */
bool formula_counts(const json_t *launch);

/* Whether it depends only on the compiled program and its inputs, not on the machine: a number of instructions does. */
bool formula_is_of_code(const struct formula *formula);

/* The first name that must be a mechanism's counter, or a component's energy, but does not exist according to
 * `counts`; or NULL. */
const char *formula_uncounted(const struct formula *formula, bool (*counts)(const void *user, const char *name),
                              const void *user);

/* The value over all launches of a kernel, given by its C++ name, or of all kernels when `kernel` is NULL. NAN, with
 * a message, when it has no value: an unknown name, a missing kernel, a division by 0. NAN with the message "" when
 * the denominator is empty: 0 / 0, or the mean or median of an empty vector. */
double formula_value(const struct formula *formula, const json_t *stats, const char *kernel,
                     char message[FORMULA_MESSAGE]);

/* True when a kernel with that symbol, for example "_Z3addPf", has the C++ name. */
bool formula_kernel_is(const char *symbol, const char *name);

#endif
