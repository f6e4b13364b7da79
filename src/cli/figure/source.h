/* source: facts that figures take from the programs' sources, without running them. */
#ifndef SLUICE_CLI_FIGURE_SOURCE_H
#define SLUICE_CLI_FIGURE_SOURCE_H

#include "cli/programs/programs.h"
#include "lab/plan.h"
#include "cuda_source/source.h"

/* Finds the program of that name, and its variant: the one named, or else the one meant by the requested paper. Returns
 * false after a message that begins with where[0] for the name, where[1] for the variant. */
bool figure_find(struct program_request *request, const char *const where[2], const char *name, const char *variant,
                 struct plan_program *found);

/* Finds the program of a row; messages name its place in the experiment's file. */
bool figure_find_of_row(struct program_request *request, const struct experiment *experiment,
                        const struct experiment_row *row, const char *variant, struct plan_program *found);

/* Returns the path of its CUDA source, in the request's arena. */
const char *figure_source_path(struct program_request *request, const char *name);

/* Returns NULL after messages. Otherwise the caller must call source_free(). */
struct source_module *figure_analyze(struct program_request *request, const char *path);

/* Sets *runs when the kernel belongs to the program's variant, according to its program.yaml. Returns false after a
 * message when that file does not mention the kernel. */
bool figure_kernel_runs(const struct program_request *request, const struct plan_program *program, const char *kernel,
                        bool *runs);

/* Implements plan_source's compile; the context is the struct program_request. */
const char *figure_compile(void *context, const char *name);

/* Implements plan_source's examine; the context is the struct program_request. */
json_t *figure_examine(void *context, const struct plan_program *program, bool ptx);

/* An index of a row's kernel, with the paper's status of it, or NULL. */
struct figure_index {
	const struct experiment_row *row;
	const struct plan_program *program;
	const struct source_kernel *kernel;
	const struct source_index *index;
	const char *paper;
};

struct figure_index_visitor {
	void *context;
	/* before the indexes of a kernel; may be NULL */
	void (*kernel)(void *context, const struct experiment_row *row, const struct plan_program *program,
	               const struct source_kernel *kernel);
	void (*index)(void *context, const struct figure_index *index);
};

/* Visits all indexes of an experiment that shows them, in the order of the source. Returns false after messages. */
bool figure_visit_indexes(struct program_request *request, const struct experiment *experiment,
                          const struct figure_index_visitor *visitor);

/* Prints the table of an experiment that shows indexes, and writes OUT/NAME.csv. Returns the exit status. */
int figure_indexes(struct program_request *request, const struct experiment *experiment, const char *out,
                   const char *name);

#endif
