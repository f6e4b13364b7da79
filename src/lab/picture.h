/* picture: a figure as bars, by gnuplot, as a paper would print it: a panel for each thing that is shown, axes from zero, the paper's
 * value as a mark on our bar, one or two columns of a page wide. */
#ifndef SLUICE_LAB_PICTURE_H
#define SLUICE_LAB_PICTURE_H

#include "lab/plan.h"

#include <stdio.h>

/* Writes gnuplot's script, which draws PATH.svg and PATH.pdf. */
void picture_script(const struct figure *figure, const char *path, FILE *file);

#endif
