/* edit_names: creates names for new symbols of a function. */
#include "flow/edit_private.h"

#include <stdio.h>
#include <string.h>

/* Returns true when a name begins with the stem after a front. */
static bool takes(const char *name, const char *stem)
{
	static const char *const fronts[] = {"%", "$", "__"};
	for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
		size_t length = strlen(fronts[i]);
		if (strncmp(name, fronts[i], length) == 0 && strncmp(name + length, stem, strlen(stem)) == 0)
			return true;
	}
	return false;
}

static bool variables_take(const struct ptx_variable *variable, const char *stem)
{
	for (; variable; variable = variable->next)
		if (takes(variable->name, stem))
			return true;
	return false;
}

static bool functions_take(const struct ptx_function *function, const char *stem)
{
	for (; function; function = function->next)
		if (takes(function->name, stem))
			return true;
	return false;
}

static bool params_take(const struct ptx_variable *params, uint32_t count, const char *stem)
{
	for (uint32_t i = 0; i < count; i++)
		if (takes(params[i].name, stem))
			return true;
	return false;
}

static bool is_taken(const struct ptx_function *function, const char *stem)
{
	for (uint32_t i = 0; i < function->reg_count; i++)
		if (takes(function->regs[i].name, stem))
			return true;
	for (const struct ptx_label *label = function->labels; label; label = label->next)
		if (takes(label->name, stem))
			return true;
	return variables_take(function->locals, stem) || variables_take(function->module->variables, stem) ||
	       functions_take(function->prototypes, stem) || functions_take(function->module->functions, stem) ||
	       params_take(function->params, function->param_count, stem) ||
	       params_take(function->results, function->result_count, stem);
}

const char *edit_fresh_stem(struct arena *arena, const struct ptx_function *function, const char *stem)
{
	while (is_taken(function, stem)) {
		size_t length = strlen(stem);
		char *longer = arena_alloc(arena, length + 2);
		memcpy(longer, stem, length);
		longer[length] = '_';
		stem = longer;
	}
	return stem;
}

const char *edit_name(struct arena *arena, const char *front, const char *stem, uint32_t number)
{
	size_t size = strlen(front) + strlen(stem) + sizeof "4294967295";
	char *name = arena_alloc(arena, size);
	snprintf(name, size, "%s%s%u", front, stem, number);
	return name;
}
