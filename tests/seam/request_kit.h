/* request_kit: the accounts of a mechanism's requests. */
#ifndef SLUICE_TESTS_REQUEST_KIT_H
#define SLUICE_TESTS_REQUEST_KIT_H

#include "gpu_kit.h"

#define ONE_SM "sm.count=1", "l1i.sets=64"

enum { WARP = 32, LINE = 128 };

static inline struct mech_requests requests_of(const struct gpu_kit *kit, uint32_t number, struct seam_load *by_pc)
{
	struct mech_requests all;
	uint64_t stats[16] = {0};
	seam_stats(kit->gpu->seam, number, stats, &all, by_pc);
	return all;
}

static inline void check_account(const struct mech_requests *account)
{
	assert_int_equal(account->asked,
	                 account->dropped + account->outside + account->filtered + account->refused + account->issued);
	assert_int_equal(account->issued,
	                 account->useful + account->late + account->early_evicted + account->redundant);
}

#endif
