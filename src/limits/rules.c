/* Rules: what limits a kernel, each with an upper bound of the speedup without it.
 *
 * All bounds are quotients of the kernel's time T and a lower bound of its time T' without the finding:
 *
 *   units      A unit that works for B cycles of T still needs them: T' >= B. So no change that leaves every unit's
 *              work as it is gains more than T / B of the busiest unit. A finding that removes work reduces B of the
 *              units concerned.
 *   warps      With W of M warps resident on average, each SM's rate grows at most by M / W when more are resident,
 *              because a warp does not become faster by having others beside it: T' >= T W / M.
 *   even work  An SM that has blocks for A of T cycles works no faster while others work: the mean of A remains,
 *              T' >= sum of A / SMs.
 *   conflicts  A schedule without the C conflict cycles of an SM becomes one with them by stopping the SM for C cycles.
 *              So an SM that has blocks for A cycles needs at least A - C. The largest A - C remains; without counters
 *              by SM (--units) the mean, which is less.
 *
 * They assume that the remaining work behaves as before: the same accesses hit, and the same rows are open. */
#include "limits/limits.h"

#include <stdarg.h>

#define BUSY         0.60 /* from here on a unit, not latency, limits the kernel */
#define OCCUPANCY    0.80 /* achieved occupancy below it is a finding */
#define IDLE         0.05 /* the part of the SMs' cycles without a block from which it is one */
#define CONFLICTS    0.01 /* of the SMs' cycles */
#define TRANSACTIONS 0.10 /* of all transactions */
#define LANES        0.90 /* active lanes per issue below it are one */

struct finding {
	const struct limits_account *account;
	struct limits *limits;
};

__attribute__((format(printf, 5, 6))) static void add(const struct finding *finding, const char *name, double measured,
                                                      double gain, const char *format, ...)
{
	struct limits *limits = finding->limits;
	struct limits_rule *rule = &limits->rule[limits->rules++];
	va_list arguments;
	*rule = (struct limits_rule){.name = name, .measured = measured, .gain = gain};
	va_start(arguments, format);
	vsnprintf(rule->text, sizeof rule->text, format, arguments);
	va_end(arguments);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* The part of T that the busiest unit needs when units need only `left[unit]` of their cycles; NULL: all. */
static double busiest_of(const struct limits *limits, const double *left)
{
	double most = 0;
	for (enum limits_unit unit = 0; unit < LIMITS_UNITS; unit++)
		most = larger(most, limits->use[unit].used * (left ? left[unit] : 1));
	return most;
}

/* The speedup when the part `least` of the time remains. */
static double gain_of(double least)
{
	return least > 0 ? larger(1 / least, 1) : 1;
}

static void everything_left(double left[LIMITS_UNITS])
{
	for (enum limits_unit unit = 0; unit < LIMITS_UNITS; unit++)
		left[unit] = 1;
}

/* Returns the most frequent cause of waits. */
static const char *largest_wait(const struct sm_stats *sm, double *share)
{
	const struct {
		const char *name;
		uint64_t slots;
	} waits[] = {
		{"results of arithmetic", sm->stack_arithmetic},
		{"data of shared memory", sm->stack_shared},
		{"data of L1", sm->stack_l1},
		{"texture data", sm->stack_texture},
		{"data of L2", sm->stack_l2},
		{"data of DRAM", sm->stack_dram},
		{"a barrier or fence", sm->stack_barrier},
		{"a mechanism", sm->stack_held + sm->stack_replayed},
		{"space in a pipe", sm->stack_conflict},
		{"instructions", sm->stack_no_instruction},
		{"blocks", sm->stack_idle},
	};
	size_t most = 0;
	double slots = (double)sm->stack_issued;
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		slots += (double)waits[i].slots;
		if (waits[i].slots > waits[most].slots)
			most = i;
	}
	*share = slots > 0 ? (double)waits[most].slots / slots : 0;
	return waits[most].name;
}

/* The first rule always applies: a unit is busy, or none is. */
static void apply_main(const struct finding *finding)
{
	const struct limits *limits = finding->limits;
	const struct limits_use *use = &limits->use[limits->busiest];
	double share;
	const char *wait = largest_wait(&finding->account->stats.sm, &share);
	if (use->used >= BUSY)
		add(finding, "throughput", use->used, gain_of(use->used),
		    "The kernel is bound by %s: %.1f %% of the peak (%s). Only less work for it gains more.", use->name,
		    100 * use->used, use->what);
	else
		add(finding, "latency", use->used, gain_of(use->used),
		    "The kernel is bound by latency: the busiest unit is %s, at %.1f %% of its peak. In %.1f %% of the "
		    "issue slots the schedulers waited for %s. More warps, or more independent instructions in each, "
		    "hide "
		    "waits.",
		    use->name, 100 * use->used, 100 * share, wait);
}

static void apply_occupancy(const struct finding *finding)
{
	const struct limits_occupancy *occupancy = &finding->limits->occupancy;
	double achieved = occupancy->achieved;
	char reason[128] = "";
	if (achieved <= 0 || achieved >= OCCUPANCY || finding->limits->use[finding->limits->busiest].used >= BUSY)
		return;
	if (occupancy->is_known && occupancy->blocks_per_sm < occupancy->fits.blocks)
		snprintf(reason, sizeof reason, " The grid is small: %u blocks are placed on an SM, %u fit.",
		         occupancy->blocks_per_sm, occupancy->fits.blocks);
	else if (occupancy->is_known)
		snprintf(reason, sizeof reason, " %u blocks fit, limited by %s.", occupancy->fits.blocks,
		         limits_occupancy_name(occupancy->fits.limit));
	double most = gain_of(larger(achieved, busiest_of(finding->limits, NULL)));
	add(finding, "occupancy", achieved, most,
	    "An SM with a block has %.1f warps on average; it has slots for %.0f.%s", achieved * occupancy->slots,
	    occupancy->slots, reason);
}

static void apply_idle(const struct finding *finding)
{
	const struct limits_account *account = finding->account;
	const struct limits_occupancy *occupancy = &finding->limits->occupancy;
	double sms = account->machine.sms, blocks = account->blocks;
	double active = (double)account->stats.sm.active_cycles / (account->cycles * sms);
	char reason[128] = "";
	if (active <= 0 || 1 - active < IDLE)
		return;
	if (occupancy->is_known && blocks < sms)
		snprintf(reason, sizeof reason, " The grid has %.0f blocks for %.0f SMs.", blocks, sms);
	else if (occupancy->is_known)
		snprintf(reason, sizeof reason, " The grid has %.0f blocks, %.2f times the number that runs at once.",
		         blocks, occupancy->waves);
	add(finding, "idle SMs", 1 - active, gain_of(larger(active, busiest_of(finding->limits, NULL))),
	    "SMs have no block in %.1f %% of the cycles, at the beginning, at the end, or throughout.%s",
	    100 * (1 - active), reason);
}

static double unit_value(const json_t *units, const char *name, size_t unit)
{
	return json_number_value(json_array_get(json_object_get(units, name), unit));
}

/* The largest A - C of an SM, or their mean (see the head of this file). */
static double least_without_conflicts(const struct limits_account *account)
{
	const struct sm_stats *sm = &account->stats.sm;
	double conflicts = (double)(sm->shared_conflict_cycles - sm->shared_wide_cycles), most = 0;
	for (size_t i = 0; account->units && i < account->machine.sms; i++) {
		double own = unit_value(account->units, "sm.shared_conflict_cycles", i) -
		             unit_value(account->units, "sm.shared_wide_cycles", i);
		most = larger(most, unit_value(account->units, "sm.active_cycles", i) - own);
	}
	return larger(most, ((double)sm->active_cycles - conflicts) / account->machine.sms);
}

static void apply_conflicts(const struct finding *finding)
{
	const struct limits_account *account = finding->account;
	const struct sm_stats *sm = &account->stats.sm;
	double left[LIMITS_UNITS], sm_cycles = account->cycles * account->machine.sms;
	if (sm->shared_conflict_cycles <= sm->shared_wide_cycles)
		return;
	double conflicts = (double)(sm->shared_conflict_cycles - sm->shared_wide_cycles);
	double accesses = (double)sm->shared_accesses;
	if (conflicts / sm_cycles < CONFLICTS)
		return;
	everything_left(left);
	left[LIMITS_SHARED] = 1 - conflicts / larger((double)sm->shared_busy, conflicts);
	double least = larger(least_without_conflicts(account) / account->cycles, busiest_of(finding->limits, left));
	add(finding, "bank conflicts", conflicts / sm_cycles, gain_of(least),
	    "Bank conflicts of shared memory take %.1f %% of the SMs' cycles: an access takes %.2f cycles in place of "
	    "%.2f.",
	    100 * conflicts / sm_cycles, (accesses + (double)sm->shared_conflict_cycles) / accesses,
	    (accesses + (double)sm->shared_wide_cycles) / accesses);
}

static void apply_coalescing(const struct finding *finding)
{
	static const enum limits_unit concerned[] = {LIMITS_L1, LIMITS_REQUESTS, LIMITS_REPLIES, LIMITS_L2,
	                                             LIMITS_DRAM};
	const struct sm_stats *sm = &finding->account->stats.sm;
	double made = (double)sm->transactions, least = (double)sm->least_transactions, left[LIMITS_UNITS];
	if (made <= 0 || 1 - least / made < TRANSACTIONS)
		return;
	everything_left(left);
	/* each of the levels below carries at most that part less */
	for (size_t i = 0; i < sizeof concerned / sizeof *concerned; i++)
		left[concerned[i]] = least / made;
	add(finding, "uncoalesced accesses", 1 - least / made, gain_of(busiest_of(finding->limits, left)),
	    "Loads and stores made %.0f transactions. %.0f would do if the lanes' data lay side by side.", made, least);
}

static void apply_lanes(const struct finding *finding)
{
	const struct limits_account *account = finding->account;
	const struct sm_stats *sm = &account->stats.sm;
	double lanes = (double)sm->thread_instructions / ((double)sm->warp_instructions * WARP_SIZE);
	double left[LIMITS_UNITS];
	if (!sm->warp_instructions || lanes >= LANES)
		return;
	everything_left(left);
	for (enum limits_unit unit = LIMITS_ISSUE; unit <= LIMITS_TENSOR; unit++)
		left[unit] = lanes;
	left[LIMITS_SHARED] = lanes;
	uint32_t rest = account->block_threads % WARP_SIZE;
	char reason[128] = "";
	if (account->is_launch && rest)
		snprintf(reason, sizeof reason, " The last warp of each block has %u threads.", rest);
	add(finding, "inactive lanes", 1 - lanes, gain_of(busiest_of(finding->limits, left)),
	    "%.1f of %d lanes are active per issued instruction. %.1f %% of the branches diverge.%s", WARP_SIZE * lanes,
	    WARP_SIZE, sm->branches ? 100.0 * (double)sm->divergent_branches / (double)sm->branches : 0, reason);
}

/* Orders all rules after the first by their bounds, largest first. */
static void sort(struct limits *limits)
{
	for (size_t i = 2; i < limits->rules; i++)
		for (size_t k = i; k > 1 && limits->rule[k].gain > limits->rule[k - 1].gain; k--) {
			struct limits_rule other = limits->rule[k];
			limits->rule[k] = limits->rule[k - 1];
			limits->rule[k - 1] = other;
		}
}

void limits_apply_rules(const struct limits_account *account, struct limits *limits)
{
	const struct finding finding = {account, limits};
	limits->rules = 0;
	if (account->is_sum)
		return;
	apply_main(&finding);
	apply_occupancy(&finding);
	apply_idle(&finding);
	apply_conflicts(&finding);
	apply_coalescing(&finding);
	apply_lanes(&finding);
	sort(limits);
}
