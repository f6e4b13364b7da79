// Flags: -lnvrtc
// Protects kernels compiled at run time and launched by driver calls: options, headers, lowered names of templates,
// logs with line numbers, and refused programs.
#include "check.h"
#include <cuda.h>
#include <cstdlib>
#include <string>
#include <vector>
#define NVRTC_GET_TYPE_NAME
#include <nvrtc.h>

#define COMPILES(expected, call)                                                                                       \
	do {                                                                                                           \
		nvrtcResult result = (call);                                                                           \
		if (result != (expected)) {                                                                            \
			fprintf(stderr, "%s:%d: %s: %s, expected %s\n", __FILE__, __LINE__, #call,                     \
			        nvrtcGetErrorString(result), nvrtcGetErrorString(expected));                           \
			failures++;                                                                                    \
		}                                                                                                      \
	} while (0)
#define FINE(call) COMPILES(NVRTC_SUCCESS, call)

static std::string log_of(nvrtcProgram program)
{
	size_t size = 0;
	FINE(nvrtcGetProgramLogSize(program, &size));
	std::vector<char> text(size);
	FINE(nvrtcGetProgramLog(program, text.data()));
	CHECK(size && !text[size - 1]);
	return text.data();
}

static std::vector<char> ptx_of(nvrtcProgram program)
{
	size_t size = 0;
	FINE(nvrtcGetPTXSize(program, &size));
	std::vector<char> text(size + 1);
	if (size)
		FINE(nvrtcGetPTX(program, text.data()));
	return text;
}

static nvrtcProgram compile(const char *source, std::vector<const char *> options, nvrtcResult expected = NVRTC_SUCCESS)
{
	nvrtcProgram program;
	FINE(nvrtcCreateProgram(&program, source, "made.cu", 0, NULL, NULL));
	COMPILES(expected, nvrtcCompileProgram(program, (int)options.size(), options.data()));
	if (expected == NVRTC_SUCCESS && !log_of(program).empty())
		fprintf(stderr, "log: %s\n", log_of(program).c_str());
	return program;
}

static CUfunction load(nvrtcProgram program, const char *name)
{
	CUmodule module;
	CUfunction function = NULL;
	std::vector<char> ptx = ptx_of(program);
	CHECK(cuModuleLoadDataEx(&module, ptx.data(), 0, 0, 0) == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
	return function;
}

static void check_launch()
{
	nvrtcProgram program = compile("float more(float value) { return value + EXTRA + WORD; }\n" // device code
	                               "extern \"C\" __global__ void saxpy(float a, float *x, float *y, size_t n)\n"
	                               "{\n"
	                               "	size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
	                               "	if (i < n)\n"
	                               "		y[i] = more(a * x[i] + y[i]);\n"
	                               "}\n",
	                               {"--gpu-architecture=compute_60", "-DEXTRA=2", "-D", "WORD=1", "--fmad=false",
	                                "--std=c++14", "-lineinfo", "-default-device"});
	std::vector<char> ptx = ptx_of(program);
	CHECK(strstr(ptx.data(), ".target sm_60") && strstr(ptx.data(), "saxpy"));
	CUfunction kernel = load(program, "saxpy");
	enum { COUNT = 100 };
	float x[COUNT], y[COUNT], a = 3;
	size_t count = COUNT;
	CUdeviceptr device_x, device_y;
	for (int i = 0; i < COUNT; i++)
		x[i] = (float)i, y[i] = (float)(2 * i);
	CHECK(cuMemAlloc(&device_x, sizeof x) == CUDA_SUCCESS && cuMemAlloc(&device_y, sizeof y) == CUDA_SUCCESS);
	CHECK(cuMemcpyHtoD(device_x, x, sizeof x) == CUDA_SUCCESS);
	CHECK(cuMemcpyHtoD(device_y, y, sizeof y) == CUDA_SUCCESS);
	void *arguments[] = {&a, &device_x, &device_y, &count};
	CHECK(cuLaunchKernel(kernel, 4, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS);
	CHECK(cuMemcpyDtoH(y, device_y, sizeof y) == CUDA_SUCCESS);
	for (int i = 0; i < COUNT; i++)
		CHECK(y[i] == 5.f * (float)i + 3);
	FINE(nvrtcDestroyProgram(&program));
	CHECK(!program);
	COMPILES(NVRTC_ERROR_INVALID_PROGRAM, nvrtcDestroyProgram(&program));
}

// If the last architecture is a GPU's, the module is loaded from machine code; a virtual architecture has none.
static void check_machine_code()
{
	const char *source = "extern \"C\" __global__ void seven(int *p) { *p = 7; }";
	nvrtcProgram program = compile(source, {"-arch=compute_60", "--gpu-architecture", "sm_70"});
	size_t size = 0;
	FINE(nvrtcGetCUBINSize(program, &size));
	CHECK(size > 1);
	std::vector<char> code(size, 1); // no byte beyond its size is accessed
	FINE(nvrtcGetCUBIN(program, code.data()));
	CUmodule module;
	CUfunction kernel;
	CUdeviceptr result;
	int value = 0;
	CHECK(cuModuleLoadData(&module, code.data()) == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&kernel, module, "seven") == CUDA_SUCCESS && cuMemAlloc(&result, sizeof value) == CUDA_SUCCESS);
	void *arguments[] = {&result};
	CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS);
	CHECK(cuMemcpyDtoH(&value, result, sizeof value) == CUDA_SUCCESS && value == 7);
	FINE(nvrtcDestroyProgram(&program));
	for (std::vector<const char *> options : {std::vector<const char *>{}, {"--gpu-architecture=sm_70", "-arch", "compute_70"}}) {
		program = compile(source, options);
		FINE(nvrtcGetCUBINSize(program, &size));
		CHECK(size == 0);
		COMPILES(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetCUBIN(program, code.data()));
		FINE(nvrtcDestroyProgram(&program));
	}
	COMPILES(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetCUBIN(NULL, code.data()));
	COMPILES(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetCUBINSize(NULL, &size));
}

// The line of the error under the program's name for the source; also in a header.
static void check_errors()
{
	nvrtcProgram program = compile("__global__ void wrong(int *p)\n{\n\t*p = nothing_of_that_name;\n}\n", {},
	                               NVRTC_ERROR_COMPILATION);
	std::string log = log_of(program);
	CHECK(log.find("made.cu:3:") != log.npos && log.find("nothing_of_that_name") != log.npos);
	CHECK(log.find("/sluice-nvrtc-") == log.npos);
	size_t size;
	COMPILES(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(program, &size));
	FINE(nvrtcDestroyProgram(&program));

	program = compile("", {"--no-such-option"}, NVRTC_ERROR_INVALID_OPTION);
	CHECK(log_of(program).find("--no-such-option") != log.npos);
	FINE(nvrtcDestroyProgram(&program));
	program = compile("__global__ void k() {}", {"-arch=rubbish"}, NVRTC_ERROR_COMPILATION);
	CHECK(log_of(program).find("rubbish") != log.npos);
	COMPILES(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetCUBINSize(program, &size));
	FINE(nvrtcDestroyProgram(&program));
	program = compile("#warning careful\n__global__ void k() {}", {});
	CHECK(log_of(program).find("careful") != log.npos);
	FINE(nvrtcDestroyProgram(&program));
	COMPILES(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&program, NULL, NULL, 0, NULL, NULL));
	COMPILES(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&program, "", NULL, 1, NULL, NULL));
	COMPILES(NVRTC_ERROR_INVALID_PROGRAM, nvrtcCompileProgram(NULL, 0, NULL));
}

// A header next to the source, found by the name that the program gave the source.
static void check_source_folder()
{
	char folder[] = "/tmp/nvrtc-test-XXXXXX";
	CHECK(mkdtemp(folder));
	std::string header = std::string(folder) + "/beside.h", name = std::string(folder) + "/made.cu";
	FILE *file = fopen(header.c_str(), "w");
	CHECK(file && fputs("enum { BESIDE = 3 };\n", file) >= 0 && fclose(file) == 0);
	for (const char *option : {"-w", "--no-source-include"}) {
		nvrtcProgram program;
		FINE(nvrtcCreateProgram(&program, "#include \"beside.h\"\n__global__ void k(int *p) { *p = BESIDE; }", name.c_str(), 0,
		                        NULL, NULL));
		COMPILES(*option == '-' && option[1] == 'w' ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION,
		         nvrtcCompileProgram(program, 1, &option));
		FINE(nvrtcDestroyProgram(&program));
	}
	CHECK(remove(header.c_str()) == 0 && remove(folder) == 0);
}

static void check_headers()
{
	const char *texts[] = {"#pragma once\n#include <deep/values.h>\n", "enum { VALUE = 7 };\n"};
	const char *names[] = {"first.h", "deep/values.h"};
	const char *outside[] = {"../first.h"};
	nvrtcProgram program;
	FINE(nvrtcCreateProgram(&program, "#include \"first.h\"\nextern \"C\" __global__ void k(int *p) { *p = VALUE; }",
	                        NULL, 2, texts, names));
	FINE(nvrtcCompileProgram(program, 0, NULL));
	int *data, value = 0;
	SUCCEEDS(cudaMalloc(&data, sizeof *data));
	void *arguments[] = {&data};
	CHECK(cuLaunchKernel(load(program, "k"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS);
	SUCCEEDS(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
	CHECK(value == 7);
	FINE(nvrtcDestroyProgram(&program));
	FINE(nvrtcCreateProgram(&program, "", NULL, 1, texts, outside));
	COMPILES(NVRTC_ERROR_INVALID_INPUT, nvrtcCompileProgram(program, 0, NULL));
	CHECK(log_of(program).find("../first.h") != std::string::npos);
	FINE(nvrtcDestroyProgram(&program));
}

template <class T> struct boxed {
	T value;
};

static void check_names()
{
	std::string type;
	FINE(nvrtcGetTypeName<const boxed<int> *>(&type));
	std::string kernel = "inner::set<" + type + ", 4 + 1>";
	nvrtcProgram program;
	FINE(nvrtcCreateProgram(&program,
	                        "template <class T> struct boxed { T value; };\n"
	                        "namespace inner {\n"
	                        "__device__ int variable = 3;\n"
	                        "__constant__ int constant[4];\n"
	                        "template <class T, int N> __global__ void set(T to) { ((int *)to)[0] = N + variable; }\n"
	                        "}\n"
	                        "__global__ void plain(int) {}\n",
	                        "names.cu", 0, NULL, NULL));
	const char *name = NULL;
	COMPILES(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, nvrtcGetLoweredName(program, "plain", &name));
	for (const char *expression : {kernel.c_str(), "&inner::variable", "&inner::constant", "plain"})
		FINE(nvrtcAddNameExpression(program, expression));
	const char *const machine[] = {"--gpu-architecture=sm_70"};
	FINE(nvrtcCompileProgram(program, 1, machine));
	COMPILES(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, nvrtcAddNameExpression(program, "plain"));
	COMPILES(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, nvrtcGetLoweredName(program, "other", &name));
	FINE(nvrtcGetLoweredName(program, "plain", &name));
	CHECK(std::string(name) == "_Z5plaini");
	FINE(nvrtcGetLoweredName(program, "&inner::constant", &name));
	CHECK(std::string(name) == "_ZN5inner8constantE");
	CHECK(!strstr(ptx_of(program).data(), "name_expression"));

	const char *variable = NULL;
	FINE(nvrtcGetLoweredName(program, kernel.c_str(), &name));
	FINE(nvrtcGetLoweredName(program, "&inner::variable", &variable));
	CUmodule module;
	CUfunction function;
	CUdeviceptr address;
	size_t bytes;
	CHECK(cuModuleLoadData(&module, ptx_of(program).data()) == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
	CHECK(cuModuleGetGlobal(&address, &bytes, module, variable) == CUDA_SUCCESS && bytes == 4);
	/* the same in the stand-in for machine code, which is loaded and linked */
	size_t cubin_bytes = 0;
	FINE(nvrtcGetCUBINSize(program, &cubin_bytes));
	std::vector<char> cubin(cubin_bytes);
	FINE(nvrtcGetCUBIN(program, cubin.data()));
	CUmodule second;
	CUfunction same;
	CUlinkState link;
	void *image;
	CHECK(cuModuleLoadData(&second, cubin.data()) == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&same, second, name) == CUDA_SUCCESS && same != function);
	CHECK(cuLinkCreate(0, NULL, NULL, &link) == CUDA_SUCCESS);
	CHECK(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, cubin.data(), cubin.size(), "names", 0, NULL, NULL) == CUDA_SUCCESS);
	CHECK(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, (void *)"\177ELF", 5, "elf", 0, NULL, NULL) ==
	      CUDA_ERROR_NO_BINARY_FOR_GPU);
	CHECK(cuLinkComplete(link, &image, NULL) == CUDA_SUCCESS);
	CHECK(cuModuleLoadData(&second, image) == CUDA_SUCCESS);
	CHECK(cuModuleGetFunction(&same, second, name) == CUDA_SUCCESS);
	CHECK(cuLinkDestroy(link) == CUDA_SUCCESS);
	COMPILES(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetLTOIRSize(program, &cubin_bytes));
	CHECK(cuMemsetD32(address, 10, 1) == CUDA_SUCCESS);
	int *data, value = 0;
	SUCCEEDS(cudaMalloc(&data, sizeof *data));
	void *arguments[] = {&data};
	CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS);
	SUCCEEDS(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
	CHECK(value == 15);
	FINE(nvrtcDestroyProgram(&program));

	/* of several functions with one name, the cast selects one */
	const char *const chosen = "(void (*)(float *))pick";
	FINE(nvrtcCreateProgram(&program, "__global__ void pick(int *) {} __global__ void pick(float *) {}", NULL, 0, NULL, NULL));
	FINE(nvrtcAddNameExpression(program, chosen));
	FINE(nvrtcCompileProgram(program, 0, NULL));
	FINE(nvrtcGetLoweredName(program, chosen, &name));
	CHECK(std::string(name) == "_Z4pickPf");
	FINE(nvrtcDestroyProgram(&program));
	FINE(nvrtcCreateProgram(&program, "__global__ void pick(int *) {} __global__ void pick(float *) {}", NULL, 0, NULL, NULL));
	FINE(nvrtcAddNameExpression(program, "pick"));
	COMPILES(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(program, 0, NULL));
	FINE(nvrtcDestroyProgram(&program));

	FINE(nvrtcCreateProgram(&program, "__global__ void plain(int) {}", NULL, 0, NULL, NULL));
	FINE(nvrtcAddNameExpression(program, "not_there<int>"));
	COMPILES(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(program, 0, NULL));
	CHECK(log_of(program).find("not_there") != std::string::npos);
	FINE(nvrtcDestroyProgram(&program));
}

int main()
{
	int major = 0, minor = 0, count = 0;
	CUcontext context;
	CUdevice device;
	CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
	CHECK(cuCtxCreate(&context, 0, device) == CUDA_SUCCESS);
	FINE(nvrtcVersion(&major, &minor));
	CHECK(major >= 11);
	FINE(nvrtcGetNumSupportedArchs(&count));
	std::vector<int> architectures((size_t)count);
	FINE(nvrtcGetSupportedArchs(architectures.data()));
	CHECK(count > 3 && architectures[0] == 30 && architectures.back() >= 80);
	CHECK(std::string(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION)) == "NVRTC_ERROR_COMPILATION");
	check_launch();
	check_errors();
	check_machine_code();
	check_headers();
	check_source_folder();
	check_names();
	return finish();
}
