/* prefetch_account: what becomes of lines, or of their sectors, that were fetched for no instruction.
 *
 * A mark says who asked for one. It waits with the MSHR while the data are on their way, then with the line, and is told once,
 * with the fate: nobody pays for the account in a cache that nobody prefetches into.
 */
#ifndef SLUICE_MEMORY_PREFETCH_ACCOUNT_H
#define SLUICE_MEMORY_PREFETCH_ACCOUNT_H

#include "base/arena.h"
#include "base/traffic.h"
#include "memory/cache_config.h"

struct prefetch_account {
	void (*tell)(void *user, enum prefetch_fate fate, uint32_t mark); /* NULL: there is no account */
	void *user;
	uint32_t sectors, count;    /* of a line; of the cache */
	uint32_t *present, *coming; /* marks: by line and sector; by MSHR. 0: none */
};

void prefetch_account_open(struct prefetch_account *account, const struct cache_config *config,
                           void (*tell)(void *user, enum prefetch_fate fate, uint32_t mark), void *user,
                           struct arena *arena);

void prefetch_account_tell(const struct prefetch_account *account, enum prefetch_fate fate, uint32_t *mark);
/* All sectors of a line. */
void prefetch_account_tell_line(const struct prefetch_account *account, uint32_t line, enum prefetch_fate fate);
/* The data of an MSHR have come, into this sector. */
void prefetch_account_move(const struct prefetch_account *account, uint32_t mshr, uint32_t line, uint32_t sector);
/* A kernel's end: what was not used is unused. */
void prefetch_account_end(const struct prefetch_account *account);

/* An instruction finds a sector; a store takes it away; an instruction waits for one that is on its way; a line goes for
 * another; data arrive. */
static inline void prefetch_account_used(const struct prefetch_account *account, uint32_t line, uint32_t sector)
{
	if (account->tell)
		prefetch_account_tell(account, PREFETCH_USEFUL, &account->present[line * account->sectors + sector]);
}

static inline void prefetch_account_dropped(const struct prefetch_account *account, uint32_t line, uint32_t sector)
{
	if (account->tell)
		prefetch_account_tell(account, PREFETCH_EARLY_EVICTED, &account->present[line * account->sectors + sector]);
}

static inline void prefetch_account_late(const struct prefetch_account *account, uint32_t mshr)
{
	if (account->tell)
		prefetch_account_tell(account, PREFETCH_LATE, &account->coming[mshr]);
}

static inline void prefetch_account_evicted(const struct prefetch_account *account, uint32_t line)
{
	if (account->tell)
		prefetch_account_tell_line(account, line, PREFETCH_EARLY_EVICTED);
}

static inline void prefetch_account_arrived(const struct prefetch_account *account, uint32_t mshr, uint32_t line,
                                            uint32_t sector)
{
	if (account->tell)
		prefetch_account_move(account, mshr, line, sector);
}

#endif
