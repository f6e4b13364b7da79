/* GPGPU-Sim 4.2.0's gpgpu_sub_core_model with generic collector units (opndcoll_rfu_t with enable_specialized_operand_collector 0). An operand
 * read and a grant of collectors are steps, of which there are several a cycle (gpgpu_reg_file_port_throughput): issue s, collector unit
 * s + 1, operands in the second step of s + 1, out in the first of s + 2, into the unit s + 3 (tests/sm/test_sub_cores.c). */
#include "sm/sm.h"

void sub_cores_open(struct sm *sm)
{
	const struct sm_config *config = &sm->config;
	struct collectors *collectors = &sm->collectors;
	uint32_t per_core = config->register_banks / config->schedulers;
	collectors->units = config->schedulers * config->sub_core_collectors;
	collectors->free = (1ull << collectors->units) - 1;
	for (uint32_t pipe = 0; pipe < SM_PIPES; pipe++)
		sm->issued[pipe].width = sm->collected[pipe].width = config->schedulers;
	register_file_divide(&sm->registers, config->schedulers, per_core);
}

void sub_cores_issued(struct sm *sm, const struct op *op)
{
	sm->sub_cores.issued[op->pipe] |= (uint8_t)sub_core_bit(op->warp, sm->config.schedulers);
}

void sub_cores_left(struct sm *sm, const struct op *op)
{
	sm->sub_cores.collected[op->pipe] &= (uint8_t)~sub_core_bit(op->warp, sm->config.schedulers);
}

/* The collector units of a sub-core, out of a mask of all. */
static uint32_t units_of(const struct sm *sm, uint64_t units, uint32_t sub_core)
{
	uint32_t each = sm->config.sub_core_collectors;
	return (uint32_t)(units >> sub_core * each) & ((1u << each) - 1);
}

/* The place behind the collectors is free for what the collector unit has. */
static bool has_place(const struct sm *sm, uint32_t at, uint32_t sub_core)
{
	return !(sm->sub_cores.collected[sm->collectors.op[at]->pipe] >> sub_core & 1);
}

/* The collector unit that goes through a port: of the first sub-core that has one, the first in turn. False: none can. */
static bool find_complete(const struct sm *sm, uint32_t port, uint32_t *at)
{
	uint32_t each = sm->config.sub_core_collectors, last = sm->sub_cores.last[port];
	for (uint32_t sub_core = 0; sub_core < sm->config.schedulers; sub_core++) {
		uint32_t complete = units_of(sm, sm->collectors.complete, sub_core);
		for (uint32_t n = 1; complete && n <= each; n++) {
			uint32_t unit = (last + n) % each;
			*at = sub_core * each + unit;
			if (complete >> unit & 1 && has_place(sm, *at, sub_core))
				return true;
		}
	}
	return false;
}

static void dispatch(struct sm *sm)
{
	struct collectors *collectors = &sm->collectors;
	uint32_t at;
	for (uint32_t port = 0; port < sm->config.dispatch_ports && collectors->complete; port++) {
		if (!find_complete(sm, port, &at))
			return; /* the next ports find none either */
		struct op *op = collectors->op[at];
		uint64_t bit = 1ull << at;
		sm->sub_cores.last[port] = (uint8_t)(at % sm->config.sub_core_collectors);
		sm->sub_cores.collected[op->pipe] |= (uint8_t)sub_core_bit(op->warp, sm->config.schedulers);
		latch_insert(&sm->collected[op->pipe], op);
		collectors->complete ^= bit;
		collectors->free |= bit;
	}
}

/* Each bank its oldest operand; a collector unit may have several at once. */
static void read_banks(struct sm *sm)
{
	struct collectors *collectors = &sm->collectors;
	uint32_t readable = register_file_readable(&sm->registers, collectors->banks_waiting), drained = 0;
	sm->stats.register_reads += (uint32_t)__builtin_popcount(readable);
	for (; readable; readable &= readable - 1) {
		uint32_t bank = (uint32_t)__builtin_ctz(readable), at = collectors_oldest_read(collectors, bank);
		if (!--collectors->unread[at])
			collectors->complete |= 1ull << at;
		drained |= collectors_read_next(collectors, bank);
	}
	collectors->banks_waiting ^= drained;
}

/* The oldest instruction of a pipe takes a collector unit of its sub-core. False: there is none, and those behind it wait, too. */
static bool allocate(struct sm *sm, uint32_t pipe)
{
	struct latch *in = &sm->issued[pipe];
	if (!in->count)
		return false;
	uint32_t schedulers = sm->config.schedulers, sub_core = in->first->warp % schedulers;
	uint32_t free = units_of(sm, sm->collectors.free, sub_core);
	if (!free)
		return false;
	uint32_t at = sub_core * sm->config.sub_core_collectors + (uint32_t)__builtin_ctz(free);
	struct op *op = latch_pop(in);
	issue_latch_left(&sm->issue, pipe);
	sm->sub_cores.issued[pipe] &= (uint8_t) ~(1u << sub_core);
	if (!sm->sub_cores.issued[pipe])
		sm->issue.waiting &= ~(1u << pipe);
	sm->collectors.free ^= 1ull << at;
	collectors_take(sm, at, op);
	return true;
}

/* The order in which a port tries the pipes, and in which these are given to their units. */
static const uint8_t order[SM_PIPES] = {SM_PIPE_SP, SM_PIPE_SFU, SM_PIPE_MEM, SM_PIPE_TENSOR, SM_PIPE_DP, SM_PIPE_INT};
static const uint8_t units_in_order[] = {SM_PIPE_SP, SM_PIPE_DP, SM_PIPE_INT, SM_PIPE_SFU, SM_PIPE_TENSOR};

static void allocate_all(struct sm *sm)
{
	bool any = sm->issue.waiting;
	for (uint32_t port = 0; any && port < sm->config.collector_ports; port++) {
		any = false;
		for (uint32_t i = 0; i < SM_PIPES; i++)
			any |= allocate(sm, order[i]);
	}
}

/* The oldest instruction of the pipe waits for a collector unit. */
static bool is_blocked(const struct sm *sm, uint32_t pipe)
{
	const struct latch *in = &sm->issued[pipe];
	return in->count && !units_of(sm, sm->collectors.free, in->first->warp % sm->config.schedulers);
}

static uint32_t blocked_pipes(const struct sm *sm)
{
	uint32_t waiting = 0;
	for (uint32_t left = sm->issue.waiting; left; left &= left - 1)
		waiting += is_blocked(sm, (uint32_t)__builtin_ctz(left));
	return waiting;
}

/* What a result of this cycle is written to cannot be read in the first step. */
void sub_cores_collect(struct sm *sm)
{
	struct collectors *collectors = &sm->collectors;
	if (!(collectors->complete | collectors->banks_waiting | sm->issue.waiting))
		return;
	for (uint32_t step = 0; step < sm->config.operand_steps; step++) {
		if (collectors->complete)
			dispatch(sm);
		if (collectors->banks_waiting)
			read_banks(sm);
		allocate_all(sm);
		register_file_new_cycle(&sm->registers);
	}
	sm->stats.collector_full += blocked_pipes(sm);
}

bool sub_cores_go_on(const struct sm *sm)
{
	const struct collectors *collectors = &sm->collectors;
	for (uint64_t left = collectors->complete; left; left &= left - 1) {
		uint32_t at = (uint32_t)__builtin_ctzll(left);
		if (has_place(sm, at, at / sm->config.sub_core_collectors))
			return true;
	}
	return blocked_pipes(sm) < (uint32_t)__builtin_popcount(sm->issue.waiting);
}

void sub_cores_account(struct sm *sm, uint64_t slept)
{
	sm->stats.collector_full += slept * blocked_pipes(sm);
}

/* Takes an instruction out of a latch, in which `before` stands in front of it. */
static void take_out(struct latch *latch, struct op *before, const struct op *op)
{
	if (before)
		before->next = op->next;
	else
		latch->first = op->next;
	if (latch->last == op)
		latch->last = before;
	latch->count--;
}

/* The instruction of the sub-core that waits for its unit of the pipe, of which there is one, enters it. */
static void enter_unit(struct sm *sm, uint32_t pipe, uint32_t sub_core)
{
	struct op *before = NULL, *op = sm->collected[pipe].first;
	for (; op->warp % sm->config.schedulers != sub_core; op = op->next)
		before = op;
	struct result_slot *slot = units_book(sm, pipe, sub_core, 1u << (pipe * SM_MAX_SUB_CORES + sub_core), op);
	if (!slot) {
		sm->stats.result_bus_full++;
		return;
	}
	take_out(&sm->collected[pipe], before, op);
	sub_cores_left(sm, op);
	units_enter(slot, op);
}

void sub_cores_execute(struct sm *sm)
{
	for (size_t i = 0; i < sizeof units_in_order; i++) {
		uint32_t pipe = units_in_order[i];
		for (uint32_t left = sm->sub_cores.collected[pipe]; left; left &= left - 1)
			enter_unit(sm, pipe, (uint32_t)__builtin_ctz(left));
	}
}
