#include "simt/program.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct text {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(text->at, text->left, format, arguments);
	va_end(arguments);
	size_t written = length < 0 ? 0 : (size_t)length < text->left ? (size_t)length : text->left - 1;
	text->at += written;
	text->left -= written;
}

static void add_place(struct text *text, const struct simt_launch *launch, const struct ptx_inst *ptx)
{
	const struct ptx_module *module = launch->program->kernel->module;
	const char *file = ptx->source_line ? ptx_file_name(module, ptx->source_file) : NULL;
	add(text, "\n  at %s:%" PRIu32, module->source.name, ptx->place.line);
	if (file)
		add(text, " (%s:%" PRIu32 ")", file, ptx->source_line);
}

static void add_nearest(struct text *text, const struct simt_launch *launch, uint64_t address)
{
	const struct simt_allocation *near = simt_nearest(launch->memory, address);
	if (!near) {
		add(text, "\n  nothing is allocated");
		return;
	}
	add(text, "\n  nearest allocation: 0x%" PRIx64 ", %" PRIu64 " bytes, ", near->address, near->size);
	if (address < near->address)
		add(text, "begins %" PRIu64 " bytes behind the address", near->address - address);
	else if (address >= near->address + near->size)
		add(text, "ends %" PRIu64 " bytes before the address", address - (near->address + near->size));
	else
		add(text, "which holds the address");
}

void simt_fault_print(const struct simt_launch *launch, const struct simt_fault *fault, char *text, size_t size)
{
	struct text out = {text, size};
	if (size == 0)
		return;
	add(&out, "kernel '%s' stopped: %s", launch->program->kernel->name, fault->what);
	if (fault->inst && fault->inst->ptx)
		add_place(&out, launch, fault->inst->ptx);
	add(&out, "\n  block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")",
	    fault->block.x, fault->block.y, fault->block.z, fault->thread.x, fault->thread.y, fault->thread.z);
	if (fault->size == 0)
		return;
	add(&out, ", address 0x%" PRIx64 ", %" PRIu32 " bytes", fault->address, fault->size);
	if (fault->address >= SIMT_WINDOWS_END)
		add_nearest(&out, launch, fault->address);
}
