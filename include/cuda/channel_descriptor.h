/* channel_descriptor: the channel format of a C++ type. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "sluice/macros_off.h"

#include "cuda_runtime_api.h"

template <class T> inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define SLUICE_CHANNEL(type, bits, kind)                                                                               \
	template <> inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>()                                \
	{                                                                                                              \
		return cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKind##kind);                              \
	}
#define SLUICE_CHANNELS(type, name, bits, kind)                                                                        \
	SLUICE_CHANNEL(type, bits, kind)                                                                               \
	SLUICE_CHANNEL(name##1, bits, kind)                                                                            \
	template <> inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc<name##2>()                             \
	{                                                                                                              \
		return cudaCreateChannelDesc(bits, bits, 0, 0, cudaChannelFormatKind##kind);                           \
	}                                                                                                              \
	template <> inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc<name##4>()                             \
	{                                                                                                              \
		return cudaCreateChannelDesc(bits, bits, bits, bits, cudaChannelFormatKind##kind);                     \
	}
SLUICE_CHANNEL(char, 8, Signed)
SLUICE_CHANNELS(signed char, char, 8, Signed)
SLUICE_CHANNELS(unsigned char, uchar, 8, Unsigned)
SLUICE_CHANNELS(short, short, 16, Signed)
SLUICE_CHANNELS(unsigned short, ushort, 16, Unsigned)
SLUICE_CHANNELS(int, int, 32, Signed)
SLUICE_CHANNELS(unsigned int, uint, 32, Unsigned)
SLUICE_CHANNELS(float, float, 32, Float)
#undef SLUICE_CHANNELS
#undef SLUICE_CHANNEL

#include "sluice/macros_on.h"

#endif
