/* draw: random numbers for a mechanism's part, the same in every run. */
#ifndef SLUICE_TESTS_MECH_DRAW_H
#define SLUICE_TESTS_MECH_DRAW_H

#include <stdint.h>

struct random {
	uint64_t count;
};

/* splitmix64 of the seed, the part and the number of earlier draws. */
static inline uint64_t draw(struct random *random, uint32_t seed, uint32_t place)
{
	uint64_t x = ((uint64_t)seed << 32 | place) * 0xd1342543de82ef95 + ++random->count * 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

#endif
