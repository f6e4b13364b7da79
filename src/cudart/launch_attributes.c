/* Attributes of launches and kernel nodes. */
#include "cudart/launch_attributes.h"

static bool is_property(enum cudaAccessProperty property)
{
	return property >= cudaAccessPropertyNormal && property <= cudaAccessPropertyPersisting;
}

bool launch_is_window(const struct cudaAccessPolicyWindow *window)
{
	return window->hitRatio >= 0 && window->hitRatio <= 1 && is_property(window->hitProp) &&
	       is_property(window->missProp) && window->missProp != cudaAccessPropertyPersisting;
}

/* Refuses clusters of more than one block. */
static cudaError_t check_cluster(const char *call, unsigned x, unsigned y, unsigned z)
{
	if (x <= 1 && y <= 1 && z <= 1)
		return cudaSuccess;
	return runtime_refuse(call, cudaErrorNotSupported, "clusters of %u x %u x %u blocks; the device has none", x, y,
	                      z);
}

static cudaError_t set_window(const char *call, struct launch_attributes *attributes,
                              const struct cudaAccessPolicyWindow *window)
{
	if (!launch_is_window(window))
		return runtime_refuse(call, cudaErrorInvalidValue, "the access policy window is invalid");
	attributes->window = *window;
	return cudaSuccess;
}

static cudaError_t set_carve_out(const char *call, struct launch_attributes *attributes, int percent)
{
	if (percent < cudaSharedmemCarveoutDefault || percent > cudaSharedmemCarveoutMaxShared)
		return runtime_refuse(call, cudaErrorInvalidValue, "%d percent of shared memory", percent);
	attributes->carve_out = (unsigned)(percent + 1);
	return cudaSuccess;
}

cudaError_t launch_attribute_set(const char *call, struct launch_attributes *attributes,
                                 cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value)
{
	switch (attribute) {
	case cudaLaunchAttributeIgnore:
	case cudaLaunchAttributeClusterSchedulingPolicyPreference:
		return cudaSuccess;
	case cudaLaunchAttributeAccessPolicyWindow:
		return set_window(call, attributes, &value->accessPolicyWindow);
	case cudaLaunchAttributeCooperative:
		attributes->cooperative = value->cooperative;
		return cudaSuccess;
	case cudaLaunchAttributeClusterDimension:
		return check_cluster(call, value->clusterDim.x, value->clusterDim.y, value->clusterDim.z);
	case cudaLaunchAttributePreferredClusterDimension:
		return check_cluster(call, value->preferredClusterDim.x, value->preferredClusterDim.y,
		                     value->preferredClusterDim.z);
	case cudaLaunchAttributePriority:
		attributes->priority = value->priority;
		return cudaSuccess;
	case cudaLaunchAttributeMemSyncDomainMap:
		attributes->domains = value->memSyncDomainMap;
		return cudaSuccess;
	case cudaLaunchAttributeMemSyncDomain:
		attributes->domain = value->memSyncDomain;
		return cudaSuccess;
	case cudaLaunchAttributePreferredSharedMemoryCarveout:
		return set_carve_out(call, attributes, (int)value->sharedMemCarveout);
	case cudaLaunchAttributeDeviceUpdatableKernelNode:
		if (!value->deviceUpdatableKernelNode.deviceUpdatable)
			return cudaSuccess;
		return runtime_refuse(call, cudaErrorNotSupported, "kernels cannot change graphs here");
	default:
		return runtime_refuse(call, cudaErrorInvalidValue, "%d is not an attribute of a kernel",
		                      (int)attribute);
	}
}

/* Writes only the one member: programs of CUDA 11 provide a smaller union. */
cudaError_t launch_attribute_get(const char *call, const struct launch_attributes *attributes,
                                 cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value)
{
	switch (attribute) {
	case cudaLaunchAttributeAccessPolicyWindow:
		value->accessPolicyWindow = attributes->window;
		return cudaSuccess;
	case cudaLaunchAttributeCooperative:
		value->cooperative = attributes->cooperative;
		return cudaSuccess;
	case cudaLaunchAttributeClusterDimension:
	case cudaLaunchAttributePreferredClusterDimension:
		value->clusterDim.x = value->clusterDim.y = value->clusterDim.z = 0;
		return cudaSuccess;
	case cudaLaunchAttributeClusterSchedulingPolicyPreference:
		value->clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyDefault;
		return cudaSuccess;
	case cudaLaunchAttributePriority:
		value->priority = attributes->priority;
		return cudaSuccess;
	case cudaLaunchAttributeMemSyncDomainMap:
		value->memSyncDomainMap = attributes->domains;
		return cudaSuccess;
	case cudaLaunchAttributeMemSyncDomain:
		value->memSyncDomain = attributes->domain;
		return cudaSuccess;
	case cudaLaunchAttributePreferredSharedMemoryCarveout:
		value->sharedMemCarveout = attributes->carve_out - 1; /* -1: not set */
		return cudaSuccess;
	default:
		return runtime_refuse(call, cudaErrorInvalidValue, "%d is not an attribute of a kernel",
		                      (int)attribute);
	}
}
