#include "mech/sharing/pending.h"

#include "ptx/access.h"

/* Accesses that may be in progress: copies not yet in a group, groups of copies, and copies without a known end. */
enum { COPY = 1, COPY_GROUP = 2, BULK = 4, BULK_GROUP = 8, NO_END = 16 };

static unsigned begun_by(const struct ptx_inst *inst)
{
	static const uint8_t begun[] = {[PTX_ENDS_BY_COPY_GROUP] = COPY,
	                                [PTX_ENDS_BY_BULK_GROUP] = BULK,
	                                [PTX_ENDS_BY_MBARRIER] = NO_END,
	                                [PTX_ENDS_BY_ENGINE] = 0};
	struct ptx_access access[PTX_MAX_ACCESSES];
	uint32_t count = ptx_inst_accesses(inst, access);
	unsigned state = 0;
	for (uint32_t i = 0; i < count; i++)
		if (access[i].how && ptx_space_may_be_shared(access[i].space))
			state |= begun[access[i].ends];
	return state;
}

/* A guarded wait ends nothing for the lanes that skip it. */
static unsigned ended_by(const struct ptx_inst *inst, unsigned state)
{
	if (inst->guard != PTX_NO_REG)
		return state;
	switch (ptx_inst_waits(inst)) {
	case PTX_COPY_COMMIT:
		return state & COPY ? (state & ~(unsigned)COPY) | COPY_GROUP : state;
	case PTX_COPY_WAIT:
		return state & ~(unsigned)COPY_GROUP;
	case PTX_COPY_WAIT_ALL:
		return state & ~(unsigned)(COPY | COPY_GROUP);
	case PTX_BULK_COMMIT:
		return state & BULK ? (state & ~(unsigned)BULK) | BULK_GROUP : state;
	case PTX_BULK_WAIT:
		return state & ~(unsigned)BULK_GROUP;
	default:
		return state;
	}
}

/* Whether a function that the kernel calls begins one. Waits in other functions are not traced. */
static bool callee_begins(const struct sharing_accesses *found)
{
	for (uint32_t i = found->on->part[0].function->body_count; i < found->on->count; i++)
		if (found->touch[i].variables && begun_by(found->on->inst[i]))
			return true;
	return false;
}

struct search {
	const struct flow_cfg *cfg;
	const struct ptx_inst *body;
	const bool *touches;
	bool *accesses;
	bool calls_begin;
	unsigned *out; /* by block */
};

/* Returns the state after a block; with `marks`, marks its instructions. */
static unsigned pass_block(const struct search *search, uint32_t number, unsigned state, bool marks)
{
	const struct flow_block *block = &search->cfg->block[number];
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		const struct ptx_inst *inst = &search->body[i];
		if (marks && state)
			search->accesses[i] = true;
		state = ended_by(inst, state);
		if (search->touches[i] && inst->op == PTX_OP_CALL)
			state |= search->calls_begin ? NO_END : 0;
		else if (search->touches[i])
			state |= begun_by(inst);
	}
	return state;
}

static unsigned state_before(const struct search *search, uint32_t number)
{
	unsigned state = 0;
	for (uint32_t from = 0; from < search->cfg->blocks; from++)
		if (search->out[from] && search->cfg->block[from].reachable && flow_has_edge(search->cfg, from, number))
			state |= search->out[from];
	return state;
}

bool sharing_add_pending(struct arena *arena, const struct flow_cfg *cfg, const struct sharing_accesses *found,
                         bool *accesses)
{
	const struct ptx_function *kernel = found->on->part[0].function;
	bool *touches = arena_array(arena, kernel->body_count + 1, sizeof *touches);
	struct search search = {.cfg = cfg,
	                        .body = kernel->body,
	                        .touches = touches,
	                        .accesses = accesses,
	                        .calls_begin = callee_begins(found),
	                        .out = arena_array(arena, cfg->blocks + 1, sizeof *search.out)};
	for (uint32_t i = 0; i < kernel->body_count; i++)
		touches[i] = accesses[i];
	for (bool more = true; more;) {
		more = false;
		for (uint32_t block = 0; block < cfg->blocks; block++) {
			unsigned out =
				search.out[block] | pass_block(&search, block, state_before(&search, block), false);
			more |= out != search.out[block];
			search.out[block] = out;
		}
	}
	for (uint32_t block = 0; block < cfg->blocks; block++)
		if (cfg->block[block].reachable)
			pass_block(&search, block, state_before(&search, block), true);
	return !state_before(&search, cfg->blocks - 1);
}
