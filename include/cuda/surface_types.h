/* surface_types: types that describe surfaces. */
#ifndef __SURFACE_TYPES_H__
#define __SURFACE_TYPES_H__

#include "sluice/macros_off.h"

#include "driver_types.h"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };

struct surfaceReference {
	struct cudaChannelFormatDesc channelDesc;
};

typedef unsigned long long cudaSurfaceObject_t;

#include "sluice/macros_on.h"

#endif
