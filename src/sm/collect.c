/* Operand collection: an issued instruction takes a collector unit of its pipe, reads its register operands from the banks,
 * one a cycle and bank, and goes to the execution units when it has them all. Writes go first at a bank. */
#include "sm/stages.h"

static uint32_t bank_of(const struct sm *sm, uint32_t number, uint32_t warp)
{
	return (number + warp) % sm->config.register_banks;
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

/* Complete instructions go on, from each out port the next collector in turn. */
static void dispatch(struct sm *sm, uint32_t unit)
{
	const struct pipe_config *pipe = &sm->config.pipe[unit];
	for (uint32_t port = 0; port < pipe->out_ports; port++) {
		if (!port_room(&sm->collected[unit], sm->now))
			return;
		for (uint32_t i = 1; i <= pipe->collectors; i++) {
			uint32_t at = (sm->last_dispatched[unit][port] + i) % pipe->collectors;
			struct collector *collector = &sm->collector[sm->collector_first[unit] + at];
			if (!collector->op || collector->op->unread)
				continue;
			sm->last_dispatched[unit][port] = at;
			port_push(&sm->collected[unit], collector->op, sm->now);
			collector->op = NULL;
			sm->collectors_busy--;
			break;
		}
	}
}

/* Matches banks with collectors: a bank reads one operand, a collector takes one. The match walks the diagonals of the
 * request matrix, from another one each cycle (wavefront allocation). */
static void read_banks(struct sm *sm)
{
	uint32_t size = sm->collectors > sm->config.register_banks ? sm->collectors : sm->config.register_banks;
	uint32_t first = (uint32_t)(sm->arbitrations++ % sm->collectors);
	uint32_t diagonal[SM_MAX_COLLECTORS] = {0};
	uint64_t diagonals = 0, taken = 0;

	for (uint32_t left = sm->banks_waiting & ~sm->banks_written; left; left &= left - 1) {
		uint32_t bank = (uint32_t)__builtin_ctz(left);
		uint32_t collector = sm->bank[bank].collector[sm->bank[bank].head];
		uint32_t at = (collector + 2 * sm->collectors * size - first - bank) % sm->collectors;
		diagonal[at] |= 1u << bank;
		diagonals |= 1ull << at;
	}
	for (; diagonals; diagonals &= diagonals - 1) {
		for (uint32_t left = diagonal[__builtin_ctzll(diagonals)]; left; left &= left - 1) {
			uint32_t b = (uint32_t)__builtin_ctz(left);
			struct bank_queue *bank = &sm->bank[b];
			uint32_t collector = bank->collector[bank->head];
			if (taken >> collector & 1) {
				sm->stats.register_conflicts++;
				continue;
			}
			taken |= 1ull << collector;
			sm->collector[collector].op->unread--;
			bank->head++;
			if (bank->head == bank->tail)
				sm->banks_waiting &= ~(1u << b);
			sm->stats.register_reads++;
		}
	}
}

/* The oldest issued instruction takes a free collector and queues its reads. */
static bool allocate(struct sm *sm, uint32_t unit)
{
	struct op *op = port_front(&sm->issued[unit], sm->now);
	if (!op)
		return false;
	for (uint32_t i = 0; i < sm->config.pipe[unit].collectors; i++) {
		uint32_t at = sm->collector_first[unit] + i;
		if (sm->collector[at].op)
			continue;
		port_pop(&sm->issued[unit], sm->now);
		sm->collector[at].op = op;
		sm->collectors_busy++;
		op->unread = op->inst->bank_reads;
		for (uint32_t r = 0; r < op->inst->bank_reads; r++) {
			uint32_t b = bank_of(sm, op->inst->bank_read[r], op->warp);
			sm->bank[b].collector[sm->bank[b].tail++] = (uint8_t)at;
			sm->banks_waiting |= 1u << b;
		}
		return true;
	}
	sm->stats.collector_full++;
	return false;
}

void collect_operands(struct sm *sm)
{
	if (sm->collectors_busy)
		for (uint32_t unit = 0; unit < PTX_UNITS; unit++)
			dispatch(sm, unit);
	if (sm->banks_waiting)
		read_banks(sm);
	else
		sm->arbitrations++;
	for (uint32_t unit = 0; unit < PTX_UNITS; unit++)
		for (uint32_t port = 0; port < sm->config.pipe[unit].in_ports; port++)
			if (!allocate(sm, unit))
				break;
	sm->banks_written = 0;
}
