#include "cli/launch_plan/arguments.h"

#include "base/arena.h"
#include "cli/kernel_ptx.h"
#include "cli/launch_plan/elements.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define launch_error(plan, planned, key, ...)                                                                          \
	launch_plan_error(plan, &(planned)->keys, key, (planned)->place, __VA_ARGS__)

/* Returns the PTX's only kernel. NULL: it has none, or several. */
static const struct ptx_function *only_kernel(const struct ptx_module *ptx)
{
	const struct ptx_function *only = NULL;
	for (const struct ptx_function *function = ptx->functions; function; function = function->next) {
		if (!function->is_entry || !function->has_body)
			continue;
		if (only)
			return NULL;
		only = function;
	}
	return only;
}

/* Reads one to three numbers; the missing ones are 1. */
static bool read_shape(struct launch_plan *plan, const struct plan_launch *planned, const char *key,
                       const struct words *words, uint32_t shape[3])
{
	bool fine = words->count <= 3;
	for (size_t i = 0; i < 3; i++) {
		shape[i] = 1;
		if (fine && i < words->count)
			fine = element_parse(ELEMENT_U32, words->word[i], &shape[i]) && shape[i];
	}
	return fine || launch_error(plan, planned, key, "%s: expected one to three numbers from 1 on", key);
}

static bool read_shapes(struct launch_plan *plan, const struct plan_launch *planned, struct launch_arguments *launch)
{
	const uint32_t *required = launch->kernel->required_threads;
	if (!planned->grid.count)
		return launch_error(plan, planned, "grid", "grid: expected the number of blocks, as in [64] or [8, 8]");
	if (!planned->block.count && !required[0])
		return launch_error(plan, planned, "block",
		                    "block: expected the number of threads, because %s has no .reqntid",
		                    launch->kernel->name);
	if (planned->shared > UINT32_MAX / 2)
		return launch_error(plan, planned, "shared", "shared: expected a number of bytes below 2^31");
	bool fine = read_shape(plan, planned, "grid", &planned->grid, launch->grid) &&
	            read_shape(plan, planned, "block", &planned->block, launch->block) &&
	            read_shape(plan, planned, "cluster", &planned->cluster, launch->cluster);
	for (size_t i = 0; i < 3 && !planned->block.count; i++)
		launch->block[i] = required[i] ? required[i] : 1;
	return fine;
}

/* Returns the element type of a parameter's value. A type of bits takes an integer, or a float if the text has a point
 * or an exponent. ELEMENT_COUNT: a plan cannot give such a value. */
static enum element parameter_type(const struct ptx_variable *parameter, const char *text)
{
	const char *name = ptx_type_name(parameter->type);
	bool looks_float = strncmp(text, "0x", 2) != 0 && strpbrk(text, ".eE");
	char as_number[8];
	if (parameter->vector != 1 || parameter->dimensions)
		return ELEMENT_COUNT;
	if (name[0] != 'b')
		snprintf(as_number, sizeof as_number, "%s%s",
		         name[0] == 's'   ? "i"
		         : name[0] == 'u' ? "u"
		                          : "f",
		         name + 1);
	else
		snprintf(as_number, sizeof as_number, "%s%s", looks_float ? "f" : "u", name + 1);
	if (name[0] == 'b' && !looks_float && text[0] == '-')
		as_number[0] = 'i';
	return element_named(as_number);
}

static bool read_argument(struct launch_plan *plan, const struct plan_launch *planned, size_t index,
                          const struct ptx_variable *parameter, const uint64_t *addresses, uint64_t *value)
{
	const char *text = planned->arguments.word[index];
	for (size_t t = 0; t < plan->tensor_count; t++) {
		if (strcmp(plan->tensors[t].name, text) != 0)
			continue;
		*value = addresses[t];
		return (parameter->size == 8 && !parameter->dimensions) ||
		       launch_error(plan, planned, "arguments",
		                    "arguments: number %zu is the tensor %s, but the parameter %s has %" PRIu64
		                    " bytes",
		                    index + 1, text, parameter->name, parameter->size);
	}
	if (strcmp(text, "null") == 0)
		return true;
	enum element type = parameter_type(parameter, text);
	if (type == ELEMENT_COUNT)
		return launch_error(plan, planned, "arguments",
		                    "arguments: number %zu: the parameter %s is .%s with %" PRIu64
		                    " bytes, which takes only null (all bytes 0)",
		                    index + 1, parameter->name, ptx_type_name(parameter->type), parameter->size);
	return element_parse(type, text, value) ||
	       launch_error(
		       plan, planned, "arguments",
		       "arguments: number %zu, '%s', is neither a tensor nor a number for the parameter %s of type .%s",
		       index + 1, text, parameter->name, ptx_type_name(parameter->type));
}

static bool read_arguments(struct launch_plan *plan, const struct plan_launch *planned, const uint64_t *addresses,
                           struct launch_arguments *launch)
{
	const struct ptx_function *kernel = launch->kernel;
	if (planned->arguments.count != kernel->param_count)
		return launch_error(plan, planned, "arguments", "arguments: %s has %u parameters, but %zu are given%s",
		                    kernel->name, kernel->param_count, planned->arguments.count,
		                    planned->arguments.count < kernel->param_count
		                            ? "; null fills pointers that a compiler has added at the end"
		                            : "");
	size_t index = 0, words = 1;
	for (const struct ptx_variable *parameter = kernel->params; parameter; parameter = parameter->next)
		words += parameter->size / 8 + 1;
	launch->parameters = base_calloc(kernel->param_count + 1, sizeof *launch->parameters);
	launch->values = base_calloc(words, sizeof *launch->values);
	uint64_t *value = launch->values;
	bool fine = true;
	for (const struct ptx_variable *parameter = kernel->params; parameter; parameter = parameter->next, index++) {
		launch->parameters[index] = value;
		fine = read_argument(plan, planned, index, parameter, addresses, value) && fine;
		value += parameter->size / 8 + 1;
	}
	return fine;
}

bool launch_arguments_make(struct launch_plan *plan, const struct plan_launch *planned, const struct ptx_module *ptx,
                           const uint64_t *addresses, struct launch_arguments *launch)
{
	*launch = (struct launch_arguments){.kernel = planned->kernel ? cli_find_kernel(ptx, planned->kernel)
	                                                              : only_kernel(ptx)};
	if (!launch->kernel)
		return planned->kernel
		               ? launch_error(plan, planned, "kernel", "kernel: %s has no kernel '%s'",
		                              ptx->source.name, planned->kernel)
		               : launch_error(plan, planned, "kernel", "kernel: %s has no kernel or several; name one",
		                              ptx->source.name);
	if (read_shapes(plan, planned, launch) && read_arguments(plan, planned, addresses, launch))
		return true;
	launch_arguments_free(launch);
	return false;
}

void launch_arguments_free(struct launch_arguments *launch)
{
	free(launch->parameters);
	free(launch->values);
}
