/* analyze: what the files of `sluice analyze` share. Both forms of the analyzer fill in the same listing of a kernel. */
#ifndef SLUICE_CLI_ANALYZE_H
#define SLUICE_CLI_ANALYZE_H

#include "base/arena.h"
#include "flow/affine.h"
#include "cuda_source/source.h"

#include <jansson.h>

enum analyze_form { ANALYZE_SOURCE = 1, ANALYZE_PTX = 2, ANALYZE_BOTH = 3 };

/* What was asked for. */
struct analyze {
	const char *name; /* "sluice analyze" */
	const char *file, *kernel;
	unsigned forms; /* enum analyze_form; 0: those that the file has */
	bool is_source; /* the file is CUDA source */
	const char **flags; /* -I and -D for the compiler, NULL-terminated */
	size_t flag_count;
	const char **arg; /* NAME=VALUE */
	size_t args;
	bool *used; /* by arg: some kernel has such a parameter */
	bool json, launched;
	struct affine_launch launch; /* without arguments */
	struct arena arena;
};

/* A global load, or a read in the source. */
struct index {
	const char *array; /* "?": not known */
	bool is_member;    /* source form: what is read is smaller than the array's elements */
	bool is_variable;  /* PTX form: the array is a variable of the module, not a parameter */
	const char *file;  /* NULL: not known */
	uint32_t line, ptx_line; /* 0: none */
	const char *expression;
	const char *expanded; /* source form: in indexes and launch constants; NULL: none */
	enum affine_status status, relaxed;
	uint32_t bytes; /* that a thread reads */
	int64_t unit, last; /* bytes of an element of the array; of the last that is read */
	struct affine_rows rows;
	struct affine_rows all_rows; /* PTX form: if branches kept no thread from the load */
	bool lacks_argument; /* no rows: an argument was not given */
};

/* A kernel in one form. */
struct listing {
	const char *name; /* source: as written; PTX: mangled */
	const char *file; /* source form */
	uint32_t line;
	bool is_source;
	bool calls; /* PTX form: functions whose loads are not listed */
	uint32_t arrays;
	struct index *index;
	uint32_t indexes;
	struct affine_rows together; /* PTX form: of all loads, joined */
	const struct source_kernel *source;
	const struct ptx_function *function;
};

struct listings {
	struct listing **list;
	uint32_t count;
};

/* Whether an argument of the command line, NAME=VALUE, has this name. */
bool analyze_is_named(const char *arg, const char *name);
/* The C++ name of a kernel: its last part, without namespaces, template arguments and parameters. */
const char *analyze_plain_name(struct arena *arena, const char *mangled);

/* The kernels of a file that were asked for. */
void analyze_read_source(struct analyze *analyze, const struct source_module *module, struct listings *to);
/* `sources` gives the parameters their names, and may be empty. False after an error message. */
bool analyze_read_ptx(struct analyze *analyze, const struct ptx_module *module, const struct listings *sources,
                      struct listings *to);
/* The kernel of the source that was compiled to this one, or NULL. */
const struct listing *analyze_find_source(struct arena *arena, const struct listings *sources,
                                          const struct ptx_function *function);

/* A way in which the two forms differ. */
struct difference {
	bool explained; /* the compiler did it: no disagreement */
	const char *array;
	uint32_t line;
	const char *text;
	struct difference *next;
};
struct difference *analyze_compare(struct analyze *analyze, const struct listing *source, const struct listing *ptx);

void analyze_print_listing(const struct analyze *analyze, const struct listing *listing);
void analyze_print_differences(const struct listing *ptx, const struct difference *differences);
/* Counts over several listings, when there are any. */
void analyze_print_total(const char *title, const struct listings *listings);

json_t *analyze_listing_json(const struct listing *listing);
/* Adds to the kernel's "disagreements" and "explained". */
void analyze_differences_json(json_t *kernel, const struct listing *ptx, const struct difference *differences);

#endif
