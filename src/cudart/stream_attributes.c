/* Stream attributes. They are hints without effect here, stored and returned when a program queries them. */
#include "cudart/launch_attributes.h"

static cudaError_t set(const char *call, struct stream_attributes *attributes, cudaStreamAttrID attribute,
                       const cudaStreamAttrValue *value)
{
	if (attribute == cudaStreamAttributeAccessPolicyWindow && launch_is_window(&value->accessPolicyWindow)) {
		attributes->window = value->accessPolicyWindow;
		return cudaSuccess;
	}
	if (attribute == cudaStreamAttributeSynchronizationPolicy && value->syncPolicy >= cudaSyncPolicyAuto &&
	    value->syncPolicy <= cudaSyncPolicyBlockingSync) {
		attributes->synchronization = value->syncPolicy;
		return cudaSuccess;
	}
	return runtime_refuse(call, cudaErrorInvalidValue, "attribute %d cannot be set to this value", (int)attribute);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value)
{
	static const char call[] = "cudaStreamSetAttribute";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check(runtime, call, value);
	if (result == cudaSuccess)
		result = runtime_check_stream(runtime, call, stream);
	if (result == cudaSuccess)
		result = set(call, runtime_stream_attributes(runtime, stream), attribute, value);
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value)
{
	static const char call[] = "cudaStreamGetAttribute";
	if (attribute == cudaStreamAttributePriority)
		return cudaStreamGetPriority(stream, value ? &value->priority : NULL);
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check(runtime, call, value);
	if (result == cudaSuccess)
		result = runtime_check_stream(runtime, call, stream);
	if (result != cudaSuccess)
		return runtime_leave(runtime, result);
	const struct stream_attributes *attributes = runtime_stream_attributes(runtime, stream);
	if (attribute == cudaStreamAttributeAccessPolicyWindow)
		value->accessPolicyWindow = attributes->window;
	else if (attribute == cudaStreamAttributeSynchronizationPolicy)
		value->syncPolicy = attributes->synchronization ? attributes->synchronization : cudaSyncPolicyAuto;
	else
		result = runtime_refuse(call, cudaErrorInvalidValue, "%d is not an attribute of a stream",
		                        (int)attribute);
	return runtime_leave(runtime, result);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
	static const char call[] = "cudaStreamCopyAttributes";
	struct runtime *runtime = runtime_enter_beside();
	cudaError_t result = runtime_check_stream(runtime, call, to);
	if (result == cudaSuccess)
		result = runtime_check_stream(runtime, call, from);
	if (result == cudaSuccess)
		*runtime_stream_attributes(runtime, to) = *runtime_stream_attributes(runtime, from);
	return runtime_leave(runtime, result);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	struct runtime *runtime = runtime_enter_beside();
	return runtime_leave(runtime, runtime->error);
}
