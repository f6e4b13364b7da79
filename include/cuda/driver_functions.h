/* driver_functions: constructors of the structures that describe pitched memory. */
#ifndef DRIVER_FUNCTIONS_H
#define DRIVER_FUNCTIONS_H

#include "sluice/macros_off.h"

#include "driver_types.h"
#include "host_defines.h"

static __inline__ __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width,
                                                                     size_t height)
{
	struct cudaPitchedPtr value = {pointer, pitch, width, height};
	return value;
}

static __inline__ __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	struct cudaPos value = {x, y, z};
	return value;
}

static __inline__ __host__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
	struct cudaExtent value = {width, height, depth};
	return value;
}

#include "sluice/macros_on.h"

#endif
