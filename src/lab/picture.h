/* picture: a figure as bars, drawn by gnuplot, in the style of a paper: one panel per quantity shown, axes from
 * zero, and the paper's value as a mark on our bar. It is one or two columns of a page wide. */
#ifndef SLUICE_LAB_PICTURE_H
#define SLUICE_LAB_PICTURE_H

#include "lab/plan.h"

#include <stdio.h>

/* Writes gnuplot's script, which draws PATH.svg and PATH.pdf. */
void picture_script(const struct figure *figure, const char *path, FILE *file);

#endif
