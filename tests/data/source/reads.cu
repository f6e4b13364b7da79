// Every form of access and every status that the static analyzer knows; tests/cuda_source/test_source.c says what it finds.
#include "helpers.h"

#define AT(x, y) ((y)*width + (x))

const int FIRST = 3;
enum { SECOND = 4 };
__constant__ int table[64];
__device__ int anywhere;

struct Pair {
	int first, second;
	float parts[4];
	__device__ float sum() const
	{
		return parts[0] + parts[1];
	}
};

struct Grid {
	const float *cells;
	int width;
};

struct Counter {
	int at;
	__device__ void next()
	{
		at++;
	}
};

__device__ float pick(const float *from, int i)
{
	return from[i + 1];
}

__device__ float &element(float *of, int i)
{
	return of[i];
}

__device__ float cell(Grid grid, int i)
{
	return grid.cells[i];
}

__device__ int either(int i)
{
	if (i > 3)
		return i;
	return 0;
}

__device__ void move(int &i, int by)
{
	i += by;
}

template <class T> __device__ T first_of(const T *from)
{
	return *from;
}

__global__ void forms(const float *a, const Pair *pairs, float *out, int width)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = a[x];
	sum += *(a + x + 1);
	sum += 2 [a];
	sum += pairs[x].second;
	sum += pairs[x].parts[FIRST];
	sum += (pairs + x)->first;
	const float *row = a + width;
	sum += row[x - SECOND];
	row -= 2;
	sum += row[x];
	const float4 *wide = reinterpret_cast<const float4 *>(a);
	sum += wide[x].z;
	sum += __ldg(&a[x]);
	sum += __ldg(a + x);
	sum += a[AT(x, FIRST)];
	sum += AT(a[x], 2);
	Pair pair = pairs[x];
	sum += pairs[x].sum();
	const float &named = a[x];
	sum += named;
	int shifted = x;
	move(shifted, 5);
	sum += a[shifted];
	sum += pair.first;
	out[x] = sum; // a store is no read
	out[x] += sum;
	out[x]++;
	atomicAdd(&out[x], 1.0f); // neither is an atomic
	Pair *store = const_cast<Pair *>(pairs);
	store[x] = pair; // nor the assignment of a structure
	store[x] = pairs[x + 1];
	element(out, x) = sum;
	sum = element(out, x);
}

__global__ void calls(const float *a, Grid grid, float *out)
{
	int t = threadIdx.x;
	auto twice = [=](int i) { return a[2 * i]; };
	float sum = pick(a, t) + helped(a, t) + twice(t) + first_of(a + t);
	sum += grid.cells[t * grid.width];
	out[t] = sum + cell(grid, t);
}

__global__ void statuses(const int *a, const int *b, int n, float *out)
{
	__shared__ int tile[32];
	int t = threadIdx.x, sum = a[0];
	sum += a[blockDim.x * gridDim.y + n];
	sum += a[blockIdx.z + t];
	sum += a[b[t]];
	sum += a[tile[t]];
	sum += a[table[t]];
	sum += a[anywhere];
	sum += a[t < 3 ? 1 : 0];
	int place = t;
	if (n > 3)
		place = 0;
	sum += a[place];
	sum += a[either(t)];
	switch (n) {
	case 0:
		place = 1;
		break;
	default:
		place = 2;
	}
	sum += a[place];
	sum += a[t / 2];
	sum += a[t & 3];
	sum += a[t << 1];
	sum += a[min(t, n)];
	sum += a[(int)(t * 0.5f)];
	sum += a[(unsigned char)t];
	sum += a[16 / 4 + (1 << 3)];
	sum += a[b[t] / 2];
	sum += a[t * blockIdx.x];
	int output = t;
	asm("mov.u32 %0, %%laneid;" : "=r"(output));
	sum += a[output];
	Counter counter;
	counter.at = t;
	sum += a[counter.at];
	counter.next();
	sum += a[counter.at];
	out[t] = sum;
}

__global__ void early(const int *a, int *out, int n)
{
	int t = threadIdx.x;
	if (t >= n)
		return;
	else
		t += n;
	out[0] = a[t];
}

__global__ void loops(const float *a, const int *b, float *out, int n)
{
	int t = threadIdx.x;
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[t + i];
	for (int i = t; i < n; i += blockDim.x * gridDim.x)
		sum += a[i];
	for (int i = n; i-- > 0;)
		sum += a[i];
	int d = n;
	do {
		sum += a[d];
	} while (--d >= 0);
	const float *row = a;
	for (int i = 0; i != 4; ++i, row += n)
		sum += row[t];
	for (int i = b[0]; i < b[1]; i++)
		sum += a[i];
	for (int i = 0; i < 4; i++)
		for (int j = 0; j <= i; j++)
			sum += a[i * 8 + j];
	for (int i = 1; i < n; i *= 2)
		sum += a[i];
	int found = 0, chased = 0;
	for (int i = 0; i < n; i++) {
		if (b[i] < 0)
			continue;
		sum += a[found];
		found++;
	}
	for (int i = 0; i < n; i++) {
		sum += a[chased];
		chased = b[chased];
	}
	while (true) {
		if (a[n] > sum)
			break;
		n++;
	}
	out[t] = sum;
}

__global__ void side_effects(const float *a, float *out, int n)
{
	int t = threadIdx.x, i = t, j = t, k = t, m = t;
	auto later = [=] { return a[i]; };
	float sum = later();
	i++;
	sum += later();
	if (n > 3 && ++j > 2)
		sum += a[j];
	sum += n > 3 ? k++ : 0;
	sum += a[k];
	do {
		m += 2;
	} while (0);
	sum += a[m];
	sum += a[t + 0xffffffffu];
	out[t] = sum;
}

__global__ void jumps(const float *a, float *out)
{
	int i = 0;
again:
	out[0] = a[i];
	if (++i < 3)
		goto again;
}

template <class T, int WIDTH> __global__ void generic(const T *a, T *out)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	out[i] = a[i + WIDTH];
}

__global__ void tile(const float *a, float *out, int width)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	out[0] = a[y * width + x];
	out[1] = a[(y - 1) * width + x];
	out[2] = a[x * width];
	out[3] = a[-x];
	for (int k = 0; k < 3; k++)
		out[4] = a[x * 3 + k];
}

__global__ void effort(float *a)
{
	// a comment

	int x = threadIdx.x; /* one
	two */
	if (x > 3) // why
	{
		a[x] = '{';
	}
	a[0] = 1; /* and */ a[1] = 2;
}

__global__ void effort_in_one(float *a) { a[0] = 1; }

int main()
{
	forms<<<1, 1>>>(nullptr, nullptr, nullptr, 0);
}

template <int SIZE> __device__ float corner(const float *from, int width)
{
	return from[(blockIdx.y * SIZE + threadIdx.y) * width + SIZE - 1];
}

__global__ void calls_template(const float *a, float *out, int width)
{
	out[threadIdx.x] = corner<16>(a, width);
}
