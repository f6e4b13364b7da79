/* prefetch_account: what becomes of lines, or of their sectors, that were fetched for no instruction.
 *
 * What is kept of one waits with the MSHR while the data are on their way, then with the line, and is told once, with the fate: nobody
 * pays for the account in a cache that nobody prefetches into.
 */
#ifndef SLUICE_MEMORY_PREFETCH_ACCOUNT_H
#define SLUICE_MEMORY_PREFETCH_ACCOUNT_H

#include "base/arena.h"
#include "base/traffic.h"
#include "memory/cache_config.h"

struct prefetch_account {
	struct prefetch_teller teller; /* without `fate`: there is no account */
	uint32_t sectors, count;       /* of a line; of the cache */
	struct prefetch *present;      /* by line and sector */
	struct prefetch *coming;       /* by MSHR */
};

void prefetch_account_open(struct prefetch_account *account, const struct cache_config *config,
                           const struct prefetch_teller *teller, struct arena *arena);

static inline bool prefetch_account_is_kept(const struct prefetch_account *account)
{
	return account->teller.fate;
}

void prefetch_account_tell(const struct prefetch_account *account, enum prefetch_fate fate, struct prefetch *prefetch);
/* All sectors of a line. */
void prefetch_account_tell_line(const struct prefetch_account *account, uint32_t line, enum prefetch_fate fate);
/* An instruction waits for what comes. */
void prefetch_account_want(const struct prefetch_account *account, struct prefetch *coming);
/* The data of an MSHR have come, into this sector. */
void prefetch_account_move(const struct prefetch_account *account, uint32_t mshr, uint32_t line, uint32_t sector);
/* A kernel's end: what was not used is unused. */
void prefetch_account_end(const struct prefetch_account *account);

/* An instruction finds a sector; a store takes it away; an instruction waits for one that is on its way; a line goes for
 * another; data arrive. */
static inline void prefetch_account_used(const struct prefetch_account *account, uint32_t line, uint32_t sector)
{
	if (prefetch_account_is_kept(account))
		prefetch_account_tell(account, PREFETCH_USEFUL, &account->present[line * account->sectors + sector]);
}

static inline void prefetch_account_dropped(const struct prefetch_account *account, uint32_t line, uint32_t sector)
{
	if (prefetch_account_is_kept(account))
		prefetch_account_tell(account, PREFETCH_EARLY_EVICTED,
		                      &account->present[line * account->sectors + sector]);
}

static inline void prefetch_account_late(const struct prefetch_account *account, uint32_t mshr)
{
	if (prefetch_account_is_kept(account))
		prefetch_account_want(account, &account->coming[mshr]);
}

static inline void prefetch_account_evicted(const struct prefetch_account *account, uint32_t line)
{
	if (prefetch_account_is_kept(account))
		prefetch_account_tell_line(account, line, PREFETCH_EARLY_EVICTED);
}

static inline void prefetch_account_arrived(const struct prefetch_account *account, uint32_t mshr, uint32_t line,
                                            uint32_t sector)
{
	if (prefetch_account_is_kept(account))
		prefetch_account_move(account, mshr, line, sector);
}

/* What comes for an MSHR was fetched for no instruction, and none has come for it since. */
static inline bool prefetch_account_is_unwanted(const struct prefetch_account *account, uint32_t mshr)
{
	return prefetch_account_is_kept(account) && account->coming[mshr].sender && !account->coming[mshr].wanted;
}

#endif
