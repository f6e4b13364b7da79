/* pipeline: runs passes in sequence, selected by name, with options. */
#ifndef SLUICE_FLOW_PIPELINE_H
#define SLUICE_FLOW_PIPELINE_H

#include "flow/pass.h"

/* The general-purpose passes, by name. */
extern const struct flow_pass *const pass_list[];
extern const uint32_t pass_list_count;

struct pipeline_step {
	const struct flow_pass *pass;
	void *config, *counters;
};

/* Zero-initialize it before use. */
struct pipeline {
	struct arena arena;
	const struct flow_pass *const *more; /* further known passes, by name; they outlive the pipeline */
	uint32_t more_count;
	struct pipeline_step *step;
	uint32_t count, capacity;
	/* Called after each pass with the module in its current state; may be NULL. */
	void (*after)(void *user, const struct flow_pass *pass, const struct ptx_module *module);
	void *user;
};

/* Returns the pass of that name, or NULL after a message that suggests the nearest name. */
const struct flow_pass *pipeline_find(const struct pipeline *pipeline, const char *name, struct diag *diag);
bool pipeline_has(const struct pipeline *pipeline, const char *name);
/* Adds "NAME[:KEY=VALUE,...],...". A word without '=' before its ':' begins a pass; any other word is an option of
 * the pass before. Returns false after a message. */
bool pipeline_add(struct pipeline *pipeline, const char *text, struct diag *diag);
/* Runs each pass over all functions, then the next pass, and calls `after` after each. Returns false after a
 * message. */
bool pipeline_run(struct pipeline *pipeline, struct ptx_module *module, struct diag *diag);
void pipeline_close(struct pipeline *pipeline);

#endif
