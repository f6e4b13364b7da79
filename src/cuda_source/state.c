/* state: what each variable holds at a point of the kernel, and what becomes of it where paths meet. */
#include "cuda_source/inner.h"

#include <string.h>

struct value value_of(const struct poly *poly)
{
	return (struct value){.kind = VALUE_NUMBER, .poly = poly, .causes = poly ? 0 : CAUSE_OPERATOR};
}

struct value value_unknown(struct run *run, uint8_t causes)
{
	return (struct value){.kind = VALUE_NUMBER, .causes = causes, .serial = ++run->serials};
}

bool value_equal(const struct value *a, const struct value *b)
{
	bool same_poly = a->poly == b->poly ? a->poly || a->serial == b->serial : poly_equal(a->poly, b->poly);
	return same_poly && a->kind == b->kind && a->causes == b->causes && a->number == b->number &&
	       a->closure == b->closure && a->record == b->record && a->named == b->named &&
	       claim_equal(a->claims, b->claims);
}

/* A value that depends on the path: where both are pointers into one array, a pointer into that one still. */
struct value run_merge_values(struct run *run, const struct value *a, const struct value *b)
{
	if (value_equal(a, b))
		return *a;
	struct value merged = value_unknown(run, CAUSE_CONTROL);
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

static uint32_t add_symbol(struct run *run, struct source_symbol symbol)
{
	if (run->symbol_count == run->symbol_capacity) {
		uint32_t capacity = run->symbol_capacity ? 2 * run->symbol_capacity : 32;
		run->symbols = xrealloc(run->symbols, capacity * sizeof *run->symbols);
		run->bounds = xrealloc(run->bounds, capacity * sizeof *run->bounds);
		run->symbol_capacity = capacity;
	}
	uint32_t number = run->symbol_count++;
	struct source_symbol *kept = arena_alloc(run->arena, sizeof *kept);
	*kept = symbol;
	kept->number = number;
	run->symbols[number] = kept;
	run->bounds[number] = (struct bound){0};
	return number;
}

uint32_t run_symbol(struct run *run, enum source_symbol_kind kind, uint32_t axis, const char *name)
{
	for (uint32_t i = 0; i < run->symbol_count; i++)
		if (run->symbols[i]->kind == kind && strcmp(run->symbols[i]->name, name) == 0)
			return i;
	const char *kept = arena_string(run->arena, name, strlen(name));
	return add_symbol(run, (struct source_symbol){.kind = kind, .axis = axis, .name = kept});
}

uint32_t run_loop_symbol(struct run *run, const char *name)
{
	const char *kept = arena_string(run->arena, name, strlen(name));
	return add_symbol(run, (struct source_symbol){.kind = SOURCE_LOOP, .name = kept});
}

uint32_t run_array(struct run *run, const char *name, const struct type *type)
{
	for (uint32_t i = 0; i < run->array_count; i++)
		if (strcmp(run->arrays[i].name, name) == 0)
			return i;
	if (run->array_count == run->array_capacity) {
		run->array_capacity = run->array_capacity ? 2 * run->array_capacity : 8;
		run->arrays = xrealloc(run->arrays, run->array_capacity * sizeof *run->arrays);
	}
	run->arrays[run->array_count] = (struct source_array){
		.name = arena_string(run->arena, name, strlen(name)),
		.element = type->target,
		.element_size = type->target_size,
	};
	return run->array_count++;
}

/* What a variable, or a member of it, holds before anything is assigned to it. */
static struct value initial(struct run *run, struct decl *decl, const char *member, const struct type *type)
{
	char name[256];
	snprintf(name, sizeof name, "%s%s", decl->name, member);
	if (decl->kind == DECL_TEMPLATE && !decl->kernel_parameter) /* of a function that is called */
		return value_unknown(run, CAUSE_OPERATOR);
	if (decl->kind == DECL_TEMPLATE)
		return value_of(poly_symbol(run->arena, run_symbol(run, SOURCE_TEMPLATE, 0, name)));
	if (!decl->kernel_parameter)
		return (struct value){.kind = VALUE_NUMBER, .causes = CAUSE_CONTROL};
	if (type->kind == TYPE_POINTER)
		return (struct value){.kind = VALUE_ARRAY,
		                      .number = run_array(run, name, type),
		                      .poly = poly_constant(run->arena, 0)};
	if (type->kind == TYPE_RECORD && !*member)
		return (struct value){.kind = VALUE_RECORD, .record = decl};
	if (type->kind == TYPE_INTEGER || type->kind == TYPE_OTHER)
		return value_of(poly_symbol(run->arena, run_symbol(run, SOURCE_ARGUMENT, 0, name)));
	return value_unknown(run, CAUSE_OPERATOR);
}

uint32_t run_slot(struct run *run, struct decl *decl, const char *member, const struct type *type)
{
	for (const struct slot *slot = decl->slots; slot; slot = slot->next)
		if (strcmp(slot->member, member) == 0)
			return slot->number;
	if (run->slots == run->slot_capacity) {
		run->slot_capacity = run->slot_capacity ? 2 * run->slot_capacity : 32;
		run->initial = xrealloc(run->initial, run->slot_capacity * sizeof *run->initial);
		run->owners = xrealloc(run->owners, run->slot_capacity * sizeof *run->owners);
	}
	struct slot *slot = arena_alloc(run->arena, sizeof *slot);
	*slot = (struct slot){arena_string(run->arena, member, strlen(member)), run->slots++, decl->slots};
	decl->slots = slot;
	run->owners[slot->number] = (struct owner){decl, slot->member, *type};
	run->initial[slot->number] = initial(run, decl, slot->member, type);
	return slot->number;
}

struct value *state_at(struct run *run, struct state *state, uint32_t slot)
{
	if (slot >= state->count) {
		struct value *grown = arena_array(run->arena, run->slots + 8, sizeof *grown);
		for (uint32_t i = 0; i < run->slots; i++)
			grown[i] = i < state->count ? state->values[i] : run->initial[i];
		state->values = grown;
		state->count = run->slots;
	}
	return &state->values[slot];
}

struct state state_copy(const struct run *run, const struct state *state)
{
	struct state copy = *state;
	copy.values = arena_array(run->arena, state->count + 1, sizeof *copy.values);
	if (state->count)
		memcpy(copy.values, state->values, state->count * sizeof *copy.values);
	return copy;
}

void state_merge(struct run *run, struct state *into, const struct state *other)
{
	if (!other->alive)
		return;
	if (!into->alive) {
		*into = state_copy(run, other);
		return;
	}
	for (uint32_t i = 0; i < run->slots; i++) {
		struct value *mine = state_at(run, into, i);
		const struct value *theirs = i < other->count ? &other->values[i] : &run->initial[i];
		*mine = run_merge_values(run, mine, theirs);
	}
}

void run_read(struct run *run, const struct read *read)
{
	if (run->silent)
		return;
	if (run->read_count == run->read_capacity) {
		run->read_capacity = run->read_capacity ? 2 * run->read_capacity : 32;
		run->reads = xrealloc(run->reads, run->read_capacity * sizeof *run->reads);
	}
	run->reads[run->read_count++] = *read;
}
