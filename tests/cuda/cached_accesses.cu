// Protects include/cuda/sluice/intrinsics.h and vector memory instructions: loads and stores with a cache operator, and
// __ldg, of every type that CUDA lists, preserve values.
#include "check.h"

template <class T> __global__ void copy(const T *from, T *to)
{
	to[0] = __ldg(from);
	to[1] = __ldca(from + 1);
	to[2] = __ldcg(from + 2);
	to[3] = __ldcs(from + 3);
	to[4] = __ldlu(from + 4);
	to[5] = __ldcv(from + 5);
	__stwb(to + 6, from[6]);
	__stcg(to + 7, from[7]);
	__stcs(to + 8, from[8]);
	__stwt(to + 9, from[9]);
}

template <class T> static void test(const char *type)
{
	T from[10], to[10], *device_from, *device_to;
	unsigned char *bytes = (unsigned char *)from;
	for (size_t i = 0; i < sizeof from; i++)
		bytes[i] = (unsigned char)(i * 37 % 120 + (i % 3 == 0 ? 128 : 0));
	SUCCEEDS(cudaMalloc(&device_from, sizeof from));
	SUCCEEDS(cudaMalloc(&device_to, sizeof to));
	SUCCEEDS(cudaMemcpy(device_from, from, sizeof from, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemset(device_to, 0, sizeof to));
	copy<<<1, 1>>>(device_from, device_to);
	SUCCEEDS(cudaMemcpy(to, device_to, sizeof to, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 10; i++)
		if (memcmp(&from[i], &to[i], sizeof(T)) != 0) {
			fprintf(stderr, "%s: access %d changed the value\n", type, i);
			failures++;
		}
	SUCCEEDS(cudaFree(device_from));
	SUCCEEDS(cudaFree(device_to));
}

int main()
{
#define TEST(type) test<type>(#type);
	TEST(char) TEST(signed char) TEST(unsigned char) TEST(short) TEST(unsigned short) TEST(int) TEST(unsigned)
	TEST(long) TEST(unsigned long) TEST(long long) TEST(unsigned long long) TEST(float) TEST(double)
	TEST(char2) TEST(uchar2) TEST(short2) TEST(ushort2) TEST(int2) TEST(uint2) TEST(longlong2) TEST(ulonglong2)
	TEST(float2) TEST(double2) TEST(char4) TEST(uchar4) TEST(short4) TEST(ushort4) TEST(int4) TEST(uint4) TEST(float4)
	return finish();
}
