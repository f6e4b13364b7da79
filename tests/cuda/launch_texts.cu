// Protects strings and characters that look like launches or braces: sluice cc leaves them unchanged, and reads the
// code after them as code. Ordinary strings, raw strings, character constants. Also launches of host code after device
// code whose braces match only after the preprocessor.
#include "check.h"

__global__ void add(int *sum, int value)
{
	atomicAdd(sum, value);
}

static const char raw[] = R"(a " { k<< <1, 1>> >(0); __device__ 'b)";
static const char named[] = R"END(c )" } k<< <2, 2>> >(0); d)END";
static const char plain[] = "e \" { k<< <3, 3>> >(0); __global__ f\\";
static const char letters[] = {'"', '{', '\'', '<', '\\'};

__global__ void parent(int *sum)
{
	add<<<1, 2>>> (sum, R"("{)"[0] == '"' ? 1 : 1000);
	add<<<1, 3>>>(sum, '"' == 34 ? 10'0 : 2000);
}

template <class T> __global__ void add_each(T *sum, T value)
{
#if defined(UPWARDS)
	for (T i = 0; i < value; i++) {
#else
	for (T i = value; i; i--) {
#endif
		atomicAdd(sum, 1);
	}
}

int main()
{
	int *sum, host = 0;
	CHECK(strcmp(raw, "a \" { k<< \x3c" "1, 1>> \x3e(0); __device__ 'b") == 0);
	CHECK(strcmp(named, "c )\" } k<< \x3c" "2, 2>> \x3e(0); d") == 0);
	CHECK(strcmp(plain, "e \x22 { k<< \x3c" "3, 3>> \x3e(0); __global__ f\x5c") == 0);
	CHECK(letters[0] == 34 && letters[1] == 123 && letters[2] == 39 && letters[3] == 60 && letters[4] == 92);
	SUCCEEDS(cudaMalloc(&sum, sizeof *sum));
	SUCCEEDS(cudaMemset(sum, 0, sizeof *sum));
	parent<< <1, 1>> >(sum);
	SUCCEEDS(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host == 302);
	cudaStream_t stream;
	SUCCEEDS(cudaStreamCreate(&stream));
	add_each<<<1, 2>>>(sum, 5);
	add_each<int><<<dim3(3), 2, 0, stream>>>(sum, 100);
	SUCCEEDS(cudaDeviceSynchronize());
	SUCCEEDS(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host == 302 + 10 + 600);
	return finish();
}
