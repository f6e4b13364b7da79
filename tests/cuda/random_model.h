// random_model: plain models of XORWOW, whose skips are powers of a matrix over GF(2), and of Philox4x32-10 at a
// position.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

typedef std::bitset<160> words; // bit 32 * i + b is bit b of word i
typedef std::array<words, 160> matrix; // columns

static inline words applied(const matrix &m, const words &v)
{
	words sum;
	for (int i = 0; i < 160; i++)
		if (v[i])
			sum ^= m[i];
	return sum;
}

class xorwow_model {
public:
	xorwow_model(uint64_t seed, uint64_t subsequence, uint64_t offset)
	{
		uint32_t word[6];
		for (int i = 0; i < 3; i++) {
			uint64_t z = seed += 0x9e3779b97f4a7c15u;
			z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
			z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
			z ^= z >> 31;
			word[2 * i] = (uint32_t)z;
			word[2 * i + 1] = (uint32_t)(z >> 32);
		}
		for (int i = 4; i >= 0; i--)
			state_ = state_ << 32 | words(word[i]);
		weyl_ = word[5];
		skip_sequence(subsequence);
		skip(offset);
	}
	uint32_t next()
	{
		state_ = step(state_);
		weyl_ += 362437;
		return (uint32_t)(state_ >> 128).to_ulong() + weyl_;
	}
	void skip(uint64_t n)
	{
		power(0, n);
		weyl_ += (uint32_t)n * 362437;
	}
	void skip_sequence(uint64_t n)
	{
		power(67, n);
	}

private:
	words state_;
	uint32_t weyl_;

	static words step(const words &v)
	{
		uint32_t first = (uint32_t)(v & words(0xffffffff)).to_ulong(), last = (uint32_t)(v >> 128).to_ulong(), t = first ^ (first >> 2);
		return v >> 32 | words((last ^ (last << 4)) ^ (t ^ (t << 1))) << 128;
	}
	void power(int row, uint64_t n)
	{
		static const std::vector<matrix> powers = squares();
		for (; n; n >>= 1, row++)
			if (n & 1)
				state_ = applied(powers[row], state_);
	}
	// The matrix of one step to the powers 2^k.
	static std::vector<matrix> squares()
	{
		std::vector<matrix> powers(131);
		for (int i = 0; i < 160; i++)
			powers[0][i] = step(words(1) << i);
		for (size_t k = 1; k < powers.size(); k++)
			for (int i = 0; i < 160; i++)
				powers[k][i] = applied(powers[k - 1], powers[k - 1][i]);
		return powers;
	}
};

class philox_model {
public:
	philox_model(uint64_t seed, uint64_t subsequence, uint64_t offset) : seed_(seed), counter_((unsigned __int128)subsequence << 64)
	{
		skip(offset);
	}
	uint32_t next()
	{
		uint32_t number = block()[used_];
		skip(1);
		return number;
	}
	void skip(uint64_t n)
	{
		unsigned __int128 sum = (unsigned __int128)used_ + n;
		used_ = (int)(sum % 4);
		counter_ += sum / 4;
	}
	void skip_sequence(uint64_t n)
	{
		counter_ += (unsigned __int128)n << 64;
	}

private:
	uint64_t seed_;
	unsigned __int128 counter_;
	int used_ = 0;

	std::array<uint32_t, 4> block() const
	{
		uint32_t c[4], key[2] = {(uint32_t)seed_, (uint32_t)(seed_ >> 32)};
		for (int i = 0; i < 4; i++)
			c[i] = (uint32_t)(counter_ >> 32 * i);
		for (int round = 0; round < 10; round++) {
			uint64_t a = (uint64_t)c[0] * 0xd2511f53, b = (uint64_t)c[2] * 0xcd9e8d57;
			uint32_t next[] = {(uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)a};
			for (int i = 0; i < 4; i++)
				c[i] = next[i];
			key[0] += 0x9e3779b9;
			key[1] += 0xbb67ae85;
		}
		return {c[0], c[1], c[2], c[3]};
	}
};

// Maps to the interval (0, 1].
static inline float uniform_of(uint32_t x)
{
	return (float)x * 0x1p-32f + 0x1p-33f;
}
static inline double uniform_of(uint32_t high, uint32_t low)
{
	return (double)((((uint64_t)high << 32 | low) >> 11) + 1) / 0x1p53;
}
