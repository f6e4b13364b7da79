/* call: runs functions of the program in place. Other functions are known only to read their arguments. */
#include "cuda_source/private.h"

#include <string.h>

enum { DEEPEST = 16 };

static const struct type integer = {.kind = TYPE_INTEGER, .size = 4};

static const struct node *bare(const struct node *node)
{
	while (node->kind == NODE_CAST)
		node = node->children[0];
	return node;
}

/* __ldg(&a[i]) and similar functions are loads. */
static bool is_load(const char *name)
{
	static const char *const names[] = {"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldcv", "__ldlu"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static struct value load(struct walk *walk, const struct node *node)
{
	const struct node *pointer = node->children[0], *shown = bare(pointer);
	if (shown->kind == NODE_UNARY && strcmp(shown->op, "&") == 0)
		shown = bare(shown->children[0]);
	if (shown->kind == NODE_SUBSCRIPT || shown->kind == NODE_BINARY)
		shown = shown->children[1];
	struct lvalue place = walk_target(walk, walk_value(walk, pointer), &node->type, shown, &pointer->type);
	return walk_load(walk, &place, node);
}

/* A function without a body in the program: everything that it may write is unknown afterwards. */
static struct value unknown_function(struct walk *walk, const struct node *node)
{
	uint8_t causes = CAUSE_OPERATOR;
	bool may_write = node->kind == NODE_CALL && node->name && strcmp(node->name, "operator()") == 0;
	for (uint32_t i = 0; i < node->count; i++) {
		bool written = i >= 32 || node->references >> i & 1;
		const struct type *type = &node->children[i]->type;
		struct value value =
			written ? walk_address(walk, node->children[i]) : walk_value(walk, node->children[i]);
		bool leads = type->kind != TYPE_INTEGER && type->kind != TYPE_FLOAT && type->kind != TYPE_VOID;
		if (value.kind == VALUE_SLOT) {
			struct lvalue place = {.kind = PLACE_SLOT, .slot = value.number};
			walk_store(walk, &place, value_unknown(walk, CAUSE_OPERATOR));
		} else if (value.kind == VALUE_NUMBER) {
			causes |= value.causes;
		}
		bool apart = (value.kind == VALUE_ARRAY && value.poly) || (value.kind == VALUE_MEMORY && value.named);
		may_write |= (written || leads) && !apart;
	}
	if (may_write)
		walk_forget_exposed(walk);
	if (node->name && strncmp(node->name, "atomic", 6) == 0) /* its result comes from memory */
		causes = CAUSE_INDIRECT;
	struct value result = value_unknown(walk, causes);
	if (node->type.kind == TYPE_POINTER)
		result.kind = VALUE_MEMORY;
	return result;
}

static bool is_running(const struct walk *walk, const struct function *function)
{
	for (const struct frame *frame = walk->frame; frame; frame = frame->caller)
		if (frame->function == function)
			return true;
	return false;
}

/* Members of an object are not followed into its functions: the object is read as a whole. */
static void read_object(struct walk *walk, const struct node *node, bool written)
{
	struct lvalue object = {.kind = PLACE_OTHER};
	struct type record = {.kind = TYPE_RECORD, .name = node->type.target, .size = node->type.target_size};
	if (node->type.kind == TYPE_POINTER)
		object = walk_target(walk, walk_value(walk, node), &record, node, &node->type);
	else
		object = walk_place(walk, node);
	walk_load(walk, &object, node);
	if (written)
		walk_store(walk, &object, value_unknown(walk, CAUSE_OPERATOR));
}

static struct value follow(struct walk *walk, const struct node *node, const struct function *function)
{
	/* the object of a call operator is the first argument */
	uint32_t skipped = node->count > function->parameter_count ? node->count - function->parameter_count : 0;
	struct frame frame = {.function = function, .caller = walk->frame};
	struct value arguments[64];
	uint32_t count = node->count - skipped < 64 ? node->count - skipped : 64;
	for (uint32_t i = 0; i < skipped; i++)
		read_object(walk, node->children[i], node->references >> i & 1);
	for (uint32_t i = 0; i < count; i++) {
		const struct node *argument = node->children[skipped + i];
		const struct type *type = &function->parameters[i]->type;
		arguments[i] = type->reference ? walk_bind(walk, argument, type)
		                               : walk_convert(walk, walk_value(walk, argument), &argument->type, type);
	}
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		struct decl *decl = function->parameters[i];
		struct lvalue place = {.kind = PLACE_SLOT, .slot = walk_slot(walk, decl, "", &decl->type)};
		walk_store(walk, &place, i < count ? arguments[i] : value_unknown(walk, CAUSE_OPERATOR));
	}
	struct jumps *jumps = walk->jumps;
	walk->frame = &frame;
	walk->jumps = NULL;
	walk->depth++;
	walk_statement(walk, function->body);
	walk->depth--;
	walk->jumps = jumps;
	walk->frame = (struct frame *)frame.caller;
	state_merge(walk, &walk->now, &frame.returned);
	return frame.has_result ? frame.result : value_unknown(walk, CAUSE_OPERATOR);
}

/* The variables of a lambda: their present values or, for captured copies, their values at its creation. */
static void merge_captures(struct walk *walk, const struct closure *closure, const struct state *from)
{
	struct state other = *from;
	for (uint32_t i = 0; i < closure->lambda->count; i++) {
		struct decl *decl = closure->lambda->children[i]->decl;
		walk_slot(walk, decl, "", &decl->type);
		for (const struct slot *slot = decl->slots; slot; slot = slot->next) {
			struct value *now = state_at(walk, &walk->now, slot->number);
			*now = walk_merge_values(walk, now, state_at(walk, &other, slot->number));
		}
	}
}

static struct value call_lambda(struct walk *walk, const struct node *node, const struct closure *closure)
{
	merge_captures(walk, closure, &closure->made);
	struct state before = state_copy(walk, &walk->now);
	struct value value = follow(walk, node, closure->lambda->callee);
	if (closure->lambda->op[0] == 'm') /* it changes its copies, or the variables themselves */
		merge_captures(walk, closure, &before);
	return value;
}

/* __mul24 multiplies the low 24 bits. */
static struct value multiply_24(struct walk *walk, const struct node *node, bool is_unsigned)
{
	int64_t least = is_unsigned ? 0 : -(1 << 23), most = (is_unsigned ? 1 << 24 : 1 << 23) - 1;
	struct value a = walk_claim(walk, walk_value(walk, node->children[0]), least, most);
	struct value b = walk_claim(walk, walk_value(walk, node->children[1]), least, most);
	return walk_combine(walk, "*", a, b, &node->type, &node->type);
}

struct value walk_call(struct walk *walk, const struct node *node)
{
	const char *name = node->name ? node->name : "";
	const struct function *function = node->callee;
	if (strcmp(name, "operator()") == 0 && node->count) {
		struct value object = walk_value(walk, node->children[0]);
		if (object.kind == VALUE_LAMBDA && walk->depth < DEEPEST &&
		    !is_running(walk, object.closure->lambda->callee))
			return call_lambda(walk, node, object.closure);
	}
	bool can_follow = function && function->body && !function->is_lambda && walk->depth < DEEPEST;
	if (can_follow && !is_running(walk, function)) {
		struct value value = follow(walk, node, function);
		return node->type.kind == TYPE_OTHER ? walk_convert(walk, value, &integer, &node->type) : value;
	}
	if (!function && is_load(name) && node->count)
		return load(walk, node);
	bool is_unsigned = strcmp(name, "__umul24") == 0;
	if (!function && (is_unsigned || strcmp(name, "__mul24") == 0) && node->count == 2)
		return multiply_24(walk, node, is_unsigned);
	return unknown_function(walk, node);
}
