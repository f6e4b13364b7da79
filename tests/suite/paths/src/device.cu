// Device functions and variables of the other files.
#include "paths.h"

__device__ int changes;
__constant__ int unreachable;

__device__ bool shorten(int *distance, int candidate)
{
	return atomicMin(distance, candidate) > candidate;
}
