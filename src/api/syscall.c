/* The functions that device code may call. */
#include "api/syscall.h"

#include "api/api.h"
#include "api/device_launch.h"
#include "api/printf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Prints CUDA's text. The fault that then stops the kernel names block and thread. */
static void print_assertion(const struct lane_memory *lane, const uint64_t *arguments)
{
	static const struct span unknown = {"?", 1};
	struct span text[3];
	const uint64_t address[3] = {arguments[0], arguments[1], arguments[3]};
	for (int i = 0; i < 3; i++) {
		text[i] = syscall_reach(lane, address[i]);
		if (!text[i].at)
			text[i] = unknown;
	}
	fprintf(stderr, "%.*s:%" PRIu32 ": %.*s: Assertion `%.*s` failed.\n", (int)syscall_span_length(&text[1]),
	        text[1].at, (uint32_t)arguments[2], (int)syscall_span_length(&text[2]), text[2].at,
	        (int)syscall_span_length(&text[0]), text[0].at);
}

static uint64_t launch_call(struct device_runtime *runtime, enum ptx_system call, const uint64_t *words,
                            const struct simt_windows *caller)
{
	switch (call) {
	case PTX_SYSTEM_PARAMETER_BUFFER:
		return device_parameter_buffer(runtime, words[1]);
	case PTX_SYSTEM_PARAMETER_BUFFER_V2:
		return device_parameter_buffer_v2(runtime, words, caller->block);
	case PTX_SYSTEM_LAUNCH_DEVICE:
		return device_launch(runtime, words, caller);
	case PTX_SYSTEM_LAUNCH_DEVICE_V2:
		return device_launch_v2(runtime, words, caller);
	case PTX_SYSTEM_DEVICE_SYNCHRONIZE:
		return !device_synchronize(runtime, caller->block);
	case PTX_SYSTEM_LAST_ERROR:
	case PTX_SYSTEM_PEEK_ERROR:
		return device_last_error(runtime, caller->block, call == PTX_SYSTEM_PEEK_ERROR);
	default:
		return 0;
	}
}

/* Stores a new handle at the address of the program's variable. */
static uint64_t create_handle(struct device_runtime *runtime, const struct lane_memory *lane, uint64_t address)
{
	struct span to = syscall_reach(lane, address);
	uint64_t handle = device_streams_create(&runtime->streams);
	if (!to.at || to.bytes < sizeof handle)
		return DEVICE_INVALID_VALUE;
	memcpy((char *)(uintptr_t)to.at, &handle, sizeof handle);
	return 0;
}

static uint64_t stream_call(struct device_runtime *runtime, enum ptx_system call, const uint64_t *words,
                            const struct lane_memory *lane)
{
	const struct simt_windows *caller = lane->windows;
	switch (call) {
	case PTX_SYSTEM_STREAM_CREATE:
	case PTX_SYSTEM_EVENT_CREATE:
		return create_handle(runtime, lane, words[0]);
	case PTX_SYSTEM_EVENT_RECORD:
		device_record_event(runtime, caller, words[0], words[1]);
		return 0;
	case PTX_SYSTEM_STREAM_WAIT_EVENT:
		device_wait_for_event(runtime, caller, words[0], words[1]);
		return 0;
	default: /* nothing is left to do for a destroyed stream or event */
		return 0;
	}
}

uint64_t syscall_run(void *user, enum ptx_system call, const uint64_t *arguments, const struct simt_windows *windows)
{
	struct device_runtime *runtime = user;
	struct lane_memory lane = {runtime->gpu->gpu->memory, windows};
	switch (call) {
	case PTX_SYSTEM_VPRINTF:
		if (runtime->printed)
			syscall_printf(runtime->printed, &lane, arguments[0], arguments[1]);
		return (uint32_t)syscall_printf(stdout, &lane, arguments[0], arguments[1]);
	case PTX_SYSTEM_MALLOC:
		return simt_alloc_for(lane.memory, arguments[0], SIMT_KERNEL);
	case PTX_SYSTEM_FREE:
		if (arguments[0]) /* an invalid pointer has already stopped the kernel */
			simt_free(lane.memory, arguments[0]);
		return 0;
	case PTX_SYSTEM_ASSERTFAIL:
		print_assertion(&lane, arguments);
		return 0;
	default:
		return call < PTX_SYSTEM_STREAM_CREATE ? launch_call(runtime, call, arguments, windows)
		                                       : stream_call(runtime, call, arguments, &lane);
	}
}
