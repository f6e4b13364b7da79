// Protects --check global-race between works of streams, by random programs that know which pairs are ordered. For each
// pair that races it prints "pair FIRST SECOND". random_orders.py compares them with the messages.
//
// The program's own model of the order is a set of earlier works for each work, by the rules of the CUDA guide. A
// stream knows the works before it, an event those of its stream, and the host what it has waited for.
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <random>
#include <string>
#include <vector>

enum { WORKS = 24, ALONE = 18, MOST = 48, PLACES = 3, THREADS = 32, STREAMS = 6, EVENTS = 3, GRAPHS = 3 };
enum { PUT, GET, ADD, FILL, COPY_IN, COPY_OUT, KINDS };
typedef std::bitset<MOST + 2> set;

#define KERNELS(N)                                                                                                     \
	extern "C" __global__ void put##N(int *x, int value) { x[threadIdx.x] = value; }                              \
	extern "C" __global__ void get##N(int *x, int value) { x[THREADS + value * THREADS + threadIdx.x] = x[threadIdx.x]; } \
	extern "C" __global__ void add##N(int *x, int value) { atomicAdd(&x[threadIdx.x], value + 1); }
#define FOR_ALL(M)                                                                                                     \
	M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16) M(17) M(18) M(19) \
	M(20) M(21) M(22) M(23)
FOR_ALL(KERNELS)
#define PUT_OF(N) put##N,
#define GET_OF(N) get##N,
#define ADD_OF(N) add##N,
typedef void kernel(int *, int);
static kernel *const kernels[3][WORKS] = {{FOR_ALL(PUT_OF)}, {FOR_ALL(GET_OF)}, {FOR_ALL(ADD_OF)}};

struct work {
	int kind, place;
	set before;
	std::string name;
};

// Two kernels; the second one follows the first if it depends on it.
struct graph {
	cudaGraphExec_t executable;
	work node[2];
	bool depends;
	set last; // what its last launch, which the next one follows, has done
};

static std::mt19937 generator;
static graph graphs[GRAPHS];
static int alone; // works that are in no graph
static std::vector<work> works;
static cudaStream_t stream[STREAMS]; // 0: legacy, 1 and 2: blocking, 3 and 4: not, 5: the thread's own
static cudaEvent_t event[EVENTS];
static set known[STREAMS], recorded[EVENTS], host;
static int *place[PLACES], *pinned;

static int below(int n)
{
	return (int)(generator() % n);
}

static bool is_blocking(int s)
{
	return s != 3 && s != 4;
}

// The stream's next work follows what its stream, the host and the legacy stream's rules tell it.
static set enter(int s)
{
	set all = known[s] | host;
	for (int other = 0; other < STREAMS; other++)
		if ((s == 0 && is_blocking(other)) || (other == 0 && is_blocking(s)))
			all |= known[other];
	return known[s] = all;
}

static void run(int i, int kind, int p, int s)
{
	size_t bytes = THREADS * sizeof(int);
	switch (kind) {
	case FILL:
		cudaMemsetAsync(place[p], i + 1, bytes, stream[s]);
		return;
	case COPY_IN:
		cudaMemcpyAsync(place[p], pinned + i * THREADS, bytes, cudaMemcpyHostToDevice, stream[s]);
		return;
	case COPY_OUT:
		cudaMemcpyAsync(pinned + (WORKS + i) * THREADS, place[p], bytes, cudaMemcpyDeviceToHost, stream[s]);
		return;
	default:
		kernels[kind][i]<<<1, THREADS, 0, stream[s]>>>(place[p], i);
	}
}

static std::string name_of(int kind, int i)
{
	static const char *const names[] = {"put", "get", "add", "cudaMemsetAsync", "cudaMemcpyAsync", "cudaMemcpyAsync"};
	return kind <= ADD ? names[kind] + std::to_string(i) : names[kind];
}

static void work_in(int s)
{
	int i = alone++, kind = below(KINDS), p = below(PLACES);
	run(i, kind, p, s);
	works.push_back({kind, p, enter(s), name_of(kind, i)});
	known[s].set(works.size() - 1);
}

// A graph's nodes have the kernels that no other work uses.
static void make_graph(graph &made, int first)
{
	cudaGraph_t nodes;
	cudaGraphNode_t node[2];
	cudaGraphCreate(&nodes, 0);
	made.depends = below(2);
	for (int n = 0; n < 2; n++) {
		int i = first + n, kind = below(ADD + 1), p = below(PLACES);
		void *arguments[] = {&place[p], &i};
		cudaKernelNodeParams parameters = {};
		parameters.func = (void *)kernels[kind][i];
		parameters.gridDim = 1;
		parameters.blockDim = THREADS;
		parameters.kernelParams = arguments;
		cudaGraphAddKernelNode(&node[n], nodes, node, n && made.depends, &parameters);
		made.node[n] = {kind, p, {}, name_of(kind, i)};
	}
	cudaGraphInstantiate(&made.executable, nodes, NULL, NULL, 0);
	cudaGraphDestroy(nodes);
}

static void launch_in(int s)
{
	graph &launched = graphs[below(GRAPHS)];
	cudaGraphLaunch(launched.executable, stream[s]);
	set before = enter(s) | launched.last, after = before;
	for (work node : launched.node) {
		node.before = launched.depends ? after : before;
		works.push_back(node);
		after.set(works.size() - 1);
	}
	known[s] = launched.last = after;
}

static void order(int s)
{
	int e = below(EVENTS);
	switch (below(7)) {
	case 0:
	case 1:
		cudaEventRecord(event[e], stream[s]);
		recorded[e] = enter(s);
		return;
	case 2:
	case 3:
		cudaStreamWaitEvent(stream[s], event[e], 0);
		enter(s);
		known[s] |= recorded[e];
		return;
	case 4:
		below(2) ? cudaEventSynchronize(event[e]) : cudaEventQuery(event[e]);
		host |= recorded[e];
		return;
	case 5:
		below(2) ? cudaStreamSynchronize(stream[s]) : cudaStreamQuery(stream[s]);
		host |= s ? known[s] : enter(s);
		return;
	default:
		if (below(3) == 0) {
			cudaDeviceSynchronize();
			for (const set &all : known)
				host |= all;
		}
	}
}

static bool reads(int kind)
{
	return kind == GET || kind == COPY_OUT;
}

static bool conflict(const work &a, const work &b)
{
	return a.place == b.place && !(reads(a.kind) && reads(b.kind)) && !(a.kind == ADD && b.kind == ADD);
}

int main(int argc, char **argv)
{
	generator.seed(argc > 1 ? atoi(argv[1]) : 1);
	for (int *&x : place)
		cudaMalloc(&x, (1 + WORKS) * THREADS * sizeof(int)), cudaMemset(x, 0, (1 + WORKS) * THREADS * sizeof(int));
	cudaMallocHost(&pinned, 2 * WORKS * THREADS * sizeof(int));
	for (int i = 0; i < 2 * WORKS * THREADS; i++)
		pinned[i] = 1000 + i;
	for (int s = 1; s < 3; s++)
		cudaStreamCreate(&stream[s]), cudaStreamCreateWithFlags(&stream[s + 2], cudaStreamNonBlocking);
	stream[5] = cudaStreamPerThread;
	for (cudaEvent_t &e : event)
		cudaEventCreate(&e);
	for (int g = 0; g < GRAPHS; g++)
		make_graph(graphs[g], ALONE + 2 * g);
	cudaDeviceSynchronize();
	int tries = 30 + below(90), mostly = 1 + below(9); // few or many orders
	int used = 1 + below(STREAMS);
	while (alone < ALONE && works.size() < MOST && tries--) {
		int s = below(used);
		if (below(10) < mostly)
			order(s);
		else if (below(6))
			work_in(s);
		else
			launch_in(s);
	}
	cudaError_t result = cudaDeviceSynchronize();
	for (size_t j = 0; j < works.size(); j++)
		for (size_t i = 0; i < j; i++)
			if (conflict(works[i], works[j]) && !works[j].before[i])
				printf("pair %s %s\n", works[i].name.c_str(), works[j].name.c_str());
	printf("%zu works, %s\n", works.size(), cudaGetErrorName(result));
	return result != cudaSuccess;
}
