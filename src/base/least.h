/* least: the lower of two numbers. */
#ifndef SLUICE_BASE_LEAST_H
#define SLUICE_BASE_LEAST_H

#include <stdint.h>

static inline uint32_t least(uint32_t one, uint32_t other)
{
	return one < other ? one : other;
}

#endif
