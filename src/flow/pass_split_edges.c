/* split-critical-edges: turns each edge from a block with several successors to one with several predecessors into
 * a separate block. Code can then be inserted on that edge. */
#include "flow/passes.h"

struct counters {
	uint64_t edges;
};

static const struct base_counter counters[] = {
	{"edges", "edges", BASE_SCOPE_GPU, offsetof(struct counters, edges), "split, one per branch", BASE_COMBINE_SUM},
};

static enum pass_result run(struct pass_job *job)
{
	const struct flow_cfg *cfg = pass_cfg(job);
	struct counters *count = job->counters;
	bool any = false;
	for (uint32_t from = 0; from < cfg->blocks; from++) {
		const struct flow_block *block = &cfg->block[from];
		for (uint32_t k = 0; block->successors > 1 && k < block->successors; k++) {
			if (cfg->block[block->successor[k]].predecessors < 2)
				continue;
			pass_split(job, from, block->successor[k]);
			count->edges++;
			any = true;
		}
	}
	return any ? PASS_CHANGED : PASS_LEFT;
}

const struct flow_pass pass_split_critical_edges = {
	.name = "split-critical-edges",
	.meaning = "inserts a block into each edge from a block with several successors to one with several "
		   "predecessors; the function's end counts as a block",
	.stem = "split",
	.requires = ANALYSIS_SET(CFG),
	.keeps = ANALYSES_NONE,
	.counters = counters,
	.counter_count = sizeof counters / sizeof *counters,
	.counters_size = sizeof(struct counters),
	.run = run,
};
