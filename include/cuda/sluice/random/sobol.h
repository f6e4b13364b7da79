/* random/sobol: Sobol sequences (Bratley and Fox, Algorithm 659: Implementing Sobol's Quasirandom Sequence Generator,
 * ACM TOMS 14(1), 1988). Number i is the exclusive or of the direction numbers selected by the bits of i's Gray code.
 * So consecutive numbers differ by one direction number (Antonov and Saleev, 1979).
 *
 * A state describes one dimension. All distributions take one number each. Normal numbers are computed by inversion,
 * because pairs of consecutive numbers are not evenly distributed.
 */
#ifndef SLUICE_RANDOM_SOBOL_H
#define SLUICE_RANDOM_SOBOL_H

#include "distributions.h"

namespace sluice
{
namespace random
{

enum sobol_kind { SOBOL_NUMBER, SOBOL_PLAIN, SOBOL_SCRAMBLED };

template <typename Word, sobol_kind KIND> struct sobol_state {
	Word x, index, directions[8 * sizeof(Word)];
};
/* A single number; it is always the next. */
template <typename Word> struct sobol_state<Word, SOBOL_NUMBER> {
	Word x;
};

/* Returns the exclusive or of the direction numbers selected by a Gray code. */
template <typename Word> SLUICE_RANDOM Word sobol_sum(const Word *directions, Word gray)
{
	Word sum = 0;
	for (int i = 0; gray; i++, gray >>= 1)
		sum ^= directions[i] & (Word)-(gray & 1);
	return sum;
}

template <typename Word> SLUICE_RANDOM Word gray_code(Word i)
{
	return i ^ i >> 1;
}

template <typename Word, sobol_kind KIND>
SLUICE_RANDOM void sobol_begin(const Word *directions, Word x, Word offset, sobol_state<Word, KIND> *state)
{
	for (unsigned i = 0; i < 8 * sizeof(Word); i++)
		state->directions[i] = directions[i];
	state->index = offset;
	state->x = x ^ sobol_sum(directions, gray_code(offset));
}

SLUICE_RANDOM float sobol_uniform(unsigned x, float)
{
	return uniform(x);
}
SLUICE_RANDOM float sobol_uniform(unsigned long long x, float)
{
	return uniform((unsigned)(x >> 32));
}
SLUICE_RANDOM double sobol_uniform(unsigned x, double)
{
	return x * 0x1p-32 + 0x1p-33;
}
SLUICE_RANDOM double sobol_uniform(unsigned long long x, double)
{
	return uniform((unsigned)(x >> 32), (unsigned)x);
}

/* Always finite: numbers that round to 1 are replaced by the double below 1. */
template <typename Word> SLUICE_RANDOM double sobol_normal(Word x)
{
	double u = sobol_uniform(x, 0.0);
	return normcdfinv(u < 1 ? u : 1 - 0x1p-53);
}

} // namespace random
} // namespace sluice

typedef sluice::random::sobol_state<unsigned int, sluice::random::SOBOL_PLAIN> curandStateSobol32_t, curandStateSobol32;
typedef sluice::random::sobol_state<unsigned int, sluice::random::SOBOL_SCRAMBLED> curandStateScrambledSobol32_t, curandStateScrambledSobol32;
typedef sluice::random::sobol_state<unsigned long long, sluice::random::SOBOL_PLAIN> curandStateSobol64_t, curandStateSobol64;
typedef sluice::random::sobol_state<unsigned long long, sluice::random::SOBOL_SCRAMBLED> curandStateScrambledSobol64_t,
	curandStateScrambledSobol64;

/* `directions` belongs to one dimension (curandGetDirectionVectors32) and is in memory that the caller can read. */
SLUICE_RANDOM void curand_init(const unsigned int *directions, unsigned int offset, curandStateSobol32_t *state)
{
	sluice::random::sobol_begin(directions, 0u, offset, state);
}
SLUICE_RANDOM void curand_init(const unsigned int *directions, unsigned int scramble, unsigned int offset,
                               curandStateScrambledSobol32_t *state)
{
	sluice::random::sobol_begin(directions, scramble, offset, state);
}
SLUICE_RANDOM void curand_init(const unsigned long long *directions, unsigned long long offset, curandStateSobol64_t *state)
{
	sluice::random::sobol_begin(directions, 0ull, offset, state);
}
SLUICE_RANDOM void curand_init(const unsigned long long *directions, unsigned long long scramble, unsigned long long offset,
                               curandStateScrambledSobol64_t *state)
{
	sluice::random::sobol_begin(directions, scramble, offset, state);
}

/* Skips n numbers, modulo the sequence's length, 2^(bits of Word). */
template <typename Word, sluice::random::sobol_kind KIND>
SLUICE_RANDOM void skipahead(unsigned long long n, sluice::random::sobol_state<Word, KIND> *state)
{
	Word before = sluice::random::gray_code(state->index);
	state->index += (Word)n;
	state->x ^= sluice::random::sobol_sum(state->directions, (Word)(before ^ sluice::random::gray_code(state->index)));
}

template <typename Word> SLUICE_RANDOM Word curand(sluice::random::sobol_state<Word, sluice::random::SOBOL_NUMBER> *state)
{
	return state->x;
}
template <typename Word, sluice::random::sobol_kind KIND> SLUICE_RANDOM Word curand(sluice::random::sobol_state<Word, KIND> *state)
{
	Word number = state->x;
	skipahead(1, state);
	return number;
}

/* Preferred by overload resolution to the functions for any state (random/distributions). */
template <typename Word, sluice::random::sobol_kind KIND> SLUICE_RANDOM float curand_uniform(sluice::random::sobol_state<Word, KIND> *state)
{
	return sluice::random::sobol_uniform(curand(state), 0.0f);
}
template <typename Word, sluice::random::sobol_kind KIND>
SLUICE_RANDOM double curand_uniform_double(sluice::random::sobol_state<Word, KIND> *state)
{
	return sluice::random::sobol_uniform(curand(state), 0.0);
}
template <typename Word, sluice::random::sobol_kind KIND> SLUICE_RANDOM float curand_normal(sluice::random::sobol_state<Word, KIND> *state)
{
	return (float)sluice::random::sobol_normal(curand(state));
}
template <typename Word, sluice::random::sobol_kind KIND>
SLUICE_RANDOM double curand_normal_double(sluice::random::sobol_state<Word, KIND> *state)
{
	return sluice::random::sobol_normal(curand(state));
}

#endif
