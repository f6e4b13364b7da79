/* sluice/sdk/files.h: reads and writes images (PGM, PPM), and compares results. C and C++. Functions that return int: 1
 * is success, 0 is failure. */
#ifndef SLUICE_SDK_FILES_H
#define SLUICE_SDK_FILES_H

#include "../macros_off.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a number of an image header, skipping comments, which end with the line. Returns -1 when there is none. */
static inline int sdk_head_number(FILE *file)
{
	int c = fgetc(file), number = 0;
	while (isspace(c) || c == '#') {
		while (c == '#' && (c = fgetc(file)) != '\n' && c != EOF)
			c = '#';
		c = fgetc(file);
	}
	if (!isdigit(c))
		return -1;
	for (; isdigit(c); c = fgetc(file))
		number = 10 * number + (c - '0');
	return number;
}

/* Reads the bytes of a PGM (P5) or PPM (P6) file, with `channels` bytes per pixel (1 or 3). The caller frees them.
 * Returns NULL when it is not such a file. */
static inline unsigned char *sdk_read_picture(const char *path, unsigned channels, unsigned *width, unsigned *height)
{
	FILE *file = path ? fopen(path, "rb") : NULL;
	unsigned char *bytes = NULL;
	if (!file)
		return NULL;
	if (fgetc(file) == 'P' && fgetc(file) == (channels == 1 ? '5' : '6')) {
		int columns = sdk_head_number(file), lines = sdk_head_number(file), most = sdk_head_number(file);
		size_t size = columns > 0 && lines > 0 && most > 0 && most < 256 ? (size_t)columns * (size_t)lines * channels : 0;
		bytes = size ? (unsigned char *)malloc(size) : NULL;
		if (bytes && fread(bytes, 1, size, file) != size) {
			free(bytes);
			bytes = NULL;
		}
		*width = (unsigned)columns;
		*height = (unsigned)lines;
	}
	fclose(file);
	return bytes;
}

static inline int sdk_write_picture(const char *path, const unsigned char *bytes, unsigned channels, unsigned width, unsigned height)
{
	size_t size = (size_t)width * height * channels;
	FILE *file = path ? fopen(path, "wb") : NULL;
	if (!file)
		return 0;
	fprintf(file, "P%c\n%u\n%u\n255\n", channels == 1 ? '5' : '6', width, height);
	size_t written = fwrite(bytes, 1, size, file);
	return (fclose(file) == 0) & (written == size);
}

/* Converts three channels to four, the last of which is 0, or four to three. The caller frees the result. */
static inline unsigned char *sdk_with_channels(const unsigned char *bytes, unsigned from, unsigned to, size_t pixels)
{
	unsigned char *result = (unsigned char *)calloc(pixels, to);
	for (size_t i = 0; result && i < pixels; i++)
		memcpy(result + i * to, bytes + i * from, from < to ? from : to);
	return result;
}

/* True when the distance of the two vectors is less than `most` times the length of the first. */
static inline int sdk_is_near(const float *reference, const float *values, size_t count, float most)
{
	double error = 0, length = 0;
	for (size_t i = 0; i < count; i++) {
		double difference = (double)reference[i] - values[i];
		error += difference * difference;
		length += (double)reference[i] * reference[i];
	}
	return length > 0 && sqrt(error / length) < most;
}

#include "../macros_on.h"

#endif
