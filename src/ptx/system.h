/* system: the functions that device code calls and no PTX defines. The runtime provides them. */
#ifndef SLUICE_PTX_SYSTEM_H
#define SLUICE_PTX_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_system {
	PTX_SYSTEM_VPRINTF,
	PTX_SYSTEM_MALLOC,
	PTX_SYSTEM_FREE,
	PTX_SYSTEM_ASSERTFAIL,
	/* launches by kernels: api/device_launch.h */
	PTX_SYSTEM_PARAMETER_BUFFER,
	PTX_SYSTEM_LAUNCH_DEVICE,
	PTX_SYSTEM_PARAMETER_BUFFER_V2,
	PTX_SYSTEM_LAUNCH_DEVICE_V2,
	PTX_SYSTEM_DEVICE_SYNCHRONIZE,
	PTX_SYSTEM_LAST_ERROR,
	PTX_SYSTEM_PEEK_ERROR,
	PTX_SYSTEM_STREAM_CREATE,
	PTX_SYSTEM_STREAM_DESTROY,
	PTX_SYSTEM_STREAM_WAIT_EVENT,
	PTX_SYSTEM_EVENT_CREATE,
	PTX_SYSTEM_EVENT_RECORD,
	PTX_SYSTEM_EVENT_DESTROY,
	PTX_SYSTEM_CALLS
};

/* Finds a function by its name, which may end in _ptsz (one default stream per thread). From CUDA 12 on, nvcc writes
 * __cudaCDP2NAME for cudaNAME. Returns PTX_SYSTEM_CALLS when there is no function of that name. */
enum ptx_system ptx_system_named(const char *name);

/* True for a name that ends in _ptsz. */
bool ptx_system_is_per_thread(const char *name);

/* The number of its arguments. */
uint32_t ptx_system_arguments(enum ptx_system system);

#endif
