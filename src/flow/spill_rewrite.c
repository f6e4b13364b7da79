/* The code of spilling: each instruction that uses a spilled register gets a fresh one, loaded before it and stored behind
 * it. A branch to the instruction goes to its loads. */
#include "flow/spill.h"

#include "flow/sets.h"

#include <stdio.h>
#include <string.h>

enum { SLOT_BYTES = 4, DEPOT_ALIGN = 8 };

struct rewriter {
	struct spill_function *spilled;
	struct ptx_function *function;
	struct arena *arena; /* the module's */
	const uint64_t *set;
	uint64_t *slot;     /* by register: its offset in the depot */
	uint32_t *moved_to; /* by old instruction: the first of what it has become; the body's end too */
	struct ptx_inst *body;
	uint32_t body_count;
	struct flow_spills *spills;
};

static bool is_spilled(const struct rewriter *rewriter, uint32_t reg)
{
	return reg < rewriter->spilled->own && set_has(rewriter->set, reg);
}

static bool begins_name_of(const char *text, const struct ptx_variable *variable)
{
	for (; variable; variable = variable->next)
		if (strncmp(variable->name, text, strlen(text)) == 0)
			return true;
	return false;
}

static bool is_taken(const struct ptx_function *function, const char *text)
{
	for (uint32_t i = 0; i < function->reg_count; i++)
		if (strncmp(function->regs[i].name, text, strlen(text)) == 0)
			return true;
	return begins_name_of(text, function->locals) || begins_name_of(text, function->module->variables);
}

/* The name with as many '_' behind it as make it the beginning of no other. */
static const char *fresh_name(struct arena *arena, const struct ptx_function *function, const char *name)
{
	while (is_taken(function, name)) {
		size_t length = strlen(name);
		char *longer = arena_alloc(arena, length + 2);
		memcpy(longer, name, length);
		longer[length] = '_';
		name = longer;
	}
	return name;
}

struct spill_function spill_begin(struct ptx_module *module, struct ptx_function *function)
{
	return (struct spill_function){.module = module,
	                               .function = function,
	                               .stem = fresh_name(&module->arena, function, "%spill"),
	                               .own = function->reg_count};
}

static struct ptx_variable *new_depot(struct arena *arena, struct ptx_function *function)
{
	struct ptx_variable *depot = arena_alloc(arena, sizeof *depot), **link = &function->locals;
	*depot = (struct ptx_variable){.name = fresh_name(arena, function, "__spill"),
	                               .space = PTX_LOCAL,
	                               .type = PTX_B8,
	                               .vector = 1,
	                               .align = DEPOT_ALIGN,
	                               .dimensions = 1,
	                               .function = function,
	                               .place = function->place};
	while (*link)
		link = &(*link)->next;
	*link = depot;
	return depot;
}

static uint32_t slot_bytes(const struct rewriter *rewriter, uint32_t reg)
{
	uint32_t bytes = ptx_type_bytes(rewriter->function->regs[reg].type);
	return bytes > SLOT_BYTES ? bytes : SLOT_BYTES;
}

static void give_slots(struct rewriter *rewriter)
{
	struct ptx_variable *depot = rewriter->spilled->depot;
	uint64_t end = depot->size;
	for (uint32_t reg = 0; reg < rewriter->spilled->own; reg++) {
		if (!is_spilled(rewriter, reg))
			continue;
		uint32_t bytes = slot_bytes(rewriter, reg);
		end = (end + bytes - 1) / bytes * bytes;
		rewriter->slot[reg] = end;
		end += bytes;
	}
	depot->size = depot->dimension[0] = end;
}

/* How many spilled registers the function's instructions use in all, each instruction's counted once. */
static uint32_t count_sites(const struct rewriter *rewriter)
{
	struct spill_site site[SPILL_MAX_SITES];
	uint32_t sites = 0;
	for (uint32_t i = 0; i < rewriter->function->body_count; i++)
		for (uint32_t k = spill_sites(&rewriter->function->body[i], site); k-- > 0;)
			sites += is_spilled(rewriter, site[k].reg);
	return sites;
}

/* Room for the fresh registers and for what is inserted: at most a load and a store for each. */
static void make_room(struct rewriter *rewriter)
{
	struct ptx_function *function = rewriter->function;
	uint32_t sites = count_sites(rewriter);
	struct ptx_reg *regs = arena_array(rewriter->arena, (size_t)function->reg_count + sites, sizeof *regs);
	memcpy(regs, function->regs, function->reg_count * sizeof *regs);
	function->regs = regs;
	rewriter->body =
		arena_array(rewriter->arena, (size_t)function->body_count + 2 * (size_t)sites, sizeof *rewriter->body);
	rewriter->moved_to = arena_array(rewriter->arena, (size_t)function->body_count + 1, sizeof *rewriter->moved_to);
}

static uint32_t fresh_register(struct rewriter *rewriter, enum ptx_type type)
{
	struct ptx_function *function = rewriter->function;
	uint32_t id = function->reg_count++, number = id - rewriter->spilled->own;
	size_t size = strlen(rewriter->spilled->stem) + sizeof "4294967295";
	char *name = arena_alloc(rewriter->arena, size);
	snprintf(name, size, "%s%u", rewriter->spilled->stem, number);
	function->regs[id] = (struct ptx_reg){.name = name, .type = type, .id = id, .number = number};
	return id;
}

static void replace(struct ptx_operand *operand, uint32_t count, uint32_t reg, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++) {
		enum ptx_operand_kind kind = operand[i].kind;
		bool has_reg = kind == PTX_OPERAND_REG || kind == PTX_OPERAND_ADDRESS || kind == PTX_OPERAND_TEXTURE;
		if (has_reg && operand[i].reg == reg)
			operand[i].reg = by;
		replace(operand[i].element, operand[i].count, reg, by);
	}
}

static enum ptx_type untyped(uint32_t bytes)
{
	return bytes == 8 ? PTX_B64 : bytes == 4 ? PTX_B32 : bytes == 2 ? PTX_B16 : PTX_B8;
}

/* A load of the register from its slot, or a store to it, on behalf of an instruction. */
static struct ptx_inst *insert(struct rewriter *rewriter, enum ptx_opcode op, const struct ptx_inst *for_inst,
                               uint32_t spilled, uint32_t fresh)
{
	const struct ptx_reg *reg = &rewriter->function->regs[fresh];
	struct ptx_operand *operand = arena_array(rewriter->arena, 2, sizeof *operand);
	bool is_load = op == PTX_OP_LD;
	operand[!is_load] = (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = fresh, .place = for_inst->place};
	operand[is_load] = (struct ptx_operand){.kind = PTX_OPERAND_ADDRESS,
	                                        .reg = PTX_NO_REG,
	                                        .symbol = rewriter->spilled->depot,
	                                        .offset = (int64_t)rewriter->slot[spilled],
	                                        .place = for_inst->place};
	struct ptx_inst *inst = &rewriter->body[rewriter->body_count++];
	*inst = (struct ptx_inst){.op = op,
	                          .type = untyped(ptx_type_bytes(reg->type)),
	                          .pattern = is_load ? "T>m" : ">mT",
	                          .guard = PTX_NO_REG,
	                          .space = PTX_LOCAL,
	                          .vector = 1,
	                          .operand = operand,
	                          .operands = 2,
	                          .destinations = is_load,
	                          .is_spill = true,
	                          .place = for_inst->place,
	                          .source_file = for_inst->source_file,
	                          .source_line = for_inst->source_line,
	                          .source_column = for_inst->source_column};
	return inst;
}

static bool writes_guard(const struct ptx_inst *inst)
{
	uint32_t ids[PTX_MAX_IDS];
	for (uint32_t i = ptx_inst_writes(inst, ids); i-- > 0;)
		if (ids[i] == inst->guard)
			return true;
	return false;
}

/* Only the lanes that have a new value store it, where that can still be told. */
static void insert_store(struct rewriter *rewriter, const struct ptx_inst *inst, uint32_t spilled, uint32_t fresh)
{
	struct ptx_inst *store = insert(rewriter, PTX_OP_ST, inst, spilled, fresh);
	if (inst->guard != PTX_NO_REG && !writes_guard(inst)) {
		store->guard = inst->guard;
		store->guard_negated = inst->guard_negated;
	}
	rewriter->spills->stores++;
}

static void rewrite_inst(struct rewriter *rewriter, struct ptx_inst *inst)
{
	struct spill_site site[SPILL_MAX_SITES];
	uint32_t sites = spill_sites(inst, site), fresh[SPILL_MAX_SITES];
	for (uint32_t i = 0; i < sites; i++) {
		if (!is_spilled(rewriter, site[i].reg))
			continue;
		fresh[i] = fresh_register(rewriter, rewriter->function->regs[site[i].reg].type);
		replace(inst->operand, inst->operands, site[i].reg, fresh[i]);
		if (site[i].loads)
			insert(rewriter, PTX_OP_LD, inst, site[i].reg, fresh[i]);
		rewriter->spills->loads += site[i].loads;
	}
	rewriter->body[rewriter->body_count++] = *inst;
	for (uint32_t i = 0; i < sites; i++)
		if (is_spilled(rewriter, site[i].reg) && site[i].stores)
			insert_store(rewriter, inst, site[i].reg, fresh[i]);
}

/* Branches and labels follow the instructions that they name. */
static void move_targets(struct rewriter *rewriter)
{
	for (uint32_t i = 0; i < rewriter->body_count; i++)
		for (uint32_t k = 0; k < rewriter->body[i].operands; k++) {
			struct ptx_operand *operand = &rewriter->body[i].operand[k];
			if (operand->kind == PTX_OPERAND_LABEL)
				operand->target = rewriter->moved_to[operand->target];
		}
	for (struct ptx_label *label = rewriter->function->labels; label; label = label->next)
		label->target = rewriter->moved_to[label->target];
}

void spill_rewrite(struct spill_function *spilled, const uint64_t *set, struct flow_spills *spills)
{
	struct ptx_function *function = spilled->function;
	struct arena *arena = &spilled->module->arena;
	struct rewriter rewriter = {.spilled = spilled,
	                            .function = function,
	                            .arena = arena,
	                            .set = set,
	                            .slot = arena_array(arena, spilled->own, sizeof *rewriter.slot),
	                            .spills = spills};
	if (!spilled->depot)
		spilled->depot = new_depot(arena, function);
	give_slots(&rewriter);
	make_room(&rewriter);
	for (uint32_t i = 0; i < function->body_count; i++) {
		rewriter.moved_to[i] = rewriter.body_count;
		rewrite_inst(&rewriter, &function->body[i]);
	}
	rewriter.moved_to[function->body_count] = rewriter.body_count;
	move_targets(&rewriter);
	function->body = rewriter.body;
	function->body_count = rewriter.body_count;
}
