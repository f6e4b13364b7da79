/* The driver API: linking. Input and output are PTX; cuModuleLoadData() accepts the output. */
#include "cudart/driver.h"

#include "base/arena.h"
#include "base/file.h"
#include "cudart/fat_binary.h"
#include "ptx/linker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct CUlinkState_st {
	struct linker linker;
	struct arena texts; /* the inputs */
	char *result;
	char *log; /* the program's buffer for error messages; NULL: none */
	size_t log_left;
};

/* The last byte of the log buffer is a NUL. */
static void log_message(void *user, const char *text)
{
	struct CUlinkState_st *state = user;
	size_t length = strlen(text);
	runtime_message("cuLink: %s", text);
	if (!state->log || length + 2 > state->log_left)
		return;
	memcpy(state->log, text, length);
	memcpy(state->log + length, "\n", 2);
	state->log += length + 1;
	state->log_left -= length + 1;
}

CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *made)
{
	if (!made || (count && !(options && values)))
		return CUDA_ERROR_INVALID_VALUE;
	struct CUlinkState_st *state = base_calloc(1, sizeof *state);
	for (unsigned int i = 0; i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			state->log = values[i];
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			state->log_left = (size_t)(uintptr_t)values[i];
	}
	if (state->log && state->log_left)
		*state->log = '\0';
	linker_open(&state->linker, log_message, state);
	*made = state;
	return CUDA_SUCCESS;
}

static void add_text(CUlinkState state, const char *name, const char *text, size_t length)
{
	linker_add(&state->linker, arena_string(&state->texts, name, strlen(name)),
	           arena_string(&state->texts, text, length), length);
}

/* Adds the newest PTX in the fat binary. */
static CUresult add_fat_binary(CUlinkState state, const char *name, const char *data, size_t size)
{
	struct fat_code code;
	enum fat_result found = fat_find(data, size, 999, &code);
	if (found == FAT_PTX)
		add_text(state, name, code.text, code.length);
	free(code.owned);
	return found == FAT_PTX            ? CUDA_SUCCESS
	       : found == FAT_MACHINE_CODE ? CUDA_ERROR_NO_BINARY_FOR_GPU
	                                   : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult refuse_machine_code(const char *name)
{
	runtime_message("cuLinkAddData: %s is machine code, and Sluice runs PTX", name);
	return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                       unsigned int count, CUjit_option *options, void **values)
{
	(void)count, (void)options, (void)values;
	if (!state || !data || !size || state->result)
		return CUDA_ERROR_INVALID_VALUE;
	name = name ? name : "unnamed";
	switch (type) {
	case CU_JIT_INPUT_PTX:
		add_text(state, name, data, strnlen(data, size));
		return CUDA_SUCCESS;
	case CU_JIT_INPUT_FATBINARY:
	case CU_JIT_INPUT_CUBIN: /* the result of nvrtcGetCUBIN() contains PTX */
		if (type == CU_JIT_INPUT_FATBINARY || fat_container_bytes(data, size))
			return add_fat_binary(state, name, data, size);
		return refuse_machine_code(name);
	case CU_JIT_INPUT_LIBRARY: /* the only device library is libcudadevrt.a, which is empty */
		return CUDA_SUCCESS;
	default:
		return refuse_machine_code(name);
	}
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int count,
                       CUjit_option *options, void **values)
{
	size_t length;
	char *text = path ? file_read(path, &length) : NULL;
	if (!text) {
		runtime_message("cuLinkAddFile: cannot read %s: %s", path ? path : "NULL", file_reason());
		return CUDA_ERROR_FILE_NOT_FOUND;
	}
	CUresult result = cuLinkAddData(state, type, text, length, path, count, options, values);
	free(text);
	return result;
}

/* The state owns the text. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
	size_t length = 0;
	if (!state || !image || state->result)
		return CUDA_ERROR_INVALID_VALUE;
	FILE *file = open_memstream(&state->result, &length);
	if (!file)
		return CUDA_ERROR_OUT_OF_MEMORY;
	bool fine = linker_write(&state->linker, file);
	fclose(file);
	if (!fine)
		return CUDA_ERROR_INVALID_PTX;
	*image = state->result;
	if (size)
		*size = length + 1;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	if (!state)
		return CUDA_ERROR_INVALID_VALUE;
	linker_close(&state->linker);
	arena_free(&state->texts);
	free(state->result);
	free(state);
	return CUDA_SUCCESS;
}
