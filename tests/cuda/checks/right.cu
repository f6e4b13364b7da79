// Protects against false positives: correct programs that look wrong get no message, and their results are right.
#include "cases.h"
#include <vector>

#define SYNC(number, threads) asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory")
#define ARRIVE(number, threads) asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory")

static void expect(bool holds)
{
	if (!holds) {
		printf("wrong result\n");
		exit(1);
	}
}

static std::vector<int> read(const int *device, int count)
{
	std::vector<int> host(count);
	cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
	return host;
}

// Operations that the machine lacks, as compilers and CUDA's guide emulate them.
//: exchanges: right race,global-race,warp-race
__global__ void exchanges(int *out)
{
	__shared__ unsigned long long sum;
	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	unsigned long long old = sum, assumed;
	do {
		assumed = old;
		old = atomicCAS(&sum, assumed, assumed * 3 + threadIdx.x);
	} while (assumed != old);
	atomicAdd((double *)out, 1.0);
	__syncthreads();
	out[2 + threadIdx.x] = (int)sum;
}

// A reduction whose last five steps one warp executes in lockstep.
//: reduction: right race,init,shared-init,footprint
__global__ void reduction(int *out)
{
	__shared__ int s[256];
	int t = threadIdx.x;
	s[t] = t;
	__syncthreads();
	for (int stride = 128; stride >= 32; stride /= 2) {
		if (t < stride)
			s[t] += s[t + stride];
		__syncthreads();
	}
	if (t < 32) {
		volatile int *v = s;
		for (int stride = 16; stride; stride /= 2) {
			int other = v[t + stride];
			__syncwarp();
			v[t] += other;
			__syncwarp();
		}
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}

// The same with a block of one warp: upper lanes add unwritten values whose sums are never used.
//: one_warp: right
__global__ void one_warp(int *out)
{
	extern __shared__ int room[];
	volatile int *v = room;
	int t = threadIdx.x;
	v[t] = 1;
	for (int stride = 16; stride; stride /= 2)
		v[t] += v[t + stride];
	if (t == 0)
		out[0] = v[0];
}

// Two alternating buffers, one barrier per round.
//: double_buffer: right
__global__ void double_buffer(int *out)
{
	__shared__ int s[2][128];
	int t = threadIdx.x, sum = 0;
	for (int i = 0; i < 9; i++) {
		s[i & 1][t] = i * t;
		__syncthreads();
		sum += s[i & 1][127 - t];
	}
	out[t] = sum;
}

// A scan that reads one half and writes the other.
//: scan: right
__global__ void scan(int *out)
{
	__shared__ int s[2][256];
	int t = threadIdx.x, in = 0;
	s[0][t] = 1;
	__syncthreads();
	for (int step = 1; step < 256; step *= 2) {
		s[1 - in][t] = s[in][t] + (t >= step ? s[in][t - step] : 0);
		in = 1 - in;
		__syncthreads();
	}
	out[t] = s[in][t];
}

// Two warps produce and two consume; named barriers signal full and empty. Each buffer has its own barriers.
//: producers: right
__global__ void producers(int *out)
{
	__shared__ int s[2][64];
	int t = threadIdx.x % 64, sum = 0;
	bool produces = threadIdx.x < 64;
	for (int i = 0; i < 6; i++) {
		int b = i & 1;
		if (produces) {
			if (i >= 2)
				SYNC(3 + b, 128); // empty
			s[b][t] = i * 100 + t;
			ARRIVE(1 + b, 128); // full
		} else {
			SYNC(1 + b, 128);
			sum += s[b][63 - t];
			if (i < 4)
				ARRIVE(3 + b, 128);
		}
	}
	out[threadIdx.x] = sum;
}

// The first warp's write reaches the third warp through the second.
//: chain: right
__global__ void chain(int *out)
{
	__shared__ int s;
	int warp = threadIdx.x / 32;
	if (threadIdx.x == 0)
		s = 7;
	if (warp < 2)
		SYNC(1, 64);
	if (warp > 0)
		SYNC(2, 64);
	if (threadIdx.x == 64)
		out[0] = s;
}

// Pairs of warps use their own barriers.
//: pairs: right
__global__ void pairs(int *out)
{
	__shared__ int s[256];
	int t = threadIdx.x, pair = t / 64;
	for (int i = 0; i < 3; i++) {
		s[t] = t + i;
		SYNC(1 + pair, 64);
		out[t] += s[t ^ 32];
		SYNC(1 + pair, 64);
	}
}

//: counters: right
__global__ void counters(int *out)
{
	__shared__ int bin[16];
	int t = threadIdx.x;
	if (t < 16)
		bin[t] = 0;
	__syncthreads();
	atomicAdd(&bin[t % 16], 1);
	atomicMax(&bin[t % 4], 1);
	__syncthreads();
	if (t < 16)
		atomicAdd(out + t, bin[t]);
}

// One lane writes, its warp reads.
//: leader: right
__global__ void leader(int *out)
{
	__shared__ int s[4];
	int warp = threadIdx.x / 32;
	for (int i = 0; i < 3; i++) {
		if (threadIdx.x % 32 == 0)
			s[warp] = 10 * warp + i;
		__syncwarp();
		out[threadIdx.x] += s[warp];
		__syncwarp();
	}
}

// An array that serves two purposes in succession.
//: reused: right
__global__ void reused(int *out)
{
	__shared__ int s[128];
	int t = threadIdx.x;
	s[t] = t;
	__syncthreads();
	int a = s[127 - t];
	__syncthreads();
	float *f = (float *)s;
	f[127 - t] = a;
	__syncthreads();
	out[t] = (int)f[t];
}

// Different warps access adjacent bytes, and parts of one word.
//: bytes: right
__global__ void bytes(int *out)
{
	__shared__ unsigned char s[128];
	__shared__ unsigned short h[4];
	int t = threadIdx.x;
	s[t % 32 * 4 + t / 32] = t;
	if (t % 32 == 0)
		h[t / 32] = t;
	__syncthreads();
	out[t] = ((unsigned *)s)[t % 32] >> 24 == 96 + t % 32 && h[t / 32] == t / 32 * 32;
}

// All write the same value.
//: agree: right
__global__ void agree(int *out)
{
	__shared__ int any;
	if (threadIdx.x == 0)
		any = 0;
	__syncthreads();
	if (threadIdx.x % 3 == 1)
		any = 1;
	__syncthreads();
	out[threadIdx.x] = any;
}

// Lanes of a warp compete for a bin; any winner is correct (the histograms of CUDA's first years).
//: tags: right
__global__ void tags(int *out)
{
	__shared__ volatile unsigned bin[4];
	int t = threadIdx.x;
	if (t < 4)
		bin[t] = 0;
	__syncwarp();
	unsigned count, tag = (unsigned)t << 27;
	do {
		count = tag | ((bin[t % 4] & 0x7ffffff) + 1);
		bin[t % 4] = count;
	} while (bin[t % 4] != count);
	__syncwarp();
	if (t < 4)
		out[t] = bin[t] & 0x7ffffff;
}

// Warps that end early, and threads of a warp that end early.
//: early: right
__global__ void early(int *out, int n)
{
	__shared__ int s[128];
	int t = threadIdx.x;
	s[t] = t;
	if (t >= n)
		return;
	__syncthreads();
	out[t] = s[t ^ 1] + s[t == 0 ? 127 : t - 1];
	__syncthreads();
	s[t] = 3;
}

// A barrier for only the threads that have work; the others continue to the end.
//: tail: right
__global__ void tail(int *out, int n)
{
	__shared__ int s[128];
	int t = threadIdx.x;
	if (t < n) {
		s[t] = 2 * t;
		__syncthreads();
		out[t] = s[n - 1 - t];
	}
}

// A lock with fences: the data it guards are ordered.
//: lock: right
__global__ void lock(int *out)
{
	__shared__ int taken, total;
	if (threadIdx.x == 0)
		taken = total = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		while (atomicCAS(&taken, 0, 1))
			;
		__threadfence_block();
		total += threadIdx.x;
		__threadfence_block();
		atomicExch(&taken, 0);
	}
	__syncthreads();
	out[threadIdx.x] = total;
}

// A flag after a fence.
//: flag: right
__global__ void flag(int *out)
{
	volatile __shared__ int ready;
	__shared__ int value[32];
	int t = threadIdx.x;
	if (t == 0)
		ready = 0;
	__syncthreads();
	if (t < 32) {
		value[t] = t * t;
		__threadfence_block();
		if (t == 0)
			ready = 1;
	} else {
		while (!ready)
			;
		__threadfence_block();
		out[t - 32] = value[63 - t];
	}
}

// The same with PTX's release and acquire.
//: acquire: right
__global__ void acquire(int *out)
{
	__shared__ int ready, value;
	int t = threadIdx.x, seen;
	if (t == 0)
		ready = 0;
	__syncthreads();
	if (t == 0) {
		value = 77;
		asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"l"(__cvta_generic_to_shared(&ready)) : "memory");
	}
	if (t == 32) {
		do
			asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
			             : "=r"(seen)
			             : "l"(__cvta_generic_to_shared(&ready))
			             : "memory");
		while (!seen);
		out[0] = value;
	}
}

//: votes: right
__global__ void votes(int *out)
{
	__shared__ int s[128];
	int t = threadIdx.x;
	s[t] = t;
	int count = __syncthreads_count(t % 2);
	int sum = s[127 - t] + count;
	if (__syncthreads_or(t == 5))
		s[127 - t] = sum;
	if (__syncthreads_and(1))
		out[t] = s[t];
}

__global__ void transpose(int *out, const int *in, int n)
{
	__shared__ int tile[16][17];
	int x = threadIdx.x, y = threadIdx.y, bx = blockIdx.x * 16, by = blockIdx.y * 16;
	if (bx + x < n && by + y < n)
		tile[y][x] = in[(by + y) * n + bx + x];
	__syncthreads();
	if (bx + y < n && by + x < n)
		out[(bx + y) * n + by + x] = tile[x][y];
}
//: transpose: right race,init,shared-init,footprint

// Structures with unwritten padding, copied and used, also through shared memory.
struct padded {
	double d;
	int i;
	char c;
};
struct __align__(16) triple {
	float x, y, z;
};
__global__ void write_padded(padded *p, triple *q)
{
	int t = threadIdx.x;
	p[t].d = t;
	p[t].i = t;
	p[t].c = t;
	q[t].x = q[t].y = q[t].z = t;
}
__global__ void copy_padded(padded *p, triple *q, const padded *p0, const triple *q0)
{
	__shared__ padded s[32];
	int t = threadIdx.x;
	s[t] = p0[t];
	__syncthreads();
	p[t] = s[31 - t];
	q[t] = q0[t];
}
//: padding: right race,init,shared-init,footprint
__global__ void use_padded(int *out, const padded *p, const triple *q)
{
	padded own = p[threadIdx.x];
	triple other = q[threadIdx.x];
	out[threadIdx.x] = (int)own.d + own.i + own.c + (int)(other.x + other.y + other.z);
}
// The unused part of a vector, removed by shifts and masks.
//: cut: right
__global__ void cut(int *out, const padded *p)
{
	unsigned long long word;
	unsigned low, high;
	asm volatile("ld.global.u64 %0, [%1+8];" : "=l"(word) : "l"(p + threadIdx.x));
	asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(word));
	out[threadIdx.x] = (int)(word & 0xffffffff) + (int)(low << 1) + (int)(high & 0xff) + (int)((word >> 32) & 255);
}

// All ways of writing memory: copies of all kinds, fills, atomics, device code.
__device__ int of_module[4];
__device__ int *pointer;
//: writers: right
__global__ void fill_heap(int *p)
{
	pointer = (int *)malloc(128);
	for (int i = 0; i < 32; i++)
		pointer[i] = i;
	atomicExch(p + 6, 6);
	*(char *)(p + 7) = 7;
	((char *)p)[29] = ((char *)p)[30] = ((char *)p)[31] = 0;
}
__global__ void writers(int *out, const int *p)
{
	int t = threadIdx.x;
	out[t] = p[t] + of_module[t % 4] + pointer[t];
	__syncthreads();
	if (t == 0)
		free(pointer);
}

static void run_case()
{
	int *out = ints(512, 0), *in;
	cudaMalloc(&in, 4096);
	CASE(reduction)
	{
		reduction<<<20, 256>>>(out);
		expect(read(out, 20) == std::vector<int>(20, 255 * 128));
	}
	CASE(one_warp)
	{
		one_warp<<<1, 32, 256>>>(out);
		expect(read(out, 1)[0] == 32);
	}
	CASE(double_buffer) double_buffer<<<4, 128>>>(out);
	CASE(scan)
	{
		scan<<<2, 256>>>(out);
		expect(read(out, 256)[255] == 256);
	}
	CASE(producers)
	{
		producers<<<3, 128>>>(out);
		expect(read(out, 65)[64] == 1500 + 6 * 63);
	}
	CASE(chain)
	{
		chain<<<2, 96>>>(out);
		expect(read(out, 1)[0] == 7);
	}
	CASE(pairs) pairs<<<1, 256>>>(out);
	CASE(counters) counters<<<3, 256>>>(out);
	CASE(leader) leader<<<1, 128>>>(out);
	CASE(reused) reused<<<2, 128>>>(out);
	CASE(bytes)
	{
		bytes<<<2, 128>>>(out);
		expect(read(out, 128) == std::vector<int>(128, 1));
	}
	CASE(agree) agree<<<2, 128>>>(out);
	CASE(tags)
	{
		tags<<<1, 32>>>(out);
		expect(read(out, 4) == std::vector<int>(4, 8));
	}
	CASE(early)
	{
		early<<<2, 128>>>(out, 77);
		early<<<2, 128>>>(out, 32);
	}
	CASE(tail) tail<<<2, 128>>>(out, 77);
	CASE(lock)
	{
		lock<<<2, 128>>>(out);
		expect(read(out, 1)[0] == 192);
	}
	CASE(flag) flag<<<2, 64>>>(out);
	CASE(acquire) acquire<<<2, 64>>>(out);
	CASE(votes) votes<<<1, 128>>>(out);
	CASE(transpose)
	{
		cudaMemset(in, 1, 4096);
		transpose<<<dim3(2, 2), dim3(16, 16)>>>(out, in, 20);
	}
	CASE(padding)
	{
		char *p, *q;
		cudaMalloc(&p, 2048);
		cudaMalloc(&q, 2048);
		write_padded<<<1, 32>>>((padded *)p, (triple *)(p + 1024));
		copy_padded<<<1, 32>>>((padded *)q, (triple *)(q + 1024), (padded *)p, (triple *)(p + 1024));
		use_padded<<<1, 32>>>(out, (padded *)q, (triple *)(q + 1024));
		expect(read(out, 2)[1] == 30 * 3 + 3);
	}
	CASE(cut)
	{
		padded *p;
		cudaMalloc(&p, 32 * sizeof *p);
		write_padded<<<1, 32>>>(p, (triple *)in);
		cut<<<1, 32>>>(out, p);
	}
	CASE(exchanges) exchanges<<<2, 64>>>(out);
	CASE(writers)
	{
		int host[32] = {0}, *p;
		cudaMallocPitch(&p, (size_t *)host, 128, 3);
		cudaMemset(p, 0, 8);
		cudaMemcpyAsync(p + 2, host, 8, cudaMemcpyHostToDevice, 0);
		cudaMemcpy2D(p + 4, 512, host, 16, 8, 1, cudaMemcpyHostToDevice);
		cudaMemset(in, 1, 4096);
		cudaMemcpy(p + 8, in, 64, cudaMemcpyDeviceToDevice);
		cudaMemcpyToSymbol(of_module, host, 8);
		cudaMemset2D(p + 24, 512, 0, 32, 1);
		fill_heap<<<1, 1>>>(p);
		writers<<<1, 32>>>(out, p);
		// unwritten memory may be copied, also to the host
		cudaMemcpy(p, p + 128, 256, cudaMemcpyDeviceToDevice);
		cudaMemcpy(host, p, 128, cudaMemcpyDeviceToHost);
	}
}
