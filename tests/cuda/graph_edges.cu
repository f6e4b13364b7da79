// Protects the edges of graphs: random additions and removals. Both nodes of an edge list it, and the remaining graph
// runs in its order.
#include "check.h"
#include <vector>

enum { NODES = 9, STEPS = 400 };

static cudaGraph_t graph;
static cudaGraphNode_t nodes[NODES];
static bool edge[NODES][NODES]; // from, to
static unsigned seed = 1;

static unsigned draw(unsigned below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static bool is_among(const std::vector<cudaGraphNode_t> &list, size_t count, cudaGraphNode_t node)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == node)
			return true;
	return false;
}

static void check_node(int i)
{
	std::vector<cudaGraphNode_t> before(NODES), after(NODES);
	size_t befores = NODES, afters = NODES, wanted_before = 0, wanted_after = 0;
	SUCCEEDS(cudaGraphNodeGetDependencies(nodes[i], before.data(), &befores));
	SUCCEEDS(cudaGraphNodeGetDependentNodes(nodes[i], after.data(), &afters));
	for (int j = 0; j < NODES; j++) {
		wanted_before += edge[j][i];
		wanted_after += edge[i][j];
		CHECK(is_among(before, befores, nodes[j]) == edge[j][i]);
		CHECK(is_among(after, afters, nodes[j]) == edge[i][j]);
	}
	CHECK(befores == wanted_before && afters == wanted_after);
}

static void check_all()
{
	size_t edges = 0, wanted = 0;
	for (int i = 0; i < NODES; i++) {
		check_node(i);
		for (int j = 0; j < NODES; j++)
			wanted += edge[i][j];
	}
	SUCCEEDS(cudaGraphGetEdges(graph, NULL, NULL, &edges));
	CHECK(edges == wanted);
}

// Adds or removes one edge, always from a lower number to a higher one. An existing edge cannot be added; a missing
// edge cannot be removed.
static void change()
{
	int to = 1 + draw(NODES - 1), from = draw(to);
	bool add = draw(8) ? !edge[from][to] : edge[from][to];
	cudaError_t expected = add == edge[from][to] ? cudaErrorInvalidValue : cudaSuccess;
	if (add)
		FAILS(expected, cudaGraphAddDependencies(graph, &nodes[from], &nodes[to], 1));
	else
		FAILS(expected, cudaGraphRemoveDependencies(graph, &nodes[from], &nodes[to], 1));
	edge[from][to] = add;
}

__global__ void note(int *order, int *next, int number)
{
	order[number] = (*next)++;
}

static void run(int *order)
{
	cudaGraphExec_t exec;
	int host[NODES];
	SUCCEEDS(cudaMemset(order, 0, (NODES + 1) * sizeof *order));
	SUCCEEDS(cudaGraphInstantiate(&exec, graph, 0));
	SUCCEEDS(cudaGraphLaunch(exec, 0));
	SUCCEEDS(cudaMemcpy(host, order, sizeof host, cudaMemcpyDeviceToHost));
	for (int i = 0; i < NODES; i++)
		for (int j = 0; j < NODES; j++)
			CHECK(!edge[i][j] || host[i] < host[j]);
	SUCCEEDS(cudaGraphExecDestroy(exec));
}

int main()
{
	int *order;
	SUCCEEDS(cudaMalloc(&order, (NODES + 1) * sizeof *order));
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	int *next = order + NODES;
	for (int i = 0; i < NODES; i++) {
		void *arguments[] = {&order, &next, &i};
		cudaKernelNodeParams params = {};
		params.func = (void *)note;
		params.gridDim = params.blockDim = dim3(1);
		params.kernelParams = arguments;
		SUCCEEDS(cudaGraphAddKernelNode(&nodes[i], graph, NULL, 0, &params));
	}
	for (int step = 1; step <= STEPS; step++) {
		change();
		check_all();
		if (step % 100 == 0)
			run(order);
	}
	SUCCEEDS(cudaGraphDestroy(graph));
	return finish();
}
