/* values: values of registers at points of a function. They equal those of static single assignment form, but are
 * computed on demand.
 *
 * A register has one value at a block's entry, unless it is written between the block's immediate dominator and the
 * block. Then the values of the predecessors are merged. At a loop's header the result is an induction variable if
 * every path around the loop adds the same invariant step: init + step * counter.
 */
#include "flow/sets.h"
#include "flow/symbolic.h"

#include <string.h>

struct sym_entry {
	uint32_t reg;
	struct sym_value value;
	struct sym_entry *next;
};

static struct sym_value value_at_end(struct sym *sym, uint32_t reg, uint32_t block);

/* Returns true when the blocks can be ordered without the back edges to loop headers (Kahn's algorithm). */
static bool is_reducible(const struct sym *sym)
{
	const struct flow_cfg *cfg = sym->cfg;
	uint32_t *waits = arena_array(sym->arena, cfg->blocks, sizeof *waits), done = 0, reachable = 0, depth = 0;
	uint32_t *stack = arena_array(sym->arena, cfg->blocks, sizeof *stack);
	for (uint32_t b = 0; b < cfg->blocks; b++)
		for (uint32_t k = 0; k < cfg->block[b].predecessors; k++) {
			uint32_t from = cfg->block[b].predecessor[k];
			waits[b] += cfg->block[from].reachable && !flow_dominates(sym->idom, b, from);
		}
	for (uint32_t b = 0; b < cfg->blocks; b++) {
		reachable += cfg->block[b].reachable;
		if (cfg->block[b].reachable && !waits[b])
			stack[depth++] = b;
	}
	while (depth) {
		uint32_t from = stack[--depth];
		done++;
		for (uint32_t k = 0; k < cfg->block[from].successors; k++) {
			uint32_t to = cfg->block[from].successor[k];
			if (!flow_dominates(sym->idom, to, from) && --waits[to] == 0)
				stack[depth++] = to;
		}
	}
	return done == reachable;
}

void sym_open(struct sym *sym, struct arena *arena, const struct ptx_function *function)
{
	*sym = (struct sym){.arena = arena, .function = function, .cfg = flow_cfg_build(arena, function)};
	uint32_t blocks = sym->cfg->blocks, ids[FLOW_MAX_REGS];
	sym->idom = flow_dominators(arena, sym->cfg);
	sym->reg_words = function->reg_count / 64 + 1;
	sym->block_words = blocks / 64 + 1;
	sym->result = arena_array(arena, function->body_count, sizeof(struct sym_value *));
	sym->at_entry = arena_array(arena, blocks, sizeof(struct sym_entry *));
	sym->between = arena_array(arena, blocks, sizeof(uint64_t *));
	sym->defines = arena_array(arena, (size_t)blocks * sym->reg_words, sizeof *sym->defines);
	for (uint32_t i = 0; i < function->body_count; i++) {
		uint32_t count = ptx_inst_writes(&function->body[i], ids);
		for (uint32_t k = 0; k < count; k++)
			set_add(sym->defines + (size_t)sym->cfg->block_of[i] * sym->reg_words, ids[k]);
	}
	sym->loops = flow_loops(arena, sym->cfg, sym->idom, &sym->loop);
	sym->reducible = is_reducible(sym);
}

static const struct flow_loop *sym_find_loop(const struct sym *sym, uint32_t header)
{
	for (uint32_t i = 0; i < sym->loops; i++)
		if (sym->loop[i].header == header)
			return &sym->loop[i];
	return NULL;
}

uint32_t sym_intern(struct sym *sym, const struct sym_atom *atom)
{
	for (uint32_t i = 0; i < sym->atoms; i++) {
		const struct sym_atom *a = &sym->atom[i];
		if (a->kind == atom->kind && a->key == atom->key && a->key2 == atom->key2 &&
		    a->variable == atom->variable)
			return i;
	}
	if (sym->atoms == sym->atom_room) {
		uint32_t room = sym->atom_room ? 2 * sym->atom_room : 32;
		struct sym_atom *grown = arena_array(sym->arena, room, sizeof *grown);
		if (sym->atoms)
			memcpy(grown, sym->atom, sym->atoms * sizeof *grown);
		sym->atom = grown;
		sym->atom_room = room;
	}
	sym->atom[sym->atoms] = *atom;
	return sym->atoms++;
}

static uint32_t register_bits(const struct sym *sym, uint32_t reg)
{
	return 8 * ptx_type_bytes(sym->function->regs[reg].type);
}

/* Returns the last instruction before `inst` in its block that writes the register, or FLOW_NONE. */
static uint32_t sym_last_write(const struct sym *sym, uint32_t reg, uint32_t inst)
{
	uint32_t block = inst < sym->function->body_count ? sym->cfg->block_of[inst] : FLOW_NONE, ids[FLOW_MAX_REGS];
	while (inst-- > 0 && (block == FLOW_NONE || sym->cfg->block_of[inst] == block)) {
		uint32_t count = ptx_inst_writes(&sym->function->body[inst], ids);
		for (uint32_t k = 0; k < count; k++)
			if (ids[k] == reg)
				return inst;
		block = sym->cfg->block_of[inst];
	}
	return FLOW_NONE;
}

/* Returns true when the register is written between a block's immediate dominator and the block. The block itself
 * is included if it can reach itself. */
static bool written_between(struct sym *sym, uint32_t reg, uint32_t block)
{
	if (!sym->between[block]) {
		uint64_t *set = arena_array(sym->arena, sym->block_words, sizeof *set);
		uint32_t *stack = arena_array(sym->arena, sym->cfg->blocks + 1, sizeof *stack), depth = 0;
		stack[depth++] = block;
		while (depth) {
			const struct flow_block *b = &sym->cfg->block[stack[--depth]];
			for (uint32_t k = 0; k < b->predecessors; k++)
				if (b->predecessor[k] != sym->idom[block] &&
				    sym->cfg->block[b->predecessor[k]].reachable && set_add(set, b->predecessor[k]))
					stack[depth++] = b->predecessor[k];
		}
		sym->between[block] = set;
	}
	for (uint32_t b = 0; (b = set_next(sym->between[block], sym->block_words, b)) != UINT32_MAX; b++)
		if (set_has(sym->defines + (size_t)b * sym->reg_words, reg))
			return true;
	return false;
}

static struct sym_value control(struct sym *sym, uint32_t reg, uint32_t block)
{
	struct sym_atom atom = {SYM_CONTROL, .key = reg, .key2 = block, .block = block, .inst = FLOW_NONE};
	return (struct sym_value){sym_atom_poly(sym->arena, sym_intern(sym, &atom)), NULL, register_bits(sym, reg)};
}

/* Returns the common value of the two if they are equal, else `otherwise`. */
static struct sym_value meet(struct sym *sym, struct sym_value a, struct sym_value b, struct sym_value otherwise)
{
	a = sym_expand(sym, a);
	b = sym_expand(sym, b);
	if (!sym_equal(a.poly, b.poly))
		return otherwise;
	a.needs = sym_join_needs(sym->arena, a.needs, b.needs);
	return a;
}

/* Returns true when the polynomial has the same value in all iterations of a loop. */
static bool is_invariant(const struct sym *sym, const struct sym_poly *poly, const struct flow_loop *loop)
{
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->term[i].factors; k++) {
			uint32_t block = sym->atom[poly->term[i].factor[k]].block;
			if (block != FLOW_NONE && set_has(loop->body, block))
				return false;
		}
	return true;
}

static const struct sym_need *in_every_iteration(struct sym *sym, const struct sym_need *needs)
{
	const struct sym_need *copies = NULL;
	for (; needs; needs = needs->next) {
		struct sym_need *copy = arena_alloc(sym->arena, sizeof *copy);
		*copy = *needs;
		copy->every_iteration = true;
		copy->next = copies;
		copies = copy;
	}
	return copies;
}

/* Returns the reason why a register's next value in a loop is unknown. */
static enum sym_kind cause_of(const struct sym *sym, const struct sym_poly *poly)
{
	enum sym_kind worst = SYM_PHI;
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->term[i].factors; k++) {
			enum sym_kind kind = sym->atom[poly->term[i].factor[k]].kind;
			worst = kind > worst ? kind : worst;
		}
	return worst;
}

/* Computes the register at a loop's header. `unknown`, the atom `phi`, stands for it until its value is known. */
static struct sym_value at_header(struct sym *sym, uint32_t reg, const struct flow_loop *loop, uint32_t phi,
                                  struct sym_value unknown)
{
	const struct flow_block *block = &sym->cfg->block[loop->header];
	uint32_t bits = unknown.bits;
	struct sym_value init = {0}, step = {0};
	for (uint32_t k = 0; k < block->predecessors; k++) {
		uint32_t from = block->predecessor[k];
		if (!sym->cfg->block[from].reachable || set_has(loop->body, from))
			continue;
		struct sym_value value = value_at_end(sym, reg, from);
		init = init.poly ? meet(sym, init, value, control(sym, reg, from)) : value;
	}
	init = sym_expand(sym, init);
	if (sym_mentions(init.poly, phi))
		return unknown;
	for (uint32_t k = 0; k < block->predecessors; k++) {
		uint32_t from = block->predecessor[k];
		if (!sym->cfg->block[from].reachable || !set_has(loop->body, from))
			continue;
		struct sym_value value = sym_expand(sym, value_at_end(sym, reg, from));
		const struct sym_poly *by = sym_add(sym->arena, value.poly, unknown.poly, -1, bits);
		if (!by || !is_invariant(sym, by, loop) || (step.poly && !sym_equal(step.poly, by))) {
			sym->atom[phi].cause = cause_of(sym, value.poly);
			return unknown;
		}
		step.poly = by;
		step.needs = sym_join_needs(sym->arena, step.needs, value.needs);
	}
	int64_t zero;
	struct sym_value *resolved = arena_alloc(sym->arena, sizeof *resolved);
	*resolved = init;
	resolved->bits = bits;
	if (!sym_is_constant(step.poly, &zero) || zero != 0) {
		uint32_t number = (uint32_t)(loop - sym->loop);
		struct sym_atom counter = {SYM_COUNTER, .key = loop->header, .key2 = number, .block = loop->header,
		                           .inst = FLOW_NONE};
		const struct sym_poly *counted =
			sym_multiply(sym->arena, step.poly, sym_atom_poly(sym->arena, sym_intern(sym, &counter)), bits);
		resolved->poly = counted ? sym_add(sym->arena, init.poly, counted, 1, bits) : NULL;
		if (!resolved->poly)
			return unknown;
	}
	/* The needs of resolved atoms must not name these atoms, otherwise the replacement would not terminate. */
	sym->atom[phi].resolved = resolved;
	step.bits = bits;
	step = sym_expand(sym, step);
	resolved->needs = sym_join_needs(sym->arena, init.needs, in_every_iteration(sym, step.needs));
	return *resolved;
}

/* Computes the register where paths merge outside a loop header. */
static struct sym_value at_join(struct sym *sym, uint32_t reg, uint32_t number)
{
	const struct flow_block *block = &sym->cfg->block[number];
	struct sym_value value = {0}, none = control(sym, reg, number);
	for (uint32_t k = 0; k < block->predecessors; k++) {
		if (!sym->cfg->block[block->predecessor[k]].reachable)
			continue;
		struct sym_value one = value_at_end(sym, reg, block->predecessor[k]);
		value = value.poly ? meet(sym, value, one, none) : one;
		if (value.poly == none.poly)
			break;
	}
	return value.poly ? value : none;
}

static struct sym_entry *keep_entry(struct sym *sym, uint32_t reg, uint32_t block, struct sym_value value)
{
	struct sym_entry *entry = arena_alloc(sym->arena, sizeof *entry);
	*entry = (struct sym_entry){reg, value, sym->at_entry[block]};
	sym->at_entry[block] = entry;
	return entry;
}

static struct sym_value value_at_entry(struct sym *sym, uint32_t reg, uint32_t block)
{
	for (struct sym_entry *entry = sym->at_entry[block]; entry; entry = entry->next)
		if (entry->reg == reg)
			return entry->value;
	/* Read before it is written, or a loop back to the entry. If every cycle has a header, its atom exists
	 * before the values that pass around the loop, so the search terminates. */
	if (sym->idom[block] == FLOW_NONE || !sym->reducible)
		return control(sym, reg, block);
	if (!written_between(sym, reg, block))
		return value_at_end(sym, reg, sym->idom[block]);
	const struct flow_loop *loop = sym_find_loop(sym, block);
	if (!loop)
		return keep_entry(sym, reg, block, at_join(sym, reg, block))->value;
	struct sym_atom atom = {SYM_PHI,        .key = reg,        .key2 = block,
	                        .block = block, .inst = FLOW_NONE, .cause = SYM_PHI};
	uint32_t phi = sym_intern(sym, &atom);
	struct sym_value unknown = {sym_atom_poly(sym->arena, phi), NULL, register_bits(sym, reg)};
	struct sym_entry *entry = keep_entry(sym, reg, block, unknown);
	entry->value = at_header(sym, reg, loop, phi, unknown);
	return entry->value;
}

/* Returns the value that an instruction writes, or that remains if its guard is false. */
static struct sym_value value_of(struct sym *sym, uint32_t inst, uint32_t reg)
{
	const struct ptx_inst *body = sym->function->body;
	uint32_t bits = register_bits(sym, reg), ids[FLOW_MAX_REGS];
	if (ptx_inst_writes(&body[inst], ids) != 1) {
		bool loads = body[inst].op == PTX_OP_LD || body[inst].op == PTX_OP_LDU;
		return sym_opaque(sym, loads ? SYM_LOAD : SYM_OP, inst, 8 + reg, bits);
	}
	if (!sym->result[inst]) {
		struct sym_value *value = arena_alloc(sym->arena, sizeof *value);
		*value = sym_compute(sym, inst);
		if (body[inst].guard != PTX_NO_REG) {
			uint32_t earlier = sym_last_write(sym, reg, inst);
			struct sym_value old = earlier != FLOW_NONE
			                               ? value_of(sym, earlier, reg)
			                               : value_at_entry(sym, reg, sym->cfg->block_of[inst]);
			*value = meet(sym, *value, old, sym_opaque(sym, SYM_CONTROL, inst, 0, bits));
		}
		sym->result[inst] = value;
	}
	return *sym->result[inst];
}

static struct sym_value value_at_end(struct sym *sym, uint32_t reg, uint32_t block)
{
	const struct flow_block *b = &sym->cfg->block[block];
	if (set_has(sym->defines + (size_t)block * sym->reg_words, reg))
		for (uint32_t inst = b->first + b->count; inst-- > b->first;) {
			uint32_t ids[FLOW_MAX_REGS], count = ptx_inst_writes(&sym->function->body[inst], ids);
			for (uint32_t k = 0; k < count; k++)
				if (ids[k] == reg)
					return value_of(sym, inst, reg);
		}
	return value_at_entry(sym, reg, block);
}

static struct sym_value value_before(struct sym *sym, uint32_t reg, uint32_t inst)
{
	uint32_t write = sym_last_write(sym, reg, inst);
	return write != FLOW_NONE ? value_of(sym, write, reg) : value_at_entry(sym, reg, sym->cfg->block_of[inst]);
}

uint32_t sym_definition(struct sym *sym, uint32_t reg, uint32_t inst)
{
	uint32_t write = sym_last_write(sym, reg, inst), block = sym->cfg->block_of[inst];
	while (write == FLOW_NONE && sym->idom[block] != FLOW_NONE && !written_between(sym, reg, block)) {
		block = sym->idom[block];
		const struct flow_block *b = &sym->cfg->block[block];
		for (uint32_t i = b->first + b->count; i-- > b->first && write == FLOW_NONE;) {
			uint32_t ids[FLOW_MAX_REGS], count = ptx_inst_writes(&sym->function->body[i], ids);
			for (uint32_t k = 0; k < count; k++)
				if (ids[k] == reg)
					write = i;
		}
	}
	return write != FLOW_NONE && sym->function->body[write].guard == PTX_NO_REG ? write : FLOW_NONE;
}

static struct sym_value symbol_value(struct sym *sym, const struct ptx_variable *symbol, int64_t offset)
{
	struct sym_atom atom = {SYM_SYMBOL, .variable = symbol, .block = FLOW_NONE, .inst = FLOW_NONE};
	const struct sym_poly *poly = sym_atom_poly(sym->arena, sym_intern(sym, &atom));
	return (struct sym_value){sym_add(sym->arena, poly, sym_constant(sym->arena, offset), 1, 64), NULL, 64};
}

struct sym_value sym_operand(struct sym *sym, uint32_t inst, uint32_t index, uint32_t bits)
{
	const struct ptx_operand *operand = &sym->function->body[inst].operand[index];
	struct sym_value value;
	switch (operand->kind) {
	case PTX_OPERAND_REG:
		value = value_before(sym, operand->reg, inst);
		if (value.bits < bits)
			return sym_opaque(sym, SYM_OP, inst, index + 1, bits);
		return sym_narrow(sym, value, bits);
	case PTX_OPERAND_INT:
		return (struct sym_value){sym_constant(sym->arena, sym_reduce(operand->bits, bits)), NULL, bits};
	case PTX_OPERAND_SREG:
		if (operand->sreg >= PTX_TID_X && operand->sreg <= PTX_NCTAID_Z) {
			struct sym_atom atom = {SYM_SREG, .key = operand->sreg, .block = FLOW_NONE, .inst = FLOW_NONE,
			                        .sreg = operand->sreg};
			return (struct sym_value){sym_atom_poly(sym->arena, sym_intern(sym, &atom)), NULL, bits};
		}
		return sym_opaque(sym, SYM_OP, inst, index + 1, bits);
	case PTX_OPERAND_SYMBOL:
		return symbol_value(sym, operand->symbol, operand->offset);
	default:
		return sym_opaque(sym, SYM_OP, inst, index + 1, bits);
	}
}

struct sym_value sym_address(struct sym *sym, uint32_t inst, uint32_t index)
{
	const struct ptx_operand *operand = &sym->function->body[inst].operand[index];
	struct sym_value value = {sym_constant(sym->arena, 0), NULL, 64};
	if (operand->symbol)
		value = symbol_value(sym, operand->symbol, 0);
	else if (operand->reg != PTX_NO_REG)
		value = value_before(sym, operand->reg, inst);
	value.poly = sym_add(sym->arena, value.poly, sym_constant(sym->arena, operand->offset), 1, 64);
	if (!value.poly || value.bits != 64)
		return sym_opaque(sym, SYM_OP, inst, index + 1, 64);
	return value;
}

/* Replaces the resolved atoms of a polynomial; their needs are added to *needs. */
static const struct sym_poly *expand_poly(struct sym *sym, const struct sym_poly *poly, uint32_t bits,
                                          const struct sym_need **needs)
{
	const struct sym_poly *sum = sym_constant(sym->arena, 0);
	for (uint32_t i = 0; i < poly->count && sum; i++) {
		const struct sym_poly *product = sym_constant(sym->arena, poly->term[i].coef);
		for (uint32_t k = 0; k < poly->term[i].factors && product; k++) {
			uint32_t atom = poly->term[i].factor[k];
			const struct sym_poly *factor = sym_atom_poly(sym->arena, atom);
			if (sym->atom[atom].resolved) {
				struct sym_value value = sym_expand(sym, *sym->atom[atom].resolved);
				factor = value.poly;
				*needs = sym_join_needs(sym->arena, *needs, value.needs);
			}
			product = sym_multiply(sym->arena, product, factor, bits);
		}
		sum = product ? sym_add(sym->arena, sum, product, 1, bits) : NULL;
	}
	return sum;
}

static bool mentions_resolved(const struct sym *sym, const struct sym_poly *poly)
{
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->term[i].factors; k++)
			if (sym->atom[poly->term[i].factor[k]].resolved)
				return true;
	return false;
}

struct sym_value sym_expand(struct sym *sym, struct sym_value value)
{
	const struct sym_need *needs = NULL;
	bool any = mentions_resolved(sym, value.poly);
	for (const struct sym_need *need = value.needs; need && !any; need = need->next)
		any = mentions_resolved(sym, need->poly);
	if (!any)
		return value;
	const struct sym_poly *poly = expand_poly(sym, value.poly, value.bits, &needs);
	if (!poly) /* stays unresolved: never affine */
		poly = value.poly;
	for (const struct sym_need *need = value.needs; need; need = need->next) {
		struct sym_need *copy = arena_alloc(sym->arena, sizeof *copy);
		*copy = *need;
		const struct sym_poly *expanded = expand_poly(sym, need->poly, 64, &needs);
		copy->poly = expanded ? expanded : need->poly;
		copy->next = NULL;
		needs = sym_join_needs(sym->arena, needs, copy);
	}
	return (struct sym_value){poly, needs, value.bits};
}
