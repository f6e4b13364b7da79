/* nvrtc: compiles CUDA C++ while a program runs; for C and C++. libnvrtc.so (-lnvrtc) runs `sluice cc`:
 * docs/reference/cuda-runtime.md. */
#ifndef __NVRTC_H__
#define __NVRTC_H__

#include "sluice/macros_off.h"

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_OUT_OF_MEMORY = 1,
	NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_PROGRAM = 4,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6,
	NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
	NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
	NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
	NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
	NVRTC_ERROR_INTERNAL_ERROR = 11,
	NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
/* Return architecture numbers, such as 70 for sm_70, in ascending order. */
nvrtcResult nvrtcGetNumSupportedArchs(int *count);
nvrtcResult nvrtcGetSupportedArchs(int *architectures);

/* Copies the source, its name for messages (NULL: default_program), and the headers with the names by which the source
 * includes them. */
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int header_count,
                               const char *const *headers, const char *const *include_names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char *const *options);

/* Sizes include the final NUL. */
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
/* Return, in place of machine code, a fat binary with the PTX. cuModuleLoadData() accepts it, and so does
 * cuLinkAddData() as CU_JIT_INPUT_CUBIN. */
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
/* These formats do not exist: all calls are refused. */
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *code);
nvrtcResult nvrtcGetNVVMSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetNVVM(nvrtcProgram program, char *code);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *code);

/* Before compilation: registers the names of kernels and variables as written in the program. After it: returns their
 * names in the PTX, in a text owned by the program. */
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name);

#if defined(__cplusplus)
}
#endif

#if defined(__cplusplus) && defined(NVRTC_GET_TYPE_NAME)
#include <cxxabi.h>
#include <cstdlib>
#include <string>
#include <typeinfo>

static inline nvrtcResult nvrtcGetTypeName(const std::type_info &type, std::string *name)
{
	int status = 0;
	char *text = abi::__cxa_demangle(type.name(), 0, 0, &status);
	if (status == 0)
		*name = text;
	std::free(text);
	return status == 0 ? NVRTC_SUCCESS : NVRTC_ERROR_INTERNAL_ERROR;
}
/* Keeps the qualifiers of a type, which type_info drops, by making it a template argument. */
template <class T> struct nvrtcTypeHolder {
};
template <class T> static inline nvrtcResult nvrtcGetTypeName(std::string *name)
{
	nvrtcResult result = nvrtcGetTypeName(typeid(nvrtcTypeHolder<T>), name);
	size_t first = name->find('<') + 1;
	if (result == NVRTC_SUCCESS)
		*name = name->substr(first, name->size() - first - 1);
	return result;
}
#endif

#include "sluice/macros_on.h"

#endif
