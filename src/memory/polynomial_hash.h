/* polynomial_hash: spreads addresses over a power of two of slices or sets, by their remainder modulo a polynomial
 * over GF(2) (B. R. Rau, "Pseudo-randomly interleaved memory", ISCA 1991; GPGPU-Sim 4.2.0: ipoly_hash_function()).
 *
 *     place = (index + above * x^k) mod p(x),   2^k places, index < 2^k
 */
#ifndef SLUICE_MEMORY_POLYNOMIAL_HASH_H
#define SLUICE_MEMORY_POLYNOMIAL_HASH_H

#include <stdbool.h>
#include <stdint.h>

enum { POLYNOMIAL_MAX_BITS = 6 };

struct polynomial_hash {
	uint32_t bits;                      /* k; 0: no hash */
	uint32_t taps[POLYNOMIAL_MAX_BITS]; /* by bit of the result: the bits of `above` that are summed into it */
};

/* True when a polynomial is known for this number of places. */
bool polynomial_hash_knows(uint32_t places);

void polynomial_hash_open(struct polynomial_hash *hash, uint32_t places);

static inline uint32_t polynomial_hash_place(const struct polynomial_hash *hash, uint64_t above, uint32_t index)
{
	for (uint32_t bit = 0; bit < hash->bits; bit++)
		index ^= ((uint32_t)__builtin_popcount((uint32_t)above & hash->taps[bit]) & 1) << bit;
	return index;
}

#endif
