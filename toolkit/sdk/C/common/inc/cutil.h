/* cutil.h: checks, timers, command lines and comparisons, with the names of the GPU Computing SDK's helper library (up
 * to CUDA 4). This header contains all code; libcutil_*.a, which Makefiles link, is empty. C and C++. */
#ifndef CUTIL_H
#define CUTIL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <sluice/sdk/arguments.h>
#include <sluice/sdk/clock.h>
#include <sluice/sdk/files.h>

enum CUTBoolean_enum { CUTFalse = 0, CUTTrue = 1 };
typedef enum CUTBoolean_enum CUTBoolean;
#define CUT_TRUE  CUTTrue
#define CUT_FALSE CUTFalse
#define CUTIL_API

/* ---- checks ---- */
static inline void cut_check(int failed, const char *what, const char *why, const char *file, int line)
{
	if (!failed)
		return;
	fprintf(stderr, "%s in file '%s' in line %i%s%s.\n", what, file, line, why ? " : " : "", why ? why : "");
	exit(EXIT_FAILURE);
}

static inline void cut_check_cuda(cudaError_t error, const char *what, const char *file, int line)
{
	cut_check(error != cudaSuccess, what, cudaGetErrorString(error), file, line);
}

#define CUDA_SAFE_CALL_NO_SYNC(call) cut_check_cuda((call), "Cuda error", __FILE__, __LINE__)
#define CUDA_SAFE_CALL(call)         CUDA_SAFE_CALL_NO_SYNC(call)
#define CUDA_SAFE_THREAD_SYNC()      CUDA_SAFE_CALL(cudaDeviceSynchronize())
#define CUT_SAFE_CALL(call)          cut_check(CUTTrue != (call), "Cut error", NULL, __FILE__, __LINE__)
#define CUT_SAFE_MALLOC(call)        cut_check(!(call), "Host malloc failed", NULL, __FILE__, __LINE__)
#define CUT_CHECK_ERROR(message)     cut_check_cuda(cudaGetLastError(), "Cuda error: " message, __FILE__, __LINE__)
#define CUT_CHECK_ERROR_GL()         CUTTrue
#define CUT_BANK_CHECKER(array, index) array[index]
#define CUT_CONDITION(condition)     (condition)
#define CUT_EXIT(argc, argv)         exit(EXIT_SUCCESS)
/* CUT_DEVICE_INIT() of CUDA 1, and CUT_DEVICE_INIT(argc, argv). The only device is always selected. */
#define CUT_DEVICE_INIT(...)         CUDA_SAFE_CALL(cudaSetDevice(0))

/* ---- timers: numbered from 1 across all sources of a program ---- */
enum { CUT_MOST_TIMERS = 4096 };
__attribute__((weak)) struct sdk_watch *cut_timers[CUT_MOST_TIMERS];
__attribute__((weak)) unsigned int cut_timer_count;

static inline struct sdk_watch *cut_timer(unsigned int timer)
{
	return timer && timer <= cut_timer_count ? cut_timers[timer - 1] : NULL;
}

static inline CUTBoolean cutCreateTimer(unsigned int *timer)
{
	struct sdk_watch *watch = cut_timer_count < CUT_MOST_TIMERS ? (struct sdk_watch *)calloc(1, sizeof *watch) : NULL;
	if (!watch)
		return CUTFalse;
	cut_timers[cut_timer_count++] = watch;
	*timer = cut_timer_count;
	return CUTTrue;
}

static inline CUTBoolean cutDeleteTimer(unsigned int timer)
{
	struct sdk_watch *watch = cut_timer(timer);
	if (!watch)
		return CUTFalse;
	cut_timers[timer - 1] = NULL;
	free(watch);
	return CUTTrue;
}

static inline CUTBoolean cut_apply(unsigned int timer, void (*change)(struct sdk_watch *))
{
	struct sdk_watch *watch = cut_timer(timer);
	if (watch)
		change(watch);
	return watch ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutStartTimer(unsigned int timer)
{
	return cut_apply(timer, sdk_watch_start);
}

static inline CUTBoolean cutStopTimer(unsigned int timer)
{
	return cut_apply(timer, sdk_watch_stop);
}

static inline CUTBoolean cutResetTimer(unsigned int timer)
{
	return cut_apply(timer, sdk_watch_reset);
}

static inline float cutGetTimerValue(unsigned int timer)
{
	const struct sdk_watch *watch = cut_timer(timer);
	return watch ? sdk_watch_time(watch) : 0.0f;
}

static inline float cutGetAverageTimerValue(unsigned int timer)
{
	const struct sdk_watch *watch = cut_timer(timer);
	return watch ? sdk_watch_average(watch) : 0.0f;
}

/* ---- command lines and files ---- */
static inline CUTBoolean cutCheckCmdLineFlag(int argc, const char **argv, const char *name)
{
	return sdk_argument(argc, argv, name) ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutGetCmdLineArgumenti(int argc, const char **argv, const char *name, int *value)
{
	const char *text = sdk_argument(argc, argv, name);
	if (text)
		*value = atoi(text);
	return text ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutGetCmdLineArgumentf(int argc, const char **argv, const char *name, float *value)
{
	const char *text = sdk_argument(argc, argv, name);
	if (text)
		*value = (float)atof(text);
	return text ? CUTTrue : CUTFalse;
}

/* A copy, which the caller frees. */
static inline CUTBoolean cutGetCmdLineArgumentstr(int argc, const char **argv, const char *name, char **value)
{
	const char *text = sdk_argument(argc, argv, name);
	*value = text ? strcpy((char *)malloc(strlen(text) + 1), text) : NULL;
	return text ? CUTTrue : CUTFalse;
}

static inline char *cutFindFilePath(const char *name, const char *program)
{
	return sdk_find_file(name, program);
}

static inline void cutFree(void *memory)
{
	free(memory);
}

/* Reads the numbers of a text file. *data is allocated if it is NULL. */
#define CUT_FILES(suffix, type, in, out)                                                                               \
	static inline CUTBoolean cutReadFile##suffix(const char *name, type **data, unsigned int *count, CUTBoolean verbose) \
	{                                                                                                              \
		FILE *file = fopen(name, "r");                                                                         \
		unsigned int found = 0, room = 0;                                                                      \
		type value, *values = NULL;                                                                            \
		(void)verbose;                                                                                         \
		if (!file)                                                                                             \
			return CUTFalse;                                                                               \
		while (fscanf(file, in, &value) == 1) {                                                                \
			if (found == room)                                                                             \
				values = (type *)realloc(values, (room = 2 * room + 256) * sizeof(type));              \
			values[found++] = value;                                                                       \
		}                                                                                                      \
		fclose(file);                                                                                          \
		*count = found;                                                                                        \
		if (*data && values) {                                                                                 \
			memcpy(*data, values, found * sizeof(type));                                                   \
			free(values);                                                                                  \
		} else if (!*data) {                                                                                   \
			*data = values;                                                                                \
		}                                                                                                      \
		return found ? CUTTrue : CUTFalse;                                                                     \
	}                                                                                                              \
	static inline CUTBoolean cutWriteFile##suffix(const char *name, const type *data, unsigned int count, double epsilon) \
	{                                                                                                              \
		FILE *file = fopen(name, "w");                                                                         \
		(void)epsilon;                                                                                         \
		for (unsigned int i = 0; file && i < count; i++)                                                       \
			fprintf(file, out " ", data[i]);                                                               \
		return file && fclose(file) == 0 ? CUTTrue : CUTFalse;                                                 \
	}
CUT_FILES(f, float, "%f", "%g")
CUT_FILES(d, double, "%lf", "%g")
CUT_FILES(i, int, "%d", "%d")
CUT_FILES(ui, unsigned int, "%u", "%u")

/* ---- pictures; *data is allocated if it is NULL ---- */
static inline CUTBoolean cut_keep_bytes(unsigned char *bytes, unsigned char **data, size_t size)
{
	if (bytes && *data) {
		memcpy(*data, bytes, size);
		free(bytes);
	} else if (bytes) {
		*data = bytes;
	}
	return bytes ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutLoadPGMub(const char *name, unsigned char **data, unsigned int *width, unsigned int *height)
{
	unsigned char *bytes = sdk_read_picture(name, 1, width, height);
	return cut_keep_bytes(bytes, data, bytes ? (size_t)*width * *height : 0);
}

static inline CUTBoolean cutLoadPPMub(const char *name, unsigned char **data, unsigned int *width, unsigned int *height)
{
	unsigned char *bytes = sdk_read_picture(name, 3, width, height);
	return cut_keep_bytes(bytes, data, bytes ? (size_t)*width * *height * 3 : 0);
}

static inline CUTBoolean cutLoadPPM4ub(const char *name, unsigned char **data, unsigned int *width, unsigned int *height)
{
	unsigned char *bytes = sdk_read_picture(name, 3, width, height);
	unsigned char *wide = bytes ? sdk_with_channels(bytes, 3, 4, (size_t)*width * *height) : NULL;
	free(bytes);
	return cut_keep_bytes(wide, data, wide ? (size_t)*width * *height * 4 : 0);
}

/* 0 to 1 */
static inline CUTBoolean cutLoadPGMf(const char *name, float **data, unsigned int *width, unsigned int *height)
{
	unsigned char *bytes = sdk_read_picture(name, 1, width, height);
	size_t size = bytes ? (size_t)*width * *height : 0;
	if (bytes && !*data)
		*data = (float *)malloc(size * sizeof **data);
	for (size_t i = 0; i < size; i++)
		(*data)[i] = (float)bytes[i] / 255.0f;
	free(bytes);
	return bytes ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutSavePGMub(const char *name, unsigned char *data, unsigned int width, unsigned int height)
{
	return sdk_write_picture(name, data, 1, width, height) ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutSavePPMub(const char *name, unsigned char *data, unsigned int width, unsigned int height)
{
	return sdk_write_picture(name, data, 3, width, height) ? CUTTrue : CUTFalse;
}

static inline CUTBoolean cutSavePPM4ub(const char *name, unsigned char *data, unsigned int width, unsigned int height)
{
	unsigned char *bytes = sdk_with_channels(data, 4, 3, (size_t)width * height);
	CUTBoolean result = bytes && sdk_write_picture(name, bytes, 3, width, height) ? CUTTrue : CUTFalse;
	free(bytes);
	return result;
}

static inline CUTBoolean cutSavePGMf(const char *name, float *data, unsigned int width, unsigned int height)
{
	size_t size = (size_t)width * height;
	unsigned char *bytes = (unsigned char *)malloc(size);
	for (size_t i = 0; bytes && i < size; i++)
		bytes[i] = (unsigned char)(data[i] * 255.0f);
	CUTBoolean result = bytes && sdk_write_picture(name, bytes, 1, width, height) ? CUTTrue : CUTFalse;
	free(bytes);
	return result;
}

/* ---- comparisons: true when no element differs by more than `epsilon` ---- */
#define CUT_COMPARE(name, type)                                                                                        \
	static inline CUTBoolean name##e(const type *reference, const type *data, const unsigned int count, const float epsilon) \
	{                                                                                                              \
		for (unsigned int i = 0; i < count; i++) {                                                             \
			double difference = (double)reference[i] - (double)data[i];                                    \
			if (!(difference <= epsilon && -difference <= epsilon))                                        \
				return CUTFalse;                                                                       \
		}                                                                                                      \
		return CUTTrue;                                                                                        \
	}                                                                                                              \
	static inline CUTBoolean name(const type *reference, const type *data, const unsigned int count)               \
	{                                                                                                              \
		return name##e(reference, data, count, 0.0f);                                                          \
	}
CUT_COMPARE(cutComparef, float)
CUT_COMPARE(cutComparei, int)
CUT_COMPARE(cutCompareui, unsigned int)
CUT_COMPARE(cutCompareub, unsigned char)

static inline CUTBoolean cutCompareL2fe(const float *reference, const float *data, const unsigned int count, const float epsilon)
{
	return sdk_is_near(reference, data, count, epsilon) ? CUTTrue : CUTFalse;
}

#endif
