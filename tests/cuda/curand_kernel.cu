// Protects curand_kernel.h: random numbers in kernels against plain models. Random sequences of draws and skips, the
// words that give uniform and normal numbers, published results of Philox, statistics.
// Flags: -lcurand
#include "device_array.h"
#include "random_model.h"
#include "random_statistics.h"
#include <curand_kernel.h>
#include <random>

typedef curandStateXORWOW_t xorwow;
typedef curandStatePhilox4_32_10_t philox;

enum { THREADS = 32, STEPS = 24, SAMPLES = 1 << 15 };

static std::mt19937_64 any(5);

// Small in one of four cases, otherwise of any size.
static uint64_t some_count()
{
	return any() % 4 ? any() >> any() % 64 : any() % 8;
}

enum action { NUMBER, SKIP, SKIP_SEQUENCE, FOUR, ACTIONS };

// In each step all threads make the same call, each with its own count.
struct script {
	uint64_t seed, subsequence, offset;
	int actions[STEPS];
	uint64_t counts[STEPS];
};

__device__ static uint4 four(philox *state)
{
	return curand4(state);
}
__device__ static uint4 four(xorwow *state)
{
	unsigned x = curand(state), y = curand(state), z = curand(state);
	return make_uint4(x, y, z, curand(state));
}

template <typename State> __global__ void play(const script *scripts, uint4 *results)
{
	const script &s = scripts[threadIdx.x];
	State state;
	curand_init(s.seed, s.subsequence, s.offset, &state);
	for (int i = 0; i < STEPS; i++) {
		uint4 result = {};
		if (s.actions[i] == NUMBER)
			result.x = curand(&state);
		else if (s.actions[i] == SKIP)
			skipahead(s.counts[i], &state);
		else if (s.actions[i] == SKIP_SEQUENCE)
			skipahead_sequence(s.counts[i], &state);
		else
			result = four(&state);
		results[threadIdx.x * STEPS + i] = result;
	}
}

template <typename Model> static void check_script(const char *name, const script &s, const uint4 *results)
{
	Model model(s.seed, s.subsequence, s.offset);
	for (int i = 0; i < STEPS; i++) {
		unsigned wanted[4] = {};
		if (s.actions[i] == SKIP)
			model.skip(s.counts[i]);
		else if (s.actions[i] == SKIP_SEQUENCE)
			model.skip_sequence(s.counts[i]);
		else
			for (int j = 0; j < (s.actions[i] == FOUR ? 4 : 1); j++)
				wanted[j] = model.next();
		if (memcmp(wanted, &results[i], sizeof wanted)) {
			fprintf(stderr, "%s: step %d, action %d: %08x, expected %08x\n", name, i, s.actions[i], results[i].x, wanted[0]);
			failures++;
			return;
		}
	}
}

template <typename State, typename Model> static void test_orders(const char *name)
{
	std::vector<script> scripts(THREADS);
	for (script &s : scripts)
		s = {any() >> any() % 64, some_count(), some_count(), {}, {}};
	for (int i = 0; i < STEPS; i++) {
		int act = (int)(any() % ACTIONS);
		for (script &s : scripts) {
			s.actions[i] = act;
			s.counts[i] = some_count();
		}
	}
	device_array<script> on_device(scripts);
	device_array<uint4> results(THREADS * STEPS);
	play<State><<<1, THREADS>>>(on_device, results);
	std::vector<uint4> got = results.read();
	for (int t = 0; t < THREADS; t++)
		check_script<Model>(name, scripts[t], &got[t * STEPS]);
}

__global__ void at_counter(uint64_t seed, uint64_t high, uint64_t low, uint4 *result)
{
	philox state;
	curand_init(seed, high, 0, &state);
	for (int i = 0; i < 4; i++)
		skipahead(low, &state);
	*result = curand4(&state);
}

static void known_answer(uint64_t seed, uint64_t high, uint64_t low, uint4 wanted)
{
	device_array<uint4> result(1);
	at_counter<<<1, 1>>>(seed, high, low, result);
	uint4 got = result.read()[0];
	CHECK(got.x == wanted.x && got.y == wanted.y && got.z == wanted.z && got.w == wanted.w);
}

// Random123's file of known answers: philox4x32 with 10 rounds.
static void test_known_answers()
{
	known_answer(0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
	known_answer(~0ull, ~0ull, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
	known_answer(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

// The successive numbers of one thread.
struct made {
	float uniform, normal[3], log_normal;
	double wide, wide_normal[3], wide_log_normal;
	float2 pair, log_pair;
	double2 wide_pair, wide_log_pair;
	unsigned after;
};

template <typename State> __global__ void make(made *all)
{
	State state;
	curand_init(77, threadIdx.x, 3, &state);
	made &m = all[threadIdx.x];
	m.uniform = curand_uniform(&state);
	m.wide = curand_uniform_double(&state);
	for (float &x : m.normal)
		x = curand_normal(&state);
	m.pair = curand_normal2(&state);
	m.log_normal = curand_log_normal(&state, 0.5f, 0.25f); // the stored second number
	m.log_pair = curand_log_normal2(&state, 0.5f, 0.25f);
	for (double &x : m.wide_normal)
		x = curand_normal_double(&state);
	m.wide_pair = curand_normal2_double(&state);
	m.wide_log_normal = curand_log_normal_double(&state, 0.5, 0.25);
	m.wide_log_pair = curand_log_normal2_double(&state, 0.5, 0.25);
	m.after = curand(&state);
}

struct pair_of_normals {
	double x, y;
	pair_of_normals(double u, double angle) : x(std::sqrt(-2 * std::log(u))), y(x)
	{
		x *= std::sin(2 * M_PI * angle);
		y *= std::cos(2 * M_PI * angle);
	}
};

template <typename Model> static pair_of_normals normals_of(Model &model)
{
	double u = uniform_of(model.next());
	return {u, uniform_of(model.next())};
}

template <typename Model> static double wide_of(Model &model)
{
	uint32_t high = model.next();
	return uniform_of(high, model.next());
}

template <typename Model> static pair_of_normals wide_normals_of(Model &model)
{
	double u = wide_of(model);
	return {u, wide_of(model)};
}

static bool close(float got, double wanted)
{
	return std::fabs(got - wanted) <= 2e-6 * (1 + std::fabs(wanted));
}
static bool close(double got, double wanted)
{
	return std::fabs(got - wanted) <= 1e-14 * (1 + std::fabs(wanted));
}

template <typename Model> static void check_made(const made &m, Model model)
{
	CHECK(m.uniform == uniform_of(model.next()));
	CHECK(m.wide == wide_of(model));
	pair_of_normals a = normals_of(model), b = normals_of(model), c = normals_of(model), d = normals_of(model);
	CHECK(close(m.normal[0], a.x) && close(m.normal[1], a.y) && close(m.normal[2], b.x));
	CHECK(close(m.pair.x, c.x) && close(m.pair.y, c.y));
	CHECK(close(m.log_normal, std::exp(0.5 + 0.25 * b.y)));
	CHECK(close(m.log_pair.x, std::exp(0.5 + 0.25 * d.x)) && close(m.log_pair.y, std::exp(0.5 + 0.25 * d.y)));
	pair_of_normals e = wide_normals_of(model), f = wide_normals_of(model), g = wide_normals_of(model), h = wide_normals_of(model);
	CHECK(close(m.wide_normal[0], e.x) && close(m.wide_normal[1], e.y) && close(m.wide_normal[2], f.x));
	CHECK(close(m.wide_pair.x, g.x) && close(m.wide_pair.y, g.y));
	CHECK(close(m.wide_log_normal, std::exp(0.5 + 0.25 * f.y)));
	CHECK(close(m.wide_log_pair.x, std::exp(0.5 + 0.25 * h.x)) && close(m.wide_log_pair.y, std::exp(0.5 + 0.25 * h.y)));
	CHECK(m.after == model.next());
}

template <typename State, typename Model> static void test_made()
{
	device_array<made> all(THREADS);
	make<State><<<1, THREADS>>>(all);
	std::vector<made> got = all.read();
	for (int t = 0; t < THREADS; t++)
		check_made(got[t], Model(77, t, 3));
}

struct fours {
	float4 uniform, normal, log_normal;
	double2 wide;
	unsigned after;
};

__global__ void make_fours(fours *all)
{
	philox state;
	curand_init(78, 0, threadIdx.x, &state);
	fours &m = all[threadIdx.x];
	m.uniform = curand_uniform4(&state);
	m.normal = curand_normal4(&state);
	m.log_normal = curand_log_normal4(&state, 0.5f, 0.25f);
	m.wide = curand_uniform2_double(&state);
	m.after = curand(&state);
}

static void check_fours(const fours &m, philox_model model)
{
	for (float x : {m.uniform.x, m.uniform.y, m.uniform.z, m.uniform.w})
		CHECK(x == uniform_of(model.next()));
	pair_of_normals a = normals_of(model), b = normals_of(model), c = normals_of(model), d = normals_of(model);
	CHECK(close(m.normal.x, a.x) && close(m.normal.y, a.y) && close(m.normal.z, b.x) && close(m.normal.w, b.y));
	CHECK(close(m.log_normal.x, std::exp(0.5 + 0.25 * c.x)) && close(m.log_normal.y, std::exp(0.5 + 0.25 * c.y)));
	CHECK(close(m.log_normal.z, std::exp(0.5 + 0.25 * d.x)) && close(m.log_normal.w, std::exp(0.5 + 0.25 * d.y)));
	CHECK(m.wide.x == wide_of(model));
	CHECK(m.wide.y == wide_of(model));
	CHECK(m.after == model.next());
}

static void test_fours()
{
	device_array<fours> all(THREADS);
	make_fours<<<1, THREADS>>>(all);
	std::vector<fours> got = all.read();
	for (int t = 0; t < THREADS; t++)
		check_fours(got[t], philox_model(78, 0, t));
}

// SAMPLES Poisson numbers from the states of 1024 threads: one kernel initializes them and another continues.
template <typename State> __global__ void begin(State *states)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	curand_init(9, t, 0, &states[t]);
}

template <typename State>
__global__ void sample_poisson(State *states, unsigned *to, double mean, curandDiscreteDistribution_t table)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
	State state = states[t];
	for (unsigned i = t; i < SAMPLES; i += threads)
		to[i] = table ? curand_discrete(&state, table) : curand_poisson(&state, mean);
	states[t] = state;
}

template <typename State> static void test_poisson(const char *name)
{
	device_array<State> states(1024);
	device_array<unsigned> to(SAMPLES);
	begin<State><<<8, 128>>>(states);
	for (double mean : {0.25, 6.0, 10.0, 75.0, 3000.0}) {
		sample_poisson<State><<<8, 128>>>(states, to, mean, nullptr);
		check_poisson(name, to.read(), mean);
		curandDiscreteDistribution_t table;
		CHECK(curandCreatePoissonDistribution(mean, &table) == CURAND_STATUS_SUCCESS);
		sample_poisson<State><<<8, 128>>>(states, to, mean, table);
		check_poisson(name, to.read(), mean);
		CHECK(curandDestroyDistribution(table) == CURAND_STATUS_SUCCESS);
	}
}

// Adjacent seeds and adjacent subsequences: the first numbers of many threads.
template <typename State> __global__ void first_numbers(float *to, bool seeds)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	State state;
	curand_init(seeds ? t : 1, seeds ? 0 : t, 0, &state);
	to[t] = curand_uniform(&state);
}

template <typename State> static void test_neighbors(const char *name, bool seeds, int count)
{
	device_array<float> to(count);
	first_numbers<State><<<count / 128, 128>>>(to, seeds);
	std::vector<float> x = to.read();
	check_moments(name, x, 0.5, 1.0 / 12, 1.8);
	check_shares(name, x, [](double value) { return value; });
	double products = 0;
	for (int i = 1; i < count; i++)
		products += (x[i] - 0.5) * (x[i - 1] - 0.5);
	near(name, "covariance of neighbors", products / count, 0, 1.0 / 12 / std::sqrt(count));
}

int main()
{
	test_known_answers();
	test_orders<xorwow, xorwow_model>("XORWOW");
	test_orders<philox, philox_model>("Philox");
	test_made<xorwow, xorwow_model>();
	test_made<philox, philox_model>();
	test_fours();
	test_poisson<xorwow>("Poisson numbers of XORWOW");
	test_poisson<philox>("Poisson numbers of Philox");
	test_neighbors<xorwow>("neighboring seeds of XORWOW", true, SAMPLES);
	test_neighbors<xorwow>("neighboring subsequences of XORWOW", false, 1024);
	test_neighbors<philox>("neighboring seeds of Philox", true, SAMPLES);
	test_neighbors<philox>("neighboring subsequences of Philox", false, SAMPLES);
	return finish();
}
