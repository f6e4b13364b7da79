/* Operand collection: an issued instruction takes a collector unit of its pipe, reads its register operands from the banks,
 * one a cycle and bank, and goes to the execution units when it has them all. Writes go first at a bank. */
#include "sm/stages.h"

static uint32_t bank_of(const struct sm *sm, uint32_t number, uint32_t warp)
{
	return (number + warp) & (sm->config.register_banks - 1);
}

bool banks_write(struct sm *sm, const struct op *op, bool may_wait)
{
	uint32_t banks = 0;
	for (uint32_t i = 0; i < op->inst->bank_writes; i++)
		banks |= 1u << bank_of(sm, op->inst->bank_write[i], op->warp);
	if (may_wait && banks & sm->banks_written)
		return false;
	sm->banks_written |= banks;
	return true;
}

/* The collector whose operand the bank reads next. */
static uint32_t next_read(const struct bank_queue *bank)
{
	return bank->collector[bank->head & (SM_BANK_QUEUE - 1)];
}

/* Complete instructions go on, from each out port the next collector in turn. */
static void dispatch(struct sm *sm, uint32_t unit)
{
	struct collector_set *set = &sm->set[unit];
	for (uint32_t port = 0; set->complete && port < sm->config.pipe[unit].out_ports; port++) {
		if (!port_room(&sm->collected[unit], sm->now))
			return;
		uint64_t behind = set->complete & (~1ull << set->last[port]);
		uint32_t at = (uint32_t)__builtin_ctzll(behind ? behind : set->complete);
		set->last[port] = at;
		set->complete &= ~(1ull << at);
		set->free |= 1ull << at;
		port_push(&sm->collected[unit], sm->collecting[at], sm->now);
	}
}

/* One operand has come; the instruction's last makes it complete. */
static void receive(struct sm *sm, uint32_t collector)
{
	if (--sm->collecting[collector]->unread == 0)
		sm->set[sm->pipe_of[collector]].complete |= 1ull << collector;
}

/* Matches banks with collectors: a bank reads one operand, a collector takes one. The match walks the diagonals of the
 * request matrix, from another one each cycle (wavefront allocation). */
static void read_banks(struct sm *sm)
{
	uint32_t diagonal[SM_MAX_COLLECTORS];
	uint64_t diagonals = 0, taken = 0;

	for (uint32_t left = sm->banks_waiting & ~sm->banks_written; left; left &= left - 1) {
		uint32_t bank = (uint32_t)__builtin_ctz(left);
		uint32_t collector = next_read(&sm->bank[bank]);
		uint32_t from = sm->arbitration + bank, at = collector;
		while (at < from)
			at += sm->collectors;
		at -= from;
		diagonal[at] = (diagonals >> at & 1 ? diagonal[at] : 0) | 1u << bank;
		diagonals |= 1ull << at;
	}
	for (; diagonals; diagonals &= diagonals - 1) {
		for (uint32_t left = diagonal[__builtin_ctzll(diagonals)]; left; left &= left - 1) {
			uint32_t b = (uint32_t)__builtin_ctz(left);
			struct bank_queue *bank = &sm->bank[b];
			uint32_t collector = next_read(bank);
			if (taken >> collector & 1) {
				sm->stats.register_conflicts++;
				continue;
			}
			taken |= 1ull << collector;
			bank->head++;
			if (bank->head == bank->tail)
				sm->banks_waiting &= ~(1u << b);
			sm->stats.register_reads++;
			receive(sm, collector);
		}
	}
}

/* The oldest issued instruction takes a free collector and queues its reads. */
static bool allocate(struct sm *sm, uint32_t unit)
{
	struct collector_set *set = &sm->set[unit];
	struct op *op = port_front(&sm->issued[unit], sm->now);
	if (!op)
		return false;
	if (!set->free) {
		sm->stats.collector_full++;
		return false;
	}
	uint32_t at = (uint32_t)__builtin_ctzll(set->free);
	const struct simt_inst *inst = op->inst;
	port_pop(&sm->issued[unit], sm->now);
	set->free &= ~(1ull << at);
	sm->collecting[at] = op;
	op->unread = inst->bank_reads;
	if (!op->unread)
		set->complete |= 1ull << at;
	for (uint32_t r = 0; r < inst->bank_reads; r++) {
		uint32_t b = bank_of(sm, inst->bank_read[r], op->warp);
		sm->bank[b].collector[sm->bank[b].tail++ & (SM_BANK_QUEUE - 1)] = (uint8_t)at;
		sm->banks_waiting |= 1u << b;
	}
	return true;
}

void collect_operands(struct sm *sm)
{
	for (uint32_t unit = 0; unit < PTX_UNITS; unit++)
		dispatch(sm, unit);
	if (sm->banks_waiting)
		read_banks(sm);
	sm->arbitration = sm->arbitration + 1 == sm->collectors ? 0 : sm->arbitration + 1;
	for (uint32_t unit = 0; unit < PTX_UNITS; unit++) {
		if (port_empty(&sm->issued[unit]))
			continue;
		for (uint32_t port = 0; port < sm->config.pipe[unit].in_ports; port++)
			if (!allocate(sm, unit))
				break;
	}
	sm->banks_written = 0;
}

void collection_account(struct sm *sm, uint64_t slept)
{
	sm->arbitration = (uint32_t)((sm->arbitration + slept) % sm->collectors);
	for (uint32_t unit = 0; unit < PTX_UNITS; unit++)
		if (!port_empty(&sm->issued[unit]))
			sm->stats.collector_full += slept;
}
