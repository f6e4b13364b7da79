/* print: what the printer's files share. */
#ifndef SLUICE_PTX_PRINT_H
#define SLUICE_PTX_PRINT_H

#include "ptx/module.h"

/* `label_at`: per index of the body, the label to name it by; NULL: look it up. */
void print_instruction(const struct ptx_function *function, const struct ptx_inst *inst, const char *const *label_at,
		       FILE *file);

#endif
