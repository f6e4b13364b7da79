/* dead-code: removes instructions that have no effect and whose results are unused.
 *
 * A register is faint if no instruction with an effect reads it, even indirectly through other registers. A counter
 * that only counts itself is live but faint (Giegerich, Moencke and Wilhelm, "Invariance of approximate semantics
 * with respect to program transformations", 1981). The sets grow from empty until they are stable.
 */
#include "flow/passes.h"
#include "flow/sets.h"

#include <string.h>

struct config {
	bool loads;
};

static const struct config defaults = {.loads = true};

static const struct base_option options[] = {
	{"loads", BASE_OPTION_BOOL, offsetof(struct config, loads), 0, 0, NULL, "",
         "also removes loads, except volatile and ordered ones; a removed load can no longer fault"},
};

struct counters {
	uint64_t instructions;
};

static const struct base_counter counters[] = {
	{"instructions", "instructions", BASE_SCOPE_GPU, offsetof(struct counters, instructions), "removed",
         BASE_COMBINE_SUM},
};

struct search {
	const struct flow_cfg *cfg;
	bool loads;
	uint32_t words;
	uint64_t *in; /* by block: registers that are not faint at its begin */
	uint64_t *now;
};

static bool is_load(const struct ptx_inst *inst)
{
	bool loads =
		inst->op == PTX_OP_LD || inst->op == PTX_OP_LDU || ptx_reads_texture(inst) || inst->op == PTX_OP_SULD;
	return loads && (inst->order == PTX_ORDER_NONE || inst->order == PTX_WEAK);
}

/* Returns true when an instruction only computes its destinations. Exchanges between lanes stay: other lanes rely
 * on them. */
static bool only_computes(const struct search *search, const struct ptx_inst *inst)
{
	if (!inst->destinations || inst->carry_out || inst->op == PTX_OP_VOTE || inst->op == PTX_OP_MATCH)
		return false;
	return ptx_op_latency(inst->op) < PTX_LATENCY_SHUFFLE || (search->loads && is_load(inst));
}

static bool is_dead(const struct search *search, const struct ptx_inst *inst)
{
	uint32_t ids[PTX_MAX_IDS];
	if (!only_computes(search, inst))
		return false;
	for (uint32_t k = ptx_inst_writes(inst, ids); k-- > 0;)
		if (set_has(search->now, ids[k]))
			return false;
	return true;
}

/* Updates the set from after the instruction to before it. */
static void step_back(struct search *search, const struct ptx_inst *inst)
{
	uint32_t ids[PTX_MAX_IDS];
	if (is_dead(search, inst))
		return;
	for (uint32_t k = inst->guard == PTX_NO_REG ? ptx_inst_writes(inst, ids) : 0; k-- > 0;)
		set_remove(search->now, ids[k]);
	for (uint32_t k = ptx_inst_reads(inst, ids); k-- > 0;)
		set_add(search->now, ids[k]);
}

/* Sets `now` to the registers that are not faint at the block's end. */
static void begin_at_end(struct search *search, uint32_t block)
{
	const struct flow_block *b = &search->cfg->block[block];
	memset(search->now, 0, search->words * sizeof *search->now);
	for (uint32_t k = 0; k < b->successors; k++)
		for (uint32_t word = 0; word < search->words; word++)
			search->now[word] |= search->in[(size_t)b->successor[k] * search->words + word];
}

/* Returns true when the block's set has grown. */
static bool walk_block(struct search *search, uint32_t block)
{
	const struct flow_block *b = &search->cfg->block[block];
	uint64_t *in = search->in + (size_t)block * search->words;
	begin_at_end(search, block);
	for (uint32_t at = b->first + b->count; at-- > b->first;)
		step_back(search, &search->cfg->function->body[at]);
	bool grown = memcmp(in, search->now, search->words * sizeof *in) != 0;
	memcpy(in, search->now, search->words * sizeof *in);
	return grown;
}

static void find_faint(struct search *search)
{
	for (bool grown = true; grown;) {
		grown = false;
		for (uint32_t block = search->cfg->blocks; block-- > 0;)
			grown |= walk_block(search, block);
	}
}

static uint64_t remove_dead(struct pass_job *job, struct search *search, uint32_t block)
{
	const struct flow_block *b = &search->cfg->block[block];
	uint64_t removed = 0;
	begin_at_end(search, block);
	for (uint32_t at = b->first + b->count; at-- > b->first;) {
		const struct ptx_inst *inst = &search->cfg->function->body[at];
		if (is_dead(search, inst)) {
			pass_remove(job, at);
			removed++;
		}
		step_back(search, inst);
	}
	return removed;
}

static enum pass_result run(struct pass_job *job)
{
	const struct config *config = job->config;
	struct counters *count = job->counters;
	struct search search = {
		.cfg = pass_cfg(job), .loads = config->loads, .words = job->function->reg_count / 64 + 1};
	uint64_t removed = 0;
	search.in = pass_alloc(job, (size_t)search.cfg->blocks * search.words * sizeof *search.in);
	search.now = pass_alloc(job, search.words * sizeof *search.now);
	find_faint(&search);
	for (uint32_t block = 0; block < search.cfg->blocks; block++)
		removed += remove_dead(job, &search, block);
	count->instructions += removed;
	return removed ? PASS_CHANGED : PASS_LEFT;
}

const struct flow_pass pass_dead_code = {
	.name = "dead-code",
	.meaning = "removes instructions without an effect whose results are never read",
	.stem = "dead",
	.requires = ANALYSIS_SET(CFG),
	.keeps = ANALYSES_NONE,
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.counters_size = sizeof(struct counters),
	.run = run,
};
