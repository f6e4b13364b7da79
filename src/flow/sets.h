/* sets: bit sets in arrays of 64-bit words. Internal to flow. */
#ifndef SLUICE_FLOW_SETS_H
#define SLUICE_FLOW_SETS_H

#include <stdbool.h>
#include <stdint.h>

/* Most ids that ptx_inst_reads() and ptx_inst_writes() store. */
enum { FLOW_MAX_REGS = 32 };

/* Adds a member. Returns false when it was already in the set. */
static inline bool set_add(uint64_t *set, uint32_t member)
{
	uint64_t bit = UINT64_C(1) << member % 64, old = set[member / 64];
	set[member / 64] = old | bit;
	return !(old & bit);
}

static inline void set_remove(uint64_t *set, uint32_t member)
{
	set[member / 64] &= ~(UINT64_C(1) << member % 64);
}

static inline bool set_has(const uint64_t *set, uint32_t member)
{
	return set[member / 64] >> member % 64 & 1;
}

/* Returns the first member that is `from` or greater, or UINT32_MAX. */
static inline uint32_t set_next(const uint64_t *set, uint32_t words, uint32_t from)
{
	for (uint32_t word = from / 64; word < words; word++) {
		uint64_t bits = set[word];
		if (word == from / 64)
			bits &= UINT64_MAX << from % 64;
		if (bits)
			return word * 64 + (uint32_t)__builtin_ctzll(bits);
	}
	return UINT32_MAX;
}

/* Returns the bits of word `word` that lie in [begin, end). */
static inline uint64_t set_range_mask(uint32_t word, uint32_t begin, uint32_t end)
{
	uint64_t mask = UINT64_MAX;
	if (word == begin / 64)
		mask &= UINT64_MAX << begin % 64;
	if (word == end / 64)
		mask &= ~(UINT64_MAX << end % 64);
	return mask;
}

static inline bool set_aliases_range(const uint64_t *set, uint32_t begin, uint32_t end)
{
	for (uint32_t word = begin / 64; word <= (end - 1) / 64; word++)
		if (set[word] & set_range_mask(word, begin, end))
			return true;
	return false;
}

static inline void set_add_range(uint64_t *set, uint32_t begin, uint32_t end)
{
	for (uint32_t word = begin / 64; word <= (end - 1) / 64; word++)
		set[word] |= set_range_mask(word, begin, end);
}

#endif
