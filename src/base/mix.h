/* mix: spreads a number evenly over 64 bits (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014: the mixing function of SplitMix64, with its constants). */
#ifndef SLUICE_BASE_MIX_H
#define SLUICE_BASE_MIX_H

#include <stdint.h>

static inline uint64_t mix64(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
	number = (number ^ number >> 27) * 0x94d049bb133111ebu;
	return number ^ number >> 31;
}

#endif
