/* Number of blocks per SM (V. Jatala et al., Scratchpad Sharing in GPUs, 2016: section 3; the formula is that of the
 * authors' HPDC 2016 paper). Sharing never reduces the number of blocks that can always proceed. Pairs are added as
 * the remaining memory allows. */
#include "mech/sharing/passes.h"
#include "mech/sharing/sharing.h"

#include "base/least.h"

/* Alignment that keeps the bytes of a lane's access together: 16 bytes at most. */
enum { GRAIN = 16 };

uint64_t sharing_own_bytes(double t, uint64_t bytes)
{
	return (uint64_t)(t * (double)bytes);
}

/* A pair takes bytes + own. U + S may not be less than the blocks that fit without sharing, and no pair is smaller
 * than a block. So U + S equals that number. */
struct sharing_residency sharing_divide(double t, uint32_t all, uint32_t bytes, const struct mech_room *room)
{
	uint32_t others = least(least(room->slots, room->warps), room->registers);
	struct sharing_residency result = {
		.places = room->shared, .bytes = bytes, .own = (uint32_t)sharing_own_bytes(t, bytes)};
	if (room->shared == MECH_NOWHERE || room->shared >= others)
		return result;
	uint32_t spare = all - room->shared * bytes;
	uint32_t pairs = result.own ? spare / result.own : room->shared;
	result.pairs = least(least(pairs, room->shared), others - room->shared);
	return result;
}

uint32_t sharing_partner(const struct sharing_residency *residency, uint32_t slot)
{
	if (slot < residency->pairs)
		return residency->places + slot;
	return slot >= residency->places ? slot - residency->places : SHARING_NOBODY;
}

uint32_t sharing_pair(const struct sharing_residency *residency, uint32_t slot)
{
	return slot < residency->pairs ? slot : slot - residency->places;
}

uint32_t sharing_taken(const struct sharing_residency *residency, uint64_t slots)
{
	uint64_t pairs = residency->pairs ? slots & slots >> residency->places & ((1ull << residency->pairs) - 1) : 0;
	uint32_t blocks = (uint32_t)__builtin_popcountll(slots), full = (uint32_t)__builtin_popcountll(pairs);
	return (blocks - full) * residency->bytes + full * residency->own;
}

/* Place of a pair: the partner's private bytes, the first block's private bytes, the common part. All begin at
 * multiples of 16 bytes. That is accurate enough, because places only determine the banks accessed. */
uint32_t sharing_byte_place(const struct sharing_residency *residency, uint32_t slot, uint32_t byte)
{
	uint32_t pairs = residency->pairs, own = residency->own / GRAIN * GRAIN, pair_bytes = residency->bytes + own;
	bool is_partner = slot >= residency->places;
	uint32_t at = is_partner ? slot - residency->places : slot;
	uint32_t base = at < pairs ? at * pair_bytes : pairs * pair_bytes + (at - pairs) * residency->bytes;
	bool in_first = is_partner && byte < own;
	return base / GRAIN * GRAIN + byte + (at < pairs && !in_first ? own : 0);
}
