// cuRAND: generators, and the kernels that fill arrays on the device.
#include "directions.h"
#include <curand.h>
#include <curand_kernel.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

enum { SEQUENCES = 4096, THREADS = 128 };

static const double MAX_POISSON_MEAN = 400000;

namespace {

// Functions that draw one number of an array from a generator state.
struct bits {
	typedef unsigned number;
	template <typename State> __host__ __device__ number operator()(State *state) const
	{
		return curand(state);
	}
};

struct long_bits {
	typedef unsigned long long number;
	template <typename State> __host__ __device__ number operator()(State *state) const
	{
		return curand(state);
	}
};

template <typename T> struct uniform;
template <> struct uniform<float> {
	typedef float number;
	template <typename State> __host__ __device__ number operator()(State *state) const
	{
		return curand_uniform(state);
	}
};
template <> struct uniform<double> {
	typedef double number;
	template <typename State> __host__ __device__ number operator()(State *state) const
	{
		return curand_uniform_double(state);
	}
};

template <typename T> struct normal;
template <> struct normal<float> {
	typedef float number;
	float mean, stddev;
	template <typename State> __host__ __device__ number operator()(State *state) const
	{
		return mean + stddev * curand_normal(state);
	}
};
template <> struct normal<double> {
	typedef double number;
	double mean, stddev;
	template <typename State> __host__ __device__ number operator()(State *state) const
	{
		return mean + stddev * curand_normal_double(state);
	}
};

template <typename T> struct log_normal {
	typedef T number;
	normal<T> exponent;
	template <typename State> __host__ __device__ number operator()(State *state) const
	{
		return exp(exponent(state));
	}
};

struct poisson {
	typedef unsigned number;
	double mean;
	template <typename State> __host__ __device__ number operator()(State *state) const
	{
		return curand_poisson(state, mean);
	}
};

} // namespace

// Fills the elements that belong to `sequence`; `turn` is the sequence of the first element.
template <typename State, typename Draw>
static __host__ __device__ void fill(State *states, unsigned sequence, unsigned turn, typename Draw::number *to, size_t count,
                                     const Draw &draw)
{
	size_t i = (sequence - turn) % SEQUENCES;
	if (i >= count)
		return;
	State state = states[sequence];
	for (; i < count; i += SEQUENCES)
		to[i] = draw(&state);
	states[sequence] = state;
}

template <typename State, typename Draw>
__global__ void curand_fill(State *states, unsigned turn, typename Draw::number *to, size_t count, Draw draw)
{
	fill(states, blockIdx.x * THREADS + threadIdx.x, turn, to, count, draw);
}

// Number `at` of a quasi-random sequence, converted by `draw`.
template <typename Word, typename Draw>
static __host__ __device__ typename Draw::number quasi(const Word *directions, Word scramble, Word at, const Draw &draw)
{
	using namespace sluice::random;
	sobol_state<Word, SOBOL_NUMBER> state = {scramble ^ sobol_sum(directions, gray_code(at))};
	return draw(&state);
}

// One row of blocks per dimension; `scrambles` follow the direction numbers in memory.
template <typename Word, typename Draw>
__global__ void curand_fill_quasi(const Word *directions, const Word *scrambles, Word first, typename Draw::number *to, size_t each, Draw draw)
{
	unsigned dimension = blockIdx.y;
	for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < each; i += gridDim.x * THREADS)
		to[dimension * each + i] =
			quasi(directions + dimension * 8 * sizeof(Word), scrambles[dimension], (Word)(first + i), draw);
}

struct curandGenerator_st {
	const curandRngType_t type;
	const bool on_host;
	unsigned long long seed = 0, offset = 0;
	cudaStream_t stream = nullptr;
	bool seeded = false;
	unsigned turn = 0;                        // sequence of the next number; valid if seeded
	std::vector<curandStateXORWOW_t> xorwow;  // a host generator uses one of these two
	std::vector<curandStatePhilox4_32_10_t> philox;
	unsigned dimensions = 1;      // of quasi-random generators, which do not use `turn`
	unsigned long long point = 0; // index of their next point; valid if seeded
	void *on_device = nullptr;

	curandGenerator_st(curandRngType_t type, bool on_host) : type(type), on_host(on_host)
	{
	}
	curandGenerator_st(const curandGenerator_st &) = delete;
	bool is_quasi() const
	{
		return type >= CURAND_RNG_QUASI_DEFAULT;
	}
	bool is_wide() const // numbers of 64 bits
	{
		return type >= CURAND_RNG_QUASI_SOBOL64;
	}
	bool is_scrambled() const
	{
		return type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
	}
	~curandGenerator_st()
	{
		cudaFree(on_device);
	}
};

// The host computes the start states: skips are long, and equal for all programs.
template <typename State> static std::vector<State> first_states(unsigned long long seed, unsigned long long offset)
{
	std::vector<State> states(SEQUENCES);
	State state;
	curand_init(seed, 0, 0, &state);
	for (unsigned i = 0; i < SEQUENCES; i++) {
		states[i] = state;
		skipahead(offset / SEQUENCES + (i < offset % SEQUENCES), &states[i]);
		skipahead_sequence(1, &state);
	}
	return states;
}

template <typename State> static curandStatus_t seed(curandGenerator_st &g, std::vector<State> &states)
{
	states = first_states<State>(g.seed, g.offset);
	if (!g.on_host) {
		size_t bytes = SEQUENCES * sizeof(State);
		if (!g.on_device && cudaMalloc(&g.on_device, bytes) != cudaSuccess)
			return CURAND_STATUS_ALLOCATION_FAILED;
		if (cudaMemcpyAsync(g.on_device, states.data(), bytes, cudaMemcpyHostToDevice, g.stream) != cudaSuccess ||
		    cudaStreamSynchronize(g.stream) != cudaSuccess)
			return CURAND_STATUS_INITIALIZATION_FAILED;
		states.clear();
	}
	g.turn = g.offset % SEQUENCES;
	g.seeded = true;
	return CURAND_STATUS_SUCCESS;
}

template <typename State, typename Draw>
static curandStatus_t generate(curandGenerator_st &g, std::vector<State> &states, typename Draw::number *to, size_t count, const Draw &draw)
{
	if (!g.seeded) {
		curandStatus_t status = seed(g, states);
		if (status != CURAND_STATUS_SUCCESS)
			return status;
	}
	if (g.on_host) {
		for (unsigned sequence = 0; sequence < SEQUENCES; sequence++)
			fill(states.data(), sequence, g.turn, to, count, draw);
	} else if (count) {
		curand_fill<<<SEQUENCES / THREADS, THREADS, 0, g.stream>>>((State *)g.on_device, g.turn, to, count, draw);
		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_LAUNCH_FAILURE;
	}
	g.turn = (g.turn + count) % SEQUENCES;
	return CURAND_STATUS_SUCCESS;
}

// Direction numbers of the generator's dimensions, followed by their start values.
template <typename Word> static std::vector<Word> quasi_table(const curandGenerator_st &g)
{
	const Word *rows = sobol::directions<Word>(g.is_scrambled()).data();
	std::vector<Word> table(rows, rows + (size_t)g.dimensions * 8 * sizeof(Word));
	if (g.is_scrambled())
		table.insert(table.end(), &sobol::scrambles<Word>()[0], &sobol::scrambles<Word>()[0] + g.dimensions);
	else
		table.resize(table.size() + g.dimensions);
	return table;
}

template <typename Word> static curandStatus_t begin_quasi(curandGenerator_st &g)
{
	if (!g.on_host) {
		std::vector<Word> table = quasi_table<Word>(g);
		cudaFree(g.on_device);
		g.on_device = nullptr;
		if (cudaMalloc(&g.on_device, table.size() * sizeof(Word)) != cudaSuccess)
			return CURAND_STATUS_ALLOCATION_FAILED;
		if (cudaMemcpy(g.on_device, table.data(), table.size() * sizeof(Word), cudaMemcpyHostToDevice) != cudaSuccess)
			return CURAND_STATUS_INITIALIZATION_FAILED;
	}
	g.point = g.offset;
	g.seeded = true;
	return CURAND_STATUS_SUCCESS;
}

template <typename Word, typename Draw>
static curandStatus_t generate_quasi(curandGenerator_st &g, typename Draw::number *to, size_t count, const Draw &draw)
{
	if (count % g.dimensions)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	curandStatus_t status = g.seeded ? CURAND_STATUS_SUCCESS : begin_quasi<Word>(g);
	if (status != CURAND_STATUS_SUCCESS)
		return status;
	const size_t each = count / g.dimensions, row = 8 * sizeof(Word);
	if (g.on_host) {
		std::vector<Word> table = quasi_table<Word>(g);
		for (size_t i = 0; i < count; i++)
			to[i] = quasi(&table[i / each * row], table[g.dimensions * row + i / each], (Word)(g.point + i % each), draw);
	} else if (count) {
		dim3 grid((unsigned)std::min(each / THREADS + 1, (size_t)(SEQUENCES / THREADS)), g.dimensions);
		const Word *table = (const Word *)g.on_device;
		curand_fill_quasi<<<grid, THREADS, 0, g.stream>>>(table, table + g.dimensions * row, (Word)g.point, to, each, draw);
		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_LAUNCH_FAILURE;
	}
	g.point += each;
	return CURAND_STATUS_SUCCESS;
}

template <typename Draw>
static curandStatus_t generate(curandGenerator_t g, typename Draw::number *to, size_t count, const Draw &draw)
try {
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!g->on_host && cudaPeekAtLastError() != cudaSuccess)
		return CURAND_STATUS_PREEXISTING_FAILURE;
	if (g->is_wide())
		return generate_quasi<unsigned long long>(*g, to, count, draw);
	if (g->is_quasi())
		return generate_quasi<unsigned>(*g, to, count, draw);
	return g->type == CURAND_RNG_PSEUDO_XORWOW ? generate(*g, g->xorwow, to, count, draw) : generate(*g, g->philox, to, count, draw);
} catch (const std::bad_alloc &) {
	return CURAND_STATUS_ALLOCATION_FAILED;
}

// Generates numbers in pairs, except for quasi-random generators.
template <typename Draw>
static curandStatus_t generate_pairs(curandGenerator_t g, typename Draw::number *to, size_t count, const Draw &draw)
{
	return g && !g->is_quasi() && count % 2 ? CURAND_STATUS_LENGTH_NOT_MULTIPLE : generate(g, to, count, draw);
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host)
{
	if (type == CURAND_RNG_PSEUDO_DEFAULT)
		type = CURAND_RNG_PSEUDO_XORWOW;
	if (type == CURAND_RNG_QUASI_DEFAULT)
		type = CURAND_RNG_QUASI_SOBOL32;
	bool is_sobol = type >= CURAND_RNG_QUASI_SOBOL32 && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
	if (!is_sobol && type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_PHILOX4_32_10)
		return CURAND_STATUS_TYPE_ERROR;
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	*generator = new (std::nothrow) curandGenerator_st(type, on_host);
	return *generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

extern "C" curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
	return create(generator, type, false);
}

extern "C" curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
	return create(generator, type, true);
}

extern "C" curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	delete generator;
	return CURAND_STATUS_SUCCESS;
}

extern "C" curandStatus_t curandGetVersion(int *version)
{
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}

extern "C" curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (generator->is_quasi())
		return CURAND_STATUS_TYPE_ERROR;
	generator->seed = seed;
	generator->seeded = false;
	return CURAND_STATUS_SUCCESS;
}

extern "C" curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->offset = offset;
	generator->seeded = false;
	return CURAND_STATUS_SUCCESS;
}

extern "C" curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	bool is_pseudo = order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_LEGACY;
	if (generator->is_quasi() ? order != CURAND_ORDERING_QUASI_DEFAULT : !is_pseudo)
		return CURAND_STATUS_OUT_OF_RANGE;
	generator->seeded = false;
	return CURAND_STATUS_SUCCESS;
}

extern "C" curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int count)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!generator->is_quasi())
		return CURAND_STATUS_TYPE_ERROR;
	if (count < 1 || count > sobol::DIMENSIONS)
		return CURAND_STATUS_OUT_OF_RANGE;
	generator->dimensions = count;
	generator->seeded = false;
	return CURAND_STATUS_SUCCESS;
}

extern "C" curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->stream = stream;
	return CURAND_STATUS_SUCCESS;
}

extern "C" curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
	return generate(generator, nullptr, 0, bits());
}

extern "C" curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *to, size_t count)
{
	return generator && generator->is_wide() ? CURAND_STATUS_TYPE_ERROR : generate(generator, to, count, bits());
}

extern "C" curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *to, size_t count)
{
	return generator && !generator->is_wide() ? CURAND_STATUS_TYPE_ERROR : generate(generator, to, count, long_bits());
}

extern "C" curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *to, size_t count)
{
	return generate(generator, to, count, uniform<float>());
}

extern "C" curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *to, size_t count)
{
	return generate(generator, to, count, uniform<double>());
}

extern "C" curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *to, size_t count, float mean, float stddev)
{
	return generate_pairs(generator, to, count, normal<float>{mean, stddev});
}

extern "C" curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean, double stddev)
{
	return generate_pairs(generator, to, count, normal<double>{mean, stddev});
}

extern "C" curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *to, size_t count, float mean, float stddev)
{
	return generate_pairs(generator, to, count, log_normal<float>{{mean, stddev}});
}

extern "C" curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *to, size_t count, double mean, double stddev)
{
	return generate_pairs(generator, to, count, log_normal<double>{{mean, stddev}});
}

static bool is_poisson_mean(double mean)
{
	return mean > 0 && mean <= MAX_POISSON_MEAN;
}

extern "C" curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *to, size_t count, double mean)
{
	if (generator && generator->is_quasi())
		return CURAND_STATUS_TYPE_ERROR;
	return generator && !is_poisson_mean(mean) ? CURAND_STATUS_OUT_OF_RANGE : generate(generator, to, count, poisson{mean});
}

// Cumulative probabilities from `first` on. Beyond 10 standard deviations plus 40, the rest is below the last place of
// 1 in double.
static std::vector<double> poisson_sums(double mean, unsigned *first)
{
	double reach = 10 * sqrt(mean) + 40, sum = 0;
	*first = mean > reach ? (unsigned)(mean - reach) : 0;
	std::vector<double> sums;
	for (double k = *first; k <= mean + reach; k++)
		sums.push_back(sum += exp(k * log(mean) - mean - lgamma(k + 1)));
	sums.back() = 1;
	return sums;
}

extern "C" curandStatus_t curandCreatePoissonDistribution(double mean, curandDiscreteDistribution_t *distribution)
try {
	if (!is_poisson_mean(mean) || !distribution)
		return CURAND_STATUS_OUT_OF_RANGE;
	curandDiscreteDistribution_st table;
	std::vector<double> sums = poisson_sums(mean, &table.first);
	table.count = (unsigned)sums.size();
	// the table, followed by its sums
	char *memory;
	if (cudaMalloc((void **)&memory, sizeof table + sums.size() * sizeof(double)) != cudaSuccess)
		return CURAND_STATUS_ALLOCATION_FAILED;
	table.cumulative = (const double *)(memory + sizeof table);
	if (cudaMemcpy(memory, &table, sizeof table, cudaMemcpyHostToDevice) != cudaSuccess ||
	    cudaMemcpy(memory + sizeof table, sums.data(), sums.size() * sizeof(double), cudaMemcpyHostToDevice) != cudaSuccess) {
		cudaFree(memory);
		return CURAND_STATUS_INITIALIZATION_FAILED;
	}
	*distribution = (curandDiscreteDistribution_t)memory;
	return CURAND_STATUS_SUCCESS;
} catch (const std::bad_alloc &) {
	return CURAND_STATUS_ALLOCATION_FAILED;
}

extern "C" curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution)
{
	if (!distribution)
		return CURAND_STATUS_NOT_INITIALIZED;
	cudaFree(distribution);
	return CURAND_STATUS_SUCCESS;
}
