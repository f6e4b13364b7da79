/* csv: fields of comma-separated values. */
#ifndef SLUICE_BASE_CSV_H
#define SLUICE_BASE_CSV_H

#include <stdio.h>

/* A text, quoted where it must be. */
void csv_text(const char *text, FILE *file);

/* The next field of a line, in whose place it is put without its quotes; *rest is then what stands behind its comma, "" at the line's end. */
char *csv_field(char **rest);

/* The line that begins at *rest, without its end; *rest is then the beginning of the next. Fields with line ends are not known here. */
char *csv_line(char **rest);

#endif
