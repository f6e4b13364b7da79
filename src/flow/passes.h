/* passes: those of any use, each in a file of its own, pass_NAME.c; inside flow. */
#ifndef SLUICE_FLOW_PASSES_H
#define SLUICE_FLOW_PASSES_H

#include "flow/pass.h"

extern const struct pass pass_dead_code, pass_spill, pass_split_critical_edges;

#endif
