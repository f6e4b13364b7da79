/* Finds and loads the device code of a binary. */
#include "cudart/fat_binary.h"
#include "cudart/host_memory.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* The bytes from an address to the end of the loaded segment that contains it. */
struct extent {
	uintptr_t address;
	size_t bytes;
};

static int find_extent(struct dl_phdr_info *object, size_t size, void *user)
{
	struct extent *extent = user;
	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + segment->p_vaddr;
		if (segment->p_type != PT_LOAD || extent->address < start ||
		    extent->address >= start + segment->p_filesz)
			continue;
		extent->bytes = start + segment->p_filesz - extent->address;
		return 1;
	}
	return 0;
}

/* Returns the number of readable bytes at an address. They end with the file's segment. Code that the program has
 * placed elsewhere ends where its own length field says. */
static size_t room_at(const char *data)
{
	struct extent extent = {.address = (uintptr_t)data};
	dl_iterate_phdr(find_extent, &extent);
	return extent.bytes ? extent.bytes : PTRDIFF_MAX;
}

/* PTX text ends with a NUL, or at the end of its segment in the file. */
static enum fat_result find_code(const char *data, unsigned newest, struct fat_code *code)
{
	size_t room = room_at(data);
	if (fat_container_bytes(data, room))
		return fat_find(data, room, newest, code);
	bool is_text = *data == '/' || *data == '.' || (*data > 0 && *data <= ' ');
	*code = (struct fat_code){.text = data, .length = is_text ? strnlen(data, room) : 0};
	return is_text ? FAT_PTX : FAT_BROKEN;
}

static cudaError_t refuse(enum fat_result result, const struct fat_code *code)
{
	static const char call[] = "loading the program's device code";
	if (result == FAT_MACHINE_CODE)
		return runtime_refuse(call, cudaErrorNoKernelImageForDevice,
		                      "it has only machine code for sm_%u, but Sluice runs PTX; compile with -gencode "
		                      "arch=compute_%u,code=compute_%u, or with the nvcc of 'sluice toolkit'",
		                      code->architecture, code->architecture, code->architecture);
	if (result == FAT_EMPTY)
		return runtime_refuse(call, cudaErrorNoKernelImageForDevice,
		                      "it has no code; what NVIDIA's nvcc compiles with -rdc=true cannot be linked "
		                      "here: compile with the nvcc of 'sluice toolkit'");
	return runtime_refuse(call, cudaErrorInvalidKernelImage,
	                      "it is truncated, or of a kind that Sluice does not "
	                      "know");
}

cudaError_t runtime_load_code(struct runtime *runtime, const char *data, const struct sluice_host_variable *variables,
                              sluice_module **module)
{
	struct sluice_machine_info machine = {SLUICE_SIZED(machine_info)};
	struct sluice_error error = {0};
	struct fat_code code;
	sluice_machine_info(runtime->gpu, &machine);
	enum fat_result found = find_code(data, machine.major * 10 + machine.minor, &code);
	cudaError_t result = found == FAT_PTX ? cudaSuccess : refuse(found, &code);
	if (found == FAT_PTX && sluice_load_with(runtime->gpu, code.text, code.length, "device code", variables, module,
	                                         &error) != SLUICE_OK)
		result = runtime_report(runtime, "loading the program's device code", &error);
	free(code.owned);
	return result;
}

cudaError_t runtime_load(struct runtime *runtime, struct binary *binary)
{
	if (binary->module || binary->error != cudaSuccess)
		return binary->error;
	struct sluice_host_variable *variables = managed_place(runtime, binary);
	binary->error = variables ? cudaErrorInvalidKernelImage : cudaErrorMemoryAllocation;
	if (variables && binary->data)
		binary->error = runtime_load_code(runtime, binary->data, variables, &binary->module);
	if (binary->error == cudaSuccess)
		managed_keep(runtime, binary);
	free(variables);
	runtime->failed |= binary->error != cudaSuccess;
	return binary->error;
}
