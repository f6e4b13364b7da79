/* simt_kit: runs PTX text functionally, for the tests of src/simt. */
#ifndef SLUICE_TESTS_SIMT_KIT_H
#define SLUICE_TESTS_SIMT_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/flow.h"
#include "simt/decode.h"
#include "simt/simt.h"

static inline uint32_t *kit_reconverge(struct arena *arena, const struct ptx_function *function)
{
	return flow_reconvergence(arena, flow_cfg_build(arena, function));
}

struct kit {
	struct diag diag;
	struct ptx_module *module;
	struct simt_program *program;
	struct simt_memory *memory;
	struct simt_launch launch;
	struct simt_run run;
	uint8_t params[256];
	uint32_t param_bytes;
};

/* Assigns addresses to the module's variables and writes their initial values. */
static inline void kit_load_variables(struct kit *kit)
{
	for (struct ptx_variable *v = kit->module->variables; v; v = v->next) {
		if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
			continue;
		v->address = simt_alloc_static(kit->memory, v->size, v->align);
		if (v->initial)
			memcpy(simt_host(kit->memory, v->address), v->initial, v->size);
		for (uint32_t k = 0; k < v->relocation_count; k++) {
			const struct ptx_relocation *r = &v->relocations[k];
			uint64_t value = r->function ? simt_function_address(r->function)
						     : r->symbol->address + (uint64_t)r->addend;
			memcpy((uint8_t *)simt_host(kit->memory, v->address) + r->offset, &value, r->size);
		}
	}
}

static bool kit_with_copies; /* for later texts: cp.async is not split into a load and a store */

/* Parses `text` and decodes its first kernel for an instruction-set level of the host (0: the best). */
static inline void kit_open_level(struct kit *kit, const char *text, unsigned level)
{
	const bool with_copies = kit_with_copies;
	*kit = (struct kit){0};
	kit->module = with_copies ? ptx_load_with_copies("test.ptx", text, strlen(text), &kit->diag)
				  : ptx_parse("test.ptx", text, strlen(text), &kit->diag);
	if (!kit->module)
		fail_msg("%s", kit->diag.text);
	kit->memory = simt_memory_open(0x80000000, 64 << 20, true);
	assert_non_null(kit->memory);
	kit_load_variables(kit);
	const struct ptx_function *kernel = kit->module->functions;
	while (!kernel->is_entry)
		kernel = kernel->next;
	kit->program = decode_for(kernel, kit_reconverge, exec_levels()[level], &kit->diag);
	if (!kit->program)
		fail_msg("%s", kit->diag.text);
	kit->launch = (struct simt_launch){.program = kit->program,
					   .memory = kit->memory,
					   .grid = {1, 1, 1},
					   .block = {32, 1, 1},
					   .params = kit->params,
					   .sm_count = 1};
}

static inline void kit_open(struct kit *kit, const char *text)
{
	kit_open_level(kit, text, 0);
}

static inline char *kit_read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	char *text = calloc(1, 1 << 20);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

/* Appends the next kernel parameter. */
static inline void kit_param(struct kit *kit, const void *value, uint32_t size)
{
	kit->param_bytes = (kit->param_bytes + size - 1) / size * size;
	memcpy(kit->params + kit->param_bytes, value, size);
	kit->param_bytes += size;
}

static inline void kit_param32(struct kit *kit, uint32_t value)
{
	kit_param(kit, &value, sizeof value);
}

/* Allocates a device buffer, which is also the next parameter. Returns its host address. */
static inline void *kit_buffer(struct kit *kit, uint64_t bytes)
{
	uint64_t address = simt_alloc(kit->memory, bytes);
	assert_true(address != 0);
	kit_param(kit, &address, sizeof address);
	return simt_host(kit->memory, address);
}

static inline void kit_run(struct kit *kit)
{
	simt_run(&kit->launch, 0, &kit->run);
	if (kit->run.fault.what) {
		char text[1024];
		simt_fault_print(&kit->launch, &kit->run.fault, text, sizeof text);
		fail_msg("%s", text);
	}
}

static inline void kit_close(struct kit *kit)
{
	simt_program_free(kit->program);
	simt_memory_close(kit->memory);
	ptx_free(kit->module);
	diag_free(&kit->diag);
}

/* A fixed sequence of test numbers. */
static inline uint64_t kit_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

#endif
