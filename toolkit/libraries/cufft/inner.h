// cuFFT: declarations shared by the files of this library: plans, and transforms along one dimension of a packed array.
#pragma once

#include <cufft.h>

#include <stdexcept>
#include <vector>

namespace fft {

enum { THREADS = 128, MAX_RANK = 3, MAX_FACTOR = 64 };

template <typename T> struct alignas(2 * sizeof(T)) number {
	T x, y;
};
template <typename T> __host__ __device__ number<T> operator+(number<T> a, number<T> b)
{
	return {a.x + b.x, a.y + b.y};
}
template <typename T> __host__ __device__ number<T> operator-(number<T> a, number<T> b)
{
	return {a.x - b.x, a.y - b.y};
}
template <typename T> __host__ __device__ number<T> operator*(number<T> a, number<T> b)
{
	return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <typename T> __host__ __device__ number<T> conjugate(number<T> a)
{
	return {a.x, -a.y};
}

// Device memory of a plan.
class buffer {
public:
	buffer() = default;
	buffer(const buffer &) = delete;
	buffer &operator=(const buffer &) = delete;
	~buffer()
	{
		cudaFree(data_);
	}
	void allocate(size_t bytes)
	{
		if (cudaMalloc(&data_, bytes) != cudaSuccess)
			throw std::bad_alloc();
		bytes_ = bytes;
	}
	template <typename E> void fill(const std::vector<E> &from)
	{
		allocate(from.size() * sizeof(E));
		if (cudaMemcpy(data_, from.data(), bytes_, cudaMemcpyHostToDevice) != cudaSuccess)
			throw std::bad_alloc();
	}
	void *get() const
	{
		return data_;
	}
	size_t bytes() const
	{
		return bytes_;
	}

private:
	void *data_ = nullptr;
	size_t bytes_ = 0;
};

// Tables for transforms along a dimension of n numbers.
struct dimension {
	int n;
	std::vector<int> factors; // of n; empty if n has a prime factor beyond MAX_FACTOR
	buffer roots;             // exp(-2 pi i j / n), n of them
	// For such an n, Bluestein's method: a convolution with a chirp, by transforms of a power-of-two size.
	dimension *power = nullptr;
	buffer chirp, transformed; // exp(-pi i j j / n); the transform of its conjugate
	dimension() = default;
	dimension(const dimension &) = delete;
	~dimension()
	{
		delete power;
	}
};

// Throws std::bad_alloc when device memory is exhausted.
template <typename T> void open_dimension(dimension &d, int n);
size_t bytes_of(const dimension &d);
// Size of the work array, in numbers, for transforms of `count` numbers along the dimension.
size_t work_numbers(const dimension &d, size_t count);

// Transforms `lines` x n numbers of `data` in place, along a dimension whose elements are `inner` apart. `work` holds
// work_numbers().
template <typename T>
void transform(const dimension &d, number<T> *data, number<T> *work, size_t lines, size_t inner, bool inverse, cudaStream_t stream);

} // namespace fft
