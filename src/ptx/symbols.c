/* symbols: names and scopes. Every word of the file is interned once, and declarations are attached to the name. A
 * look-up therefore costs nothing, and leaving a scope costs only its declarations. */
#include "base/edit_distance.h"
#include "ptx/parse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint32_t hash_text(const char *text, uint32_t length)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (uint32_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash ^ hash >> 15;
}

static struct name **find_slot(struct name_table *table, const char *text, uint32_t length, uint32_t hash)
{
	uint32_t at = hash & (table->capacity - 1);
	for (;; at = (at + 1) & (table->capacity - 1)) {
		struct name *name = table->slot[at];
		if (!name || (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0))
			return &table->slot[at];
	}
}

static void grow(struct name_table *table)
{
	struct name_table larger = {.capacity = table->capacity ? 2 * table->capacity : 2048, .count = table->count};
	larger.slot = base_calloc(larger.capacity, sizeof(struct name *));
	for (uint32_t i = 0; i < table->capacity; i++) {
		struct name *name = table->slot[i];
		if (name)
			*find_slot(&larger, name->text, name->length, name->hash) = name;
	}
	free(table->slot);
	*table = larger;
}

struct name *intern(struct parser *p, const char *text, uint32_t length)
{
	if (2 * p->names.count >= p->names.capacity)
		grow(&p->names);
	uint32_t hash = hash_text(text, length);
	struct name **slot = find_slot(&p->names, text, length, hash);
	if (!*slot) {
		*slot = arena_alloc(&p->scratch, sizeof **slot);
		**slot = (struct name){.text = text, .length = length, .hash = hash, .opcode = PTX_OPCODES};
		p->names.count++;
	}
	return *slot;
}

void names_open(struct parser *p)
{
	for (uint32_t op = 0; op < PTX_OPCODES; op++)
		intern(p, ptx_ops[op].name, (uint32_t)strlen(ptx_ops[op].name))->opcode = (uint16_t)op;
	forms_open(p);
	assert(ptx_suffix_count <= MAX_SUFFIXES);
	for (uint32_t i = ptx_suffix_count; i-- > 0;) {
		struct name *name = intern(p, ptx_suffixes[i].word, (uint32_t)strlen(ptx_suffixes[i].word));
		p->next_suffix[i] = name->suffix;
		name->suffix = (uint16_t)(i + 1);
	}
	for (uint8_t type = PTX_PRED; type < PTX_TYPES; type++)
		intern(p, ptx_type_name(type), (uint32_t)strlen(ptx_type_name(type)))->type = type;
	for (uint8_t space = PTX_REG; space < PTX_SPACES; space++)
		intern(p, ptx_space_name(space), (uint32_t)strlen(ptx_space_name(space)))->space = space;
	/* %tid.x is two words: the entry of %tid has the number of its .x; .y and .z follow. */
	for (uint8_t sreg = PTX_SREGS - 1; sreg > PTX_SREG_NONE; sreg--) {
		const char *text = ptx_sreg_name(sreg);
		intern(p, text, (uint32_t)strcspn(text, "."))->sreg = sreg;
	}
}

void names_close(struct parser *p)
{
	free(p->names.slot);
	arena_free(&p->scratch);
}

void scope_open(struct parser *p, struct scope *scope)
{
	*scope = (struct scope){.outer = p->scope, .depth = p->scope ? p->scope->depth + 1 : 0};
	p->scope = scope;
}

/* Resolves uses of labels that this scope declares; other uses pass to the enclosing scope. */
static void resolve_labels(struct parser *p, struct scope *scope)
{
	struct label_use *next;
	for (struct label_use *use = scope->uses; use; use = next) {
		next = use->next;
		const struct symbol *symbol = use->name->symbol;
		if (symbol && symbol->kind == SYMBOL_LABEL && symbol->depth == scope->depth) {
			use->operand->target = symbol->reg;
		} else if (scope->depth > 1) {
			use->next = scope->outer->uses;
			scope->outer->uses = use;
		} else {
			fail(p, use->operand->place, "unknown label '%.*s'; expected a label of this function",
			     (int)use->name->length, use->name->text);
		}
	}
}

void scope_close(struct parser *p)
{
	struct scope *scope = p->scope;
	resolve_labels(p, scope);
	for (struct symbol *symbol = scope->symbols; symbol; symbol = symbol->next)
		symbol->name->symbol = symbol->outer;
	p->scope = scope->outer;
}

/* Returns a name that is unique in the function: the written one, or with '$' and a number appended. */
static const char *unique_name(struct parser *p, struct name *name)
{
	bool taken = name->taken_in == p->function_serial || (p->scope->depth > 1 && name->symbol);
	name->taken_in = p->function_serial;
	if (!taken)
		return arena_string(p->arena, name->text, name->length);
	for (;;) {
		char number[16];
		uint32_t digits = (uint32_t)snprintf(number, sizeof number, "$%u", ++name->copies);
		char *text = arena_alloc(p->arena, name->length + digits + 1);
		memcpy(text, name->text, name->length);
		memcpy(text + name->length, number, digits);
		struct name *copy = intern(p, text, name->length + digits);
		if (copy->taken_in == p->function_serial || copy->symbol)
			continue;
		copy->taken_in = p->function_serial;
		return text;
	}
}

struct symbol *declare(struct parser *p, enum symbol_kind kind, struct name *name, struct diag_place place,
                       const char **unique)
{
	const struct symbol *old = name->symbol;
	if (old && old->depth == p->scope->depth) {
		fail(p, place, "'%.*s' is declared twice, first in line %u; expected another name", (int)name->length,
		     name->text, old->place.line);
		return NULL;
	}
	if (unique)
		*unique = p->scope->depth ? unique_name(p, name) : arena_string(p->arena, name->text, name->length);
	struct symbol *symbol = arena_alloc(&p->scratch, sizeof *symbol);
	*symbol = (struct symbol){.kind = kind,
	                          .depth = p->scope->depth,
	                          .name = name,
	                          .outer = name->symbol,
	                          .next = p->scope->symbols,
	                          .place = place};
	p->scope->symbols = symbol;
	name->symbol = symbol;
	return symbol;
}

struct symbol *lookup(struct parser *p, struct name *name)
{
	/* A module's name that the function uses is reserved there: a later local of the same name gets another. */
	if (name->symbol && name->symbol->depth == 0)
		name->taken_in = p->function_serial;
	return name->symbol;
}

enum { LONGEST_SLIP = 32 };

static bool copy_word(const struct name *name, char word[LONGEST_SLIP])
{
	if (name->length >= LONGEST_SLIP)
		return false;
	memcpy(word, name->text, name->length);
	word[name->length] = '\0';
	return true;
}

static void nearer(const char *word, const char *candidate, uint32_t *best, const char **nearest)
{
	if (edit_distance_is_nearer(word, candidate, best))
		*nearest = candidate;
}

const char *nearest_opcode(const struct name *name)
{
	char word[LONGEST_SLIP];
	uint32_t best = EDIT_DISTANCE_FAR;
	const char *nearest = NULL;
	if (copy_word(name, word))
		for (uint32_t op = 0; op < PTX_OPCODES; op++)
			nearer(word, ptx_ops[op].name, &best, &nearest);
	return nearest;
}

const char *nearest_suffix(const struct parser *p, const struct name *name, enum ptx_opcode op)
{
	char word[LONGEST_SLIP];
	uint32_t best = EDIT_DISTANCE_FAR;
	const char *nearest = NULL;
	if (!copy_word(name, word))
		return NULL;
	for (uint32_t i = 0; i < ptx_suffix_count; i++)
		if (ptx_suffixes[i].groups & ptx_ops[op].modifiers)
			nearer(word, ptx_suffixes[i].word, &best, &nearest);
	for (uint32_t type = PTX_PRED; type < PTX_TYPES; type++)
		if (has_type(p->forms[op].types | p->forms[op].types2, type))
			nearer(word, ptx_type_name(type), &best, &nearest);
	return nearest;
}
