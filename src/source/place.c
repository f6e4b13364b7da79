/* place: variables and elements of arrays, read and written. */
#include "source/inner.h"

#include <string.h>

static struct lvalue other(struct value value, const struct type *type)
{
	return (struct lvalue){.kind = PLACE_OTHER, .value = value, .type = *type};
}

/* Where a value of shared, local or constant memory comes from is not followed: it is a memory location, as in
 * a[b[0]]. */
static struct lvalue memory(struct run *run, const struct type *type)
{
	struct value value = value_unknown(run, CAUSE_INDIRECT);
	if (type->kind == TYPE_ARRAY || type->kind == TYPE_POINTER)
		value.kind = VALUE_MEMORY;
	return other(value, type);
}

static const struct node *inside(const struct node *node)
{
	while (node->kind == NODE_CAST)
		node = node->children[0];
	return node;
}

/* blockIdx.x and its like. */
static bool built_in(struct run *run, const struct node *node, struct value *value)
{
	static const struct {
		const char *name;
		enum source_symbol_kind kind;
	} names[] = {
		{"threadIdx", SOURCE_THREAD_IDX},
		{"blockIdx", SOURCE_BLOCK_IDX},
		{"blockDim", SOURCE_BLOCK_DIM},
		{"gridDim", SOURCE_GRID_DIM},
	};
	const struct node *object = inside(node->children[0]);
	if (object->kind != NODE_VARIABLE || object->decl->kind != DECL_GLOBAL || strlen(node->name) != 1)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(object->decl->name, names[i].name) != 0)
			continue;
		char name[16];
		snprintf(name, sizeof name, "%s.%s", names[i].name, node->name);
		uint32_t symbol = run_symbol(run, names[i].kind, (uint32_t)(node->name[0] - 'x'), name);
		*value = value_of(poly_symbol(run->arena, symbol));
		return true;
	}
	return false;
}

static struct lvalue variable(struct run *run, const struct node *node)
{
	struct decl *decl = node->decl;
	if (decl->kind == DECL_GLOBAL && strcmp(decl->name, "warpSize") == 0)
		return other(value_of(poly_constant(run->arena, 32)), &node->type);
	if (decl->kind == DECL_GLOBAL || decl->type.kind == TYPE_ARRAY)
		return memory(run, &decl->type);
	uint32_t slot = run_slot(run, decl, "", &decl->type);
	struct lvalue place = {.kind = PLACE_SLOT, .slot = slot, .type = decl->type};
	if (!decl->type.reference || decl->kernel_parameter)
		return place;
	struct value target = *state_at(run, &run->now, slot);
	if (target.kind == VALUE_SLOT) {
		place.slot = target.number;
		return place;
	}
	if (target.kind != VALUE_ARRAY)
		return other(target, &decl->type);
	struct type type = decl->type;
	type.target = type.name;
	type.target_size = type.size;
	return run_target(run, target, node, node, &type);
}

struct lvalue run_target(struct run *run, struct value pointer, const struct node *node, const struct node *index,
                         const struct type *pointer_type)
{
	if (pointer.kind == VALUE_SLOT)
		return (struct lvalue){.kind = PLACE_SLOT, .slot = pointer.number, .type = node->type};
	if (pointer.kind != VALUE_ARRAY)
		return memory(run, &node->type);
	return (struct lvalue){
		.kind = PLACE_ARRAY,
		.value = pointer,
		.type = node->type,
		.index = index,
		.unit = pointer_type->target,
		.unit_size = pointer_type->target_size,
	};
}

static struct lvalue subscript(struct run *run, const struct node *node)
{
	const struct node *base = node->children[0], *index = node->children[1];
	if (base->type.kind == TYPE_INTEGER) {
		base = node->children[1];
		index = node->children[0];
	}
	struct value pointer = base->type.kind == TYPE_ARRAY ? run_address(run, base) : run_value(run, base);
	struct value offset = run_value(run, index);
	struct value at = run_combine(run, "+", pointer, offset, &base->type, &base->type);
	bool plain = inside(base)->type.kind != TYPE_ARRAY;
	return run_target(run, at, node, plain ? index : node, &base->type);
}

static struct lvalue member_of_slot(struct run *run, uint32_t slot, const struct node *node)
{
	struct owner owner = run->owners[slot];
	char member[256];
	snprintf(member, sizeof member, "%s.%s", owner.member, node->name);
	const struct value whole = *state_at(run, &run->now, slot);
	uint32_t number = run_slot(run, owner.decl, member, &node->type);
	const struct value *held = state_at(run, &run->now, number);
	struct lvalue place = {.kind = PLACE_SLOT, .slot = number, .type = node->type};
	if (held->poly || held->serial || held->kind != VALUE_NUMBER || owner.decl->kernel_parameter)
		return place;
	/* never assigned alone: what it holds came with the whole */
	if (whole.kind == VALUE_RECORD) {
		number = run_slot(run, whole.record, member, &node->type);
		*state_at(run, &run->now, place.slot) = *state_at(run, &run->now, number);
	} else {
		uint8_t causes = whole.causes ? whole.causes : CAUSE_OPERATOR;
		*state_at(run, &run->now, place.slot) = value_unknown(run, causes);
	}
	return place;
}

static struct lvalue member_of(struct run *run, const struct node *node)
{
	const struct node *object = node->children[0];
	struct value known;
	if (built_in(run, node, &known))
		return other(known, &node->type);
	struct lvalue place;
	if (object->type.kind == TYPE_POINTER) {
		struct value pointer = run_value(run, object);
		place = run_target(run, pointer, object, node, &object->type);
		if (place.kind == PLACE_ARRAY)
			place.type = (struct type){
				.kind = TYPE_RECORD, .name = object->type.target, .size = object->type.target_size};
	} else {
		place = run_place(run, object);
	}
	if (place.kind == PLACE_SLOT)
		return member_of_slot(run, place.slot, node);
	if (place.kind == PLACE_OTHER) {
		uint8_t causes = place.value.causes ? place.value.causes : CAUSE_OPERATOR;
		struct value value = value_unknown(run, causes);
		if (node->type.kind == TYPE_POINTER || node->type.kind == TYPE_ARRAY)
			value.kind = VALUE_MEMORY;
		return other(value, &node->type);
	}
	/* where the member's place is not known, the whole structure stands for it */
	if (node->value >= 0) {
		place.value.poly = poly_add(run->arena, place.value.poly, poly_constant(run->arena, node->value), 1);
		place.type = node->type;
	} else if (node->type.kind == TYPE_ARRAY || node->type.kind == TYPE_POINTER) {
		place.value.poly = NULL;
		place.value.causes |= CAUSE_OPERATOR;
		place.type = node->type;
	}
	return place;
}

struct lvalue run_place(struct run *run, const struct node *node)
{
	switch (node->kind) {
	case NODE_VARIABLE:
		return variable(run, node);
	case NODE_SUBSCRIPT:
		return subscript(run, node);
	case NODE_MEMBER:
		return member_of(run, node);
	case NODE_CAST:
		return run_place(run, node->children[0]);
	case NODE_UNARY:
		if (strcmp(node->op, "*") == 0) {
			const struct node *pointer = node->children[0], *sum = inside(pointer);
			bool indexed = sum->kind == NODE_BINARY && sum->children[0]->type.kind == TYPE_POINTER;
			return run_target(run, run_value(run, pointer), node, indexed ? sum->children[1] : node,
			                  &pointer->type);
		}
		return other(run_value(run, node), &node->type);
	case NODE_CALL:
		if (node->callee && node->callee->returns_reference) {
			struct type type = {.target = node->type.name, .target_size = node->type.size};
			struct value result = run_call(run, node);
			if (result.kind == VALUE_SLOT || result.kind == VALUE_ARRAY)
				return run_target(run, result, node, node, &type);
			return other(result, &node->type);
		}
		return other(run_value(run, node), &node->type);
	case NODE_ASSIGN:
		run_value(run, node);
		run->silent++;
		struct lvalue place = run_place(run, node->children[0]);
		run->silent--;
		return place;
	default:
		return other(run_value(run, node), &node->type);
	}
}

struct value run_load(struct run *run, const struct lvalue *place, const struct node *node)
{
	if (place->kind == PLACE_OTHER)
		return place->value;
	if (place->kind == PLACE_SLOT)
		return *state_at(run, &run->now, place->slot);
	if (place->type.kind == TYPE_ARRAY)
		return place->value;
	run_read(run, &(struct read){
			      .at = node,
			      .index = place->index,
			      .array = place->value.number,
			      .causes = place->value.causes,
			      .poly = place->value.poly,
			      .type = place->type,
			      .unit = place->unit,
			      .unit_size = place->unit_size,
		      });
	return memory(run, &place->type).value;
}

void run_store(struct run *run, const struct lvalue *place, struct value value)
{
	if (place->kind != PLACE_SLOT)
		return;
	const struct owner owner = run->owners[place->slot];
	size_t length = strlen(owner.member);
	/* members that were assigned alone are overwritten with the whole */
	for (const struct slot *slot = owner.decl->slots; slot; slot = slot->next)
		if (strncmp(slot->member, owner.member, length) == 0 && slot->member[length] == '.')
			*state_at(run, &run->now, slot->number) =
				(struct value){.kind = VALUE_NUMBER, .causes = CAUSE_CONTROL};
	*state_at(run, &run->now, place->slot) = value;
}

struct value run_address(struct run *run, const struct node *node)
{
	struct lvalue place = run_place(run, node);
	if (place.kind == PLACE_SLOT)
		return (struct value){.kind = VALUE_SLOT, .number = place.slot, .serial = ++run->serials};
	return place.value;
}

void run_declare(struct run *run, const struct node *node)
{
	struct decl *decl = node->decl;
	const struct node *start = node->count ? node->children[0] : NULL;
	if (decl->kind == DECL_GLOBAL || decl->type.kind == TYPE_ARRAY) {
		if (start)
			run_value(run, start);
		return;
	}
	struct lvalue place = {.kind = PLACE_SLOT, .slot = run_slot(run, decl, "", &decl->type)};
	struct value value = {.kind = VALUE_NUMBER, .causes = CAUSE_CONTROL};
	if (start)
		value = decl->type.reference ? run_address(run, start) : run_value(run, start);
	run_store(run, &place, value);
}
