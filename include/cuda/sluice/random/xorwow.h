/* random/xorwow: XORWOW (Marsaglia, Xorshift RNGs, Journal of Statistical Software 8(14), 2003, section 3.1). Each step
 * changes five words by shifts and exclusive ors; a Weyl sequence with increment 362437 is added. The period is 2^192 -
 * 2^32.
 *
 * Skips of n steps use the polynomial x^n mod P, where P is the characteristic polynomial of a step. The polynomials of
 * n's bits are multiplied: each is applied to the words by 160 steps (tools/xorwow_jumps.py). Sequences begin 2^67
 * numbers apart.
 */
#ifndef SLUICE_RANDOM_XORWOW_H
#define SLUICE_RANDOM_XORWOW_H

#include "state.h"

struct curandStateXORWOW {
	unsigned int v[5], d;
	sluice::random::spare_normals spare;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace sluice
{
namespace random
{

enum { XORWOW_WORDS = 5, XORWOW_WEYL = 362437, XORWOW_SEQUENCE_ROW = 64 };

/* Row k: x^(2^k) mod P; row 64 + k: the polynomial that skips 2^k sequences. */
static constexpr unsigned xorwow_jumps[][XORWOW_WORDS] = {
#include "xorwow_jumps.inc"
};

SLUICE_RANDOM void step(unsigned int (&v)[XORWOW_WORDS])
{
	unsigned t = v[0] ^ v[0] >> 2;
	v[0] = v[1];
	v[1] = v[2];
	v[2] = v[3];
	v[3] = v[4];
	v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

/* Skips the steps of one row: sums the states selected by the polynomial's coefficients. */
SLUICE_RANDOM void jump(unsigned int (&v)[XORWOW_WORDS], int row)
{
	unsigned sum[XORWOW_WORDS] = {};
	for (int i = 0; i < XORWOW_WORDS; i++) {
		unsigned taken = xorwow_jumps[row][i];
		for (int bit = 0; bit < 32; bit++, taken >>= 1) {
			if (taken & 1) // the same in all active lanes
				for (int j = 0; j < XORWOW_WORDS; j++)
					sum[j] ^= v[j];
			step(v);
		}
	}
	for (int j = 0; j < XORWOW_WORDS; j++)
		v[j] = sum[j];
}

SLUICE_RANDOM void jump(unsigned int (&v)[XORWOW_WORDS], int row, unsigned long long n)
{
	for (; n; n >>= 1, row++)
		if (n & 1)
			jump(v, row);
}

/* SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014, figure 17). Its
 * numbers differ from each other, so the words of a state are not all zero. */
SLUICE_RANDOM unsigned long long scrambled(unsigned long long &seed)
{
	unsigned long long z = seed += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

} // namespace random
} // namespace sluice

SLUICE_RANDOM unsigned int curand(curandStateXORWOW_t *state)
{
	sluice::random::step(state->v);
	state->d += sluice::random::XORWOW_WEYL;
	return state->v[4] + state->d;
}

/* Skips n numbers. A stored second normal number (curand_normal) stays. */
SLUICE_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
	sluice::random::jump(state->v, 0, n);
	state->d += (unsigned int)n * sluice::random::XORWOW_WEYL;
}

/* Skips n * 2^67 numbers, a multiple of the Weyl sequence's period. */
SLUICE_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
	sluice::random::jump(state->v, sluice::random::XORWOW_SEQUENCE_ROW, n);
}

SLUICE_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStateXORWOW_t *state)
{
	unsigned long long low = sluice::random::scrambled(seed), middle = sluice::random::scrambled(seed),
	                   high = sluice::random::scrambled(seed);
	*state = {{(unsigned)low, (unsigned)(low >> 32), (unsigned)middle, (unsigned)(middle >> 32), (unsigned)high},
	          (unsigned)(high >> 32),
	          {}};
	skipahead_sequence(subsequence, state);
	skipahead(offset, state);
}

#endif
