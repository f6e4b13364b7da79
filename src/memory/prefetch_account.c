#include "memory/prefetch_account.h"

#include <assert.h>

void prefetch_account_open(struct prefetch_account *account, const struct cache_config *config,
                           const struct base_prefetch_listener *listener, struct arena *arena)
{
	uint32_t count = config->sets * config->ways * config->sectors;
	*account = (struct prefetch_account){.listener = *listener,
	                                     .sectors = config->sectors,
	                                     .count = count,
	                                     .present = arena_array(arena, count, sizeof *account->present),
	                                     .coming = arena_array(arena, config->mshrs, sizeof *account->coming)};
}

void prefetch_account_tell(const struct prefetch_account *account, enum base_prefetch_outcome outcome,
                           struct base_prefetch *prefetch)
{
	if (prefetch->sender)
		account->listener.outcome(account->listener.user, outcome, prefetch);
	prefetch->sender = 0;
}

void prefetch_account_tell_line(const struct prefetch_account *account, uint32_t line,
                                enum base_prefetch_outcome outcome)
{
	for (uint32_t sector = 0; sector < account->sectors; sector++)
		prefetch_account_tell(account, outcome, &account->present[line * account->sectors + sector]);
}

void prefetch_account_want(const struct prefetch_account *account, struct base_prefetch *coming)
{
	if (!coming->sender || coming->wanted)
		return;
	coming->wanted = *account->listener.clock;
	account->listener.outcome(account->listener.user, BASE_PREFETCH_LATE, coming);
}

void prefetch_account_move(const struct prefetch_account *account, uint32_t mshr, uint32_t line, uint32_t sector)
{
	struct base_prefetch *coming = &account->coming[mshr];
	struct base_prefetch *present = &account->present[line * account->sectors + sector];
	assert(!present->sender); /* the previous prefetch already has an outcome */
	if (!coming->sender)
		return;
	coming->came = *account->listener.clock;
	if (coming->wanted)
		account->listener.came_late(account->listener.user, coming);
	else
		*present = *coming;
	coming->sender = 0;
}

void prefetch_account_end(const struct prefetch_account *account, uint32_t senders)
{
	for (uint32_t i = 0; prefetch_account_is_kept(account) && i < account->count; i++) {
		struct base_prefetch *prefetch = &account->present[i];
		if (prefetch->sender && senders >> (prefetch->sender - 1) & 1)
			prefetch_account_tell(account, BASE_PREFETCH_REDUNDANT, prefetch);
	}
}
