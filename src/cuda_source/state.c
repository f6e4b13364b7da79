/* state: the values of all variables at a point of the kernel, and how they merge where paths meet. */
#include "cuda_source/private.h"

#include <string.h>

struct value value_of(const struct poly *poly)
{
	return (struct value){.kind = VALUE_NUMBER, .poly = poly, .causes = poly ? 0 : CAUSE_OPERATOR};
}

struct value value_unknown(struct walk *walk, uint8_t causes)
{
	return (struct value){.kind = VALUE_NUMBER, .causes = causes, .serial = ++walk->serials};
}

bool value_equal(const struct value *a, const struct value *b)
{
	bool same_poly = a->poly == b->poly ? a->poly || a->serial == b->serial : poly_equal(a->poly, b->poly);
	return same_poly && a->kind == b->kind && a->causes == b->causes && a->number == b->number &&
	       a->closure == b->closure && a->record == b->record && a->named == b->named &&
	       claim_equal(a->claims, b->claims);
}

/* Merges two values into one that depends on control. If one is a pointer into an array, the result is one into
 * that array too. */
struct value walk_merge_values(struct walk *walk, const struct value *a, const struct value *b)
{
	if (value_equal(a, b))
		return *a;
	struct value merged = value_unknown(walk, CAUSE_CONTROL);
	const struct value *pointer = a->kind == VALUE_ARRAY ? a : b;
	if (pointer->kind == VALUE_ARRAY) {
		merged.kind = VALUE_ARRAY;
		merged.number = pointer->number;
	} else if (a->kind == VALUE_MEMORY || b->kind == VALUE_MEMORY) {
		merged.kind = VALUE_MEMORY;
		merged.named = a->named && b->named;
	}
	return merged;
}

static uint32_t add_symbol(struct walk *walk, struct source_symbol symbol)
{
	if (walk->symbol_count == walk->symbol_capacity) {
		uint32_t capacity = walk->symbol_capacity ? 2 * walk->symbol_capacity : 32;
		walk->symbols = base_realloc(walk->symbols, capacity * sizeof *walk->symbols);
		walk->bounds = base_realloc(walk->bounds, capacity * sizeof *walk->bounds);
		walk->symbol_capacity = capacity;
	}
	uint32_t number = walk->symbol_count++;
	struct source_symbol *kept = arena_alloc(walk->arena, sizeof *kept);
	*kept = symbol;
	kept->number = number;
	walk->symbols[number] = kept;
	walk->bounds[number] = (struct bound){0};
	return number;
}

uint32_t walk_symbol(struct walk *walk, enum source_symbol_kind kind, uint32_t axis, const char *name)
{
	for (uint32_t i = 0; i < walk->symbol_count; i++)
		if (walk->symbols[i]->kind == kind && strcmp(walk->symbols[i]->name, name) == 0)
			return i;
	const char *kept = arena_string(walk->arena, name, strlen(name));
	return add_symbol(walk, (struct source_symbol){.kind = kind, .axis = axis, .name = kept});
}

uint32_t walk_loop_symbol(struct walk *walk, const char *name)
{
	const char *kept = arena_string(walk->arena, name, strlen(name));
	return add_symbol(walk, (struct source_symbol){.kind = SOURCE_LOOP, .name = kept});
}

static uint32_t walk_array(struct walk *walk, const char *name, const struct type *type)
{
	for (uint32_t i = 0; i < walk->array_count; i++)
		if (strcmp(walk->arrays[i].name, name) == 0)
			return i;
	if (walk->array_count == walk->array_capacity) {
		walk->array_capacity = walk->array_capacity ? 2 * walk->array_capacity : 8;
		walk->arrays = base_realloc(walk->arrays, walk->array_capacity * sizeof *walk->arrays);
	}
	walk->arrays[walk->array_count] = (struct source_array){
		.name = arena_string(walk->arena, name, strlen(name)),
		.element = type->target,
		.element_size = type->target_size,
	};
	return walk->array_count++;
}

/* Returns the value of a variable or member before anything is assigned to it. */
static struct value initial(struct walk *walk, struct decl *decl, const char *member, const struct type *type)
{
	char name[256];
	snprintf(name, sizeof name, "%s%s", decl->name, member);
	if (decl->kind == DECL_TEMPLATE && !decl->kernel_parameter) /* of a called function */
		return value_unknown(walk, CAUSE_OPERATOR);
	if (decl->kind == DECL_TEMPLATE)
		return value_of(poly_symbol(walk->arena, walk_symbol(walk, SOURCE_TEMPLATE, 0, name)));
	if (!decl->kernel_parameter)
		return (struct value){.kind = VALUE_NUMBER, .causes = CAUSE_CONTROL};
	if (type->kind == TYPE_POINTER)
		return (struct value){.kind = VALUE_ARRAY,
		                      .number = walk_array(walk, name, type),
		                      .poly = poly_constant(walk->arena, 0)};
	if (type->kind == TYPE_RECORD && !*member)
		return (struct value){.kind = VALUE_RECORD, .record = decl};
	if (type->kind == TYPE_INTEGER || type->kind == TYPE_OTHER)
		return value_of(poly_symbol(walk->arena, walk_symbol(walk, SOURCE_ARGUMENT, 0, name)));
	return value_unknown(walk, CAUSE_OPERATOR);
}

uint32_t walk_slot(struct walk *walk, struct decl *decl, const char *member, const struct type *type)
{
	for (const struct slot *slot = decl->slots; slot; slot = slot->next)
		if (strcmp(slot->member, member) == 0)
			return slot->number;
	if (walk->slots == walk->slot_capacity) {
		walk->slot_capacity = walk->slot_capacity ? 2 * walk->slot_capacity : 32;
		walk->initial = base_realloc(walk->initial, walk->slot_capacity * sizeof *walk->initial);
		walk->owners = base_realloc(walk->owners, walk->slot_capacity * sizeof *walk->owners);
	}
	struct slot *slot = arena_alloc(walk->arena, sizeof *slot);
	*slot = (struct slot){arena_string(walk->arena, member, strlen(member)), walk->slots++, decl->slots};
	decl->slots = slot;
	walk->owners[slot->number] = (struct owner){decl, slot->member, *type};
	walk->initial[slot->number] = initial(walk, decl, slot->member, type);
	return slot->number;
}

struct value *state_at(struct walk *walk, struct state *state, uint32_t slot)
{
	if (slot >= state->count) {
		struct value *grown = arena_array(walk->arena, walk->slots + 8, sizeof *grown);
		for (uint32_t i = 0; i < walk->slots; i++)
			grown[i] = i < state->count ? state->values[i] : walk->initial[i];
		state->values = grown;
		state->count = walk->slots;
	}
	return &state->values[slot];
}

struct state state_copy(const struct walk *walk, const struct state *state)
{
	struct state copy = *state;
	copy.values = arena_array(walk->arena, state->count + 1, sizeof *copy.values);
	if (state->count)
		memcpy(copy.values, state->values, state->count * sizeof *copy.values);
	return copy;
}

void state_merge(struct walk *walk, struct state *into, const struct state *other)
{
	if (!other->alive)
		return;
	if (!into->alive) {
		*into = state_copy(walk, other);
		return;
	}
	for (uint32_t i = 0; i < walk->slots; i++) {
		struct value *mine = state_at(walk, into, i);
		const struct value *theirs = i < other->count ? &other->values[i] : &walk->initial[i];
		*mine = walk_merge_values(walk, mine, theirs);
	}
}

void walk_read(struct walk *walk, const struct read *read)
{
	if (walk->silent)
		return;
	if (walk->read_count == walk->read_capacity) {
		walk->read_capacity = walk->read_capacity ? 2 * walk->read_capacity : 32;
		walk->reads = base_realloc(walk->reads, walk->read_capacity * sizeof *walk->reads);
	}
	walk->reads[walk->read_count++] = *read;
}
