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

/* Complete instructions go on, from each out port the next collector in turn. */
static void dispatch(struct sm *sm, uint32_t unit)
{
	struct collector_set *set = &sm->set[unit];
	for (uint32_t port = 0; set->complete && port < sm->config.pipe[unit].out_ports; port++) {
		if (!latch_room(&sm->collected[unit]))
			return;
		uint64_t behind = set->complete & (~1ull << set->last[port]);
		uint32_t at = (uint32_t)__builtin_ctzll(behind ? behind : set->complete);
		set->last[port] = at;
		set->complete &= ~(1ull << at);
		set->free |= 1ull << at;
		latch_push(&sm->collected[unit], sm->collecting[at], sm->now);
	}
}

static uint32_t collector_of(uint32_t read)
{
	return read / SIMT_MAX_READS;
}

static void queue_read(struct sm *sm, uint32_t b, uint32_t read)
{
	struct bank_queue *bank = &sm->bank[b];
	if (sm->banks_waiting >> b & 1)
		sm->next_read[bank->last] = (uint16_t)read;
	else
		bank->first = (uint16_t)read;
	bank->last = (uint16_t)read;
	sm->banks_waiting |= 1u << b;
}

/* The bank reads its oldest operand; the instruction's last makes it complete. */
static void read_operand(struct sm *sm, uint32_t b)
{
	struct bank_queue *bank = &sm->bank[b];
	uint32_t read = bank->first, collector = collector_of(read);
	if (read == bank->last)
		sm->banks_waiting &= ~(1u << b);
	else
		bank->first = sm->next_read[read];
	if (--sm->unread[collector] == 0)
		sm->set[sm->pipe_of[collector]].complete |= 1ull << collector;
}

/* Where a bank's request for a collector comes in the walk over the request matrix: by diagonals, from another one each
 * cycle (wavefront allocation). */
static uint32_t place_in_walk(const struct sm *sm, uint32_t bank, uint32_t collector)
{
	uint32_t collectors = sm->collectors, from = sm->arbitration + bank;
	from = from >= collectors ? from - collectors : from;
	while (from >= collectors) /* more banks than collectors */
		from -= collectors;
	return collector >= from ? collector - from : collector + collectors - from;
}

/* Matches banks with collectors: a bank reads one operand, a collector takes one. Banks that want different collectors do
 * not disturb each other, so that the walk is needed only where two want the same one. */
static void read_banks(struct sm *sm)
{
	uint8_t chosen[SM_MAX_COLLECTORS];
	uint32_t requests = sm->banks_waiting & ~sm->banks_written;
	uint64_t taken = 0;

	for (uint32_t left = requests; left; left &= left - 1) {
		uint32_t bank = (uint32_t)__builtin_ctz(left), collector = collector_of(sm->bank[bank].first);
		if (taken >> collector & 1 &&
		    place_in_walk(sm, bank, collector) >= place_in_walk(sm, chosen[collector], collector))
			continue;
		taken |= 1ull << collector;
		chosen[collector] = (uint8_t)bank;
	}
	uint32_t reads = (uint32_t)__builtin_popcountll(taken);
	sm->stats.register_conflicts += (uint32_t)__builtin_popcount(requests) - reads;
	sm->stats.register_reads += reads;
	for (; taken; taken &= taken - 1)
		read_operand(sm, chosen[__builtin_ctzll(taken)]);
}

/* The oldest issued instruction takes a free collector and queues its reads. */
static bool allocate(struct sm *sm, uint32_t unit)
{
	struct collector_set *set = &sm->set[unit];
	struct op *op = latch_front(&sm->issued[unit]);
	if (!op)
		return false;
	if (!set->free) {
		sm->stats.collector_full++;
		return false;
	}
	uint32_t at = (uint32_t)__builtin_ctzll(set->free);
	const struct simt_inst *inst = op->inst;
	latch_pop(&sm->issued[unit]);
	set->free &= ~(1ull << at);
	sm->collecting[at] = op;
	sm->unread[at] = inst->bank_reads;
	if (!inst->bank_reads)
		set->complete |= 1ull << at;
	for (uint32_t r = 0; r < inst->bank_reads; r++)
		queue_read(sm, bank_of(sm, inst->bank_read[r], op->warp), at * SIMT_MAX_READS + r);
	return true;
}

void collect_operands(struct sm *sm)
{
	for (uint32_t unit = 0; unit < PTX_UNITS; unit++)
		if (sm->set[unit].complete)
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
