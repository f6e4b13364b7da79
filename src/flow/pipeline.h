/* pipeline: passes by name, with options, one behind the other. */
#ifndef SLUICE_FLOW_PIPELINE_H
#define SLUICE_FLOW_PIPELINE_H

#include "flow/pass.h"

/* The passes of any use, by name. */
extern const struct pass *const pass_list[];
extern const uint32_t pass_list_count;

struct pipeline_step {
	const struct pass *pass;
	void *config, *counters;
};

/* Zero-initialise. */
struct pipeline {
	struct arena arena;
	const struct pass *const *more; /* that are known besides, by name; outlive the pipeline */
	uint32_t more_count;
	struct pipeline_step *step;
	uint32_t count, capacity;
	/* Called after each pass, with the module as it then is; may be NULL. */
	void (*after)(void *user, const struct pass *pass, const struct ptx_module *module);
	void *user;
};

/* The pass of that name, or NULL after a message that has the nearest. */
const struct pass *pipeline_find(const struct pipeline *pipeline, const char *name, struct diag *diag);
bool pipeline_has(const struct pipeline *pipeline, const char *name);
/* Adds "NAME[:KEY=VALUE,...],...": a word without '=' before its ':' begins a pass, another is one more option of the pass before.
 * False after a message. */
bool pipeline_add(struct pipeline *pipeline, const char *text, struct diag *diag);
/* Each pass over all functions, then the next; calls `after` behind each. False after a message. */
bool pipeline_run(struct pipeline *pipeline, struct ptx_module *module, struct diag *diag);
void pipeline_close(struct pipeline *pipeline);

#endif
