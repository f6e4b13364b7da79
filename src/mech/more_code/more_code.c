/* more_code: a study of code with more instructions, evenly spread (README.md). */
#include "flow/pass.h"
#include "seam/mech.h"

#include <stdio.h>

struct config {
	uint32_t percent;
	bool chained;
};

static const struct config defaults = {.percent = 25, .chained = true};

static const struct base_option options[] = {
	{"percent", BASE_OPTION_U32, offsetof(struct config, percent), 0, 400, NULL, "percent",
         "instructions added to each basic block, of those that it has"},
	{"chained", BASE_OPTION_BOOL, offsetof(struct config, chained), 0, 0, NULL, "",
         "the next instruction waits for the added one, instead of nothing"},
};

struct counters {
	uint64_t instructions;
};

static const struct base_counter counters[] = {
	{"instructions", "instructions", BASE_SCOPE_GPU, offsetof(struct counters, instructions), "inserted",
         BASE_COMBINE_SUM},
};

/* The text of an addition to a register that does not change it; -0 is neutral, 0 is not. NULL: there is none. */
static const char *neutral(enum ptx_type type)
{
	switch (type) {
	case PTX_B32:
	case PTX_U32:
	case PTX_S32:
		return "add.u32 %s, %s, 0;";
	case PTX_B64:
	case PTX_U64:
	case PTX_S64:
		return "add.u64 %s, %s, 0;";
	case PTX_F32:
		return "add.f32 %s, %s, 0f80000000;";
	default:
		return NULL;
	}
}

/* Returns the first register that an instruction reads and that an addition can pass on, or NULL. */
static const struct ptx_reg *passed_on(const struct pass_job *job, const struct ptx_inst *inst)
{
	uint32_t ids[PTX_MAX_IDS], count = pass_reads(job, inst, ids);
	for (uint32_t i = 0; i < count; i++)
		if (neutral(job->function->regs[ids[i]].type))
			return &job->function->regs[ids[i]];
	return NULL;
}

static bool add_before(struct pass_job *job, uint32_t at)
{
	const struct config *config = job->config;
	const struct ptx_reg *reg = config->chained ? passed_on(job, &job->function->body[at]) : NULL;
	char text[256];
	if (reg)
		snprintf(text, sizeof text, neutral(reg->type), reg->name, reg->name);
	else
		snprintf(text, sizeof text, "add.u32 %s, 0, 0;", pass_register(job, PTX_B32).name);
	((struct counters *)job->counters)->instructions++;
	return pass_add_text(job, pass_before(job, at), text);
}

static enum pass_result run(struct pass_job *job)
{
	const struct config *config = job->config;
	const struct flow_cfg *cfg = pass_cfg(job);
	uint32_t in_block = 0, count = job->function->body_count;
	for (uint32_t at = 0; at < count; at++) {
		in_block = at && cfg->block_of[at] == cfg->block_of[at - 1] ? in_block + 1 : 0;
		uint32_t before = (in_block * config->percent + 50) / 100;
		uint32_t after = ((in_block + 1) * config->percent + 50) / 100;
		for (; before < after; before++)
			if (!add_before(job, at))
				return PASS_REFUSED;
	}
	return PASS_LEFT; /* recorded edits count as changes without this result */
}

static const struct flow_pass pass = {
	.name = "more-code",
	.meaning = "adds instructions that change no result, evenly spread over each basic block",
	.stem = "more",
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

static const struct flow_pass *const passes[] = {&pass};

static void rewrite(const void *config_, const struct mech_machine *machine, char *text, size_t size)
{
	const struct config *config = config_;
	(void)machine;
	snprintf(text, size, "more-code:percent=%u,chained=%s", config->percent, config->chained ? "yes" : "no");
}

const struct mech mech_more_code = {
	.version = MECH_VERSION,
	.name = "more_code",
	.summary = "study: more instructions that change no result, evenly spread over the code",
	.citation = "for V. Jatala, J. Anantpur, A. Karkare: Scratchpad Sharing in GPUs, 2016, Tables 4 and 11",
	.options = options,
	.option_count = sizeof options / sizeof *options,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.passes = passes,
	.pass_count = sizeof passes / sizeof *passes,
	.rewrite = rewrite,
	.kernels = MECH_EACH_KERNEL,
};
