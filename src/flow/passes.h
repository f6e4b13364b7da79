/* passes: the general-purpose passes, each in its own file pass_NAME.c. Internal to flow. */
#ifndef SLUICE_FLOW_PASSES_H
#define SLUICE_FLOW_PASSES_H

#include "flow/pass.h"

extern const struct flow_pass pass_dead_code, pass_spill, pass_split_critical_edges;

#endif
