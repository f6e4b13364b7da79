#include "cli/launch_plan/plan.h"

#include "base/file.h"
#include "cli/commands.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_tensors(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"", NULL, offsetof(struct plan_tensor, keys)},
		{"file", document_read_text, offsetof(struct plan_tensor, file)},
		{"type", document_read_text, offsetof(struct plan_tensor, type)},
		{"shape", document_read_list, offsetof(struct plan_tensor, shape)},
		{"fill", document_read_text, offsetof(struct plan_tensor, fill)},
		{"seed", document_read_number, offsetof(struct plan_tensor, seed)},
		{"expect", document_read_text, offsetof(struct plan_tensor, expect)},
		{"relative", document_read_real, offsetof(struct plan_tensor, relative)},
		{"absolute", document_read_real, offsetof(struct plan_tensor, absolute)},
		{"write", document_read_text, offsetof(struct plan_tensor, write)},
		{0},
	};
	static const struct plan_tensor blank = {.seed = 1, .relative = NAN, .absolute = NAN};
	struct launch_plan *plan = into;
	plan->tensors = document_read_named(document, key, value, keys, &blank, sizeof blank,
	                                    offsetof(struct plan_tensor, place), &plan->tensor_count);
}

static void read_launches(struct document *document, const char *key, const yaml_node_t *value, void *into)
{
	static const struct document_key keys[] = {
		{"", NULL, offsetof(struct plan_launch, keys)},
		{"kernel", document_read_text, offsetof(struct plan_launch, kernel)},
		{"grid", document_read_list, offsetof(struct plan_launch, grid)},
		{"block", document_read_list, offsetof(struct plan_launch, block)},
		{"cluster", document_read_list, offsetof(struct plan_launch, cluster)},
		{"shared", document_read_number, offsetof(struct plan_launch, shared)},
		{"arguments", document_read_arguments, offsetof(struct plan_launch, arguments)},
		{0},
	};
	struct launch_plan *plan = into;
	if (value->type != YAML_SEQUENCE_NODE) {
		document_error(document, value, "%s: expected a list, one '- kernel: NAME ...' for each launch", key);
		return;
	}
	const yaml_node_item_t *first = value->data.sequence.items.start, *end = value->data.sequence.items.top;
	plan->launches = arena_array(document->arena, (size_t)(end - first) + 1, sizeof *plan->launches);
	for (const yaml_node_item_t *item = first; item < end; item++) {
		const yaml_node_t *node = document_node(document, *item);
		struct plan_launch *launch = &plan->launches[plan->launch_count++];
		*launch = (struct plan_launch){.place = document_place(node)};
		if (document_is_mapping(document, key, node))
			document_read(document, key, node, keys, launch);
	}
}

static void read_plan(struct launch_plan *plan)
{
	static const struct document_key keys[] = {
		{"tensors", read_tensors, 0},
		{"launches", read_launches, 0},
		{0},
	};
	struct document *document = &plan->document;
	if (!document_load(document))
		return;
	const yaml_node_t *root = yaml_document_get_root_node(&document->yaml);
	document_read(document, "plan", root, keys, plan);
	if (!document->diag.errors && !plan->launch_count)
		document_error(document, root, "launches: expected a list of launches");
	yaml_document_delete(&document->yaml);
}

bool launch_plan_read(struct launch_plan *plan, const char *path)
{
	*plan = (struct launch_plan){.document.source.name = path};
	plan->document.arena = &plan->arena;
	plan->text = file_read(path, &plan->document.source.length);
	if (!plan->text) {
		cli_error("sluice run", "cannot read %s: %s", path, file_reason());
		return false;
	}
	plan->document.source.text = plan->text;
	read_plan(plan);
	if (plan->document.diag.text)
		fputs(plan->document.diag.text, stderr);
	return !plan->document.diag.errors;
}

void launch_plan_free(struct launch_plan *plan)
{
	diag_free(&plan->document.diag);
	arena_free(&plan->arena);
	free(plan->text);
}

const char *launch_plan_path(struct launch_plan *plan, const char *file)
{
	const char *path = plan->document.source.name, *slash = strrchr(path, '/');
	if (file[0] == '/' || !slash)
		return file;
	size_t folder = (size_t)(slash + 1 - path), size = folder + strlen(file) + 1;
	char *both = arena_alloc(&plan->arena, size);
	snprintf(both, size, "%.*s%s", (int)folder, path, file);
	return both;
}

bool launch_plan_error(struct launch_plan *plan, const struct document_keys *keys, const char *key,
                       struct diag_place otherwise, const char *format, ...)
{
	struct diag diag = {0};
	va_list arguments;
	va_start(arguments, format);
	char *text = diag_format(format, arguments);
	va_end(arguments);
	diag_error(&diag, &plan->document.source, document_place_of(keys, key, otherwise), "%s", text);
	fputs(diag.text, stderr);
	diag_free(&diag);
	free(text);
	return false;
}
