// Protects Sobol sequences in curand.h and curand_kernel.h: published first points, and the equidistribution of every
// dimension of every table. Also tests random draws and skips in kernels, generators on device and host, and statuses
// of wrong calls.
// Flags: -lcurand
#include "device_array.h"
#include "random_statistics.h"
#include <curand.h>
#include <curand_kernel.h>
#include <random>
#include <set>

enum { DIMENSIONS = 20000, THREADS = 32, STEPS = 16 };

#define WORKS(call)         CHECK((call) == CURAND_STATUS_SUCCESS)
#define REFUSES(what, call) CHECK((call) == CURAND_STATUS_##what)

static std::mt19937_64 any(7);

// Tables of one word width, and the types that belong to it.
template <typename Word> struct tables;
template <> struct tables<unsigned> {
	enum { BITS = 32 };
	static const curandRngType_t types[2];
	typedef curandStateSobol32_t plain_state;
	typedef curandStateScrambledSobol32_t scrambled_state;
	const unsigned (*rows[2])[BITS];
	const unsigned *scrambles;
	tables()
	{
		WORKS(curandGetDirectionVectors32((curandDirectionVectors32_t **)&rows[0], CURAND_DIRECTION_VECTORS_32_JOEKUO6));
		WORKS(curandGetDirectionVectors32((curandDirectionVectors32_t **)&rows[1], CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
		WORKS(curandGetScrambleConstants32((unsigned **)&scrambles));
	}
	static curandStatus_t words(curandGenerator_t g, unsigned *to, size_t count)
	{
		return curandGenerate(g, to, count);
	}
	static double uniform(unsigned x)
	{
		return (x + 0.5) / 0x1p32;
	}
};
const curandRngType_t tables<unsigned>::types[2] = {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32};
typedef unsigned long long wide_word;
template <> struct tables<wide_word> {
	enum { BITS = 64 };
	static const curandRngType_t types[2];
	typedef curandStateSobol64_t plain_state;
	typedef curandStateScrambledSobol64_t scrambled_state;
	const wide_word (*rows[2])[BITS];
	const wide_word *scrambles;
	tables()
	{
		WORKS(curandGetDirectionVectors64((curandDirectionVectors64_t **)&rows[0], CURAND_DIRECTION_VECTORS_64_JOEKUO6));
		WORKS(curandGetDirectionVectors64((curandDirectionVectors64_t **)&rows[1], CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
		WORKS(curandGetScrambleConstants64((wide_word **)&scrambles));
	}
	static curandStatus_t words(curandGenerator_t g, wide_word *to, size_t count)
	{
		return curandGenerateLongLong(g, to, count);
	}
	static double uniform(wide_word x)
	{
		return (double)((x >> 11) + 1) / 0x1p53;
	}
};
const curandRngType_t tables<wide_word>::types[2] = {CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};

// Number i: the sum of the direction numbers in i's Gray code.
template <typename Word> static Word number(const Word *row, Word first, Word i)
{
	for (unsigned bit = 0; bit < 8 * sizeof(Word); bit++)
		if ((i ^ i >> 1) >> bit & 1)
			first ^= row[bit];
	return first;
}

// Joe and Kuo's first three dimensions, and numbers seven to nine of the 24th.
static void test_known_answers(const tables<unsigned> &t)
{
	static const int eighths[3][8] = {{0, 4, 6, 2, 3, 7, 5, 1}, {0, 4, 2, 6, 3, 7, 1, 5}, {0, 4, 2, 6, 5, 1, 7, 3}};
	for (int d = 0; d < 3; d++)
		for (unsigned i = 0; i < 8; i++)
			CHECK(number(t.rows[0][d], 0u, i) == (unsigned)eighths[d][i] << 29);
	CHECK(t.rows[0][23][6] == 107u << 25);
}

// True if the first 2^k numbers all differ in their first k bits, for all k: elimination from the top bit always finds
// a pivot.
template <typename Word> static bool lies_evenly(const Word *row)
{
	const int bits = 8 * sizeof(Word);
	Word left[bits];
	for (int i = 0; i < bits; i++) {
		Word x = row[i];
		for (int j = 0; j < i; j++)
			if (x >> (bits - 1 - j) & 1)
				x ^= left[j];
		left[i] = x;
		if (!(x >> (bits - 1 - i) & 1))
			return false;
	}
	return true;
}

template <typename Word> static void test_tables(const tables<Word> &t)
{
	for (bool scrambled : {false, true}) {
		std::set<std::vector<Word>> different;
		size_t uneven = 0;
		for (int d = 0; d < DIMENSIONS; d++) {
			const Word *row = t.rows[scrambled][d];
			uneven += !lies_evenly(row);
			different.insert(std::vector<Word>(row, row + tables<Word>::BITS));
		}
		CHECK(uneven == 0);
		CHECK(different.size() == DIMENSIONS);
	}
	CHECK(std::set<Word>(t.scrambles, t.scrambles + DIMENSIONS).size() > DIMENSIONS - 10);
}

static void test_widths(const tables<unsigned> &narrow, const tables<wide_word> &wide)
{
	size_t wrong = 0;
	for (int d = 0; d < DIMENSIONS; d++)
		for (int i = 0; i < 32; i++)
			wrong += wide.rows[0][d][i] >> 32 != narrow.rows[0][d][i];
	CHECK(wrong == 0);
}

struct drawn {
	wide_word word;
	float uniform, normal;
	double uniform_double, normal_double;
};

template <typename Word> __device__ static void begin(const Word *row, Word, Word offset, sluice::random::sobol_state<Word, sluice::random::SOBOL_PLAIN> *s)
{
	curand_init(row, offset, s);
}
template <typename Word>
__device__ static void begin(const Word *row, Word scramble, Word offset, sluice::random::sobol_state<Word, sluice::random::SOBOL_SCRAMBLED> *s)
{
	curand_init(row, scramble, offset, s);
}

// Each thread makes its own skips; all kinds of numbers are taken at one position.
template <typename State, typename Word> __global__ void play(const Word *row, Word scramble, const wide_word *skips, drawn *results)
{
	State state;
	begin(row, scramble, (Word)skips[threadIdx.x], &state);
	for (int i = 0; i < STEPS; i++) {
		drawn &r = results[threadIdx.x * STEPS + i];
		State copy = state;
		r.uniform = curand_uniform(&copy);
		copy = state;
		r.normal = curand_normal(&copy);
		copy = state;
		r.uniform_double = curand_uniform_double(&copy);
		copy = state;
		r.normal_double = curand_normal_double(&copy);
		r.word = curand(&state);
		if (i % 3 == 0)
			skipahead(skips[threadIdx.x * STEPS + i], &state);
	}
}

template <typename State, typename Word> static void test_states(const Word *row, Word scramble)
{
	std::vector<wide_word> skips(THREADS * STEPS);
	for (wide_word &skip : skips)
		skip = any() >> any() % 64;
	device_array<wide_word> on_device(skips);
	device_array<Word> directions(std::vector<Word>(row, row + 8 * sizeof(Word)));
	device_array<drawn> results(THREADS * STEPS);
	play<State><<<1, THREADS>>>((Word *)directions, scramble, on_device, results);
	std::vector<drawn> got = results.read();
	size_t wrong = 0;
	for (int t = 0; t < THREADS; t++) {
		Word at = (Word)skips[t];
		for (int i = 0; i < STEPS; i++) {
			const drawn &r = got[t * STEPS + i];
			Word wanted = number(row, scramble, at);
			double u = tables<Word>::uniform(wanted);
			wrong += r.word != wanted || fabs(r.uniform - u) > 0x1p-24 || r.uniform_double != u;
			wrong += fabs(share_of_normal(r.normal_double) - u) > 1e-14 || r.normal != (float)r.normal_double;
			at += 1 + (i % 3 ? 0 : (Word)skips[t * STEPS + i]);
		}
	}
	CHECK(wrong == 0);
}

// The numbers of a call: `make` fills an array on the host or the device.
template <typename T, typename F> static std::vector<T> made(curandGenerator_t g, bool on_host, size_t count, F call)
{
	std::vector<T> numbers(count);
	if (on_host) {
		WORKS(call(g, numbers.data(), count));
		return numbers;
	}
	device_array<T> on_device(numbers);
	WORKS(call(g, (T *)on_device, count));
	return on_device.read();
}

template <typename Word> static void test_calls(const tables<Word> &t, bool scrambled, bool on_host)
{
	curandGenerator_t g;
	WORKS((on_host ? curandCreateGeneratorHost : curandCreateGenerator)(&g, tables<Word>::types[scrambled]));
	unsigned dimensions = 1;
	for (wide_word offset : {(wide_word)0, (wide_word)(any() >> any() % 64)}) {
		WORKS(curandSetGeneratorOffset(g, offset));
		wide_word at = offset;
		size_t wrong = 0;
		auto word = [&](size_t i, size_t each) {
			size_t d = i / each;
			return number(t.rows[scrambled][d], scrambled ? t.scrambles[d] : 0, (Word)(at + i % each));
		};
		for (size_t each : {any() % 700 + 1, any() % 5000 + 1}) {
			size_t count = each * dimensions;
			auto words = made<Word>(g, on_host, count, tables<Word>::words);
			for (size_t i = 0; i < count; i++)
				wrong += words[i] != word(i, each);
			at += each;
			auto uniform = made<double>(g, on_host, count, curandGenerateUniformDouble);
			for (size_t i = 0; i < count; i++)
				wrong += uniform[i] != tables<Word>::uniform(word(i, each));
			at += each;
			auto normal = made<float>(g, on_host, count, [](auto... a) { return curandGenerateNormal(a..., 3, 2); });
			for (size_t i = 0; i < count; i++)
				wrong += fabs(share_of_normal((normal[i] - 3.0) / 2) - tables<Word>::uniform(word(i, each))) > 1e-6;
			at += each;
		}
		CHECK(wrong == 0);
		dimensions = (unsigned)(any() % 40 + 2);
		WORKS(curandSetQuasiRandomGeneratorDimensions(g, dimensions));
	}
	WORKS(curandDestroyGenerator(g));
}

static void test_wrong_calls()
{
	curandGenerator_t g, wide;
	WORKS(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_DEFAULT));
	WORKS(curandCreateGeneratorHost(&wide, CURAND_RNG_QUASI_SOBOL64));
	unsigned x[4] = {};
	wide_word y[4] = {};
	WORKS(curandSetQuasiRandomGeneratorDimensions(g, 3));
	REFUSES(LENGTH_NOT_MULTIPLE, curandGenerate(g, x, 4));
	REFUSES(OUT_OF_RANGE, curandSetQuasiRandomGeneratorDimensions(g, 0));
	REFUSES(OUT_OF_RANGE, curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS + 1));
	WORKS(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS));
	WORKS(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT));
	REFUSES(OUT_OF_RANGE, curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DEFAULT));
	REFUSES(TYPE_ERROR, curandSetPseudoRandomGeneratorSeed(g, 1));
	REFUSES(TYPE_ERROR, curandGeneratePoisson(wide, x, 1, 3));
	REFUSES(TYPE_ERROR, curandGenerateLongLong(g, y, 1));
	REFUSES(TYPE_ERROR, curandGenerate(wide, x, 1));
	CHECK(!x[0] && !y[0]);
	curandDirectionVectors32_t *rows;
	curandDirectionVectors64_t *wide_rows;
	REFUSES(OUT_OF_RANGE, curandGetDirectionVectors32(&rows, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
	REFUSES(OUT_OF_RANGE, curandGetDirectionVectors64(&wide_rows, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
	WORKS(curandDestroyGenerator(g));
	WORKS(curandDestroyGenerator(wide));
}

template <typename Word> static void test_width(const tables<Word> &t)
{
	test_tables(t);
	for (size_t d : {(size_t)0, (size_t)(any() % DIMENSIONS), (size_t)DIMENSIONS - 1}) {
		test_states<typename tables<Word>::plain_state>(t.rows[0][d], (Word)0);
		test_states<typename tables<Word>::scrambled_state>(t.rows[1][d], t.scrambles[d]);
	}
	for (bool scrambled : {false, true})
		for (bool on_host : {false, true})
			test_calls(t, scrambled, on_host);
}

int main()
{
	tables<unsigned> narrow;
	tables<wide_word> wide;
	test_known_answers(narrow);
	test_widths(narrow, wide);
	test_width(narrow);
	test_width(wide);
	test_wrong_calls();
	return finish();
}
