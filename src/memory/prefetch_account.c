#include "memory/prefetch_account.h"

#include <assert.h>

void prefetch_account_open(struct prefetch_account *account, const struct cache_config *config,
                           void (*tell)(void *user, enum prefetch_fate fate, uint32_t mark), void *user,
                           struct arena *arena)
{
	uint32_t count = config->sets * config->ways * config->sectors;
	*account = (struct prefetch_account){.tell = tell,
	                                     .user = user,
	                                     .sectors = config->sectors,
	                                     .count = count,
	                                     .present = arena_array(arena, count, sizeof(uint32_t)),
	                                     .coming = arena_array(arena, config->mshrs, sizeof(uint32_t))};
}

void prefetch_account_tell(const struct prefetch_account *account, enum prefetch_fate fate, uint32_t *mark)
{
	if (*mark)
		account->tell(account->user, fate, *mark);
	*mark = 0;
}

void prefetch_account_tell_line(const struct prefetch_account *account, uint32_t line, enum prefetch_fate fate)
{
	for (uint32_t sector = 0; sector < account->sectors; sector++)
		prefetch_account_tell(account, fate, &account->present[line * account->sectors + sector]);
}

void prefetch_account_move(const struct prefetch_account *account, uint32_t mshr, uint32_t line, uint32_t sector)
{
	uint32_t *present = &account->present[line * account->sectors + sector];
	assert(!*present); /* whatever was there has met its fate */
	*present = account->coming[mshr];
	account->coming[mshr] = 0;
}

void prefetch_account_end(const struct prefetch_account *account)
{
	for (uint32_t i = 0; account->tell && i < account->count; i++)
		prefetch_account_tell(account, PREFETCH_REDUNDANT, &account->present[i]);
}
