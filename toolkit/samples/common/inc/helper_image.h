/* helper_image.h: pictures and comparisons, with the names of CUDA's samples. Pixels of non-integer types are 0 to
 * 1. */
#ifndef COMMON_HELPER_IMAGE_H_
#define COMMON_HELPER_IMAGE_H_

#include "sluice/sdk/arguments.h"
#include "sluice/sdk/files.h"

#include <algorithm>
#include <assert.h>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

namespace sluice_sdk {
/* Converts a byte of a picture to T: unchanged for integer types, scaled to 0 .. 1 for others. */
template <class T> inline T from_byte(unsigned char byte)
{
	return std::numeric_limits<T>::is_integer ? (T)byte : (T)(byte / 255.0);
}

template <class T> inline unsigned char to_byte(T value)
{
	return std::numeric_limits<T>::is_integer ? (unsigned char)value : (unsigned char)(value * (T)255);
}

template <class T> inline bool same(const T *reference, const T *values, size_t count, double epsilon, double most_different)
{
	size_t different = 0;
	for (size_t i = 0; i < count; i++) {
		double difference = (double)reference[i] - (double)values[i];
		different += !(difference <= epsilon && difference >= -epsilon);
	}
	return (double)different <= most_different * (double)count;
}

/* Compares binary files of at least `count` elements each. The reference is searched for like a data file. */
template <class T>
inline bool same_files(const char *file, const char *reference, unsigned int count, double epsilon, double most_different, const char *program)
{
	std::vector<T> values[2] = {std::vector<T>(count), std::vector<T>(count)};
	char *path = sdk_find_file(reference, program);
	const char *names[2] = {file, path};
	bool read = path != NULL;
	for (int i = 0; read && i < 2; i++) {
		std::ifstream from(names[i], std::ios::binary);
		read = (bool)from.read((char *)values[i].data(), (std::streamsize)(count * sizeof(T)));
	}
	free(path);
	bool result = read && same(values[1].data(), values[0].data(), count, epsilon, most_different);
	printf("%s\n", result ? "  OK" : read ? "  FAILURE" : "  FAILURE: a file is not there, or too short");
	return result;
}
} // namespace sluice_sdk

/* Loads a picture of one or three channels, as in the file. *data is allocated with malloc() if it is NULL; otherwise
 * it must be large enough. The same holds for the functions below. */
inline bool __loadPPM(const char *file, unsigned char **data, unsigned int *width, unsigned int *height, unsigned int *channels)
{
	unsigned char *bytes = sdk_read_picture(file, *channels = 1, width, height);
	if (!bytes)
		bytes = sdk_read_picture(file, *channels = 3, width, height);
	if (!bytes)
		return false;
	if (*data) {
		memcpy(*data, bytes, (size_t)*width * *height * *channels);
		free(bytes);
	} else {
		*data = bytes;
	}
	return true;
}

inline bool __savePPM(const char *file, unsigned char *data, unsigned int width, unsigned int height, unsigned int channels)
{
	return (channels == 1 || channels == 3) && sdk_write_picture(file, data, channels, width, height);
}

inline bool sdkLoadPPMub(const char *file, unsigned char **data, unsigned int *width, unsigned int *height)
{
	unsigned int channels;
	return __loadPPM(file, data, width, height, &channels);
}

template <class T> inline bool sdkLoadPGM(const char *file, T **data, unsigned int *width, unsigned int *height)
{
	unsigned char *bytes = sdk_read_picture(file, 1, width, height);
	if (!bytes)
		return false;
	size_t size = (size_t)*width * *height;
	if (!*data)
		*data = (T *)malloc(size * sizeof(T));
	for (size_t i = 0; i < size; i++)
		(*data)[i] = sluice_sdk::from_byte<T>(bytes[i]);
	free(bytes);
	return true;
}

template <class T> inline bool sdkSavePGM(const char *file, T *data, unsigned int width, unsigned int height)
{
	std::vector<unsigned char> bytes((size_t)width * height);
	for (size_t i = 0; i < bytes.size(); i++)
		bytes[i] = sluice_sdk::to_byte(data[i]);
	return sdk_write_picture(file, bytes.data(), 1, width, height);
}

template <class T> inline bool sdkLoadPPM4(const char *file, T **data, unsigned int *width, unsigned int *height)
{
	unsigned char *bytes = sdk_read_picture(file, 3, width, height);
	if (!bytes)
		return false;
	*data = (T *)sdk_with_channels(bytes, 3, 4, (size_t)*width * *height);
	free(bytes);
	return *data != NULL;
}

inline bool sdkLoadPPM4ub(const char *file, unsigned char **data, unsigned int *width, unsigned int *height)
{
	return sdkLoadPPM4(file, data, width, height);
}

inline bool sdkSavePPM4ub(const char *file, unsigned char *data, unsigned int width, unsigned int height)
{
	unsigned char *bytes = sdk_with_channels(data, 4, 3, (size_t)width * height);
	bool result = bytes && sdk_write_picture(file, bytes, 3, width, height);
	free(bytes);
	return result;
}

/* Reads the numbers of a text file; *data as above. */
template <class T> inline bool sdkReadFile(const char *name, T **data, unsigned int *count, bool)
{
	std::ifstream file(name);
	std::vector<T> values;
	for (T value; file >> value;)
		values.push_back(value);
	if (!file.eof() || values.empty())
		return false;
	if (!*data)
		*data = (T *)malloc(values.size() * sizeof(T));
	std::copy(values.begin(), values.end(), *data);
	*count = (unsigned int)values.size();
	return true;
}

/* Reads block number `block`, of `size` bytes, of a binary file into newly allocated memory. *count: number of elements
 * read. */
template <class T>
inline bool sdkReadFileBlocks(const char *name, T **blocks, unsigned int *count, unsigned int block, unsigned int size, bool)
{
	std::ifstream file(name, std::ios::binary);
	if (!file.seekg((std::streamoff)block * size))
		return false;
	blocks[block] = (T *)malloc(size);
	file.read((char *)blocks[block], size);
	*count = (unsigned int)(file.gcount() / sizeof(T));
	return true;
}

inline void sdkDumpBin(void *data, unsigned int bytes, const char *name)
{
	printf("sdkDumpBin: <%s>\n", name);
	std::ofstream(name, std::ios::binary).write((const char *)data, bytes);
}

template <class T, class S>
inline bool sdkWriteFile(const char *name, const T *data, unsigned int count, const S, bool, bool append = false)
{
	std::ofstream file(name, append ? std::ios::app : std::ios::out);
	for (unsigned int i = 0; i < count; i++)
		file << data[i] << ' ';
	file << std::endl;
	return file.good();
}

template <class T, class S>
inline bool compareData(const T *reference, const T *data, const unsigned int count, const S epsilon, const float threshold)
{
	return sluice_sdk::same(reference, data, count, (double)epsilon, threshold);
}

/* As above, but differences up to 0.001 are ignored. */
template <class T, class S>
inline bool compareDataAsFloatThreshold(const T *reference, const T *data, const unsigned int count, const S epsilon, const float threshold)
{
	return sluice_sdk::same(reference, data, count, std::max((double)epsilon, 1e-3), threshold);
}

inline bool sdkCompareBin2BinUint(const char *file, const char *reference, unsigned int count, const float epsilon, const float threshold,
                                  char *program)
{
	return sluice_sdk::same_files<unsigned int>(file, reference, count, epsilon, threshold, program);
}

inline bool sdkCompareBin2BinFloat(const char *file, const char *reference, unsigned int count, const float epsilon, const float threshold,
                                   char *program)
{
	return sluice_sdk::same_files<float>(file, reference, count, std::max((double)epsilon, 1e-3), threshold, program);
}

inline bool sdkCompareL2fe(const float *reference, const float *data, const unsigned int count, const float epsilon)
{
	return sdk_is_near(reference, data, count, epsilon);
}

inline bool sdkComparePGM(const char *file, const char *reference, const float epsilon, const float threshold, bool = false)
{
	unsigned char *one = NULL, *other = NULL;
	unsigned int size[2], reference_size[2];
	bool read = sdkLoadPGM(file, &one, &size[0], &size[1]) && sdkLoadPGM(reference, &other, &reference_size[0], &reference_size[1]);
	bool result = read && size[0] == reference_size[0] && size[1] == reference_size[1] &&
	              sluice_sdk::same(other, one, (size_t)size[0] * size[1], epsilon, threshold);
	free(one);
	free(other);
	return result;
}

inline bool sdkComparePPM(const char *file, const char *reference, const float epsilon, const float threshold, bool = false)
{
	unsigned char *one = NULL, *other = NULL;
	unsigned int size[2], reference_size[2];
	bool read = sdkLoadPPM4(file, &one, &size[0], &size[1]) && sdkLoadPPM4(reference, &other, &reference_size[0], &reference_size[1]);
	bool result = read && size[0] == reference_size[0] && size[1] == reference_size[1] &&
	              sluice_sdk::same(other, one, (size_t)size[0] * size[1] * 4, epsilon, threshold);
	free(one);
	free(other);
	return result;
}

#endif
