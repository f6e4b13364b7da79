#ifndef CODEC_H
#define CODEC_H

#include <cuda_runtime.h>
#include <string>
#include <vector>

namespace codec {

const int kBlock = 8;

struct Plane {
	int width, height; // multiples of kBlock
	std::vector<unsigned char> samples;
	Plane(int w = 0, int h = 0) : width(w), height(h), samples((size_t)w * h) {}
};

struct Image {
	int width, height;
	std::vector<uchar4> pixels;
};

// A plane on the device.
struct DevicePlane {
	unsigned char *samples;
	size_t pitch;
	int width, height;
};

Image readPpm(const std::string &name);

// color.cu: luminance, and the two chroma planes at half size, through a filtered texture.
void splitColors(const uchar4 *pixels, int width, int height, DevicePlane luma, DevicePlane cb, DevicePlane cr);

// transform.cu, tables.cu
void setQuality(int quality, short *steps); // and writes them there
void encode(DevicePlane plane, short *coefficients, cudaStream_t stream);
void decode(const short *coefficients, DevicePlane plane, cudaStream_t stream);
void countNonZero(const short *coefficients, int blocks, unsigned int *histogram, cudaStream_t stream);

// model.cpp: the same on the host.
Plane lumaModel(const Image &image, int width, int height);
std::vector<short> encodeModel(const Plane &plane, const short *steps);
Plane decodeModel(const std::vector<short> &coefficients, int width, int height, const short *steps);

inline int roundUp(int value, int to)
{
	return (value + to - 1) / to * to;
}

} // namespace codec

#endif
