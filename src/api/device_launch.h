/* device_launch: kernels launched by kernels (CUDA's dynamic parallelism).
 *
 * A thread requests a buffer, writes the arguments into it and launches. The child grids are queued in launch order and
 * run when the parent grid has ended. Each grid runs with all its own children before the next one starts. When a block
 * waits for its children (cudaDeviceSynchronize), they run at that point instead: functionally, while the machine's
 * time stands still.
 */
#ifndef SLUICE_API_DEVICE_LAUNCH_H
#define SLUICE_API_DEVICE_LAUNCH_H

#include "sluice.h"

#include "simt/simt.h"

#include <stdio.h>

enum { DEVICE_LAUNCH_DEPTH = 24 }; /* CUDA's nesting limit */

/* A grid that is queued, or whose arguments are being written. */
struct device_launch {
	sluice_kernel *kernel;
	sluice_dim grid, block;
	uint32_t shared;
	uint64_t parent;  /* the launching block */
	uint64_t buffer;  /* address of its arguments; 0 after they were copied */
	uint8_t *arguments;
};

struct device_launches {
	struct device_launch *launch;
	size_t count, capacity;
};

/* Errors of blocks' launches that device code has not read yet. */
struct device_errors {
	struct device_error {
		uint64_t block;
		uint32_t error; /* a cudaError_t */
	} *error;
	size_t count;
};

/* State of one launch while it runs; `user` of its system calls. */
struct device_runtime {
	/* Runs a grid immediately, for a block that waits for it. Returns false when it failed. */
	bool (*run)(struct device_runtime *runtime, const struct device_launch *launch);
	bool is_waited_for; /* this launch itself is one that its parent waits for */
	const struct simt_launch *launch;
	sluice_gpu *gpu;
	sluice_module *module;
	unsigned depth; /* nesting level; 0: launched by the host */
	struct device_launches prepared, waiting;
	struct device_errors errors;
	FILE *printed; /* a copy of what the kernel prints; or NULL */
};

/* The system calls. They return CUDA's values: an address, or a cudaError_t. */
uint64_t device_parameter_buffer(struct device_runtime *runtime, uint64_t size);
uint64_t device_parameter_buffer_v2(struct device_runtime *runtime, const uint64_t *words, uint64_t block);
uint64_t device_launch(struct device_runtime *runtime, const uint64_t *words, uint64_t block);
uint64_t device_launch_v2(struct device_runtime *runtime, const uint64_t *words, uint64_t block);
/* Returns the last error of the block's launches, and clears it unless `stays`. */
uint64_t device_last_error(struct device_runtime *runtime, uint64_t block, bool stays);

/* Runs the grids that the block has launched. Returns false after a message when one failed. */
bool device_synchronize(struct device_runtime *runtime, uint64_t block);

void device_runtime_close(struct device_runtime *runtime);

#endif
