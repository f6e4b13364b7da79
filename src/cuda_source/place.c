/* place: variables and elements of arrays, read and written. */
#include "cuda_source/inner.h"

#include <string.h>

static struct lvalue other(struct value value, const struct type *type)
{
	return (struct lvalue){.kind = PLACE_OTHER, .value = value, .type = *type};
}

/* Where a value of shared, local or constant memory comes from is not followed: it is a memory location, as in
 * a[b[0]]. `apart` where no variable that has a slot can be there. */
static struct lvalue memory(struct run *run, const struct type *type, bool apart)
{
	struct value value = value_unknown(run, CAUSE_INDIRECT);
	if (type->kind == TYPE_ARRAY || type->kind == TYPE_POINTER)
		value.kind = VALUE_MEMORY;
	value.named = apart && type->kind == TYPE_ARRAY;
	struct lvalue place = other(value, type);
	place.apart = apart;
	return place;
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
	if (object->kind != NODE_VARIABLE || !object->decl->built_in || strlen(node->name) != 1)
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
	if (decl->built_in && strcmp(decl->name, "warpSize") == 0)
		return other(value_of(poly_constant(run->arena, 32)), &node->type);
	if (decl->kind == DECL_GLOBAL || decl->type.kind == TYPE_ARRAY)
		return memory(run, &decl->type, true);
	uint32_t slot = run_slot(run, decl, "", &decl->type);
	struct lvalue place = {.kind = PLACE_SLOT, .slot = slot, .type = decl->type};
	if (!decl->type.reference || decl->kernel_parameter)
		return place;
	struct value target = *state_at(run, &run->now, slot);
	if (target.kind != VALUE_ARRAY && target.kind != VALUE_SLOT)
		return other(target, &decl->type);
	struct type type = decl->type;
	type.target = type.name;
	type.target_size = type.size;
	return run_target(run, target, &decl->type, node, &type);
}

/* Whether what a pointer to one type is used as stands for the whole of a variable. */
static bool is_whole(const struct type *slot, const struct type *used)
{
	bool named = slot->kind == TYPE_RECORD || slot->kind == TYPE_OTHER;
	return slot->kind == used->kind && slot->size == used->size && slot->is_unsigned == used->is_unsigned &&
	       slot->is_bool == used->is_bool && (!named || strcmp(slot->name, used->name) == 0);
}

struct lvalue run_target(struct run *run, struct value pointer, const struct type *used, const struct node *index,
                         const struct type *pointer_type)
{
	if (pointer.kind == VALUE_SLOT && is_whole(&run->owners[pointer.number].type, used))
		return (struct lvalue){.kind = PLACE_SLOT, .slot = pointer.number, .type = *used};
	if (pointer.kind != VALUE_ARRAY)
		return memory(run, used, pointer.kind == VALUE_MEMORY && pointer.named);
	return (struct lvalue){
		.kind = PLACE_ARRAY,
		.value = pointer,
		.type = *used,
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
	struct value offset = run_offset(run, index);
	struct value at = run_combine(run, "+", pointer, offset, &base->type, &base->type);
	bool plain = inside(base)->type.kind != TYPE_ARRAY;
	return run_target(run, at, &node->type, plain ? index : node, &base->type);
}

/* Of a member: never assigned alone. */
static bool is_untouched(const struct value *held)
{
	return !held->poly && !held->serial && held->kind == VALUE_NUMBER;
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
	if (!is_untouched(held) || owner.decl->kernel_parameter)
		return place;
	/* never assigned alone: what it holds came with the whole */
	if (whole.kind == VALUE_RECORD) {
		number = run_slot(run, whole.record, member, &node->type);
		*state_at(run, &run->now, place.slot) = run->initial[number];
	} else {
		uint8_t causes = whole.causes ? whole.causes : CAUSE_OPERATOR;
		*state_at(run, &run->now, place.slot) = value_unknown(run, causes);
	}
	return place;
}

/* A bit field, which wraps around early; a member of a union; one that is a reference, or that a const function may
 * change: not followed. */
static bool shares_bytes(const struct node *node)
{
	return node->op[0] || node->children[0]->type.is_union;
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
		struct type record = {
			.kind = TYPE_RECORD, .name = object->type.target, .size = object->type.target_size};
		place = run_target(run, pointer, &record, node, &object->type);
	} else {
		place = run_place(run, object);
	}
	if (place.kind == PLACE_SLOT && !shares_bytes(node))
		return member_of_slot(run, place.slot, node);
	if (place.kind == PLACE_SLOT)
		return memory(run, &node->type, node->op[0] != 'r');
	if (place.kind == PLACE_OTHER) {
		uint8_t causes = place.value.causes ? place.value.causes : CAUSE_OPERATOR;
		struct value value = value_unknown(run, causes);
		if (node->type.kind == TYPE_POINTER || node->type.kind == TYPE_ARRAY)
			value.kind = VALUE_MEMORY;
		value.named = place.apart && node->type.kind == TYPE_ARRAY;
		bool apart = place.apart;
		place = other(value, &node->type);
		place.apart = apart && node->op[0] != 'r';
		return place;
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

static struct lvalue pointed_at(struct run *run, const struct node *node)
{
	const struct node *pointer = node->children[0], *sum = inside(pointer);
	bool indexed = sum->kind == NODE_BINARY && sum->children[0]->type.kind == TYPE_POINTER;
	return run_target(run, run_value(run, pointer), &node->type, indexed ? sum->children[1] : node, &pointer->type);
}

static struct lvalue returned(struct run *run, const struct node *node)
{
	struct type type = {.target = node->type.name, .target_size = node->type.size};
	struct value result = run_call(run, node);
	if (result.kind == VALUE_SLOT || result.kind == VALUE_ARRAY)
		return run_target(run, result, &node->type, node, &type);
	return other(result, &node->type);
}

/* A cast to a reference is the same place as another type; one that changes the type, or that is written, is a value. */
static struct lvalue cast_place(struct run *run, const struct node *node)
{
	const struct node *child = node->children[0];
	if (node->op[0] != 'r' && (node->op[0] == 'x' || !is_whole(&child->type, &node->type)))
		return other(run_value(run, node), &node->type);
	struct lvalue place = run_place(run, child);
	if (node->op[0] != 'r' || is_whole(&child->type, &node->type))
		return place;
	if (place.kind == PLACE_ARRAY)
		place.type = node->type;
	else
		place = memory(run, &node->type, false);
	return place;
}

struct lvalue run_place(struct run *run, const struct node *node)
{
	struct value value;
	switch (node->kind) {
	case NODE_VARIABLE:
		return variable(run, node);
	case NODE_SUBSCRIPT:
		return subscript(run, node);
	case NODE_MEMBER:
		return member_of(run, node);
	case NODE_CAST:
		return cast_place(run, node);
	case NODE_UNARY:
		if (strcmp(node->op, "*") == 0)
			return pointed_at(run, node);
		if (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0)
			return run_step(run, node, &value);
		return other(run_value(run, node), &node->type);
	case NODE_BINARY:
		if (strcmp(node->op, ",") != 0)
			return other(run_value(run, node), &node->type);
		run_value(run, node->children[0]);
		return run_place(run, node->children[1]);
	case NODE_CALL:
		if (node->callee && node->callee->returns_reference)
			return returned(run, node);
		return other(run_value(run, node), &node->type);
	case NODE_ASSIGN:
		return run_assign(run, node, &value);
	default:
		return other(run_value(run, node), &node->type);
	}
}

/* Whether a copy of a structure is no longer what the structure was as a whole. */
static bool has_changed_members(struct run *run, uint32_t slot, const struct value *whole)
{
	const struct owner owner = run->owners[slot];
	size_t length = strlen(owner.member);
	for (const struct slot *at = owner.decl->slots; at; at = at->next) {
		if (strncmp(at->member, owner.member, length) != 0 || at->member[length] != '.')
			continue;
		const struct value now = *state_at(run, &run->now, at->number);
		uint32_t first = run_slot(run, whole->record, at->member, &run->owners[at->number].type);
		if (!value_equal(&now, &run->initial[first]) && !is_untouched(&now))
			return true;
	}
	return false;
}

struct value run_load(struct run *run, const struct lvalue *place, const struct node *node)
{
	if (place->kind == PLACE_OTHER)
		return place->value;
	if (place->kind == PLACE_SLOT) {
		struct value held = *state_at(run, &run->now, place->slot);
		if (held.kind == VALUE_RECORD && has_changed_members(run, place->slot, &held))
			return value_unknown(run, CAUSE_CONTROL);
		return held;
	}
	if (place->type.kind == TYPE_ARRAY)
		return place->value;
	struct type type = place->type;
	type.name = type.size ? type.name : run_type_name(run, type.name);
	run_read(run, &(struct read){
			      .at = node,
			      .index = place->index,
			      .array = place->value.number,
			      .causes = place->value.causes,
			      .poly = place->value.poly,
			      .claims = place->value.claims,
			      .type = type,
			      .unit = place->unit_size ? place->unit : run_type_name(run, place->unit),
			      .unit_size = place->unit_size,
		      });
	return memory(run, &place->type, false).value;
}

void run_forget_exposed(struct run *run)
{
	for (uint32_t i = 0; i < run->slots; i++) {
		const struct owner *owner = &run->owners[i];
		if (!owner->decl->exposed)
			continue;
		struct value *held = state_at(run, &run->now, i);
		if (*owner->member && is_untouched(held) && !owner->decl->kernel_parameter)
			continue; /* it is as the whole is */
		struct value unknown = value_unknown(run, held->poly || !held->causes ? CAUSE_INDIRECT : held->causes);
		if (held->kind == VALUE_ARRAY) { /* a read through it still counts */
			unknown.kind = VALUE_ARRAY;
			unknown.number = held->number;
		}
		*held = unknown;
	}
}

void run_store(struct run *run, const struct lvalue *place, struct value value)
{
	/* where a pointer that is not followed may lead */
	if ((place->kind == PLACE_OTHER && !place->apart) || (place->kind == PLACE_ARRAY && !place->value.poly))
		run_forget_exposed(run);
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

static bool may_be_several(const struct node *node)
{
	const struct node *bare = inside(node);
	bool comma = bare->kind == NODE_BINARY && strcmp(bare->op, ",") == 0;
	return bare->kind == NODE_CHOICE || bare->kind == NODE_CALL || node->op[0] == 'r' || comma;
}

/* What a reference holds: a place, or the value of something that has none. */
struct value run_bind(struct run *run, const struct node *node, const struct type *reference)
{
	struct value value = run_address(run, node);
	bool followed = value.kind == VALUE_SLOT || value.kind == VALUE_ARRAY;
	if (followed || !may_be_several(node))
		return followed ? value : run_convert(run, value, &node->type, reference);
	value = value_unknown(run, value.causes ? value.causes : CAUSE_CONTROL);
	return value;
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
		value = decl->type.reference ? run_bind(run, start, &decl->type)
		                             : run_convert(run, run_value(run, start), &start->type, &decl->type);
	run_store(run, &place, value);
}
