/* stats: the groups of counters, their sums over the units, and the relations that must hold between them. */
#include "gpu/stats.h"

#include "gpu/sampler.h"

#include <assert.h>
#include <string.h>

const struct base_counter_group gpu_counter_groups[] = {
#define X(name, kind, unit, place) {#name, kind##_counters, &kind##_counter_count, offsetof(struct gpu_stats, name)},
	GPU_COUNTER_GROUPS(X)
#undef X
};
const size_t gpu_counter_group_count = sizeof gpu_counter_groups / sizeof gpu_counter_groups[0];

/* The units that count, by their structs. */
enum unit_kind { UNITS_sm, UNITS_slice, UNITS_dram_channel, UNITS_cluster, UNITS_gpu };

struct unit_array {
	void *first;
	uint32_t count;
	size_t size; /* of one unit */
};

static struct unit_array units_of(const struct gpu *gpu, enum unit_kind kind)
{
	switch (kind) {
	case UNITS_sm:
		return (struct unit_array){gpu->sm, gpu->machine.sms, sizeof *gpu->sm};
	case UNITS_slice:
		return (struct unit_array){gpu->slice, gpu->slices, sizeof *gpu->slice};
	case UNITS_cluster:
		return (struct unit_array){gpu->cluster, gpu->clusters, sizeof *gpu->cluster};
	case UNITS_dram_channel:
		return (struct unit_array){gpu->channel, gpu->machine.map.channels, sizeof *gpu->channel};
	default:
		return (struct unit_array){(void *)gpu, 1, sizeof *gpu};
	}
}

/* The position of a group in each of its units and in struct gpu_stats. A statistics struct contains only uint64_t
 * counters. */
static const struct group {
	enum unit_kind units;
	size_t in_unit, in_sum, size;
} groups[] = {
#define X(name, kind, unit, place)                                                                                     \
	{UNITS_##unit, offsetof(struct unit, place), offsetof(struct gpu_stats, name), sizeof(struct kind##_stats)},
	GPU_COUNTER_GROUPS(X)
#undef X
};

enum { GROUPS = sizeof groups / sizeof *groups };

enum base_scope gpu_counter_scope(size_t group)
{
	static const enum base_scope scopes[] = {[UNITS_sm] = BASE_SCOPE_SM,
	                                         [UNITS_slice] = BASE_SCOPE_SLICE,
	                                         [UNITS_dram_channel] = BASE_SCOPE_CHANNEL,
	                                         [UNITS_cluster] = BASE_SCOPE_NETWORK,
	                                         [UNITS_gpu] = BASE_SCOPE_NETWORK}; /* the two networks */
	assert(group < GROUPS);
	return scopes[groups[group].units];
}

static void add_counters(void *to, const void *from, size_t size)
{
	uint64_t *sum = to;
	const uint64_t *value = from;
	for (size_t i = 0; i < size / sizeof *sum; i++)
		sum[i] += value[i];
}

void stats_collect(struct gpu *gpu, struct gpu_stats *stats)
{
	*stats = (struct gpu_stats){0};
	for (const struct group *group = groups; group < groups + GROUPS; group++) {
		const struct unit_array units = units_of(gpu, group->units);
		const char *unit = units.first;
		for (uint32_t i = 0; i < units.count; i++, unit += units.size)
			add_counters((char *)stats + group->in_sum, unit + group->in_unit, group->size);
	}
}

void stats_add(struct gpu_stats *sum, const struct gpu_stats *stats)
{
	add_counters(sum, stats, sizeof *sum);
}

void stats_reset(struct gpu *gpu)
{
	for (const struct group *group = groups; group < groups + GROUPS; group++) {
		const struct unit_array units = units_of(gpu, group->units);
		char *unit = units.first;
		for (uint32_t i = 0; i < units.count; i++, unit += units.size)
			memset(unit + group->in_unit, 0, group->size);
	}
}

uint32_t stats_units(const struct gpu *gpu, size_t group)
{
	return units_of(gpu, groups[group].units).count;
}

size_t stats_unit_elements(const struct gpu *gpu)
{
	size_t elements = 0;
	for (size_t group = 0; group < GROUPS; group++)
		elements += stats_units(gpu, group) * groups[group].size / sizeof(uint64_t);
	return elements;
}

void stats_add_units(const struct gpu *gpu, uint64_t *sum)
{
	for (const struct group *group = groups; group < groups + GROUPS; group++) {
		const struct unit_array units = units_of(gpu, group->units);
		const char *unit = units.first;
		for (uint32_t i = 0; i < units.count; i++, unit += units.size, sum += group->size / sizeof *sum)
			add_counters(sum, unit + group->in_unit, group->size);
	}
}

/* The struct of one unit in a sum of stats_add_units(). */
static const void *struct_in_sum(const struct gpu *gpu, const uint64_t *sum, size_t number, uint32_t unit)
{
	for (size_t group = 0; group < number; group++)
		sum += stats_units(gpu, group) * groups[group].size / sizeof *sum;
	return sum + unit * groups[number].size / sizeof *sum;
}

uint64_t stats_unit_value(const struct gpu *gpu, const uint64_t *sum, size_t group, const struct base_counter *row,
                          uint32_t unit)
{
	const struct unit_array units = units_of(gpu, groups[group].units);
	const char *stats = sum ? struct_in_sum(gpu, sum, group, unit)
	                        : (const char *)units.first + unit * units.size + groups[group].in_unit;
	return *(const uint64_t *)(const void *)(stats + row->offset);
}

uint64_t stats_stack_slots(const struct sm_stats *sm)
{
	return sm->stack_issued + sm->stack_arithmetic + sm->stack_shared + sm->stack_l1 + sm->stack_texture +
	       sm->stack_l2 + sm->stack_dram + sm->stack_barrier + sm->stack_held + sm->stack_replayed +
	       sm->stack_conflict + sm->stack_no_instruction + sm->stack_idle;
}

/* A relation that must hold between two counts. */
enum comparison { EQUALS, AT_MOST };
struct relation {
	const char *what;
	uint64_t left;
	enum comparison is;
	uint64_t right;
};

static bool holds(const struct relation *relation, char *text, size_t size)
{
	bool at_most = relation->is == AT_MOST;
	if (at_most ? relation->left <= relation->right : relation->left == relation->right)
		return true;
	snprintf(text, size, "%s: %llu is %s %llu", relation->what, (unsigned long long)relation->left,
	         at_most ? "more than" : "not", (unsigned long long)relation->right);
	return false;
}

static bool check_cache(const char *name, const struct cache_stats *cache, char *text, size_t size)
{
	char what[128];
	struct relation relation = {what, cache->accesses, EQUALS, cache->hits + cache->misses + cache->merged};
	snprintf(what, sizeof what, "%s.accesses = hits + misses + merged", name);
	if (!holds(&relation, text, size))
		return false;
	relation = (struct relation){what, cache->accesses, EQUALS, cache->read_accesses + cache->write_accesses};
	snprintf(what, sizeof what, "%s.accesses = read_accesses + write_accesses", name);
	if (!holds(&relation, text, size))
		return false;
	uint64_t hits = cache->global_read_hits + cache->global_write_hits;
	relation = (struct relation){what, hits, AT_MOST, cache->hits};
	snprintf(what, sizeof what, "%s.global_read_hits + global_write_hits <= hits", name);
	return holds(&relation, text, size);
}

/* Checks the accounts of mechanisms' requests. */
static bool check_accounts(const struct seam *seam, char *text, size_t size)
{
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct mech_requests sum = seam_account_of(seam, i);
		const struct relation relations[] = {
			{"asked = dropped + outside + filtered + refused + issued of a mechanism's requests", sum.asked,
		         EQUALS, sum.dropped + sum.outside + sum.filtered + sum.refused + sum.issued},
			{"issued = useful + late + early_evicted + redundant of a mechanism's requests", sum.issued,
		         EQUALS, sum.useful + sum.late + sum.early_evicted + sum.redundant},
		};
		if (!holds(&relations[0], text, size) || !holds(&relations[1], text, size))
			return false;
	}
	return true;
}

/* Returns the sum of the counters that a cache that is only read never counts. */
static uint64_t never_when_read(const struct cache_stats *cache)
{
	return cache->write_accesses + cache->writebacks + cache->prefetches + cache->global_reads +
	       cache->global_writes;
}

/* Checks the counters of a run of this many cycles and blocks. cut: it was stopped before its end. */
static bool check(const struct gpu *gpu, const struct gpu_stats *s, uint64_t cycles, uint64_t blocks, bool cut,
                  char *text, size_t size)
{
	const struct machine *machine = &gpu->machine;
	bool fetches = machine->sm.l1d.write_miss == WRITE_MISS_FETCH; /* also on writes */
	uint64_t arithmetic = s->sm.sp_instructions + s->sm.sfu_instructions + s->sm.int_instructions +
	                      s->sm.dp_instructions + s->sm.tensor_instructions;
	/* for relations whose left side lacks what was in flight when a kernel was cut short */
	const enum comparison at_end = cut ? AT_MOST : EQUALS;
	const struct relation relations[] = {
		{"sm.stack_* add up to cycles x SMs x schedulers", stats_stack_slots(&s->sm), EQUALS,
	         cycles * machine->sms * machine->sm.schedulers},
		{"sm.stack_issued + issued_along = warp_instructions", s->sm.stack_issued + s->sm.issued_along, EQUALS,
	         s->sm.warp_instructions},
		{"sm.blocks = blocks of the grid, or those placed", s->sm.blocks, at_end, blocks},
		{"sm.warp_instructions = arithmetic + mem", s->sm.warp_instructions, EQUALS,
	         arithmetic + s->sm.mem_instructions},
		{"sm.fp32 + fp64 <= arithmetic", s->sm.fp32_instructions + s->sm.fp64_instructions, AT_MOST,
	         arithmetic},
		{"sm.shared_busy <= cycles x SMs", s->sm.shared_busy, AT_MOST, cycles * machine->sms},
		{"sm.least_transactions <= transactions", s->sm.least_transactions, AT_MOST, s->sm.transactions},
		{"sm.shared_wide_cycles <= shared_conflict_cycles", cut ? 0 : s->sm.shared_wide_cycles, AT_MOST,
	         s->sm.shared_conflict_cycles},
		{"l1d.fills = misses that fetch + l1d.prefetches", s->l1d.fills, at_end,
	         (fetches ? s->l1d.misses : s->l1d.read_misses) + s->l1d.prefetches},
		{"l1t.fills = misses", s->l1t.fills, at_end, s->l1t.misses},
		{"writes, write-backs, prefetches and global_* of l1i, l1t and l1c = 0",
	         never_when_read(&s->l1i) + never_when_read(&s->l1t) + never_when_read(&s->l1c), EQUALS, 0},
		{"cluster.requests <= request_network.packets", cut ? 0 : s->cluster.requests, AT_MOST,
	         s->request_network.packets},
		{"cluster.replies = reply_network.packets", gpu->clusters ? s->cluster.replies : 0, at_end,
	         gpu->clusters ? s->reply_network.packets : 0},
		{"l2.accesses = slice.entered", s->l2.accesses, at_end, s->slice.entered},
		{"dram.requests <= dram.row_hits + dram.activates", cut ? 0 : s->dram.requests, AT_MOST,
	         s->dram.row_hits + s->dram.activates},
	};
	for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++)
		if (!holds(&relations[i], text, size))
			return false;
	return check_cache("l1d", &s->l1d, text, size) && check_cache("l1i", &s->l1i, text, size) &&
	       check_cache("l1c", &s->l1c, text, size) && check_cache("l1t", &s->l1t, text, size) &&
	       check_cache("l2", &s->l2, text, size) && check_accounts(gpu->seam, text, size);
}

bool gpu_check_stats(const struct gpu *gpu, const struct gpu_run *run, char *text, size_t size)
{
	uint64_t grid = (uint64_t)run->launch.grid.x * run->launch.grid.y * run->launch.grid.z;
	uint64_t blocks = run->sampler ? run->sampler->placed : grid;
	return check(gpu, &run->stats, run->cycles, blocks, run->end == GPU_STOPPED, text, size);
}

bool gpu_check_session(const struct gpu *gpu, const struct gpu_session *session, char *text, size_t size)
{
	bool cut = session->end == GPU_STOPPED;
	return check(gpu, &session->stats, session->cycles, session->blocks, cut, text, size);
}
