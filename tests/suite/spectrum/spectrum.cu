#include "spectrum.h"

#include <cufft.h>

#include <memory>
#include <stdexcept>

namespace {

struct Free {
	void operator()(void *memory) const
	{
		cudaFree(memory);
	}
};
template <typename T> using Device = std::unique_ptr<T[], Free>;

template <typename T> auto make(size_t count)
{
	T *memory = nullptr;
	if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess)
		throw std::bad_alloc();
	return Device<T>(memory);
}

__global__ void cut(const float *samples, float *windows, int window, int hop)
{
	for (int i = threadIdx.x; i < window; i += blockDim.x) {
		float weight = 0.5f - 0.5f * cospif(2.0f * i / window);
		windows[blockIdx.x * window + i] = weight * samples[blockIdx.x * hop + i];
	}
}

__global__ void __launch_bounds__(64) findPeak(const cufftComplex *bins, int count, Peak *result)
{
	extern __shared__ Peak best[];
	Peak own = {0, -1};
	for (int i = 1 + threadIdx.x; i < count; i += blockDim.x) {
		cufftComplex z = bins[blockIdx.x * count + i];
		float power = fmaf(z.x, z.x, z.y * z.y);
		if (power > own.power)
			own = {i, power};
	}
	best[threadIdx.x] = own;
	for (int half = blockDim.x / 2; half > 0; half >>= 1) {
		__syncthreads();
		if (threadIdx.x < half && best[threadIdx.x + half].power > best[threadIdx.x].power)
			best[threadIdx.x] = best[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		result[blockIdx.x] = best[0];
}

} // namespace

std::vector<Peak> peaks(const std::vector<float> &samples, int window, int hop)
{
	const int windows = 1 + ((int)samples.size() - window) / hop, bins = window / 2 + 1;
	auto input = make<float>(samples.size());
	auto cuts = make<float>(windows * window);
	auto spectra = make<cufftComplex>(windows * bins);
	auto found = make<Peak>(windows);
	std::vector<Peak> result(windows);
	cufftHandle plan;
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	if (cufftPlan1d(&plan, window, CUFFT_R2C, windows) != CUFFT_SUCCESS || cufftSetStream(plan, stream) != CUFFT_SUCCESS)
		throw std::runtime_error("no plan");
	cudaFuncSetCacheConfig(cut, cudaFuncCachePreferL1);
	cudaMemcpyAsync(input.get(), samples.data(), samples.size() * sizeof(float), cudaMemcpyHostToDevice, stream);
	cut<<<windows, 128, 0, stream>>>(input.get(), cuts.get(), window, hop);
	if (cufftExecR2C(plan, cuts.get(), spectra.get()) != CUFFT_SUCCESS)
		throw std::runtime_error("no transform");
	findPeak<<<windows, 64, 64 * sizeof(Peak), stream>>>(spectra.get(), bins, found.get());
	cudaMemcpyAsync(result.data(), found.get(), windows * sizeof(Peak), cudaMemcpyDeviceToHost, stream);
	if (cudaStreamSynchronize(stream) != cudaSuccess)
		throw std::runtime_error("no result");
	cufftDestroy(plan);
	cudaStreamDestroy(stream);
	return result;
}
