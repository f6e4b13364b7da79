/* formula: arithmetic over the figures of a run, "100 * l1d.hits / l1d.accesses".
 *
 * Names are those of the statistics that a run writes as JSON: every counter of `sluice stats --describe`; cycles,
 * thread_instructions, warp_instructions, host_seconds, launches, blocks and threads, which add up over the launches
 * looked at; registers, spill_bytes, shared_bytes, blocks_per_sm and block_threads, of which the largest counts. Or they are facts of
 * the program's source (lab/facts.h), in the same form. largest(NAME) takes the largest of all launches instead of the
 * sum.
 *
 * Of a mechanism's vector NAME[ELEMENT] is the element with that label, else number; sum(NAME) all elements; mean(NAME) the mean of
 * the values that a histogram has sorted, or of the elements. They are taken over all launches.
 */
#ifndef SLUICE_LAB_FORMULA_H
#define SLUICE_LAB_FORMULA_H

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct formula;

enum { FORMULA_MESSAGE = 256 };

/* What a formula takes figures from. */
enum { FORMULA_RUN = 1, FORMULA_SOURCE = 2, FORMULA_PTX = 4, FORMULA_MECHANISM = 8 };

/* In the arena; NULL with a message when it is wrong. The names of counters that the machine itself has are checked. */
const struct formula *formula_parse(struct arena *arena, const char *text, char message[FORMULA_MESSAGE]);

/* A set of these; without FORMULA_RUN and FORMULA_SOURCE there are numbers alone. */
unsigned formula_needs(const struct formula *formula);

/* The first name that must be a mechanism's counter and of which `counts` says that there is none; or NULL. */
const char *formula_uncounted(const struct formula *formula, bool (*counts)(const void *user, const char *name),
                              const void *user);

/* Over all launches of a kernel, given by its C++ name, or of all kernels where it is NULL. NAN, with a message, where
 * it has no value: an unknown name, no such kernel, a division by 0. */
double formula_value(const struct formula *formula, const json_t *stats, const char *kernel,
                     char message[FORMULA_MESSAGE]);

/* Whether a kernel of that symbol, "_Z3addPf", has the C++ name. */
bool formula_kernel_is(const char *symbol, const char *name);

#endif
