/* launch_attributes: attributes of a launch beyond its shape. All except `cooperative` and `carve_out` are hints: they
 * have no effect here and are only returned when a program queries them. */
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

/* Sets or gets one attribute. Returns an error for an unknown attribute of kernels or an invalid value. Clusters have
 * one block. */
cudaError_t launch_attribute_set(const char *call, struct launch_attributes *attributes, cudaLaunchAttributeID attribute,
                                 const cudaLaunchAttributeValue *value);
cudaError_t launch_attribute_get(const char *call, const struct launch_attributes *attributes,
                                 cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value);
/* True when all values of the window are valid; misses cannot be persisting. */
bool launch_is_window(const struct cudaAccessPolicyWindow *window);

#endif
