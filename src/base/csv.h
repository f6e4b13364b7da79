/* csv: fields of comma-separated values. */
#ifndef SLUICE_BASE_CSV_H
#define SLUICE_BASE_CSV_H

#include <stdio.h>

/* A text, quoted where it must be. */
void csv_text(const char *text, FILE *file);

#endif
