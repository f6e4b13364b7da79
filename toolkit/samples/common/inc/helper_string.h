/* helper_string.h: command lines and files, with the names of CUDA's samples. */
#ifndef COMMON_HELPER_STRING_H_
#define COMMON_HELPER_STRING_H_

#include "sluice/sdk/arguments.h"

#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#define FOPEN(file, name, mode) ((file) = fopen(name, mode))
#define FOPEN_FAIL(result)      ((result) == NULL)
#define SSCANF                  sscanf
#define SPRINTF                 sprintf
#define STRCPY(to, size, from)  strcpy(to, from)
#define STRCASECMP              strcasecmp
#define STRNCASECMP             strncasecmp

inline int stringRemoveDelimiter(char delimiter, const char *text)
{
	int count = 0;
	while (text[count] == delimiter)
		count++;
	return count >= (int)strlen(text) - 1 ? 0 : count;
}

inline bool checkCmdLineFlag(const int argc, const char **argv, const char *name)
{
	return sdk_argument(argc, argv, name) != NULL;
}

inline int getCmdLineArgumentInt(const int argc, const char **argv, const char *name)
{
	const char *value = sdk_argument(argc, argv, name);
	return value ? atoi(value) : 0;
}

inline float getCmdLineArgumentFloat(const int argc, const char **argv, const char *name)
{
	const char *value = sdk_argument(argc, argv, name);
	return value ? (float)atof(value) : 0.0f;
}

template <class T> inline bool getCmdLineArgumentValue(const int argc, const char **argv, const char *name, T *value)
{
	const char *text = sdk_argument(argc, argv, name);
	if (text)
		*value = (T)atoi(text);
	return text != NULL;
}

inline bool getCmdLineArgumentString(const int argc, const char **argv, const char *name, char **value)
{
	*value = sdk_argument(argc, argv, name);
	return *value != NULL;
}

inline int getFileExtension(char *name, char **extension)
{
	char *dot = strrchr(name, '.');
	*extension = dot ? dot + 1 : NULL;
	return dot ? (int)(dot - name) : 0;
}

inline char *sdkFindFilePath(const char *name, const char *program)
{
	return sdk_find_file(name, program);
}

#endif
