// Protects memory nodes of graphs: random graphs that allocate, use and free memory, with events. They are built call
// by call with random edges, or captured from several streams, and launched several times with changed values. Each
// chain of nodes is compared with its separate result. Memory in use never overlaps and is freed in time, and graph
// events are recorded.
#include "check.h"
#include <random>
#include <vector>

enum { WORDS = 96, ROUNDS = 40, MOST_CHAINS = 5 };

static std::mt19937 source;
static unsigned below(unsigned limit)
{
	return source() % limit;
}

__global__ void add(unsigned *values, unsigned more)
{
	values[threadIdx.x] += more + threadIdx.x;
}

// Memory that is filled, incremented several times and copied out.
struct chain {
	unsigned fill, adds[3], count;
	bool kept; // not freed by the graph
	unsigned *memory = nullptr;
	std::vector<unsigned> out = std::vector<unsigned>(WORDS);
	cudaGraphNode_t fill_node = nullptr;

	chain() : fill(source()), count(below(4)), kept(false)
	{
		for (unsigned &more : adds)
			more = source();
	}
	void check()
	{
		for (unsigned i = 0; i < WORDS; i++) {
			unsigned expected = fill;
			for (unsigned k = 0; k < count; k++)
				expected += adds[k] + i;
			CHECK(out[i] == expected);
			out[i] = 0;
		}
	}
};

static cudaMemsetParams fill_of(const chain &what)
{
	cudaMemsetParams fill = {};
	fill.dst = what.memory;
	fill.value = what.fill;
	fill.elementSize = 4;
	fill.width = WORDS;
	fill.height = 1;
	return fill;
}

// Adds the next node of a chain: after the previous one and, sometimes, after any other existing node.
struct builder {
	cudaGraph_t graph;
	std::vector<cudaGraphNode_t> nodes;

	std::vector<cudaGraphNode_t> behind(cudaGraphNode_t before)
	{
		std::vector<cudaGraphNode_t> list;
		if (before)
			list.push_back(before);
		if (nodes.size() && below(3) == 0) {
			cudaGraphNode_t other = nodes[below((unsigned)nodes.size())];
			if (other != before)
				list.push_back(other);
		}
		return list;
	}
};

// Adds one step of a chain; returns false when the chain is complete.
static bool add_step(builder &to, chain &what, unsigned step, cudaGraphNode_t &last, cudaEvent_t event)
{
	cudaGraphNode_t node = nullptr;
	const std::vector<cudaGraphNode_t> behind = to.behind(last);
	if (step == 0) {
		cudaMemAllocNodeParams memory = {};
		memory.poolProps.allocType = cudaMemAllocationTypePinned;
		memory.poolProps.location.type = cudaMemLocationTypeDevice;
		memory.bytesize = WORDS * 4;
		SUCCEEDS(cudaGraphAddMemAllocNode(&node, to.graph, behind.data(), behind.size(), &memory));
		what.memory = (unsigned *)memory.dptr;
	} else if (step == 1) {
		const cudaMemsetParams fill = fill_of(what);
		SUCCEEDS(cudaGraphAddMemsetNode(&node, to.graph, behind.data(), behind.size(), &fill));
		what.fill_node = node;
	} else if (step < 2 + what.count) {
		void *arguments[] = {&what.memory, &what.adds[step - 2]};
		cudaKernelNodeParams kernel = {(void *)add, dim3(1), dim3(WORDS), 0, arguments, nullptr};
		SUCCEEDS(cudaGraphAddKernelNode(&node, to.graph, behind.data(), behind.size(), &kernel));
	} else if (step == 2 + what.count) {
		SUCCEEDS(cudaGraphAddEventRecordNode(&node, to.graph, behind.data(), behind.size(), event));
	} else if (step == 3 + what.count) {
		SUCCEEDS(cudaGraphAddMemcpyNode1D(&node, to.graph, behind.data(), behind.size(), what.out.data(), what.memory,
		                                  WORDS * 4, cudaMemcpyDeviceToHost));
	} else if (step == 4 + what.count && !what.kept) {
		SUCCEEDS(cudaGraphAddMemFreeNode(&node, to.graph, behind.data(), behind.size(), what.memory));
	} else {
		return false;
	}
	last = node;
	to.nodes.push_back(node);
	return true;
}

static unsigned long long graph_bytes(cudaGraphMemAttributeType attribute)
{
	unsigned long long bytes = ~0ull;
	SUCCEEDS(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
	return bytes;
}

static void launch(cudaGraphExec_t executable, std::vector<chain> &chains)
{
	SUCCEEDS(cudaGraphLaunch(executable, 0));
	SUCCEEDS(cudaDeviceSynchronize());
	size_t kept = 0;
	for (chain &what : chains) {
		what.check();
		kept += what.kept;
	}
	CHECK(graph_bytes(cudaGraphMemAttrUsedMemCurrent) == kept * WORDS * 4);
}

// Memory without a free node belongs to the program until it frees it, or until the instance takes it back.
static void end_kept(std::vector<chain> &chains)
{
	for (chain &what : chains)
		if (what.kept) {
			add<<<1, WORDS>>>(what.memory, 1);
			SUCCEEDS(cudaFree(what.memory));
		}
	CHECK(graph_bytes(cudaGraphMemAttrUsedMemCurrent) == 0);
}

static void check_explicit()
{
	builder to;
	cudaGraphExec_t executable;
	cudaEvent_t event;
	std::vector<chain> chains(1 + below(MOST_CHAINS));
	std::vector<cudaGraphNode_t> last(chains.size());
	std::vector<unsigned> steps(chains.size());
	bool takes_back = below(2);
	SUCCEEDS(cudaGraphCreate(&to.graph, 0));
	SUCCEEDS(cudaEventCreate(&event));
	for (chain &what : chains)
		what.kept = below(3) == 0;
	for (size_t left = chains.size(); left;) {
		unsigned which = below((unsigned)chains.size());
		if (steps[which] != ~0u && !add_step(to, chains[which], steps[which]++, last[which], event)) {
			steps[which] = ~0u;
			left--;
		}
	}
	SUCCEEDS(cudaGraphInstantiate(&executable, to.graph, takes_back ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0));
	for (unsigned times = 1 + below(3); times; times--) {
		launch(executable, chains);
		float zero = 1;
		SUCCEEDS(cudaEventElapsedTime(&zero, event, event));
		CHECK(zero == 0);
		if (!takes_back || times == 1)
			end_kept(chains);
		chain &other = chains[below((unsigned)chains.size())];
		other.fill = source();
		const cudaMemsetParams fill = fill_of(other);
		SUCCEEDS(cudaGraphExecMemsetNodeSetParams(executable, other.fill_node, &fill));
	}
	cudaGraph_t clone;
	FAILS(cudaErrorNotSupported, cudaGraphClone(&clone, to.graph));
	SUCCEEDS(cudaGraphExecDestroy(executable));
	SUCCEEDS(cudaGraphDestroy(to.graph));
	SUCCEEDS(cudaEventDestroy(event));
	CHECK(graph_bytes(cudaGraphMemAttrReservedMemCurrent) == 0);
}

// A stream for each chain: the chains fork from the first stream and join it.
static void check_captured()
{
	std::vector<chain> chains(1 + below(MOST_CHAINS));
	std::vector<cudaStream_t> streams(chains.size());
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	for (cudaStream_t &stream : streams)
		SUCCEEDS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	SUCCEEDS(cudaEventCreate(&fork));
	SUCCEEDS(cudaEventCreate(&join));
	SUCCEEDS(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
	SUCCEEDS(cudaEventRecord(fork, streams[0]));
	for (size_t i = 0; i < chains.size(); i++) {
		chain &what = chains[i];
		if (i)
			SUCCEEDS(cudaStreamWaitEvent(streams[i], fork, 0));
		SUCCEEDS(cudaMallocAsync(&what.memory, WORDS * 4, streams[i]));
		what.fill = what.fill % 256 * 0x01010101u;
		SUCCEEDS(cudaMemsetAsync(what.memory, (int)(what.fill % 256), WORDS * 4, streams[i]));
		for (unsigned k = 0; k < what.count; k++)
			add<<<1, WORDS, 0, streams[i]>>>(what.memory, what.adds[k]);
		SUCCEEDS(cudaMemcpyAsync(what.out.data(), what.memory, WORDS * 4, cudaMemcpyDeviceToHost, streams[i]));
		what.kept = below(4) == 0;
		if (!what.kept)
			SUCCEEDS(cudaFreeAsync(what.memory, streams[i]));
		if (i) {
			SUCCEEDS(cudaEventRecord(join, streams[i]));
			SUCCEEDS(cudaStreamWaitEvent(streams[0], join, 0));
		}
	}
	SUCCEEDS(cudaStreamEndCapture(streams[0], &graph));
	SUCCEEDS(cudaGraphInstantiate(&executable, graph, 0));
	SUCCEEDS(cudaGraphDestroy(graph));
	for (unsigned times = 1 + below(3); times; times--) {
		launch(executable, chains);
		end_kept(chains);
	}
	SUCCEEDS(cudaGraphExecDestroy(executable));
	CHECK(graph_bytes(cudaGraphMemAttrReservedMemCurrent) == 0);
	for (cudaStream_t stream : streams)
		SUCCEEDS(cudaStreamDestroy(stream));
	SUCCEEDS(cudaEventDestroy(fork));
	SUCCEEDS(cudaEventDestroy(join));
}

int main(int argc, char **argv)
{
	source.seed(argc > 1 ? (unsigned)atoi(argv[1]) : 20);
	for (int round = 0; round < ROUNDS; round++)
		if (round % 2)
			check_captured();
		else
			check_explicit();
	return finish();
}
