#include "ptx/system.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t arguments;
} systems[PTX_SYSTEM_CALLS] = {
	[PTX_SYSTEM_VPRINTF] = {"vprintf", 2},
	[PTX_SYSTEM_MALLOC] = {"malloc", 1},
	[PTX_SYSTEM_FREE] = {"free", 1},
	[PTX_SYSTEM_ASSERTFAIL] = {"__assertfail", 5},
	[PTX_SYSTEM_PARAMETER_BUFFER] = {"cudaGetParameterBuffer", 2},
	[PTX_SYSTEM_LAUNCH_DEVICE] = {"cudaLaunchDevice", 6},
	[PTX_SYSTEM_PARAMETER_BUFFER_V2] = {"cudaGetParameterBufferV2", 4},
	[PTX_SYSTEM_LAUNCH_DEVICE_V2] = {"cudaLaunchDeviceV2", 2},
	[PTX_SYSTEM_DEVICE_SYNCHRONIZE] = {"cudaDeviceSynchronize", 0},
	[PTX_SYSTEM_LAST_ERROR] = {"cudaGetLastError", 0},
	[PTX_SYSTEM_PEEK_ERROR] = {"cudaPeekAtLastError", 0},
	[PTX_SYSTEM_STREAM_CREATE] = {"cudaStreamCreateWithFlags", 2},
	[PTX_SYSTEM_STREAM_DESTROY] = {"cudaStreamDestroy", 1},
	[PTX_SYSTEM_STREAM_WAIT_EVENT] = {"cudaStreamWaitEvent", 3},
	[PTX_SYSTEM_EVENT_CREATE] = {"cudaEventCreateWithFlags", 2},
	[PTX_SYSTEM_EVENT_RECORD] = {"cudaEventRecord", 2},
	[PTX_SYSTEM_EVENT_DESTROY] = {"cudaEventDestroy", 1},
};

static const char per_thread[] = "_ptsz";

static bool is_named(const char *name, const char *system)
{
	static const char newer[] = "__cudaCDP2", older[] = "cuda";
	if (strncmp(name, newer, sizeof newer - 1) == 0 && strncmp(system, older, sizeof older - 1) == 0) {
		name += sizeof newer - 1;
		system += sizeof older - 1;
	}
	size_t length = strlen(system);
	return strncmp(name, system, length) == 0 && (!name[length] || strcmp(name + length, per_thread) == 0);
}

enum ptx_system ptx_system_named(const char *name)
{
	uint32_t k = 0;
	while (k < PTX_SYSTEM_CALLS && !is_named(name, systems[k].name))
		k++;
	return (enum ptx_system)k;
}

bool ptx_system_is_per_thread(const char *name)
{
	size_t length = strlen(name), end = sizeof per_thread - 1;
	return length > end && strcmp(name + length - end, per_thread) == 0;
}

uint32_t ptx_system_arguments(enum ptx_system system)
{
	return systems[system].arguments;
}
