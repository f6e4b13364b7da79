/* Runs a fuzz target on each file of the named folders, where libFuzzer is not available. */
#include "base/file.h"

#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replay_folder(const char *folder)
{
	char pattern[4096];
	glob_t files;
	snprintf(pattern, sizeof pattern, "%s/*", folder);
	if (glob(pattern, 0, NULL, &files) != 0)
		return 0;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		size_t size;
		char *data = file_read(files.gl_pathv[i], &size);
		if (!data)
			continue;
		fprintf(stderr, "%s\n", files.gl_pathv[i]);
		LLVMFuzzerTestOneInput((const uint8_t *)data, size);
		free(data);
	}
	size_t count = files.gl_pathc;
	globfree(&files);
	return count;
}

int main(int argc, char **argv)
{
	size_t count = 0;
	for (int i = 1; i < argc; i++)
		count += replay_folder(argv[i]);
	printf("%zu inputs\n", count);
	return count ? EXIT_SUCCESS : EXIT_FAILURE;
}
