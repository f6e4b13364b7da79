/* launch_attributes: a launch's attributes. All except `cooperative` and `carve_out` are hints: the simulator stores
 * and returns them, and they change nothing.
 */
#ifndef SLUICE_CUDART_LAUNCH_ATTRIBUTES_H
#define SLUICE_CUDART_LAUNCH_ATTRIBUTES_H

#include "cudart/runtime.h"

struct launch_attributes {
	bool cooperative;
	int priority;
	struct cudaAccessPolicyWindow window;
	cudaLaunchMemSyncDomainMap domains;
	cudaLaunchMemSyncDomain domain;
	unsigned carve_out; /* percent plus 1; 0: not set */
};

/* An error where there is no such attribute of kernels, or no such value: clusters have one block. */
cudaError_t launch_attribute_set(const char *call, struct launch_attributes *attributes, cudaLaunchAttributeID attribute,
                                 const cudaLaunchAttributeValue *value);
cudaError_t launch_attribute_get(const char *call, const struct launch_attributes *attributes,
                                 cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value);
/* Whether accesses to it can be asked for; what misses cannot be kept for good. */
bool launch_is_window(const struct cudaAccessPolicyWindow *window);

#endif
