/* print: interface between the printer's files. */
#ifndef SLUICE_PTX_PRINT_H
#define SLUICE_PTX_PRINT_H

#include "ptx/module.h"

/* `label_at`: the label of each index of the body; NULL: look it up. */
void print_instruction(const struct ptx_function *function, const struct ptx_inst *inst, const char *const *label_at,
		       FILE *file);

#endif
