// machine: what the driver says of the card: names, versions, and every attribute of the device by its number.
#include "kit.h"

int main()
{
	int driver = 0, runtime = 0;
	CHECK(cudaDriverGetVersion(&driver));
	CHECK(cudaRuntimeGetVersion(&runtime));
	const cudaDeviceProp &device = kit::device();
	kit::row("machine", "driver_cuda", "", {(double)driver}, "version");
	kit::row("machine", "runtime_cuda", "", {(double)runtime}, "version");
	kit::row("machine", "capability", "", {(double)(10 * device.major + device.minor)}, "version");
	kit::row("machine", "sms", "", {(double)device.multiProcessorCount}, "SMs");
	kit::row("machine", "l2", "", {(double)device.l2CacheSize}, "bytes");
	kit::row("machine", "memory", "", {(double)device.totalGlobalMem}, "bytes");
	kit::row("machine", "shared_per_sm", "", {(double)device.sharedMemPerMultiprocessor}, "bytes");
	kit::row("machine", "registers_per_sm", "", {(double)device.regsPerMultiprocessor}, "registers");
	kit::row("machine", "threads_per_sm", "", {(double)device.maxThreadsPerMultiProcessor}, "threads");
	for (int attribute = 1; attribute < 160; attribute++) {
		int value;
		if (cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attribute, 0) == cudaSuccess)
			kit::row("machine", "attribute", kit::text("number=%d", attribute), {(double)value}, "value");
	}
	cudaGetLastError();
	return 0;
}
