/* figure_source: what figures take from the programs' sources, without a run. */
#ifndef SLUICE_CLI_FIGURE_SOURCE_H
#define SLUICE_CLI_FIGURE_SOURCE_H

#include "cli/programs/programs.h"
#include "lab/plan.h"
#include "cuda_source/source.h"

/* The program of that name and the variant: what is named, else what the paper that the request asks for means. False
 * after a message. */
bool figure_find(struct program_request *request, const char *name, const char *variant, struct plan_program *found);

/* Its CUDA source, in the request's arena. */
const char *figure_source_path(struct program_request *request, const char *name);

/* NULL after messages; source_free() else. */
struct source_module *figure_analyze(struct program_request *request, const char *path);

/* Whether a kernel of the source belongs to the program's variant, by its program.yaml. False after a message, when this
 * does not mention the kernel. */
bool figure_kernel_runs(const struct program_request *request, const struct plan_program *program, const char *kernel,
                        bool *runs);

/* plan_source's compile; the context is the struct program_request. */
const char *figure_compile(void *context, const char *name);

/* plan_source's examine; the context is the struct program_request. */
json_t *figure_examine(void *context, const struct plan_program *program, bool ptx);

/* Prints an experiment that shows indexes and writes OUT/NAME.csv. Returns the exit status. */
int figure_indexes(struct program_request *request, const struct experiment *experiment, const char *out, const char *name);

#endif
