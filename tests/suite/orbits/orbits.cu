/* Planets around a sun: steps on the device and on the host, which use the same code for a step. */
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>
#include <helper_timer.h>

#include <iostream>

struct body {
	float3 position, velocity;
};

__host__ __device__ inline void step(body &b, float dt)
{
	float far = fmaxf(length(b.position), 0.1f);
	float3 pull = -b.position / (far * far * far);
	b.velocity += dt * pull;
	b.position += dt * b.velocity;
}

__global__ void steps(body *bodies, int count, int number, float dt)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		for (int k = 0; k < number; k++)
			step(bodies[i], dt);
}

static bool helpers_are_right()
{
	const char *words[] = {"orbits", "-n=7", "--Ratio=0.5", "---file=a=b", "plain", "-flag", "-number=9"};
	char *file = NULL;
	bool right = getCmdLineArgumentInt(7, words, "n") == 7 && getCmdLineArgumentFloat(7, words, "ratio") == 0.5f &&
	             getCmdLineArgumentString(7, words, "file", &file) && std::string(file) == "a=b" &&
	             !checkCmdLineFlag(7, words, "plain") && checkCmdLineFlag(7, words, "flag") && !checkCmdLineFlag(7, words, "fla") &&
	             getCmdLineArgumentInt(7, words, "none") == 0;
	float4 v = clamp(make_float4(make_float3(-1.0f, 0.5f, 2.0f), 3.0f), 0.0f, 1.0f);
	right = right && v.x == 0 && v.y == 0.5f && v.z == 1 && v.w == 1 && dot(make_int3(1, 2, 3), make_int3(4, 5, 6)) == 32;
	float3 x = cross(make_float3(1, 0, 0), make_float3(0, 1, 0)), y = lerp(x, make_float3(2.0f), 0.5f);
	return right && x.z == 1 && y.x == 1 && y.z == 1.5f && ftoi(-1.6f) == -2;
}

int main(int argc, char **argv)
{
	const int count = 300, number = 20;
	findCudaDevice(argc, (const char **)argv);
	std::vector<body> bodies(count), expected(count), got(count);
	for (int i = 0; i < count; i++) {
		bodies[i].position = make_float3(1.0f + 0.01f * i, 0.1f * (i % 7), 0.0f);
		bodies[i].velocity = make_float3(0.0f, 1.0f / sqrtf(1.0f + 0.01f * i), 0.2f);
	}
	expected = bodies;
	for (int i = 0; i < count; i++)
		for (int k = 0; k < number; k++)
			step(expected[i], 0.01f);
	body *device;
	StopWatchInterface *timer = NULL;
	sdkCreateTimer(&timer);
	checkCudaErrors(cudaMalloc(&device, count * sizeof(body)));
	checkCudaErrors(cudaMemcpy(device, bodies.data(), count * sizeof(body), cudaMemcpyHostToDevice));
	sdkStartTimer(&timer);
	steps<<<(count + 63) / 64, 64>>>(device, count, number, 0.01f);
	getLastCudaError("steps");
	checkCudaErrors(cudaDeviceSynchronize());
	sdkStopTimer(&timer);
	checkCudaErrors(cudaMemcpy(got.data(), device, count * sizeof(body), cudaMemcpyDeviceToHost));
	bool right = sdkCompareL2fe((float *)expected.data(), (float *)got.data(), 6 * count, 1e-5f) && sdkGetTimerValue(&timer) > 0;
	sdkDeleteTimer(&timer);
	checkCudaErrors(cudaFree(device));
	std::cout << (right && helpers_are_right() ? "Test passed" : "Test FAILED") << std::endl;
	return 0;
}
