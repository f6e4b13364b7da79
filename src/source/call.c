/* call: functions of the program are run in place; of others we know only that they read what they are given. */
#include "source/inner.h"

#include <string.h>

enum { DEEPEST = 16 };

static const struct node *bare(const struct node *node)
{
	while (node->kind == NODE_CAST)
		node = node->children[0];
	return node;
}

/* __ldg(&a[i]) and its like: a load. */
static bool is_load(const char *name)
{
	static const char *const names[] = {"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldcv", "__ldlu"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static struct value load(struct run *run, const struct node *node)
{
	const struct node *pointer = node->children[0], *shown = bare(pointer);
	if (shown->kind == NODE_UNARY && strcmp(shown->op, "&") == 0)
		shown = bare(shown->children[0]);
	if (shown->kind == NODE_SUBSCRIPT || shown->kind == NODE_BINARY)
		shown = shown->children[1];
	struct lvalue place = run_target(run, run_value(run, pointer), node, shown, &pointer->type);
	return run_load(run, &place, node);
}

/* A function without a body of the program's: whatever it may write is unknown afterwards. */
static struct value unknown_function(struct run *run, const struct node *node)
{
	uint8_t causes = CAUSE_OPERATOR;
	for (uint32_t i = 0; i < node->count; i++) {
		bool written = i < 32 && node->references >> i & 1;
		struct value value = written ? run_address(run, node->children[i]) : run_value(run, node->children[i]);
		if (value.kind == VALUE_SLOT) {
			struct lvalue place = {.kind = PLACE_SLOT, .slot = value.number};
			run_store(run, &place, value_unknown(run, CAUSE_OPERATOR));
		} else if (value.kind == VALUE_NUMBER) {
			causes |= value.causes;
		}
	}
	if (node->name && strncmp(node->name, "atomic", 6) == 0) /* what it returns comes from memory */
		causes = CAUSE_INDIRECT;
	struct value result = value_unknown(run, causes);
	if (node->type.kind == TYPE_POINTER)
		result.kind = VALUE_MEMORY;
	return result;
}

static bool is_running(const struct run *run, const struct function *function)
{
	for (const struct frame *frame = run->frame; frame; frame = frame->caller)
		if (frame->function == function)
			return true;
	return false;
}

static struct value follow(struct run *run, const struct node *node, const struct function *function)
{
	/* the object of a call operator comes first */
	uint32_t skipped = node->count > function->parameter_count ? node->count - function->parameter_count : 0;
	struct frame frame = {.function = function, .caller = run->frame};
	struct value arguments[64];
	uint32_t count = node->count - skipped < 64 ? node->count - skipped : 64;
	for (uint32_t i = 0; i < skipped; i++) { /* members of the object are not followed: it is read as a whole */
		struct lvalue object = run_place(run, node->children[i]);
		run_load(run, &object, node->children[i]);
		if (node->references >> i & 1)
			run_store(run, &object, value_unknown(run, CAUSE_OPERATOR));
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct node *argument = node->children[skipped + i];
		bool reference = function->parameters[i]->type.reference;
		arguments[i] = reference ? run_address(run, argument) : run_value(run, argument);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct decl *decl = function->parameters[i];
		struct lvalue place = {.kind = PLACE_SLOT, .slot = run_slot(run, decl, "", &decl->type)};
		run_store(run, &place, arguments[i]);
	}
	struct jumps *jumps = run->jumps;
	run->frame = &frame;
	run->jumps = NULL;
	run->depth++;
	run_statement(run, function->body);
	run->depth--;
	run->jumps = jumps;
	run->frame = (struct frame *)frame.caller;
	state_merge(run, &run->now, &frame.returned);
	return frame.has_result ? frame.result : value_unknown(run, CAUSE_OPERATOR);
}

/* Variables that have changed since the lambda was made: it may have taken the old value or a reference. */
static void forget_captures(struct run *run, const struct closure *closure)
{
	struct state made = closure->made;
	for (uint32_t i = 0; i < closure->lambda->count; i++) {
		struct decl *decl = closure->lambda->children[i]->decl;
		run_slot(run, decl, "", &decl->type);
		for (const struct slot *slot = decl->slots; slot; slot = slot->next) {
			struct value *now = state_at(run, &run->now, slot->number);
			*now = run_merge_values(run, now, state_at(run, &made, slot->number));
		}
	}
}

struct value run_call(struct run *run, const struct node *node)
{
	const char *name = node->name ? node->name : "";
	const struct function *function = node->callee;
	if (strcmp(name, "operator()") == 0 && node->count) {
		struct value object = run_value(run, node->children[0]);
		if (object.kind == VALUE_LAMBDA) {
			function = object.closure->lambda->callee;
			forget_captures(run, object.closure);
		}
	}
	bool can_follow = function && function->body && run->depth < DEEPEST && !is_running(run, function);
	if (can_follow)
		return follow(run, node, function);
	if (is_load(name) && node->count)
		return load(run, node);
	if ((strcmp(name, "__mul24") == 0 || strcmp(name, "__umul24") == 0) && node->count == 2) {
		struct value a = run_value(run, node->children[0]), b = run_value(run, node->children[1]);
		return run_combine(run, "*", a, b, &node->type, &node->type);
	}
	return unknown_function(run, node);
}
