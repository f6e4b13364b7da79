/* place: reads and writes variables and elements of arrays. */
#include "cuda_source/private.h"

#include <string.h>

static struct lvalue other(struct value value, const struct type *type)
{
	return (struct lvalue){.kind = PLACE_OTHER, .value = value, .type = *type};
}

/* Values in shared, local or constant memory are not followed: they are memory locations, as in a[b[0]]. `apart`:
 * no variable with a slot can be there. */
static struct lvalue memory(struct walk *walk, const struct type *type, bool apart)
{
	struct value value = value_unknown(walk, CAUSE_INDIRECT);
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

/* blockIdx.x and similar variables. */
static bool built_in(struct walk *walk, const struct node *node, struct value *value)
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
		uint32_t symbol = walk_symbol(walk, names[i].kind, (uint32_t)(node->name[0] - 'x'), name);
		*value = value_of(poly_symbol(walk->arena, symbol));
		return true;
	}
	return false;
}

static struct lvalue variable(struct walk *walk, const struct node *node)
{
	struct decl *decl = node->decl;
	if (decl->built_in && strcmp(decl->name, "warpSize") == 0)
		return other(value_of(poly_constant(walk->arena, 32)), &node->type);
	if (decl->kind == DECL_GLOBAL || decl->type.kind == TYPE_ARRAY)
		return memory(walk, &decl->type, true);
	uint32_t slot = walk_slot(walk, decl, "", &decl->type);
	struct lvalue place = {.kind = PLACE_SLOT, .slot = slot, .type = decl->type};
	if (!decl->type.reference || decl->kernel_parameter)
		return place;
	struct value target = *state_at(walk, &walk->now, slot);
	if (target.kind != VALUE_ARRAY && target.kind != VALUE_SLOT)
		return other(target, &decl->type);
	struct type type = decl->type;
	type.target = type.name;
	type.target_size = type.size;
	return walk_target(walk, target, &decl->type, node, &type);
}

/* Returns true when an access through a pointer of the used type covers a whole variable. */
static bool is_whole(const struct type *slot, const struct type *used)
{
	bool named = slot->kind == TYPE_RECORD || slot->kind == TYPE_OTHER;
	return slot->kind == used->kind && slot->size == used->size && slot->is_unsigned == used->is_unsigned &&
	       slot->is_bool == used->is_bool && (!named || strcmp(slot->name, used->name) == 0);
}

struct lvalue walk_target(struct walk *walk, struct value pointer, const struct type *used, const struct node *index,
                          const struct type *pointer_type)
{
	if (pointer.kind == VALUE_SLOT && is_whole(&walk->owners[pointer.number].type, used))
		return (struct lvalue){.kind = PLACE_SLOT, .slot = pointer.number, .type = *used};
	if (pointer.kind != VALUE_ARRAY)
		return memory(walk, used, pointer.kind == VALUE_MEMORY && pointer.named);
	return (struct lvalue){
		.kind = PLACE_ARRAY,
		.value = pointer,
		.type = *used,
		.index = index,
		.unit = pointer_type->target,
		.unit_size = pointer_type->target_size,
	};
}

static struct lvalue subscript(struct walk *walk, const struct node *node)
{
	const struct node *base = node->children[0], *index = node->children[1];
	if (base->type.kind == TYPE_INTEGER) {
		base = node->children[1];
		index = node->children[0];
	}
	struct value pointer = base->type.kind == TYPE_ARRAY ? walk_address(walk, base) : walk_value(walk, base);
	struct value offset = walk_offset(walk, index);
	struct value at = walk_combine(walk, "+", pointer, offset, &base->type, &base->type);
	bool plain = inside(base)->type.kind != TYPE_ARRAY;
	return walk_target(walk, at, &node->type, plain ? index : node, &base->type);
}

/* A member that was never assigned separately. */
static bool is_untouched(const struct value *held)
{
	return !held->poly && !held->serial && held->kind == VALUE_NUMBER;
}

static struct lvalue member_of_slot(struct walk *walk, uint32_t slot, const struct node *node)
{
	struct owner owner = walk->owners[slot];
	char member[256];
	snprintf(member, sizeof member, "%s.%s", owner.member, node->name);
	const struct value whole = *state_at(walk, &walk->now, slot);
	uint32_t number = walk_slot(walk, owner.decl, member, &node->type);
	const struct value *held = state_at(walk, &walk->now, number);
	struct lvalue place = {.kind = PLACE_SLOT, .slot = number, .type = node->type};
	if (!is_untouched(held) || owner.decl->kernel_parameter)
		return place;
	/* never assigned separately: its content came with the whole structure */
	if (whole.kind == VALUE_RECORD) {
		number = walk_slot(walk, whole.record, member, &node->type);
		*state_at(walk, &walk->now, place.slot) = walk->initial[number];
	} else {
		uint8_t causes = whole.causes ? whole.causes : CAUSE_OPERATOR;
		*state_at(walk, &walk->now, place.slot) = value_unknown(walk, causes);
	}
	return place;
}

/* Not followed: a bit field, which wraps around early, and a member of a union. Nor is a member that is a
 * reference, or that a const function may change. */
static bool shares_bytes(const struct node *node)
{
	return node->op[0] || node->children[0]->type.is_union;
}

static struct lvalue member_of(struct walk *walk, const struct node *node)
{
	const struct node *object = node->children[0];
	struct value known;
	if (built_in(walk, node, &known))
		return other(known, &node->type);
	struct lvalue place;
	if (object->type.kind == TYPE_POINTER) {
		struct value pointer = walk_value(walk, object);
		struct type record = {
			.kind = TYPE_RECORD, .name = object->type.target, .size = object->type.target_size};
		place = walk_target(walk, pointer, &record, node, &object->type);
	} else {
		place = walk_place(walk, object);
	}
	if (place.kind == PLACE_SLOT && !shares_bytes(node))
		return member_of_slot(walk, place.slot, node);
	if (place.kind == PLACE_SLOT)
		return memory(walk, &node->type, node->op[0] != 'r');
	if (place.kind == PLACE_OTHER) {
		uint8_t causes = place.value.causes ? place.value.causes : CAUSE_OPERATOR;
		struct value value = value_unknown(walk, causes);
		if (node->type.kind == TYPE_POINTER || node->type.kind == TYPE_ARRAY)
			value.kind = VALUE_MEMORY;
		value.named = place.apart && node->type.kind == TYPE_ARRAY;
		bool apart = place.apart;
		place = other(value, &node->type);
		place.apart = apart && node->op[0] != 'r';
		return place;
	}
	/* if the member's offset is unknown, the whole structure stands for it */
	if (node->value >= 0) {
		place.value.poly = poly_add(walk->arena, place.value.poly, poly_constant(walk->arena, node->value), 1);
		place.type = node->type;
	} else if (node->type.kind == TYPE_ARRAY || node->type.kind == TYPE_POINTER) {
		place.value.poly = NULL;
		place.value.causes |= CAUSE_OPERATOR;
		place.type = node->type;
	}
	return place;
}

static struct lvalue pointed_at(struct walk *walk, const struct node *node)
{
	const struct node *pointer = node->children[0], *sum = inside(pointer);
	bool indexed = sum->kind == NODE_BINARY && sum->children[0]->type.kind == TYPE_POINTER;
	return walk_target(walk, walk_value(walk, pointer), &node->type, indexed ? sum->children[1] : node,
	                   &pointer->type);
}

static struct lvalue returned(struct walk *walk, const struct node *node)
{
	struct type type = {.target = node->type.name, .target_size = node->type.size};
	struct value result = walk_call(walk, node);
	if (result.kind == VALUE_SLOT || result.kind == VALUE_ARRAY)
		return walk_target(walk, result, &node->type, node, &type);
	return other(result, &node->type);
}

/* A cast to a reference is the same place with another type. An explicit cast, or one that changes the type, is a
 * value. */
static struct lvalue cast_place(struct walk *walk, const struct node *node)
{
	const struct node *child = node->children[0];
	if (node->op[0] != 'r' && (node->op[0] == 'x' || !is_whole(&child->type, &node->type)))
		return other(walk_value(walk, node), &node->type);
	struct lvalue place = walk_place(walk, child);
	if (node->op[0] != 'r' || is_whole(&child->type, &node->type))
		return place;
	if (place.kind == PLACE_ARRAY)
		place.type = node->type;
	else
		place = memory(walk, &node->type, false);
	return place;
}

struct lvalue walk_place(struct walk *walk, const struct node *node)
{
	struct value value;
	switch (node->kind) {
	case NODE_VARIABLE:
		return variable(walk, node);
	case NODE_SUBSCRIPT:
		return subscript(walk, node);
	case NODE_MEMBER:
		return member_of(walk, node);
	case NODE_CAST:
		return cast_place(walk, node);
	case NODE_UNARY:
		if (strcmp(node->op, "*") == 0)
			return pointed_at(walk, node);
		if (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0)
			return walk_step(walk, node, &value);
		return other(walk_value(walk, node), &node->type);
	case NODE_BINARY:
		if (strcmp(node->op, ",") != 0)
			return other(walk_value(walk, node), &node->type);
		walk_value(walk, node->children[0]);
		return walk_place(walk, node->children[1]);
	case NODE_CALL:
		if (node->callee && node->callee->returns_reference)
			return returned(walk, node);
		return other(walk_value(walk, node), &node->type);
	case NODE_ASSIGN:
		return walk_assign(walk, node, &value);
	default:
		return other(walk_value(walk, node), &node->type);
	}
}

/* Returns true when members of a copied structure have changed since it was assigned as a whole. */
static bool has_changed_members(struct walk *walk, uint32_t slot, const struct value *whole)
{
	const struct owner owner = walk->owners[slot];
	size_t length = strlen(owner.member);
	for (const struct slot *at = owner.decl->slots; at; at = at->next) {
		if (strncmp(at->member, owner.member, length) != 0 || at->member[length] != '.')
			continue;
		const struct value now = *state_at(walk, &walk->now, at->number);
		uint32_t first = walk_slot(walk, whole->record, at->member, &walk->owners[at->number].type);
		if (!value_equal(&now, &walk->initial[first]) && !is_untouched(&now))
			return true;
	}
	return false;
}

struct value walk_load(struct walk *walk, const struct lvalue *place, const struct node *node)
{
	if (place->kind == PLACE_OTHER)
		return place->value;
	if (place->kind == PLACE_SLOT) {
		struct value held = *state_at(walk, &walk->now, place->slot);
		if (held.kind == VALUE_RECORD && has_changed_members(walk, place->slot, &held))
			return value_unknown(walk, CAUSE_CONTROL);
		return held;
	}
	if (place->type.kind == TYPE_ARRAY)
		return place->value;
	struct type type = place->type;
	type.name = type.size ? type.name : walk_type_name(walk, type.name);
	walk_read(walk, &(struct read){
				.at = node,
				.index = place->index,
				.array = place->value.number,
				.causes = place->value.causes,
				.poly = place->value.poly,
				.claims = place->value.claims,
				.type = type,
				.unit = place->unit_size ? place->unit : walk_type_name(walk, place->unit),
				.unit_size = place->unit_size,
			});
	return memory(walk, &place->type, false).value;
}

void walk_forget_exposed(struct walk *walk)
{
	for (uint32_t i = 0; i < walk->slots; i++) {
		const struct owner *owner = &walk->owners[i];
		if (!owner->decl->exposed)
			continue;
		struct value *held = state_at(walk, &walk->now, i);
		if (*owner->member && is_untouched(held) && !owner->decl->kernel_parameter)
			continue; /* unchanged since the whole was assigned */
		struct value unknown = value_unknown(walk, held->poly || !held->causes ? CAUSE_INDIRECT : held->causes);
		if (held->kind == VALUE_ARRAY) { /* a read through it still counts */
			unknown.kind = VALUE_ARRAY;
			unknown.number = held->number;
		}
		*held = unknown;
	}
}

void walk_store(struct walk *walk, const struct lvalue *place, struct value value)
{
	/* an untracked pointer may lead to exposed variables */
	if ((place->kind == PLACE_OTHER && !place->apart) || (place->kind == PLACE_ARRAY && !place->value.poly))
		walk_forget_exposed(walk);
	if (place->kind != PLACE_SLOT)
		return;
	const struct owner owner = walk->owners[place->slot];
	size_t length = strlen(owner.member);
	/* separately assigned members are overwritten with the whole */
	for (const struct slot *slot = owner.decl->slots; slot; slot = slot->next)
		if (strncmp(slot->member, owner.member, length) == 0 && slot->member[length] == '.')
			*state_at(walk, &walk->now, slot->number) =
				(struct value){.kind = VALUE_NUMBER, .causes = CAUSE_CONTROL};
	*state_at(walk, &walk->now, place->slot) = value;
}

struct value walk_address(struct walk *walk, const struct node *node)
{
	struct lvalue place = walk_place(walk, node);
	if (place.kind == PLACE_SLOT)
		return (struct value){.kind = VALUE_SLOT, .number = place.slot, .serial = ++walk->serials};
	return place.value;
}

static bool may_be_several(const struct node *node)
{
	const struct node *bare = inside(node);
	bool comma = bare->kind == NODE_BINARY && strcmp(bare->op, ",") == 0;
	return bare->kind == NODE_CHOICE || bare->kind == NODE_CALL || node->op[0] == 'r' || comma;
}

/* Returns the content of a reference: a place, or the value of an expression without a place. */
struct value walk_bind(struct walk *walk, const struct node *node, const struct type *reference)
{
	struct value value = walk_address(walk, node);
	bool followed = value.kind == VALUE_SLOT || value.kind == VALUE_ARRAY;
	if (followed || !may_be_several(node))
		return followed ? value : walk_convert(walk, value, &node->type, reference);
	value = value_unknown(walk, value.causes ? value.causes : CAUSE_CONTROL);
	return value;
}

void walk_declare(struct walk *walk, const struct node *node)
{
	struct decl *decl = node->decl;
	const struct node *start = node->count ? node->children[0] : NULL;
	if (decl->kind == DECL_GLOBAL || decl->type.kind == TYPE_ARRAY) {
		if (start)
			walk_value(walk, start);
		return;
	}
	struct lvalue place = {.kind = PLACE_SLOT, .slot = walk_slot(walk, decl, "", &decl->type)};
	struct value value = {.kind = VALUE_NUMBER, .causes = CAUSE_CONTROL};
	if (start)
		value = decl->type.reference ? walk_bind(walk, start, &decl->type)
		                             : walk_convert(walk, walk_value(walk, start), &start->type, &decl->type);
	walk_store(walk, &place, value);
}
