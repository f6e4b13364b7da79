// Protects stream capture: stream operations become a graph, with forks and joins by events. Also tests forbidden
// calls, their errors, and the state of the capture afterwards.
#include "check.h"
#include <cuda.h>
#include <initializer_list>
#include <pthread.h>

__global__ void append(int *to, int digit)
{
	*to = 10 * *to + digit;
}

static cudaStream_t first, second, third, apart;
static cudaEvent_t fork_event, join_event;
static int *data;

static int value()
{
	int result;
	SUCCEEDS(cudaMemcpy(&result, data, sizeof result, cudaMemcpyDeviceToHost));
	return result;
}

static int launched(cudaGraph_t graph)
{
	cudaGraphExec_t exec;
	SUCCEEDS(cudaMemset(data, 0, sizeof *data));
	SUCCEEDS(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	SUCCEEDS(cudaGraphLaunch(exec, first));
	SUCCEEDS(cudaGraphExecDestroy(exec));
	SUCCEEDS(cudaGraphDestroy(graph));
	return value();
}

static void begin(cudaStream_t stream = first, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal)
{
	SUCCEEDS(cudaStreamBeginCapture(stream, mode));
}

static cudaGraph_t end(cudaStream_t stream = first)
{
	cudaGraph_t graph = NULL;
	SUCCEEDS(cudaStreamEndCapture(stream, &graph));
	return graph;
}

// The capture is invalid: ending it gives that error and no graph.
static void end_invalid(cudaStream_t stream = first)
{
	cudaGraph_t graph = (cudaGraph_t)&data;
	cudaStreamCaptureStatus status;
	SUCCEEDS(cudaStreamIsCapturing(stream, &status));
	CHECK(status == cudaStreamCaptureStatusInvalidated);
	FAILS(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(data, 0, 4, stream));
	FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
	CHECK(!graph);
	SUCCEEDS(cudaStreamIsCapturing(stream, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	cudaGetLastError();
}

static size_t count_of(cudaGraph_t graph)
{
	size_t count = 0;
	SUCCEEDS(cudaGraphGetNodes(graph, NULL, &count));
	return count;
}

static void multiply(void *user)
{
	*(int *)user *= 2;
}

// Nothing runs until the graph does. Arguments have the values of the launch; host memory is read when the graph runs.
static void check_line()
{
	int host = 5, back = 0;
	SUCCEEDS(cudaMemset(data, 0, 4));
	begin();
	SUCCEEDS(cudaMemcpyAsync(data, &host, 4, cudaMemcpyHostToDevice, first));
	for (int digit = 1; digit < 4; digit++)
		append<<<1, 1, 0, first>>>(data, digit);
	SUCCEEDS(cudaMemcpyAsync(&back, data, 4, cudaMemcpyDeviceToHost, first));
	SUCCEEDS(cudaLaunchHostFunc(first, multiply, &back));
	cudaGraph_t graph = end();
	CHECK(value() == 0 && back == 0 && count_of(graph) == 6);
	host = 7;
	CHECK(launched(graph) == 7123 && back == 14246);
}

// The driver's fills, and mapped host memory.
static void check_driver()
{
	unsigned *shared;
	SUCCEEDS(cudaMallocManaged(&shared, 16));
	begin();
	CHECK(cuMemsetD32Async((CUdeviceptr)data, 5, 1, first) == CUDA_SUCCESS);
	append<<<1, 1, 0, first>>>(data, 1);
	CHECK(cuMemsetD2D16Async((CUdeviceptr)shared, 8, 0x1234, 2, 2, first) == CUDA_SUCCESS);
	cudaGraph_t graph = end();
	shared[0] = shared[2] = 0;
	CHECK(count_of(graph) == 3 && launched(graph) == 51);
	SUCCEEDS(cudaDeviceSynchronize());
	CHECK(shared[0] == 0x12341234 && shared[2] == 0x12341234);
	SUCCEEDS(cudaFree(shared));
}

// A launch that can never run is refused when it is captured. It breaks no rule of captures: the capture goes on.
static void check_impossible()
{
	cudaStreamCaptureStatus status;
	cudaGraphNode_t node;
	int digit = 1;
	void *arguments[] = {&data, &digit};
	begin();
	append<<<1, 1, 0, first>>>(data, 4);
	FAILS(cudaErrorInvalidConfiguration,
	      cudaLaunchKernel((const void *)append, dim3(1), dim3(4096), arguments, 0, first));
	cudaGetLastError();
	FAILS(cudaErrorInvalidConfiguration,
	      cudaLaunchKernel((const void *)append, dim3(1), dim3(1), arguments, 1 << 24, first));
	cudaGetLastError();
	FAILS(cudaErrorInvalidConfiguration,
	      cudaLaunchKernel((const void *)append, dim3(0), dim3(1), arguments, 0, first));
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	SUCCEEDS(cudaStreamIsCapturing(first, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	append<<<1, 1, 0, first>>>(data, 2);
	cudaGraph_t graph = end();
	CHECK(count_of(graph) == 2);
	cudaKernelNodeParams parameters = {};
	parameters.func = (void *)append;
	parameters.gridDim = dim3(1);
	parameters.blockDim = dim3(4096);
	parameters.kernelParams = arguments;
	FAILS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, &parameters));
	cudaGetLastError();
	CHECK(count_of(graph) == 2 && launched(graph) == 42);
}

// Rows and boxes are copied out as they were copied in.
static void check_rows()
{
	unsigned char host[48], back[48] = {}, *device;
	size_t pitch;
	SUCCEEDS(cudaMallocPitch((void **)&device, &pitch, 6, 8));
	for (int i = 0; i < 48; i++)
		host[i] = (unsigned char)i;
	begin();
	SUCCEEDS(cudaMemset2DAsync(device, pitch, 0xee, 6, 8, first));
	SUCCEEDS(cudaMemcpy2DAsync(device, pitch, host, 6, 5, 8, cudaMemcpyHostToDevice, first));
	SUCCEEDS(cudaMemcpy2DAsync(back, 6, device, pitch, 6, 8, cudaMemcpyDeviceToHost, first));
	launched(end());
	for (int i = 0; i < 48; i++)
		CHECK(back[i] == (i % 6 < 5 ? i : 0xee));
	SUCCEEDS(cudaFree(device));
}

// Parts of arrays: their offsets are in texels, offsets in the calls are in bytes.
static void check_arrays()
{
	float host[6] = {1, 2, 3, 4, 5, 6}, back[8] = {}, box[8] = {};
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	SUCCEEDS(cudaMallocArray(&array, &format, 4, 2));
	SUCCEEDS(cudaMemcpy2DToArray(array, 0, 0, back, 16, 16, 2, cudaMemcpyHostToDevice));
	begin();
	SUCCEEDS(cudaMemcpy2DToArrayAsync(array, 4, 0, host, 12, 12, 2, cudaMemcpyHostToDevice, first));
	SUCCEEDS(cudaMemcpy2DFromArrayAsync(back, 16, array, 0, 0, 16, 2, cudaMemcpyDeviceToHost, first));
	cudaMemcpy3DParms parameters = {};
	parameters.srcArray = array;
	parameters.srcPos = make_cudaPos(2, 1, 0);
	parameters.dstPtr = make_cudaPitchedPtr(box, 8, 2, 1);
	parameters.extent = make_cudaExtent(2, 1, 1);
	parameters.kind = cudaMemcpyDeviceToHost;
	SUCCEEDS(cudaMemcpy3DAsync(&parameters, first));
	cudaGraph_t graph = end();
	CHECK(back[1] == 0 && count_of(graph) == 3);
	launched(graph);
	for (int i = 0; i < 8; i++)
		CHECK(back[i] == (i % 4 ? (float)(i - i / 4) : 0));
	CHECK(box[0] == 5 && box[1] == 6);
	begin();
	FAILS(cudaErrorStreamCaptureUnsupported,
	      cudaMemcpyToArrayAsync(array, 0, 0, host, 4, cudaMemcpyHostToDevice, first));
	end_invalid();
	SUCCEEDS(cudaFreeArray(array));
}

static void check_fork()
{
	begin();
	append<<<1, 1, 0, first>>>(data, 1);
	SUCCEEDS(cudaEventRecord(fork_event, first));
	SUCCEEDS(cudaStreamWaitEvent(second, fork_event, 0));
	append<<<1, 1, 0, first>>>(data, 2);
	append<<<1, 1, 0, second>>>(data, 3);
	SUCCEEDS(cudaEventRecord(join_event, second));
	SUCCEEDS(cudaStreamWaitEvent(first, join_event, 0));
	append<<<1, 1, 0, first>>>(data, 4);
	cudaStreamCaptureStatus status;
	SUCCEEDS(cudaStreamIsCapturing(second, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	SUCCEEDS(cudaStreamIsCapturing(third, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	FAILS(cudaErrorCapturedEvent, cudaEventElapsedTime((float[]){0}, fork_event, join_event));
	cudaGraph_t graph = end();
	SUCCEEDS(cudaStreamIsCapturing(second, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	cudaGraphNode_t from[8], to[8], nodes[8];
	size_t edges = 8, count = 8;
	SUCCEEDS(cudaGraphGetNodes(graph, nodes, &count));
	SUCCEEDS(cudaGraphGetEdges(graph, from, to, &edges));
	CHECK(count == 4 && edges == 4 && to[0] == nodes[1] && to[1] == nodes[2] && to[2] == nodes[3] &&
	      from[3] == nodes[2]);
	CHECK(launched(graph) == 1234);
	// an event of a finished capture
	FAILS(cudaErrorCapturedEvent, cudaEventQuery(fork_event));
	FAILS(cudaErrorCapturedEvent, cudaStreamWaitEvent(second, fork_event, 0));
	SUCCEEDS(cudaEventRecord(fork_event, second));
	SUCCEEDS(cudaEventQuery(fork_event));
	cudaGetLastError();
}

static void check_info()
{
	cudaStreamCaptureStatus status;
	unsigned long long id = 0, other = 0;
	cudaGraph_t graph, made;
	const cudaGraphNode_t *tips;
	size_t count;
	begin();
	SUCCEEDS(cudaStreamGetCaptureInfo(first, &status, &id));
	CHECK(status == cudaStreamCaptureStatusActive && id);
	append<<<1, 1, 0, first>>>(data, 1);
	SUCCEEDS(cudaStreamGetCaptureInfo(first, &status, &other, &graph, &tips, &count));
	CHECK(other == id && count == 1);
	// a node that the program adds, before the next operation of the stream
	cudaGraphNode_t node;
	cudaMemsetParams fill = {data, 0, 6, 4, 1, 1};
	SUCCEEDS(cudaGraphAddMemsetNode(&node, graph, tips, count, &fill));
	SUCCEEDS(cudaStreamUpdateCaptureDependencies(first, &node, 1, cudaStreamSetCaptureDependencies));
	append<<<1, 1, 0, first>>>(data, 2);
	FAILS(cudaErrorInvalidValue, cudaGraphDestroy(graph)); // not yet owned by the program
	made = end();
	CHECK(made == graph && launched(made) == 62);
	begin();
	SUCCEEDS(cudaStreamGetCaptureInfo(first, &status, &other));
	CHECK(other != id);
	SUCCEEDS(cudaGraphDestroy(end()));

	SUCCEEDS(cudaGraphCreate(&graph, 0));
	SUCCEEDS(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill));
	SUCCEEDS(cudaStreamBeginCaptureToGraph(first, graph, &node, NULL, 1, cudaStreamCaptureModeGlobal));
	append<<<1, 1, 0, first>>>(data, 9);
	made = end();
	CHECK(made == graph && launched(made) == 69);
}

// A graph launched into a capture becomes a child graph; events and waits become nodes; memory.
static void check_nodes()
{
	begin();
	append<<<1, 1, 0, first>>>(data, 1);
	append<<<1, 1, 0, first>>>(data, 2);
	cudaGraph_t inner = end();
	cudaGraphExec_t exec;
	SUCCEEDS(cudaGraphInstantiate(&exec, inner));
	begin();
	SUCCEEDS(cudaEventRecordWithFlags(fork_event, first, cudaEventRecordExternal));
	SUCCEEDS(cudaGraphLaunch(exec, first));
	SUCCEEDS(cudaGraphLaunch(exec, first));
	SUCCEEDS(cudaEventRecordWithFlags(join_event, first, cudaEventRecordExternal));
	SUCCEEDS(cudaStreamWaitEvent(first, join_event, cudaEventWaitExternal));
	cudaGraph_t graph = end();
	CHECK(count_of(graph) == 5 && launched(graph) == 1212);
	float milliseconds = 0;
	SUCCEEDS(cudaEventElapsedTime(&milliseconds, fork_event, join_event));
	CHECK(milliseconds > 0);
	SUCCEEDS(cudaGraphExecDestroy(exec));
	SUCCEEDS(cudaGraphDestroy(inner));

	int *memory, result = 0;
	begin();
	SUCCEEDS(cudaMallocAsync((void **)&memory, 64, first));
	SUCCEEDS(cudaMemsetAsync(memory, 1, 64, first));
	append<<<1, 1, 0, first>>>(memory, 0);
	SUCCEEDS(cudaMemcpyAsync(&result, memory, 4, cudaMemcpyDeviceToHost, first));
	SUCCEEDS(cudaFreeAsync(memory, first));
	graph = end();
	CHECK(count_of(graph) == 5);
	launched(graph);
	CHECK(result == 10 * 0x01010101);
}

// Each of these calls is refused with its error, and invalidates the capture.
static void check_forbidden()
{
	void *pointer;
	int host;
#define INVALIDATES(expected, call)                                                                                    \
	do {                                                                                                           \
		begin();                                                                                               \
		FAILS(expected, call);                                                                                 \
		end_invalid();                                                                                         \
	} while (0)
	INVALIDATES(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(first));
	INVALIDATES(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(first));
	INVALIDATES(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
	INVALIDATES(cudaErrorStreamCaptureUnsupported, cudaMalloc(&pointer, 4));
	INVALIDATES(cudaErrorStreamCaptureUnsupported, cudaFree(data));
	INVALIDATES(cudaErrorStreamCaptureUnsupported, cudaStreamAddCallback(
							       first, [](cudaStream_t, cudaError_t, void *) {}, NULL, 0));
	INVALIDATES(cudaErrorStreamCaptureImplicit, cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost));
	INVALIDATES(cudaErrorStreamCaptureImplicit, cudaMemset(data, 0, 4));
	INVALIDATES(cudaErrorStreamCaptureImplicit, cudaMemsetAsync(data, 0, 4, 0));
	INVALIDATES(cudaErrorStreamCaptureImplicit, (append<<<1, 1>>>(data, 1), cudaGetLastError()));
	INVALIDATES(cudaErrorStreamCaptureIsolation,
	            (cudaEventRecord(fork_event, second), cudaStreamWaitEvent(first, fork_event, 0)));
	INVALIDATES(cudaErrorCapturedEvent, (cudaEventRecord(join_event, first), cudaEventSynchronize(join_event)));
	INVALIDATES(cudaErrorCapturedEvent, (cudaEventRecord(join_event, first), cudaEventQuery(join_event)));

	// a stream created without synchronization with the legacy stream permits uses of that stream
	begin(apart);
	SUCCEEDS(cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost));
	SUCCEEDS(cudaGraphDestroy(end(apart)));
	// querying the legacy stream leaves the capture unchanged
	cudaStreamCaptureStatus status;
	begin();
	FAILS(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(0, &status));
	SUCCEEDS(cudaGraphDestroy(end()));
	FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
	begin();
	FAILS(cudaErrorIllegalState, cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
	SUCCEEDS(cudaGraphDestroy(end()));
	FAILS(cudaErrorIllegalState, cudaStreamEndCapture(first, &(cudaGraph_t &)pointer));
	begin(cudaStreamPerThread);
	append<<<1, 1, 0, cudaStreamPerThread>>>(data, 8);
	CHECK(launched(end(cudaStreamPerThread)) == 8);
	cudaGetLastError();
}

static void check_joins()
{
	cudaGraph_t graph = NULL;
	begin();
	append<<<1, 1, 0, first>>>(data, 1);
	SUCCEEDS(cudaEventRecord(fork_event, first));
	SUCCEEDS(cudaStreamWaitEvent(second, fork_event, 0));
	append<<<1, 1, 0, second>>>(data, 2);
	FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(first, &graph));
	CHECK(!graph);
	// joined without any work: nothing is unjoined
	begin();
	append<<<1, 1, 0, first>>>(data, 1);
	SUCCEEDS(cudaEventRecord(fork_event, first));
	SUCCEEDS(cudaStreamWaitEvent(second, fork_event, 0));
	append<<<1, 1, 0, first>>>(data, 2);
	CHECK(launched(end()) == 12);

	begin();
	SUCCEEDS(cudaEventRecord(fork_event, first));
	SUCCEEDS(cudaStreamWaitEvent(second, fork_event, 0));
	FAILS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(second, &graph));
	end_invalid();
	begin();
	begin(third);
	SUCCEEDS(cudaEventRecord(fork_event, first));
	FAILS(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(third, fork_event, 0));
	end_invalid();
	end_invalid(third);
}

// A stream whose last work is joined directly, joined later by an event, or not joined.
static void check_ends_of_branches()
{
	for (int when = 0; when < 3; when++) {
		cudaStream_t stream;
		cudaEvent_t done;
		cudaGraph_t graph;
		SUCCEEDS(cudaStreamCreate(&stream));
		SUCCEEDS(cudaEventCreate(&done));
		SUCCEEDS(cudaMemset(data, 0, 4));
		begin();
		append<<<1, 1, 0, first>>>(data, 1);
		SUCCEEDS(cudaEventRecord(fork_event, first));
		SUCCEEDS(cudaStreamWaitEvent(stream, fork_event, 0));
		append<<<1, 1, 0, stream>>>(data, 2);
		SUCCEEDS(cudaEventRecord(done, stream));
		if (when == 0)
			SUCCEEDS(cudaStreamWaitEvent(first, done, 0));
		SUCCEEDS(cudaStreamDestroy(stream));
		if (when == 1)
			SUCCEEDS(cudaStreamWaitEvent(first, done, 0));
		if (when < 2) {
			append<<<1, 1, 0, first>>>(data, 3);
			CHECK(launched(end()) == 123);
		} else {
			FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(first, &graph));
			CHECK(!graph);
		}
		SUCCEEDS(cudaEventDestroy(done));
	}
}

// Streams destroyed during their capture; captured nodes stay.
static void check_ends()
{
	cudaStream_t stream;
	cudaStreamCaptureStatus status;
	SUCCEEDS(cudaStreamCreate(&stream));
	SUCCEEDS(cudaMemset(data, 0, 4));
	begin();
	append<<<1, 1, 0, first>>>(data, 1);
	SUCCEEDS(cudaEventRecord(fork_event, first));
	SUCCEEDS(cudaStreamWaitEvent(stream, fork_event, 0));
	SUCCEEDS(cudaStreamDestroy(stream)); // it has no work
	CHECK(launched(end()) == 1);
	check_ends_of_branches();
	SUCCEEDS(cudaStreamCreate(&stream));
	begin(stream);
	append<<<1, 1, 0, stream>>>(data, 1);
	SUCCEEDS(cudaEventRecord(fork_event, stream));
	SUCCEEDS(cudaStreamWaitEvent(second, fork_event, 0));
	SUCCEEDS(cudaStreamDestroy(stream)); // ends the capture, too
	SUCCEEDS(cudaStreamIsCapturing(second, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	SUCCEEDS(cudaMemset(data, 0, 4));
	begin();
	append<<<1, 1, 0, first>>>(data, 1);
	cudaGraph_t graph;
	const cudaGraphNode_t *tips;
	size_t count;
	unsigned long long id;
	SUCCEEDS(cudaStreamGetCaptureInfo(first, &status, &id, &graph, &tips, &count));
	FAILS(cudaErrorInvalidValue, cudaGraphDestroyNode(tips[0]));
	append<<<1, 1, 0, first>>>(data, 2);
	CHECK(launched(end()) == 12);
}

static void *in_thread(void *work)
{
	(*(void (**)())work)();
	return NULL;
}
static void in_other_thread(void (*work)())
{
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, in_thread, (void *)&work) == 0);
	pthread_join(thread, NULL);
}

// Unsafe calls are forbidden in this thread, in all threads, or in none, by capture mode.
static void check_modes()
{
	static void *pointer;
	begin(first, cudaStreamCaptureModeRelaxed);
	SUCCEEDS(cudaMalloc(&pointer, 4));
	SUCCEEDS(cudaFree(pointer));
	SUCCEEDS(cudaGraphDestroy(end()));
	begin(first, cudaStreamCaptureModeThreadLocal);
	in_other_thread([] { SUCCEEDS(cudaMalloc(&pointer, 4)); });
	FAILS(cudaErrorStreamCaptureUnsupported, cudaFree(pointer));
	end_invalid();
	begin();
	in_other_thread([] { FAILS(cudaErrorStreamCaptureUnsupported, cudaFree(pointer)); });
	end_invalid();
	begin();
	in_other_thread([] {
		cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
		SUCCEEDS(cudaThreadExchangeStreamCaptureMode(&mode));
		CHECK(mode == cudaStreamCaptureModeGlobal);
		SUCCEEDS(cudaFree(pointer));
		cudaGraph_t graph;
		FAILS(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(first, &graph));
	});
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	SUCCEEDS(cudaThreadExchangeStreamCaptureMode(&mode));
	SUCCEEDS(cudaMalloc(&pointer, 4));
	SUCCEEDS(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == cudaStreamCaptureModeRelaxed);
	SUCCEEDS(cudaGraphDestroy(end()));
	SUCCEEDS(cudaFree(pointer));
}

int main()
{
	// Branches of a graph run in turn: their nodes append to one number.
	setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
	SUCCEEDS(cudaMalloc(&data, sizeof *data));
	for (cudaStream_t *stream : {&first, &second, &third})
		SUCCEEDS(cudaStreamCreate(stream));
	SUCCEEDS(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
	SUCCEEDS(cudaEventCreate(&fork_event));
	SUCCEEDS(cudaEventCreate(&join_event));
	check_line();
	check_impossible();
	check_driver();
	check_rows();
	check_arrays();
	check_fork();
	check_info();
	check_nodes();
	check_forbidden();
	check_joins();
	check_ends();
	check_modes();
	return finish();
}
