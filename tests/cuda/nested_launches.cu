// Protects launches by kernels: the order, arguments and shapes of grids. Quicksort and a quadtree launch themselves
// and wait for their grids. Also tests errors, and forms of launches in device and host code.
#include "check.h"
#include <algorithm>
#include <vector>

// ---- order and arguments ----

__device__ int entries[256], entry_count;

__device__ void note(int entry)
{
	entries[atomicAdd(&entry_count, 1)] = entry;
}

struct three {
	char tag;
	double number;
	short more;
};

__global__ void leaf(int entry, three value, char last)
{
	extern __shared__ int room[];
	room[threadIdx.x] = threadIdx.x;
	__syncthreads();
	bool right = value.tag == 't' && value.number == 0.25 && value.more == -3 && last == 'z';
	if (threadIdx.x == 3 && threadIdx.y == 1 && blockIdx.x == gridDim.x - 1)
		note(right && room[0] == 0 && gridDim.x == 2 && blockDim.x == 4 && blockDim.y == 2 ? entry : -1);
}

// 10 launches 11, then 12; 20 launches 21, then 22. 10 and 20 are in different streams, so they overlap.
__global__ void inner(int entry)
{
	three value = {'t', 0.25, -3};
	note(entry);
	leaf<<<2, dim3(4, 2), 4 * sizeof(int)>>>(entry + 1, value, 'z');
	leaf<<<dim3(2), dim3(4, 2), 4 * sizeof(int), 0>>>(entry + 2, value, 'z');
}

__global__ void outer()
{
	if (threadIdx.x == 0) {
		cudaStream_t stream;
		cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
		inner<<<1, 1>>>(10);
		inner<< <1, 1, 0, stream >> >(20); // the old spelling
		cudaStreamDestroy(stream);
		note(1);
	}
}

static std::vector<int> noted()
{
	int count, all[256];
	SUCCEEDS(cudaMemcpyFromSymbol(&count, entry_count, sizeof count));
	SUCCEEDS(cudaMemcpyFromSymbol(all, entries, sizeof all));
	int none = 0;
	SUCCEEDS(cudaMemcpyToSymbol(entry_count, &none, sizeof none));
	return std::vector<int>(all, all + count);
}

// Kernels with one name: distinguished by the number of arguments, one only declared; a template; one with more
// parameters than are distinguished.
__global__ void several(int entry);
__global__ void several(int entry, int second, int third); // never defined
__global__ void several(int entry, char other)
{
	note(entry + other);
}
__global__ void several(int entry)
{
	note(entry);
}
template <class T, T factor> __global__ void of_template(T entry, T other, T more, T most)
{
	note(entry + factor * (other + more + most));
}
__global__ void many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, int n, int o, int p, int q)
{
	note(a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q);
}
template <int extra> __host__ __device__ void launch_several(int entry)
{
	several<<<1, 1>>>(entry + extra, (char)1);
}
__global__ void launches_several()
{
	several<<<1, 1>>>(50);
	several<<<dim3(1, 1), 1>>>(51, ")("[0] == ')' ? ',' - ',' : 100);
	of_template<int, 2><<<1, 1>>>(50, 1, int{0}, 0);
	if (threadIdx.x == 0)
		many<<<1, 1>>>(37, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
	else
		several<<<1, 1>>>(0);
	launch_several<2>(51);
}

static void check_several()
{
	launches_several<<<1, 1>>>();
	launch_several<3>(51);
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(noted() == std::vector<int>({50, 51, 52, 53, 54, 55}));
}

static void check_order()
{
	outer<<<1, 32>>>();
	SUCCEEDS(cudaDeviceSynchronize());
	std::vector<int> all = noted();
	auto place = [&](int entry) { return std::find(all.begin(), all.end(), entry) - all.begin(); };
	CHECK(place(10) < place(11) && place(11) < place(12) && place(20) < place(21) && place(21) < place(22));
	std::sort(all.begin(), all.end());
	CHECK(all == std::vector<int>({1, 10, 11, 12, 20, 21, 22}));
}

// ---- forms ----

namespace shapes
{
template <class T, int N> struct with {
	static __device__ void launch(T *to, T value);
};
template <class T, int N> __global__ void put(T *to, T value)
{
	to[N] = value;
}
template <class T, int N> __device__ void with<T, N>::launch(T *to, T value)
{
	if (value > 0)
		shapes::put<T, N><<<1, 1>>>(to, value);
	else if (value < 0) ::shapes::put<T, (N > 1) ? 0 : N>
		<<<1,
		   1>>>(to, value);
}
} // namespace shapes

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__) // host code

__global__ void forms(double *to)
{
	// a launch<<<1, 1>>>() in words and "launch<<<1, 1>>>()" in quotes
	const char *text = "forms<<<1, 1>>>(to)";
	shapes::with<double, 2>::launch(to, text[0] == 'f' ? 1.5 : 0);
	shapes::with<double, 3>::launch(to, -2.5);
	shapes::put<double, 1><<<(1 << 3) >> 3, dim3(1)>>>(to, 1 >> 1 ? 0 : 3);
}

// Copies and fills are ordered with the launched grids.
__global__ void move(double *to)
{
	double *room;
	cudaMalloc(&room, 2 * sizeof(double));
	cudaMemsetAsync(room, 0, 2 * sizeof(double));
	shapes::put<double, 1><<<1, 1>>>(room, 7.0);
	if (cudaMemcpyAsync(to, room, 2 * sizeof(double), cudaMemcpyDeviceToHost) != cudaErrorInvalidMemcpyDirection)
		return;
	cudaMemcpyAsync(to, room, 2 * sizeof(double), cudaMemcpyDeviceToDevice, 0);
	shapes::put<double, 0><<<1, 1>>>(to, 8.0);
}

static void check_forms()
{
	double *data, host[4];
	SUCCEEDS(cudaMalloc(&data, sizeof host));
	auto launch = [&] { LAUNCH(forms, data); };
	launch();
	SUCCEEDS(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host[0] == -2.5 && host[1] == 3 && host[2] == 1.5);
	move<<<1, 1>>>(data);
	SUCCEEDS(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
	CHECK(host[0] == 8 && host[1] == 7 && host[2] == 1.5);
	SUCCEEDS(cudaFree(data));
}

// ---- quicksort: each call partitions its piece and launches itself for both parts ----

__global__ void sort_all(unsigned *data, int left, int right, int depth)
{
	if (depth >= 8 || right - left <= 8) {
		for (int i = left; i <= right; i++)
			for (int k = i; k > left && data[k - 1] > data[k]; k--) {
				unsigned kept = data[k];
				data[k] = data[k - 1];
				data[k - 1] = kept;
			}
		return;
	}
	unsigned pivot = data[(left + right) / 2];
	int low = left, high = right;
	while (low <= high) {
		while (data[low] < pivot)
			low++;
		while (data[high] > pivot)
			high--;
		if (low <= high) {
			unsigned kept = data[low];
			data[low++] = data[high];
			data[high--] = kept;
		}
	}
	cudaStream_t streams[2];
	for (int side = 0; side < 2; side++) {
		cudaStreamCreateWithFlags(&streams[side], cudaStreamNonBlocking);
		int from = side ? low : left, to = side ? right : high;
		if (from < to)
			sort_all<<<1, 1, 0, streams[side]>>>(data, from, to, depth + 1);
		cudaStreamDestroy(streams[side]);
	}
}

static void check_quicksort()
{
	enum { COUNT = 300 };
	unsigned host[COUNT], back[COUNT], *data;
	srand(1);
	for (unsigned &value : host)
		value = (unsigned)rand() % 1000;
	SUCCEEDS(cudaMalloc(&data, sizeof host));
	SUCCEEDS(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
	sort_all<<<1, 1>>>(data, 0, COUNT - 1, 0);
	SUCCEEDS(cudaMemcpy(back, data, sizeof back, cudaMemcpyDeviceToHost));
	std::sort(host, host + COUNT);
	CHECK(memcmp(host, back, sizeof host) == 0);
	SUCCEEDS(cudaFree(data));
}

// ---- a quadtree: a block counts its square's points and launches a grid of four blocks for the quarters ----

struct square {
	float x, y, size;
	int count;
};

template <int THREADS>
__global__ void divide(const float2 *points, int count, square *squares, int node, int depth)
{
	__shared__ int inside;
	square &own = squares[node + blockIdx.x];
	if (threadIdx.x == 0)
		inside = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < count; i += THREADS)
		if (points[i].x >= own.x && points[i].x < own.x + own.size && points[i].y >= own.y &&
		    points[i].y < own.y + own.size)
			atomicAdd(&inside, 1);
	__syncthreads();
	if (threadIdx.x)
		return;
	own.count = inside;
	if (inside <= 4 || depth == 3)
		return;
	int first = 4 * (node + blockIdx.x) + 1;
	for (int quarter = 0; quarter < 4; quarter++)
		squares[first + quarter] = {own.x + (quarter & 1) * own.size / 2, own.y + (quarter / 2) * own.size / 2,
		                            own.size / 2, 0};
	divide<THREADS><<<4, THREADS>>>(points, count, squares, first, depth + 1);
}

static int expect(const std::vector<float2> &points, std::vector<square> &squares, int node, square own, int depth)
{
	own.count = 0;
	for (float2 point : points)
		own.count += point.x >= own.x && point.x < own.x + own.size && point.y >= own.y &&
		             point.y < own.y + own.size;
	squares[node] = own;
	int nodes = 1;
	for (int quarter = 0; own.count > 4 && depth < 3 && quarter < 4; quarter++)
		nodes += expect(points, squares, 4 * node + 1 + quarter,
		                {own.x + (quarter & 1) * own.size / 2, own.y + (quarter / 2) * own.size / 2,
		                 own.size / 2, 0},
		                depth + 1);
	return nodes;
}

static void check_quadtree()
{
	enum { COUNT = 100, NODES = 1 + 4 + 16 + 64 };
	std::vector<float2> points;
	std::vector<square> expected(NODES), squares(NODES);
	for (int i = 0; i < COUNT; i++)
		points.push_back({(float)(i * 37 % 101) / 101, (float)(i * i % 103) / 206});
	float2 *device_points;
	square *device_squares;
	square whole = {0, 0, 1, 0};
	SUCCEEDS(cudaMalloc(&device_points, COUNT * sizeof(float2)));
	SUCCEEDS(cudaMalloc(&device_squares, NODES * sizeof(square)));
	SUCCEEDS(cudaMemcpy(device_points, points.data(), COUNT * sizeof(float2), cudaMemcpyHostToDevice));
	SUCCEEDS(cudaMemset(device_squares, 0, NODES * sizeof(square)));
	SUCCEEDS(cudaMemcpy(device_squares, &whole, sizeof whole, cudaMemcpyHostToDevice));
	divide<64><<<1, 64>>>(device_points, COUNT, device_squares, 0, 0);
	SUCCEEDS(cudaMemcpy(squares.data(), device_squares, NODES * sizeof(square), cudaMemcpyDeviceToHost));
	CHECK(expect(points, expected, 0, whole, 0) > 10);
	CHECK(memcmp(squares.data(), expected.data(), NODES * sizeof(square)) == 0);
	SUCCEEDS(cudaFree(device_points));
	SUCCEEDS(cudaFree(device_squares));
}

// ---- waiting: the sum of two halves, which child grids compute ----

__global__ void sum(const int *data, int count, int *result)
{
	if (count <= 4) {
		*result = 0;
		for (int i = 0; i < count; i++)
			*result += data[i];
		return;
	}
	int *halves = (int *)malloc(2 * sizeof(int));
	sum<<<1, 1>>>(data, count / 2, &halves[0]);
	sum<<<1, 1>>>(data + count / 2, count - count / 2, &halves[1]);
	note(cudaDeviceSynchronize());
	*result = halves[0] + halves[1];
	free(halves);
}

// A block waits only for its own grids.
__global__ void two()
{
	if (blockIdx.x == 0) {
		inner<<<1, 1>>>(50);
	} else {
		note(__cudaDeviceSynchronizeDeprecationAvoidance() + 1);
	}
}

static void check_waiting()
{
	two<<<2, 1>>>();
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(noted() == std::vector<int>({1, 50, 51, 52}));
	enum { COUNT = 50 };
	int host[COUNT], expected = 0, *data, result = 0;
	for (int i = 0; i < COUNT; i++)
		expected += host[i] = i * i;
	SUCCEEDS(cudaMalloc(&data, (COUNT + 1) * sizeof(int)));
	SUCCEEDS(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
	sum<<<1, 1>>>(data, COUNT, data + COUNT);
	SUCCEEDS(cudaMemcpy(&result, data + COUNT, sizeof result, cudaMemcpyDeviceToHost));
	CHECK(result == expected);
	for (int error : noted())
		CHECK(error == 0);
	SUCCEEDS(cudaFree(data));
}

// ---- errors ----

__global__ void nest(int depth)
{
	if (threadIdx.x)
		return;
	note(depth);
	nest<<<1, 1>>>(depth + 1);
	if (cudaGetLastError() == cudaErrorLaunchMaxDepthExceeded)
		note(-depth);
}

__global__ void wrong()
{
	if (threadIdx.x)
		return;
	nest<<<0, 1>>>(0);
	note(cudaPeekAtLastError());
	note(cudaGetLastError());
	note(cudaGetLastError());
	nest<<<1, 4096>>>(0);
	note(cudaGetErrorName(cudaGetLastError())[9] == 'I'); // cudaErrorInvalidConfiguration
	dim3 one(1);
	note(cudaLaunchDevice((void *)16384, NULL, one, one, 0, 0));
}

__global__ void store(int *to)
{
	*to = 1;
}

__global__ void store_through(int *to)
{
	store<<<1, 1>>>(to);
}

static void check_errors()
{
	nest<<<1, 32>>>(0);
	SUCCEEDS(cudaDeviceSynchronize());
	std::vector<int> all = noted();
	CHECK(all.size() == 26 && all[24] == 24 && all[25] == -24);
	wrong<<<1, 32>>>();
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(noted() == std::vector<int>({cudaErrorInvalidConfiguration, cudaErrorInvalidConfiguration, 0, 1,
	                                   cudaErrorInvalidDeviceFunction}));
	// a grid's fault is its parent's: last, because it is sticky
	store_through<<<1, 1>>>((int *)64);
	FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

int main()
{
	check_order();
	check_several();
	check_forms();
	check_quicksort();
	check_quadtree();
	check_waiting();
	check_errors();
	finish();
	_Exit(failures ? 1 : 0); // a fault would make the status 1
}
