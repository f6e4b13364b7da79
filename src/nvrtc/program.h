/* program: what the files of libnvrtc share: a source, and what has become of it. */
#ifndef SLUICE_NVRTC_PROGRAM_H
#define SLUICE_NVRTC_PROGRAM_H

#include <nvrtc.h>

#include <stdbool.h>

struct nvrtc_header {
	char *name, *text;
};

/* A kernel or variable, as the program writes it. */
struct nvrtc_expression {
	char *text, *lowered; /* NULL before it is compiled */
};

struct _nvrtcProgram {
	char *source, *name;
	struct nvrtc_header *headers;
	int header_count;
	struct nvrtc_expression *expressions;
	size_t expression_count;
	bool is_compiled; /* it was tried */
	bool is_for_machine; /* its architecture is a GPU's (sm_NN), not a virtual one */
	char *ptx, *log;  /* "" where there is none */
};

/* The words of nvcc's command line, which the caller frees with nvrtc_words_free(). */
struct nvrtc_words {
	char **list; /* NULL-terminated */
	size_t count;
};

void nvrtc_add_word(struct nvrtc_words *words, const char *word);
void nvrtc_words_free(struct nvrtc_words *words);
/* Appends those of NVRTC's options that nvcc takes; the number of the first that is none of NVRTC's, or -1. */
int nvrtc_take_options(struct nvrtc_words *words, int count, const char *const *options);
/* Whether an option says that functions are the device's. */
bool nvrtc_defaults_to_device(int count, const char *const *options);
/* Whether the last option that names an architecture names a GPU's: sm_NN. */
bool nvrtc_names_machine(int count, const char *const *options);

/* Compiles: fills ptx, log and the lowered names. */
nvrtcResult nvrtc_compile(nvrtcProgram program, const struct nvrtc_words *options, bool default_device);

#endif
