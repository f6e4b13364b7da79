#include "base/c_locale.h"

#include <assert.h>

locale_t c_locale_enter(void)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	assert(plain);
	return uselocale(plain);
}

void c_locale_leave(const locale_t *before)
{
	freelocale(uselocale(*before));
}
