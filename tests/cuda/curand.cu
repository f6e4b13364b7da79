// Protects libcurand: arrays of random numbers against plain models of the documented order. Calls with random lengths,
// seeds and offsets, on the device and on the host; statistics of each distribution; statuses of wrong calls.
// Flags: -lcurand
#include "device_array.h"
#include "random_model.h"
#include "random_statistics.h"
#include <curand.h>
#include <random>

enum { SEQUENCES = 4096, SAMPLES = 1 << 15, GUARD = 16 };

#define WORKS(call)         CHECK((call) == CURAND_STATUS_SUCCESS)
#define REFUSES(what, call) CHECK((call) == CURAND_STATUS_##what)

static std::mt19937_64 any(11);

class generator {
public:
	generator(curandRngType_t type, bool on_host) : on_host_(on_host)
	{
		WORKS(on_host ? curandCreateGeneratorHost(&made_, type) : curandCreateGenerator(&made_, type));
	}
	generator(const generator &) = delete;
	~generator()
	{
		WORKS(curandDestroyGenerator(made_));
	}
	operator curandGenerator_t() const
	{
		return made_;
	}
	// Returns an array of `count` zeros after `call` has filled it; `call` must not write past its end.
	template <typename T, typename F> std::vector<T> make(size_t count, F call) const
	{
		std::vector<T> numbers(count + GUARD);
		if (on_host_) {
			WORKS(call(made_, numbers.data(), count));
		} else {
			device_array<T> on_device(numbers);
			WORKS(call(made_, (T *)on_device, count));
			numbers = on_device.read();
		}
		for (size_t i = count; i < numbers.size(); i++)
			CHECK(numbers[i] == 0);
		numbers.resize(count);
		return numbers;
	}

private:
	curandGenerator_t made_ = nullptr;
	bool on_host_;
};

// The next numbers of a generator, in its documented order.
template <typename Model> class order_model {
public:
	order_model(uint64_t seed, uint64_t offset) : turn_(offset)
	{
		for (uint64_t i = 0; i < SEQUENCES; i++)
			sequences_.emplace_back(seed, i, offset / SEQUENCES + (i < offset % SEQUENCES));
	}
	Model &next()
	{
		return sequences_[turn_++ % SEQUENCES];
	}

private:
	uint64_t turn_;
	std::vector<Model> sequences_;
};

template <typename Model> static void check_calls(const generator &g, order_model<Model> model)
{
	for (size_t count : {any() % 10, any() % 9000, (uint64_t)SEQUENCES, any() % 9000}) {
		size_t wrong = 0;
		for (uint32_t x : g.make<uint32_t>(count, curandGenerate))
			wrong += x != model.next().next();
		for (float x : g.make<float>(count, curandGenerateUniform))
			wrong += x != uniform_of(model.next().next());
		for (double x : g.make<double>(count, curandGenerateUniformDouble)) {
			Model &sequence = model.next();
			uint32_t high = sequence.next();
			wrong += x != uniform_of(high, sequence.next());
		}
		CHECK(wrong == 0);
	}
}

template <typename Model> static void test_order(curandRngType_t type, bool on_host)
{
	generator g(type, on_host);
	check_calls(g, order_model<Model>(0, 0));
	uint64_t seed = any(), offset = any() >> any() % 64;
	WORKS(curandSetGeneratorOffset(g, offset));
	check_calls(g, order_model<Model>(0, offset));
	WORKS(curandSetPseudoRandomGeneratorSeed(g, seed));
	check_calls(g, order_model<Model>(seed, offset));
	WORKS(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
	check_calls(g, order_model<Model>(seed, offset));
}

template <typename T> static void test_normals(const char *name, const std::vector<T> &x, double mean, double deviation)
{
	check_moments(name, x, mean, deviation * deviation, 3);
	check_shares(name, x, [=](double value) { return share_of_normal((value - mean) / deviation); });
}

template <typename T> static std::vector<T> logarithms(std::vector<T> x)
{
	for (T &value : x)
		value = std::log(value);
	return x;
}

static void test_statistics(const generator &g)
{
	WORKS(curandSetPseudoRandomGeneratorSeed(g, 1234));
	auto x = g.make<float>(SAMPLES, curandGenerateUniform);
	check_moments("uniform", x, 0.5, 1.0 / 12, 1.8);
	check_shares("uniform", x, [](double value) { return value; });
	auto y = g.make<double>(SAMPLES, curandGenerateUniformDouble);
	check_moments("uniform in double", y, 0.5, 1.0 / 12, 1.8);
	check_shares("uniform in double", y, [](double value) { return value; });
	auto normal = [](auto... a) { return curandGenerateNormal(a..., 3, 0.5f); };
	auto normal_double = [](auto... a) { return curandGenerateNormalDouble(a..., -2, 4); };
	auto log_normal = [](auto... a) { return curandGenerateLogNormal(a..., 1, 0.5f); };
	auto log_normal_double = [](auto... a) { return curandGenerateLogNormalDouble(a..., 0, 2); };
	test_normals("normal", g.make<float>(SAMPLES, normal), 3, 0.5);
	test_normals("normal in double", g.make<double>(SAMPLES, normal_double), -2, 4);
	test_normals("log-normal", logarithms(g.make<float>(SAMPLES, log_normal)), 1, 0.5);
	test_normals("log-normal in double", logarithms(g.make<double>(SAMPLES, log_normal_double)), 0, 2);
	for (double mean : {0.5, 9.5, 40.0, 200000.0}) {
		auto poisson = [=](auto... a) { return curandGeneratePoisson(a..., mean); };
		check_poisson("Poisson", g.make<unsigned>(SAMPLES / 2, poisson), mean);
	}
}

// A stream with which no other stream synchronizes.
static void test_stream()
{
	cudaStream_t stream;
	SUCCEEDS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	generator g(CURAND_RNG_PSEUDO_DEFAULT, false);
	device_array<unsigned> to(100);
	WORKS(curandSetStream(g, stream));
	WORKS(curandGenerateSeeds(g));
	WORKS(curandGenerate(g, to, 100));
	SUCCEEDS(cudaStreamSynchronize(stream));
	CHECK(to.read()[99] == xorwow_model(0, 99, 0).next());
	SUCCEEDS(cudaStreamDestroy(stream));
}

static void test_wrong_calls()
{
	curandGenerator_t g;
	REFUSES(TYPE_ERROR, curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MRG32K3A));
	REFUSES(TYPE_ERROR, curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32));
	REFUSES(TYPE_ERROR, curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937));
	REFUSES(NOT_INITIALIZED, curandDestroyGenerator(nullptr));
	REFUSES(NOT_INITIALIZED, curandSetPseudoRandomGeneratorSeed(nullptr, 1));
	REFUSES(NOT_INITIALIZED, curandGenerate(nullptr, nullptr, 1));
	generator made(CURAND_RNG_PSEUDO_PHILOX4_32_10, true);
	float x[3] = {};
	double y[3] = {};
	unsigned long long z[1] = {};
	unsigned w[1] = {};
	REFUSES(LENGTH_NOT_MULTIPLE, curandGenerateNormal(made, x, 3, 0, 1));
	REFUSES(LENGTH_NOT_MULTIPLE, curandGenerateNormalDouble(made, y, 3, 0, 1));
	REFUSES(LENGTH_NOT_MULTIPLE, curandGenerateLogNormal(made, x, 3, 0, 1));
	REFUSES(TYPE_ERROR, curandGenerateLongLong(made, z, 1));
	REFUSES(TYPE_ERROR, curandSetQuasiRandomGeneratorDimensions(made, 2));
	REFUSES(OUT_OF_RANGE, curandSetGeneratorOrdering(made, CURAND_ORDERING_QUASI_DEFAULT));
	for (double mean : {0.0, -1.0, 400001.0, (double)NAN})
		REFUSES(OUT_OF_RANGE, curandGeneratePoisson(made, w, 1, mean));
	CHECK(!x[0] && !y[0] && !z[0] && !w[0]);
	// none of these calls consumed a number
	WORKS(curandGenerate(made, w, 1));
	CHECK(w[0] == philox_model(0, 0, 0).next());
	int version;
	WORKS(curandGetVersion(&version));
	CHECK(version == CURAND_VERSION);
}

int main()
{
	for (bool on_host : {false, true}) {
		test_order<xorwow_model>(CURAND_RNG_PSEUDO_DEFAULT, on_host);
		test_order<xorwow_model>(CURAND_RNG_PSEUDO_XORWOW, on_host);
		test_order<philox_model>(CURAND_RNG_PSEUDO_PHILOX4_32_10, on_host);
		test_statistics(generator(CURAND_RNG_PSEUDO_XORWOW, on_host));
		test_statistics(generator(CURAND_RNG_PSEUDO_PHILOX4_32_10, on_host));
	}
	test_stream();
	test_wrong_calls();
	return finish();
}
