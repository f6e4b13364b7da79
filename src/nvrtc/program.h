/* program: declarations shared by the files of libnvrtc: a program's source and the results of its compilation. */
#ifndef SLUICE_NVRTC_PROGRAM_H
#define SLUICE_NVRTC_PROGRAM_H

#include <nvrtc.h>

#include <stdbool.h>

struct nvrtc_header {
	char *name, *text;
};

/* The name of a kernel or variable as written in the program. */
struct nvrtc_expression {
	char *text, *lowered; /* `lowered`: NULL before compilation */
};

struct _nvrtcProgram {
	char *source, *name;
	struct nvrtc_header *headers;
	int header_count;
	struct nvrtc_expression *expressions;
	size_t expression_count;
	bool is_compiled; /* compilation was attempted */
	bool is_for_machine; /* its architecture is a real one (sm_NN), not a virtual one */
	char *ptx, *log;  /* "" when there is none */
};

/* The words of nvcc's command line; the caller frees them with nvrtc_words_free(). */
struct nvrtc_words {
	char **list; /* NULL-terminated */
	size_t count;
};

void nvrtc_add_word(struct nvrtc_words *words, const char *word);
void nvrtc_words_free(struct nvrtc_words *words);
/* Appends the options that nvcc takes. Returns the index of the first option that NVRTC does not know, or -1. */
int nvrtc_take_options(struct nvrtc_words *words, int count, const char *const *options);
/* Appends the source's folder, taken from the program's name, as a folder for quoted headers. An option can prevent
 * it. */
void nvrtc_add_source_folder(struct nvrtc_words *words, const char *source, int count, const char *const *options);
/* True when an option makes functions device functions by default. */
bool nvrtc_defaults_to_device(int count, const char *const *options);
/* True when the last architecture option names a real architecture: sm_NN. */
bool nvrtc_names_machine(int count, const char *const *options);

/* Compiles the program: fills in ptx, log and the lowered names. */
nvrtcResult nvrtc_compile(nvrtcProgram program, const struct nvrtc_words *options, bool default_device);

#endif
