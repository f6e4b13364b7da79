/* Operand collection: an issued instruction takes a collector unit of its pipe, reads its register operands from the banks,
 * one a cycle and bank, and goes to the execution units when it has them all. Writes go first at a bank. */
#include "sm/stages.h"

/* Complete instructions go on, from each out port the next collector in turn. At the units the one that was issued first goes
 * first, whichever had its operands first. */
static void dispatch(struct sm *sm, uint32_t unit, uint64_t complete)
{
	struct latch *out = &sm->collected[unit];
	uint32_t *last = sm->set[unit].last, ports = sm->config.pipe[unit].out_ports;
	uint64_t gone = 0;
	for (uint32_t port = 0; complete && port < ports && latch_has_room(out); port++) {
		uint64_t behind = complete & (~1ull << last[port]);
		uint32_t at = (uint32_t)__builtin_ctzll(behind ? behind : complete);
		uint64_t bit = 1ull << at;
		last[port] = at;
		complete ^= bit;
		gone |= bit;
		latch_insert(out, sm->collecting[at]);
	}
	sm->complete &= ~gone;
	sm->free |= gone;
}

static uint32_t collector_of(uint32_t read)
{
	return read / SIMT_MAX_READS;
}

/* The bank has read its oldest operand. Returns the bank's bit when that was the last. */
static uint32_t next_read(struct sm *sm, uint32_t b)
{
	struct bank_queue *bank = &sm->bank[b];
	if (bank->first == bank->last)
		return 1u << b;
	bank->first = sm->next_read[bank->first];
	return 0;
}

/* Where a bank's request for a collector comes in the walk over the request matrix: by diagonals, from another one each
 * cycle (wavefront allocation). */
static uint32_t place_in_walk(const struct sm *sm, uint32_t bank, uint32_t collector)
{
	uint32_t collectors = sm->collectors, from = sm->arbitration + bank;
	while (from >= collectors) /* more than once where there are more banks than collectors */
		from -= collectors;
	return collector >= from ? collector - from : collector + collectors - from;
}

/* Matches banks with collectors: a bank reads one operand, a collector takes one. Banks that want different collectors do
 * not disturb each other, so that the walk is needed only where two want the same one; nobody else wants a collector whose
 * last operand it is. */
static void read_banks(struct sm *sm)
{
	uint8_t chosen[SM_MAX_COLLECTORS];
	uint32_t requests = sm->banks_waiting & ~sm->banks_written;
	uint32_t reads = 0, drained = 0;
	uint64_t taken = 0, complete = sm->complete;

	for (uint32_t left = requests; left; left &= left - 1) {
		uint32_t bank = (uint32_t)__builtin_ctz(left), collector = collector_of(sm->bank[bank].first);
		if (sm->unread[collector] == 1) {
			complete |= 1ull << collector;
			reads++;
			drained |= next_read(sm, bank);
			continue;
		}
		if (taken >> collector & 1 &&
		    place_in_walk(sm, bank, collector) >= place_in_walk(sm, chosen[collector], collector))
			continue;
		taken |= 1ull << collector;
		chosen[collector] = (uint8_t)bank;
	}
	sm->complete = complete;
	for (; taken; taken &= taken - 1) {
		uint32_t collector = (uint32_t)__builtin_ctzll(taken);
		sm->unread[collector]--;
		reads++;
		drained |= next_read(sm, chosen[collector]);
	}
	sm->banks_waiting ^= drained;
	sm->stats.register_conflicts += (uint32_t)__builtin_popcount(requests) - reads;
	sm->stats.register_reads += reads;
}

/* An issued instruction takes collector unit `at` and queues its reads at the banks. */
static void collect(struct sm *sm, uint32_t at, struct op *op)
{
	const struct simt_inst *inst = op->inst;
	uint32_t reads = inst->bank_reads, waiting = sm->banks_waiting;
	sm->collecting[at] = op;
	sm->unread[at] = reads;
	if (!reads) {
		sm->complete |= 1ull << at;
		return;
	}
	for (uint32_t r = 0; r < reads; r++) {
		uint32_t b = bank_of(sm, inst->bank_read[r], op->warp), bit = 1u << b;
		uint16_t read = (uint16_t)(at * SIMT_MAX_READS + r);
		struct bank_queue *bank = &sm->bank[b];
		if (waiting & bit)
			sm->next_read[bank->last] = read;
		else
			bank->first = read;
		bank->last = read;
		waiting |= bit;
	}
	sm->banks_waiting = waiting;
}

/* The oldest issued instructions take free collectors. */
static void allocate(struct sm *sm, uint32_t unit)
{
	struct latch *in = &sm->issued[unit];
	uint64_t free = sm->free & sm->set[unit].all, taken = 0;
	for (uint32_t ports = sm->config.pipe[unit].in_ports; ports && in->count; ports--) {
		if (free == taken) {
			sm->stats.collector_full++;
			break;
		}
		uint32_t at = (uint32_t)__builtin_ctzll(free ^ taken);
		taken |= 1ull << at;
		collect(sm, at, latch_pop(in));
	}
	sm->free ^= taken;
}

void collect_operands(struct sm *sm)
{
	if (sm->complete)
		for (uint32_t unit = 0; unit < PTX_UNITS; unit++)
			if (sm->complete & sm->set[unit].all)
				dispatch(sm, unit, sm->complete & sm->set[unit].all);
	if (sm->banks_waiting)
		read_banks(sm);
	sm->arbitration = sm->arbitration + 1 == sm->collectors ? 0 : sm->arbitration + 1;
	for (uint32_t unit = 0; unit < PTX_UNITS; unit++)
		if (sm->issued[unit].count)
			allocate(sm, unit);
	sm->banks_written = 0;
}

void collection_account(struct sm *sm, uint64_t slept)
{
	sm->arbitration = (uint32_t)((sm->arbitration + slept) % sm->collectors);
	for (uint32_t unit = 0; unit < PTX_UNITS; unit++)
		if (sm->issued[unit].count)
			sm->stats.collector_full += slept;
}
