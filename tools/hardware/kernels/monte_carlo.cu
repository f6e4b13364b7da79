// monte_carlo: the price of a European call option by random paths. Each thread draws pairs of normal numbers
// (xorshift, Box-Muller) with the fast logarithm, sine, cosine and exponential, and the square root. It has almost no
// memory accesses. The host follows a sample of threads and compares the price with the formula's.
#include "sample.h"

const int THREADS = 256;
const float START = 100, STRIKE = 105, RATE = 0.03f, VOLATILITY = 0.25f, YEARS = 1;

// The device's fast functions, and the host's.
#ifdef __CUDA_ARCH__
#define LOGARITHM(x)           __logf(x)
#define EXPONENTIAL(x)         __expf(x)
#define TURN(x, sine, cosine)  __sincosf(x, &sine, &cosine)
#else
#define LOGARITHM(x)           logf(x)
#define EXPONENTIAL(x)         expf(x)
#define TURN(x, sine, cosine)  (sine = sinf(x), cosine = cosf(x))
#endif

__host__ __device__ inline unsigned next(unsigned &state)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

// A state that is not 0, from the seed and the thread's number.
__host__ __device__ inline unsigned begin(unsigned seed, unsigned thread)
{
	unsigned state = (seed + 0x9e3779b9u) * 0x85ebca6bu ^ (thread + 1) * 0xc2b2ae35u;
	state ^= state >> 15;
	state *= 0x2c1b3c6du;
	state ^= state >> 12;
	return state | 1;
}

// The sum of a thread's payoffs.
__host__ __device__ inline float payoffs(unsigned state, int pairs)
{
	const float drift = (RATE - VOLATILITY * VOLATILITY / 2) * YEARS, spread = VOLATILITY; // times sqrt(YEARS), 1
	float sum = 0;
	for (int i = 0; i < pairs; i++) {
		float u = ((float)(next(state) >> 8) + 0.5f) / 16777216.0f;
		float angle = ((float)(next(state) >> 8) / 16777216.0f - 0.5f) * 6.2831853f, sine, cosine;
		TURN(angle, sine, cosine);
		float radius = spread * sqrtf(-2 * LOGARITHM(u));
		sum += fmaxf(START * EXPONENTIAL(drift + radius * sine) - STRIKE, 0);
		sum += fmaxf(START * EXPONENTIAL(drift + radius * cosine) - STRIKE, 0);
	}
	return sum;
}

__global__ void monte_carlo(float *sums, unsigned seed, int pairs)
{
	unsigned thread = blockIdx.x * THREADS + threadIdx.x;
	sums[thread] = payoffs(begin(seed, thread), pairs);
}

static double normal_below(double x)
{
	return erfc(-x / sqrt(2.0)) / 2;
}

// Black and Scholes' price, not discounted.
static double price()
{
	double spread = VOLATILITY * sqrt((double)YEARS), grown = START * exp((double)RATE * YEARS);
	double d = log(grown / STRIKE) / spread + spread / 2;
	return grown * normal_below(d) - STRIKE * normal_below(d - spread);
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "monte_carlo");
	int blocks = arguments.number("blocks", 8, 80, 1056, "of 256 threads");
	int pairs = arguments.number("pairs", 96, 256, 2048, "of paths per thread");
	arguments.end();
	arguments.require(blocks > 0 && blocks <= 65535 && pairs > 0, "blocks and pairs");
	unsigned seed = (unsigned)arguments.seed();
	program::Random random(seed);
	program::Array<float> device_sums((size_t)blocks * THREADS);
	monte_carlo<<<blocks, THREADS>>>(device_sums, seed, pairs);
	CHECK(cudaGetLastError());

	std::vector<float> sums = device_sums.read(), got, want;
	for (size_t at : sample::positions(sums.size(), 1024, random)) {
		got.push_back(sums[at]);
		want.push_back(payoffs(begin(seed, (unsigned)at), pairs));
	}
	double total = 0, paths = 2.0 * pairs * sums.size();
	for (float sum : sums)
		total += sum;
	program::Verdict verdict("monte_carlo");
	verdict.close("sums", got, want, 1e-3);
	// A payoff's deviation is about 19: six deviations of the mean.
	verdict.require(fabs(total / paths - price()) < 6 * 19 / sqrt(paths) + 1e-3, "the formula's price");
	return verdict.status();
}
