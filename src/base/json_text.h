/* json_text: texts of any bytes as JSON. */
#ifndef SLUICE_BASE_JSON_TEXT_H
#define SLUICE_BASE_JSON_TEXT_H

#include <jansson.h>

/* Command lines and names need not be UTF-8; JSON must be: what is not ASCII is then '?'. */
json_t *json_text(const char *bytes);

#endif
