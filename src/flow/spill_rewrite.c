/* spill_rewrite: the code of spilling. Each instruction that uses a spilled register gets a new register, with a
 * load before it and a store after it. A branch to the instruction leads to its loads. */
#include "flow/spill.h"

#include "flow/sets.h"

enum { SLOT_BYTES = 4, DEPOT_ALIGN = 8 };

struct rewriter {
	struct spill_function *spilled;
	struct edit *edit;
	const uint64_t *set;
	uint64_t *slot; /* by register: offset in the depot */
	struct flow_spills *spills;
};

static bool is_spilled(const struct rewriter *rewriter, uint32_t reg)
{
	return reg < rewriter->edit->own && set_has(rewriter->set, reg);
}

void spill_begin(struct spill_function *spilled, struct ptx_module *module, struct ptx_function *function)
{
	spilled->depot = NULL;
	edit_open(&spilled->edit, module, function, "spill");
}

static uint32_t slot_bytes(const struct rewriter *rewriter, uint32_t reg)
{
	uint32_t bytes = ptx_type_bytes(rewriter->edit->function->regs[reg].type);
	return bytes > SLOT_BYTES ? bytes : SLOT_BYTES;
}

static void give_slots(struct rewriter *rewriter)
{
	struct ptx_variable *depot = rewriter->spilled->depot;
	uint64_t end = depot->size;
	for (uint32_t reg = 0; reg < rewriter->edit->own; reg++) {
		if (!is_spilled(rewriter, reg))
			continue;
		uint32_t bytes = slot_bytes(rewriter, reg);
		end = (end + bytes - 1) / bytes * bytes;
		depot->align = bytes > depot->align ? bytes : depot->align;
		rewriter->slot[reg] = end;
		end += bytes;
	}
	depot->size = depot->dimension[0] = end;
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
	return bytes == 16 ? PTX_B128 : bytes == 8 ? PTX_B64 : bytes == 4 ? PTX_B32 : bytes == 2 ? PTX_B16 : PTX_B8;
}

/* Inserts a load of the register from its slot, or a store to it. */
static struct ptx_inst *insert(struct rewriter *rewriter, enum ptx_opcode op, struct edit_list *list, uint32_t spilled,
                               uint32_t fresh)
{
	bool is_load = op == PTX_OP_LD;
	struct ptx_operand operand[2];
	operand[!is_load] = (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = fresh};
	operand[is_load] = (struct ptx_operand){.kind = PTX_OPERAND_ADDRESS,
	                                        .reg = PTX_NO_REG,
	                                        .symbol = rewriter->spilled->depot,
	                                        .offset = (int64_t)rewriter->slot[spilled]};
	const struct ptx_inst inst = {.op = op,
	                              .type = untyped(ptx_type_bytes(rewriter->edit->function->regs[fresh].type)),
	                              .pattern = is_load ? "T>m" : ">mT",
	                              .guard = PTX_NO_REG,
	                              .space = PTX_LOCAL,
	                              .vector = 1,
	                              .operand = operand,
	                              .operands = 2,
	                              .destinations = is_load,
	                              .is_spill = true};
	return edit_add(rewriter->edit, list, &inst);
}

static bool writes_guard(const struct ptx_inst *inst)
{
	uint32_t ids[PTX_MAX_IDS];
	for (uint32_t i = ptx_inst_writes(inst, ids); i-- > 0;)
		if (ids[i] == inst->guard)
			return true;
	return false;
}

/* Only lanes with a new value store it, if the guard is still known after the instruction. */
static void insert_store(struct rewriter *rewriter, uint32_t at, uint32_t spilled, uint32_t fresh)
{
	const struct ptx_inst *inst = &rewriter->edit->function->body[at];
	struct ptx_inst *store = insert(rewriter, PTX_OP_ST, edit_fall(rewriter->edit, at + 1), spilled, fresh);
	if (inst->guard != PTX_NO_REG && !writes_guard(inst)) {
		store->guard = inst->guard;
		store->guard_negated = inst->guard_negated;
	}
	rewriter->spills->stores++;
}

static void rewrite_inst(struct rewriter *rewriter, uint32_t at)
{
	struct ptx_inst *inst = &rewriter->edit->function->body[at];
	struct spill_site site[SPILL_MAX_SITES];
	uint32_t sites = spill_sites(inst, site);
	for (uint32_t i = 0; i < sites; i++) {
		if (!is_spilled(rewriter, site[i].reg))
			continue;
		uint32_t fresh = edit_register(rewriter->edit, rewriter->edit->function->regs[site[i].reg].type).id;
		replace(inst->operand, inst->operands, site[i].reg, fresh);
		if (site[i].loads)
			insert(rewriter, PTX_OP_LD, edit_before(rewriter->edit, at), site[i].reg, fresh);
		if (site[i].stores)
			insert_store(rewriter, at, site[i].reg, fresh);
		rewriter->spills->loads += site[i].loads;
	}
}

void spill_rewrite(struct spill_function *spilled, const uint64_t *set, struct flow_spills *spills)
{
	struct edit *edit = &spilled->edit;
	struct arena scratch = {0};
	struct rewriter rewriter = {.spilled = spilled,
	                            .edit = edit,
	                            .set = set,
	                            .slot = arena_array(&scratch, edit->own, sizeof *rewriter.slot),
	                            .spills = spills};
	if (!spilled->depot)
		spilled->depot = edit_variable(edit, PTX_LOCAL, 0, DEPOT_ALIGN);
	give_slots(&rewriter);
	for (uint32_t at = 0; at < edit->function->body_count; at++)
		rewrite_inst(&rewriter, at);
	edit_apply(edit);
	arena_free(&scratch);
}
