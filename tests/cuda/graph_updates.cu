// Protects updates of executable graphs: node by node, by another graph, and by disabling nodes.
#include "check.h"
#include <initializer_list>

__global__ void set(int *to, int value)
{
	*to = value;
}
__global__ void add(int *to, int value)
{
	*to += value;
}

static int launched(cudaGraphExec_t exec, int *data)
{
	int value;
	SUCCEEDS(cudaGraphLaunch(exec, 0));
	SUCCEEDS(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
	return value;
}

struct made {
	cudaGraph_t graph;
	cudaGraphNode_t fill, kernel;
};

// A fill with `first`, then `function` with `second`.
static struct made make(int *data, int first, void (*function)(int *, int), int second)
{
	struct made made;
	cudaMemsetParams fill = {data, 0, (unsigned)first, 4, 1, 1};
	void *arguments[] = {&data, &second};
	cudaKernelNodeParams kernel = {(void *)function, dim3(1), dim3(1), 0, arguments, NULL};
	SUCCEEDS(cudaGraphCreate(&made.graph, 0));
	SUCCEEDS(cudaGraphAddMemsetNode(&made.fill, made.graph, NULL, 0, &fill));
	SUCCEEDS(cudaGraphAddKernelNode(&made.kernel, made.graph, &made.fill, 1, &kernel));
	return made;
}

static void check_nodes(int *data)
{
	struct made made = make(data, 10, add, 1), other = make(data, 0, add, 0);
	cudaGraphExec_t exec;
	SUCCEEDS(cudaGraphInstantiate(&exec, made.graph));
	CHECK(launched(exec, data) == 11);
	int value = 5;
	void *arguments[] = {&data, &value};
	cudaKernelNodeParams kernel = {(void *)add, dim3(1), dim3(1), 0, arguments, NULL};
	SUCCEEDS(cudaGraphExecKernelNodeSetParams(exec, made.kernel, &kernel));
	value = 6; // too late
	CHECK(launched(exec, data) == 15);
	cudaMemsetParams fill = {data, 0, 20, 4, 1, 1};
	SUCCEEDS(cudaGraphExecMemsetNodeSetParams(exec, made.fill, &fill));
	CHECK(launched(exec, data) == 25);
	kernel.func = (void *)set;
	SUCCEEDS(cudaGraphExecKernelNodeSetParams(exec, made.kernel, &kernel));
	CHECK(launched(exec, data) == 6);
	// the graph itself is unchanged, and so is a new instance of it
	cudaKernelNodeParams read;
	SUCCEEDS(cudaGraphKernelNodeGetParams(made.kernel, &read));
	CHECK(read.func == (void *)add && *(int *)read.kernelParams[1] == 1);
	FAILS(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, other.kernel, &kernel));
	FAILS(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, made.fill, &kernel));

	unsigned enabled = 0;
	SUCCEEDS(cudaGraphNodeGetEnabled(exec, made.kernel, &enabled));
	CHECK(enabled == 1);
	SUCCEEDS(cudaGraphNodeSetEnabled(exec, made.kernel, 0));
	SUCCEEDS(cudaGraphNodeGetEnabled(exec, made.kernel, &enabled));
	CHECK(enabled == 0 && launched(exec, data) == 20);
	SUCCEEDS(cudaGraphNodeSetEnabled(exec, made.kernel, 1));
	CHECK(launched(exec, data) == 6);
	// rows may be added to a fill, but not all but one removed
	fill.pitch = 4;
	fill.height = 2;
	SUCCEEDS(cudaGraphExecMemsetNodeSetParams(exec, made.fill, &fill));
	fill.height = 1;
	FAILS(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(exec, made.fill, &fill));
	SUCCEEDS(cudaGraphDestroy(made.graph)); // the executable graph stays
	CHECK(launched(exec, data) == 6);
	SUCCEEDS(cudaGraphExecDestroy(exec));
	SUCCEEDS(cudaGraphDestroy(other.graph));
}

static void check_graphs(int *data)
{
	struct made made = make(data, 1, add, 2), same = make(data, 3, set, 4), more = make(data, 5, add, 6);
	struct made turned = make(data, 7, add, 8);
	cudaGraphExec_t exec;
	SUCCEEDS(cudaGraphInstantiate(&exec, made.graph));
	CHECK(launched(exec, data) == 3);
	cudaGraphNode_t wrong;
	cudaGraphExecUpdateResult result;
	SUCCEEDS(cudaGraphExecUpdate(exec, same.graph, &wrong, &result));
	CHECK(result == cudaGraphExecUpdateSuccess && !wrong && launched(exec, data) == 4);

	cudaGraphNode_t extra;
	SUCCEEDS(cudaGraphAddEmptyNode(&extra, more.graph, &more.kernel, 1));
	FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, more.graph, &wrong, &result));
	CHECK(result == cudaGraphExecUpdateErrorTopologyChanged);
	SUCCEEDS(cudaGraphDestroyNode(extra));
	SUCCEEDS(cudaGraphRemoveDependencies(more.graph, &more.fill, &more.kernel, 1));
	cudaGraphExecUpdateResultInfo info;
	FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, more.graph, &info));
	CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == more.kernel);
	cudaGraphExec_t loose; // the other way around, an edge is added
	SUCCEEDS(cudaGraphInstantiate(&loose, more.graph));
	FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(loose, made.graph, &info));
	CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == made.kernel);
	SUCCEEDS(cudaGraphExecDestroy(loose));
	SUCCEEDS(cudaGraphAddDependencies(more.graph, &more.fill, &more.kernel, 1));
	SUCCEEDS(cudaGraphExecUpdate(exec, more.graph, &info));
	CHECK(info.result == cudaGraphExecUpdateSuccess && launched(exec, data) == 11);

	SUCCEEDS(cudaGraphDestroyNode(turned.fill));
	SUCCEEDS(cudaGraphAddEmptyNode(&extra, turned.graph, &turned.kernel, 1));
	FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, turned.graph, &wrong, &result));
	CHECK(result == cudaGraphExecUpdateErrorNodeTypeChanged && wrong == turned.kernel);
	CHECK(launched(exec, data) == 11); // unchanged
	// nodes are still identified by the nodes of the original graph
	cudaMemsetParams fill = {data, 0, 40, 4, 1, 1};
	SUCCEEDS(cudaGraphExecMemsetNodeSetParams(exec, made.fill, &fill));
	CHECK(launched(exec, data) == 46);
	SUCCEEDS(cudaGraphExecDestroy(exec));
	for (cudaGraph_t graph : {made.graph, same.graph, more.graph, turned.graph})
		SUCCEEDS(cudaGraphDestroy(graph));
}

static void check_children(int *data)
{
	struct made made = make(data, 1, add, 2), other = make(data, 10, add, 20), more = make(data, 0, add, 0);
	cudaGraph_t graph, inside;
	cudaGraphNode_t child, extra, nodes[2];
	size_t count = 2;
	cudaGraphExec_t exec;
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	SUCCEEDS(cudaGraphAddChildGraphNode(&child, graph, NULL, 0, made.graph));
	SUCCEEDS(cudaGraphInstantiate(&exec, graph));
	CHECK(launched(exec, data) == 3);
	SUCCEEDS(cudaGraphExecChildGraphNodeSetParams(exec, child, other.graph));
	CHECK(launched(exec, data) == 30);
	SUCCEEDS(cudaGraphAddEmptyNode(&extra, more.graph, NULL, 0));
	FAILS(cudaErrorInvalidValue, cudaGraphExecChildGraphNodeSetParams(exec, child, more.graph));
	CHECK(launched(exec, data) == 30);
	SUCCEEDS(cudaGraphChildGraphNodeGetGraph(child, &inside));
	SUCCEEDS(cudaGraphGetNodes(inside, nodes, &count));
	cudaMemsetParams fill = {data, 0, 50, 4, 1, 1};
	SUCCEEDS(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &fill));
	CHECK(launched(exec, data) == 70);
	SUCCEEDS(cudaGraphExecDestroy(exec));
	for (cudaGraph_t made_graph : {made.graph, other.graph, more.graph, graph})
		SUCCEEDS(cudaGraphDestroy(made_graph));
}

int main()
{
	int *data;
	SUCCEEDS(cudaMalloc(&data, 2 * sizeof *data));
	check_nodes(data);
	check_graphs(data);
	check_children(data);
	return finish();
}
