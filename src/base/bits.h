/* bits: sets of small numbers as arrays of 64-bit words, iterated in ascending order; minimum and maximum. */
#ifndef SLUICE_BASE_BITS_H
#define SLUICE_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define BITS_NONE UINT32_MAX

static inline uint64_t min_u64(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static inline uint64_t max_u64(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static inline uint32_t bits_words(uint32_t members)
{
	return (members + 63) / 64;
}

/* The smallest power of two that is at least `least`. */
static inline uint32_t bits_power_from(uint32_t least)
{
	uint32_t power = 1;
	while (power < least)
		power *= 2;
	return power;
}

static inline void bits_add(uint64_t *set, uint32_t member)
{
	set[member >> 6] |= 1ull << (member & 63);
}

static inline void bits_remove(uint64_t *set, uint32_t member)
{
	set[member >> 6] &= ~(1ull << (member & 63));
}

static inline bool bits_has(const uint64_t *set, uint32_t member)
{
	return set[member >> 6] >> (member & 63) & 1;
}

/* The smallest member that is at least `from`, or BITS_NONE. */
static inline uint32_t bits_next(const uint64_t *set, uint32_t words, uint32_t from)
{
	uint32_t word = from >> 6;
	if (word >= words)
		return BITS_NONE;
	uint64_t left = set[word] >> (from & 63) << (from & 63);
	while (!left) {
		if (++word == words)
			return BITS_NONE;
		left = set[word];
	}
	return word * 64 + (uint32_t)__builtin_ctzll(left);
}

/* The first member at or after `from`, wrapping around. BITS_NONE only for an empty set. */
static inline uint32_t bits_next_around(const uint64_t *set, uint32_t words, uint32_t from)
{
	uint32_t next = bits_next(set, words, from);
	return next == BITS_NONE ? bits_next(set, words, 0) : next;
}

#endif
