// Protects graph calls against any argument: thousands of random calls on graphs, captures and executable graphs, valid
// and invalid, from a fixed seed (or that of the command line). No argument ends the process, errors are in the
// runtime's list, and graphs stay usable.
//
// ASAN_OPTIONS: handle_segv=0:replace_intrin=0
#include "check.h"
#include <initializer_list>
#include <vector>

static unsigned long long state = 1;
static unsigned draw(unsigned limit)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % limit;
}

__global__ void add(int *to, int value)
{
	*to += value;
}
__device__ int variable[4];

static int *data, host_room[16];
static std::vector<void *> graphs, nodes, instances, streams = {NULL}, events;
static std::vector<void *> dead = {NULL, (void *)8, (void *)0xdead00000000, (void *)-1};

// A member of the list, or a handle of another kind, a destroyed one, or an invalid one.
static void *any(const std::vector<void *> &list)
{
	if (!list.empty() && draw(12))
		return list[draw(list.size())];
	const std::vector<void *> *others[] = {&graphs, &nodes, &instances, &streams, &dead};
	const std::vector<void *> &other = *others[draw(5)];
	return other.empty() ? NULL : other[draw(other.size())];
}
static cudaGraph_t graph()
{
	return (cudaGraph_t)any(graphs);
}
static cudaGraphNode_t node()
{
	return (cudaGraphNode_t)any(nodes);
}
static cudaGraphExec_t instance()
{
	return (cudaGraphExec_t)any(instances);
}
static cudaStream_t stream()
{
	return (cudaStream_t)any(streams);
}
static cudaEvent_t event()
{
	return (cudaEvent_t)any(events);
}

static void keep(std::vector<void *> &list, void *what)
{
	if (what && list.size() < 200)
		list.push_back(what);
	else if (what)
		list[draw(list.size())] = what;
}

static void host_function(void *user)
{
	++*(int *)user;
}

// Parameters of any kind of node. Addresses are valid or invalid, but never of memory that other code owns.
static cudaGraphNodeParams parameters(int *value, void **arguments)
{
	cudaGraphNodeParams all = {};
	all.type = (cudaGraphNodeType)draw(16);
	arguments[0] = &data;
	arguments[1] = draw(20) ? value : NULL;
	switch (all.type) {
	case cudaGraphNodeTypeKernel:
		all.kernel = {draw(20) ? (void *)add : any(dead), dim3(draw(10) ? 1 : 0), dim3(draw(10) ? 1 : 4096),
		              draw(10) ? 0u : ~0u, draw(20) ? arguments : NULL, NULL};
		break;
	case cudaGraphNodeTypeMemcpy:
		all.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(draw(10) ? host_room : NULL, 16, 16, 1);
		all.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(draw(10) ? data : NULL, draw(10) ? 16 : 1, 16, 1);
		all.memcpy.copyParams.extent = make_cudaExtent(draw(17), draw(3), 1);
		all.memcpy.copyParams.kind = (cudaMemcpyKind)draw(6);
		break;
	case cudaGraphNodeTypeMemset:
		all.memset = {draw(10) ? data : any(dead), draw(32), draw(1000), draw(6), draw(5), draw(3)};
		break;
	case cudaGraphNodeTypeHost:
		all.host = {draw(10) ? host_function : NULL, host_room};
		break;
	case cudaGraphNodeTypeGraph:
		all.graph.graph = graph();
		break;
	case cudaGraphNodeTypeMemAlloc:
		all.alloc.bytesize = draw(10) ? draw(1000) : (size_t)-1;
		break;
	case cudaGraphNodeTypeMemFree:
		all.free.dptr = draw(2) ? data : any(dead);
		break;
	default:
		all.eventRecord.event = event();
	}
	return all;
}

static cudaError_t make_call()
{
	void *made = NULL, *arguments[2];
	int value = (int)draw(100);
	cudaGraphNode_t before[3] = {node(), node(), node()};
	cudaGraphNodeParams any_kind = parameters(&value, arguments);
	cudaError_t error;
	switch (draw(9)) {
	case 0:
		error = cudaGraphCreate((cudaGraph_t *)&made, draw(10) == 0);
		keep(graphs, made);
		return error;
	case 1:
		error = cudaGraphClone((cudaGraph_t *)&made, graph());
		keep(graphs, made);
		return error;
	case 2:
		error = cudaGraphInstantiate((cudaGraphExec_t *)&made, graph(), draw(10) ? draw(3) : draw(64));
		keep(instances, made);
		return error;
	case 3:
		error = cudaGraphChildGraphNodeGetGraph(node(), (cudaGraph_t *)&made);
		keep(graphs, made);
		return error;
	case 4:
		error = cudaGraphAddMemcpyNodeToSymbol((cudaGraphNode_t *)&made, graph(), before, draw(3), variable,
		                                       host_room, draw(20), draw(20), (cudaMemcpyKind)draw(5));
		keep(nodes, made);
		return error;
	default:
		error = cudaGraphAddNode(draw(20) ? (cudaGraphNode_t *)&made : NULL, graph(), draw(20) ? before : NULL,
		                         draw(3), draw(30) ? &any_kind : NULL);
		keep(nodes, made);
		return error;
	}
}

static cudaError_t change_call()
{
	void *arguments[2], *read;
	int value = (int)draw(100);
	size_t count = draw(5);
	cudaGraphNode_t from[5] = {node(), node()}, to[5] = {node(), node()};
	cudaGraphNodeParams any_kind = parameters(&value, arguments);
	cudaKernelNodeParams kernel;
	cudaMemsetParams fill;
	cudaGraphExecUpdateResultInfo info;
	unsigned enabled;
	switch (draw(16)) {
	case 0:
		return cudaGraphAddDependencies(graph(), from, to, draw(3));
	case 1:
		return cudaGraphRemoveDependencies(graph(), from, to, draw(3));
	case 2:
		return cudaGraphNodeSetParams(node(), &any_kind);
	case 3:
		return cudaGraphExecNodeSetParams(instance(), node(), draw(30) ? &any_kind : NULL);
	case 4:
		return cudaGraphExecKernelNodeSetParams(instance(), node(), &any_kind.kernel);
	case 5:
		return cudaGraphExecMemsetNodeSetParams(instance(), node(), &any_kind.memset);
	case 6:
		return cudaGraphExecUpdate(instance(), graph(), &info);
	case 7:
		return cudaGraphNodeSetEnabled(instance(), node(), draw(2));
	case 8:
		return cudaGraphNodeGetEnabled(instance(), node(), draw(10) ? &enabled : NULL);
	case 9:
		return cudaGraphGetEdges(graph(), draw(2) ? from : NULL, draw(2) ? to : NULL, draw(20) ? &count : NULL);
	case 10:
		return cudaGraphNodeGetDependencies(node(), draw(2) ? from : NULL, &count);
	case 11:
		return cudaGraphKernelNodeGetParams(node(), draw(10) ? &kernel : NULL);
	case 12:
		return cudaGraphMemsetNodeGetParams(node(), &fill);
	case 13:
		return cudaGraphNodeFindInClone((cudaGraphNode_t *)&read, node(), graph());
	case 14:
		return cudaGraphExecChildGraphNodeSetParams(instance(), node(), graph());
	default:
		return cudaGraphDestroyNode(draw(8) ? NULL : node());
	}
}

static cudaError_t capture_call()
{
	cudaStreamCaptureStatus status;
	unsigned long long id;
	cudaGraph_t made = NULL;
	const cudaGraphNode_t *tips;
	cudaGraphNode_t some[3] = {node(), node(), node()};
	size_t count;
	cudaError_t error;
	void *memory;
	switch (draw(12)) {
	case 0:
		return cudaStreamBeginCapture(stream(), (cudaStreamCaptureMode)(draw(20) ? draw(3) : draw(100)));
	case 1:
	case 2:
		error = cudaStreamEndCapture(stream(), draw(20) ? &made : NULL);
		keep(graphs, made);
		return error;
	case 3:
		return cudaStreamGetCaptureInfo_v2(stream(), draw(20) ? &status : NULL, draw(2) ? &id : NULL, &made,
		                                   &tips, &count);
	case 4:
		return cudaEventRecordWithFlags(event(), stream(), draw(4) == 0);
	case 5:
		return cudaStreamWaitEvent(stream(), event(), draw(4) == 0);
	case 6:
		add<<<1, 1, 0, stream()>>>(data, 1);
		return cudaGetLastError();
	case 7:
		return cudaMemsetAsync(data, 0, draw(16), stream());
	case 8:
		return cudaMemcpyAsync(data, host_room, draw(16), (cudaMemcpyKind)draw(5), stream());
	case 9:
		error = cudaMallocAsync(&memory, draw(100), stream());
		return error == cudaSuccess && draw(2) ? cudaFreeAsync(memory, stream()) : error;
	case 10:
		return cudaStreamUpdateCaptureDependencies(stream(), draw(20) ? some : NULL, draw(4), draw(3));
	default:
		return cudaStreamBeginCaptureToGraph(stream(), graph(), some, NULL, draw(3), cudaStreamCaptureModeGlobal);
	}
}

static cudaError_t run_call()
{
	void *made = NULL;
	switch (draw(7)) {
	case 0:
		return cudaEventQuery(event());
	case 1:
		return cudaStreamSynchronize(stream());
	case 2:
		SUCCEEDS(cudaStreamCreateWithFlags((cudaStream_t *)&made, draw(2)));
		if (streams.size() < 6) {
			streams.push_back(made);
		} else {
			void *&place = streams[1 + draw(5)];
			SUCCEEDS(cudaStreamDestroy((cudaStream_t)place));
			place = made;
		}
		return draw(20) ? cudaSuccess : cudaStreamDestroy((cudaStream_t)any(dead));
	case 3:
		return draw(4) ? cudaSuccess : cudaGraphExecDestroy(instance());
	case 4:
		return draw(4) ? cudaSuccess : cudaGraphDestroy(graph());
	default:
		return cudaGraphLaunch(instance(), stream());
	}
}

// A new graph works as it should.
static void check_works()
{
	cudaGraph_t own;
	cudaGraphNode_t fill, kernel;
	cudaGraphExec_t exec;
	cudaStream_t apart;
	int value = 5, result = 0;
	void *arguments[] = {&data, &value};
	cudaMemsetParams seven = {data, 0, 7, 4, 1, 1};
	cudaKernelNodeParams five = {(void *)add, dim3(1), dim3(1), 0, arguments, NULL};
	SUCCEEDS(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
	SUCCEEDS(cudaGraphCreate(&own, 0));
	SUCCEEDS(cudaGraphAddMemsetNode(&fill, own, NULL, 0, &seven));
	SUCCEEDS(cudaGraphAddKernelNode(&kernel, own, &fill, 1, &five));
	SUCCEEDS(cudaGraphInstantiate(&exec, own));
	SUCCEEDS(cudaGraphLaunch(exec, apart));
	SUCCEEDS(cudaMemcpyAsync(&result, data, 4, cudaMemcpyDeviceToHost, apart));
	CHECK(result == 12);
	SUCCEEDS(cudaGraphExecDestroy(exec));
	SUCCEEDS(cudaGraphDestroy(own));
	SUCCEEDS(cudaStreamDestroy(apart));
}

int main(int argc, char **argv)
{
	if (argc > 1)
		state = strtoull(argv[1], NULL, 0);
	SUCCEEDS(cudaMalloc(&data, 64));
	for (int i = 0; i < 4; i++) {
		cudaEvent_t made;
		SUCCEEDS(cudaEventCreate(&made));
		events.push_back(made);
	}
	unsigned succeeded = 0;
	for (int i = 0; i < 20000 && !failures; i++) {
		static cudaError_t (*const calls[])() = {make_call, change_call, capture_call, run_call};
		cudaError_t error = calls[draw(4)]();
		succeeded += error == cudaSuccess;
		CHECK(strcmp(cudaGetErrorName(error), "unrecognized error code") != 0);
		if (i % 500 == 0)
			check_works();
	}
	CHECK(succeeded > 2000);
	return finish();
}
