/* operand_collectors: the model is GPGPU-Sim's operand collector. Its arbiter treats the requests between banks and
 * collector units as a matrix and walks it by diagonals (wavefront allocation). At a bank, results go before reads.
 * Timing: issue t, collector unit t + 1, one operand per cycle from t + 2, to the units a cycle after the last
 * operand. tests/micro/issue.cu measures the sum, tests/sm/test_sm_turns.c the arbiter's turns. */
#include "sm/sm.h"

void collectors_open(struct sm *sm)
{
	struct collectors *collectors = &sm->collectors;
	if (UNLIKELY(sm->config.sub_cores)) {
		sub_cores_open(sm);
		return;
	}
	for (uint32_t u = 0; u < PTX_UNITS; u++) {
		const struct pipe_config *pipe = &sm->config.pipe[u];
		struct collector_set *set = &collectors->set[u];
		for (uint32_t i = 0; i < pipe->collectors; i++)
			set->all |= 1ull << collectors->units++;
		collectors->free |= set->all;
		for (uint32_t port = 0; port < pipe->out_ports; port++)
			set->last[port] = collectors->units - pipe->collectors;
	}
	assert(collectors->units <= SM_MAX_COLLECTORS);
	for (uint32_t n = 0; n < sizeof collectors->modulo; n++)
		collectors->modulo[n] = (uint8_t)(n % collectors->units);
}

/* Sends complete instructions on: each out port takes the next collector in turn. The units then take instructions
 * in issue order, whichever had its operands first. */
static void dispatch(struct sm *sm, uint32_t unit, uint64_t complete)
{
	struct collectors *collectors = &sm->collectors;
	struct latch *out = &sm->collected[unit];
	uint32_t *last = collectors->set[unit].last, ports = sm->config.pipe[unit].out_ports;
	uint64_t gone = 0;
	for (uint32_t port = 0; complete && port < ports && latch_has_room(out); port++) {
		uint64_t behind = complete & (~1ull << last[port]);
		uint32_t at = (uint32_t)__builtin_ctzll(behind ? behind : complete);
		uint64_t bit = 1ull << at;
		last[port] = at;
		complete ^= bit;
		gone |= bit;
		latch_insert(out, collectors->op[at]);
	}
	collectors->complete &= ~gone;
	collectors->free |= gone;
}

/* True when, of two banks' requests for a collector, that of `bank` is first in the walk over the request matrix.
 * The walk is by diagonals, starting from another one each cycle (wavefront allocation). The first diagonal has
 * collector (cycle + b) modulo collectors at bank b. */
__attribute__((noinline)) static bool comes_before(const struct sm *sm, uint32_t bank, uint32_t other,
                                                   uint32_t collector)
{
	const struct collectors *collectors = &sm->collectors;
	uint32_t units = collectors->units, diagonal = (uint32_t)(sm->cycle % units);
	uint32_t behind = collector + units - collectors->modulo[diagonal + bank];
	uint32_t other_behind = collector + units - collectors->modulo[diagonal + other];
	return collectors->modulo[behind] < collectors->modulo[other_behind];
}

/* Matches banks with collectors: a bank reads one operand, a collector takes one. Banks that request different
 * collectors do not affect each other, so the walk is needed only when two request the same one. A collector that
 * waits for its last operand is requested by one bank only. */
static inline __attribute__((always_inline)) void read_banks(struct sm *sm)
{
	struct collectors *collectors = &sm->collectors;
	uint8_t chosen[SM_MAX_COLLECTORS];
	uint32_t requests = register_file_readable(&sm->registers, collectors->banks_waiting);
	uint32_t reads = 0, drained = 0;
	uint64_t taken = 0, complete = collectors->complete;

	for (uint32_t left = requests; left; left &= left - 1) {
		uint32_t bank = (uint32_t)__builtin_ctz(left), collector = collectors_oldest_read(collectors, bank);
		if (collectors->unread[collector] == 1) {
			complete |= 1ull << collector;
			reads++;
			drained |= collectors_read_next(collectors, bank);
			continue;
		}
		if (taken >> collector & 1 && !comes_before(sm, bank, chosen[collector], collector))
			continue;
		taken |= 1ull << collector;
		chosen[collector] = (uint8_t)bank;
	}
	collectors->complete = complete;
	for (; taken; taken &= taken - 1) {
		uint32_t collector = (uint32_t)__builtin_ctzll(taken);
		collectors->unread[collector]--;
		reads++;
		drained |= collectors_read_next(collectors, chosen[collector]);
	}
	collectors->banks_waiting ^= drained;
	sm->stats.register_conflicts += (uint32_t)__builtin_popcount(requests) - reads;
	sm->stats.register_reads += reads;
}

/* read_banks() for collectors that take operands of several banks in a cycle: no bank waits for another (GPGPU-Sim
 * 4.2.0). */
__attribute__((noinline)) static void read_banks_at_once(struct sm *sm)
{
	struct collectors *collectors = &sm->collectors;
	uint32_t requests = register_file_readable(&sm->registers, collectors->banks_waiting), drained = 0;
	for (uint32_t left = requests; left; left &= left - 1) {
		uint32_t bank = (uint32_t)__builtin_ctz(left), collector = collectors_oldest_read(collectors, bank);
		drained |= collectors_read_next(collectors, bank);
		if (--collectors->unread[collector] == 0)
			collectors->complete |= 1ull << collector;
	}
	collectors->banks_waiting ^= drained;
	sm->stats.register_reads += (uint32_t)__builtin_popcount(requests);
}

/* An issued instruction takes collector unit `at` and queues its reads at the banks. `base` is the first bank that
 * it may use. */
static inline void take_unit(struct sm *sm, uint32_t at, struct op *op, uint32_t base)
{
	struct collectors *collectors = &sm->collectors;
	const struct simt_inst *inst = op->inst;
	uint32_t reads = inst->bank_reads, waiting = collectors->banks_waiting;
	collectors->op[at] = op;
	collectors->unread[at] = reads;
	if (!reads) {
		collectors->complete |= 1ull << at;
		return;
	}
	for (uint32_t r = 0; r < reads; r++) {
		uint32_t b = base + register_bank(&sm->registers, inst->bank_read[r], op->warp), bit = 1u << b;
		uint16_t read = (uint16_t)(at * COLLECTOR_READS + r);
		struct bank_queue *bank = &collectors->bank[b];
		if (waiting & bit)
			collectors->next_read[bank->last] = read;
		else
			bank->first = read;
		bank->last = read;
		waiting |= bit;
	}
	collectors->banks_waiting = waiting;
}

static void collect(struct sm *sm, uint32_t at, struct op *op)
{
	take_unit(sm, at, op, 0);
}

void collectors_take(struct sm *sm, uint32_t at, struct op *op)
{
	take_unit(sm, at, op, register_first_bank(&sm->registers, op->warp));
}

/* The oldest issued instructions take free collector units. */
static void allocate(struct sm *sm, uint32_t unit)
{
	struct collectors *collectors = &sm->collectors;
	struct latch *in = &sm->issued[unit];
	uint64_t free = collectors->free & collectors->set[unit].all;
	if (!free) {
		sm->stats.collector_full++;
		return;
	}
	issue_latch_left(&sm->issue, unit);
	for (uint32_t ports = sm->config.pipe[unit].in_ports; ports; ports--) {
		uint32_t at = (uint32_t)__builtin_ctzll(free);
		collectors->free ^= 1ull << at;
		free &= free - 1;
		collect(sm, at, latch_pop(in));
		if (!in->count) {
			issue_latch_emptied(&sm->issue, unit);
			return;
		}
		if (!free && ports > 1) {
			sm->stats.collector_full++;
			return;
		}
	}
}

/* Prepares another step in the same cycle. Results are written to the banks only in the first, and waits count once per
 * cycle (GPGPU-Sim 4.2.0: shader_core_ctx::read_operands()). */
__attribute__((noinline)) static void begin_step(struct sm *sm, uint64_t full)
{
	register_file_new_cycle(&sm->registers);
	sm->stats.collector_full = full;
}

void collectors_tick(struct sm *sm)
{
	struct collectors *collectors = &sm->collectors;
	invariant(!(collectors->free & collectors->complete));
	if (UNLIKELY(sm->config.sub_cores)) {
		sub_cores_collect(sm);
		return;
	}
	/* The body has one copy, so that its functions are inlined. */
	for (uint32_t steps = sm->config.operand_steps;;) {
		uint64_t full = sm->stats.collector_full, complete = collectors->complete, all;
		for (uint32_t unit = 0; complete; complete &= ~all, unit++) {
			all = collectors->set[unit].all;
			if (complete & all && latch_has_room(&sm->collected[unit]))
				dispatch(sm, unit, complete & all);
		}
		if (collectors->banks_waiting) {
			if (UNLIKELY(sm->config.collectors_read_many))
				read_banks_at_once(sm);
			else
				read_banks(sm);
		}
		for (uint32_t left = sm->issue.waiting; left; left &= left - 1)
			allocate(sm, (uint32_t)__builtin_ctz(left));
		if (LIKELY(--steps == 0))
			return;
		begin_step(sm, full);
	}
}

/* Banks are read whenever an operand waits. Other progress depends on the space that dispatch() and allocate() find. */
bool collectors_go_on(const struct sm *sm)
{
	const struct collectors *collectors = &sm->collectors;
	if (collectors->banks_waiting)
		return true;
	if (UNLIKELY(sm->config.sub_cores))
		return sub_cores_go_on(sm);
	for (uint32_t unit = 0; unit < PTX_UNITS; unit++) {
		uint64_t all = collectors->set[unit].all;
		if ((collectors->complete & all && latch_has_room(&sm->collected[unit])) ||
		    (collectors->free & all && sm->issue.waiting >> unit & 1))
			return true;
	}
	return false;
}

void collectors_account(struct sm *sm, uint64_t slept)
{
	if (UNLIKELY(sm->config.sub_cores)) {
		sub_cores_account(sm, slept);
		return;
	}
	sm->stats.collector_full += slept * (uint32_t)__builtin_popcount(sm->issue.waiting);
}
