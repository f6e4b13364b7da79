#include "codec.h"

#include <algorithm>
#include <cmath>

namespace codec {

static double cosine(int u, int x)
{
	return (u ? 0.5 : std::sqrt(0.125)) * std::cos((2 * x + 1) * u * M_PI / 16);
}

Plane lumaModel(const Image &image, int width, int height)
{
	Plane plane(width, height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			uchar4 p = image.pixels[std::min(y, image.height - 1) * image.width + std::min(x, image.width - 1)];
			plane.samples[y * width + x] = (unsigned char)(0.299 * p.x + 0.587 * p.y + 0.114 * p.z + 0.5);
		}
	return plane;
}

std::vector<short> encodeModel(const Plane &plane, const short *steps)
{
	std::vector<short> result;
	for (int by = 0; by < plane.height; by += kBlock)
		for (int bx = 0; bx < plane.width; bx += kBlock)
			for (int v = 0; v < kBlock; v++)
				for (int u = 0; u < kBlock; u++) {
					double sum = 0;
					for (int y = 0; y < kBlock; y++)
						for (int x = 0; x < kBlock; x++)
							sum += cosine(v, y) * cosine(u, x) *
							       (plane.samples[(by + y) * plane.width + bx + x] - 128.0);
					result.push_back((short)std::lrint(sum / steps[v * kBlock + u]));
				}
	return result;
}

Plane decodeModel(const std::vector<short> &coefficients, int width, int height, const short *steps)
{
	Plane plane(width, height);
	for (int by = 0, block = 0; by < height; by += kBlock)
		for (int bx = 0; bx < width; bx += kBlock, block++)
			for (int y = 0; y < kBlock; y++)
				for (int x = 0; x < kBlock; x++) {
					double sum = 128;
					for (int i = 0; i < 64; i++)
						sum += cosine(i / 8, y) * cosine(i % 8, x) * coefficients[block * 64 + i] * steps[i];
					plane.samples[(by + y) * width + bx + x] =
						(unsigned char)std::min(std::max(std::lrint(sum), 0L), 255L);
				}
	return plane;
}

} // namespace codec
