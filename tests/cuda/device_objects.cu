// Protects objects in device code: operator new and delete, arrays, placement, virtual functions and destructors.
// Objects live from one launch to the next, and device memory is freed. checks/host_memory.cu tests calls of pure
// virtual functions.
#include "check.h"
#include <new>

struct Shape {
	int scale;
	__device__ Shape(int s) : scale(s) {}
	__device__ virtual ~Shape() {}
	__device__ virtual int area() const = 0;
	__device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
	int side;
	__device__ Square(int s) : Shape(2), side(s) {}
	__device__ int area() const override { return scale * side * side; }
	__device__ int corners() const override { return 4; }
};
struct Disk : Shape {
	int radius;
	int *deaths;
	__device__ Disk(int r, int *d) : Shape(3), radius(r), deaths(d) {}
	__device__ ~Disk() override { atomicAdd(deaths, 1); }
	__device__ int area() const override { return scale * radius; }
};

__global__ void make(Shape **list, int count, int *deaths)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		list[i] = i % 2 ? (Shape *)new Square(i) : (Shape *)new Disk(i, deaths);
}

// In a later launch than the one that created them.
__global__ void measure(Shape *const *list, int count, int *area, int *corners)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count) {
		area[i] = list[i]->area();
		atomicAdd(corners, list[i]->corners());
	}
}

__global__ void destroy(Shape **list, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		delete list[i];
}

__global__ void arrays(int *sum)
{
	int *p = new int[100];
	for (int i = 0; i < 100; i++)
		p[i] = i;
	int total = 0;
	for (int i = 0; i < 100; i++)
		total += p[i];
	delete[] p;
	alignas(8) char room[sizeof(Square)];
	Square *here = new (room) Square(3);
	total += here->area();
	here->~Square();
	Square *maybe = new (std::nothrow_t{}) Square(5);
	total += maybe ? maybe->area() : 0;
	delete maybe;
	sum[threadIdx.x] = total;
}

__device__ void *kept; // keeps the compiler from assuming that malloc succeeds

// malloc() returns NULL when memory is full, and free() accepts NULL.
__global__ void too_much(int *answers)
{
	void *p = kept = malloc((size_t)1 << 45);
	answers[0] = p == NULL;
	free(p);
	void *q = malloc(0);
	free(q);
	char *a = (char *)malloc(24), *b = (char *)malloc(24);
	answers[1] = a != b && ((size_t)a & 15) == 0 && ((size_t)b & 15) == 0;
	free(a);
	free(b);
}

int main()
{
	const int count = 100;
	Shape **list;
	int *area, *corners, *deaths, *sum, *answers;
	size_t before, after, total;
	SUCCEEDS(cudaMallocManaged(&list, count * sizeof *list));
	SUCCEEDS(cudaMallocManaged(&area, count * sizeof *area));
	SUCCEEDS(cudaMallocManaged(&corners, sizeof *corners));
	SUCCEEDS(cudaMallocManaged(&deaths, sizeof *deaths));
	SUCCEEDS(cudaMallocManaged(&sum, 32 * sizeof *sum));
	SUCCEEDS(cudaMallocManaged(&answers, 2 * sizeof *answers));
	SUCCEEDS(cudaMemGetInfo(&before, &total));
	make<<<2, 64>>>(list, count, deaths);
	measure<<<2, 64>>>(list, count, area, corners);
	SUCCEEDS(cudaDeviceSynchronize());
	for (int i = 0; i < count; i++)
		CHECK(area[i] == (i % 2 ? 2 * i * i : 3 * i));
	CHECK(*corners == 4 * count / 2 && *deaths == 0);
	destroy<<<2, 64>>>(list, count);
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(*deaths == count / 2);
	arrays<<<1, 32>>>(sum);
	too_much<<<1, 1>>>(answers);
	SUCCEEDS(cudaDeviceSynchronize());
	for (int i = 0; i < 32; i++)
		CHECK(sum[i] == 4950 + 18 + 50);
	CHECK(answers[0] && answers[1]);
	SUCCEEDS(cudaMemGetInfo(&after, &total));
	CHECK(before == after);
	return finish();
}
