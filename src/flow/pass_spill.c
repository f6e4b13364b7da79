/* pass_spill: moves registers beyond a limit to local memory, as sm.registers_per_thread=N does. */
#include "flow/passes.h"

#include <stdio.h>

struct config {
	uint32_t registers;
};

static const struct config defaults = {.registers = 63};

static const struct base_option options[] = {
	{"registers", BASE_OPTION_U32, offsetof(struct config, registers), 1, 1024, NULL, "registers",
         "per thread, at most"},
};

struct counters {
	uint64_t loads, stores, bytes;
};

static const struct base_counter counters[] = {
	{"loads", "instructions", BASE_SCOPE_GPU, offsetof(struct counters, loads), "inserted", BASE_COMBINE_SUM},
	{"stores", "instructions", BASE_SCOPE_GPU, offsetof(struct counters, stores), "inserted", BASE_COMBINE_SUM},
	{"bytes", "bytes", BASE_SCOPE_GPU, offsetof(struct counters, bytes),
         "of local memory per thread, summed over kernels", BASE_COMBINE_SUM},
};

static enum pass_result run(struct pass_job *job)
{
	const struct config *config = job->config;
	struct counters *count = job->counters;
	struct flow_spills spills;
	char text[256];
	if (flow_kernel_fits(job->function, config->registers))
		return PASS_LEFT;
	if (!flow_spill(job->module, job->function, config->registers, &spills)) {
		snprintf(text, sizeof text,
		         "kernel '%s' needs %u registers, even with all others spilled to local memory",
		         job->function->name, flow_kernel_registers(job->function));
		return pass_refuse(job, NULL, text);
	}
	count->loads += spills.loads;
	count->stores += spills.stores;
	count->bytes += spills.bytes;
	return PASS_CHANGED;
}

const struct flow_pass pass_spill = {
	.name = "spill",
	.meaning = "spills registers beyond a limit to local memory, first those that live long and are used little",
	.stem = "spill",
	.scope = PASS_KERNELS,
	.requires = ANALYSES_NONE,
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
