// sample.h: parts of large results, so that the host checks a sample of them in little time.
#ifndef SLUICE_HARDWARE_SAMPLE_H
#define SLUICE_HARDWARE_SAMPLE_H

#include "../../../programs/program.h"

namespace sample {

// Elements `first` to `first + count - 1` of a device array.
template <typename T> std::vector<T> part(const program::Array<T> &array, size_t first, size_t count)
{
	std::vector<T> host(count);
	const T *from = array;
	CHECK(cudaMemcpy(host.data(), from + first, count * sizeof(T), cudaMemcpyDeviceToHost));
	return host;
}

// `count` random positions below `size`, or every position once if there are no more than `count`.
inline std::vector<size_t> positions(size_t size, size_t count, program::Random &random)
{
	std::vector<size_t> chosen(size < count ? size : count);
	for (size_t i = 0; i < chosen.size(); i++)
		chosen[i] = size <= count ? i : random.next() % size;
	return chosen;
}

} // namespace sample

#endif
