/* Other devices and other processes, which do not exist for a simulated device. Calls that need them return CUDA's
 * errors for hardware without such support. */
#include "cudart/runtime.h"

#include <stdio.h>

static cudaError_t refuse_device(const char *call, int device)
{
	return runtime_result(runtime_refuse(call, cudaErrorInvalidDevice,
	                                     "device %d is not another device; there is only one", device));
}

/* There is no other device. */
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	static const char call[] = "cudaDeviceCanAccessPeer";
	if (!can)
		return runtime_result(
			runtime_refuse(call, cudaErrorInvalidValue, "the pointer for the result is NULL"));
	*can = 0;
	return device || peer ? refuse_device(call, device ? device : peer) : cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	static const char call[] = "cudaDeviceEnablePeerAccess";
	if (flags)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "unknown flags 0x%x", flags));
	return refuse_device(call, peer);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	static const char call[] = "cudaDeviceDisablePeerAccess";
	if (peer)
		return refuse_device(call, peer);
	return runtime_result(runtime_refuse(call, cudaErrorPeerAccessNotEnabled, "it was not enabled"));
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
	static const char call[] = "cudaDeviceGetP2PAttribute";
	if (!value || attribute < cudaDevP2PAttrPerformanceRank || attribute > cudaDevP2PAttrCudaArrayAccessSupported)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue,
		                                     "%d is not an attribute, or the "
		                                     "pointer for its value is NULL",
		                                     (int)attribute));
	return refuse_device(call, from ? from : to);
}

/* Parses DOMAIN:BUS:DEVICE.FUNCTION in hexadecimal; DOMAIN and FUNCTION are optional. */
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	static const char call[] = "cudaDeviceGetByPCIBusId";
	unsigned domain = 0, bus, slot, function = 0;
	int read = 0;
	if (!device || !id)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "a required pointer is NULL"));
	bool is_id = sscanf(id, "%x:%x:%x%n.%x%n", &domain, &bus, &slot, &read, &function, &read) >= 3;
	if (!is_id) {
		domain = 0;
		is_id = sscanf(id, "%x:%x%n.%x%n", &bus, &slot, &read, &function, &read) >= 2;
	}
	if (!is_id || id[read])
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "'%s' is not a PCI bus id", id));
	if (domain || bus != DEVICE_PCI_BUS || slot || function)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidDevice, "there is no device at %s", id));
	*device = 0;
	return cudaSuccess;
}

/* ---- other processes ---- */

static cudaError_t refuse_process(const char *call, bool has_all)
{
	if (!has_all)
		return runtime_result(runtime_refuse(call, cudaErrorInvalidValue, "a required pointer is NULL"));
	return runtime_result(
		runtime_refuse(call, cudaErrorNotSupported, "a simulated device belongs to only one process"));
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
	return refuse_process("cudaIpcGetMemHandle", handle && pointer);
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags)
{
	(void)handle, (void)flags;
	return refuse_process("cudaIpcOpenMemHandle", pointer);
}

cudaError_t cudaIpcCloseMemHandle(void *pointer)
{
	return refuse_process("cudaIpcCloseMemHandle", pointer);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
	return refuse_process("cudaIpcGetEventHandle", handle && event);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
	(void)handle;
	return refuse_process("cudaIpcOpenEventHandle", event);
}
