// A device vector that is freed with its owner, and errors as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

inline void check(cudaError_t error, const char *what)
{
	if (error != cudaSuccess)
		throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

template <typename T> class DeviceVector {
public:
	explicit DeviceVector(size_t size) : size_(size)
	{
		check(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
	}
	DeviceVector(const std::vector<T> &from) : DeviceVector(from.size())
	{
		check(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyDefault), "cudaMemcpy");
	}
	DeviceVector(const DeviceVector &) = delete;
	DeviceVector &operator=(const DeviceVector &) = delete;
	~DeviceVector()
	{
		cudaFree(data_);
	}
	void swap(DeviceVector &other)
	{
		std::swap(data_, other.data_);
	}
	T *get() const
	{
		return data_;
	}
	std::vector<T> host() const
	{
		std::vector<T> result(size_);
		check(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
		return result;
	}

private:
	T *data_ = nullptr;
	size_t size_;
};

// A kernel for any function object.
template <typename F> __global__ void forEachKernel(int count, F f)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		f(i);
}

template <typename F> void forEach(int count, F f)
{
	forEachKernel<<<(count + 127) / 128, 128>>>(count, f);
	check(cudaGetLastError(), "forEach");
}
