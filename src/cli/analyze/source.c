/* sluice analyze: lists the reads of kernels in CUDA source, and finds the PTX kernel of each source kernel. */
#include "cli/analyze/analyze.h"
#include "cli/commands.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MAX_ROWS = 4096 };

bool analyze_is_named(const char *arg, const char *name)
{
	size_t length = strlen(name);
	return strncmp(arg, name, length) == 0 && arg[length] == '=';
}

const char *analyze_plain_name(struct arena *arena, const char *mangled)
{
	const char *at = mangled, *name = NULL;
	size_t length = 0;
	if (strncmp(at, "_Z", 2) != 0)
		return mangled;
	at += 2;
	bool nested = *at == 'N'; /* if not nested, the first name is the function's, followed by its parameter types */
	at += nested;
	at += *at == 'L';
	while (isdigit((unsigned char)*at) && (nested || !name)) {
		char *behind;
		size_t size = strtoul(at, &behind, 10);
		if (size > strlen(behind))
			break;
		name = behind;
		length = size;
		at = behind + size;
	}
	return name ? arena_string(arena, name, length) : mangled;
}

/* The context of source_rows()'s queries by name. */
struct question {
	struct analyze *analyze;
	const struct source_kernel *kernel;
	const char *missing; /* the first argument that was not given */
};

static bool answer(void *context, const char *name, int64_t *value)
{
	struct question *question = context;
	struct analyze *analyze = question->analyze;
	for (size_t i = 0; i < analyze->args; i++) {
		const char *arg = analyze->arg[i], *text = strchr(arg, '=') + 1;
		char *end;
		uint64_t number = strtoull(arg, &end, 10);
		bool numbered = end != arg && *end == '=' && number < question->kernel->parameter_count &&
		                strcmp(question->kernel->parameters[number], name) == 0;
		if (!numbered && !analyze_is_named(arg, name))
			continue;
		analyze->used[i] = true;
		errno = 0;
		*value = strtoll(text, &end, 0);
		if (end != text && !*end && !errno)
			return true;
	}
	if (!question->missing)
		question->missing = arena_string(&analyze->arena, name, strlen(name));
	return false;
}

static const char *missing_text(struct analyze *analyze, const char *name)
{
	size_t size = strlen(name) + sizeof "no --arg =";
	char *text = arena_alloc(&analyze->arena, size);
	snprintf(text, size, "no --arg %s=", name);
	return text;
}

static struct affine_rows rows_of(struct analyze *analyze, const struct source_kernel *kernel,
                                  const struct source_index *index, bool *lacks_argument)
{
	static const char *const causes[SOURCE_STATUSES] = {
		[SOURCE_OPERATOR] = "depends on an operation other than + - *",
		[SOURCE_INDIRECT] = "depends on a value read from memory",
		[SOURCE_CONTROL] = "depends on a branch",
		[SOURCE_INDUCTION] = "a loop's induction variable has no bounds known at launch",
	};
	struct question question = {analyze, kernel, NULL};
	struct source_launch launch = {.gap = analyze->launch.gap, .argument = answer, .context = &question};
	struct affine_rows rows = {.why = causes[index->relaxed]};
	uint32_t most = analyze->launch.max_rows ? analyze->launch.max_rows : DEFAULT_MAX_ROWS, count;
	if (rows.why)
		return rows;
	for (uint32_t i = 0; i < 3; i++) {
		launch.grid[i] = analyze->launch.grid[i];
		launch.block[i] = analyze->launch.block[i];
	}
	bool known = source_rows(kernel, index, &launch, NULL, 0, &count);
	if (known && count > most) {
		rows.is_hull = true;
		launch.gap = INT64_MAX;
		known = source_rows(kernel, index, &launch, NULL, 0, &count);
	}
	*lacks_argument = !known && question.missing;
	if (!known) {
		rows.why = question.missing ? missing_text(analyze, question.missing)
		           : index->affine  ? "an index may wrap around its type"
		                            : "not affine: a product of two indexes";
		return rows;
	}
	struct source_row *found = arena_array(&analyze->arena, count, sizeof *found);
	source_rows(kernel, index, &launch, found, count, &count);
	rows.row = arena_array(&analyze->arena, count, sizeof *rows.row);
	rows.count = count;
	for (uint32_t i = 0; i < count; i++) {
		rows.row[i] = (struct affine_row){.low = found[i].least, .high = found[i].most};
		memcpy(rows.row[i].ctaid, found[i].stride, sizeof rows.row[i].ctaid);
	}
	return rows;
}

static void fill_index(struct analyze *analyze, const struct source_kernel *kernel, const struct source_index *from,
                       struct index *to)
{
	static const enum affine_status statuses[SOURCE_STATUSES] = {
		[SOURCE_STATIC] = AFFINE_STATIC,     [SOURCE_QUASI_STATIC] = AFFINE_QUASI_STATIC,
		[SOURCE_OPERATOR] = AFFINE_OPERATOR, [SOURCE_INDIRECT] = AFFINE_INDIRECT,
		[SOURCE_CONTROL] = AFFINE_CONTROL,   [SOURCE_INDUCTION] = AFFINE_INDUCTION,
	};
	const struct source_array *array = &kernel->arrays[from->array];
	*to = (struct index){
		.array = array->name,
		.is_member =
			from->size > 0 &&
					from->size<array->element_size, .file = from->file, .line = from->line,
	                                           .expression = from->text, .expanded = from->expanded,
	                                           .status = statuses[from->status], .relaxed = statuses[from->relaxed],
	                                           .bytes = (uint32_t)from->size, .unit = array->element_size> 0
				? array->element_size
			: from->size > 0 ? from->size
					 : 1,
		.last = from->size > 0 ? from->size : 1,
		.rows = {.why = "no launch given"},
	};
	if (analyze->launched)
		to->rows = rows_of(analyze, kernel, from, &to->lacks_argument);
}

/* True for "grid.width=3" when the parameter is "grid". */
static bool is_member(const char *arg, const char *parameter)
{
	size_t length = strlen(parameter);
	return length && strncmp(arg, parameter, length) == 0 && arg[length] == '.';
}

static struct listing *list_kernel(struct analyze *analyze, const struct source_kernel *kernel)
{
	struct listing *listing = arena_alloc(&analyze->arena, sizeof *listing);
	*listing = (struct listing){.name = kernel->name,
	                            .file = kernel->file,
	                            .line = kernel->line,
	                            .is_source = true,
	                            .arrays = kernel->array_count,
	                            .indexes = kernel->index_count,
	                            .source = kernel};
	listing->index = arena_array(&analyze->arena, kernel->index_count, sizeof *listing->index);
	for (uint32_t i = 0; i < kernel->index_count; i++)
		fill_index(analyze, kernel, &kernel->indexes[i], &listing->index[i]);
	for (uint32_t p = 0; p < kernel->parameter_count; p++)
		for (size_t i = 0; i < analyze->args; i++) {
			char digits[16];
			snprintf(digits, sizeof digits, "%u", p);
			analyze->used[i] |= analyze_is_named(analyze->arg[i], digits) ||
			                    analyze_is_named(analyze->arg[i], kernel->parameters[p]) ||
			                    is_member(analyze->arg[i], kernel->parameters[p]);
		}
	return listing;
}

void analyze_read_source(struct analyze *analyze, const struct source_module *module, struct listings *to)
{
	const char *wanted = analyze->kernel ? analyze_plain_name(&analyze->arena, analyze->kernel) : NULL;
	to->list = arena_array(&analyze->arena, module->kernel_count, sizeof(struct listing *));
	for (uint32_t i = 0; i < module->kernel_count; i++)
		if (!wanted || strcmp(wanted, module->kernels[i].name) == 0)
			to->list[to->count++] = list_kernel(analyze, &module->kernels[i]);
}

/* True when at least one instruction comes from a line of the kernel's body. */
static bool has_lines_in(const struct ptx_function *function, const struct source_kernel *kernel)
{
	for (uint32_t i = 0; i < function->body_count; i++)
		if (function->body[i].source_line >= kernel->body_first &&
		    function->body[i].source_line <= kernel->body_last)
			return true;
	return false;
}

const struct listing *analyze_find_source(struct arena *arena, const struct listings *sources,
                                          const struct ptx_function *function)
{
	const char *name = analyze_plain_name(arena, function->name);
	const struct listing *found = NULL;
	for (uint32_t i = 0; i < sources->count; i++) {
		const struct listing *source = sources->list[i];
		bool overloads = found; /* overloads are distinguished by the lines of their code */
		if (strcmp(source->name, name) == 0 && (!overloads || has_lines_in(function, source->source)))
			found = source;
	}
	return found;
}
