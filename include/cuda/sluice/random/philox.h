/* random/philox: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011,
 * section 4.3). Computes four words from a 128-bit counter and a 64-bit key.
 *
 * The key is the seed. The counter's high half is the subsequence; its low half counts blocks of four numbers.
 */
#ifndef SLUICE_RANDOM_PHILOX_H
#define SLUICE_RANDOM_PHILOX_H

#include "state.h"

struct curandStatePhilox4_32_10 {
	uint4 counter, block; /* `block`: the numbers for `counter` */
	uint2 key;
	unsigned int used; /* numbers of the block already used, 0 to 3 */
	sluice::random::spare_normals spare;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace sluice
{
namespace random
{

SLUICE_RANDOM unsigned high_word(unsigned a, unsigned b)
{
	return (unsigned)((unsigned long long)a * b >> 32);
}

SLUICE_RANDOM uint4 philox4x32_10(uint4 counter, uint2 key)
{
	const unsigned m0 = 0xd2511f53, m1 = 0xcd9e8d57;
	for (int round = 0; round < 10; round++) {
		counter = make_uint4(high_word(m1, counter.z) ^ counter.y ^ key.x, m1 * counter.z,
		                     high_word(m0, counter.x) ^ counter.w ^ key.y, m0 * counter.x);
		key.x += 0x9e3779b9;
		key.y += 0xbb67ae85;
	}
	return counter;
}

SLUICE_RANDOM unsigned long long joined(unsigned low, unsigned high)
{
	return (unsigned long long)high << 32 | low;
}

/* Advances by `blocks` blocks and `rounds` times 2^64 blocks. */
SLUICE_RANDOM void advance(curandStatePhilox4_32_10 *state, unsigned long long blocks, unsigned long long rounds)
{
	unsigned long long low = joined(state->counter.x, state->counter.y) + blocks;
	unsigned long long high = joined(state->counter.z, state->counter.w) + rounds + (low < blocks);
	state->counter = make_uint4((unsigned)low, (unsigned)(low >> 32), (unsigned)high, (unsigned)(high >> 32));
	state->block = philox4x32_10(state->counter, state->key);
}

/* Selects by comparisons, so that states stay in registers. */
SLUICE_RANDOM unsigned number_of(const uint4 &block, unsigned i)
{
	return i == 0 ? block.x : i == 1 ? block.y : i == 2 ? block.z : block.w;
}

} // namespace random
} // namespace sluice

/* Skips n numbers. A stored second normal number (curand_normal) stays. */
SLUICE_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
	unsigned used = state->used + (unsigned)(n & 3);
	state->used = used & 3;
	sluice::random::advance(state, (n >> 2) + (used >> 2), 0);
}

/* Skips n * 2^66 numbers. */
SLUICE_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
	sluice::random::advance(state, 0, n);
}

SLUICE_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStatePhilox4_32_10_t *state)
{
	*state = {};
	state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
	state->counter = make_uint4(0, 0, (unsigned)subsequence, (unsigned)(subsequence >> 32));
	skipahead(offset, state);
}

SLUICE_RANDOM unsigned int curand(curandStatePhilox4_32_10_t *state)
{
	unsigned number = sluice::random::number_of(state->block, state->used);
	if (++state->used == 4) {
		state->used = 0;
		sluice::random::advance(state, 1, 0);
	}
	return number;
}

/* Returns the next four numbers. */
SLUICE_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *state)
{
	uint4 a = state->block;
	sluice::random::advance(state, 1, 0);
	uint4 b = state->block;
	switch (state->used) {
	case 0:
		return a;
	case 1:
		return make_uint4(a.y, a.z, a.w, b.x);
	case 2:
		return make_uint4(a.z, a.w, b.x, b.y);
	default:
		return make_uint4(a.w, b.x, b.y, b.z);
	}
}

#endif
