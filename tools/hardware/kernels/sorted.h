// sorted.h: the check of a sort. The keys ascend and are the inputs: exactly for up to 4 million keys; beyond, their
// number, sum, and sum of hashes are equal.
#ifndef SLUICE_HARDWARE_SORTED_H
#define SLUICE_HARDWARE_SORTED_H

#include "sample.h"

#include <algorithm>

namespace sorted {

inline std::vector<unsigned> keys(size_t count, program::Random &random)
{
	std::vector<unsigned> values(count);
	for (unsigned &value : values)
		value = (unsigned)(random.next() >> 32);
	return values;
}

struct Sums {
	uint64_t plain = 0, hashed = 0;

	explicit Sums(const std::vector<unsigned> &values)
	{
		for (uint64_t value : values) {
			plain += value;
			hashed += (value + 1) * 0x9e3779b97f4a7c15ull * (value | 1);
		}
	}
};

inline void check(program::Verdict &verdict, const std::vector<unsigned> &got, std::vector<unsigned> inputs)
{
	if (inputs.size() <= 1 << 22) {
		std::sort(inputs.begin(), inputs.end());
		verdict.equal("keys", got, inputs);
		return;
	}
	Sums sums(got), expected(inputs);
	verdict.require(got.size() == inputs.size(), "one key per input");
	verdict.require(sums.plain == expected.plain && sums.hashed == expected.hashed, "keys that are the inputs");
	verdict.require(std::is_sorted(got.begin(), got.end()), "keys that ascend");
}

} // namespace sorted

#endif
