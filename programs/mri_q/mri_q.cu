// mri_q: the matrix Q of a magnetic-resonance reconstruction whose samples are not on a grid (MRQ of CAPS, from
// Parboil). ComputePhiMag_GPU squares the magnitudes of the samples. ComputeQ_GPU sums, for each voxel, a cosine and a
// sine of each sample. Samples are in constant memory, 1024 per launch, and all lanes read the same one. Global memory
// has only five coalesced loads at a thread's start, with a stride of a block between blocks, and two stores at its
// end.
#include "../program.h"

#include <algorithm>

const int PHI_THREADS = 512, Q_THREADS = 256, CAPACITY = 1024;
const float TWO_PI = 6.2831853f;

struct Sample {
	float x, y, z, magnitude;
};
__constant__ Sample samples[CAPACITY];

__global__ void ComputePhiMag_GPU(const float *real, const float *imaginary, float *magnitude, int count)
{
	int i = blockIdx.x * PHI_THREADS + threadIdx.x;
	if (i < count)
		magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

__global__ void ComputeQ_GPU(int count, const float *x, const float *y, const float *z, float *real, float *imaginary)
{
	int voxel = blockIdx.x * Q_THREADS + threadIdx.x;
	float at_x = x[voxel], at_y = y[voxel], at_z = z[voxel];
	float sum_real = real[voxel], sum_imaginary = imaginary[voxel];
	for (int k = 0; k < count; k++) {
		Sample sample = samples[k];
		float angle = TWO_PI * (sample.x * at_x + sample.y * at_y + sample.z * at_z);
		sum_real += sample.magnitude * __cosf(angle);
		sum_imaginary += sample.magnitude * __sinf(angle);
	}
	real[voxel] = sum_real;
	imaginary[voxel] = sum_imaginary;
}

// A stack of spirals through k-space, up to `reach` turns across the image.
static std::vector<Sample> spirals(int count, float reach, const std::vector<float> &magnitude)
{
	const int layers = 16;
	std::vector<Sample> all(count);
	for (int k = 0; k < count; k++) {
		float along = (float)(k / layers) / (float)(count / layers + 1), angle = TWO_PI * reach * along;
		float height = reach * (2 * (float)(k % layers) / layers - 1);
		all[k] = {reach * along * std::cos(angle), reach * along * std::sin(angle), height, magnitude[k]};
	}
	return all;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "mri_q");
	int side = arguments.number("side", 16, 32, 32, "edge of the cube of voxels, a multiple of 8");
	int count = arguments.number("samples", 32, 300, 3072, "number of samples");
	arguments.end();
	arguments.require(side > 0 && side <= 256 && side % 8 == 0, "a side that is a multiple of 8, at most 256");
	arguments.require(count > 0, "at least one sample");

	program::Random random(arguments.seed());
	std::vector<float> phi_real = random.floats(count, -1, 1), phi_imaginary = random.floats(count, -1, 1);
	int voxels = side * side * side;
	std::vector<float> x(voxels), y(voxels), z(voxels);
	for (int v = 0; v < voxels; v++) {
		x[v] = (float)(v % side) / (float)side - 0.5f;
		y[v] = (float)(v / side % side) / (float)side - 0.5f;
		z[v] = (float)(v / side / side) / (float)side - 0.5f;
	}

	program::Array<float> device_phi_real(phi_real), device_phi_imaginary(phi_imaginary), device_magnitude(count);
	ComputePhiMag_GPU<<<program::blocks(count, PHI_THREADS), PHI_THREADS>>>(device_phi_real, device_phi_imaginary,
	                                                                        device_magnitude, count);
	CHECK(cudaGetLastError());
	std::vector<float> magnitude = device_magnitude.read(), expected_magnitude(count);
	for (int k = 0; k < count; k++)
		expected_magnitude[k] = phi_real[k] * phi_real[k] + phi_imaginary[k] * phi_imaginary[k];

	std::vector<Sample> all = spirals(count, (float)side / 2, magnitude);
	program::Array<float> device_x(x), device_y(y), device_z(z), real(voxels), imaginary(voxels);
	real.clear();
	imaginary.clear();
	for (int first = 0; first < count; first += CAPACITY) {
		int some = std::min(CAPACITY, count - first);
		CHECK(cudaMemcpyToSymbol(samples, &all[first], some * sizeof(Sample)));
		ComputeQ_GPU<<<voxels / Q_THREADS, Q_THREADS>>>(some, device_x, device_y, device_z, real, imaginary);
	}
	CHECK(cudaGetLastError());

	// For a large cube, the host computes only 4096 voxels.
	std::vector<float> all_real = real.read(), all_imaginary = imaginary.read(), got, expected;
	int step = std::max(1, voxels / 4096 | 1);
	for (int v = 0; v < voxels; v += step) {
		double sum_real = 0, sum_imaginary = 0;
		for (const Sample &sample : all) {
			double angle =
				TWO_PI * ((double)sample.x * x[v] + (double)sample.y * y[v] + (double)sample.z * z[v]);
			sum_real += sample.magnitude * std::cos(angle);
			sum_imaginary += sample.magnitude * std::sin(angle);
		}
		got.insert(got.end(), {all_real[v], all_imaginary[v]});
		expected.insert(expected.end(), {(float)sum_real, (float)sum_imaginary});
	}
	program::Verdict verdict("mri_q");
	verdict.close("magnitudes", magnitude, expected_magnitude, 1e-6);
	verdict.close("Q", got, expected, 5e-4);
	return verdict.status();
}
