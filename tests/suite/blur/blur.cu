#include <cutil_inline.h>
#include <cutil_math.h>

#include <blur_kernel.cu>

extern "C" void blur_gold(const float *in, float *out, int width, int height);
extern "C" float stop_watch(unsigned int timer);

int main(int argc, char **argv)
{
	CUT_DEVICE_INIT(argc, argv);
	unsigned int width, height, timer = 0, count = 0;
	unsigned char *bytes = NULL;
	float *in = NULL, *back = NULL;
	char *path = cutFindFilePath("spots.pgm", argv[0]);
	CUT_SAFE_CALL(cutLoadPGMub(path, &bytes, &width, &height));
	CUT_SAFE_CALL(cutLoadPGMf(path, &in, &width, &height));
	CUT_SAFE_CALL(cutCreateTimer(&timer));
	size_t size = width * height * sizeof(float);
	float *expected = (float *)malloc(size), *got = (float *)malloc(size), *device;
	blur_gold(in, expected, width, height);

	cudaChannelFormatDesc channel = cudaCreateChannelDesc<unsigned char>();
	cudaArray *array;
	cutilSafeCall(cudaMallocArray(&array, &channel, width, height));
	cutilSafeCall(cudaMemcpyToArray(array, 0, 0, bytes, width * height, cudaMemcpyHostToDevice));
	cutilSafeCall(cudaBindTextureToArray(picture, array));
	CUDA_SAFE_CALL(cudaMalloc((void **)&device, size));
	CUT_SAFE_CALL(cutStartTimer(timer));
	blur<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(18, 18)>>>(device, width, height);
	CUT_CHECK_ERROR("Kernel execution failed");
	CUDA_SAFE_CALL(cudaThreadSynchronize());
	float time = stop_watch(timer);
	CUDA_SAFE_CALL(cudaMemcpy(got, device, size, cudaMemcpyDeviceToHost));

	CUTBoolean right = cutComparefe(expected, got, width * height, 1e-6f);
	right = (CUTBoolean)(right && cutCompareL2fe(expected, got, width * height, 1e-6f) && time > 0);
	/* written and read back: a text of numbers, and a picture */
	CUT_SAFE_CALL(cutWriteFilef("blurred.txt", expected, width * height, 0.0f));
	CUT_SAFE_CALL(cutReadFilef("blurred.txt", &back, &count, CUTFalse));
	right = (CUTBoolean)(right && count == width * height && cutComparefe(expected, back, count, 1e-5f));
	CUT_SAFE_CALL(cutSavePGMf("blurred.pgm", got, width, height));
	unsigned char *saved = NULL;
	unsigned int saved_width, saved_height;
	CUT_SAFE_CALL(cutLoadPGMub("blurred.pgm", &saved, &saved_width, &saved_height));
	right = (CUTBoolean)(right && saved_width == width && saved_height == height && saved[5] == (unsigned char)(got[5] * 255.0f));
	/* a difference is detected */
	got[3] += 0.1f;
	right = (CUTBoolean)(right && !cutComparefe(expected, got, width * height, 1e-3f) && !cutCompareL2fe(expected, got, width * height, 1e-3f));
	right = (CUTBoolean)(right && !cutLoadPGMub("Makefile", &saved, &saved_width, &saved_height) && !cutFindFilePath("nowhere", argv[0]));
	printf("Test %s\n", right ? "PASSED" : "FAILED");
	CUT_SAFE_CALL(cutDeleteTimer(timer));
	CUT_EXIT(argc, argv);
}
