/* sub_cores: GPGPU-Sim 4.2.0's gpgpu_sub_core_model with generic collector units (opndcoll_rfu_t with
 * enable_specialized_operand_collector 0). Operand reads and collector grants happen in steps, several per cycle
 * (gpgpu_reg_file_port_throughput). Timing: issue s, collector unit s + 1, operands in the second step of s + 1, out
 * in the first of s + 2, into the unit s + 3 (tests/sm/test_sub_cores.c). */
#include "sm/sm.h"

void sub_cores_open(struct sm *sm)
{
	const struct sm_config *config = &sm->config;
	struct collectors *collectors = &sm->collectors;
	uint32_t per_core = config->register_banks / config->schedulers;
	collectors->units = config->schedulers * config->sub_core_collectors;
	collectors->free = (1ull << collectors->units) - 1;
	for (uint32_t pipe = 0; pipe < SM_PIPES; pipe++)
		sm->issued[pipe].width = config->schedulers;
	sm->collected[SM_PIPE_MEM].width = config->schedulers;
	for (uint32_t s = 0; s < config->schedulers; s++)
		sm->sub_cores.units[s] = ((1ull << config->sub_core_collectors) - 1) << s * config->sub_core_collectors;
	register_file_divide(&sm->registers, config->schedulers, per_core);
}

/* Index of an instruction's entry. */
static uint32_t place_of(uint32_t pipe, uint32_t sub_core)
{
	static const uint8_t row[SM_PIPES] = {[SM_PIPE_SP] = 0,  [SM_PIPE_DP] = 1,     [SM_PIPE_INT] = 2,
	                                      [SM_PIPE_SFU] = 3, [SM_PIPE_TENSOR] = 4, [SM_PIPE_MEM] = 5};
	return row[pipe] * SM_MAX_SUB_CORES + sub_core;
}

static uint32_t sub_core_of(const struct op *op)
{
	return op->place % SM_MAX_SUB_CORES;
}

void sub_cores_issued(struct sm *sm, struct op *op, uint32_t scheduler)
{
	op->place = (uint8_t)place_of(op->pipe, scheduler);
	sm->sub_cores.issued[scheduler] |= (uint8_t)(1u << op->pipe);
}

void sub_cores_left(struct sm *sm, const struct op *op)
{
	sm->sub_cores.collected &= ~(1u << op->place);
	sm->sub_cores.blocked &= ~sm->sub_cores.bound[op->place];
}

/* The complete collector units whose entry downstream is free. */
static uint64_t units_with_a_place(const struct sm *sm)
{
	return sm->collectors.complete & ~sm->sub_cores.blocked;
}

/* Returns the member of a non-empty set of collector units that uses a port. It is the first in turn of the first
 * sub-core that has one. */
static uint32_t first_in_turn(struct sm *sm, uint32_t port, uint64_t units)
{
	struct sub_cores *sub_cores = &sm->sub_cores;
	uint32_t sub_core = sub_core_of(sm->collectors.op[__builtin_ctzll(units)]);
	uint32_t first = sub_core * sm->config.sub_core_collectors;
	uint64_t own = units & sub_cores->units[sub_core], behind = own & (~1ull << (first + sub_cores->last[port]));
	uint32_t at = (uint32_t)__builtin_ctzll(behind ? behind : own);
	sub_cores->last[port] = (uint8_t)(at - first);
	return at;
}

/* Moves the instruction of a collector unit to its entry after the collectors. */
static void take_place(struct sm *sm, uint32_t at)
{
	struct sub_cores *sub_cores = &sm->sub_cores;
	struct op *op = sm->collectors.op[at];
	sub_cores->op[op->place] = op;
	sub_cores->collected |= 1u << op->place;
	sub_cores->blocked |= sub_cores->bound[op->place];
	if (op->pipe == SM_PIPE_MEM)
		latch_insert(&sm->collected[SM_PIPE_MEM], op);
}

/* bind: assigns the collector unit to its instruction. release: frees it. */
static void bind(struct sub_cores *sub_cores, uint32_t at, uint32_t place)
{
	sub_cores->bound[place] |= 1ull << at;
	if (sub_cores->collected >> place & 1)
		sub_cores->blocked |= 1ull << at;
}

static void release(struct sub_cores *sub_cores, uint32_t at, uint32_t place)
{
	sub_cores->bound[place] &= ~(1ull << at);
	sub_cores->blocked &= ~(1ull << at);
}

static void dispatch(struct sm *sm)
{
	struct collectors *collectors = &sm->collectors;
	uint64_t units;
	for (uint32_t port = 0; port < sm->config.dispatch_ports && (units = units_with_a_place(sm)) != 0; port++) {
		uint32_t at = first_in_turn(sm, port, units);
		take_place(sm, at);
		release(&sm->sub_cores, at, collectors->op[at]->place);
		collectors->complete ^= 1ull << at;
		collectors->free |= 1ull << at;
	}
}

/* Each bank reads its oldest operand. A collector unit may receive several at once. */
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

/* The collector units that are free for the oldest instruction of a pipe, which must have one. */
static uint64_t free_units(const struct sm *sm, uint32_t pipe)
{
	return sm->collectors.free & sm->sub_cores.units[sub_core_of(sm->issued[pipe].first)];
}

/* The oldest instruction of a pipe takes one of them. */
static void allocate(struct sm *sm, uint32_t pipe, uint64_t free)
{
	struct latch *in = &sm->issued[pipe];
	struct op *op = latch_pop(in);
	uint32_t at = (uint32_t)__builtin_ctzll(free);
	issue_latch_left(&sm->issue, pipe);
	sm->sub_cores.issued[sub_core_of(op)] &= (uint8_t) ~(1u << pipe);
	if (!in->count)
		issue_latch_emptied(&sm->issue, pipe);
	sm->collectors.free ^= 1ull << at;
	bind(&sm->sub_cores, at, op->place);
	collectors_take(sm, at, op);
}

/* Each port takes one instruction of each pipe. If the oldest one waits, those after it wait too. */
static void allocate_all(struct sm *sm)
{
	uint32_t blocked = 0, left;
	for (uint32_t port = 0; port < sm->config.collector_ports; port++) {
		left = sm->issue.waiting & ~blocked;
		if (!left)
			return;
		for (; left; left &= left - 1) {
			uint32_t pipe = (uint32_t)__builtin_ctz(left);
			uint64_t free = free_units(sm, pipe);
			if (free)
				allocate(sm, pipe, free);
			else
				blocked |= 1u << pipe;
		}
	}
}

/* Number of pipes whose oldest instruction waits for a collector unit. */
static uint32_t blocked_pipes(const struct sm *sm)
{
	uint32_t blocked = 0;
	for (uint32_t left = sm->issue.waiting; left; left &= left - 1)
		blocked += !free_units(sm, (uint32_t)__builtin_ctz(left));
	return blocked;
}

/* Banks that a result of this cycle is written to cannot be read in the first step. */
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
	return units_with_a_place(sm) || blocked_pipes(sm) < (uint32_t)__builtin_popcount(sm->issue.waiting);
}

void sub_cores_account(struct sm *sm, uint64_t slept)
{
	sm->stats.collector_full += slept * blocked_pipes(sm);
}

/* The instruction of an entry enters its sub-core's single unit of the pipe. */
static void enter_unit(struct sm *sm, uint32_t place)
{
	struct op *op = sm->sub_cores.op[place];
	struct result_slot *slot = units_book(sm, op->pipe, sub_core_of(op), 1u << place, op);
	if (!slot) {
		sm->stats.result_bus_full++;
		return;
	}
	sub_cores_left(sm, op);
	units_enter(slot, op);
}

void sub_cores_execute(struct sm *sm)
{
	uint32_t left = sm->sub_cores.collected & ((1u << SUB_CORE_ARITHMETIC_PLACES) - 1);
	for (; left; left &= left - 1)
		enter_unit(sm, (uint32_t)__builtin_ctz(left));
}
