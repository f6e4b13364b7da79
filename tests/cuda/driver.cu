// Protects the driver API: modules from PTX text, files and fat binaries, both kinds of launch, memory, streams,
// events, and refused calls.
#include "check.h"

#include <cuda_runtime.h>
#ifdef __cuda_cuda_h__
#error "cuda_runtime.h brings the driver API"
#endif
#include <cuda.h>
#if CUDA_VERSION < 11000 || CUDA_VERSION != CUDART_VERSION
#error "CUDA_VERSION"
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

static const char ptx[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
			  ".visible .global .align 4 .u32 offset = 5;\n"
			  ".visible .entry add(.param .u64 p, .param .u8 flag, .param .u32 n)\n"
			  "{\n"
			  "	.reg .pred %q; .reg .u32 %r<8>; .reg .u64 %d<4>;\n"
			  "	ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; ld.param.u8 %r5, [flag];\n"
			  "	mov.u32 %r2, %tid.x;\n"
			  "	setp.ge.u32 %q, %r2, %r1;\n"
			  "	@%q ret;\n"
			  "	mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2;\n"
			  "	ld.global.u32 %r3, [%d1]; ld.global.u32 %r4, [offset];\n"
			  "	add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; st.global.u32 [%d1], %r3;\n"
			  "	ret;\n"
			  "}\n";

enum { COUNT = 32 };

static void check_values(CUdeviceptr device, unsigned value, unsigned last)
{
	unsigned host[COUNT];
	CHECK(cuMemcpyDtoH(host, device, sizeof host) == CUDA_SUCCESS);
	for (int i = 0; i < COUNT; i++)
		CHECK(host[i] == (i < COUNT - 1 ? value : last));
}

// The driver's attributes have the runtime's numbers, and each has a value.
static void test_attributes()
{
#define SAME(driver, runtime) CHECK((int)CU_DEVICE_ATTRIBUTE_##driver == (int)cudaDevAttr##runtime)
	SAME(CAN_TEX2D_GATHER, CanTex2DGather);
	SAME(MAXIMUM_TEXTURE2D_GATHER_HEIGHT, MaxTexture2DGatherHeight);
	SAME(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, MaxTexture3DDepthAlt);
	SAME(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, MaxTextureCubemapLayeredLayers);
	SAME(MAXIMUM_SURFACE2D_LAYERED_LAYERS, MaxSurface2DLayeredLayers);
	SAME(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, MaxSurfaceCubemapLayeredWidth);
	SAME(MAXIMUM_TEXTURE2D_LINEAR_PITCH, MaxTexture2DLinearPitch);
	SAME(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, MaxTexture2DMipmappedHeight);
	SAME(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, MaxTexture1DMipmappedWidth);
	SAME(MULTI_GPU_BOARD_GROUP_ID, MultiGpuBoardGroupID);
	SAME(CAN_FLUSH_REMOTE_WRITES, CanFlushRemoteWrites);
	SAME(READ_ONLY_HOST_REGISTER_SUPPORTED, HostRegisterReadOnlySupported);
	SAME(GPU_DIRECT_RDMA_WRITES_ORDERING, GPUDirectRDMAWritesOrdering);
	SAME(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, DeferredMappingCudaArraySupported);
	for (int attribute = 1; attribute <= CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS; attribute++) {
		int of_driver = -2, of_runtime = -3;
		CHECK(cuDeviceGetAttribute(&of_driver, (CUdevice_attribute)attribute, 0) == CUDA_SUCCESS);
		CHECK(cudaDeviceGetAttribute(&of_runtime, (cudaDeviceAttr)attribute, 0) == cudaSuccess);
		CHECK(of_driver == of_runtime);
	}
}

static void test_device()
{
	CUdevice device;
	CUcontext context, current;
	int count, major, minor, value, version;
	char name[64];
	size_t bytes, free_bytes;
	CHECK(cuInit(0) == CUDA_SUCCESS && cuInit(1) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuDriverGetVersion(&version) == CUDA_SUCCESS && version >= CUDA_VERSION);
	CHECK(cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 1);
	CHECK(cuDeviceGet(&device, 0) == CUDA_SUCCESS && device == 0);
	CHECK(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
	CHECK(cuDeviceGetName(name, sizeof name, 0) == CUDA_SUCCESS && strncmp(name, "Sluice", 6) == 0);
	CHECK(cuDeviceComputeCapability(&major, &minor, 0) == CUDA_SUCCESS);
	CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) == CUDA_SUCCESS && value == major);
	CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0) == CUDA_SUCCESS && value == CU_COMPUTEMODE_DEFAULT);
	test_attributes();
	CHECK(cuDeviceTotalMem(&bytes, 0) == CUDA_SUCCESS && bytes > 0);
	CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current);
	CHECK(cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT);
	CHECK(cuCtxCreate(&context, 0, 0) == CUDA_SUCCESS && context);
	CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context);
	CHECK(cuCtxPushCurrent(context) == CUDA_SUCCESS && cuCtxPopCurrent(&current) == CUDA_SUCCESS && current == context);
	CHECK(cuCtxGetDevice(&device) == CUDA_SUCCESS && device == 0);
	CHECK(cuCtxSetCurrent((CUcontext)&count) == CUDA_ERROR_INVALID_CONTEXT);
	CHECK(cuMemGetInfo(&free_bytes, &bytes) == CUDA_SUCCESS && free_bytes <= bytes);
}

// The runtime's calls make a context current for the driver's calls, in each thread.
static void test_context_of_runtime()
{
	void (*const calls[])() = {[] { CHECK(cudaSetDevice(0) == cudaSuccess); }, [] { CHECK(cudaFree(0) == cudaSuccess); },
	                           [] { CHECK(cudaDeviceSynchronize() == cudaSuccess); }};
	for (auto call : calls)
		std::thread([call] {
			CUcontext current, popped;
			CUdevice device = -1;
			CHECK(cuDeviceGet(&device, 0) == CUDA_SUCCESS);
			CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current);
			CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
			CHECK(cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT);
			call();
			call();
			CHECK(cuCtxGetDevice(&device) == CUDA_SUCCESS && device == 0);
			CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current);
			CHECK(cuCtxPopCurrent(&popped) == CUDA_SUCCESS && popped == current);
			CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current);
		}).join();
}

static void test_errors()
{
	const char *text;
	CUmodule module;
	CHECK(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text) == CUDA_SUCCESS && strcmp(text, "CUDA_ERROR_INVALID_PTX") == 0);
	CHECK(cuGetErrorString(CUDA_ERROR_NOT_FOUND, &text) == CUDA_SUCCESS && *text);
	CHECK(cuGetErrorName((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuModuleLoadData(&module, ".version 6.0\n.target sm_30\nnonsense") == CUDA_ERROR_INVALID_PTX && !module);
	CHECK(cuModuleLoadData(&module, "\177ELF machine code") == CUDA_ERROR_INVALID_IMAGE);
	CHECK(cuModuleLoadData(NULL, ptx) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuModuleLoad(&module, "/no/such/file.ptx") == CUDA_ERROR_FILE_NOT_FOUND);
	CHECK(cuMemFree(16) != CUDA_SUCCESS);
	CHECK(cuLaunchKernel((CUfunction)&text, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CUDA_ERROR_INVALID_HANDLE);
}

static void test_launches(CUmodule module)
{
	CUfunction function, same;
	CUdeviceptr device, offset, base;
	CUstream stream;
	CUevent before, after;
	size_t bytes;
	int value, n = COUNT - 1;
	unsigned char flag = 2;
	float time;
	CHECK(cuModuleGetFunction(&function, module, "add") == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&same, module, "add") == CUDA_SUCCESS && same == function);
	CHECK(cuModuleGetFunction(&same, module, "sub") == CUDA_ERROR_NOT_FOUND);
	CHECK(cuModuleGetGlobal(&offset, &bytes, module, "offset") == CUDA_SUCCESS && bytes == 4);
	CHECK(cuModuleGetGlobal(&offset, NULL, module, "other") == CUDA_ERROR_NOT_FOUND);
	CHECK(cuMemAlloc(&device, COUNT * 4) == CUDA_SUCCESS && cuMemAlloc(&base, 0) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuMemGetAddressRange(&base, &bytes, device + 8) == CUDA_SUCCESS && base == device && bytes == COUNT * 4);
	CHECK(cuMemsetD32(device, 100, COUNT) == CUDA_SUCCESS && cuMemsetD32(device + 2, 1, 1) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	CHECK(cuEventCreate(&before, CU_EVENT_DEFAULT) == CUDA_SUCCESS && cuEventCreate(&after, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
	CHECK(cuEventRecord(before, stream) == CUDA_SUCCESS);
	void *parameters[] = {&device, &flag, &n};
	CHECK(cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, stream, parameters, NULL) == CUDA_SUCCESS);
	CHECK(cuEventRecord(after, stream) == CUDA_SUCCESS && cuEventSynchronize(after) == CUDA_SUCCESS);
	CHECK(cuEventElapsedTime(&time, before, after) == CUDA_SUCCESS && time > 0);
	CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
	check_values(device, 107, 100);
	unsigned more = 1000;
	CHECK(cuModuleGetGlobal(&offset, &bytes, module, "offset") == CUDA_SUCCESS && cuMemcpyHtoD(offset, &more, 4) == CUDA_SUCCESS);
	struct {
		CUdeviceptr p;
		unsigned char flag;
		unsigned n;
	} buffer = {device, 3, COUNT - 1};
	bytes = sizeof buffer;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
	CHECK(cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, NULL, NULL, extra) == CUDA_SUCCESS);
	check_values(device, 1110, 100);
	CHECK(cuLaunchKernel(function, 1, 1, 1, 5000, 1, 1, 0, NULL, parameters, NULL) == CUDA_ERROR_INVALID_VALUE);
	CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_SUCCESS && value > 0);
	CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 64, 0) == CUDA_SUCCESS && value > 0);
	CHECK(cuMemsetD8(device, 1, 4 * COUNT) == CUDA_SUCCESS);
	check_values(device, 0x01010101, 0x01010101);
	CHECK(cuMemsetD16(device, 2, 2 * COUNT) == CUDA_SUCCESS);
	check_values(device, 0x00020002, 0x00020002);
	CHECK(cuStreamDestroy(stream) == CUDA_SUCCESS && cuEventDestroy(before) == CUDA_SUCCESS);
	CHECK(cuMemFree(device) == CUDA_SUCCESS);
}

// Two texts, of which one calls a function and reads a variable of the other. An undefined name is reported.
static void test_linking()
{
	static char first[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
			      ".extern .func (.param .u32 r) twice(.param .u32 x);\n"
			      ".extern .global .align 4 .u32 base;\n"
			      ".visible .entry work(.param .u64 p) { .reg .u32 %r<4>; .reg .u64 %d<2>;\n"
			      "ld.param.u64 %d1, [p]; ld.global.u32 %r1, [base];\n"
			      "{ .param .u32 x; .param .u32 r; st.param.u32 [x], %r1; call.uni (r), twice, (x); ld.param.u32 %r2, [r]; }\n"
			      "st.global.u32 [%d1], %r2; ret; }\n";
	static char second[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
			       ".visible .global .align 4 .u32 base = 21;\n"
			       ".visible .func (.param .u32 r) twice(.param .u32 x) { .reg .u32 %r<3>; ld.param.u32 %r1, [x];\n"
			       "add.u32 %r2, %r1, %r1; st.param.u32 [r], %r2; ret; }\n";
	CUlinkState state;
	CUmodule module;
	CUfunction function;
	CUdeviceptr device;
	void *image;
	size_t size;
	unsigned value = 0;
	CHECK(cuLinkCreate(0, NULL, NULL, &state) == CUDA_SUCCESS);
	CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, first, sizeof first, "first", 0, NULL, NULL) == CUDA_SUCCESS);
	CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, second, sizeof second, "second", 0, NULL, NULL) == CUDA_SUCCESS);
	CHECK(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, second, 8, "code", 0, NULL, NULL) == CUDA_ERROR_NO_BINARY_FOR_GPU);
	CHECK(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/no/such/file", 0, NULL, NULL) == CUDA_ERROR_FILE_NOT_FOUND);
	CHECK(cuLinkComplete(state, &image, &size) == CUDA_SUCCESS && size > sizeof first);
	CHECK(cuModuleLoadData(&module, image) == CUDA_SUCCESS);
	CHECK(cuLinkDestroy(state) == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&function, module, "work") == CUDA_SUCCESS && cuMemAlloc(&device, 4) == CUDA_SUCCESS);
	void *parameters[] = {&device};
	CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL) == CUDA_SUCCESS);
	CHECK(cuMemcpyDtoH(&value, device, 4) == CUDA_SUCCESS && value == 42);
	CHECK(cuMemFree(device) == CUDA_SUCCESS);

	char log[200] = "unchanged";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)sizeof log};
	CHECK(cuLinkCreate(2, options, values, &state) == CUDA_SUCCESS && !*log);
	CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, first, sizeof first, "first", 0, NULL, NULL) == CUDA_SUCCESS);
	CHECK(cuLinkComplete(state, &image, &size) == CUDA_ERROR_INVALID_PTX && strstr(log, "'twice' is not defined"));
	CHECK(cuLinkDestroy(state) == CUDA_SUCCESS);
}

/* In the format of nvcc's tools, with uncompressed text. */
static void *make_container()
{
	static uint64_t container[(sizeof ptx + 128) / 8];
	uint64_t payload = (sizeof ptx + 7) / 8 * 8;
	const struct {
		uint32_t magic;
		uint16_t version, header;
		uint64_t bytes;
		uint16_t kind, one;
		uint32_t entry_header;
		uint64_t payload;
		uint32_t compressed, zero, release, architecture, name[2];
		uint64_t flags, nothing, expanded;
	} head = {0xba55ed50, 1, 16, 64 + payload, 1, 0x101, 64, payload, 0, 0, 0, 30, {0, 0}, 0x11, 0, 0};
	memcpy(container, &head, sizeof head);
	memcpy((char *)container + sizeof head, ptx, sizeof ptx);
	return container;
}

int main()
{
	CUmodule module;
	char log[100] = "x", path[] = "/tmp/sluice-driver-XXXXXX";
	CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_TARGET_FROM_CUCONTEXT};
	void *values[] = {log, (void *)(uintptr_t)sizeof log, NULL};
	test_device();
	CHECK(cuModuleLoadDataEx(&module, ptx, 3, options, values) == CUDA_SUCCESS && !*log && !values[1]);
	test_launches(module);
	CHECK(cuModuleUnload(module) == CUDA_SUCCESS && cuModuleUnload((CUmodule)&module) == CUDA_ERROR_INVALID_HANDLE);
	CHECK(cuModuleLoadData(&module, make_container()) == CUDA_SUCCESS);
	test_launches(module);
	int file = mkstemp(path);
	FILE *stream = fdopen(file, "w");
	fputs(ptx, stream);
	fclose(stream);
	CHECK(cuModuleLoad(&module, path) == CUDA_SUCCESS);
	remove(path);
	test_launches(module);
	test_context_of_runtime();
	test_errors();
	test_linking();
	return finish();
}
