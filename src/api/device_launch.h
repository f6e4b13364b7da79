/* device_launch: launches by kernels (CUDA's dynamic parallelism).
 *
 * A thread asks for a buffer, writes the arguments into it and launches. The grids wait in the order in which they were launched, and run when the grid
 * that launched them has ended, each with all that it launches itself before the next. Those that their block waits for (cudaDeviceSynchronize) run at
 * that place instead, functionally, for which the machine stands still.
 */
#ifndef SLUICE_API_DEVICE_LAUNCH_H
#define SLUICE_API_DEVICE_LAUNCH_H

#include "sluice.h"

#include "simt/simt.h"

enum { DEVICE_LAUNCH_DEPTH = 24 }; /* CUDA's limit of nesting */

/* A grid that waits, or that is made ready in a buffer. */
struct device_launch {
	sluice_kernel *kernel;
	sluice_dim grid, block;
	uint32_t shared;
	uint64_t parent;  /* the launching block */
	uint64_t buffer;  /* address of its arguments; 0 when they are taken */
	uint8_t *arguments;
};

struct device_launches {
	struct device_launch *launch;
	size_t count, capacity;
};

/* The errors that blocks' launches had and have not been asked for. */
struct device_errors {
	struct device_error {
		uint64_t block;
		uint32_t error; /* a cudaError_t */
	} *error;
	size_t count;
};

/* Of one launch, while it runs; `user` of the system calls. */
struct device_runtime {
	/* Runs a grid at once, for a block that waits for it; false when it failed. */
	bool (*run)(struct device_runtime *runtime, const struct device_launch *launch);
	bool is_waited_for; /* the launch is such a one itself */
	const struct simt_launch *launch;
	sluice_gpu *gpu;
	sluice_module *module;
	unsigned depth; /* 0: launched by the host */
	struct device_launches prepared, waiting;
	struct device_errors errors;
};

/* The system calls. They return what CUDA's return: an address, or a cudaError_t. */
uint64_t device_parameter_buffer(struct device_runtime *runtime, uint64_t size);
uint64_t device_parameter_buffer_v2(struct device_runtime *runtime, const uint64_t *words, uint64_t block);
uint64_t device_launch(struct device_runtime *runtime, const uint64_t *words, uint64_t block);
uint64_t device_launch_v2(struct device_runtime *runtime, const uint64_t *words, uint64_t block);
/* The last error of the block's launches; forgets it, unless `stays`. */
uint64_t device_last_error(struct device_runtime *runtime, uint64_t block, bool stays);

/* The grids that the block has launched run. False when one failed, after a message. */
bool device_synchronize(struct device_runtime *runtime, uint64_t block);

void device_runtime_close(struct device_runtime *runtime);

#endif
