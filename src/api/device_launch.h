/* device_launch: kernels launched by kernels (CUDA's dynamic parallelism).
 *
 * A thread requests a buffer, writes the arguments into it and launches. The child grid becomes work of the queue
 * (queue_children.c). It starts when the work before it in its stream has ended, while its parent runs. Children wait
 * for their parent's end in two cases:
 * - Launches run in turn. Each child then runs with all its own children before the next one starts.
 * - The parent may wait for its children (cudaDeviceSynchronize). Those of the block that waits run at that point:
 *   functionally, while the machine's time stands still. The others follow each other by block.
 */
#ifndef SLUICE_API_DEVICE_LAUNCH_H
#define SLUICE_API_DEVICE_LAUNCH_H

#include "sluice.h"

#include "api/device_streams.h"

#include "simt/simt.h"

#include <stdio.h>

enum { DEVICE_LAUNCH_DEPTH = 24 }; /* CUDA's nesting limit */
enum { DEVICE_INVALID_VALUE = 1 }; /* cudaErrorInvalidValue */

/* A grid that is queued, or whose arguments are being written. */
struct device_launch {
	sluice_kernel *kernel;
	sluice_dim grid, block;
	uint32_t shared;
	uint64_t parent;  /* the launching block */
	uint64_t stream;  /* from device_streams_meant() */
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
	/* Queues a grid. NULL: grids wait for this launch's end, or for device_synchronize(). */
	void (*start)(struct device_runtime *runtime, struct device_launch launch);
	bool is_waited_for; /* this launch itself is one that its parent waits for */
	struct work *work;  /* this launch in the queue; NULL: it is in none */
	struct device_streams streams; /* of its blocks; used only with `start` */
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
uint64_t device_launch(struct device_runtime *runtime, const uint64_t *words, const struct simt_windows *caller);
uint64_t device_launch_v2(struct device_runtime *runtime, const uint64_t *words, const struct simt_windows *caller);
/* Adds a grid to the list, which then owns its arguments. */
void device_launches_add(struct device_launches *launches, const struct device_launch *launch);
void device_launches_free(struct device_launches *launches);
/* The event completes with the work that is in the stream now. */
void device_record_event(struct device_runtime *runtime, const struct simt_windows *caller, uint64_t event,
                         uint64_t stream);
/* The stream's later work follows the event. */
void device_wait_for_event(struct device_runtime *runtime, const struct simt_windows *caller, uint64_t stream,
                           uint64_t event);
/* Returns the last error of the block's launches, and clears it unless `stays`. */
uint64_t device_last_error(struct device_runtime *runtime, uint64_t block, bool stays);

/* Runs the grids that the block has launched, except those that follow its own grid. Returns false after a message when
 * one failed. */
bool device_synchronize(struct device_runtime *runtime, uint64_t block);

void device_runtime_close(struct device_runtime *runtime);

#endif
