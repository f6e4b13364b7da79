/* Statistics: the groups, their sum over the units, and what must hold between them. */
#include "gpu/stats.h"

#include <string.h>

const struct counter_group gpu_counter_groups[] = {
	{"sm", sm_counters, &sm_counter_count, offsetof(struct gpu_stats, sm)},
	{"l1d", cache_counters, &cache_counter_count, offsetof(struct gpu_stats, l1d)},
	{"l1i", cache_counters, &cache_counter_count, offsetof(struct gpu_stats, l1i)},
	{"l1c", cache_counters, &cache_counter_count, offsetof(struct gpu_stats, l1c)},
	{"l2", cache_counters, &cache_counter_count, offsetof(struct gpu_stats, l2)},
	{"slice", slice_counters, &slice_counter_count, offsetof(struct gpu_stats, slice)},
	{"request_network", crossbar_counters, &crossbar_counter_count, offsetof(struct gpu_stats, request_network)},
	{"reply_network", crossbar_counters, &crossbar_counter_count, offsetof(struct gpu_stats, reply_network)},
	{"dram", dram_counters, &dram_counter_count, offsetof(struct gpu_stats, dram)},
};
const size_t gpu_counter_group_count = sizeof gpu_counter_groups / sizeof gpu_counter_groups[0];

/* A statistics struct is nothing but uint64_t counters. */
static void add(void *to, const void *from, size_t size)
{
	uint64_t *sum = to;
	const uint64_t *value = from;
	for (size_t i = 0; i < size / sizeof *sum; i++)
		sum[i] += value[i];
}

#define ADD(to, from) add(&(to), &(from), sizeof(to))

void stats_collect(const struct gpu *gpu, struct gpu_stats *stats)
{
	*stats = (struct gpu_stats){0};
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		ADD(stats->sm, gpu->sm[i].stats);
		ADD(stats->l1d, gpu->sm[i].lsu.l1d.stats);
		ADD(stats->l1c, gpu->sm[i].lsu.l1c.stats);
		ADD(stats->l1i, gpu->sm[i].l1i.stats);
	}
	for (uint32_t i = 0; i < gpu->slices; i++) {
		ADD(stats->l2, gpu->slice[i].cache.stats);
		ADD(stats->slice, gpu->slice[i].stats);
	}
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		ADD(stats->dram, gpu->channel[i].stats);
	ADD(stats->request_network, gpu->to_slices.stats);
	ADD(stats->reply_network, gpu->to_sms.stats);
}

void stats_add(struct gpu_stats *sum, const struct gpu_stats *stats)
{
	ADD(*sum, *stats);
}

void stats_reset(struct gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->machine.sms; i++) {
		struct sm *sm = &gpu->sm[i];
		memset(&sm->stats, 0, sizeof sm->stats);
		memset(&sm->lsu.l1d.stats, 0, sizeof sm->lsu.l1d.stats);
		memset(&sm->lsu.l1c.stats, 0, sizeof sm->lsu.l1c.stats);
		memset(&sm->l1i.stats, 0, sizeof sm->l1i.stats);
	}
	for (uint32_t i = 0; i < gpu->slices; i++) {
		memset(&gpu->slice[i].cache.stats, 0, sizeof gpu->slice[i].cache.stats);
		memset(&gpu->slice[i].stats, 0, sizeof gpu->slice[i].stats);
	}
	for (uint32_t i = 0; i < gpu->machine.map.channels; i++)
		memset(&gpu->channel[i].stats, 0, sizeof gpu->channel[i].stats);
	memset(&gpu->to_slices.stats, 0, sizeof gpu->to_slices.stats);
	memset(&gpu->to_sms.stats, 0, sizeof gpu->to_sms.stats);
}

uint64_t stats_stack_slots(const struct sm_stats *sm)
{
	return sm->stack_issued + sm->stack_arithmetic + sm->stack_shared + sm->stack_l1 + sm->stack_l2 +
	       sm->stack_dram + sm->stack_barrier + sm->stack_held + sm->stack_conflict + sm->stack_no_instruction +
	       sm->stack_idle;
}

/* What must hold between two figures. */
struct relation {
	const char *what;
	uint64_t left;
	enum { EQUALS, AT_MOST } is;
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
	return holds(&relation, text, size);
}

/* The accounts of mechanisms' requests. */
static bool check_accounts(const struct seam *seam, char *text, size_t size)
{
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct mech_requests sum = seam_account_of(seam, i);
		const struct relation relations[] = {
			{"asked = dropped + outside + filtered + issued of a mechanism's requests", sum.asked, EQUALS,
		         sum.dropped + sum.outside + sum.filtered + sum.issued},
			{"issued = useful + late + early_evicted + redundant of a mechanism's requests", sum.issued,
		         EQUALS, sum.useful + sum.late + sum.early_evicted + sum.redundant},
		};
		if (!holds(&relations[0], text, size) || !holds(&relations[1], text, size))
			return false;
	}
	return true;
}

bool gpu_check_stats(const struct gpu *gpu, const struct gpu_run *run, char *text, size_t size)
{
	const struct gpu_stats *s = &run->stats;
	const struct machine *machine = &gpu->machine;
	bool fetches = machine->sm.l1d.write_miss == WRITE_MISS_FETCH; /* on writes, too */
	uint64_t blocks = (uint64_t)run->launch.grid.x * run->launch.grid.y * run->launch.grid.z;
	const struct relation relations[] = {
		{"sm.stack_* add up to cycles x SMs x schedulers", stats_stack_slots(&s->sm), EQUALS,
	         run->cycles * machine->sms * machine->sm.schedulers},
		{"sm.stack_issued = sm.warp_instructions", s->sm.stack_issued, EQUALS, s->sm.warp_instructions},
		{"sm.blocks = blocks of the grid", s->sm.blocks, EQUALS, blocks},
		{"sm.warp_instructions = sp + sfu + mem", s->sm.warp_instructions, EQUALS,
	         s->sm.sp_instructions + s->sm.sfu_instructions + s->sm.mem_instructions},
		{"l1d.fills = misses that fetch + l1d.prefetches", s->l1d.fills, EQUALS,
	         (fetches ? s->l1d.misses : s->l1d.read_misses) + s->l1d.prefetches},
		{"slice.entered = l2.accesses", s->slice.entered, EQUALS, s->l2.accesses},
		{"dram.requests <= dram.row_hits + dram.activates", s->dram.requests, AT_MOST,
	         s->dram.row_hits + s->dram.activates},
	};
	for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++)
		if (!holds(&relations[i], text, size))
			return false;
	return check_cache("l1d", &s->l1d, text, size) && check_cache("l1i", &s->l1i, text, size) &&
	       check_cache("l1c", &s->l1c, text, size) && check_cache("l2", &s->l2, text, size) &&
	       check_accounts(gpu->seam, text, size);
}
