#include "codec.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

codec::Image codec::readPpm(const std::string &name)
{
	std::ifstream file(name.c_str());
	std::string magic;
	int most, r, g, b;
	Image image;
	if (!(file >> magic >> image.width >> image.height >> most) || magic != "P3" || most != 255) {
		std::cerr << name << ": not a plain PPM file" << std::endl;
		std::exit(EXIT_FAILURE);
	}
	while (image.pixels.size() < (size_t)image.width * image.height && file >> r >> g >> b)
		image.pixels.push_back(make_uchar4(r, g, b, 255));
	return image;
}
