/* edit_private: interface between the files that implement flow/edit.h. */
#ifndef SLUICE_FLOW_EDIT_PRIVATE_H
#define SLUICE_FLOW_EDIT_PRIVATE_H

#include "flow/edit.h"

struct edit_node {
	struct ptx_inst inst;
	struct edit_node *next;
};

/* edit_names.c: returns the stem, extended by '_' until no name that the function sees begins with it after %, $ or
 * __. */
const char *edit_fresh_stem(struct arena *arena, const struct ptx_function *function, const char *stem);
/* Returns a front, the stem and a number as one name. */
const char *edit_name(struct arena *arena, const char *front, const char *stem, uint32_t number);

#endif
