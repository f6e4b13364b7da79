// Protects the order of graph nodes, their dependencies, and the time at which arguments are read. Random graphs, built
// call by call or captured from three streams, are changed between launches. The model runs the same operations on a
// host array in the order that docs/reference/cuda-runtime.md states.
#include "check.h"
#include <algorithm>
#include <random>
#include <vector>

enum { CELLS = 8, ROUNDS = 60 };
enum kind { KERNEL, FILL, COPY, HOST, TO_HOST, TO_DEVICE, EMPTY, CHILD, KINDS };

struct cells {
	unsigned device[CELLS], host[CELLS];
};

struct operation {
	enum kind kind;
	unsigned to, from, value;
	bool off;
	std::vector<operation> child; // in sequence
};

static std::mt19937 random_source;
static unsigned *device;
static cells real;

static unsigned below(unsigned limit)
{
	return random_source() % limit;
}

__global__ void combine(unsigned *cell, unsigned to, unsigned from, unsigned value)
{
	cell[to] = cell[to] * 3 + cell[from] + value;
}

// A host function's argument lives as long as the program.
struct host_call {
	unsigned to, from, value;
};
static void on_host(void *user)
{
	const host_call *call = (const host_call *)user;
	real.host[call->to] = real.host[call->to] * 5 + real.host[call->from] + call->value;
}

static operation make_operation(unsigned kinds)
{
	operation made = {(enum kind)below(kinds), below(CELLS), below(CELLS), below(1000)};
	for (unsigned i = made.kind == CHILD ? 1 + below(4) : 0; i; i--)
		made.child.push_back(make_operation(EMPTY));
	return made;
}

// ---- the model ----

static void model(cells &at, const operation &what)
{
	if (what.off)
		return;
	switch (what.kind) {
	case KERNEL:
		at.device[what.to] = at.device[what.to] * 3 + at.device[what.from] + what.value;
		break;
	case FILL:
		at.device[what.to] = what.value;
		break;
	case COPY:
		at.device[what.to] = at.device[what.from];
		break;
	case HOST:
		at.host[what.to] = at.host[what.to] * 5 + at.host[what.from] + what.value;
		break;
	case TO_HOST:
		at.host[what.to] = at.device[what.from];
		break;
	case TO_DEVICE:
		at.device[what.to] = at.host[what.from];
		break;
	case CHILD:
		for (const operation &inner : what.child)
			model(at, inner);
		break;
	default:
		break;
	}
}

static void visit(const std::vector<std::vector<unsigned>> &before, unsigned node, std::vector<bool> &seen,
                  std::vector<unsigned> &order)
{
	if (seen[node])
		return;
	seen[node] = true;
	for (unsigned other : before[node])
		visit(before, other, seen, order);
	order.push_back(node);
}

// In order of creation, each after its dependencies.
static std::vector<unsigned> order_of(const std::vector<std::vector<unsigned>> &before)
{
	std::vector<bool> seen(before.size());
	std::vector<unsigned> order;
	for (unsigned node = 0; node < before.size(); node++)
		visit(before, node, seen, order);
	return order;
}

// ---- the CUDA graphs ----

static void *arguments_of(operation &what, void **list)
{
	list[0] = &device;
	list[1] = &what.to;
	list[2] = &what.from;
	list[3] = &what.value;
	return list;
}

static cudaGraph_t make_line(std::vector<operation> &operations);

static cudaGraphNode_t add(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &before, operation what)
{
	cudaGraphNode_t node = NULL;
	void *list[4];
	cudaKernelNodeParams kernel = {(void *)combine, dim3(1), dim3(1), 0, (void **)arguments_of(what, list), NULL};
	cudaMemsetParams fill = {device + what.to, 0, what.value, 4, 1, 1};
	cudaHostNodeParams host = {on_host, what.kind == HOST ? new host_call{what.to, what.from, what.value} : NULL};
	const cudaGraphNode_t *first = before.data();
	size_t count = before.size();
	switch (what.kind) {
	case KERNEL:
		SUCCEEDS(cudaGraphAddKernelNode(&node, graph, first, count, &kernel));
		break;
	case FILL:
		SUCCEEDS(cudaGraphAddMemsetNode(&node, graph, first, count, &fill));
		break;
	case COPY:
		SUCCEEDS(cudaGraphAddMemcpyNode1D(&node, graph, first, count, device + what.to, device + what.from, 4,
		                                  cudaMemcpyDeviceToDevice));
		break;
	case HOST:
		SUCCEEDS(cudaGraphAddHostNode(&node, graph, first, count, &host));
		break;
	case TO_HOST:
		SUCCEEDS(cudaGraphAddMemcpyNode1D(&node, graph, first, count, real.host + what.to, device + what.from,
		                                  4, cudaMemcpyDeviceToHost));
		break;
	case TO_DEVICE:
		SUCCEEDS(cudaGraphAddMemcpyNode1D(&node, graph, first, count, device + what.to, real.host + what.from,
		                                  4, cudaMemcpyHostToDevice));
		break;
	case CHILD: {
		cudaGraph_t child = make_line(what.child);
		SUCCEEDS(cudaGraphAddChildGraphNode(&node, graph, first, count, child));
		SUCCEEDS(cudaGraphDestroy(child));
		break;
	}
	default:
		SUCCEEDS(cudaGraphAddEmptyNode(&node, graph, first, count));
	}
	return node;
}

static cudaGraph_t make_line(std::vector<operation> &operations)
{
	cudaGraph_t graph;
	std::vector<cudaGraphNode_t> last;
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	for (const operation &what : operations)
		last = {add(graph, last, what)};
	return graph;
}

static void randomize(cells &expected)
{
	for (unsigned i = 0; i < CELLS; i++) {
		real.device[i] = below(1000);
		real.host[i] = below(1000);
	}
	SUCCEEDS(cudaMemcpy(device, real.device, sizeof real.device, cudaMemcpyHostToDevice));
	expected = real;
}

static void launch_and_compare(cudaGraphExec_t exec, const std::vector<operation> &operations,
                               const std::vector<unsigned> &order, const char *what, unsigned round)
{
	cells expected;
	randomize(expected);
	for (unsigned node : order)
		model(expected, operations[node]);
	SUCCEEDS(cudaGraphLaunch(exec, 0));
	SUCCEEDS(cudaMemcpy(real.device, device, sizeof real.device, cudaMemcpyDeviceToHost));
	if (memcmp(&expected, &real, sizeof real) != 0) {
		fprintf(stderr, "round %u: %s: wrong\n", round, what);
		failures++;
	}
}

// Changes values by calls on nodes of the executable graph; disables some kernels, copies and fills.
static void change_nodes(cudaGraphExec_t exec, std::vector<operation> &operations,
                         const std::vector<cudaGraphNode_t> &nodes)
{
	for (unsigned i = 0; i < nodes.size(); i++) {
		operation &what = operations[i];
		void *list[4];
		if (below(2))
			continue;
		if (what.kind == KERNEL) {
			what.value = below(1000);
			what.from = below(CELLS);
			cudaKernelNodeParams kernel = {
				(void *)combine, dim3(1), dim3(1), 0, (void **)arguments_of(what, list), NULL};
			SUCCEEDS(cudaGraphExecKernelNodeSetParams(exec, nodes[i], &kernel));
		} else if (what.kind == FILL) {
			what.value = below(1000);
			cudaMemsetParams fill = {device + what.to, 0, what.value, 4, 1, 1};
			SUCCEEDS(cudaGraphExecMemsetNodeSetParams(exec, nodes[i], &fill));
		} else if (what.kind == COPY) {
			what.from = below(CELLS);
			SUCCEEDS(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[i], device + what.to,
			                                            device + what.from, 4, cudaMemcpyDeviceToDevice));
		}
		if (what.kind <= COPY && !below(3)) {
			what.off = !what.off;
			SUCCEEDS(cudaGraphNodeSetEnabled(exec, nodes[i], !what.off));
		}
	}
}

struct made {
	cudaGraph_t graph;
	std::vector<cudaGraphNode_t> nodes;
};

static made make_graph(const std::vector<operation> &operations, const std::vector<std::vector<unsigned>> &before)
{
	made made;
	SUCCEEDS(cudaGraphCreate(&made.graph, 0));
	for (unsigned i = 0; i < operations.size(); i++) {
		std::vector<cudaGraphNode_t> earlier;
		for (unsigned other : before[i])
			if (other < i && earlier.size() + 1 < before[i].size())
				earlier.push_back(made.nodes[other]);
			else
				break; // the rest in order, by separate calls
		made.nodes.push_back(add(made.graph, earlier, operations[i]));
	}
	for (unsigned i = 0; i < operations.size(); i++) {
		size_t there = 0;
		SUCCEEDS(cudaGraphNodeGetDependencies(made.nodes[i], NULL, &there));
		for (size_t k = there; k < before[i].size(); k++)
			SUCCEEDS(cudaGraphAddDependencies(made.graph, &made.nodes[before[i][k]], &made.nodes[i], 1));
	}
	return made;
}

static void check_explicit(unsigned round)
{
	unsigned count = 1 + below(14);
	std::vector<operation> operations;
	std::vector<unsigned> rank(count);
	std::vector<std::vector<unsigned>> before(count);
	for (unsigned i = 0; i < count; i++) {
		operations.push_back(make_operation(KINDS));
		rank[i] = i;
	}
	std::shuffle(rank.begin(), rank.end(), random_source); // edges go to higher ranks, so there is no cycle
	for (unsigned i = 0; i < count; i++)
		for (unsigned other = 0; other < count; other++)
			if (rank[other] < rank[i] && !below(4))
				before[i].push_back(other);
	made made = make_graph(operations, before);
	std::vector<unsigned> order = order_of(before);
	cudaGraphExec_t exec;
	SUCCEEDS(cudaGraphInstantiate(&exec, made.graph));
	launch_and_compare(exec, operations, order, "a graph", round);
	change_nodes(exec, operations, made.nodes);
	launch_and_compare(exec, operations, order, "its nodes changed", round);

	for (operation &what : operations)
		what.value = below(1000);
	struct made other = make_graph(operations, before);
	cudaGraphExecUpdateResultInfo info;
	SUCCEEDS(cudaGraphExecUpdate(exec, other.graph, &info));
	launch_and_compare(exec, operations, order, "updated by another graph", round);

	cudaGraph_t clone;
	cudaGraphExec_t cloned;
	SUCCEEDS(cudaGraphClone(&clone, other.graph));
	SUCCEEDS(cudaGraphInstantiate(&cloned, clone));
	for (operation &what : operations)
		what.off = false;
	launch_and_compare(cloned, operations, order, "a copy", round);
	for (cudaGraphExec_t used : {exec, cloned})
		SUCCEEDS(cudaGraphExecDestroy(used));
	for (cudaGraph_t used : {made.graph, other.graph, clone})
		SUCCEEDS(cudaGraphDestroy(used));
}

static void give(cudaStream_t stream, const operation &what)
{
	switch (what.kind) {
	case KERNEL:
		combine<<<1, 1, 0, stream>>>(device, what.to, what.from, what.value);
		break;
	case FILL:
		SUCCEEDS(cudaMemsetAsync(device + what.to, (int)what.value & 255, 4, stream));
		break;
	case COPY:
		SUCCEEDS(cudaMemcpyAsync(device + what.to, device + what.from, 4, cudaMemcpyDeviceToDevice, stream));
		break;
	case HOST:
		SUCCEEDS(cudaLaunchHostFunc(stream, on_host, new host_call{what.to, what.from, what.value}));
		break;
	case TO_HOST:
		SUCCEEDS(cudaMemcpyAsync(real.host + what.to, device + what.from, 4, cudaMemcpyDeviceToHost, stream));
		break;
	default:
		SUCCEEDS(cudaMemcpyAsync(device + what.to, real.host + what.from, 4, cudaMemcpyHostToDevice, stream));
	}
}

// Work of three streams in the order of the calls. The edges are counted as tips of the capture appear and disappear.
static void check_captured(unsigned round)
{
	enum { STREAMS = 3 };
	cudaStream_t streams[STREAMS];
	cudaEvent_t event;
	std::vector<operation> operations;
	std::vector<unsigned> order, tips[STREAMS];
	bool taking_part[STREAMS] = {true};
	size_t edges = 0, counted = 0;
	for (cudaStream_t &stream : streams)
		SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaEventCreate(&event));
	auto wait = [&](unsigned from, unsigned to) {
		SUCCEEDS(cudaEventRecord(event, streams[from]));
		SUCCEEDS(cudaStreamWaitEvent(streams[to], event, 0));
		taking_part[to] = true;
		for (unsigned tip : tips[from])
			if (std::find(tips[to].begin(), tips[to].end(), tip) == tips[to].end())
				tips[to].push_back(tip);
	};
	SUCCEEDS(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
	for (unsigned step = 0; step < 20; step++) {
		unsigned from = below(STREAMS), to = below(STREAMS);
		if (!taking_part[from])
			from = 0;
		if (from != to && !below(3)) {
			wait(from, to);
			continue;
		}
		operation what = make_operation(EMPTY);
		give(streams[from], what);
		if (what.kind == FILL)
			what.value = (what.value & 255) * 0x01010101;
		edges += tips[from].size();
		tips[from] = {(unsigned)operations.size()};
		order.push_back((unsigned)operations.size());
		operations.push_back(what);
	}
	for (unsigned i = 1; i < STREAMS; i++)
		if (taking_part[i])
			wait(i, 0);
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	SUCCEEDS(cudaStreamEndCapture(streams[0], &graph));
	SUCCEEDS(cudaGraphGetEdges(graph, NULL, NULL, &counted));
	CHECK(counted == edges);
	SUCCEEDS(cudaGraphInstantiate(&exec, graph));
	launch_and_compare(exec, operations, order, "captured", round);
	launch_and_compare(exec, operations, order, "captured, again", round);
	SUCCEEDS(cudaGraphExecDestroy(exec));
	SUCCEEDS(cudaGraphDestroy(graph));
	SUCCEEDS(cudaEventDestroy(event));
	for (cudaStream_t stream : streams)
		SUCCEEDS(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
	setenv("CUDA_LAUNCH_BLOCKING", "1", 1); // nodes run one at a time, in the documented order
	random_source.seed(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
	SUCCEEDS(cudaMalloc(&device, sizeof real.device));
	for (unsigned round = 0; round < ROUNDS && !failures; round++) {
		check_explicit(round);
		check_captured(round);
	}
	return finish();
}
