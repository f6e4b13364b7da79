// fft: a batch of complex fast Fourier transforms. Each block of 64 threads computes one, and each thread has part of
// the values in registers. CAPS uses it as FFT (fft512: 512 values, 8 per thread, three stages of radix 8). Scratchpad
// sharing uses it as FFT in its comparison with shared memory multiplexing (Tables 7 to 9; kfft: 1024 values, 16 per
// thread, five stages of radix 4). Threads access global memory with the stride of a block's width, only at the start
// and the end. Between stages they exchange values through shared memory, padded to reduce bank conflicts. fft512
// exchanges one part at a time, real or imaginary; kfft exchanges both in 8704 bytes. vtb_pipe combines two blocks of
// kfft in one of 128 threads, which use one buffer in turn (Yang et al., PACT 2012).
#include "../program.h"
#include <complex>

using Complex = std::complex<double>;

const int THREADS = 64;
const int RADIX8_ROW = 72;         // floats per row of fft512's exchange, with padding
const int PART = 1024 + 1024 / 16; // floats per part in kfft's exchange, with padding
const float TWO_PI = 6.28318531f;

__device__ __forceinline__ float2 operator+(float2 a, float2 b)
{
	return make_float2(a.x + b.x, a.y + b.y);
}
__device__ __forceinline__ float2 operator-(float2 a, float2 b)
{
	return make_float2(a.x - b.x, a.y - b.y);
}
__device__ __forceinline__ float2 operator*(float2 a, float2 b)
{
	return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// `a` rotated back by 0 to 3 eighths of a circle.
__device__ __forceinline__ float2 turned(float2 a, int eighths)
{
	const float half_root = 0.70710678f; // sqrt(1/2)
	if (eighths == 0)
		return a;
	if (eighths == 2)
		return make_float2(a.y, -a.x);
	float2 eighth = make_float2((a.x + a.y) * half_root, (a.y - a.x) * half_root);
	return eighths == 1 ? eighth : make_float2(eighth.y, -eighth.x);
}

// Transforms N values in registers, N up to 8. Coefficient k ends in v[reversed<N>(k)].
template <int N> __device__ __forceinline__ void transform(float2 *v)
{
#pragma unroll
	for (int i = 0; i < N / 2; i++) {
		float2 difference = v[i] - v[i + N / 2];
		v[i] = v[i] + v[i + N / 2];
		v[i + N / 2] = turned(difference, i * 8 / N);
	}
	transform<N / 2>(v);
	transform<N / 2>(v + N / 2);
}
template <> __device__ __forceinline__ void transform<1>(float2 *)
{
}

// The bits of k in reverse order.
template <int N> __device__ constexpr int reversed(int k)
{
	int result = 0;
	for (int bit = 1, mirror = N / 2; bit < N; bit *= 2, mirror /= 2)
		result += k & bit ? mirror : 0;
	return result;
}

// Multiplies coefficient k by exp(-2 pi sqrt(-1) k step / length).
template <int N> __device__ __forceinline__ void twiddle(float2 *v, int step, int length)
{
	float angle = -TWO_PI / length * step;
#pragma unroll
	for (int k = 1; k < N; k++) {
		float2 factor;
		__sincosf(k * angle, &factor.y, &factor.x);
		v[reversed<N>(k)] = v[reversed<N>(k)] * factor;
	}
}

// Thread t begins with values t + 64 i and ends with coefficients t + 64 k.
__global__ void fft512(float2 *data)
{
	__shared__ float buffer[8 * RADIX8_ROW]; // one part at a time
	int thread = threadIdx.x, high = thread / 8, low = thread % 8;
	float2 v[8], w[8];
	data += blockIdx.x * 512;

#pragma unroll
	for (int i = 0; i < 8; i++)
		v[i] = data[thread + i * THREADS];
	transform<8>(v);
	twiddle<8>(v, thread, 512);

	// Moves the first stage's coefficient k of value t to thread 8 k + t % 8.
#pragma unroll
	for (int part = 0; part < 2; part++) {
#pragma unroll
		for (int k = 0; k < 8; k++)
			buffer[k * RADIX8_ROW + thread] = part ? v[reversed<8>(k)].y : v[reversed<8>(k)].x;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 8; i++)
			(part ? w[i].y : w[i].x) = buffer[high * RADIX8_ROW + low + 8 * i];
		__syncthreads();
	}
	transform<8>(w);
	twiddle<8>(w, low, 64);

	// Moves the second stage's coefficient k to thread (first stage's) + 8 k.
#pragma unroll
	for (int part = 0; part < 2; part++) {
#pragma unroll
		for (int k = 0; k < 8; k++)
			buffer[k * RADIX8_ROW + high * 9 + low] = part ? w[reversed<8>(k)].y : w[reversed<8>(k)].x;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 8; i++)
			(part ? v[i].y : v[i].x) = buffer[high * RADIX8_ROW + low * 9 + i];
		__syncthreads();
	}
	transform<8>(v);
#pragma unroll
	for (int k = 0; k < 8; k++)
		data[thread + k * THREADS] = v[reversed<8>(k)];
}

// kfft: 64 threads, each with the 4 x 4 values of four butterflies of a stage. A stage's butterflies use values STRIDE
// apart, and its coefficients stay at the positions of the values. After five stages the position of a coefficient is
// its index with reversed base-4 digits.
__device__ __forceinline__ int padded(int place)
{
	return place + place / 16;
}

// Address of the thread's first value. The others follow at constant distances, because threads begin at multiples
// of 4.
template <int STRIDE, typename T> __device__ __forceinline__ T *first_of(T *buffer, int thread)
{
	const int NEIGHBOURS = STRIDE / 4; // threads with consecutive butterflies
	return &buffer[padded(thread / NEIGHBOURS * 4 * STRIDE + thread % NEIGHBOURS * 4)];
}

template <int STRIDE> __device__ __forceinline__ void stage(float2 (*v)[4], int thread)
{
#pragma unroll
	for (int b = 0; b < 4; b++) {
		transform<4>(v[b]);
		twiddle<4>(v[b], thread % (STRIDE / 4) * 4 + b, 4 * STRIDE);
	}
}

template <int STRIDE> __device__ __forceinline__ void put(float *buffer, const float2 (*v)[4], int thread)
{
	float *first = first_of<STRIDE>(buffer, thread);
#pragma unroll
	for (int b = 0; b < 4; b++)
#pragma unroll
		for (int k = 0; k < 4; k++) {
			int at = b + padded(k * STRIDE);
			first[at] = v[b][reversed<4>(k)].x;
			first[PART + at] = v[b][reversed<4>(k)].y;
		}
}

template <int STRIDE> __device__ __forceinline__ void get(const float *buffer, float2 (*v)[4], int thread)
{
	const float *first = first_of<STRIDE>(buffer, thread);
#pragma unroll
	for (int b = 0; b < 4; b++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
			int at = b + padded(i * STRIDE);
			v[b][i] = make_float2(first[at], first[PART + at]);
		}
}

// Synchronizes a transform's writes to the buffer with its reads.
template <unsigned TURNS> __device__ __forceinline__ void written()
{
	if (TURNS == 1)
		__syncthreads();
	else
		program::barrier<THREADS>(threadIdx.y + 1);
}

// Exchanges values between two stages and computes the next stage. In a block of several transforms, these use the
// buffer in turn, and each computes while the next one exchanges.
template <unsigned TURNS, int FROM, int TO>
__device__ __forceinline__ void next_stage(float *buffer, float2 (*v)[4], int thread)
{
	for (unsigned turn = 0; turn < TURNS; turn++) {
		bool ours = TURNS == 1 || threadIdx.y == turn;
		if (ours) {
			put<FROM>(buffer, v, thread);
			written<TURNS>();
			get<TO>(buffer, v, thread);
		}
		__syncthreads();
		if (ours)
			stage<TO>(v, thread);
	}
}

// After the stage of stride 4: four butterflies of adjacent values within the thread, then all coefficients in
// order.
template <unsigned TURNS>
__device__ __forceinline__ void last_stage(float *buffer, float2 (*v)[4], int thread, float4 *real, float4 *imaginary)
{
	float2 neighbours[4][4];
#pragma unroll
	for (int k = 0; k < 4; k++) {
#pragma unroll
		for (int b = 0; b < 4; b++)
			neighbours[k][b] = v[b][reversed<4>(k)];
		transform<4>(neighbours[k]);
	}
	for (unsigned turn = 0; turn < TURNS; turn++) {
		bool ours = TURNS == 1 || threadIdx.y == turn;
		if (ours) {
			float *first = &buffer[padded(thread % 4 * 16 + thread / 4 % 4 * 4 + thread / 16)];
#pragma unroll
			for (int high = 0; high < 4; high++)
#pragma unroll
				for (int k = 0; k < 4; k++) {
					float2 coefficient = neighbours[k][reversed<4>(high)];
					int at = padded(high * 256 + k * 64);
					first[at] = coefficient.x;
					first[PART + at] = coefficient.y;
				}
			written<TURNS>();
			get<256>(buffer, v, thread);
#pragma unroll
			for (int i = 0; i < 4; i++) {
				real[thread + i * THREADS] = make_float4(v[0][i].x, v[1][i].x, v[2][i].x, v[3][i].x);
				imaginary[thread + i * THREADS] =
					make_float4(v[0][i].y, v[1][i].y, v[2][i].y, v[3][i].y);
			}
		}
		if (turn + 1 < TURNS)
			__syncthreads();
	}
}

template <unsigned TURNS> __device__ __forceinline__ void transform_1024(float *buffer, float4 *real, float4 *imaginary)
{
	int thread = threadIdx.x, number = blockIdx.x * TURNS + threadIdx.y;
	float2 v[4][4];
	real += number * 256;
	imaginary += number * 256;

#pragma unroll
	for (int i = 0; i < 4; i++) {
		float4 x = real[thread + i * THREADS], y = imaginary[thread + i * THREADS];
		v[0][i] = make_float2(x.x, y.x);
		v[1][i] = make_float2(x.y, y.y);
		v[2][i] = make_float2(x.z, y.z);
		v[3][i] = make_float2(x.w, y.w);
	}
	stage<256>(v, thread);
	next_stage<TURNS, 256, 64>(buffer, v, thread);
	next_stage<TURNS, 64, 16>(buffer, v, thread);
	next_stage<TURNS, 16, 4>(buffer, v, thread);
	last_stage<TURNS>(buffer, v, thread, real, imaginary);
}

__global__ void kfft(float4 *real, float4 *imaginary)
{
	__shared__ float buffer[2 * PART];
	transform_1024<1>(buffer, real, imaginary);
}

__global__ void kfft_vtb_pipe(float4 *real, float4 *imaginary)
{
	__shared__ float buffer[2 * PART];
	transform_1024<2>(buffer, real, imaginary);
}

// The textbook recursion: combines the transforms of the values with even and odd index.
static std::vector<Complex> reference(const std::vector<Complex> &values)
{
	size_t half = values.size() / 2;
	if (!half)
		return values;
	std::vector<Complex> even(half), odd(half), result(2 * half);
	for (size_t i = 0; i < half; i++) {
		even[i] = values[2 * i];
		odd[i] = values[2 * i + 1];
	}
	even = reference(even);
	odd = reference(odd);
	for (size_t k = 0; k < half; k++) {
		Complex term = std::polar(1.0, -M_PI * k / half) * odd[k];
		result[k] = even[k] + term;
		result[k + half] = even[k] - term;
	}
	return result;
}

int main(int argc, char **argv)
{
	program::Arguments arguments(argc, argv, "fft", {"fft512", "kfft", "vtb_pipe"});
	int transforms = arguments.number("transforms", 32, 1024, 4096, "transforms, an even number");
	arguments.end();
	arguments.require(transforms > 0 && transforms % 2 == 0 && transforms <= 1 << 16,
	                  "an even number of transforms, to 65536");

	int length = arguments.is("fft512") ? 512 : 1024;
	size_t count = (size_t)transforms * length;
	program::Random random(arguments.seed());
	std::vector<float> real = random.floats(count, -1, 1), imaginary = random.floats(count, -1, 1);
	std::vector<double> expected_real, expected_imaginary;
	for (size_t start = 0; start < count; start += length) {
		std::vector<Complex> values;
		for (size_t i = start; i < start + length; i++)
			values.emplace_back(real[i], imaginary[i]);
		for (const Complex &coefficient : reference(values)) {
			expected_real.push_back(coefficient.real());
			expected_imaginary.push_back(coefficient.imag());
		}
	}

	if (arguments.is("fft512")) {
		std::vector<float2> values(count);
		for (size_t i = 0; i < count; i++)
			values[i] = make_float2(real[i], imaginary[i]);
		program::Array<float2> data(values);
		fft512<<<transforms, THREADS>>>(data);
		values = data.read();
		for (size_t i = 0; i < count; i++) {
			real[i] = values[i].x;
			imaginary[i] = values[i].y;
		}
	} else {
		program::Array<float> real_data(real), imaginary_data(imaginary);
		float4 *real4 = (float4 *)(float *)real_data, *imaginary4 = (float4 *)(float *)imaginary_data;
		if (arguments.is("kfft"))
			kfft<<<transforms, THREADS>>>(real4, imaginary4);
		else
			kfft_vtb_pipe<<<transforms / 2, dim3(THREADS, 2)>>>(real4, imaginary4);
		real = real_data.read();
		imaginary = imaginary_data.read();
	}
	CHECK(cudaGetLastError());

	program::Verdict verdict("fft");
	verdict.close("real parts", real, expected_real, 1e-4);
	verdict.close("imaginary parts", imaginary, expected_imaginary, 1e-4);
	return verdict.status();
}
