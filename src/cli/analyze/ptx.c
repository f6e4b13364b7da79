/* sluice analyze: the global loads of PTX kernels. */
#include "cli/analyze/analyze.h"
#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_POINTER = 0x10000000 };

static bool parse_value(enum ptx_type type, const char *text, uint8_t *bytes)
{
	char *end;
	errno = 0;
	if (type == PTX_F32 || type == PTX_F64) {
		double value = strtod(text, &end);
		float single = (float)value;
		memcpy(bytes, type == PTX_F64 ? (const void *)&value : (const void *)&single, ptx_type_bytes(type));
		return end != text && !*end;
	}
	uint64_t value = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	uint32_t bits = 8 * ptx_type_bytes(type);
	bool fits = bits >= 64 || value >> bits == 0 || (int64_t)value >= -(INT64_C(1) << (bits - 1));
	fits = fits && (*text == '-' || bits >= 64 || value >> bits == 0);
	memcpy(bytes, &value, bits / 8);
	return end != text && !*end && !errno && fits;
}

/* True when the argument names the parameter: by its PTX name, with or without the kernel's name, by its source name,
 * or by its number from 0. */
static bool is_parameter(const struct listing *kernel, const struct listing *source, const struct ptx_variable *param,
                         uint32_t number, const char *arg)
{
	char digits[16];
	snprintf(digits, sizeof digits, "%u", number);
	bool in_source = source && number < source->source->parameter_count;
	return analyze_is_named(arg, param->name) || analyze_is_named(arg, digits) ||
	       analyze_is_named(arg, affine_short_name(kernel->function, param->name)) ||
	       (in_source && analyze_is_named(arg, source->source->parameters[number]));
}

/* Fills in the given arguments. Pointers without a value get addresses far from each other. Returns false after a
 * message. */
static bool set_arguments(struct analyze *analyze, const struct listing *kernel, const struct listing *source,
                          uint8_t *params, bool *known)
{
	uint32_t number = 0;
	for (const struct ptx_variable *param = kernel->function->params; param; param = param->next, number++) {
		if (param->type == PTX_U64 && !param->dimensions) {
			uint64_t place = FIRST_POINTER * (uint64_t)(number + 1) * 256;
			memcpy(params + param->offset, &place, sizeof place);
			memset(known + param->offset, true, sizeof place);
		}
		for (size_t i = 0; i < analyze->args; i++) {
			const char *arg = analyze->arg[i], *value = strchr(arg, '=') + 1;
			if (!is_parameter(kernel, source, param, number, arg))
				continue;
			analyze->used[i] = true;
			if (param->dimensions || ptx_type_bytes(param->type) > 8 ||
			    !parse_value(param->type, value, params + param->offset)) {
				cli_error(analyze->name, "--arg %s: '%s' is not a value of type %s", arg, value,
				          param->dimensions ? "struct" : ptx_type_name(param->type));
				return false;
			}
			memset(known + param->offset, true, ptx_type_bytes(param->type));
		}
	}
	return true;
}

/* Returns the name of the load's array. Several pointers in one parameter are distinguished by their offsets. */
static const char *array_name(struct analyze *analyze, const struct affine_kernel *kernel, const struct listing *source,
                              const struct affine_load *load)
{
	const char *name = affine_array_name(kernel, load);
	uint32_t number = 0;
	if (!load->is_parameter)
		return name;
	for (const struct ptx_variable *param = kernel->function->params; param != load->array; param = param->next)
		number++;
	if (source && number < source->source->parameter_count)
		name = source->source->parameters[number];
	if (!load->array->dimensions)
		return name;
	size_t size = strlen(name) + 24;
	char *room = arena_alloc(&analyze->arena, size);
	snprintf(room, size, "%s.%" PRIu64, name, load->array_offset);
	return room;
}

/* Replaces the parameters' PTX names in the text by their source names. */
static const char *with_names(struct analyze *analyze, const struct ptx_function *function,
                              const struct listing *source, const char *text)
{
	char *named = NULL;
	size_t length;
	FILE *out = source ? open_memstream(&named, &length) : NULL;
	if (!out)
		return text;
	for (const char *at = text; *at;) {
		size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.%");
		const char *name = NULL;
		uint32_t number = 0;
		for (const struct ptx_variable *param = function->params; param && word;
		     param = param->next, number++) {
			const char *own = affine_short_name(function, param->name);
			if (strlen(own) == word && strncmp(at, own, word) == 0 &&
			    number < source->source->parameter_count)
				name = source->source->parameters[number];
		}
		word += word == 0;
		fprintf(out, "%.*s", (int)(name ? strlen(name) : word), name ? name : at);
		at += word;
	}
	fclose(out);
	text = arena_string(&analyze->arena, named, length);
	free(named);
	return text;
}

static void fill_index(struct analyze *analyze, const struct affine_kernel *kernel, const struct listing *source,
                       const struct affine_load *load, const struct affine_launch *launch, struct index *index)
{
	const struct ptx_function *function = kernel->function;
	*index = (struct index){
		.array = array_name(analyze, kernel, source, load),
		.is_variable = load->array && !load->is_parameter,
		.file = ptx_file_name(function->module, load->source_file),
		.line = load->source_line,
		.ptx_line = function->body[load->inst].place.line,
		.expression = with_names(analyze, function, source, load->expression),
		.status = load->status,
		.relaxed = load->relaxed,
		.bytes = load->bytes,
		.unit = load->element_bytes,
		.last = load->element_bytes,
		.rows = {.why = "no launch given"},
	};
	if (launch) {
		struct affine_launch all = *launch;
		all.all_threads = true;
		index->rows = affine_footprint(&analyze->arena, kernel, load, launch);
		index->all_rows = affine_footprint(&analyze->arena, kernel, load, &all);
	}
	index->lacks_argument = index->rows.why && strcmp(index->rows.why, AFFINE_NO_ARGUMENT) == 0;
}

static bool fill(struct analyze *analyze, const struct listing *source, struct listing *listing)
{
	const struct ptx_function *function = listing->function;
	struct affine_launch launch = analyze->launch;
	uint8_t *params = arena_alloc(&analyze->arena, function->param_bytes + 8);
	bool *known = arena_alloc(&analyze->arena, function->param_bytes + 8);
	if (!set_arguments(analyze, listing, source, params, known))
		return false;
	launch.params = params;
	launch.known = known;
	const struct affine_kernel *kernel = affine_analyze(&analyze->arena, function);
	listing->arrays = kernel->arrays;
	listing->calls = kernel->calls;
	listing->indexes = kernel->loads;
	listing->index = arena_array(&analyze->arena, kernel->loads, sizeof *listing->index);
	for (uint32_t i = 0; i < kernel->loads; i++)
		fill_index(analyze, kernel, source, &kernel->load[i], analyze->launched ? &launch : NULL,
		           &listing->index[i]);
	if (analyze->launched)
		listing->together = affine_footprints(&analyze->arena, kernel, &launch);
	return true;
}

/* True when the kernel was requested, by its PTX name or its source name. */
static bool is_wanted(struct analyze *analyze, const struct ptx_function *function)
{
	if (!function->is_entry || !function->has_body)
		return false;
	return !analyze->kernel || strcmp(analyze->kernel, function->name) == 0 ||
	       strcmp(analyze->kernel, analyze_plain_name(&analyze->arena, function->name)) == 0;
}

bool analyze_read_ptx(struct analyze *analyze, const struct ptx_module *module, const struct listings *sources,
                      struct listings *to)
{
	uint32_t count = 0;
	for (const struct ptx_function *function = module->functions; function; function = function->next)
		count += is_wanted(analyze, function);
	to->list = arena_array(&analyze->arena, count, sizeof(struct listing *));
	for (const struct ptx_function *function = module->functions; function; function = function->next) {
		if (!is_wanted(analyze, function))
			continue;
		struct listing *listing = arena_alloc(&analyze->arena, sizeof *listing);
		*listing = (struct listing){.name = function->name, .function = function};
		to->list[to->count++] = listing;
		if (!fill(analyze, analyze_find_source(&analyze->arena, sources, function), listing))
			return false;
	}
	return true;
}
