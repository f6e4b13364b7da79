// Protects graphs built call by call: the effect and order of each kind of node, and the time at which arguments are
// read. Also tests graph queries, copies, executable graphs and their errors.
#include "check.h"
#include <string>
#include <vector>

__global__ void set(int *to, int value)
{
	*to = value;
}
// to = 10 * to + digit: the digits show the order
__global__ void append(int *to, int digit)
{
	*to = 10 * *to + digit;
}
struct pair_of {
	char tag;
	double number;
};
// with a gap between two parameters
__global__ void keep(double *to, short factor, pair_of pair)
{
	*to = pair.number * factor + pair.tag;
}
__device__ int variable[4];

static std::vector<int> called;
static void call(void *user)
{
	called.push_back(*(int *)user);
}

static int value_of(const int *device)
{
	int value;
	SUCCEEDS(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
	return value;
}

static cudaGraphNode_t add_append(cudaGraph_t graph, std::vector<cudaGraphNode_t> before, int *to, int digit)
{
	void *arguments[] = {&to, &digit};
	cudaKernelNodeParams parameters = {(void *)append, dim3(1), dim3(1), 0, arguments, NULL};
	cudaGraphNode_t node;
	SUCCEEDS(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &parameters));
	return node;
}

static void launch(cudaGraph_t graph)
{
	cudaGraphExec_t exec;
	SUCCEEDS(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	SUCCEEDS(cudaGraphUpload(exec, 0));
	SUCCEEDS(cudaGraphLaunch(exec, 0));
	SUCCEEDS(cudaDeviceSynchronize());
	SUCCEEDS(cudaGraphExecDestroy(exec));
}

// In order of creation, except where nodes depend on others.
static void check_order(int *data)
{
	cudaGraph_t graph;
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	cudaGraphNode_t a = add_append(graph, {}, data, 1), b = add_append(graph, {}, data, 2);
	cudaGraphNode_t c = add_append(graph, {a}, data, 3), d = add_append(graph, {}, data, 4);
	SUCCEEDS(cudaGraphAddDependencies(graph, &d, &a, 1)); // the last before the first
	set<<<1, 1>>>(data, 0);
	launch(graph);
	CHECK(value_of(data) == 4123);
	SUCCEEDS(cudaGraphRemoveDependencies(graph, &d, &a, 1));
	SUCCEEDS(cudaGraphAddDependencies(graph, &c, &b, 1));
	set<<<1, 1>>>(data, 0);
	launch(graph);
	CHECK(value_of(data) == 1324);

	FAILS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &c, &b, 1));    // it already exists
	FAILS(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, &d, &a, 1)); // it does not exist
	FAILS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &c, &c, 1));
	SUCCEEDS(cudaGraphAddDependencies(graph, &b, &a, 1)); // a, c, b, a
	cudaGraphExec_t exec;
	FAILS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
	SUCCEEDS(cudaGraphDestroyNode(c));
	set<<<1, 1>>>(data, 0);
	launch(graph);
	CHECK(value_of(data) == 214);
	SUCCEEDS(cudaGraphDestroy(graph));
	FAILS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
}

static void check_questions(int *data)
{
	cudaGraph_t graph, clone;
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	cudaGraphNode_t a = add_append(graph, {}, data, 1), b = add_append(graph, {a}, data, 2);
	cudaGraphNode_t c = add_append(graph, {a}, data, 3), d = add_append(graph, {b, c}, data, 4);
	cudaGraphNode_t nodes[6], from[6], to[6];
	size_t count = 0;
	SUCCEEDS(cudaGraphGetNodes(graph, NULL, &count));
	CHECK(count == 4);
	count = 6;
	SUCCEEDS(cudaGraphGetNodes(graph, nodes, &count));
	CHECK(count == 4 && nodes[0] == a && nodes[3] == d && !nodes[4] && !nodes[5]);
	count = 2;
	SUCCEEDS(cudaGraphGetNodes(graph, nodes, &count));
	CHECK(count == 2 && nodes[1] == b);
	count = 6;
	SUCCEEDS(cudaGraphGetRootNodes(graph, nodes, &count));
	CHECK(count == 1 && nodes[0] == a);
	count = 6;
	SUCCEEDS(cudaGraphGetEdges(graph, from, to, &count));
	CHECK(count == 4 && from[0] == a && to[0] == b && from[1] == a && to[1] == c && from[3] == c && to[3] == d);
	count = 6;
	SUCCEEDS(cudaGraphNodeGetDependencies(d, nodes, &count));
	CHECK(count == 2 && nodes[0] == b && nodes[1] == c);
	SUCCEEDS(cudaGraphNodeGetDependentNodes(a, NULL, &count));
	CHECK(count == 2);
	cudaGraphNodeType type;
	SUCCEEDS(cudaGraphNodeGetType(a, &type));
	CHECK(type == cudaGraphNodeTypeKernel);

	// as CUDA 13 requires
	cudaGraphEdgeData edges[6];
	memset(edges, 1, sizeof edges);
	count = 6;
	SUCCEEDS(cudaGraphGetEdges(graph, from, to, edges, &count));
	CHECK(count == 4 && from[3] == c && edges[3].type == 0);
	SUCCEEDS(cudaGraphRemoveDependencies(graph, &a, &b, edges, 1));
	edges[0].type = 1;
	FAILS(cudaErrorNotSupported, cudaGraphAddDependencies(graph, &a, &b, edges, 1));
	SUCCEEDS(cudaGraphAddDependencies(graph, &a, &b, NULL, 1));
	count = 6;
	SUCCEEDS(cudaGraphNodeGetDependencies(d, nodes, NULL, &count));
	CHECK(count == 2);

	SUCCEEDS(cudaGraphClone(&clone, graph));
	cudaGraphNode_t copy;
	SUCCEEDS(cudaGraphNodeFindInClone(&copy, c, clone));
	CHECK(copy != c);
	FAILS(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&copy, c, graph));
	SUCCEEDS(cudaGraphDestroy(graph));
	FAILS(cudaErrorInvalidValue, cudaGraphNodeGetType(a, &type));
	set<<<1, 1>>>(data, 0);
	launch(clone);
	CHECK(value_of(data) == 1234);
	FAILS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&copy, clone, &a, 1)); // no longer in a graph
	SUCCEEDS(cudaGraphDestroy(clone));
}

// Arguments have the values of the node's creation; a buffer with all of them is accepted, too.
static void check_arguments()
{
	double *data, result;
	SUCCEEDS(cudaMalloc(&data, sizeof *data));
	pair_of pair = {2, 1.5};
	short factor = 3;
	void *arguments[] = {&data, &factor, &pair};
	cudaKernelNodeParams parameters = {(void *)keep, dim3(1), dim3(1), 0, arguments, NULL};
	cudaGraph_t graph;
	cudaGraphNode_t node;
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	SUCCEEDS(cudaGraphAddKernelNode(&node, graph, NULL, 0, &parameters));
	pair.number = 100;
	launch(graph);
	SUCCEEDS(cudaMemcpy(&result, data, sizeof result, cudaMemcpyDeviceToHost));
	CHECK(result == 6.5);
	struct {
		double *to;
		short factor;
		pair_of pair;
	} buffer = {data, 4, {1, 2.5}};
	size_t bytes = sizeof buffer;
	void *extra[] = {(void *)1, &buffer, (void *)2, &bytes, (void *)0};
	parameters.kernelParams = NULL;
	parameters.extra = extra;
	SUCCEEDS(cudaGraphKernelNodeSetParams(node, &parameters));
	buffer.factor = 0;
	cudaKernelNodeParams read;
	SUCCEEDS(cudaGraphKernelNodeGetParams(node, &read));
	CHECK(read.func == (void *)keep && read.gridDim.x == 1 && *(short *)read.kernelParams[1] == 4);
	launch(graph);
	SUCCEEDS(cudaMemcpy(&result, data, sizeof result, cudaMemcpyDeviceToHost));
	CHECK(result == 11);
	parameters.extra = NULL;
	FAILS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, &parameters));
	parameters.func = (void *)&parameters;
	FAILS(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&node, graph, NULL, 0, &parameters));
	SUCCEEDS(cudaGraphDestroy(graph));
	SUCCEEDS(cudaFree(data));
}

// Copies read memory when they run; fills accept elements of each size.
static void check_memory_nodes()
{
	int host[4] = {1, 2, 3, 4}, back[4] = {}, *data;
	unsigned short *pitched;
	SUCCEEDS(cudaMalloc(&data, sizeof host));
	SUCCEEDS(cudaMalloc(&pitched, 64));
	cudaGraph_t graph;
	cudaGraphNode_t in, to, from, out, fill;
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	SUCCEEDS(cudaGraphAddMemcpyNode1D(&in, graph, NULL, 0, data, host, sizeof host, cudaMemcpyHostToDevice));
	SUCCEEDS(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &in, 1, variable, data, 8, 8, cudaMemcpyDeviceToDevice));
	SUCCEEDS(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, data, variable, 16, 0,
	                                          cudaMemcpyDeviceToDevice));
	SUCCEEDS(cudaGraphAddMemcpyNode1D(&out, graph, &from, 1, back, data, sizeof back, cudaMemcpyDeviceToHost));
	FAILS(cudaErrorInvalidValue, cudaGraphAddMemcpyNodeToSymbol(&fill, graph, &in, 1, variable, data, 8, 12,
	                                                            cudaMemcpyDeviceToDevice));
	FAILS(cudaErrorInvalidSymbol, cudaGraphAddMemcpyNodeToSymbol(&fill, graph, &in, 1, host, data, 8, 0,
	                                                             cudaMemcpyDeviceToDevice));
	host[0] = 10;
	launch(graph);
	CHECK(back[0] == 0 && back[1] == 0 && back[2] == 10 && back[3] == 2);

	cudaMemsetParams parameters = {pitched, 16, 0x1234, 2, 3, 2};
	SUCCEEDS(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &parameters));
	unsigned short shorts[16] = {};
	SUCCEEDS(cudaMemset(pitched, 0, 64));
	launch(graph);
	SUCCEEDS(cudaMemcpy(shorts, pitched, sizeof shorts, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 16; i++)
		CHECK(shorts[i] == (i % 8 < 3 ? 0x1234 : 0));
	cudaMemsetParams read;
	SUCCEEDS(cudaGraphMemsetNodeGetParams(fill, &read));
	CHECK(read.elementSize == 2 && read.width == 3 && read.value == 0x1234);
	parameters.elementSize = 3;
	FAILS(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(fill, &parameters));
	FAILS(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(in, &read)); // a copy is not a fill
	cudaMemcpy3DParms copy;
	SUCCEEDS(cudaGraphMemcpyNodeGetParams(in, &copy));
	CHECK(copy.extent.width == sizeof host && copy.dstPtr.ptr == data);
	SUCCEEDS(cudaGraphDestroy(graph));
	SUCCEEDS(cudaFree(data));
	SUCCEEDS(cudaFree(pitched));
}

static void check_other_nodes(int *data)
{
	int one = 1, two = 2;
	cudaGraph_t graph, child, inside;
	cudaGraphNode_t first, empty, nested, last, record, wait;
	cudaEvent_t start, end;
	SUCCEEDS(cudaEventCreate(&start));
	SUCCEEDS(cudaEventCreate(&end));
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	SUCCEEDS(cudaGraphCreate(&child, 0));
	add_append(child, {add_append(child, {}, data, 5)}, data, 6);
	cudaHostNodeParams host = {call, &one};
	SUCCEEDS(cudaGraphAddHostNode(&first, graph, NULL, 0, &host));
	SUCCEEDS(cudaGraphAddEventRecordNode(&record, graph, &first, 1, start));
	SUCCEEDS(cudaGraphAddEmptyNode(&empty, graph, &record, 1));
	SUCCEEDS(cudaGraphAddChildGraphNode(&nested, graph, &empty, 1, child));
	add_append(child, {}, data, 7); // too late: the node has a copy
	SUCCEEDS(cudaGraphAddEventRecordNode(&record, graph, &nested, 1, end));
	SUCCEEDS(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, end));
	host.userData = &two;
	SUCCEEDS(cudaGraphAddHostNode(&last, graph, &wait, 1, &host));
	SUCCEEDS(cudaGraphChildGraphNodeGetGraph(nested, &inside));
	size_t count = 0;
	SUCCEEDS(cudaGraphGetNodes(inside, NULL, &count));
	CHECK(count == 2);
	FAILS(cudaErrorInvalidValue, cudaGraphDestroy(inside)); // owned by the node
	set<<<1, 1>>>(data, 0);
	called.clear();
	launch(graph);
	CHECK(value_of(data) == 56 && called == std::vector<int>({1, 2}));
	float milliseconds = 0;
	SUCCEEDS(cudaEventElapsedTime(&milliseconds, start, end));
	CHECK(milliseconds > 0);
	cudaEvent_t event;
	SUCCEEDS(cudaGraphEventRecordNodeGetEvent(record, &event));
	CHECK(event == end);
	FAILS(cudaErrorInvalidValue, cudaGraphEventWaitNodeGetEvent(record, &event));

	const char *path = "graph.dot";
	SUCCEEDS(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
	char text[8192] = "";
	FILE *file = fopen(path, "r");
	CHECK(file && fread(text, 1, sizeof text - 1, file) > 0);
	if (file)
		fclose(file);
	remove(path);
	std::string dot = text;
	CHECK(dot.find("digraph") == 0 && dot.find("append") != dot.npos && dot.find("host") != dot.npos &&
	      dot.find("subgraph") != dot.npos && dot.find("->") != dot.npos);
	SUCCEEDS(cudaGraphDestroy(graph));
	SUCCEEDS(cudaGraphDestroy(child));
}

// Nodes of any kind; conditional nodes are not supported.
static void check_generic(int *data)
{
	cudaGraph_t graph;
	cudaGraphNode_t fill, kernel;
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	cudaGraphNodeParams parameters = {cudaGraphNodeTypeMemset};
	parameters.memset = {data, 0, 7, 4, 1, 1};
	SUCCEEDS(cudaGraphAddNode(&fill, graph, NULL, 0, &parameters));
	int digit = 8;
	void *arguments[] = {&data, &digit};
	parameters = {cudaGraphNodeTypeKernel};
	parameters.kernel = {(void *)append, dim3(1), dim3(1), 0, arguments, NULL};
	SUCCEEDS(cudaGraphAddNode(&kernel, graph, &fill, 1, &parameters));
	launch(graph);
	CHECK(value_of(data) == 78);
	digit = 9;
	SUCCEEDS(cudaGraphNodeSetParams(kernel, &parameters));
	launch(graph);
	CHECK(value_of(data) == 79);
	FAILS(cudaErrorInvalidValue, cudaGraphNodeSetParams(fill, &parameters));
	parameters = {cudaGraphNodeTypeConditional};
	FAILS(cudaErrorNotSupported, cudaGraphAddNode(&kernel, graph, &fill, 1, &parameters));
	cudaGraphConditionalHandle handle;
	FAILS(cudaErrorNotSupported, cudaGraphConditionalHandleCreate(&handle, graph, 1, 0));
	SUCCEEDS(cudaGraphDestroy(graph));
}

// The graph memory attributes: used, its maximum, reserved, its maximum.
static void expect_bytes(unsigned long long used, unsigned long long most, unsigned long long kept)
{
	unsigned long long value[4], expected[] = {used, most, kept, kept};
	for (int i = 0; i < 4; i++)
		SUCCEEDS(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)i, &value[i]));
	CHECK(value[0] == expected[0] && value[1] == expected[1] && value[2] == expected[2]);
	CHECK(value[3] >= expected[3]);
}

// Memory allocated by a graph: at one address, and only once until it is freed.
static void check_allocation()
{
	cudaGraph_t graph, clone;
	cudaGraphNode_t allocate, use, release;
	size_t before, after, total;
	SUCCEEDS(cudaMemGetInfo(&before, &total));
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	cudaMemAllocNodeParams parameters = {};
	parameters.bytesize = 64;
	SUCCEEDS(cudaGraphAddMemAllocNode(&allocate, graph, NULL, 0, &parameters));
	CHECK(parameters.dptr != NULL);
	cudaMemsetParams fill = {parameters.dptr, 0, 0x5a, 1, 64, 1};
	SUCCEEDS(cudaGraphAddMemsetNode(&use, graph, &allocate, 1, &fill));
	cudaGraphExec_t keeps, takes_back, frees;
	SUCCEEDS(cudaGraphInstantiateWithFlags(&keeps, graph, 0));
	expect_bytes(0, 0, 64);
	SUCCEEDS(cudaGraphLaunch(keeps, 0));
	expect_bytes(64, 64, 64);
	unsigned char bytes[64];
	SUCCEEDS(cudaMemcpy(bytes, parameters.dptr, 64, cudaMemcpyDeviceToHost));
	CHECK(bytes[0] == 0x5a && bytes[63] == 0x5a);
	FAILS(cudaErrorInvalidValue, cudaGraphLaunch(keeps, 0)); // it is not freed
	SUCCEEDS(cudaFree(parameters.dptr));
	SUCCEEDS(cudaGraphLaunch(keeps, 0));
	SUCCEEDS(cudaFreeAsync(parameters.dptr, 0));
	SUCCEEDS(cudaGraphExecDestroy(keeps));
	SUCCEEDS(cudaGraphInstantiate(&takes_back, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	SUCCEEDS(cudaGraphLaunch(takes_back, 0));
	SUCCEEDS(cudaGraphLaunch(takes_back, 0));
	SUCCEEDS(cudaFree(parameters.dptr));
	SUCCEEDS(cudaGraphExecDestroy(takes_back));

	SUCCEEDS(cudaGraphAddMemFreeNode(&release, graph, &use, 1, parameters.dptr));
	void *freed;
	SUCCEEDS(cudaGraphMemFreeNodeGetParams(release, &freed));
	CHECK(freed == parameters.dptr);
	FAILS(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&release, graph, &use, 1, bytes));
	SUCCEEDS(cudaGraphInstantiate(&frees, graph, 0));
	SUCCEEDS(cudaGraphLaunch(frees, 0));
	SUCCEEDS(cudaGraphLaunch(frees, 0));
	FAILS(cudaErrorInvalidValue, cudaFree(parameters.dptr));
	FAILS(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
	SUCCEEDS(cudaGraphExecDestroy(frees));
	SUCCEEDS(cudaGraphDestroy(graph));
	SUCCEEDS(cudaMemGetInfo(&after, &total));
	CHECK(after == before);
	expect_bytes(0, 64, 0);
	unsigned long long none = 0;
	SUCCEEDS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &none));
	expect_bytes(0, 0, 0);
	FAILS(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &none));
	FAILS(cudaErrorInvalidDevice, cudaDeviceGetGraphMemAttribute(1, cudaGraphMemAttrUsedMemCurrent, &none));
	SUCCEEDS(cudaDeviceGraphMemTrim(0));

	// it outlives the graph until it is freed
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	SUCCEEDS(cudaGraphAddMemAllocNode(&allocate, graph, NULL, 0, &parameters));
	SUCCEEDS(cudaGraphInstantiate(&keeps, graph));
	SUCCEEDS(cudaGraphLaunch(keeps, 0));
	SUCCEEDS(cudaGraphExecDestroy(keeps));
	SUCCEEDS(cudaGraphDestroy(graph));
	SUCCEEDS(cudaMemset(parameters.dptr, 1, 64));
	SUCCEEDS(cudaFree(parameters.dptr));
	SUCCEEDS(cudaMemGetInfo(&after, &total));
	CHECK(after == before);
}

// All forms of instantiation and their errors.
static void check_instantiation(int *data)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t wrong;
	char log[32] = "x";
	SUCCEEDS(cudaGraphCreate(&graph, 0));
	add_append(graph, {}, data, 1);
	SUCCEEDS(cudaGraphInstantiate(&exec, graph, &wrong, log, sizeof log));
	CHECK(!wrong && !*log);
	SUCCEEDS(cudaGraphExecDestroy(exec));
	SUCCEEDS(cudaGraphInstantiate(&exec, graph));
	SUCCEEDS(cudaGraphExecDestroy(exec));
	FAILS(cudaErrorInvalidValue, cudaGraphExecDestroy(exec));
	FAILS(cudaErrorInvalidValue, cudaGraphLaunch(exec, 0));
	cudaGraphInstantiateParams parameters = {cudaGraphInstantiateFlagUseNodePriority};
	SUCCEEDS(cudaGraphInstantiateWithParams(&exec, graph, &parameters));
	CHECK(parameters.result_out == cudaGraphInstantiateSuccess);
	unsigned long long flags;
	SUCCEEDS(cudaGraphExecGetFlags(exec, &flags));
	CHECK(flags == cudaGraphInstantiateFlagUseNodePriority);
	SUCCEEDS(cudaGraphExecDestroy(exec));
	FAILS(cudaErrorNotSupported, cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
	FAILS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 1 << 20));
	FAILS(cudaErrorInvalidValue, cudaGraphCreate(&graph, 1));
	SUCCEEDS(cudaGraphDestroy(graph));
}

int main()
{
	int *data;
	SUCCEEDS(cudaMalloc(&data, sizeof *data));
	check_order(data);
	check_questions(data);
	check_arguments();
	check_memory_nodes();
	check_other_nodes(data);
	check_generic(data);
	check_allocation();
	check_instantiation(data);
	return finish();
}
