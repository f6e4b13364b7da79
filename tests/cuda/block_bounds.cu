/* Protects against registers counted for blocks that cannot occur: a kernel's own bounds on its block size. The product
 * in __launch_bounds__ binds, however it is split into dimensions. A larger block is refused with CUDA's error by
 * <<<>>>, cudaLaunchKernel, graphs and the driver. */
#include <cstdio>
#include <cuda.h>

__global__ void __launch_bounds__(64) bound(int *o)
{
	atomicAdd(o, 1);
}

static int failures;
static void expect(const char *what, int found, int expected)
{
	if (found != expected) {
		printf("%s: %d, not %d\n", what, found, expected);
		failures++;
	}
}

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry asks(.param .u64 o) .reqntid 8, 4, 1 { ret; }\n"
			  ".visible .entry most(.param .u64 o) .maxntid 8, 8, 1 { ret; }\n";

static CUresult driver(const char *name, unsigned x, unsigned y, int *o)
{
	CUmodule module;
	CUfunction function;
	void *arguments[] = {&o};
	cuModuleLoadData(&module, ptx);
	cuModuleGetFunction(&function, module, name);
	CUresult result = cuLaunchKernel(function, 1, 1, 1, x, y, 1, 0, 0, arguments, NULL);
	if (result == CUDA_SUCCESS)
		result = cuCtxSynchronize();
	return result;
}

int main()
{
	int *o, ran = 0;
	cudaMalloc(&o, 4);
	cudaMemset(o, 0, 4);
	bound<<<1, 128>>>(o);
	expect("a block of 128", cudaGetLastError(), cudaErrorInvalidValue);
	expect("the error is not sticky", cudaDeviceSynchronize(), cudaSuccess);
	bound<<<1, dim3(5, 13)>>>(o);
	expect("a block of 65", cudaGetLastError(), cudaErrorInvalidValue);
	bound<<<1, 2048>>>(o);
	expect("beyond the machine", cudaGetLastError(), cudaErrorInvalidConfiguration);
	bound<<<1, dim3(4, 8, 2)>>>(o);
	expect("a block of 64", cudaGetLastError(), cudaSuccess);
	cudaMemcpy(&ran, o, 4, cudaMemcpyDeviceToHost);
	expect("threads", ran, 64);

	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	cudaGraphNode_t node;
	void *arguments[] = {&o};
	cudaKernelNodeParams params = {};
	params.func = (void *)bound;
	params.gridDim = dim3(1);
	params.blockDim = dim3(128);
	params.kernelParams = arguments;
	cudaGraphCreate(&graph, 0);
	cudaError_t error = cudaGraphAddKernelNode(&node, graph, NULL, 0, &params);
	if (error == cudaSuccess)
		error = cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
	if (error == cudaSuccess)
		error = cudaGraphLaunch(exec, stream);
	if (error == cudaSuccess)
		error = cudaStreamSynchronize(stream);
	expect("a graph's node", error, cudaErrorInvalidValue);

	expect(".reqntid", driver("asks", 8, 4, o), CUDA_SUCCESS);
	expect(".reqntid, the same number in another shape", driver("asks", 4, 8, o), CUDA_ERROR_INVALID_VALUE);
	expect(".reqntid, fewer", driver("asks", 8, 2, o), CUDA_ERROR_INVALID_VALUE);
	expect(".maxntid, another shape", driver("most", 64, 1, o), CUDA_SUCCESS);
	expect(".maxntid, more", driver("most", 13, 5, o), CUDA_ERROR_INVALID_VALUE);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
