/* metric: what an experiment's cell and `sluice results --counter` show of a run: a formula (base/formula.h) over the counters of
 * `sluice stats --describe`, those of mechanisms, the keys of the machine, facts of the program's source (lab/facts.h) and energies
 * (energy/price.h): energy.total, .dynamic, .constant, energy.COMPONENT, and of these energy.watts, .delay and .instruction. */
#ifndef SLUICE_LAB_METRIC_H
#define SLUICE_LAB_METRIC_H

#include "base/formula.h"

/* In the arena; NULL with a message. */
const struct formula *metric_parse(struct arena *arena, const char *text, char message[FORMULA_MESSAGE]);

#endif
