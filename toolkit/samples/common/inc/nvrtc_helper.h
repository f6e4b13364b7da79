/* nvrtc_helper.h: compiles and loads a source file at run time, with the names of CUDA's samples. */
#ifndef COMMON_NVRTC_HELPER_H_
#define COMMON_NVRTC_HELPER_H_

#include "helper_cuda_drvapi.h"

#include <nvrtc.h>
#include <vector>

#define NVRTC_SAFE_CALL(name, call)                                                                                    \
	do {                                                                                                           \
		nvrtcResult sluice_result = call;                                                                      \
		if (sluice_result != NVRTC_SUCCESS) {                                                                  \
			std::cerr << "\nerror: " << name << " failed with error " << nvrtcGetErrorString(sluice_result) << "\n"; \
			exit(EXIT_FAILURE);                                                                            \
		}                                                                                                      \
	} while (0)

/* Compiles a file for the device. On failure, prints the compiler's messages and exits. */
inline nvrtcProgram sluice_sdk_compile(const char *file, int argc, char **argv, const char *kind)
{
	std::ifstream input(file, std::ios::binary);
	if (!input) {
		std::cerr << "\nerror: unable to open " << file << " for reading!\n";
		exit(EXIT_FAILURE);
	}
	std::ostringstream text, architecture;
	text << input.rdbuf();
	int major, minor;
	sluice_sdk_capability(findCudaDeviceDRV(argc, (const char **)argv), &major, &minor);
	architecture << "--gpu-architecture=" << kind << "_" << major << minor;
	std::string option = architecture.str();
	const char *options[] = {option.c_str()};
	nvrtcProgram program;
	NVRTC_SAFE_CALL("nvrtcCreateProgram", nvrtcCreateProgram(&program, text.str().c_str(), file, 0, NULL, NULL));
	nvrtcResult result = nvrtcCompileProgram(program, 1, options);
	size_t size = 0;
	NVRTC_SAFE_CALL("nvrtcGetProgramLogSize", nvrtcGetProgramLogSize(program, &size));
	std::vector<char> log(size + 1);
	NVRTC_SAFE_CALL("nvrtcGetProgramLog", nvrtcGetProgramLog(program, log.data()));
	if (strlen(log.data()) > 1)
		std::cerr << log.data() << "\n";
	NVRTC_SAFE_CALL("nvrtcCompileProgram", result);
	return program;
}

/* `groups`: the file includes cooperative_groups.h. It is ignored, since that header is always found. *code is an input
 * of loadCUBIN(). */
inline void compileFileToCUBIN(char *file, int argc, char **argv, char **code, size_t *size, int groups)
{
	(void)groups;
	nvrtcProgram program = sluice_sdk_compile(file, argc, argv, "sm");
	NVRTC_SAFE_CALL("nvrtcGetCUBINSize", nvrtcGetCUBINSize(program, size));
	*code = (char *)malloc(*size);
	NVRTC_SAFE_CALL("nvrtcGetCUBIN", nvrtcGetCUBIN(program, *code));
	NVRTC_SAFE_CALL("nvrtcDestroyProgram", nvrtcDestroyProgram(&program));
}

inline void compileFileToPTX(char *file, int argc, char **argv, char **code, size_t *size, int groups)
{
	(void)groups;
	nvrtcProgram program = sluice_sdk_compile(file, argc, argv, "compute");
	NVRTC_SAFE_CALL("nvrtcGetPTXSize", nvrtcGetPTXSize(program, size));
	*code = (char *)malloc(*size);
	NVRTC_SAFE_CALL("nvrtcGetPTX", nvrtcGetPTX(program, *code));
	NVRTC_SAFE_CALL("nvrtcDestroyProgram", nvrtcDestroyProgram(&program));
}

/* Loads the code in a new context, which becomes current, and frees the code. */
inline CUmodule loadCUBIN(char *code, int argc, char **argv)
{
	CUmodule module;
	CUcontext context;
	checkCudaErrors(cuInit(0));
	checkCudaErrors(cuCtxCreate(&context, 0, findCudaDeviceDRV(argc, (const char **)argv)));
	checkCudaErrors(cuModuleLoadData(&module, code));
	free(code);
	return module;
}

inline CUmodule loadPTX(char *code, int argc, char **argv)
{
	return loadCUBIN(code, argc, argv);
}

#endif
