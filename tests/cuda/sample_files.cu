// Protects the toolkit's helpers for pictures and result files (helper_image.h), found without a flag. Written files
// are read back, as bytes and as fractions of 1, with three channels and with four. Also tests blocks of files, and
// files that differ slightly, differ much, or are too short.
#include "check.h"
#include <helper_image.h>
#include <unistd.h>

enum { WIDTH = 5, HEIGHT = 3, PIXELS = WIDTH * HEIGHT };

static std::string folder;

static std::string at(const char *name)
{
	return folder + name;
}

static void test_pictures()
{
	unsigned char bytes[3 * PIXELS], four[4 * PIXELS];
	for (int i = 0; i < 3 * PIXELS; i++)
		bytes[i] = (unsigned char)(i * 17 + 3);
	for (int i = 0; i < 4 * PIXELS; i++)
		four[i] = i % 4 == 3 ? 99 : bytes[i / 4 * 3 + i % 4];
	unsigned width = 0, height = 0, channels = 0;
	unsigned char *read = NULL;
	std::string gray = at("/gray.pgm"), color = at("/color.ppm");

	CHECK(__savePPM(gray.c_str(), bytes, WIDTH, HEIGHT, 1) && !__savePPM(gray.c_str(), bytes, WIDTH, HEIGHT, 2));
	CHECK(__loadPPM(gray.c_str(), &read, &width, &height, &channels));
	CHECK(channels == 1 && width == WIDTH && height == HEIGHT && memcmp(read, bytes, PIXELS) == 0);
	CHECK(sdkSavePPM4ub(color.c_str(), four, WIDTH, HEIGHT));
	read = (unsigned char *)realloc(read, 3 * PIXELS);
	unsigned char *room = read;
	CHECK(sdkLoadPPMub(color.c_str(), &read, &width, &height) && read == room && memcmp(read, bytes, 3 * PIXELS) == 0);
	free(read);
	CHECK(sdkLoadPPM4ub(color.c_str(), &read, &width, &height) && read[3] == 0 && read[4] == bytes[3]);
	free(read);
	float *parts = NULL;
	CHECK(sdkLoadPGM(gray.c_str(), &parts, &width, &height) && parts[1] == (float)(bytes[1] / 255.0));
	free(parts);
	CHECK(!sdkLoadPPM4ub(gray.c_str(), &read, &width, &height) && !sdkLoadPPMub(at("/none").c_str(), &read, &width, &height));
}

static void test_blocks()
{
	int numbers[10], *blocks[3] = {};
	unsigned count = 0;
	for (int i = 0; i < 10; i++)
		numbers[i] = i * i;
	std::string name = at("/numbers.bin");
	sdkDumpBin(numbers, sizeof numbers, name.c_str());
	CHECK(sdkReadFileBlocks(name.c_str(), blocks, &count, 1, 16, false) && count == 4 && blocks[1][0] == 16);
	CHECK(sdkReadFileBlocks(name.c_str(), blocks, &count, 2, 16, false) && count == 2 && blocks[2][1] == 81);
	CHECK(!blocks[0] && !sdkReadFileBlocks(at("/none").c_str(), blocks, &count, 0, 16, false));
	free(blocks[1]);
	free(blocks[2]);
}

// Files of eight elements, one of which differs by `apart`.
template <typename T> static void write_pair(T apart)
{
	T values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	sdkDumpBin(values, sizeof values, at("/reference.bin").c_str());
	values[5] += apart;
	sdkDumpBin(values, sizeof values, at("/result.bin").c_str());
}

template <typename F> static bool compares(F same, unsigned count, float epsilon, float threshold)
{
	std::string result = at("/result.bin"), reference = at("/reference.bin");
	return same(result.c_str(), reference.c_str(), count, epsilon, threshold, NULL);
}

static void test_comparisons()
{
	write_pair(0.0009f);
	CHECK(compares(sdkCompareBin2BinFloat, 8, 0, 0));
	write_pair(0.25f);
	CHECK(compares(sdkCompareBin2BinFloat, 8, 0.5f, 0) && !compares(sdkCompareBin2BinFloat, 8, 0.2f, 0));
	CHECK(compares(sdkCompareBin2BinFloat, 5, 0, 0) && compares(sdkCompareBin2BinFloat, 8, 0, 0.15f));
	CHECK(!compares(sdkCompareBin2BinFloat, 9, 1, 1));
	write_pair(3u);
	CHECK(compares(sdkCompareBin2BinUint, 8, 3, 0) && !compares(sdkCompareBin2BinUint, 8, 2, 0));
	CHECK(!sdkCompareBin2BinUint(at("/result.bin").c_str(), "nowhere.bin", 8, 3, 0, NULL));
	float one[] = {1, 2}, other[] = {1.0005f, 2};
	CHECK(compareDataAsFloatThreshold(one, other, 2, 0.0f, 0) && !compareData(one, other, 2, 0.0f, 0));
}

int main()
{
	char name[] = "/tmp/sample_files_XXXXXX";
	folder = mkdtemp(name);
	test_pictures();
	test_blocks();
	test_comparisons();
	std::string remove = "rm -r " + folder;
	CHECK(system(remove.c_str()) == 0);
	return finish();
}
