/* c_locale: numbers are read and written as in the "C" locale, whatever locale the program has chosen that we run in. */
#ifndef SLUICE_BASE_C_LOCALE_H
#define SLUICE_BASE_C_LOCALE_H

#include <locale.h>

/* Changes the calling thread's locale; the one before, for c_locale_leave(). */
locale_t c_locale_enter(void);
void c_locale_leave(const locale_t *before);

/* From here to the end of the block. */
#define IN_C_LOCALE __attribute__((cleanup(c_locale_leave), unused)) const locale_t locale_before = c_locale_enter()

#endif
