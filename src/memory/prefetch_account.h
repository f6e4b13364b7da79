/* prefetch_account: the outcomes of lines, or sectors of lines, that were fetched without an instruction.
 *
 * The record of a prefetch is stored with the MSHR while the data are in flight, then with the line. It is reported
 * once, with its outcome. A cache without prefetches has no cost for this account.
 */
#ifndef SLUICE_MEMORY_PREFETCH_ACCOUNT_H
#define SLUICE_MEMORY_PREFETCH_ACCOUNT_H

#include "base/arena.h"
#include "base/traffic.h"
#include "memory/cache_config.h"

struct prefetch_account {
	struct base_prefetch_listener listener; /* NULL: there is no account */
	uint32_t sectors, count;       /* sectors per line; sectors in the cache */
	struct base_prefetch *present;      /* by line and sector */
	struct base_prefetch *coming;       /* by MSHR */
};

void prefetch_account_open(struct prefetch_account *account, const struct cache_config *config,
                           const struct base_prefetch_listener *listener, struct arena *arena);

static inline bool prefetch_account_is_kept(const struct prefetch_account *account)
{
	return account->listener.outcome;
}

void prefetch_account_tell(const struct prefetch_account *account, enum base_prefetch_outcome outcome, struct base_prefetch *prefetch);
/* Reports all sectors of a line. */
void prefetch_account_tell_line(const struct prefetch_account *account, uint32_t line, enum base_prefetch_outcome outcome);
/* An instruction waits for data in flight. */
void prefetch_account_want(const struct prefetch_account *account, struct base_prefetch *coming);
/* The data of an MSHR have arrived in this sector. */
void prefetch_account_move(const struct prefetch_account *account, uint32_t mshr, uint32_t line, uint32_t sector);
/* At a kernel's end: reports prefetches of these senders that were not used as redundant. Bit i: sender i + 1. */
void prefetch_account_end(const struct prefetch_account *account, uint32_t senders);

/* The events of a prefetched sector or line: _used: an instruction hits the sector; _dropped: a store invalidates
 * it; _late: an instruction waits for it while it is in flight; _evicted: the line is replaced; _arrived: its data
 * arrive. */
static inline void prefetch_account_used(const struct prefetch_account *account, uint32_t line, uint32_t sector)
{
	if (prefetch_account_is_kept(account))
		prefetch_account_tell(account, BASE_PREFETCH_USEFUL, &account->present[line * account->sectors + sector]);
}

static inline void prefetch_account_dropped(const struct prefetch_account *account, uint32_t line, uint32_t sector)
{
	if (prefetch_account_is_kept(account))
		prefetch_account_tell(account, BASE_PREFETCH_EARLY_EVICTED,
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
		prefetch_account_tell_line(account, line, BASE_PREFETCH_EARLY_EVICTED);
}

static inline void prefetch_account_arrived(const struct prefetch_account *account, uint32_t mshr, uint32_t line,
                                            uint32_t sector)
{
	if (prefetch_account_is_kept(account))
		prefetch_account_move(account, mshr, line, sector);
}

/* True when an MSHR's data were fetched by a prefetch and no instruction has waited for them since. */
static inline bool prefetch_account_is_unwanted(const struct prefetch_account *account, uint32_t mshr)
{
	return prefetch_account_is_kept(account) && account->coming[mshr].sender && !account->coming[mshr].wanted;
}

#endif
