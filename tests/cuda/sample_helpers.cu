// Flags: -lnvrtc
// Protects the toolkit's helpers for driver API programs (helper_cuda_drvapi.h, nvrtc_helper.h, exception.h), found
// without a flag. Tests device selection, a module's file, a source compiled at run time to both kinds of code, and
// exceptions that name their origin.
#include "check.h"
#include <exception.h>
#include <nvrtc_helper.h>

static std::string folder;

static std::string written(const char *name, const std::string &text)
{
	std::string path = folder + name;
	std::ofstream(path.c_str(), std::ios::binary) << text;
	return path;
}

static void choose(const char *program)
{
	const char *none[] = {program}, *absent[] = {program, "-device=7"};
	int major = 0, minor = -1;
	CHECK(findCudaDeviceDRV(1, none) == 0);
	CHECK(gpuDeviceInitDRV(2, absent) == -7);
	sluice_sdk_capability(0, &major, &minor);
	CHECK(major >= 2 && minor >= 0);
	CHECK(checkCudaCapabilitiesDRV(major, minor, 0) && checkCudaCapabilitiesDRV(major - 1, minor + 1, 0));
	CHECK(!checkCudaCapabilitiesDRV(major, minor + 1, 0) && !checkCudaCapabilitiesDRV(major + 1, 0, 0));
	size_t lanes = 0;
	getCudaAttribute<size_t>(&lanes, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
	CHECK(lanes == 32);
	CHECK(_ConvertSMVer2CoresDRV(3, 5) == 192 && _ConvertSMVer2CoresDRV(8, 0) == 64 && _ConvertSMVer2CoresDRV(8, 6) == 128);
	CHECK(strcmp(_cudaGetErrorEnum(CUDA_ERROR_INVALID_VALUE), "CUDA_ERROR_INVALID_VALUE") == 0);
}

static void find(char **argv)
{
	std::string text("PTX\0of any kind", 15), path;
	std::ostringstream bytes;
	std::string name = written("/module.fatbin", text);
	CHECK(findFatbinPath(name.c_str(), path, argv, bytes) && path == name && bytes.str() == text);
	CHECK(!findFatbinPath("/nowhere.fatbin", path, argv, bytes) && bytes.str() == text);
}

static void runs(CUmodule module)
{
	CUfunction function;
	CUdeviceptr memory;
	int numbers[32] = {}, add = 5;
	checkCudaErrors(cuModuleGetFunction(&function, module, "put"));
	checkCudaErrors(cuMemAlloc(&memory, sizeof numbers));
	void *arguments[] = {&memory, &add};
	checkCudaErrors(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
	checkCudaErrors(cuMemcpyDtoH(numbers, memory, sizeof numbers));
	for (int i = 0; i < 32; i++)
		CHECK(numbers[i] == i + 5);
	checkCudaErrors(cuMemFree(memory));
}

static void compile(int argc, char **argv)
{
	std::string file = written("/put.cu", "#include <cooperative_groups.h>\n"
	                                      "extern \"C\" __global__ void put(int *to, int add)\n"
	                                      "{ unsigned i = cooperative_groups::this_thread_block().thread_rank(); to[i] = i + add; }\n");
	char *code = NULL;
	size_t size = 0;
	compileFileToCUBIN(&file[0], argc, argv, &code, &size, 1);
	CHECK(size > 0);
	runs(loadCUBIN(code, argc, argv));
	compileFileToPTX(&file[0], argc, argv, &code, &size, 1);
	CHECK(size > 0 && strstr(code, ".entry put"));
	runs(loadPTX(code, argc, argv));
}

static void throws()
{
	std::string text;
	try {
		RANGE_EXCEPTION("too far");
	} catch (const std::range_error &error) {
		text = error.what();
	}
	CHECK(text.find(__FILE__) != std::string::npos && text.find("too far") != std::string::npos);
}

int main(int argc, char **argv)
{
	folder = std::string(argv[0]).substr(0, std::string(argv[0]).rfind('/'));
	choose(argv[0]);
	find(argv);
	compile(argc, argv);
	throws();
	return finish();
}
