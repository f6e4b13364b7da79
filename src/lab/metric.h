/* metric: the quantity that an experiment's cell, or `sluice results --counter`, shows of a run. It is a formula
 * (base/formula.h) over several kinds of values: counters of `sluice stats --describe`, counters of mechanisms, keys of
 * the machine, static facts of the program's source (lab/static_counters.h), and energies (energy/price.h). Energies
 * are energy.total, .dynamic, .constant and energy.COMPONENT, and from these energy.watts, .delay and .instruction. */
#ifndef SLUICE_LAB_METRIC_H
#define SLUICE_LAB_METRIC_H

#include "base/formula.h"

/* Parses the text; the result is in the arena. Returns NULL with a message. */
const struct formula *metric_parse(struct arena *arena, const char *text, char message[FORMULA_MESSAGE]);

#endif
