/* edit_inner: what the files of flow/edit.h share. */
#ifndef SLUICE_FLOW_EDIT_INNER_H
#define SLUICE_FLOW_EDIT_INNER_H

#include "flow/edit.h"

struct edit_node {
	struct ptx_inst inst;
	struct edit_node *next;
};

/* edit_names.c: the stem, with as many '_' behind it as make it, behind %, $ or __, the beginning of no name that the function
 * sees. */
const char *edit_fresh_stem(struct arena *arena, const struct ptx_function *function, const char *stem);
/* What stands in front of a stem, the stem and a number. */
const char *edit_name(struct arena *arena, const char *front, const char *stem, uint32_t number);

#endif
