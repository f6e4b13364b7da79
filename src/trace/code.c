#include "trace/code.h"

#include "trace/replay.h"

#include <stdlib.h>
#include <string.h>

/* First ids of the registers of SASS in a program. R255, P7 and similar ones are constants. */
enum { UNIFORM = 256, PREDICATES = 320, UNIFORM_PREDICATES = 328, SASS_REGISTERS = 336, PTX_REGISTERS = 1 << 16 };
enum { MOST_INSTRUCTIONS = 1 << 22, MOST_WIDTH = 32 };

struct trace_slot {
	const char *key; /* pc and fixed, concatenated; NULL: free */
	size_t length;
	uint64_t hash;
	uint32_t number;
};

/* --- the table --- */

static uint64_t hash_bytes(uint64_t hash, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3;
	return hash;
}

static bool is_key(const struct trace_slot *slot, const struct trace_words *words)
{
	return slot->length == words->pc_length + words->fixed_length &&
	       memcmp(slot->key, words->pc, words->pc_length) == 0 &&
	       memcmp(slot->key + words->pc_length, words->fixed, words->fixed_length) == 0;
}

static struct trace_slot *free_slot(const struct trace_code *code, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 32) & (code->slots - 1);
	while (code->slot[at].key)
		at = (at + 1) & (code->slots - 1);
	return &code->slot[at];
}

static void grow(struct trace_code *code)
{
	struct trace_slot *old = code->slot;
	uint32_t slots = code->slots;
	code->slots = slots ? 2 * slots : 1024;
	code->slot = base_calloc(code->slots, sizeof *code->slot);
	for (uint32_t i = 0; i < slots; i++)
		if (old[i].key)
			*free_slot(code, old[i].hash) = old[i];
	free(old);
}

static const struct trace_slot *find(const struct trace_code *code, const struct trace_words *words, uint64_t hash)
{
	for (uint32_t at = (uint32_t)(hash >> 32) & (code->slots - 1); code->slot[at].key;
	     at = (at + 1) & (code->slots - 1))
		if (code->slot[at].hash == hash && is_key(&code->slot[at], words))
			return &code->slot[at];
	return NULL;
}

static uint32_t add_instruction(struct trace_code *code, struct trace_static *fixed)
{
	if (code->count == code->capacity) {
		code->capacity = code->capacity ? 2 * code->capacity : 256;
		code->list = base_realloc(code->list, code->capacity * sizeof *code->list);
	}
	code->list[code->count] = fixed;
	return code->count++;
}

static void keep_key(struct trace_code *code, const struct trace_words *words, uint64_t hash, uint32_t number)
{
	size_t length = words->pc_length + words->fixed_length;
	char *key = arena_alloc(code->arena, length + 1);
	memcpy(key, words->pc, words->pc_length);
	memcpy(key + words->pc_length, words->fixed, words->fixed_length);
	if (2 * code->count > code->slots)
		grow(code);
	*free_slot(code, hash) = (struct trace_slot){key, length, hash, number};
}

/* --- registers --- */

/* The registers of an instruction, in two lists: for the scoreboard, each once, and for the banks. */
struct names {
	uint16_t id[SIMT_MAX_READS], bank[SIMT_MAX_READS];
	uint8_t ids, banks;
};

static bool add_id(struct names *names, uint32_t id, uint32_t most)
{
	for (uint8_t k = 0; k < names->ids; k++)
		if (names->id[k] == id)
			return true;
	if (names->ids == most)
		return false;
	names->id[names->ids++] = (uint16_t)id;
	return true;
}

/* Parses "R12", "P3", "UR4", "UP0", and for PTX "R700" (scoreboard) and "B12" (banks). Returns false for other
 * words. */
static bool take_register(const struct trace_code *code, const char *word, uint32_t most, struct names *names)
{
	size_t letters = strspn(word, "RUPB"), digits = strspn(word + letters, "0123456789");
	uint32_t number = (uint32_t)strtoul(word + letters, NULL, 10);
	if (!digits || digits > 5 || (word[letters + digits] && word[letters + digits] != ' '))
		return false;
	bool is_bank = letters == 1 && *word == 'B' && code->isa == TRACE_PTX;
	if (is_bank || (letters == 1 && *word == 'R' && code->isa != TRACE_PTX && number < 255)) {
		if (number >= PTX_REGISTERS || names->banks == most)
			return false;
		names->bank[names->banks++] = (uint16_t)number;
	}
	if (is_bank)
		return true;
	if (letters == 1 && *word == 'R' && code->isa == TRACE_PTX)
		return number < PTX_REGISTERS && add_id(names, number, most);
	if (letters == 1 && *word == 'R')
		return number == 255 || (number < 255 && add_id(names, number, most));
	if (letters == 1 && *word == 'P')
		return number == 7 || (number < 7 && add_id(names, PREDICATES + number, most));
	if (letters == 2 && memcmp(word, "UR", 2) == 0)
		return number == 63 || (number < 63 && add_id(names, UNIFORM + number, most));
	return letters == 2 && memcmp(word, "UP", 2) == 0 &&
	       (number == 7 || (number < 7 && add_id(names, UNIFORM_PREDICATES + number, most)));
}

static const char *take_registers(const struct trace_code *code, const char *word, uint32_t count, uint32_t most,
                                  struct names *names)
{
	*names = (struct names){0};
	for (; count; count--) {
		if (!take_register(code, word, most, names))
			return word;
		word += strcspn(word, " ");
		word += strspn(word, " ");
	}
	return NULL;
}

static uint16_t *kept(struct trace_code *code, const uint16_t *list, uint8_t count)
{
	uint16_t *copy = arena_array(code->arena, count + 1u, sizeof *copy);
	memcpy(copy, list, count * sizeof *copy);
	return copy;
}

static uint64_t fold(struct trace_code *code, const struct names *names)
{
	uint64_t set = 0;
	for (uint8_t k = 0; k < names->ids; k++) {
		set |= 1ull << names->id[k] % 64;
		if (names->id[k] >= code->registers)
			code->registers = names->id[k] + 1u;
	}
	return set;
}

static bool describe_registers(struct trace_code *code, const struct trace_lines *lines,
                               const struct trace_words *words, struct simt_inst *inst, struct diag *diag)
{
	struct names read, write;
	const char *wrong = take_registers(code, words->destination, words->destinations, SIMT_MAX_WRITES, &write);
	if (!wrong)
		wrong = take_registers(code, words->source, words->sources, SIMT_MAX_READS, &read);
	if (wrong) {
		trace_error(lines, diag, wrong, "expected a register; at most %d are written and %d read",
		            SIMT_MAX_WRITES, SIMT_MAX_READS);
		return false;
	}
	inst->reads = read.ids;
	inst->writes = write.ids;
	inst->bank_reads = read.banks;
	inst->bank_writes = write.banks;
	inst->read = kept(code, read.id, read.ids);
	inst->write = kept(code, write.id, write.ids);
	inst->bank_read = kept(code, read.bank, read.banks);
	inst->bank_write = kept(code, write.bank, write.banks);
	inst->defines = fold(code, &write);
	inst->touches = inst->defines | fold(code, &read);
	return true;
}

/* --- an instruction --- */

static bool accesses(const struct simt_inst *inst)
{
	return inst->kind == SIMT_LOAD || inst->kind == SIMT_STORE || inst->kind == SIMT_ATOMIC;
}

/* An access without addresses in the trace accesses nothing: it takes one cycle of the load/store unit. */
static void describe_access(struct trace_static *fixed, const struct trace_words *words, bool is_ours)
{
	struct simt_inst *inst = &fixed->inst;
	fixed->has_addresses = words->width && accesses(inst) && inst->space != PTX_TEX;
	fixed->skips_addresses = words->width && !fixed->has_addresses;
	if (is_ours)
		inst->size = (uint8_t)words->width;
	if (fixed->has_addresses)
		replay_addresses(inst);
	else if (accesses(inst))
		inst->kind = SIMT_ALU;
}

/* Returns the groups that a wait for copies leaves pending: its immediate. Old tracers omit it; then the wait is
 * for all groups. */
static int64_t groups_left(const struct trace_code *code, const struct trace_words *words)
{
	int64_t groups = strtoll(words->rest, NULL, code->isa == TRACE_PTX ? 16 : 10);
	return groups > 0 ? groups : 0;
}

static bool check_width(const struct trace_static *fixed, const struct trace_words *words)
{
	uint32_t size = fixed->inst.size, most = fixed->inst.space == PTX_LOCAL ? MOST_WIDTH / 2 : MOST_WIDTH;
	return words->width <= 255 && (!fixed->has_addresses || (size && !(size & (size - 1)) && size <= most));
}

static struct trace_static *new_static(struct trace_code *code, struct ptx_inst **ptx)
{
	struct trace_static *fixed = arena_alloc(code->arena, sizeof *fixed);
	*ptx = arena_alloc(code->arena, sizeof **ptx);
	(*ptx)->guard = PTX_NO_REG;
	(*ptx)->vector = 1;
	fixed->inst.ptx = *ptx;
	replay_instruction(&fixed->inst);
	return fixed;
}

static struct trace_static *describe(struct trace_code *code, const struct trace_lines *lines,
                                     const struct trace_words *words, struct diag *diag)
{
	struct ptx_inst *ptx;
	struct trace_static *fixed = new_static(code, &ptx);
	const char *at;
	const char *wrong =
		trace_describe(code->isa, words->opcode, words->opcode_length, &fixed->inst, ptx, &fixed->is_bulk, &at);
	if (wrong) {
		trace_error(lines, diag, at, "%s '%.*s' of %s", wrong, (int)(words->opcode + words->opcode_length - at),
		            at, trace_isa_name(code->isa));
		return NULL;
	}
	fixed->pc = strtoull(words->pc, NULL, 16);
	ptx->place.line = (uint32_t)lines->number;
	ptx->source_line = words->line;
	ptx->space = (enum ptx_space)fixed->inst.space;
	ptx->cache = (enum ptx_cache)fixed->inst.cache;
	describe_access(fixed, words, code->isa == TRACE_PTX);
	if (fixed->inst.async == SIMT_WAIT)
		fixed->inst.offset = groups_left(code, words);
	if (!check_width(fixed, words)) {
		trace_error(lines, diag, words->fixed, "an access of %u bytes per lane", words->width);
		return NULL;
	}
	return describe_registers(code, lines, words, &fixed->inst, diag) ? fixed : NULL;
}

uint32_t trace_code_find(struct trace_code *code, const struct trace_lines *lines, const struct trace_words *words,
                         struct diag *diag)
{
	uint64_t hash = hash_bytes(hash_bytes(0xcbf29ce484222325, words->pc, words->pc_length), words->fixed,
	                           words->fixed_length);
	const struct trace_slot *slot = code->slots ? find(code, words, hash) : NULL;
	if (slot)
		return slot->number;
	struct trace_static *fixed = describe(code, lines, words, diag);
	if (!fixed)
		return UINT32_MAX;
	if (code->count == MOST_INSTRUCTIONS) {
		trace_error(lines, diag, words->pc, "more than %d different instructions", MOST_INSTRUCTIONS);
		return UINT32_MAX;
	}
	uint32_t number = add_instruction(code, fixed);
	keep_key(code, words, hash, number);
	return number;
}

uint32_t trace_code_exit(struct trace_code *code)
{
	struct ptx_inst *ptx;
	struct trace_static *fixed = new_static(code, &ptx);
	ptx->op = PTX_OP_EXIT;
	fixed->inst.kind = SIMT_EXIT;
	fixed->inst.latency = PTX_LATENCY_BRANCH;
	return add_instruction(code, fixed);
}

/* --- positions --- */

static uint64_t lowest_pc(const struct trace_code *code)
{
	uint64_t lowest = UINT64_MAX;
	for (uint32_t i = 0; i < code->count; i++)
		lowest = code->list[i]->pc < lowest ? code->list[i]->pc : lowest;
	return lowest;
}

bool trace_code_place(struct trace_code *code, const struct trace_lines *lines, struct simt_program *program,
                      struct diag *diag)
{
	uint64_t bytes = trace_instruction_bytes(code->isa), lowest = lowest_pc(code) / bytes, last = 0;
	uint64_t base = lowest < MOST_INSTRUCTIONS ? 0 : lowest; /* absolute addresses, as written by some tracers */
	for (uint32_t i = 0; i < code->count; i++)
		last = code->list[i]->pc / bytes - base > last ? code->list[i]->pc / bytes - base : last;
	if (last >= MOST_INSTRUCTIONS) {
		trace_error(lines, diag, NULL, "the kernel's code spans %llu instructions; at most %d",
		            (unsigned long long)last + 1, MOST_INSTRUCTIONS);
		return false;
	}
	program->code = arena_array(code->arena, last + 1 + code->count, sizeof *program->code);
	program->count = (uint32_t)last + 1;
	for (uint32_t i = 0; i < code->count; i++) {
		struct trace_static *fixed = code->list[i];
		fixed->index = (uint32_t)(fixed->pc / bytes - base);
		if (program->code[fixed->index].ptx)
			fixed->index = program->count++;
		program->code[fixed->index] = fixed->inst;
	}
	for (uint32_t i = 0; i < program->count; i++)
		program->code[i].pc = i;
	program->registers = code->registers;
	return true;
}

void trace_code_free(struct trace_code *code)
{
	free(code->list);
	free(code->slot);
}
