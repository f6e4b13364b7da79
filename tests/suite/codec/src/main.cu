// A picture passes through the steps of an image codec: colors, transform, quantization, and back; three planes in
// three streams.
#include "check_cuda.h"
#include "codec.h"

#include <cmath>

using namespace codec;

struct Channel {
	DevicePlane plane, decoded;
	short *coefficients;       // on the device
	short *hostCoefficients;   // pinned
	unsigned char *hostPlane, *hostDecoded;
	cudaStream_t stream;
	int samples() const { return plane.width * plane.height; }
};

static DevicePlane newPlane(int width, int height)
{
	DevicePlane plane = {NULL, 0, width, height};
	checkCudaErrors(cudaMallocPitch(&plane.samples, &plane.pitch, width, height));
	return plane;
}

static Channel newChannel(int width, int height)
{
	Channel channel;
	channel.plane = newPlane(width, height);
	channel.decoded = newPlane(width, height);
	checkCudaErrors(cudaMalloc(&channel.coefficients, channel.samples() * sizeof(short)));
	checkCudaErrors(cudaMallocHost(&channel.hostCoefficients, channel.samples() * sizeof(short)));
	checkCudaErrors(cudaHostAlloc(&channel.hostPlane, channel.samples(), cudaHostAllocDefault));
	checkCudaErrors(cudaHostAlloc(&channel.hostDecoded, channel.samples(), cudaHostAllocDefault));
	checkCudaErrors(cudaStreamCreateWithFlags(&channel.stream, cudaStreamNonBlocking));
	return channel;
}

static void freeChannel(Channel &channel)
{
	checkCudaErrors(cudaStreamDestroy(channel.stream));
	checkCudaErrors(cudaFree(channel.plane.samples));
	checkCudaErrors(cudaFree(channel.decoded.samples));
	checkCudaErrors(cudaFree(channel.coefficients));
	checkCudaErrors(cudaFreeHost(channel.hostCoefficients));
	checkCudaErrors(cudaFreeHost(channel.hostPlane));
	checkCudaErrors(cudaFreeHost(channel.hostDecoded));
}

static void process(Channel &channel, unsigned int *histogram)
{
	int width = channel.plane.width, height = channel.plane.height;
	encode(channel.plane, channel.coefficients, channel.stream);
	checkCudaErrors(cudaMemcpyAsync(channel.hostCoefficients, channel.coefficients, channel.samples() * sizeof(short),
	                                cudaMemcpyDeviceToHost, channel.stream));
	countNonZero(channel.coefficients, channel.samples() / 64, histogram, channel.stream);
	decode(channel.coefficients, channel.decoded, channel.stream);
	checkCudaErrors(cudaMemcpy2DAsync(channel.hostPlane, width, channel.plane.samples, channel.plane.pitch, width, height,
	                                  cudaMemcpyDeviceToHost, channel.stream));
	checkCudaErrors(cudaMemcpy2DAsync(channel.hostDecoded, width, channel.decoded.samples, channel.decoded.pitch, width,
	                                  height, cudaMemcpyDeviceToHost, channel.stream));
}

// Counts differences from the model, which starts from the device's own plane. Rounding may differ in a few samples.
static int compare(const Channel &channel, const short *steps)
{
	Plane plane(channel.plane.width, channel.plane.height);
	int wrong = 0, apart = 0;
	plane.samples.assign(channel.hostPlane, channel.hostPlane + channel.samples());
	std::vector<short> wanted = encodeModel(plane, steps);
	std::vector<short> own(channel.hostCoefficients, channel.hostCoefficients + channel.samples());
	Plane back = decodeModel(own, plane.width, plane.height, steps);
	for (int i = 0; i < channel.samples(); i++) {
		int difference = std::abs(wanted[i] - own[i]);
		wrong += difference > 1 || std::abs(back.samples[i] - channel.hostDecoded[i]) > 1;
		apart += difference == 1;
	}
	return wrong + (apart > channel.samples() / 100 ? apart : 0);
}

static double psnr(const Channel &channel)
{
	double sum = 0;
	for (int i = 0; i < channel.samples(); i++)
		sum += std::pow((double)channel.hostPlane[i] - channel.hostDecoded[i], 2);
	return 10 * std::log10(255.0 * 255.0 / (sum / channel.samples()));
}

int main(int argc, char **argv)
{
	const char *input = flagValue(argc, argv, "input"), *level = flagValue(argc, argv, "quality");
	short steps[64];
	unsigned int *histogram, counts[8];
	findBestDevice();
	Image image = readPpm(input ? input : "picture.ppm");
	int width = roundUp(image.width, 16), height = roundUp(image.height, 16), wrong = 0, blocks = 0;
	Channel channels[3] = {newChannel(width, height), newChannel(width / 2, height / 2), newChannel(width / 2, height / 2)};
	setQuality(level ? atoi(level) : 50, steps);
	checkCudaErrors(cudaMalloc(&histogram, sizeof counts));
	checkCudaErrors(cudaMemset(histogram, 0, sizeof counts));
	splitColors(&image.pixels[0], image.width, image.height, channels[0].plane, channels[1].plane, channels[2].plane);
	for (int i = 0; i < 3; i++)
		process(channels[i], histogram);
	for (int i = 0; i < 3; i++)
		checkCudaErrors(cudaStreamSynchronize(channels[i].stream));
	checkCudaErrors(cudaMemcpy(counts, histogram, sizeof counts, cudaMemcpyDeviceToHost));
	Plane luma = lumaModel(image, width, height);
	for (int i = 0; i < width * height; i++)
		wrong += std::abs(luma.samples[i] - channels[0].hostPlane[i]) > 1;
	for (int i = 0; i < 3; i++) {
		wrong += compare(channels[i], steps) + (psnr(channels[i]) < 25);
		blocks += channels[i].samples() / 64;
		printf("plane %d: %d x %d, PSNR %.1f dB\n", i, channels[i].plane.width, channels[i].plane.height,
		       psnr(channels[i]));
	}
	for (int i = 0; i < 8; i++)
		blocks -= counts[i];
	for (int i = 0; i < 3; i++)
		freeChannel(channels[i]);
	checkCudaErrors(cudaFree(histogram));
	printf("%s\n", wrong || blocks ? "Result = FAIL" : "Result = PASS");
	cudaDeviceReset();
	return wrong || blocks ? EXIT_FAILURE : EXIT_SUCCESS;
}
