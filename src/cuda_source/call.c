/* call: functions of the program are run in place; of others we know only that they read what they are given. */
#include "cuda_source/inner.h"

#include <string.h>

enum { DEEPEST = 16 };

static const struct type integer = {.kind = TYPE_INTEGER, .size = 4};

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
	struct lvalue place = run_target(run, run_value(run, pointer), &node->type, shown, &pointer->type);
	return run_load(run, &place, node);
}

/* A function without a body of the program's: whatever it may write is unknown afterwards. */
static struct value unknown_function(struct run *run, const struct node *node)
{
	uint8_t causes = CAUSE_OPERATOR;
	bool may_write = node->kind == NODE_CALL && node->name && strcmp(node->name, "operator()") == 0;
	for (uint32_t i = 0; i < node->count; i++) {
		bool written = i >= 32 || node->references >> i & 1;
		const struct type *type = &node->children[i]->type;
		struct value value = written ? run_address(run, node->children[i]) : run_value(run, node->children[i]);
		bool leads = type->kind != TYPE_INTEGER && type->kind != TYPE_FLOAT && type->kind != TYPE_VOID;
		if (value.kind == VALUE_SLOT) {
			struct lvalue place = {.kind = PLACE_SLOT, .slot = value.number};
			run_store(run, &place, value_unknown(run, CAUSE_OPERATOR));
		} else if (value.kind == VALUE_NUMBER) {
			causes |= value.causes;
		}
		bool apart = (value.kind == VALUE_ARRAY && value.poly) || (value.kind == VALUE_MEMORY && value.named);
		may_write |= (written || leads) && !apart;
	}
	if (may_write)
		run_forget_exposed(run);
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

/* Members of an object are not followed into its functions: it is read as a whole. */
static void read_object(struct run *run, const struct node *node, bool written)
{
	struct lvalue object = {.kind = PLACE_OTHER};
	struct type record = {.kind = TYPE_RECORD, .name = node->type.target, .size = node->type.target_size};
	if (node->type.kind == TYPE_POINTER)
		object = run_target(run, run_value(run, node), &record, node, &node->type);
	else
		object = run_place(run, node);
	run_load(run, &object, node);
	if (written)
		run_store(run, &object, value_unknown(run, CAUSE_OPERATOR));
}

static struct value follow(struct run *run, const struct node *node, const struct function *function)
{
	/* the object of a call operator comes first */
	uint32_t skipped = node->count > function->parameter_count ? node->count - function->parameter_count : 0;
	struct frame frame = {.function = function, .caller = run->frame};
	struct value arguments[64];
	uint32_t count = node->count - skipped < 64 ? node->count - skipped : 64;
	for (uint32_t i = 0; i < skipped; i++)
		read_object(run, node->children[i], node->references >> i & 1);
	for (uint32_t i = 0; i < count; i++) {
		const struct node *argument = node->children[skipped + i];
		const struct type *type = &function->parameters[i]->type;
		arguments[i] = type->reference ? run_bind(run, argument, type)
		                               : run_convert(run, run_value(run, argument), &argument->type, type);
	}
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		struct decl *decl = function->parameters[i];
		struct lvalue place = {.kind = PLACE_SLOT, .slot = run_slot(run, decl, "", &decl->type)};
		run_store(run, &place, i < count ? arguments[i] : value_unknown(run, CAUSE_OPERATOR));
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

/* A lambda's variables: they may be those of now or, where it has taken copies, those of when it was made. */
static void merge_captures(struct run *run, const struct closure *closure, const struct state *from)
{
	struct state other = *from;
	for (uint32_t i = 0; i < closure->lambda->count; i++) {
		struct decl *decl = closure->lambda->children[i]->decl;
		run_slot(run, decl, "", &decl->type);
		for (const struct slot *slot = decl->slots; slot; slot = slot->next) {
			struct value *now = state_at(run, &run->now, slot->number);
			*now = run_merge_values(run, now, state_at(run, &other, slot->number));
		}
	}
}

static struct value call_lambda(struct run *run, const struct node *node, const struct closure *closure)
{
	merge_captures(run, closure, &closure->made);
	struct state before = state_copy(run, &run->now);
	struct value value = follow(run, node, closure->lambda->callee);
	if (closure->lambda->op[0] == 'm') /* it changes its copies, or the variables themselves */
		merge_captures(run, closure, &before);
	return value;
}

/* __mul24 multiplies the low 24 bits. */
static struct value multiply_24(struct run *run, const struct node *node, bool is_unsigned)
{
	int64_t least = is_unsigned ? 0 : -(1 << 23), most = (is_unsigned ? 1 << 24 : 1 << 23) - 1;
	struct value a = run_claim(run, run_value(run, node->children[0]), least, most);
	struct value b = run_claim(run, run_value(run, node->children[1]), least, most);
	return run_combine(run, "*", a, b, &node->type, &node->type);
}

struct value run_call(struct run *run, const struct node *node)
{
	const char *name = node->name ? node->name : "";
	const struct function *function = node->callee;
	if (strcmp(name, "operator()") == 0 && node->count) {
		struct value object = run_value(run, node->children[0]);
		if (object.kind == VALUE_LAMBDA && run->depth < DEEPEST &&
		    !is_running(run, object.closure->lambda->callee))
			return call_lambda(run, node, object.closure);
	}
	bool can_follow = function && function->body && !function->is_lambda && run->depth < DEEPEST;
	if (can_follow && !is_running(run, function)) {
		struct value value = follow(run, node, function);
		return node->type.kind == TYPE_OTHER ? run_convert(run, value, &integer, &node->type) : value;
	}
	if (!function && is_load(name) && node->count)
		return load(run, node);
	bool is_unsigned = strcmp(name, "__umul24") == 0;
	if (!function && (is_unsigned || strcmp(name, "__mul24") == 0) && node->count == 2)
		return multiply_24(run, node, is_unsigned);
	return unknown_function(run, node);
}
