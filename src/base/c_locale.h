/* c_locale: numbers are parsed and printed as in the "C" locale, whatever locale the host program has set. */
#ifndef SLUICE_BASE_C_LOCALE_H
#define SLUICE_BASE_C_LOCALE_H

#include <locale.h>

/* Sets the calling thread's locale. Returns the previous one, for c_locale_leave(). */
locale_t c_locale_enter(void);
void c_locale_leave(const locale_t *before);

/* Applies from here to the end of the enclosing block. */
#define IN_C_LOCALE __attribute__((cleanup(c_locale_leave), unused)) const locale_t locale_before = c_locale_enter()

#endif
