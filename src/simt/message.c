#include "simt/checks.h"
#include "simt/message.h"

#include "simt/program.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void message_add(struct message *message, const char *format, ...)
{
	va_list arguments;
	if (message->left == 0)
		return;
	va_start(arguments, format);
	int length = vsnprintf(message->at, message->left, format, arguments);
	va_end(arguments);
	size_t written = length < 0 ? 0 : (size_t)length < message->left ? (size_t)length : message->left - 1;
	message->at += written;
	message->left -= written;
}

/* Returns the last instruction up to this one, in its function, for which the compiler has recorded a source line;
 * or NULL. Compilers record no line for the loops into which they expand memcpy, memset and structure assignments.
 * The branch into such a loop has the line. */
static const struct ptx_inst *last_with_line(const struct ptx_module *module, const struct ptx_inst *inst)
{
	const struct ptx_function *function = module->functions;
	while (function && !(inst >= function->body && inst < function->body + function->body_count))
		function = function->next;
	if (!function)
		return NULL;
	while (inst->source_line == 0 && inst > function->body)
		inst--;
	return inst->source_line ? inst : NULL;
}

void message_place(struct message *message, const struct simt_launch *launch, const struct ptx_inst *ptx)
{
	const struct ptx_module *module = launch->program->kernel->module;
	const struct ptx_inst *known = last_with_line(module, ptx);
	const char *file = known ? ptx_file_name(module, known->source_file) : NULL;
	message_add(message, "%s:%" PRIu32, module->source.name, ptx->place.line);
	if (file)
		message_add(message, " (%s%s:%" PRIu32 ")", known == ptx ? "" : "near ", file, known->source_line);
}

void message_dim(struct message *message, struct dim3 dim)
{
	message_add(message, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", dim.x, dim.y, dim.z);
}

/* Addresses of a memory wrap around. Programs often compute shared and local addresses with 32 bits, where a small
 * negative index gives an address near the upper end. */
static uint64_t round_of(enum ptx_space space, uint64_t address)
{
	bool is_narrow = space == PTX_SHARED || space == PTX_LOCAL;
	return is_narrow && address <= UINT32_MAX ? UINT32_MAX : UINT64_MAX;
}

struct gap simt_gap(enum ptx_space space, uint64_t begin, uint64_t end, uint64_t address)
{
	uint64_t mask = round_of(space, address), below = (begin - address) & mask, above = (address - end) & mask;
	if (address >= begin && address < end)
		return (struct gap){GAP_NONE, 0};
	return above <= below ? (struct gap){GAP_ABOVE, above} : (struct gap){GAP_BELOW, below};
}

void message_gap(struct message *message, struct gap gap)
{
	if (gap.side == GAP_BELOW)
		message_add(message, "begins %" PRIu64 " bytes after the address", gap.bytes);
	else if (gap.side == GAP_ABOVE)
		message_add(message, "ends %" PRIu64 " bytes before the address", gap.bytes);
	else
		message_add(message, "which holds the address");
}

void message_nearest_allocation(struct message *message, const struct simt_launch *launch, uint64_t address)
{
	const struct simt_allocation *near = simt_nearest(launch->memory, address);
	if (!near) {
		message_add(message, "\n  nothing is allocated");
		return;
	}
	uint64_t begin = simt_named(launch->memory, near->address);
	message_add(message, "\n  nearest allocation: 0x%" PRIx64 ", %" PRIu64 " bytes%s, ", begin, near->size,
	            near->owner == SIMT_SHARE ? " of host memory" : "");
	message_gap(message, simt_gap(PTX_GLOBAL, begin, begin + near->size, address));
}

/* --- variables --- */

uint64_t simt_variable_end(const struct simt_launch *launch, const struct simt_variable *variable)
{
	return variable->size ? (uint64_t)variable->offset + variable->size
	                      : (uint64_t)launch->program->shared_bytes + launch->dynamic_shared_bytes;
}

/* Returns the distance; 0 when the variable holds the address. */
static uint64_t distance(const struct simt_launch *launch, const struct simt_variable *variable, uint64_t address)
{
	struct gap gap = simt_gap(variable->space, variable->offset, simt_variable_end(launch, variable), address);
	return gap.side == GAP_ABOVE ? gap.bytes + 1 : gap.bytes;
}

static const struct simt_variable *nearest(const struct simt_launch *launch, enum ptx_space space, uint64_t address)
{
	const struct simt_variable *best = NULL;
	for (uint32_t k = 0; k < launch->program->variable_count; k++) {
		const struct simt_variable *variable = &launch->program->variables[k];
		if (variable->space == space &&
		    (!best || distance(launch, variable, address) < distance(launch, best, address)))
			best = variable;
	}
	return best;
}

/* Appends a variable's source name. The compiler's name of a variable inside a function, _ZZ...E4tile or
 * _ZZ...E4tile_0, ends with it. Other names are unchanged. */
void message_name(struct message *message, const char *name)
{
	const char *own = NULL;
	int length = 0;
	for (const char *at = name; strncmp(name, "_ZZ", 3) == 0 && (at = strchr(at, 'E')); at++) {
		char *rest;
		if (!isdigit((unsigned char)at[1]))
			continue;
		unsigned long size = strtoul(at + 1, &rest, 10);
		if (size <= strlen(rest) && (rest[size] == '\0' || rest[size] == '_')) {
			own = rest;
			length = (int)size;
		}
	}
	message_add(message, "'%.*s'", own ? length : (int)strlen(name), own ? own : name);
}

void message_nearest_variable(struct message *message, const struct simt_launch *launch, enum ptx_space space,
                              uint64_t address)
{
	const struct simt_program *program = launch->program;
	uint64_t bytes = space == PTX_SHARED ? (uint64_t)program->shared_bytes + launch->dynamic_shared_bytes
	                                     : program->local_bytes;
	message_add(message, "\n  the %s has %" PRIu64 " bytes", space == PTX_SHARED ? "block" : "thread", bytes);
	const struct simt_variable *near = nearest(launch, space, address);
	if (!near)
		return;
	uint64_t end = simt_variable_end(launch, near);
	message_add(message, "; nearest variable: ");
	message_name(message, near->name);
	message_add(message, ", 0x%" PRIx32 ", %" PRIu64 " bytes, ", near->offset, end - near->offset);
	message_gap(message, simt_gap(space, near->offset, end, address));
}

void message_variable(struct message *message, const struct simt_launch *launch, enum ptx_space space, uint64_t offset)
{
	const struct simt_variable *variable = nearest(launch, space, offset);
	if (!variable || distance(launch, variable, offset))
		return;
	message_add(message, ", ");
	message_name(message, variable->name);
	message_add(message, " + %" PRIu64, offset - variable->offset);
}

struct dim3 simt_thread(const struct simt_launch *launch, uint32_t warp, unsigned lane)
{
	uint32_t number = warp * WARP_SIZE + lane;
	struct dim3 size = launch->block;
	return (struct dim3){number % size.x, number / size.x % size.y, number / size.x / size.y};
}
