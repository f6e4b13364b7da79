/* mthwp: many-thread aware hardware prefetching into L1 (README.md). Three tables learn strides from an SM's loads:
 * of each warp, common to several warps, and from warp to warp. Each SM throttles itself. */
#include "seam/mech_lines.h"
#include "seam/mech_table.h"

enum { MAX_PROMOTE = 64 };

enum {
	THROTTLE_NONE = 0, /* every prefetch is sent */
	THROTTLE_ALL = 5,  /* no prefetch is sent */
	NO_WARP = UINT32_MAX >> 1,
};

struct config {
	uint32_t pws_entries, gs_entries, ip_entries;
	uint32_t promote;          /* warps with the same stride */
	uint32_t distance, degree; /* in executions, or in warps */
	bool throttle;
	uint32_t throttle_start, period;
	double early_low, early_high, merge_high;
};

/* The tables' sizes are TELEPORT's (section 5.4). The other values are those known of MICRO 2010: README.md. */
static const struct config defaults = {.pws_entries = 32,
                                       .gs_entries = 32,
                                       .ip_entries = 128,
                                       .promote = 3,
                                       .distance = 1,
                                       .degree = 1,
                                       .throttle = true,
                                       .throttle_start = 2,
                                       .period = 100000,
                                       .early_low = 0.01,
                                       .early_high = 0.02,
                                       .merge_high = 0.15};

#define AT(field) offsetof(struct config, field)
static const struct base_option options[] = {
	{"pws_entries", BASE_OPTION_U32, AT(pws_entries), 1, 4096, NULL, "entries",
         "rows of the PWS table: a warp's strides, one row per load and warp"},
	{"gs_entries", BASE_OPTION_U32, AT(gs_entries), 1, 4096, NULL, "entries",
         "rows of the GS table: strides common to warps, one row per load"},
	{"ip_entries", BASE_OPTION_U32, AT(ip_entries), 1, 4096, NULL, "entries",
         "rows of the IP table: strides from warp to warp, one row per load"},
	{"promote", BASE_OPTION_U32, AT(promote), 1, MAX_PROMOTE, NULL, "warps",
         "warps with the same stride that promote it to all warps"},
	{"distance", BASE_OPTION_U32, AT(distance), 1, 64, NULL, "strides",
         "how far ahead: executions of the warp, or warps for strides from warp to warp"},
	{"degree", BASE_OPTION_U32, AT(degree), 1, 16, NULL, "strides", "strides to prefetch at a time"},
	{"throttle", BASE_OPTION_BOOL, AT(throttle), 0, 1, NULL, "",
         "adaptive throttling; without it, every prefetch is sent"},
	{"throttle_start", BASE_OPTION_U32, AT(throttle_start), THROTTLE_NONE, THROTTLE_ALL, NULL, "fifths",
         "initial fraction of prefetches that are not sent"},
	{"period", BASE_OPTION_U32, AT(period), 1, 4e9, NULL, "cycles",
         "interval between two decisions of the throttle"},
	{"early_low", BASE_OPTION_F64, AT(early_low), 0, 1000, NULL, "",
         "early evictions per useful prefetch above which one fifth less is sent"},
	{"early_high", BASE_OPTION_F64, AT(early_high), 0, 1000, NULL, "",
         "early evictions per useful prefetch above which nothing is sent"},
	{"merge_high", BASE_OPTION_F64, AT(merge_high), 0, 1, NULL, "",
         "merged requests as a fraction of all: above it one fifth more is sent, below it nothing"},
};

#define COUNTERS(X)                                                                                                    \
	X(pws_trained, "entries", "entries of the per-warp table that saw the same stride twice")                      \
	X(promoted, "strides", "strides that several warps had in common")                                             \
	X(ip_trained, "entries", "entries of the inter-thread table that saw the same stride between three warps")     \
	X(gs_lines, "lines", "lines to prefetch by strides common to warps")                                           \
	X(ip_lines, "lines", "lines to prefetch for other warps")                                                      \
	X(pws_lines, "lines", "lines to prefetch by a warp's own strides")                                             \
	X(throttled, "lines", "lines not requested because of throttling")                                             \
	X(periods, "periods", "periods in which the throttle decided, summed over SMs")                                \
	X(periods_stopped, "periods", "periods after which nothing was sent")                                          \
	X(throttle_raised, "changes", "changes of an SM's throttle degree to less prefetching")                        \
	X(throttle_lowered, "changes", "changes of an SM's throttle degree to more prefetching")

struct stats {
#define X(name, unit, meaning) uint64_t name;
	COUNTERS(X)
#undef X
};

static const struct base_counter counters[] = {
#define X(name, unit, meaning) {#name, unit, BASE_SCOPE_SM, offsetof(struct stats, name), meaning, BASE_COMBINE_SUM},
	COUNTERS(X)
#undef X
};

struct entry {
	struct mech_key key; /* second part in the per-warp table: the warp's slot */
	bool trained;
	int64_t stride;        /* bytes; 0: none yet */
	uint64_t address;      /* of the last training access */
	uint32_t last, before; /* inter-thread table: the warps of the last two training accesses */
};

/* Inputs of the throttle's decision: events of the SM's current period. */
struct period {
	uint64_t requests; /* loads' accesses that missed or merged, and prefetches sent */
	uint64_t merged;   /* loads' accesses that merged with a line in flight */
	uint64_t useful, early_evicted;
};

struct state {
	struct mech_table pws, gs, ip;
	uint32_t throttle, credit; /* in fifths */
	uint64_t period_end;
	struct period period;
	struct mech_requests seen; /* the account's values when the period last read them */
	bool judged;
	double merge_ratio; /* average over periods, with half the weight on the last one */
};

/* --- training: each function returns the stride that its table would prefetch by, or 0 --- */

/* Returns the entry and marks it as most recently used; NULL when there is none. */
static struct entry *find(struct mech_table *table, uint32_t pc, uint32_t whose)
{
	struct entry *entry = mech_table_find(table, pc, whose);
	if (entry)
		mech_table_touch(table, entry);
	return entry;
}

static int64_t look_up_gs(struct state *state, uint32_t pc)
{
	const struct entry *entry = find(&state->gs, pc, MECH_NOWHERE);
	return entry ? entry->stride : 0;
}

/* When enough warps have the same stride, it becomes the load's stride, and the warps' entries are freed. */
static void promote(struct mech_sm *sm, uint32_t pc, int64_t stride)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	struct entry *same[MAX_PROMOTE];
	uint32_t warps = 0;
	for (uint32_t i = 0; i < state->pws.rows && warps < config->promote; i++) {
		struct entry *entry = (struct entry *)(void *)mech_table_row(&state->pws, i);
		if (entry->key.used && entry->key.pc == pc && entry->trained && entry->stride == stride)
			same[warps++] = entry;
	}
	if (warps < config->promote)
		return;
	while (warps)
		mech_table_free(same[--warps]);
	((struct entry *)mech_table_claim(&state->gs, pc, MECH_NOWHERE))->stride = stride;
	((struct stats *)sm->stats)->promoted++;
}

static int64_t train_pws(struct mech_sm *sm, const struct mech_memory *load)
{
	struct state *state = sm->state;
	uint64_t address = load->transaction[0].address;
	struct entry *entry = find(&state->pws, load->pc, load->warp);
	if (!entry) {
		entry = mech_table_claim(&state->pws, load->pc, load->warp);
		entry->address = address;
		return 0;
	}
	int64_t stride = (int64_t)(address - entry->address);
	bool was_trained = entry->trained, trained = stride && stride == entry->stride;
	entry->trained = trained;
	entry->stride = stride;
	entry->address = address;
	if (trained && !was_trained) {
		((struct stats *)sm->stats)->pws_trained++;
		promote(sm, load->pc, stride);
	}
	return trained ? stride : 0;
}

/* Returns the bytes from one warp to the next, from the accesses of two warps; 0 when the distance gives no whole
 * number. */
static int64_t stride_between(const struct entry *entry, uint32_t warp, uint64_t address)
{
	int64_t warps = (int64_t)warp - entry->last, bytes = (int64_t)(address - entry->address);
	return warps && entry->last != NO_WARP && bytes % warps == 0 ? bytes / warps : 0;
}

static int64_t train_ip(struct mech_sm *sm, const struct mech_memory *load)
{
	struct state *state = sm->state;
	uint64_t address = load->transaction[0].address;
	struct entry *entry = find(&state->ip, load->pc, MECH_NOWHERE);
	if (!entry) {
		entry = mech_table_claim(&state->ip, load->pc, MECH_NOWHERE);
		entry->last = entry->before = NO_WARP;
	}
	if (entry->trained)
		return entry->stride;
	int64_t stride = stride_between(entry, load->warp, address);
	entry->trained = stride && stride == entry->stride && load->warp != entry->before;
	entry->stride = stride;
	entry->address = address;
	entry->before = entry->last;
	entry->last = load->warp;
	((struct stats *)sm->stats)->ip_trained += entry->trained;
	return entry->trained ? stride : 0;
}

/* --- throttling --- */

/* Adds to the period what the machine has counted of our requests since the last call. */
static void take_account(struct mech_sm *sm)
{
	struct state *state = sm->state;
	const struct mech_requests *account = mech_account(sm);
	state->period.requests += account->issued - state->seen.issued;
	state->period.useful += account->useful - state->seen.useful;
	state->period.early_evicted += account->early_evicted - state->seen.early_evicted;
	state->seen = *account;
}

static void set_throttle(struct mech_sm *sm, uint32_t throttle)
{
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	stats->throttle_raised += throttle > state->throttle;
	stats->throttle_lowered += throttle < state->throttle;
	state->throttle = throttle;
}

/* Prefetched lines evicted before use are harm; merged requests are a sign of use. */
static void judge(struct mech_sm *sm)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	const struct period *period = &state->period;
	double ratio = period->requests ? (double)period->merged / (double)period->requests : 0;
	double useful = (double)period->useful, early = (double)period->early_evicted;
	state->merge_ratio = state->judged ? (state->merge_ratio + ratio) / 2 : ratio;
	state->judged = true;
	if (early > config->early_high * useful)
		set_throttle(sm, THROTTLE_ALL);
	else if (early > config->early_low * useful)
		set_throttle(sm, state->throttle < THROTTLE_ALL ? state->throttle + 1 : THROTTLE_ALL);
	else if (state->merge_ratio > config->merge_high)
		set_throttle(sm, state->throttle > THROTTLE_NONE ? state->throttle - 1 : THROTTLE_NONE);
	else
		set_throttle(sm, THROTTLE_ALL);
	stats->periods++;
	stats->periods_stopped += state->throttle == THROTTLE_ALL;
}

/* A period ends at the first load after its last cycle, so that no SM is woken for it. A period without requests
 * causes no decision. */
static void end_period(struct mech_sm *sm, uint64_t cycle)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	take_account(sm);
	if (state->period.requests || state->period.useful || state->period.early_evicted)
		judge(sm);
	state->period = (struct period){0};
	state->period_end = cycle - cycle % config->period + config->period;
}

/* Whether the next line may be requested. A throttle degree of d drops d of every five lines. */
static bool passes_throttle(struct state *state)
{
	state->credit += THROTTLE_ALL - state->throttle;
	if (state->credit < THROTTLE_ALL)
		return false;
	state->credit -= THROTTLE_ALL;
	return true;
}

/* --- prefetching --- */

static bool may_ask(struct mech_sm *sm)
{
	const struct config *config = sm->config;
	bool may = !config->throttle || passes_throttle(sm->state);
	((struct stats *)sm->stats)->throttled += !may;
	return may;
}

static uint64_t prefetch(struct mech_sm *sm, const struct mech_memory *load, int64_t stride)
{
	const struct config *config = sm->config;
	const struct mech_request like = {.to = MECH_TO_L1, .pc = load->pc, .block = load->block};
	uint64_t lines = 0;
	for (uint32_t i = 0; i < config->degree; i++)
		lines += mech_send_moved(sm, &like, load, stride * (int64_t)(config->distance + i), may_ask);
	return lines;
}

/* --- hooks --- */

/* All tables learn. Exception: the per-warp table does not when the GS table has the load's stride. */
static void learn(struct mech_sm *sm, const struct mech_memory *load)
{
	struct state *state = sm->state;
	struct stats *stats = sm->stats;
	int64_t gs = look_up_gs(state, load->pc);
	int64_t ip = train_ip(sm, load);
	int64_t pws = gs ? 0 : train_pws(sm, load);
	if (gs)
		stats->gs_lines += prefetch(sm, load, gs);
	else if (ip)
		stats->ip_lines += prefetch(sm, load, ip);
	else if (pws)
		stats->pws_lines += prefetch(sm, load, pws);
}

/* Uses only the accesses that a buffer before L1 does not serve. */
static void memory(struct mech_sm *sm, const struct mech_memory *load)
{
	struct state *state = sm->state;
	struct mech_transaction passed[MECH_MAX_ACCESSES];
	if (load->kind != MECH_LOAD || load->local)
		return;
	if (load->cycle >= state->period_end)
		end_period(sm, load->cycle);
	const struct mech_memory seen = mech_past_buffer(load, passed);
	if (seen.transactions)
		learn(sm, &seen);
}

static void count_access(struct mech_sm *sm, const struct mech_access *access)
{
	struct period *period = &((struct state *)sm->state)->period;
	if (access->kind != MECH_LOAD || access->result == MECH_HIT || access->result == MECH_BUFFER_HIT ||
	    access->result == MECH_BUFFER_MERGED)
		return;
	period->requests++;
	period->merged += access->result == MECH_MERGED;
}

/* Frees the rows of the ended warps: the next warps in these slots have not executed the loads before. */
static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	mech_table_free_of(&((struct state *)sm->state)->pws, block->first_warp, block->warps);
}

static void sm_open(struct mech_sm *sm)
{
	const struct config *config = sm->config;
	struct state *state = sm->state;
	mech_table_open(&state->pws, sm->pool, config->pws_entries, sizeof(struct entry));
	mech_table_open(&state->gs, sm->pool, config->gs_entries, sizeof(struct entry));
	mech_table_open(&state->ip, sm->pool, config->ip_entries, sizeof(struct entry));
	state->throttle = config->throttle_start;
}

/* Clears the tables, because another kernel's loads have the same pcs. The throttle continues: kernels can be
 * shorter than a period. */
static void kernel_begin(struct mech_sm *sm)
{
	struct state *state = sm->state;
	mech_table_clear(&state->pws);
	mech_table_clear(&state->gs);
	mech_table_clear(&state->ip);
	state->seen = (struct mech_requests){0};
}

static void kernel_end(struct mech_sm *sm)
{
	take_account(sm);
}

static bool check(const void *options_, const struct mech_machine *machine, char *message, size_t size)
{
	const struct config *config = options_;
	(void)machine;
	if (config->early_low > config->early_high)
		snprintf(message, size, "early_low is %g and early_high %g; expected it not to be the lower one",
		         config->early_low, config->early_high);
	else if (config->promote > config->pws_entries)
		snprintf(message, size, "promote is %u; expected at most pws_entries, %u", config->promote,
		         config->pws_entries);
	else
		return true;
	return false;
}

/* Assumes program counters, addresses and strides of 32 bits, as in machines of that time, and an LRU order of all
 * entries. */
static uint32_t costs(const void *options_, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	enum { WORD = 32, TRAINED = 1 };
	const struct config *config = options_;
	uint32_t warp = mech_bits_of(machine->warps);
	uint32_t pws = WORD + warp + WORD + WORD + TRAINED + mech_bits_of(config->pws_entries);
	uint32_t gs = WORD + WORD + mech_bits_of(config->gs_entries);
	uint32_t ip = WORD + 2 * warp + WORD + WORD + TRAINED + mech_bits_of(config->ip_entries);
	cost[0] = (struct mech_cost){"PWS table of each SM", "bytes", pws * config->pws_entries / 8.0};
	cost[1] = (struct mech_cost){"GS table of each SM", "bytes", gs * config->gs_entries / 8.0};
	cost[2] = (struct mech_cost){"IP table of each SM", "bytes", ip * config->ip_entries / 8.0};
	return 3;
}

/* The tables are cleared at a kernel's begin. */
static void sm_keep(struct mech_sm *sm, struct mech_kept *kept)
{
	struct state *state = sm->state;
	mech_keep(kept, &state->throttle, sizeof state->throttle);
	mech_keep(kept, &state->credit, sizeof state->credit);
	mech_keep(kept, &state->period_end, sizeof state->period_end);
	mech_keep(kept, &state->period, sizeof state->period);
	mech_keep(kept, &state->judged, sizeof state->judged);
	mech_keep(kept, &state->merge_ratio, sizeof state->merge_ratio);
}

const struct mech mech_mthwp = {
	.version = MECH_VERSION,
	.name = "mthwp",
	.summary = "prefetches into L1 by strides of a warp, common to warps, and from warp to warp",
	.citation =
		"J. Lee, N. B. Lakshminarayana, H. Kim, R. Vuduc: Many-Thread Aware Prefetching Mechanisms for GPGPU "
		"Applications, MICRO 2010",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.check = check,
	.costs = costs,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.stats_size = sizeof(struct stats),
	.sm_size = sizeof(struct state),
	.sends = true,
	.sm_open = sm_open,
	.kernel_begin = kernel_begin,
	.kernel_end = kernel_end,
	.block_end = block_end,
	.memory = memory,
	.access = count_access,
	.sm_keep = sm_keep,
	.kernels = MECH_EACH_KERNEL,
};
