/* csv: fields of comma-separated values. */
#ifndef SLUICE_BASE_CSV_H
#define SLUICE_BASE_CSV_H

#include <stdio.h>

/* Writes a text, quoted where necessary. */
void csv_text(const char *text, FILE *file);

/* Returns the next field of a line, unquoted in place. Sets *rest to the text after its comma, or to "" at the
 * line's end. */
char *csv_field(char **rest);

/* Returns the line that begins at *rest, without its end, and sets *rest to the next line. Line ends inside fields
 * are not supported. */
char *csv_line(char **rest);

#endif
