/* plan: the tensors and launches of `sluice run --ptx FILE --launch PLAN` (docs/how-to/triton.md). */
#ifndef SLUICE_CLI_LAUNCH_PLAN_PLAN_H
#define SLUICE_CLI_LAUNCH_PLAN_PLAN_H

#include "base/document.h"

/* A tensor as the plan describes it. A text is NULL, and a tolerance NAN, where the plan does not have the key. */
struct plan_tensor {
	const char *name;
	struct diag_place place;
	struct document_keys keys;
	const char *file, *type, *fill, *expect, *write;
	struct words shape;
	uint64_t seed;
	double relative, absolute;
};

struct plan_launch {
	struct diag_place place;
	struct document_keys keys;
	const char *kernel; /* NULL: the only one of the PTX */
	struct words grid, block, cluster, arguments;
	uint64_t shared; /* bytes of dynamic shared memory */
};

struct launch_plan {
	struct arena arena;
	struct document document; /* for messages with places */
	char *text;
	struct plan_tensor *tensors;
	size_t tensor_count;
	struct plan_launch *launches;
	size_t launch_count;
};

/* Reads a plan. Returns false after messages on standard error. Call launch_plan_free() in both cases. */
bool launch_plan_read(struct launch_plan *plan, const char *path);
void launch_plan_free(struct launch_plan *plan);

/* Returns the path of a file that the plan names, which is relative to the plan's folder. */
const char *launch_plan_path(struct launch_plan *plan, const char *file);

/* Prints a message about a key of a tensor or launch, with its place. Returns false. */
__attribute__((format(printf, 5, 6))) bool launch_plan_error(struct launch_plan *plan, const struct document_keys *keys,
                                                             const char *key, struct diag_place otherwise,
                                                             const char *format, ...);

#endif
