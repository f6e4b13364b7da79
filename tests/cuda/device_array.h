// device_array: an array in device memory for tests.
#pragma once
#include "check.h"
#include <vector>

template <typename T> class device_array {
public:
	explicit device_array(size_t count) : count_(count)
	{
		SUCCEEDS(cudaMalloc(&data_, count * sizeof(T)));
	}
	explicit device_array(const std::vector<T> &from) : device_array(from.size())
	{
		SUCCEEDS(cudaMemcpy(data_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
	}
	device_array(const device_array &) = delete;
	~device_array()
	{
		cudaFree(data_);
	}
	operator T *() const
	{
		return data_;
	}
	std::vector<T> read() const
	{
		std::vector<T> to(count_);
		SUCCEEDS(cudaMemcpy(to.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
		return to;
	}

private:
	T *data_ = nullptr;
	size_t count_;
};
