// cuRAND: direction numbers. Dimension d > 1 uses the (d - 1)th primitive polynomial over GF(2), ordered by degree and
// then by value. The first direction numbers up to dimension 24 are those of Joe and Kuo (Constructing Sobol Sequences
// with Better Two-Dimensional Projections, SIAM Journal on Scientific Computing 30(5), 2008). Those of the other
// dimensions are odd numbers from SplitMix64. Each dimension is uniform for any such numbers. The two-dimensional
// projections of the latter are not optimized.
#include "directions.h"
#include <curand.h>
#include <curand_kernel.h>

#include <algorithm>
#include <new>

namespace sobol {

namespace {

enum { CHOSEN = 23 };
const unsigned char chosen[CHOSEN][7] = {{1},
                                         {1, 3},
                                         {1, 3, 1},
                                         {1, 1, 1},
                                         {1, 1, 3, 3},
                                         {1, 3, 5, 13},
                                         {1, 1, 5, 5, 17},
                                         {1, 1, 5, 5, 5},
                                         {1, 1, 7, 11, 19},
                                         {1, 1, 5, 1, 1},
                                         {1, 1, 1, 3, 11},
                                         {1, 3, 5, 5, 31},
                                         {1, 3, 3, 9, 7, 49},
                                         {1, 1, 1, 15, 21, 21},
                                         {1, 3, 1, 13, 27, 49},
                                         {1, 1, 1, 15, 7, 5},
                                         {1, 3, 1, 15, 13, 25},
                                         {1, 1, 5, 5, 19, 61},
                                         {1, 3, 7, 11, 23, 15, 103},
                                         {1, 3, 7, 13, 13, 15, 69},
                                         {1, 1, 3, 13, 7, 35, 63},
                                         {1, 3, 5, 9, 1, 25, 53},
                                         {1, 3, 1, 13, 9, 35, 107}};

typedef unsigned long long word64;

int degree_of(unsigned polynomial)
{
	return 31 - __builtin_clz(polynomial);
}

// x to the power n, modulo a polynomial of the degree.
unsigned power_of_x(unsigned n, unsigned polynomial, int degree)
{
	unsigned result = 1, factor = degree > 1 ? 2 : 1;
	for (; n; n >>= 1) {
		unsigned product = 0, square = 0;
		for (int i = degree - 1; i >= 0; i--) {
			product = product << 1 ^ (factor >> i & 1 ? result : 0);
			square = square << 1 ^ (factor >> i & 1 ? factor : 0);
			product = std::min(product, product ^ polynomial);
			square = std::min(square, square ^ polynomial);
		}
		if (n & 1)
			result = product;
		factor = square;
	}
	return result;
}

// True when the powers of x yield all numbers except 0. The polynomial is then also irreducible.
bool is_primitive(unsigned polynomial, int degree)
{
	unsigned order = (1u << degree) - 1, rest = order;
	if (power_of_x(order, polynomial, degree) != 1)
		return false;
	for (unsigned prime = 3; rest > 1; prime += 2) {
		if (prime * prime > rest)
			prime = rest;
		if (rest % prime == 0 && power_of_x(order / prime, polynomial, degree) == 1 && order != prime)
			return false;
		while (rest % prime == 0)
			rest /= prime;
	}
	return true;
}

unsigned next_primitive(unsigned polynomial)
{
	do
		polynomial += 2;
	while (!is_primitive(polynomial, degree_of(polynomial)));
	return polynomial;
}

// Direction number i, from 0, of a dimension other than the first.
word64 first_number(unsigned dimension, int i, word64 &seed)
{
	return dimension - 1 <= CHOSEN ? chosen[dimension - 2][i] : (sluice::random::scrambled(seed) & ((2ull << i) - 1)) | 1;
}

template <typename Word> void make_row(Word *row, unsigned dimension, unsigned polynomial)
{
	const int bits = 8 * sizeof(Word), degree = degree_of(polynomial);
	word64 seed = dimension;
	for (int i = 0; i < degree; i++)
		row[i] = (Word)first_number(dimension, i, seed) << (bits - 1 - i);
	for (int i = degree; i < bits; i++) {
		row[i] = row[i - degree] ^ row[i - degree] >> degree;
		for (int j = 1; j < degree; j++)
			if (polynomial >> (degree - j) & 1)
				row[i] ^= row[i - j];
	}
}

template <typename Word> std::vector<Word> plain()
{
	const int bits = 8 * sizeof(Word);
	std::vector<Word> rows((size_t)DIMENSIONS * bits);
	for (int i = 0; i < bits; i++)
		rows[i] = (Word)1 << (bits - 1 - i);
	unsigned polynomial = 1;
	for (unsigned dimension = 2; dimension <= DIMENSIONS; dimension++) {
		polynomial = next_primitive(polynomial);
		make_row(&rows[(size_t)(dimension - 1) * bits], dimension, polynomial);
	}
	return rows;
}

// Linear scrambling: each bit is added to a random set of lower bits, equal for all numbers of a dimension (Matousek,
// On the L2-Discrepancy for Anchored Boxes, 1998).
template <typename Word> std::vector<Word> mixed(std::vector<Word> rows)
{
	const int bits = 8 * sizeof(Word);
	for (unsigned dimension = 0; dimension < DIMENSIONS; dimension++) {
		word64 seed = ~(word64)dimension;
		Word columns[bits];
		for (int i = 0; i < bits; i++) {
			Word top = (Word)1 << (bits - 1 - i);
			columns[i] = top | ((Word)sluice::random::scrambled(seed) & (top - 1));
		}
		for (int i = 0; i < bits; i++) {
			Word &number = rows[(size_t)dimension * bits + i], sum = 0;
			for (int j = 0; j < bits; j++)
				sum ^= number >> (bits - 1 - j) & 1 ? columns[j] : 0;
			number = sum;
		}
	}
	return rows;
}

template <typename Word> std::vector<Word> made_scrambles()
{
	std::vector<Word> all;
	word64 seed = DIMENSIONS;
	for (int i = 0; i < DIMENSIONS; i++)
		all.push_back((Word)sluice::random::scrambled(seed));
	return all;
}

} // namespace

template <typename Word> const std::vector<Word> &directions(bool scrambled)
{
	static const std::vector<Word> rows = plain<Word>();
	if (!scrambled)
		return rows;
	static const std::vector<Word> others = mixed(rows);
	return others;
}

template <typename Word> const std::vector<Word> &scrambles()
{
	static const std::vector<Word> all = made_scrambles<Word>();
	return all;
}

template const std::vector<unsigned> &directions(bool);
template const std::vector<word64> &directions(bool);
template const std::vector<unsigned> &scrambles();
template const std::vector<word64> &scrambles();

} // namespace sobol

template <typename Row, typename Word>
static curandStatus_t give_directions(Row **to, curandDirectionVectorSet_t set, curandDirectionVectorSet_t plain, curandDirectionVectorSet_t scrambled, Word)
try {
	if (!to || (set != plain && set != scrambled))
		return CURAND_STATUS_OUT_OF_RANGE;
	*to = (Row *)sobol::directions<Word>(set == scrambled).data();
	return CURAND_STATUS_SUCCESS;
} catch (const std::bad_alloc &) {
	return CURAND_STATUS_ALLOCATION_FAILED;
}

template <typename Word> static curandStatus_t give_scrambles(Word **to)
try {
	if (!to)
		return CURAND_STATUS_OUT_OF_RANGE;
	*to = const_cast<Word *>(sobol::scrambles<Word>().data());
	return CURAND_STATUS_SUCCESS;
} catch (const std::bad_alloc &) {
	return CURAND_STATUS_ALLOCATION_FAILED;
}

extern "C" curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set)
{
	return give_directions(vectors, set, CURAND_DIRECTION_VECTORS_32_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6, 0u);
}

extern "C" curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set)
{
	return give_directions(vectors, set, CURAND_DIRECTION_VECTORS_64_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6, 0ull);
}

extern "C" curandStatus_t curandGetScrambleConstants32(unsigned int **constants)
{
	return give_scrambles(constants);
}

extern "C" curandStatus_t curandGetScrambleConstants64(unsigned long long **constants)
{
	return give_scrambles(constants);
}
