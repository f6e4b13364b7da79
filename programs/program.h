// program.h: arguments, inputs and comparison for all programs, so that each file shows its kernels. Plain CUDA C++.
//
// A main reads its arguments, generates inputs from the seed, launches, compares results with those of the host, and
// returns verdict's status:
//
//   int main(int argc, char **argv)
//   {
//           program::Arguments arguments(argc, argv, "saxpy", {"plain", "dma"});
//           // Values for the sizes tiny, small and paper:
//           int n = arguments.number("elements", 1 << 12, 1 << 18, 1 << 20, "length of the vectors");
//           arguments.end();
//           program::Random random(arguments.seed());
//           std::vector<float> x = random.floats(n, -1, 1), y = ...;
//           program::Array<float> device_x(x), device_y(y);
//           saxpy<<<blocks(n, 256), 256>>>(...);
//           CHECK(cudaGetLastError());
//           program::Verdict verdict("saxpy");
//           verdict.close("y", device_y.read(), expected, 1e-5);
//           return verdict.status();
//   }
#ifndef SLUICE_PROGRAMS_PROGRAM_H
#define SLUICE_PROGRAMS_PROGRAM_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

// Exits the program with file, line and CUDA's message if a call fails.
#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		cudaError_t error_ = (call);                                                                           \
		if (error_ != cudaSuccess) {                                                                           \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                \
			exit(EXIT_FAILURE);                                                                            \
		}                                                                                                      \
	} while (0)

namespace program {

// The command line: --size tiny|small|paper, --variant NAME, --seed N, and the program's own numbers, with a value for
// each size. Exits with 2 and one message for an unknown argument. --help lists all options.
class Arguments {
	struct Number {
		std::string name, meaning;
		int tiny, small, paper;
	};
	std::string name_, variant_, size_ = "tiny";
	std::vector<std::string> variants_;
	std::vector<Number> numbers_;
	std::vector<std::pair<std::string, std::string>> given_;
	uint64_t seed_ = 1;
	bool help_ = false;

	[[noreturn]] void fail(const std::string &message) const
	{
		fprintf(stderr, "%s: %s (--help lists the options)\n", name_.c_str(), message.c_str());
		exit(2);
	}

	long long whole(const std::string &option, const std::string &text) const
	{
		char *end;
		long long value = strtoll(text.c_str(), &end, 0);
		if (text.empty() || *end || value < 0)
			fail("--" + option + " needs a whole number, not '" + text + "'");
		return value;
	}

	void take(const std::string &option, const std::string &value)
	{
		if (option == "size")
			size_ = value;
		else if (option == "variant")
			variant_ = value;
		else if (option == "seed")
			seed_ = (uint64_t)whole(option, value);
		else
			given_.emplace_back(option, value);
	}

	void print_help() const
	{
		printf("usage: %s [--size tiny|small|paper] [--seed N]", name_.c_str());
		for (size_t v = 0; v < variants_.size(); v++)
			printf("%s%s", v ? "|" : " [--variant ", variants_[v].c_str());
		printf("]\n");
		for (const Number &number : numbers_)
			printf("  --%-16s %s (tiny %d, small %d, paper %d)\n", number.name.c_str(),
			       number.meaning.c_str(), number.tiny, number.small, number.paper);
	}

public:
	// The first variant is the default.
	Arguments(int argc, char **argv, const char *name, std::initializer_list<const char *> variants = {"plain"})
		: name_(name), variants_(variants.begin(), variants.end())
	{
		variant_ = variants_[0];
		for (int i = 1; i < argc; i++) {
			std::string argument = argv[i];
			if (argument == "--help") {
				help_ = true;
				continue;
			}
			if (argument.compare(0, 2, "--"))
				fail("what is '" + argument + "'?");
			size_t equals = argument.find('=');
			if (equals != std::string::npos)
				take(argument.substr(2, equals - 2), argument.substr(equals + 1));
			else if (i + 1 < argc)
				take(argument.substr(2), argv[++i]);
			else
				fail(argument + " needs a value");
		}
		if (size_ != "tiny" && size_ != "small" && size_ != "paper")
			fail("--size is tiny, small or paper, not '" + size_ + "'");
		bool known = false;
		for (const std::string &one : variants_)
			known |= one == variant_;
		if (!known)
			fail("no variant '" + variant_ + "'");
	}

	// A number of the program: that of --NAME N, or the default of the size.
	int number(const char *name, int tiny, int small, int paper, const char *meaning)
	{
		numbers_.push_back({name, meaning, tiny, small, paper});
		int value = size_ == "tiny" ? tiny : size_ == "small" ? small : paper;
		for (size_t i = 0; i < given_.size(); i++)
			if (given_[i].first == name) {
				long long whole_value = whole(name, given_[i].second);
				if (whole_value > INT32_MAX)
					fail("--" + given_[i].first + " is too large");
				value = (int)whole_value;
				given_.erase(given_.begin() + (long)i--);
			}
		return value;
	}

	// Called after the last number(): prints --help, and rejects remaining options.
	void end() const
	{
		if (help_) {
			print_help();
			exit(0);
		}
		if (!given_.empty())
			fail("no option --" + given_[0].first);
	}

	// Rejects values that the program cannot use.
	void require(bool holds, const char *what) const
	{
		if (!holds)
			fail(std::string("needs ") + what);
	}

	const std::string &variant() const { return variant_; }
	bool is(const char *variant) const { return variant_ == variant; }
	uint64_t seed() const { return seed_; }
};

// A seeded generator (splitmix64): the same numbers on every host.
class Random {
	uint64_t state_;

public:
	explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x1234567) {}

	uint64_t next()
	{
		uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		return z ^ (z >> 31);
	}

	// 0 to bound - 1.
	uint32_t below(uint32_t bound) { return (uint32_t)(((next() >> 32) * bound) >> 32); }

	// low <= value < high.
	float uniform(float low = 0, float high = 1) { return low + (high - low) * ((float)(next() >> 40) / 16777216.0f); }

	std::vector<float> floats(size_t count, float low = 0, float high = 1)
	{
		std::vector<float> values(count);
		for (float &value : values)
			value = uniform(low, high);
		return values;
	}
};

// Device memory, to which a host vector is copied and from which it is read back.
template <typename T> class Array {
	T *data_ = nullptr;
	size_t count_;

public:
	explicit Array(const std::vector<T> &host) : Array(host.size()) { write(host); }
	explicit Array(size_t count) : count_(count) { CHECK(cudaMalloc(&data_, count * sizeof(T))); }
	~Array() { cudaFree(data_); }
	Array(const Array &) = delete;
	Array &operator=(const Array &) = delete;

	operator T *() const { return data_; }
	size_t count() const { return count_; }
	void write(const std::vector<T> &host)
	{
		CHECK(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	}
	void clear() { CHECK(cudaMemset(data_, 0, count_ * sizeof(T))); }
	std::vector<T> read() const
	{
		std::vector<T> host(count_);
		CHECK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
		return host;
	}
};

// Compares results with those of the host; prints the first one that differs.
class Verdict {
	std::string name_;
	bool good_ = true;

	void report(const char *what, size_t wrong, size_t count, size_t first, double got, double want)
	{
		if (!wrong)
			return;
		good_ = false;
		printf("%s: %s: %zu of %zu wrong, first [%zu] = %.9g, expected %.9g\n", name_.c_str(), what, wrong, count,
		       first, got, want);
	}

public:
	explicit Verdict(const char *name) : name_(name) {}

	// |got - want| <= tolerance * (1 + |want|), element by element; false for NaN.
	template <typename G, typename W>
	void close(const char *what, const std::vector<G> &got, const std::vector<W> &want, double tolerance)
	{
		require(got.size() == want.size(), what);
		size_t wrong = 0, first = 0;
		for (size_t i = 0; i < got.size() && i < want.size(); i++)
			if (!(std::fabs((double)got[i] - (double)want[i]) <=
			      tolerance * (1 + std::fabs((double)want[i]))) &&
			    !wrong++)
				first = i;
		if (wrong)
			report(what, wrong, got.size(), first, (double)got[first], (double)want[first]);
	}

	template <typename T> void equal(const char *what, const std::vector<T> &got, const std::vector<T> &want)
	{
		require(got.size() == want.size(), what);
		size_t wrong = 0, first = 0;
		for (size_t i = 0; i < got.size() && i < want.size(); i++)
			if (!(got[i] == want[i]) && !wrong++)
				first = i;
		if (wrong)
			report(what, wrong, got.size(), first, (double)got[first], (double)want[first]);
	}

	void require(bool holds, const char *what)
	{
		if (holds)
			return;
		good_ = false;
		printf("%s: %s: does not hold\n", name_.c_str(), what);
	}

	// Prints PASS or FAIL and returns main's exit status.
	int status() const
	{
		printf("%s: %s\n", name_.c_str(), good_ ? "PASS" : "FAIL");
		return good_ ? EXIT_SUCCESS : EXIT_FAILURE;
	}
};

// Waits for THREADS threads of the block, whole warps, at barrier 1 to 15. __syncthreads uses barrier 0.
template <int THREADS> __device__ inline void barrier(int number)
{
	asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(THREADS) : "memory");
}

// Number of blocks of `size` that cover `count`.
inline int blocks(long long count, int size)
{
	return (int)((count + size - 1) / size);
}

} // namespace program

#endif
