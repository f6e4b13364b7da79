/* The toolkit: the folder of headers, device library and runtime, and the CUDA versions whose face it has. */
#include "cli/cc/cc.h"

#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The faces that toolkit/faces.cmake makes. */
static const struct cuda {
	unsigned number;
	const char *name, *release;
} versions[] = {{11, "11", "11.5"}, {12, "12", "12.4"}, {13, "13", "13.0"}};

enum { VERSIONS = sizeof versions / sizeof *versions, DEFAULT_CUDA = 12 };

static const struct cuda *find(unsigned number)
{
	size_t k = 0;
	while (k + 1 < VERSIONS && versions[k].number != number)
		k++;
	return &versions[k];
}

const char *cc_cuda_name(unsigned number)
{
	return find(number)->name;
}

const char *cc_cuda_release(unsigned number)
{
	return find(number)->release;
}

bool cc_find_cuda(const char *name, const char *option, const char *text, unsigned *number)
{
	for (size_t k = 0; k < VERSIONS; k++)
		if (strcmp(text, versions[k].name) == 0) {
			*number = versions[k].number;
			return true;
		}
	cli_error(name, "%s: expected 11, 12 or 13, not '%s'", option, text);
	return false;
}

/* The folder of a face selects its version; the folder that has all faces selects the default. */
static unsigned cuda_of(const char *toolkit)
{
	char folder[16];
	const char *last = strrchr(toolkit, '/');
	for (size_t k = 0; k < VERSIONS && last; k++) {
		snprintf(folder, sizeof folder, "/cuda-%s", versions[k].name);
		if (strcmp(last, folder) == 0)
			return versions[k].number;
	}
	return DEFAULT_CUDA;
}

bool cc_toolkit_folder(const char *name, char *toolkit)
{
	const char *given = getenv("SLUICE_TOOLKIT");
	if (given && *given) {
		if (realpath(given, toolkit))
			return true;
		cli_error(name, "SLUICE_TOOLKIT=%s: %s", given, strerror(errno));
		return false;
	}
	static const char *const places[] = {"../toolkit", CLI_INSTALLED_LIBRARIES "/toolkit", NULL};
	if (cli_find_folder(places, "version.json", toolkit))
		return true;
	cli_error(name, "found no toolkit next to this program; set SLUICE_TOOLKIT to its folder");
	return false;
}

bool cc_find_toolkit(struct cc *cc)
{
	if (!cc_toolkit_folder(cc->name, cc->toolkit))
		return false;
	cc->cuda = cuda_of(cc->toolkit);
	return true;
}

/* An interrupted build may leave an incomplete toolkit. */
bool cc_check_toolkit(struct cc *cc)
{
	const char *const needed[] = {cc->device_ptx || !cc->sources ? NULL : "/nvvm/libdevice/libdevice.10.bc",
	                              cc->links ? "/lib64/libcudart.so" : NULL};
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		if (!needed[i] || access(cc_joined(cc, cc->toolkit, needed[i]), R_OK) == 0)
			continue;
		cli_error(cc->name, "cannot read %s%s: %s; 'make' builds what is missing", cc->toolkit, needed[i],
		          strerror(errno));
		return false;
	}
	return true;
}

static int print_help(void)
{
	puts("Usage: sluice toolkit [--cuda 11|12|13]\n"
	     "Print the folder that Makefiles use as CUDA_HOME, CUDA_PATH, CUDA_DIR or\n"
	     "CUDA_INSTALL_PATH, and CMake as CUDAToolkit_ROOT: bin/nvcc, include, lib64.\n"
	     "\n"
	     "      --cuda 11|12|13  The CUDA version: 11.5, 12.4 or 13.0 (12)\n"
	     "\n"
	     "For example:\n"
	     "  make CUDA_HOME=$(sluice toolkit) NVCC=$(sluice toolkit)/bin/nvcc\n"
	     "  cmake -DCMAKE_CUDA_COMPILER=$(sluice toolkit)/bin/nvcc ...");
	return 0;
}

int command_toolkit(int argc, char **argv)
{
	char toolkit[PATH_MAX];
	unsigned cuda = 0;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
			return print_help();
		bool is_joined = strncmp(word, "--cuda=", 7) == 0;
		if (!is_joined && (strcmp(word, "--cuda") != 0 || i + 1 == argc)) {
			cli_error(argv[0], "expected --cuda 11, 12 or 13, or no arguments, not '%s'", word);
			return CLI_USAGE;
		}
		if (!cc_find_cuda(argv[0], "--cuda", is_joined ? word + 7 : argv[++i], &cuda))
			return CLI_USAGE;
	}
	if (!cc_toolkit_folder(argv[0], toolkit))
		return CLI_FAILED;
	if (cuda && cuda_of(toolkit) != DEFAULT_CUDA)
		*strrchr(toolkit, '/') = 0; /* SLUICE_TOOLKIT is the folder of one face */
	if (cuda && cuda != DEFAULT_CUDA)
		printf("%s/cuda-%s\n", toolkit, cc_cuda_name(cuda));
	else
		puts(toolkit);
	return 0;
}
