/* json_text: converts texts of arbitrary bytes to JSON. */
#ifndef SLUICE_BASE_JSON_TEXT_H
#define SLUICE_BASE_JSON_TEXT_H

#include <jansson.h>

/* Command lines and names need not be UTF-8, but JSON must be. For other texts, each non-ASCII byte becomes '?'. */
json_t *json_text(const char *bytes);

#endif
