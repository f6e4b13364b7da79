/* Kernels launched by kernels: argument buffers and queued grids. */
#include "api/device_launch.h"

#include "api/api.h"
#include "api/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of cudaError_t, as device code receives them. */
enum {
	INVALID_CONFIGURATION = 9,
	DEPTH_EXCEEDED = 65,
	INVALID_FUNCTION = 98,
};

static uint64_t fail(struct device_runtime *runtime, uint64_t block, uint32_t error, const char *what)
{
	struct device_errors *errors = &runtime->errors;
	size_t i = 0;
	fprintf(stderr, "sluice: launch by a kernel, block %" PRIu64 ": %s\n", block, what);
	while (i < errors->count && errors->error[i].block != block)
		i++;
	if (i == errors->count)
		errors->error = base_realloc(errors->error, ++errors->count * sizeof *errors->error);
	errors->error[i] = (struct device_error){block, error};
	return error;
}

uint64_t device_last_error(struct device_runtime *runtime, uint64_t block, bool stays)
{
	struct device_errors *errors = &runtime->errors;
	uint32_t error = 0;
	for (size_t i = 0; i < errors->count; i++) {
		if (errors->error[i].block != block)
			continue;
		error = errors->error[i].error;
		if (!stays)
			errors->error[i].error = 0;
	}
	return error;
}

void device_launches_add(struct device_launches *launches, const struct device_launch *launch)
{
	if (launches->count == launches->capacity) {
		launches->capacity = launches->capacity ? 2 * launches->capacity : 16;
		launches->launch = base_realloc(launches->launch, launches->capacity * sizeof *launches->launch);
	}
	launches->launch[launches->count] = *launch;
	launches->count++;
}

/* Returns the module's kernel with this address in device code. */
static sluice_kernel *kernel_at(const sluice_module *module, uint64_t address)
{
	for (size_t i = 0; i < module->kernels; i++)
		if (simt_function_address(module->kernel[i].function) == address)
			return &module->kernel[i];
	return NULL;
}

static uint64_t bytes_of(const sluice_kernel *kernel)
{
	uint64_t bytes = 0;
	for (const struct ptx_variable *param = kernel->function->params; param; param = param->next)
		bytes = param->offset + param->size > bytes ? param->offset + param->size : bytes;
	return bytes;
}

/* Unpacks a dim3 from two words. */
static sluice_dim read_dim(const uint64_t *words)
{
	return (sluice_dim){(uint32_t)words[0], (uint32_t)(words[0] >> 32), (uint32_t)words[1]};
}

/* Returns 0, or the error that prevents the launch. Whether a block fits on an SM is checked when the grid runs. */
static uint64_t check(struct device_runtime *runtime, const struct device_launch *launch)
{
	if (!launch->kernel)
		return fail(runtime, launch->parent, INVALID_FUNCTION, "no kernel is at that address");
	if (!launch_allows_grid(launch->grid) || !launch_allows_block(&runtime->gpu->machine, launch->block))
		return fail(runtime, launch->parent, INVALID_CONFIGURATION,
		            "the shape of the grid or block is not possible");
	if (!ptx_allows_block(launch->kernel->function,
	                      (const uint32_t[3]){launch->block.x, launch->block.y, launch->block.z}))
		return fail(runtime, launch->parent, DEVICE_INVALID_VALUE,
		            "the kernel's .maxntid or .reqntid does not allow this block");
	if (runtime->depth >= DEVICE_LAUNCH_DEPTH)
		return fail(runtime, launch->parent, DEPTH_EXCEEDED, "nested deeper than 24 launches");
	return 0;
}

uint64_t device_parameter_buffer(struct device_runtime *runtime, uint64_t size)
{
	return simt_alloc_for(runtime->gpu->gpu->memory, size ? size : 1, SIMT_KERNEL);
}

uint64_t device_parameter_buffer_v2(struct device_runtime *runtime, const uint64_t *words, uint64_t block)
{
	struct device_launch launch = {.kernel = kernel_at(runtime->module, words[0]),
	                               .grid = read_dim(&words[1]),
	                               .block = read_dim(&words[3]),
	                               .shared = (uint32_t)words[5],
	                               .parent = block};
	if (check(runtime, &launch) != 0)
		return 0;
	launch.buffer = device_parameter_buffer(runtime, bytes_of(launch.kernel));
	if (launch.buffer)
		device_launches_add(&runtime->prepared, &launch);
	return launch.buffer;
}

/* Lets the grid wait. Those of a block run in launch order, which is an order that its streams and events allow. */
static void add_waiting(struct device_runtime *runtime, struct device_launch launch)
{
	if (launch.stream != DEVICE_STREAM_TAIL && launch.stream != DEVICE_STREAM_FORGET)
		launch.stream = 0;
	device_launches_add(&runtime->waiting, &launch);
}

/* Copies the arguments out of their buffer, frees the buffer and queues the grid. */
static uint64_t queue(struct device_runtime *runtime, struct device_launch launch)
{
	struct simt_memory *memory = runtime->gpu->gpu->memory;
	uint64_t bytes = bytes_of(launch.kernel);
	if (bytes && !simt_valid(memory, launch.buffer, bytes))
		return fail(runtime, launch.parent, DEVICE_INVALID_VALUE,
		            "the arguments do not lie in a parameter buffer");
	launch.arguments = base_calloc(1, bytes + 1);
	if (bytes)
		memcpy(launch.arguments, simt_host(memory, launch.buffer), bytes);
	if (launch.buffer)
		simt_free(memory, launch.buffer);
	launch.buffer = 0;
	(runtime->start ? runtime->start : add_waiting)(runtime, launch);
	return 0;
}

uint64_t device_launch(struct device_runtime *runtime, const uint64_t *words, const struct simt_windows *caller)
{
	const struct device_launch launch = {
		.kernel = kernel_at(runtime->module, words[0]),
		.buffer = words[1],
		.grid = read_dim(&words[2]),
		.block = read_dim(&words[4]),
		.shared = (uint32_t)words[6],
		.parent = caller->block,
		.stream = device_streams_meant(words[7], caller->thread, caller->own_stream)};
	uint64_t error = check(runtime, &launch);
	return error ? error : queue(runtime, launch);
}

uint64_t device_launch_v2(struct device_runtime *runtime, const uint64_t *words, const struct simt_windows *caller)
{
	struct device_launches *prepared = &runtime->prepared;
	for (size_t i = prepared->count; i-- > 0;)
		if (prepared->launch[i].buffer == words[0]) {
			struct device_launch launch = prepared->launch[i];
			prepared->launch[i] = prepared->launch[--prepared->count];
			launch.stream = device_streams_meant(words[1], caller->thread, caller->own_stream);
			return queue(runtime, launch);
		}
	/* if the buffer was NULL because the request was refused, an error is already recorded */
	uint64_t block = caller->block, error = device_last_error(runtime, block, true);
	return error ? error
	             : fail(runtime, block, DEVICE_INVALID_VALUE, "the arguments do not lie in a parameter buffer");
}

void device_record_event(struct device_runtime *runtime, const struct simt_windows *caller, uint64_t event,
                         uint64_t stream)
{
	stream = device_streams_meant(stream, caller->thread, caller->own_stream);
	uint64_t last = *device_streams_last(&runtime->streams, caller->block, stream);
	*device_streams_last(&runtime->streams, caller->block, event) = last;
}

void device_wait_for_event(struct device_runtime *runtime, const struct simt_windows *caller, uint64_t stream,
                           uint64_t event)
{
	uint64_t recorded = *device_streams_last(&runtime->streams, caller->block, event);
	stream = device_streams_meant(stream, caller->thread, caller->own_stream);
	uint64_t *last = device_streams_last(&runtime->streams, caller->block, stream);
	if (recorded) /* never, when grids wait for this launch's end */
		*last = *last ? queue_join(runtime->gpu, *last, recorded) : recorded;
}

bool device_synchronize(struct device_runtime *runtime, uint64_t block)
{
	struct device_launches *waiting = &runtime->waiting;
	bool fine = true;
	size_t kept = 0, count = waiting->count;
	for (size_t i = 0; i < count; i++) {
		struct device_launch launch = waiting->launch[i];
		if (launch.parent != block || launch.stream == DEVICE_STREAM_TAIL || !fine) {
			waiting->launch[kept++] = launch;
			continue;
		}
		fine = runtime->run(runtime, &launch);
		free(launch.arguments);
	}
	waiting->count = kept;
	return fine;
}

void device_launches_free(struct device_launches *launches)
{
	for (size_t i = 0; i < launches->count; i++)
		free(launches->launch[i].arguments);
	free(launches->launch);
}

void device_runtime_close(struct device_runtime *runtime)
{
	device_launches_free(&runtime->prepared);
	device_launches_free(&runtime->waiting);
	device_streams_free(&runtime->streams);
	free(runtime->errors.error);
}
