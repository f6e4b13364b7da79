/* The calls of NVRTC. */
#include "nvrtc/program.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 12, MINOR = 4 }; /* the default face of our headers (include/cuda/sluice/release.h) */

static const int architectures[] = {30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};

const char *nvrtcGetErrorString(nvrtcResult result)
{
	static const char *const names[] = {"NVRTC_SUCCESS",
	                                    "NVRTC_ERROR_OUT_OF_MEMORY",
	                                    "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
	                                    "NVRTC_ERROR_INVALID_INPUT",
	                                    "NVRTC_ERROR_INVALID_PROGRAM",
	                                    "NVRTC_ERROR_INVALID_OPTION",
	                                    "NVRTC_ERROR_COMPILATION",
	                                    "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
	                                    "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
	                                    "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
	                                    "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
	                                    "NVRTC_ERROR_INTERNAL_ERROR",
	                                    "NVRTC_ERROR_TIME_FILE_WRITE_FAILED"};
	return (unsigned)result < sizeof names / sizeof *names ? names[result] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	if (!major || !minor)
		return NVRTC_ERROR_INVALID_INPUT;
	*major = MAJOR;
	*minor = MINOR;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
	if (!count)
		return NVRTC_ERROR_INVALID_INPUT;
	*count = sizeof architectures / sizeof *architectures;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *list)
{
	if (!list)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(list, architectures, sizeof architectures);
	return NVRTC_SUCCESS;
}

static bool has_headers(int count, const char *const *headers, const char *const *names)
{
	for (int i = 0; i < count; i++)
		if (!headers || !names || !headers[i] || !names[i])
			return false;
	return count >= 0;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int header_count,
                               const char *const *headers, const char *const *include_names)
{
	if (!program || !source || !has_headers(header_count, headers, include_names))
		return NVRTC_ERROR_INVALID_INPUT;
	nvrtcProgram made = base_calloc(1, sizeof *made);
	made->source = base_strdup(source);
	made->name = base_strdup(name && *name ? name : "default_program");
	made->headers = base_calloc((size_t)header_count + 1, sizeof *made->headers);
	made->header_count = header_count;
	for (int i = 0; i < header_count; i++)
		made->headers[i] = (struct nvrtc_header){base_strdup(include_names[i]), base_strdup(headers[i])};
	made->ptx = base_strdup("");
	made->log = base_strdup("");
	*program = made;
	return NVRTC_SUCCESS;
}

static void forget_results(nvrtcProgram program)
{
	free(program->ptx);
	free(program->log);
	program->ptx = base_strdup("");
	program->log = base_strdup("");
	for (size_t i = 0; i < program->expression_count; i++) {
		free(program->expressions[i].lowered);
		program->expressions[i].lowered = NULL;
	}
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
	if (!program || !*program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	nvrtcProgram made = *program;
	forget_results(made);
	for (int i = 0; i < made->header_count; i++) {
		free(made->headers[i].name);
		free(made->headers[i].text);
	}
	for (size_t i = 0; i < made->expression_count; i++)
		free(made->expressions[i].text);
	free(made->headers);
	free(made->expressions);
	free(made->source);
	free(made->name);
	free(made->ptx);
	free(made->log);
	free(made);
	*program = NULL;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char *const *options)
{
	struct nvrtc_words words = {0};
	if (!program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (option_count < 0 || (option_count && !options))
		return NVRTC_ERROR_INVALID_INPUT;
	forget_results(program);
	program->is_compiled = true;
	program->is_for_machine = nvrtc_names_machine(option_count, options);
	int wrong = nvrtc_take_options(&words, option_count, options);
	nvrtcResult result = NVRTC_ERROR_INVALID_OPTION;
	if (wrong < 0) {
		nvrtc_add_source_folder(&words, program->name, option_count, options);
		result = nvrtc_compile(program, &words, nvrtc_defaults_to_device(option_count, options));
	} else {
		free(program->log);
		if (asprintf(&program->log, "sluice: unknown option '%s'\n", options[wrong]) < 0)
			abort();
	}
	nvrtc_words_free(&words);
	return result;
}

static nvrtcResult give_size(nvrtcProgram program, const char *text, size_t *size)
{
	if (!program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!size)
		return NVRTC_ERROR_INVALID_INPUT;
	*size = strlen(text) + 1;
	return NVRTC_SUCCESS;
}

static nvrtcResult give_text(nvrtcProgram program, const char *text, char *to)
{
	if (!program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!to)
		return NVRTC_ERROR_INVALID_INPUT;
	strcpy(to, text);
	return NVRTC_SUCCESS;
}

/* A program without successful compilation has no PTX. */
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
	return program && !*program->ptx ? NVRTC_ERROR_INVALID_PROGRAM
	                                 : give_size(program, program ? program->ptx : NULL, size);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
	return program && !*program->ptx ? NVRTC_ERROR_INVALID_PROGRAM
	                                 : give_text(program, program ? program->ptx : NULL, ptx);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
	return give_size(program, program ? program->log : NULL, size);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
	return give_text(program, program ? program->log : NULL, log);
}

/* ---- the substitute for machine code, a fat binary with PTX (cudart/fat_binary.h); real architectures only ---- */

enum { CONTAINER_HEADER = 16, ENTRY_HEADER = 64, KIND_PTX = 1, FAT_VERSION = 1 };

static void put_number(char *to, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (char)(value >> 8 * i);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
	nvrtcResult result = nvrtcGetPTXSize(program, size);
	if (result == NVRTC_SUCCESS)
		*size = program->is_for_machine ? *size + CONTAINER_HEADER + ENTRY_HEADER : 0;
	return result;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
	if (!program || !*program->ptx || !program->is_for_machine)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!cubin)
		return NVRTC_ERROR_INVALID_INPUT;
	const size_t bytes = strlen(program->ptx) + 1;
	const char *target = strstr(program->ptx, ".target sm_");
	memset(cubin, 0, CONTAINER_HEADER + ENTRY_HEADER);
	put_number(cubin, 0xBA55ED50, 4);
	put_number(cubin + 4, FAT_VERSION, 2);
	put_number(cubin + 6, CONTAINER_HEADER, 2);
	put_number(cubin + 8, ENTRY_HEADER + bytes, 8);
	char *entry = cubin + CONTAINER_HEADER;
	put_number(entry, KIND_PTX, 2);
	put_number(entry + 4, ENTRY_HEADER, 4);
	put_number(entry + 8, bytes, 8);
	put_number(entry + 28, target ? strtoul(target + sizeof ".target sm_" - 1, NULL, 10) : 0, 4);
	memcpy(entry + ENTRY_HEADER, program->ptx, bytes);
	return NVRTC_SUCCESS;
}

/* ---- unsupported formats ---- */

static nvrtcResult refuse(const char *call, const char *what)
{
	fprintf(stderr, "sluice: %s: there is no %s; nvrtcGetPTX() and nvrtcGetCUBIN() have the code\n", call, what);
	return NVRTC_ERROR_INVALID_PROGRAM;
}

#define REFUSED(name, what)                                                                                            \
	nvrtcResult name##Size(nvrtcProgram program, size_t *size)                                                     \
	{                                                                                                              \
		(void)program, (void)size;                                                                             \
		return refuse(#name "Size", what);                                                                     \
	}                                                                                                              \
	nvrtcResult name(nvrtcProgram program, char *code)                                                             \
	{                                                                                                              \
		(void)program, (void)code;                                                                             \
		return refuse(#name, what);                                                                            \
	}
REFUSED(nvrtcGetLTOIR, "code for linking with optimization")
REFUSED(nvrtcGetNVVM, "NVVM code")
REFUSED(nvrtcGetOptiXIR, "code for OptiX")

/* ---- names ---- */

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
	if (!program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!expression)
		return NVRTC_ERROR_INVALID_INPUT;
	if (program->is_compiled)
		return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
	size_t bytes = (program->expression_count + 1) * sizeof *program->expressions;
	program->expressions = base_realloc(program->expressions, bytes);
	program->expressions[program->expression_count++] = (struct nvrtc_expression){.text = base_strdup(expression)};
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name)
{
	if (!program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!expression || !name)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!*program->ptx)
		return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
	for (size_t i = 0; i < program->expression_count; i++)
		if (strcmp(program->expressions[i].text, expression) == 0 && program->expressions[i].lowered) {
			*name = program->expressions[i].lowered;
			return NVRTC_SUCCESS;
		}
	return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
