/* Ten kernels that compare GPGPU-Sim's tested configurations with their machines here (docs/explanation/fidelity.md,
 * Tested configurations). All take two arrays of 512 KB and a number. Usage: configurations KERNEL. The program copies
 * both arrays to the device and launches 60 blocks of 256 threads once. */
#include <cstdio>
#include <cstring>
#include <vector>

extern "C" __global__ void chain(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	float v = x[at];
	for (int i = 0; i < n; i++)
		v = v * 1.0001f + 1;
	y[at] = v;
}

extern "C" __global__ void mixed(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x, k = at;
	float v = x[at], w = v + 1;
	for (int i = 0; i < n; i++) {
		v = v * 1.0001f + 1, w = w * 1.0002f + 2;
		k = k * 5 + i;
	}
	y[at] = v + w + (float)k;
}

extern "C" __global__ void doubles(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	double v = x[at];
	for (int i = 0; i < n; i++)
		v = v * 1.0001 + 1;
	y[at] = (float)v;
}

extern "C" __global__ void special(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	float v = x[at];
	for (int i = 0; i < n; i++)
		v = __sinf(v) + 1;
	y[at] = v;
}

extern "C" __global__ void scale(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
	for (int i = 0; i < n; i++, at += step)
		y[at] = x[at] * 2 + 1;
}

extern "C" __global__ void columns(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += x[(at & 1023) * 64 + i];
	y[at] = sum;
}

extern "C" __global__ void stencil(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x, row = 256;
	for (int i = 0; i < n; i++, at += 60 * 256)
		y[at + row] = x[at] + x[at + row - 1] + x[at + row] + x[at + row + 1] + x[at + 2 * row];
}

extern "C" __global__ void reduce(float *x, float *y, int n)
{
	__shared__ float part[256];
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	for (int i = 0; i < n; i++) {
		part[threadIdx.x] = x[at + i * 15360];
		__syncthreads();
		for (int s = 128; s > 0; s >>= 1) {
			if (threadIdx.x < s)
				part[threadIdx.x] += part[threadIdx.x + s];
			__syncthreads();
		}
		if (!threadIdx.x)
			y[blockIdx.x] = part[0];
	}
}

extern "C" __global__ void gather(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned k = at;
	float sum = 0;
	for (int i = 0; i < n; i++) {
		k = k * 1664525 + 1013904223;
		sum += x[k >> 15 & 0x1ffff];
	}
	y[at] = sum;
}

extern "C" __global__ void atomics(float *x, float *y, int n)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	for (int i = 0; i < n; i++)
		atomicAdd((unsigned *)y + ((at * 7 + i * 129) & 4095), 1u);
}

static const struct {
	const char *name;
	void (*kernel)(float *x, float *y, int n);
	int n;
} kernels[] = {{"chain", chain, 50},   {"mixed", mixed, 40},     {"doubles", doubles, 10}, {"special", special, 16},
               {"scale", scale, 4},    {"columns", columns, 8},  {"stencil", stencil, 3},  {"reduce", reduce, 2},
               {"gather", gather, 8},  {"atomics", atomics, 4}};

static float *array()
{
	const size_t bytes = 524288;
	std::vector<float> host(bytes / 4);
	for (size_t i = 0; i < host.size(); i++)
		host[i] = i % 7;
	float *device = nullptr;
	cudaMalloc(&device, bytes);
	cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice);
	return device;
}

int main(int argc, char **argv)
{
	float *x = array(), *y = array();
	for (const auto &k : kernels)
		if (argc > 1 && strcmp(k.name, argv[1]) == 0) {
			k.kernel<<<60, 256>>>(x, y, k.n);
			return cudaDeviceSynchronize() != cudaSuccess;
		}
	fprintf(stderr, "usage: %s KERNEL\n", argv[0]);
	return 2;
}
