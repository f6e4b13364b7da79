/* tensor: the contents of a plan's tensors on the host, before and after the launches. */
#ifndef SLUICE_CLI_LAUNCH_PLAN_TENSOR_H
#define SLUICE_CLI_LAUNCH_PLAN_TENSOR_H

#include "cli/launch_plan/elements.h"
#include "cli/launch_plan/plan.h"

enum { TENSOR_DIMENSIONS = 32 };

struct tensor {
	const struct plan_tensor *plan;
	enum element type;
	uint32_t dimensions;
	uint64_t shape[TENSOR_DIMENSIONS];
	uint64_t count; /* elements, at least 1 */
	void *data;     /* from malloc */
};

uint64_t tensor_bytes(const struct tensor *tensor);

/* Reads or fills a tensor. Returns false after a message. The caller frees tensor->data. */
bool tensor_make(struct launch_plan *plan, const struct plan_tensor *planned, struct tensor *tensor);

/* Writes the tensor to the file of `write`, and compares it with that of `expect`; prints a verdict on standard output.
 * Returns false when it differs, or after a message. */
bool tensor_finish(struct launch_plan *plan, const struct tensor *tensor);

#endif
