/* conditions: comparisons that are true wherever a block runs, from the branches that lead to it. */
#include "flow/sets.h"
#include "flow/symbolic.h"

static enum ptx_cmp opposite(enum ptx_cmp cmp)
{
	switch (cmp) {
	case PTX_EQ:
		return PTX_NE;
	case PTX_NE:
		return PTX_EQ;
	case PTX_LT:
		return PTX_GE;
	case PTX_GE:
		return PTX_LT;
	case PTX_GT:
		return PTX_LE;
	case PTX_LE:
		return PTX_GT;
	default:
		return PTX_CMP_NONE;
	}
}

/* LO, LS, HI and HS are other names of the unsigned comparisons. */
static enum ptx_cmp plain(enum ptx_cmp cmp)
{
	switch (cmp) {
	case PTX_CMP_LO:
		return PTX_LT;
	case PTX_CMP_LS:
		return PTX_LE;
	case PTX_CMP_HI:
		return PTX_GT;
	case PTX_CMP_HS:
		return PTX_GE;
	default:
		return cmp <= PTX_GE ? cmp : PTX_CMP_NONE;
	}
}

static struct sym_condition *comparison(struct sym *sym, uint32_t inst, bool holds, struct sym_condition *next)
{
	const struct ptx_inst *in = &sym->function->body[inst];
	enum ptx_cmp cmp = plain(in->cmp);
	if (in->destinations != 1 || in->bool_op != PTX_BOOL_NONE || ptx_type_is_float(in->type) ||
	    in->type == PTX_PRED || cmp == PTX_CMP_NONE)
		return next;
	struct sym_condition *condition = arena_alloc(sym->arena, sizeof *condition);
	*condition = (struct sym_condition){
		.cmp = holds ? cmp : opposite(cmp),
		.is_signed = ptx_type_is_signed(in->type) && in->cmp <= PTX_GE,
		.bits = 8 * ptx_type_bytes(in->type),
		.next = next,
	};
	condition->left = sym_expand(sym, sym_operand(sym, inst, 1, condition->bits));
	condition->right = sym_expand(sym, sym_operand(sym, inst, 2, condition->bits));
	/* If a register is wider than the comparison, some of its bits are ignored. */
	if (condition->left.bits != condition->bits || condition->right.bits != condition->bits)
		return next;
	return condition;
}

struct sym_condition *sym_conditions(struct sym *sym, uint32_t predicate, uint32_t inst, bool holds,
                                     struct sym_condition *next)
{
	uint32_t write = sym_definition(sym, predicate, inst);
	if (write == FLOW_NONE)
		return next;
	const struct ptx_inst *in = &sym->function->body[write];
	if (in->op == PTX_OP_SETP)
		return comparison(sym, write, holds, next);
	bool both = (in->op == PTX_OP_AND && holds) || (in->op == PTX_OP_OR && !holds);
	bool copies = in->op == PTX_OP_MOV || in->op == PTX_OP_NOT;
	if (in->type != PTX_PRED || (!both && !copies))
		return next;
	for (uint32_t i = 1; i < (both ? 3u : 2u); i++)
		if (in->operand[i].kind == PTX_OPERAND_REG)
			next = sym_conditions(sym, in->operand[i].reg, write,
			                      holds ^ in->operand[i].negated ^ (in->op == PTX_OP_NOT), next);
	return next;
}

/* Returns true when a block is entered only from `from`, apart from back edges from blocks that it dominates. */
static bool only_from(const struct sym *sym, uint32_t block, uint32_t from)
{
	const struct flow_block *b = &sym->cfg->block[block];
	uint32_t ways = 0;
	for (uint32_t k = 0; k < b->predecessors; k++) {
		uint32_t before = b->predecessor[k];
		if (!sym->cfg->block[before].reachable || flow_dominates(sym->idom, block, before))
			continue;
		if (before != from)
			return false;
		ways++;
	}
	return ways == 1;
}

struct sym_condition *sym_guards(struct sym *sym, uint32_t block)
{
	struct sym_condition *guards = NULL;
	for (uint32_t at = block; sym->idom[at] != FLOW_NONE; at = sym->idom[at]) {
		uint32_t from = sym->idom[at];
		const struct flow_block *b = &sym->cfg->block[from];
		const struct ptx_inst *last = b->count ? &sym->function->body[b->first + b->count - 1] : NULL;
		/* A block that loops back to itself has values of a later iteration than the guard. */
		if (!last || last->op != PTX_OP_BRA || last->guard == PTX_NO_REG || b->successors != 2 ||
		    !only_from(sym, at, from))
			continue;
		bool taken = b->successor[0] == at;
		guards = sym_conditions(sym, last->guard, b->first + b->count - 1, taken ^ last->guard_negated, guards);
	}
	return guards;
}

static bool in_every_iteration(const struct sym *sym, const struct flow_loop *loop, uint32_t block)
{
	const struct flow_block *header = &sym->cfg->block[loop->header];
	for (uint32_t k = 0; k < header->predecessors; k++) {
		uint32_t latch = header->predecessor[k];
		if (sym->cfg->block[latch].reachable && set_has(loop->body, latch) &&
		    !flow_dominates(sym->idom, block, latch))
			return false;
	}
	return true;
}

struct sym_stay *sym_stays(struct sym *sym, const struct flow_loop *loop)
{
	struct sym_stay *stays = NULL;
	for (uint32_t b = 0; (b = set_next(loop->body, sym->block_words, b)) != UINT32_MAX; b++) {
		const struct flow_block *block = &sym->cfg->block[b];
		uint32_t last = block->first + block->count - 1;
		const struct ptx_inst *in = block->count ? &sym->function->body[last] : NULL;
		if (!in || in->op != PTX_OP_BRA || in->guard == PTX_NO_REG || block->successors != 2)
			continue;
		bool first = set_has(loop->body, block->successor[0]),
		     second = set_has(loop->body, block->successor[1]);
		if (first == second || !in_every_iteration(sym, loop, b))
			continue;
		struct sym_condition *condition = sym_conditions(sym, in->guard, last, first ^ in->guard_negated, NULL);
		for (; condition; condition = condition->next) {
			struct sym_stay *stay = arena_alloc(sym->arena, sizeof *stay);
			*stay = (struct sym_stay){condition, b, block->successor[first ? 0 : 1], stays};
			stays = stay;
		}
	}
	return stays;
}
